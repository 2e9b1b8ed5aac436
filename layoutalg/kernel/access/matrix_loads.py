"""Reads of LDS that a wave makes together: each lane names a row of elements, and gets some of other lanes' rows.

Of a group of lanes that exchange, lane l's element e is element k of the row that lane q names:

| instruction                                    | lanes | a row | e of lane l is (q, k), j = e div 2, h = e mod 2 |
|------------------------------------------------|-------|-------|-------------------------------------------------|
| ldmatrix.sync.aligned.m8n8.x4.shared.b16       | 32    | 8     | 8j + l div 4, 2 (l mod 4) + h                   |
| ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 | 32    | 8     | 8j + 2 (l mod 4) + h, l div 4                   |
| gfx950 ds_read_b64_tr_b16                      | 16    | 4     | (16e + l) div 4, (16e + l) mod 4                |
| gfx950 ds_read_b64_tr_b8                       | 16    | 8     | (16e + l) div 8, (16e + l) mod 8                |

A row lies at a multiple of its bytes.  So a tile of registers can be read so if its distribution spreads rows over the
lanes as the table says, and LDS has its rows whole: then a lane's address is that of the element which the distribution
gives to the holder of (its row, 0).  `obligations.collective` proves that.  Sources: PTX ISA, "Warp-level matrix load
instruction: ldmatrix" (sm_75 and later); `target.transposed` for AMD's.  What it cannot represent: fewer matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from layoutalg.index import ZERO, Expr, as_expr, prod, substitute
from layoutalg.index.radix import digits
from layoutalg.kernel.program import LoadShared, Program
from layoutalg.layout import LayoutError
from layoutalg.records import dataclass
from layoutalg.target.known import builds
from layoutalg.target.transposed import TRANSPOSED

Exchanged = Callable[[Expr, Expr], tuple[Expr, Expr]]
"""Of a lane and an element another such pair, lanes counted in their group."""


@dataclass(frozen=True)
class MatrixLoad:
    """An instruction: the lanes of its wave, all of which take part, those that exchange, a row's elements, their bits.

    `source`: the lane that names the row of what a lane gets, and where in the row that is; `holder`: the other way.
    """

    name: str
    wave: int
    group: int
    elements: int
    bits: int
    source: Exchanged
    holder: Exchanged

    @property
    def targets(self) -> tuple[str, ...]:
        """Who has it."""
        if self.name in TRANSPOSED:
            return TRANSPOSED[self.name].targets
        return tuple(name for name, gpu in builds().items() if gpu.vendor == "nvidia")


def _matrix(transposed: bool) -> tuple[Exchanged, Exchanged]:
    """Four matrices of 8 × 8, of which a lane gets a pair each."""

    def source(lane: Expr, element: Expr) -> tuple[Expr, Expr]:
        along, across = lane % 4 * 2 + element % 2, lane // 4
        row, column = (along, across) if transposed else (across, along)
        return element // 2 * 8 + row, column

    def holder(lane: Expr, k: Expr) -> tuple[Expr, Expr]:
        row, matrix = lane % 8, lane // 8
        along, across = (row, k) if transposed else (k, row)
        return across * 4 + along // 2, matrix * 2 + along % 2

    return source, holder


def _in_order(group: int, each: int) -> tuple[Exchanged, Exchanged]:
    """Element e of lane l is number group · e + l of all rows, one after the other."""

    def source(lane: Expr, element: Expr) -> tuple[Expr, Expr]:
        number = element * group + lane
        return number // each, number % each

    def holder(lane: Expr, k: Expr) -> tuple[Expr, Expr]:
        number = lane * each + k
        return number % group, number // group

    return source, holder


MATRIX_LOADS = {
    one.name: one
    for one in (
        MatrixLoad("ldmatrix", 32, 32, 8, 16, *_matrix(False)),
        MatrixLoad("ldmatrix.trans", 32, 32, 8, 16, *_matrix(True)),
        MatrixLoad("ds_read_b64_tr_b16", 64, 16, 4, 16, *_in_order(16, 4)),
        MatrixLoad("ds_read_b64_tr_b8", 64, 16, 8, 8, *_in_order(16, 8)),
    )
}
"""By name."""


def transposing(target: str, bits: int) -> str:
    """The load by which a target's waves get fragments along k of rows of m (or n); empty where it has none.

    >>> transposing("gfx950", 16), transposing("gfx942", 16)
    ('ds_read_b64_tr_b16', '')
    """
    own = (name for name, one in MATRIX_LOADS.items() if name in TRANSPOSED and one.bits == bits)
    return next((name for name in own if target in MATRIX_LOADS[name].targets), "")


def matrix_load(access: LoadShared) -> MatrixLoad:
    """The instruction by which a tile is read; LayoutError where there is none of the name, or it has other sizes."""
    found = MATRIX_LOADS.get(access.by)
    if found is None:
        raise LayoutError(f"{access.shared.name}: no matrix load {access.by!r}; there are {', '.join(MATRIX_LOADS)}")
    tile = access.registers.distribution
    moved = int(prod([tile.ys[y] for y in access.vector_ys]))
    kind = access.shared.dtype
    if moved != found.elements or kind.bits != found.bits or access.registers.dtype != kind:
        given = f"{found.elements} elements of {found.bits} bits"
        raise LayoutError(f"{access.shared.name}: {access.by} gives a lane {given}, as they are")
    if int(tile.ps[-1]) != found.wave:
        raise LayoutError(
            f"{access.shared.name}: {access.by} takes waves of {found.wave} lanes; the last P has {tile.ps[-1]}"
        )
    return found


def held_by(access: LoadShared, waves: Sequence[Expr], lane: Expr, element: Expr) -> tuple[Expr, ...]:
    """The coordinates in the LDS tile of what the distribution gives a lane as one of its elements."""
    tile, moved = access.registers.distribution, access.vector_ys
    at: dict[Expr, Expr | int] = dict(
        zip((tile.y_index[y] for y in moved), digits(element, [tile.ys[y] for y in moved]), strict=True)
    )
    y = tuple(substitute(as_expr(i), at) for i in tile.y_index)
    inner = tile.lower((*waves, lane), y)
    return tuple(o + c for o, c in zip(access.origin, inner, strict=True)) if access.origin else inner


def in_row(access: LoadShared, waves: Sequence[Expr], lane: Expr, k: Expr) -> tuple[Expr, ...]:
    """The coordinates of an element of the row that a lane names."""
    load = matrix_load(access)
    own = lane % load.group
    other, element = load.holder(own, k)
    return held_by(access, waves, lane - own + other, element)


def row_start(program: Program, access: LoadShared) -> tuple[Expr, ...]:
    """The coordinates of the row whose address each lane gives."""
    *waves, lane = program.lanes
    return in_row(access, waves, lane, ZERO)


__all__ = ["MATRIX_LOADS", "MatrixLoad", "held_by", "in_row", "matrix_load", "row_start", "transposing"]
