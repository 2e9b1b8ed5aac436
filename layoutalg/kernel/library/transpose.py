"""Matrix transposition: target[j, i] = source[i, j], by registers or through LDS.

Both move tiles between the source, a matrix M × N in coordinates (row, column), and the target seen in the same
coordinates: an N × M matrix whose descriptor has the strides (1, M).  So values that keep their coordinates are a
transposition.

* `register_transpose`: the AMD GPU programming guide's kernel: 8×8 threads, each with 4×4 elements, which it loads row
  by row and stores column by column.  Sizes are constants, multiples of the 32 × 32 tile.
* `lds_transpose`: a 64×64 tile through LDS, so that loads and stores both run along memory.  For every M and N,
  guarded at the edges.  LDS words are swizzled by xor, or rows are padded by one vector, against bank conflicts.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import TRUE, Expr, Term, all_of, as_expr, symbol, var
from layoutalg.kernel.library.copies import dtype_named
from layoutalg.kernel.library.staging import SEGMENT, Plane, by_column, by_row, divides, swizzled
from layoutalg.kernel.library.tiles import distribution
from layoutalg.kernel.obligations.limits import launchable
from layoutalg.kernel.program import (
    Barrier,
    Load,
    LoadShared,
    Program,
    Registers,
    Shared,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.layout import (
    LayoutError,
    PassThrough,
    TensorAdaptor,
    TensorDescriptor,
    TileDistribution,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.target.dtypes import DType

NAMES = ("row", "column")
LARGEST = (1 << 31) - 256
"""The largest size: one tile more still fits an int."""


def register_transpose(rows: int = 2560, columns: int = 32, dtype: str = "f32") -> Program:
    """The guide's transposition of a rows × columns matrix: four vectors of four elements a thread.

    LayoutError where a size is not a multiple of 32.
    """
    for name, size in (("M", rows), ("N", columns)):
        if size < 1 or size % 32:
            raise LayoutError(f"register transpose: {name} = {size} is no multiple of 32; use the LDS kernel")
    kind = dtype_named(dtype)
    # Rows: block of 8 threads × 4 elements; columns alike.  P0 walks down the columns, P1 along the row.
    tile = distribution(((8, 4), (8, 4)), (((1, 0),), ((2, 0),)), ((1, 1), (2, 1)))
    source, target = _tensors(as_expr(rows), as_expr(columns), kind)
    grid = (var("bx", rows // 32), var("by", columns // 32))
    threads = (var("tx", 8), var("ty", 8))
    tiles = _tiles((rows // 32, columns // 32))
    registers = Registers("tile", kind, tile)
    origin = (grid[0] * 32, grid[1] * 32)
    return Program(
        f"transpose_register_{dtype}_{rows}x{columns}",
        source, target, (), grid, threads, (threads[0], threads[1]), tiles, (32, 32),
        (Load(registers, source, origin, 1, guarded=False), Store(target, registers, origin, 0, guarded=False)),
    )  # fmt: skip


def lds_transpose(
    dtype: str = "f32",
    swizzle: str = "xor",
    vector: int | tuple[int, int] = 1,
    index_bits: int = 32,
    threads: int = 256,
    tile: tuple[int, int] = (64, 64),
    segment: int = SEGMENT,
) -> Program:
    """The transposition of any M × N matrix through a tile in LDS.

    `vector` elements move at a time between global memory and registers (loads, stores): N is then a multiple of the
    first and M of the second.  With 32 bits for indices, M·N must stay below 2³¹; with 64, M and N.
    A wave writes pieces of `segment` bytes.
    LayoutError where the threads do not divide the tile.
    """
    kind = dtype_named(dtype)
    loads, stores = (vector, vector) if isinstance(vector, int) else vector
    _refuse(kind, swizzle, (loads, stores), threads, tile, segment)
    rows, columns = tile
    m = symbol("M", min=1, max=LARGEST, multiple_of=stores)
    n = symbol("N", min=1, max=LARGEST, multiple_of=loads)
    source, target = _tensors(m, n, kind)
    counts = ((m + (rows - 1)) // rows, (n + (columns - 1)) // columns)
    grid = (var("bx", counts[1]), var("by", counts[0]))
    thread = (var("tx", threads),)
    words, layout = _lds_layout(swizzle, tile, loads, stores)
    lds = Shared("lds", kind, words)
    loaded = Registers("by_row", kind, _held(by_row(tile, threads, loads)))
    stored = Registers("by_column", kind, _held(by_column(tile, threads, stores, kind.bytes, segment)))
    origin = (grid[1] * rows, grid[0] * columns)
    moving = [1 if v > 1 else None for v in (loads, stores)]
    return Program(
        name_of(dtype, swizzle, (loads, stores), index_bits, threads, tile, segment),
        source, target, (m, n), grid, thread, thread, _tiles(counts, swapped=True), tile,
        (
            Load(loaded, source, origin, moving[0]),
            StoreShared(lds, layout, loaded, moving[0]),
            Barrier(),
            LoadShared(stored, lds, layout),
            Store(target, stored, origin, moving[1]),
        ),
        index_bits,
        all_of(m * n < 1 << 31 if index_bits == 32 else TRUE, launchable(counts[1] * counts[0], threads)),
        linear=True,
    )  # fmt: skip


def _refuse(
    kind: DType, swizzle: str, vectors: tuple[int, int], threads: int, tile: tuple[int, int], segment: int
) -> None:
    for width in vectors:
        if width * kind.bytes > 16 or width not in (1, 2, 4, 8):
            raise LayoutError(f"lds transpose: vectors of {width} {kind.name} elements; 1, 2, 4 … up to 16 bytes")
    if swizzle not in ("xor", "pad"):
        raise LayoutError(f"lds transpose: swizzle {swizzle!r} is neither 'xor' nor 'pad'")
    if not divides(tile, threads, vectors):
        raise LayoutError(f"lds transpose: {threads} threads do not divide a tile of {tile[0]} x {tile[1]}")
    if segment < 16 or segment & (segment - 1):
        raise LayoutError(f"lds transpose: pieces of {segment} bytes; give a power of two, at least 16")


def name_of(
    dtype: str, swizzle: str, vectors: tuple[int, int], index_bits: int, threads: int, tile: tuple[int, int],
    segment: int,
) -> str:  # fmt: skip
    """The name of the kernel that `lds_transpose` makes of these.

    >>> name_of("f32", "xor", (4, 4), 32, 512, (64, 64), 256)
    'transpose_lds_xor_f32_v4_64x64_t512_w256'
    """
    parts = ["transpose_lds", swizzle, dtype]
    if vectors != (1, 1):
        parts.append(f"v{vectors[0]}" if vectors[0] == vectors[1] else f"v{vectors[0]}x{vectors[1]}")
    if (tile, threads) != ((64, 64), 256):
        parts.append(f"{tile[0]}x{tile[1]}_t{threads}")
    if segment != SEGMENT:
        parts.append(f"w{segment}")
    return "_".join([*parts, *(["i64"] if index_bits == 64 else [])])


def _held(plane: Plane) -> TileDistribution:
    """The distribution of a plane over (row, column)."""
    thread, ys = ([(side + 1, minor) for side, minor in parts] for parts in (plane.thread, plane.ys))
    return distribution((plane.rows, plane.columns), (thread,), ys)


def _tensors(m: Expr, n: Expr, kind: DType) -> tuple[Tensor, Tensor]:
    """The source, and the target seen in the source's coordinates."""
    source = Tensor("source", kind, make_naive_tensor_descriptor((m, n), (n, 1)), NAMES)
    target = Tensor("target", kind, make_naive_tensor_descriptor((m, n), (1, m)), NAMES)
    return source, target


def _tiles(counts: Sequence[Term], swapped: bool = False) -> TensorAdaptor:
    """Tile numbers (row, column) of a block (x, y): x runs over rows, or (swapped) over columns."""
    order = [[1], [0]] if swapped else [[0], [1]]
    return make_single_stage_tensor_adaptor([PassThrough(as_expr(c)) for c in counts], [[0], [1]], order)


def _lds_layout(swizzle: str, tile: tuple[int, int], loads: int, stores: int) -> tuple[int, TensorDescriptor]:
    """Words and map of the tile in LDS, in coordinates (row, column)."""
    rows, columns = tile
    if swizzle == "pad":
        stride = columns + loads
        return rows * stride, make_naive_tensor_descriptor((rows, columns), (stride, 1))
    return rows * columns, swizzled(tile, loads, stores)
