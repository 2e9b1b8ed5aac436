"""Reductions: target[m] = Σₖ source[m, k], or the greatest, over any dimensions, summed in f32.

The kept dimensions are merged into m, the others into k, by the source's descriptor; no data is moved to do so.  A
block has 256 rows, one a thread.  Tiles of 256 × 16 are loaded along memory, pass through LDS (rows padded by a word,
so that threads read down a column without conflicts), and each thread takes in its own row.

    rows m: thread tx of the block            k: loop over tiles of 16, then 16 registers

Long rows are better cut into parts first: `shape (m, k)` → `(m, c, k / c)`, reduced twice (`tasks.reduce_tasks`).
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import TRUE, Expr, all_of, as_expr, prod, symbol, var
from layoutalg.kernel.dtypes import DTYPES
from layoutalg.kernel.fragments import encoded
from layoutalg.kernel.library.contraction import saying, view
from layoutalg.kernel.library.copies import LARGEST, dtype_named
from layoutalg.kernel.program import (
    Barrier,
    Clear,
    Fold,
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
from layoutalg.kernel.statements import How
from layoutalg.layout import LayoutError, PassThrough, make_naive_tensor_descriptor, make_single_stage_tensor_adaptor

ROWS, STEP = 256, 16
NAMES = "abcdefgh"


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
    kinds: str, how: How = "sum", dtype: str = "f32", result: str | None = None, index_bits: int = 32
) -> Program:
    """The reduction of any tensor whose dimensions are kept (k) or reduced (r): sizes N_a, N_b …

    >>> reduction("krk").name
    'reduce_sum_krk_f32'
    """
    if how not in ("sum", "max"):
        raise LayoutError(f"reduce: {how!r}; give sum or max")
    if not kinds or set(kinds) - {"k", "r"} or "r" not in kinds or len(kinds) > len(NAMES):
        raise LayoutError(f"reduce: {kinds!r}; give k (kept) and r (reduced), at most {len(NAMES)}, one r at least")
    letters = tuple(NAMES[: len(kinds)])
    size: dict[str, Expr] = {x: symbol(f"N_{x}", min=1, max=LARGEST) for x in letters}
    kept, gone = (tuple(x for x, kind in zip(letters, kinds, strict=True) if kind == k) for k in "kr")
    result = result or dtype
    kind, out, f32 = dtype_named(dtype), dtype_named(result), DTYPES["f32"]
    source = Tensor("source", kind, view(letters, (kept, gone), size), ("m", "k"))
    rows, depth = source.descriptor.lengths
    target = Tensor("target", out, make_naive_tensor_descriptor((rows,), (1,)), ("m",))
    count = (depth + (STEP - 1)) // STEP
    block, thread, k = var("bm", (rows + (ROWS - 1)) // ROWS), var("tx", ROWS), var("kt", count)
    along_k = kinds[-1] == "r"
    lanes, down = (STEP, ROWS // STEP) if along_k else (ROWS, 1)
    tile = encoded(
        [], [[ROWS // down, down], [lanes]] if along_k else [[lanes], [STEP // down, down]],
        [[(1, 1), (2, 0)]] if along_k else [[(2, 1), (1, 0)]], [(1, 0) if along_k else (2, 0)],
    )  # fmt: skip
    loaded = Registers("loaded", kind, tile)
    row = Registers("row", kind, encoded([], [[ROWS], [STEP]], [[(1, 0)]], [(2, 0)]))
    sums = Registers("taken", f32, encoded([], [[ROWS]], [[(1, 0)]], []))
    layout = make_naive_tensor_descriptor((ROWS, STEP), (STEP + 1, 1))
    lds = Shared("lds", kind, ROWS * (STEP + 1), slots=2)
    zero = as_expr(0)

    def load(at: Expr) -> Load:
        return Load(loaded, source, (block * ROWS, at), fill=how)

    body = (
        Clear(sums, how),
        load(zero),
        StoreShared(lds, layout, loaded),
        Loop(
            k,
            (
                Barrier(),
                load((k + 1) * STEP),
                LoadShared(row, lds, layout, slot=k % 2),
                Fold(sums, row, how),
                StoreShared(lds, layout, loaded, slot=(k + 1) % 2),
            ),
        ),
        Store(target, sums, (block * ROWS,)),
    )
    tiles = make_single_stage_tensor_adaptor([PassThrough((rows + (ROWS - 1)) // ROWS)], [[0]], [[0]])
    few = prod(list(size.values())) < 1 << (index_bits - 1)
    merges = [prod([size[x] for x in group]) <= LARGEST for group in (kept, gone) if len(group) > 1]
    say = saying(letters, (kept, gone), size)
    kinds_text = f"{dtype}{'' if result == dtype else f'_{result}'}{'_i64' if index_bits == 64 else ''}"
    return Program(
        f"reduce_{how}_{kinds}_{kinds_text}", f"the {'sum' if how == 'sum' else 'greatest'} over the dimensions "
        f"r of {kinds}, for any sizes", source, target, tuple(size.values()), (block,), (thread,), (thread,),
        tiles, (ROWS,), body, index_bits, all_of(few, *merges) if few is not TRUE else all_of(*merges),
        Reduce(source, how), says=(say(source),), linear=True,
    )  # fmt: skip
