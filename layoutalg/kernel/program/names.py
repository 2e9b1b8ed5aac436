"""Names that the emitted source gives to types, coordinates and device functions; a program may not use them too."""

from __future__ import annotations

from layoutalg.kernel.program.accesses import SharedAccess
from layoutalg.kernel.program.fragments import HELD, one_of
from layoutalg.kernel.program.program import Program
from layoutalg.target.operand import MatrixInstruction


def vector_type(c: str, n: int) -> str:
    """The type of n elements.

    >>> vector_type("_Float16", 8), vector_type("unsigned char", 16)
    ('float16x8', 'unsigned_charx16')
    """
    return f"{c.strip('_').lower().replace(' ', '_')}x{n}"


def index_type(program: Program) -> str:
    """The type that indices are computed in."""
    return "int" if program.index_bits == 32 else "long long"


def shared_names(program: Program, s: SharedAccess) -> tuple[str, ...]:
    """How the coordinates of a tile in LDS are called: as the source's, where it has as many."""
    rank = s.descriptor.rank
    return program.source.names if len(program.source.names) == rank else tuple(f"x{d}" for d in range(rank))


def operation_name(instruction: MatrixInstruction) -> str:
    """The name of the device function.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> operation_name(matrix_instruction("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"))
    'mma_sync_m16n8k16_f16'
    """
    parts = instruction.name.split(".")
    twice = "_held" if instruction.name.endswith(HELD) else "" if one_of(instruction) is instruction else "_twice"
    if parts[0] not in ("wgmma", "mma"):
        return "_".join(parts)
    family, shape = ("wgmma", parts[4]) if parts[0] == "wgmma" else ("mma_sync", parts[3])
    return f"{family}_{shape}_{instruction.a_dtype}{twice}"
