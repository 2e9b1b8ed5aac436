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

from layoutalg.index import TRUE, Expr, Term, as_expr, symbol, var
from layoutalg.kernel.dtypes import DTYPES, DType
from layoutalg.kernel.library.tiles import distribution
from layoutalg.kernel.program import Barrier, Load, LoadShared, Program, Registers, Shared, Store, StoreShared, Tensor
from layoutalg.layout import (
    LayoutError,
    Merge,
    PassThrough,
    TensorAdaptor,
    TensorDescriptor,
    Xor,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)

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
    kind = _dtype(dtype)
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
        f"target[j, i] = source[i, j] for a {rows} x {columns} matrix, 4 x 4 elements a thread in registers",
        source, target, (), grid, threads, (threads[0], threads[1]), tiles, (32, 32),
        (Load(registers, source, origin, 1, guarded=False), Store(target, registers, origin, 0, guarded=False)),
    )  # fmt: skip


def lds_transpose(
    dtype: str = "f32", swizzle: str = "xor", vector: int = 1, index_bits: int = 32, threads: int = 256
) -> Program:
    """The transposition of any M × N matrix through a 64×64 tile in LDS.

    `vector` elements move at a time between global memory and registers; M and N must then be multiples of it.
    With 32 bits for indices, M·N must stay below 2³¹; with 64, M and N.
    """
    kind = _dtype(dtype)
    if vector * kind.bytes > 16 or vector not in (1, 2, 4, 8):
        raise LayoutError(f"lds transpose: vectors of {vector} {dtype} elements; 1, 2, 4 … up to 16 bytes")
    if swizzle not in ("xor", "pad"):
        raise LayoutError(f"lds transpose: swizzle {swizzle!r} is neither 'xor' nor 'pad'")
    m, n = (symbol(name, min=1, max=LARGEST, multiple_of=vector) for name in ("M", "N"))
    source, target = _tensors(m, n, kind)
    counts = ((m + 63) // 64, (n + 63) // 64)
    grid = (var("bx", counts[1]), var("by", counts[0]))
    thread = (var("tx", threads),)
    lanes = 64 // vector  # threads along a row
    down = threads // lanes
    by_row = distribution(((64 // down, down), (lanes, vector)), (((1, 1), (2, 0)),), ((1, 0), (2, 1)))
    by_column = distribution(((lanes, vector), (64 // down, down)), (((2, 1), (1, 0)),), ((2, 0), (1, 1)))
    words, layout = _lds_layout(swizzle, vector)
    lds = Shared("lds", kind, words)
    loaded, stored = Registers("by_row", kind, by_row), Registers("by_column", kind, by_column)
    origin = (grid[1] * 64, grid[0] * 64)
    moving = 1 if vector > 1 else None
    return Program(
        f"transpose_lds_{swizzle}_{dtype}{f'_v{vector}' if vector > 1 else ''}{'_i64' if index_bits == 64 else ''}",
        f"target[j, i] = source[i, j] for any M x N matrix, 64 x 64 tiles through LDS ({_SAYS[swizzle]})",
        source, target, (m, n), grid, thread, thread, _tiles(counts, swapped=True), (64, 64),
        (
            Load(loaded, source, origin, moving),
            StoreShared(lds, layout, loaded, moving),
            Barrier(),
            LoadShared(stored, lds, layout),
            Store(target, stored, origin, moving),
        ),
        index_bits,
        m * n < 1 << 31 if index_bits == 32 else TRUE,
    )  # fmt: skip


_SAYS = {"xor": "words swizzled by xor", "pad": "rows padded by a vector"}


def _dtype(name: str) -> DType:
    if name not in DTYPES:
        raise LayoutError(f"no kernel for {name} elements; there are {', '.join(DTYPES)}")
    return DTYPES[name]


def _tensors(m: Expr, n: Expr, kind: DType) -> tuple[Tensor, Tensor]:
    """The source, and the target seen in the source's coordinates."""
    source = Tensor("source", kind, make_naive_tensor_descriptor((m, n), (n, 1)), NAMES)
    target = Tensor("target", kind, make_naive_tensor_descriptor((m, n), (1, m)), NAMES)
    return source, target


def _tiles(counts: Sequence[Term], swapped: bool = False) -> TensorAdaptor:
    """Tile numbers (row, column) of a block (x, y): x runs over rows, or (swapped) over columns."""
    order = [[1], [0]] if swapped else [[0], [1]]
    return make_single_stage_tensor_adaptor([PassThrough(as_expr(c)) for c in counts], [[0], [1]], order)


def _lds_layout(swizzle: str, vector: int) -> tuple[int, TensorDescriptor]:
    """Words and map of the tile in LDS, in coordinates (row, column)."""
    if swizzle == "pad":
        stride = 64 + vector
        return 64 * stride, make_naive_tensor_descriptor((64, 64), (stride, 1))
    groups = 64 // vector
    packed = make_naive_tensor_descriptor((64, groups, vector), (64, vector, 1))
    rows, columns, elements = as_expr(64), as_expr(groups), as_expr(vector)
    mixed = transform_tensor_descriptor(
        packed, [Xor((rows, columns)), PassThrough(elements)], [[0, 1], [2]], [[0, 1], [2]]
    )
    layout = transform_tensor_descriptor(
        mixed, [PassThrough(rows), Merge((columns, elements))], [[0], [1, 2]], [[0], [1]]
    )
    return 64 * 64, layout
