"""Lane maps: which elements of a tile each lane of a wave reaches, for every value of some other variables.

    lane, element, variables (wave, row block, K step …)  ──index──▶  tile coordinates

| a lane map from                       | `lane`      | variables                      |
|---------------------------------------|-------------|--------------------------------|
| formulas: `lane_map(lane, (r, k), 8)` | as given    | whatever else the formulas use |
| a tile distribution                   | the last P  | the other Ps, the Ys           |
| a matrix operand (MFMA, WMMA)         | its lane    | row block, K step, part        |
| the same, by loads that transpose     | its lane    | row block, K step, part        |

What it cannot represent: lanes that reach different numbers of elements (say which take part: `reach.Reach`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from layoutalg.index import ONE, TRUE, ZERO, Expr, Term, as_expr, eq, fresh, names, substitute, var, variables
from layoutalg.index.evaluate import grids
from layoutalg.layout import LayoutError, TensorDescriptor, TileDistribution
from layoutalg.lazy import lazy_imports
from layoutalg.memory.banks import AccessError, LaneMapError
from layoutalg.prove.claims import in_range
from layoutalg.prove.domain import names_in
from layoutalg.prove.obligation import ForAll, Shown
from layoutalg.records import dataclass
from layoutalg.target.operand import OperandMap
from layoutalg.target.transposed import LANES

with lazy_imports():
    import numpy as np


class WidthError(AccessError):
    """The elements of a lane are not what the instruction moves.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access
    >>> lane = var("lane", 64)
    >>> access(naive((64, 8), (8, 1)), lane_map(lane, (lane, 0), width=2), "f16", "gfx942", "ds_read_b128")
    Traceback (most recent call last):
        ...
    layoutalg.memory.lanes.WidthError: 2 elements of f16 are 4 bytes a lane; ds_read_b128 moves 16
    """


@dataclass(frozen=True)
class LaneMap:
    """Which elements of a tile each lane reaches: `index` in terms of `lane`, `element` and whatever else it uses.

    `element` counts the elements of one lane's vector; at `element` = 0 the index is the vector's first.

    >>> lane = var("lane", 64)
    >>> lanes = lane_map(lane, (lane % 32, lane // 32 * 8), width=8)
    >>> lanes.lanes, lanes.width, lanes.first
    (64, 8, (lane % 32, lane // 32 * 8))
    """

    lane: Expr
    element: Expr
    index: tuple[Expr, ...]
    name: str = "access"
    own: tuple[Expr, ...] = ()  # what else of its variables it made itself: which of a tile's pieces

    @property
    def width(self) -> int:
        """Elements of a lane."""
        return 1 if self.element.op == "const" else int(self.element.hi) + 1

    @property
    def lanes(self) -> int:
        """The number of lanes."""
        return int(self.lane.hi) + 1

    @cached_property
    def variables(self) -> tuple[Expr, ...]:
        """What else the index depends on: it is quantified over."""
        return tuple(v for v in variables(*self.index) if v not in (self.lane, self.element))

    @cached_property
    def first(self) -> tuple[Expr, ...]:
        """The coordinates of each lane's first element."""
        return tuple(substitute(i, {self.element: 0}) for i in self.index)

    def moved(self, origin: Sequence[Term]) -> LaneMap:
        """The same map with its tile somewhere in a larger one."""
        if len(origin) != len(self.index):
            raise LayoutError(f"an origin of {len(origin)} coordinates for {len(self.index)} dimensions")
        if own := {self.lane, self.element, *self.own} & {*variables(*map(as_expr, origin))}:
            raise LaneMapError(f"a tile's origin is the same for all lanes; {own.pop()} is the map's own")
        index = tuple(at + i for at, i in zip(map(as_expr, origin), self.index, strict=True))
        return LaneMap(self.lane, self.element, index, self.name, self.own)


def lane_map(lane: Expr, index: Sequence[Term], width: int = 1, name: str = "access") -> LaneMap:
    """Formulas: the index of each lane's first element; the last coordinate runs on through the vector.

    >>> lane = var("lane", 64)
    >>> lane_map(lane, (lane % 32, lane // 32 * 8), width=8).index
    (lane % 32, lane // 32 * 8 + element)
    """
    if lane.op != "var" or lane.value.extent is not None:
        raise LaneMapError(f"the lane is a variable with a number of lanes, not {lane}")
    if not index:
        raise LaneMapError("a lane map has at least one coordinate")
    if width < 1:
        raise WidthError(f"a lane reaches at least 1 element, not {width}")
    coordinates = tuple(map(as_expr, index))
    element = fresh("element", width, names(lane, *coordinates)) if width > 1 else ZERO
    return LaneMap(lane, element, (*coordinates[:-1], coordinates[-1] + element), name)


def distributed(tile: TileDistribution, width: int | None = None, name: str = "access") -> LaneMap:
    """A tile distribution: the lane is its last P, and a vector is `width` steps of its last Y (all, unless said).

    >>> from layoutalg.layout import TileDistributionEncoding
    >>> rows = TileDistributionEncoding((), ((16,), (4, 8)), ((1, 2),), ((0, 0),), (2,), (1,))
    >>> distributed(TileDistribution(rows)).index
    (p0 // 4, p0 % 4 * 8 + element)
    """
    if not tile.ps or tile.ps[-1].op != "const":
        raise LaneMapError("the distribution has no last P of a known length: there is no lane")
    last = tile.ys[-1] if tile.ys else ONE
    if last.op != "const":
        raise WidthError(f"the last Y has length {last}; a vector needs a number")
    width = int(last) if width is None else width
    if width < 1 or int(last) % width:
        raise WidthError(f"the last Y has length {last}, which is no multiple of width {width}")
    taken = names(*tile.p_index, *tile.y_index) | names_in(tile.adaptor)
    element = fresh("element", width, taken) if width > 1 else ZERO
    ys = list(tile.y_index)
    if ys:
        ys[-1] = (fresh("vector", int(last) // width, taken) * width if int(last) > width else ZERO) + element
    return LaneMap(tile.p_index[-1], element, tile.lower(tile.p_index, ys), name)


def operand(
    matrix: OperandMap,
    tile: tuple[int, int],
    *,
    transposed: bool = False,
    width: int | None = None,
    name: str = "operand",
) -> LaneMap:
    """A matrix operand read from every place of a tile: variables `row_block` and `column_block` say which.

    `tile`: rows and columns in the operand's order (A: M × K, B: K × N); `transposed`: the tile's coordinates are
    (column, row), as for a B that is stored N × K.  `width`: elements of one access, where the operand takes several.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> mfma = matrix_instruction("mfma_f32_32x32x8f16")
    >>> operand(mfma.a, (128, 64)).index
    (row_block * 32 + lane % 32, column_block * 8 + lane // 32 * 4 + element)
    """
    rows, columns = matrix.shape
    if tile[0] % rows or tile[1] % columns:
        raise LaneMapError(f"a tile of {tile[0]} × {tile[1]} is no whole number of operands of {rows} × {columns}")
    held = int(matrix.element.hi) + 1
    width = held if width is None else width
    if width < 1 or held % width:
        raise WidthError(f"a lane holds {held} elements, which is no multiple of width {width}")
    element = var("element", width) if width > 1 else ZERO
    part = var("part", held // width) * width if held > width else ZERO
    index = [substitute(e, {matrix.element: part + element}) for e in (matrix.row, matrix.column)]
    for n, (word, size) in enumerate((("row_block", rows), ("column_block", columns))):
        if tile[n] > size:
            index[n] = var(word, tile[n] // size) * size + index[n]
    own = tuple(v for v in variables(*index) if v not in (matrix.lane, element))
    return LaneMap(matrix.lane, element, tuple(index[::-1] if transposed else index), name, own)


def transposing(matrix: OperandMap, tile: tuple[int, int], width: int, *, name: str = "operand") -> LaneMap:
    """The pieces of `width` elements that lanes name, so that gfx950's loads that transpose bring a matrix operand.

    `tile`: K and rows, as it is stored, rows running on (A: K × M, B: K × N).  Sixteen lanes name `width` rows of 16
    elements, a row 16 / width lanes, and lane l gets column l: the rows must be the consecutive k that the operand has
    in a lane, the columns its rows in sixteen lanes.  (CDNA 4 ISA, 11.4, "MFMA Transpose Load from LDS"; the order of
    lanes: rocRoller's TransposeLoadsTest, run on gfx950.)  LaneMapError where the operand is not so.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> mfma = matrix_instruction("mfma_f32_16x16x32_f16")
    >>> transposing(mfma.a, (32, 16), 4).index
    (lane // 16 * 16 // 16 * 8 + part * 4 + lane % 16 // 4, lane // 16 * 16 % 16 + lane % 4 * 4 + element)
    """
    rows, columns = matrix.shape
    held = int(matrix.element.hi) + 1
    if tile[1] % rows or tile[0] % columns:
        raise LaneMapError(f"a tile of {tile[0]} × {tile[1]} is no whole number of operands of {columns} × {rows}")
    if held % width or LANES % width:
        raise WidthError(f"a lane holds {held} elements, which loads of {width} do not bring")
    lane, element, part = matrix.lane, var("element", width), var("part", held // width)
    first = part * width if held > width else ZERO
    if not _exchanged(matrix, width):
        raise LaneMapError(f"16 lanes of the operand hold no {width} consecutive k of 16 rows: no such load brings it")
    k, row = (substitute(e, {lane: lane // LANES * LANES, matrix.element: first}) for e in (matrix.column, matrix.row))
    across = LANES // width
    index = [k + lane % LANES // across, row + lane % across * width + element]
    for n, (word, size) in enumerate((("column_block", columns), ("row_block", rows))):
        if tile[n] > size:
            index[n] = var(word, tile[n] // size) * size + index[n]
    own = tuple(v for v in variables(*index) if v not in (lane, element))
    return LaneMap(lane, element, tuple(index), name, own)


def _exchanged(matrix: OperandMap, width: int) -> bool:
    """Whether sixteen lanes hold, in each run of `width` elements, consecutive k of sixteen consecutive rows."""
    row, k = grids((matrix.row, matrix.column), [matrix.lane, matrix.element])
    row, k = (a.reshape(a.shape[0] // LANES, LANES, -1, width) for a in (row, k))
    steps, runs = np.arange(LANES)[:, None, None], np.arange(width)
    return bool((row == row[:, :1, :1, :1] + steps).all() and (k == k[:, :1, :, :1] + runs).all())


def within(descriptor: TensorDescriptor, lanes: LaneMap, given: Expr = TRUE) -> list[ForAll]:
    """That whoever is let take part stays within the lengths, and that a vector is data as a whole, or not at all."""
    shown = (Shown("lane", (lanes.lane,)), Shown("index", lanes.index))
    need = [
        ForAll(f"coordinate {n} is in range", in_range(i, length), given, (*shown, Shown("length", (length,))))
        for n, (i, length) in enumerate(zip(lanes.index, descriptor.lengths, strict=True))
    ]
    first, each = (descriptor.valid(index) for index in (lanes.first, lanes.index))
    if lanes.width > 1 and each is not TRUE:
        need.append(ForAll("a vector is data as a whole, or padding", eq(first, each), given, shown))
    return need
