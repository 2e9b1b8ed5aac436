"""Matrix transposition: target[j, i] = source[i, j], by registers or through LDS.

Both move tiles between the source, a matrix M × N in coordinates (row, column), and the target seen in the same
coordinates: an N × M matrix whose descriptor has the strides (1, M).  So values that keep their coordinates are a
transposition.

* `register_transpose`: the AMD GPU programming guide's kernel: 8×8 threads, each with 4×4 elements, which it loads row
  by row and stores column by column.  Sizes are constants, multiples of the 32 × 32 tile.
* `lds_transpose`: a copy (`copies`) by a tile through LDS, so that loads and stores both run along memory.  For every
  M and N, guarded at the edges.  Against bank conflicts, LDS words are swizzled by xor, or rows padded by one vector.

* `straight_transpose`: the same, whose tiles come to LDS past the registers, by gfx942's and gfx950's loads to LDS.  A
  wave's lanes land one after the other, so a wave loads a row of 64 words; rows lie 65 words apart, and columns are
  read without bank conflicts.  M and N are of whole tiles: a lane that is off would leave what was in LDS.

Which one fits a matrix: the widest vectors that divide it, the narrowest index type, and the tile and the threads of
the first entry of `tuned.toml` for its class: bytes of an element, number of elements, vectors.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from layoutalg.index import TRUE, as_expr, symbol, var
from layoutalg.kernel.library.copies import Copy, dtype_named
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.fit import bits_for, widest
from layoutalg.kernel.library.options import DTYPE, INPUT, VECTOR
from layoutalg.kernel.library.staging import SEGMENT, divides
from layoutalg.kernel.library.tuned import table
from layoutalg.kernel.program import Load, Program, Registers, Store, Tensor
from layoutalg.kernel.program.fragments import encoded
from layoutalg.layout import (
    LayoutError,
    PassThrough,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.target.dtypes import KERNEL_DTYPES, DType

with lazy_imports():
    import numpy.typing as npt

FORMS = ("lds", "register", "straight")
NAMES = ("row", "column")
LARGEST = (1 << 31) - 256
"""The largest size: one tile more still fits an int."""


@dataclass(frozen=True)
class Blocks:
    """How a transposition is cut into blocks; as `lds_transpose` takes it."""

    tile: tuple[int, int] = (64, 64)
    threads: int = 256
    segment: int = SEGMENT


def register_transpose(rows: int = 2560, columns: int = 32, dtype: str = "f32") -> Program:
    """The guide's transposition of a rows × columns matrix: four vectors of four elements a thread.

    LayoutError where a size is not a multiple of 32.
    """
    for name, size in (("M", rows), ("N", columns)):
        if size < 1 or size % 32:
            raise LayoutError(f"register transpose: {name} = {size} is no multiple of 32; use the LDS kernel")
    kind = dtype_named(dtype)
    # Rows: block of 8 threads × 4 elements; columns alike.  P0 walks down the columns, P1 along the row.
    tile = encoded([], [[8, 4], [8, 4]], [[(1, 0)], [(2, 0)]], [(1, 1), (2, 1)])
    source = Tensor("source", kind, make_naive_tensor_descriptor((rows, columns), (columns, 1)), NAMES)
    target = Tensor("target", kind, make_naive_tensor_descriptor((rows, columns), (1, rows)), NAMES)
    grid = (var("bx", rows // 32), var("by", columns // 32))
    threads = (var("tx", 8), var("ty", 8))
    counts = [PassThrough(as_expr(n // 32)) for n in (rows, columns)]
    tiles = make_single_stage_tensor_adaptor(counts, [[0], [1]], [[0], [1]])
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
    vectors = (vector, vector) if isinstance(vector, int) else vector
    _refuse(dtype_named(dtype), swizzle, vectors, threads, tile, segment)
    m = symbol("M", min=1, max=LARGEST, multiple_of=vectors[1])
    n = symbol("N", min=1, max=LARGEST, multiple_of=vectors[0])
    return Copy(
        name_of(dtype, swizzle, vectors, index_bits, threads, tile, segment),
        make_naive_tensor_descriptor((m, n), (n, 1)), make_naive_tensor_descriptor((m, n), (1, m)), (m, n),
        (1, 0), vectors, (dtype, dtype), index_bits, m * n < 1 << 31 if index_bits == 32 else TRUE,
        segment=segment, threads=threads, tile=tile, names=NAMES, blocks=("by", "bx"),
        layout=_padded(tile, vectors[0]) if swizzle == "pad" else None,
    ).program()  # fmt: skip


def straight_transpose(dtype: str = "f32") -> Program:
    """The transposition of a matrix of whole 64 × 64 tiles, of elements of 4 bytes, which come straight to LDS."""
    kind = dtype_named(dtype)
    if kind.bytes != 4:
        raise LayoutError(f"straight transpose: {kind.name} elements of {kind.bytes} bytes; lanes load 4")
    m, n = (symbol(name, min=64, max=LARGEST, multiple_of=64) for name in "MN")
    return Copy(
        f"transpose_straight_{dtype}", make_naive_tensor_descriptor((m, n), (n, 1)),
        make_naive_tensor_descriptor((m, n), (1, m)), (m, n), (1, 0), dtypes=(dtype, dtype), requires=m * n < 1 << 31,
        threads=256, names=NAMES, blocks=("by", "bx"), layout=_padded((64, 64), 1), straight=True,
    ).program()  # fmt: skip


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


def _padded(tile: tuple[int, int], width: int) -> tuple[int, TensorDescriptor]:
    """Rows of a tile in LDS, each a vector longer than its elements."""
    stride = tile[1] + width
    return tile[0] * stride, make_naive_tensor_descriptor(tile, (stride, 1))


# --- which one fits ---------------------------------------------------------------------------------------------------


def transpose_for(rows: int, columns: int, dtype: str, kernel: str = "lds") -> Program:
    """The program that transposes a rows × columns matrix.

    >>> transpose_for(517, 301, "f32").name, transpose_for(4096, 4096, "f32").name
    ('transpose_lds_xor_f32_16x32_t128', 'transpose_lds_xor_f32_v4_64x128_t256_w256')
    """
    if kernel not in FORMS:
        raise LayoutError(f"no transposition kernel {kernel!r}: give one of {', '.join(FORMS)}")
    if kernel == "register":
        return register_transpose(rows, columns, dtype)
    if kernel == "straight":
        if rows % 64 or columns % 64:
            raise LayoutError(f"straight transpose: {rows} x {columns} is no multiple of 64 x 64; use the LDS kernel")
        return straight_transpose(dtype)
    vectors = widest(dtype, columns), widest(dtype, rows)
    return _made(dtype, "xor", vectors, bits_for(rows * columns), tuned(dtype, vectors, rows * columns))


def tuned(dtype: str, vectors: tuple[int, int], elements: int) -> Blocks:
    """The blocks of the first entry that fits."""
    for entry in table("transpose", dtype):
        if elements < entry.get("below", elements + 1) and entry.get("vectors", list(vectors)) == list(vectors):
            return _blocks(entry)
    return Blocks()


def _blocks(entry: dict[str, Any]) -> Blocks:
    tile = (entry["tile"][0], entry["tile"][1])
    return Blocks(tile, entry["threads"], entry.get("segment", SEGMENT))


def _made(dtype: str, swizzle: str, vectors: tuple[int, int], bits: int, blocks: Blocks) -> Program:
    return lds_transpose(dtype, swizzle, vectors, bits, blocks.threads, blocks.tile, blocks.segment)


def transpose_named(name: str) -> Program | None:
    """The transposition through LDS whose kernel has this name, of those that the library chooses; None otherwise.

    >>> transpose_named("transpose_lds_pad_f16_v2").tile, transpose_named("another")
    ((64, 64), None)
    """
    widths = (1, 2, 4, 8)
    shapes = dict.fromkeys((Blocks(), *map(_blocks, table("transpose"))))
    if name == "transpose_straight_f32":
        return straight_transpose()
    for dtype, swizzle, loads, stores, bits, b in product(
        KERNEL_DTYPES, ("xor", "pad"), widths, widths, (32, 64), shapes
    ):
        if name == name_of(dtype, swizzle, (loads, stores), bits, b.threads, b.tile, b.segment):
            return _made(dtype, swizzle, (loads, stores), bits, b)
    return None


def _emitted(target: str, dtype: str, kernel: str, swizzle: str, vector: int) -> Program:
    if kernel not in FORMS:
        raise LayoutError(f"no transposition kernel {kernel!r}: give one of {', '.join(FORMS)}")
    if kernel == "straight":
        return straight_transpose(dtype)
    return register_transpose(dtype=dtype) if kernel == "register" else lds_transpose(dtype, swizzle, vector)


def _work(target: str, dtype: str, input: npt.NDArray[Any], kernel: str) -> Work:
    rows, columns = input.shape
    program = transpose_for(rows, columns, dtype, kernel)
    sizes = {"M": rows, "N": columns} if program.sizes else {}
    return Work([input], (Task(program, sizes, (columns, rows)),), lambda: input.T)


FORM = Option("kernel", "text", "Which transposition: lds, register or straight.", "lds")
SWIZZLE = Option("swizzle", "text", "LDS layout: xor or pad.", "xor")
KERNELS = (
    Kernel(
        "transpose",
        Command("The transpose of a matrix.", _emitted, (DTYPE, FORM, SWIZZLE, VECTOR)),
        Command("The transpose of a matrix.", _work, (replace(INPUT, rank=2), FORM)),
        golden={
            "transpose_register": register_transpose,
            "transpose_lds": lambda: lds_transpose(vector=4),
            "transpose_straight": straight_transpose,
        },
        named=transpose_named,
    ),
)
