"""A plane of a tile through LDS: how threads lie over it on either side, and where its elements lie between.

Rows are the slow coordinate of the load, columns the fast one.  Loads run along the rows, stores down the columns, each
moving vectors; in LDS the columns are swizzled so that neither side meets bank conflicts (for vectors of 16 bytes, and
for single words, where a wave stores pieces of 128 bytes; longer pieces are kinder to memory, and meet two at a bank).

| side    | 32 lanes that access LDS together                | banks                                               |
|---------|--------------------------------------------------|-----------------------------------------------------|
| loads   | consecutive vectors of a row                     | the groups of one row, in another order             |
| stores  | `down` groups of rows × `across` columns         | each group of rows another group of columns (xor),  |
|         |                                                  | each column another word of it                      |
"""

from __future__ import annotations

from layoutalg.index import as_expr
from layoutalg.layout import (
    Merge,
    PassThrough,
    TensorDescriptor,
    Xor,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.records import dataclass

ROW, COLUMN = 0, 1
Part = tuple[int, int]
"""A factor of a plane: its side (ROW or COLUMN) and its number."""

SEGMENT, LANES = 128, 32
"""Bytes that a wave stores in one piece along a column, unless told; the lanes that access LDS together."""


@dataclass(frozen=True)
class Plane:
    """A thread map: the factors of rows and columns, those that make the thread number, and those of the two Ys.

    The second Y is the vector.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    thread: tuple[Part, ...]
    ys: tuple[Part, Part]


def divides(tile: tuple[int, int], threads: int, vectors: tuple[int, int]) -> bool:
    """Whether so many threads cover the tile evenly on both sides."""
    (rows, columns), (loads, stores) = tile, vectors
    along, across = columns // loads, rows // stores
    return along * loads == columns and across * stores == rows and not (
        threads % along or rows % max(1, threads // along) or threads % across or columns % max(1, threads // across)
    )  # fmt: skip


def by_row(tile: tuple[int, int], threads: int, width: int) -> Plane:
    """Threads run along the rows, `width` elements each."""
    lanes = tile[1] // width
    down = threads // lanes
    return Plane((tile[0] // down, down), (lanes, width), ((ROW, 1), (COLUMN, 0)), ((ROW, 0), (COLUMN, 1)))


def by_column(tile: tuple[int, int], threads: int, width: int, element_bytes: int, segment: int = SEGMENT) -> Plane:
    """Threads run down the columns, `width` elements each: `segment` bytes of a column, then the next column."""
    rows, columns = tile
    groups = rows // width
    down = min(groups, max(1, segment // (width * element_bytes)), LANES)
    passes = threads // groups  # columns that the block covers at a time
    across = min(passes, LANES // down)
    return Plane(
        (groups // down, down, width),
        (columns // passes, passes // across, across),
        ((COLUMN, 1), (ROW, 0), (COLUMN, 2), (ROW, 1)),
        ((COLUMN, 0), (ROW, 2)),
    )


def swizzled(tile: tuple[int, int], loads: int, stores: int) -> TensorDescriptor:
    """The plane in LDS: groups of columns, wide enough for a vector, xor-ed with the number of the group of rows."""
    rows, columns = tile
    width = max(loads, stores)
    lengths = (rows // stores, stores, columns // width, width)
    packed = make_naive_tensor_descriptor(lengths, (stores * columns, columns, width, 1))
    a, b, c, d = map(as_expr, lengths)
    fine = [[0, 2], [1], [3]]
    mixed = transform_tensor_descriptor(packed, [Xor((a, c)), PassThrough(b), PassThrough(d)], fine, fine)
    return transform_tensor_descriptor(mixed, [Merge((a, b)), Merge((c, d))], [[0, 1], [2, 3]], [[0], [1]])
