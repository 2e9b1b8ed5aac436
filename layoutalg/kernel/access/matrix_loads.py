"""Reads of LDS that a wave makes together: four matrices of 8 × 8 elements of 16 bits, a row from each lane's address.

Lane l gives the address of row l mod 8 of matrix l div 8; a row is 16 bytes at a multiple of 16.  Every lane receives a
pair of each matrix: with g = l div 4, t = l mod 4, half h of register j is an element of matrix j,

| instruction                                        | row    | column |
|----------------------------------------------------|--------|--------|
| ldmatrix.sync.aligned.m8n8.x4.shared.b16           | g      | 2t + h |
| ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16     | 2t + h | g      |

So a tile of registers can be read so if its distribution spreads each such matrix over the lanes as the row of the
table says, and LDS has its rows whole: then lane l's address is that of the element which the distribution gives to
the holder of (row l mod 8, column 0).  `obligations.collective` proves that.  Source: PTX ISA, "Warp-level matrix load
instruction: ldmatrix" (sm_75 and later).  What it cannot represent: fewer matrices, elements of other sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import ZERO, Expr, as_expr, prod, substitute
from layoutalg.index.radix import digits
from layoutalg.kernel.program import LoadShared, Program
from layoutalg.layout import LayoutError
from layoutalg.records import dataclass

LANES, ROWS, ELEMENTS = 32, 8, 8
"""Of a wave; of a matrix (8 × 8); that a lane receives (four matrices, two each)."""


@dataclass(frozen=True)
class MatrixLoad:
    """An instruction: whether columns go where rows went."""

    name: str
    transposed: bool = False

    def receives(self, lane: Expr, half: Expr) -> tuple[Expr, Expr]:
        """Row and column of a matrix that a lane has in a half of the matrix's register."""
        along, across = lane % 4 * 2 + half, lane // 4
        return (along, across) if self.transposed else (across, along)

    def holder(self, row: Expr, column: Expr) -> tuple[Expr, Expr]:
        """The lane and the half that have an element of a matrix.

        >>> from layoutalg.index import as_expr
        >>> MATRIX_LOADS["ldmatrix"].holder(as_expr(3), as_expr(5))
        (14, 1)
        """
        along, across = (row, column) if self.transposed else (column, row)
        return across * 4 + along // 2, along % 2


MATRIX_LOADS = {
    one.name: one for one in (MatrixLoad("ldmatrix"), MatrixLoad("ldmatrix.trans", transposed=True))
}  # fmt: skip
"""By name."""


def matrix_load(access: LoadShared) -> MatrixLoad:
    """The instruction by which a tile is read; LayoutError where there is none of the name, or it has other sizes."""
    found = MATRIX_LOADS.get(access.by)
    if found is None:
        raise LayoutError(f"{access.shared.name}: no matrix load {access.by!r}; there are {', '.join(MATRIX_LOADS)}")
    tile = access.registers.distribution
    moved = int(prod([tile.ys[y] for y in access.vector_ys]))
    if moved != ELEMENTS or access.shared.dtype.bytes != 2 or access.registers.dtype != access.shared.dtype:
        raise LayoutError(f"{access.shared.name}: {access.by} gives a lane {ELEMENTS} elements of 16 bits, as they are")
    if int(tile.ps[-1]) != LANES:
        raise LayoutError(
            f"{access.shared.name}: {access.by} takes waves of {LANES} lanes; the last P has {tile.ps[-1]}"
        )
    return found


def held_by(access: LoadShared, waves: Sequence[Expr], lane: Expr, element: Expr) -> tuple[Expr, ...]:
    """The coordinates in the LDS tile of what the distribution gives a lane as one of the eight elements."""
    tile, moved = access.registers.distribution, access.vector_ys
    at: dict[Expr, Expr | int] = dict(
        zip((tile.y_index[y] for y in moved), digits(element, [tile.ys[y] for y in moved]), strict=True)
    )
    y = tuple(substitute(as_expr(i), at) for i in tile.y_index)
    inner = tile.lower((*waves, lane), y)
    return tuple(o + c for o, c in zip(access.origin, inner, strict=True)) if access.origin else inner


def in_row(access: LoadShared, waves: Sequence[Expr], row: Expr, matrix: Expr, column: Expr) -> tuple[Expr, ...]:
    """The coordinates of an element of a matrix that the wave reads."""
    lane, half = matrix_load(access).holder(row, column)
    return held_by(access, waves, lane, matrix * 2 + half)


def row_start(program: Program, access: LoadShared) -> tuple[Expr, ...]:
    """The coordinates of the row whose address each lane gives."""
    *waves, lane = program.lanes
    return in_row(access, waves, lane % ROWS, lane // ROWS, ZERO)


__all__ = ["ELEMENTS", "LANES", "MATRIX_LOADS", "ROWS", "MatrixLoad", "held_by", "in_row", "matrix_load", "row_start"]
