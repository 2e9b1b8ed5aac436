"""Reductions: target[m] = Σₖ source[m, k], or the greatest, over any dimensions, summed in f32.

The kept dimensions are merged into m, the others into k, by the source's descriptor; no data is moved to do so.
Several threads share a row.  Each adds up a part of it in registers, loading vectors along memory; the parts pass
through LDS, and one thread adds those of a row:

| memory runs along | a load's lanes and vector | parts of a row                  | in LDS                  |
|-------------------|---------------------------|---------------------------------|-------------------------|
| k                 | along the row             | the lanes of the row            | rows of parts, swizzled |
| m                 | across rows               | groups of threads, each other k | columns of parts        |

So a sum is taken in another order than one after another.  Where rows are too few to fill a GPU they are better cut
into parts first: `shape (m, k)` → `(m, c, k / c)`, reduced twice (`reduce_tasks`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from layoutalg.index import Expr, all_of, prod, symbol, var
from layoutalg.kernel.library.copies import LARGEST, dtype_named
from layoutalg.kernel.library.einsum import elements_of, view
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.fit import bits_for, widest
from layoutalg.kernel.library.options import DTYPE, HOW, INPUT, RESULT, RESULT_OF, VECTOR
from layoutalg.kernel.library.sharing import MOST_PARTS, WAVE, Sharing, Tiles, rows_of, tiles_along_k, tiles_along_m
from layoutalg.kernel.obligations.limits import launchable
from layoutalg.kernel.program import (
    Barrier,
    Clear,
    Fold,
    How,
    Load,
    LoadShared,
    Loop,
    Program,
    Reduce,
    Registers,
    Shared,
    Store,
    StoreShared,
    Tensor,
)
from layoutalg.layout import (
    LayoutError,
    PassThrough,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES
from layoutalg.target.elements import numbers

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

NAMES = "abcdefgh"
LONG = 2048
"""Vectors of a row from which on so many threads share it."""
WHOLE, BY_WAVES = 1024, ("sm_90",)
"""Vectors of a row from which on a block shares it, whose waves add up its parts, and where that was measured."""
FILLS = 120 * 1024
"""Threads that fill a GPU."""
PART, ONCE = 64, 1 << 18
"""Elements of a part of a row, and of a tensor that is cut into parts, at least."""
MOST_CUTS = 4096
"""Parts of a row: one block adds them up; a quarter where memory runs across rows, and a block has less of each."""


def merged(shape: Sequence[int], axes: Sequence[int]) -> tuple[tuple[int, ...], str]:
    """The same reduction with the fewest dimensions: lengths, and for each k (kept) or r (reduced).

    >>> merged((4, 5, 6, 7), (1, 2))
    ((4, 30, 7), 'krk')
    """
    if not shape or 0 in shape:
        raise LayoutError(f"reduce: a tensor of shape {tuple(shape)} has no elements")
    wrong = [a for a in axes if not 0 <= a < len(shape)]
    if wrong or len(set(axes)) != len(axes) or not axes:
        raise LayoutError(f"reduce: axes {list(axes)} of a tensor of {len(shape)} dimensions; give each once, from 0")
    lengths, kinds = list[int](), ""
    for d, n in enumerate(shape):
        kind = "r" if d in axes else "k"
        if kinds.endswith(kind):
            lengths[-1] *= n
        else:
            lengths.append(n)
            kinds += kind
    return tuple(lengths), kinds


def reduction(
    kinds: str, how: How = "sum", dtype: str = "f32", result: str | None = None, index_bits: int = 32,
    sharing: Sharing | None = None,
) -> Program:  # fmt: skip
    """The reduction of any tensor whose dimensions are kept (k) or reduced (r): sizes N_a, N_b …

    The last size is a multiple of `sharing.vector`.

    >>> reduction("krk").name
    'reduce_sum_krk_f32_64x16_p4'
    """
    if how not in ("sum", "max"):
        raise LayoutError(f"reduce: {how!r}; give sum or max")
    if not kinds or set(kinds) - {"k", "r"} or "r" not in kinds or len(kinds) > len(NAMES):
        raise LayoutError(f"reduce: {kinds!r}; give k (kept) and r (reduced), at most {len(NAMES)}, one r at least")
    sharing = sharing or (Sharing() if kinds[-1] == "r" else Sharing(4))
    letters = tuple(NAMES[: len(kinds)])
    multiples = [1] * (len(kinds) - 1) + [sharing.vector]
    size: dict[str, Expr] = {
        x: symbol(f"N_{x}", min=1, max=LARGEST, multiple_of=n) for x, n in zip(letters, multiples, strict=True)
    }
    kept, gone = (tuple(x for x, kind in zip(letters, kinds, strict=True) if kind == k) for k in "kr")
    result = result or dtype
    kind, out, f32 = dtype_named(dtype), dtype_named(result), DTYPES["f32"]
    tiles = tiles_along_k(sharing, kind) if kinds[-1] == "r" else tiles_along_m(sharing, kind)
    source = Tensor("source", kind, view(letters, (kept, gone), size), ("m", "k"))
    rows, depth = source.descriptor.lengths
    target = Tensor("target", out, make_naive_tensor_descriptor((rows,), (1,)), ("m",))
    blocks = (rows + (tiles.rows - 1)) // tiles.rows
    block, thread = var("bm", blocks), var("tx", sharing.threads)
    k = var("kt", (depth + (tiles.step - 1)) // tiles.step)
    loaded = Registers("loaded", kind, tiles.loaded)
    partial, parts = Registers("partial", f32, tiles.partial), Registers("parts", f32, tiles.parts)
    lanes = WAVE if sharing.by_wave else 1
    taken = Registers("taken", f32, rows_of(tiles.rows, sharing.threads, lanes))
    lds = Shared("lds", f32, tiles.words)
    body = (
        Clear(partial, how),
        Loop(k, (Load(loaded, source, (block * tiles.rows, k * tiles.step), tiles.vector, fill=how,
                      once=sharing.by_wave),
                 Fold(partial, loaded, how))),
        StoreShared(lds, tiles.layout, partial, tiles.stored),
        Barrier(),
        LoadShared(parts, lds, tiles.layout, tiles.read),
        Clear(taken, how),
        Fold(taken, parts, how, tuple(1 << n for n in range(lanes.bit_length() - 1))),
        Store(target, taken, (block * tiles.rows,)),
    )  # fmt: skip
    few = prod(list(size.values())) < 1 << (index_bits - 1)
    merges = [prod([size[x] for x in group]) <= LARGEST for group in (kept, gone) if len(group) > 1]
    named = elements_of(letters, (kept, gone), size)
    return Program(
        _name(kinds, how, (dtype, result), index_bits, sharing, tiles),
        source, target, tuple(size.values()), (block,), (thread,), (thread,),
        make_single_stage_tensor_adaptor([PassThrough(blocks)], [[0]], [[0]]), (tiles.rows,), body, index_bits,
        all_of(few, *merges, launchable(blocks, sharing.threads)), Reduce(source, how), element_maps=(named(source),),
        linear=True,
    )  # fmt: skip


def sharing_for(kinds: str, lengths: Sequence[int], dtype: str, target: str = "cpu") -> Sharing:
    """How rows are best shared, for these lengths (figures: benchmarks/gpu/RESULTS.md).

    >>> sharing_for("kr", (8192, 8192), "f32").parts, sharing_for("kr", (8192, 8192), "f32", "sm_90").parts
    (64, 256)
    """
    bytes_each = dtype_named(dtype).bytes
    vector = next(w for w in (8, 4, 2, 1) if w * bytes_each <= 16 and lengths[-1] % w == 0)
    depth = math.prod(n for n, kind in zip(lengths, kinds, strict=True) if kind == "r")
    rows = math.prod(n for n, kind in zip(lengths, kinds, strict=True) if kind == "k")
    if kinds[-1] == "r":
        vectors = -(-depth // vector)
        if target in BY_WAVES and vectors >= WHOLE and rows * Sharing.threads >= 2 * FILLS:
            return Sharing(Sharing.threads, vector, 2, by_wave=True)
        shared = vectors >= LONG and rows * MOST_PARTS >= 4 * FILLS  # long rows, and so many that there are enough
        parts = min(max(4, _power(vectors)), MOST_PARTS if shared else 128 // bytes_each)
        unroll = min(4, _power(-(-vectors // parts)))
        return Sharing(parts, vector, unroll, 4 // unroll)
    if bytes_each == 4 and rows < 264 * 64 and rows >= 96 * 64 and vector > 1 and depth >= 512:
        return Sharing(64, vector, 8, 1, 1024)
    parts = min(max(vector, _power(depth)), 4 * vector)
    return Sharing(parts, vector, min(2 * bytes_each, _power(-(-depth // parts))), 1)


def _power(n: int) -> int:
    """The least power of two that is at least n."""
    return 1 << (n - 1).bit_length()


def _name(kinds: str, how: How, dtypes: tuple[str, str], index_bits: int, sharing: Sharing, tiles: Tiles) -> str:
    dtype, result = dtypes
    wide = f"_v{sharing.vector}" if sharing.vector > 1 else ""
    threads = f"_t{sharing.threads}" if sharing.threads != Sharing.threads else ""
    threads += "_waves" if sharing.by_wave else ""
    return (f"reduce_{how}_{kinds}_{dtype}{'' if result == dtype else f'_{result}'}{wide}_{tiles.rows}x{tiles.step}"
            f"_p{sharing.parts}{threads}{'_i64' if index_bits == 64 else ''}")  # fmt: skip


# --- launches and entries ---------------------------------------------------------------------------------------------


def reduce_tasks(
    shape: Sequence[int], axes: Sequence[int], how: How, dtype: str, result: str | None = None, target: str = "cpu"
) -> tuple[Task, ...]:
    """numpy's sum or max over axes; where rows are few, and long ones divide, in parts first."""
    lengths, kinds = merged(shape, axes)
    kept = tuple(n for d, n in enumerate(shape) if d not in axes)
    last = kinds.rindex("r")
    outer, length, inner = lengths[:last], lengths[last], lengths[last + 1 :]
    parts = _parts(kinds, lengths, dtype, target)
    if parts == 1:
        return (_reduction(kinds, lengths, how, (dtype, result or dtype), bits_for(math.prod(shape)), kept, target),)
    left = (*outer, parts, *inner)
    cut = (math.prod(outer) * parts, length // parts, *inner)
    return (
        _reduction("krk"[: len(cut)], cut, how, (dtype, "f32"), bits_for(math.prod(shape)), left, target),
        _reduction(kinds, left, how, ("f32", result or dtype), bits_for(math.prod(left)), kept, target),
    )


def _reduction(
    kinds: str,
    lengths: Sequence[int],
    how: How,
    dtypes: tuple[str, str],
    bits: int,
    shape: tuple[int, ...],
    target: str,
) -> Task:
    sharing = sharing_for(kinds, lengths, dtypes[0], target)
    program = reduction(kinds, how, dtypes[0], dtypes[1], bits, sharing)
    return Task(program, {f"N_{x}": n for x, n in zip(NAMES, lengths, strict=False)}, shape)


def _parts(kinds: str, lengths: Sequence[int], dtype: str, target: str) -> int:
    """Into how many parts the last reduced dimension is cut, where its rows are too few blocks to fill a GPU.

    A divisor, such that loads stay as wide; 1 for none.
    """
    rows = math.prod(n for n, kind in zip(lengths, kinds, strict=True) if kind == "k")
    sharing, length, along = sharing_for(kinds, lengths, dtype, target), lengths[kinds.rindex("r")], kinds[-1] == "r"
    threads = -(-rows // sharing.rows_of_block(kinds)) * sharing.threads
    if threads >= FILLS or length < 2 * PART or math.prod(lengths) < ONCE:
        return 1
    wide = widest(dtype, length) if along else 1
    a_row = sharing.threads // sharing.rows_of_block(kinds)
    wanted = min(length // PART, MOST_CUTS if along else MOST_CUTS // 4, -(-2 * FILLS // (rows * a_row)))
    return max(n for n in range(1, wanted + 1) if length % n == 0 and (not along or widest(dtype, length // n) == wide))


def _known(how: str) -> How:
    if how not in ("sum", "max"):
        raise LayoutError(f"--how {how!r}: give sum or max")
    return "sum" if how == "sum" else "max"


def _emitted(target: str, kinds: str, how: str, dtype: str, result: str | None, vector: int) -> Program:
    long = [4096] * (len(kinds) - 1) + [4097 * vector]  # rows long enough to be shared, whose vectors are no wider
    sharing = (
        sharing_for(kinds, long, dtype, target) if set(kinds) <= {"k", "r"} and "r" in kinds and vector > 0 else None
    )
    known = _known(how)
    if vector != 1 and (sharing is None or sharing.vector != vector):
        raise LayoutError(f"--vector {vector}: give 1, 2, 4 or 8, up to 16 bytes")
    return reduction(kinds, known, dtype, result, sharing=sharing)


def _work(
    target: str, dtype: str, input: npt.NDArray[Any], axes: tuple[int, ...], how: str, result: str | None
) -> Work:
    def wide() -> npt.NDArray[Any]:
        found: npt.NDArray[Any] = numbers(input, KERNEL_DTYPES[dtype]).astype(np.float64)
        return found

    return Work(
        [input], reduce_tasks(input.shape, axes, _known(how), dtype, result, target),
        lambda: wide().sum(axis=axes) if how == "sum" else wide().max(axis=axes), exact=False,
        size=lambda: float(np.abs(wide()).sum(axis=axes).max()) if how == "sum" else 0.0,
    )  # fmt: skip


WHICH = Option("kinds", "text", "Each dimension kept (k) or reduced (r): kr.", "kr")
AXES = Option("axes", "integers", "The dimensions to reduce: 0,2.")
KERNELS = (
    Kernel(
        "reduce",
        Command("The sum or the greatest over dimensions.", _emitted, (WHICH, HOW, DTYPE, RESULT, VECTOR)),
        Command("The sum or the greatest over dimensions.", _work, (INPUT, AXES, HOW, RESULT_OF)),
        golden={
            "reduce_sum": lambda: reduction("kr", sharing=sharing_for("kr", (4096, 4096), "f32")),
            "reduce_max": lambda: reduction("rk", "max", "f16", sharing=sharing_for("rk", (4096, 4096), "f16")),
        },
    ),
)
