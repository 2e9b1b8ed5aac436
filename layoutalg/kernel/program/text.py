"""Names of types in the emitted source."""

from __future__ import annotations

from layoutalg.kernel.program.program import Program, SharedAccess


def vector_type(c: str, n: int) -> str:
    """The type of n elements.

    >>> vector_type("_Float16", 8)
    'float16x8'
    """
    return f"{c.strip('_').lower()}x{n}"


def index_type(program: Program) -> str:
    """The type that indices are computed in."""
    return "int" if program.index_bits == 32 else "long long"


def shared_names(program: Program, s: SharedAccess) -> tuple[str, ...]:
    """How the coordinates of a tile in LDS are called: as the source's, where it has as many."""
    rank = s.descriptor.rank
    return program.source.names if len(program.source.names) == rank else tuple(f"x{d}" for d in range(rank))
