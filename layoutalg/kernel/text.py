"""Names of types in the emitted source."""

from __future__ import annotations

from layoutalg.kernel.program import Program


def vector_type(c: str, n: int) -> str:
    """The type of n elements.

    >>> vector_type("_Float16", 8)
    'float16x8'
    """
    return f"{c.strip('_').lower()}x{n}"


def index_type(program: Program) -> str:
    """The type that indices are computed in."""
    return "int" if program.index_bits == 32 else "long long"
