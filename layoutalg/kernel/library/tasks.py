"""What to launch for given shapes: the program, its size arguments, the result's shape.

Programs are for all sizes; here the widest vectors that divide these sizes are chosen, the narrowest index type that
holds the tensors, and dimensions are merged where that changes nothing.

>>> task = permute_task((8, 64, 56, 56), (0, 2, 3, 1), "f16")
>>> task.program.name, task.sizes, task.shape
('permute_021_f16_v8x8_w256', {'D0': 8, 'D1': 64, 'D2': 3136}, (8, 56, 56, 64))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from layoutalg.kernel.library import permute, reduce, views
from layoutalg.kernel.library.choose import tuned_permutation
from layoutalg.kernel.library.contraction import contraction, merged, parse_einsum, sizes_of
from layoutalg.kernel.library.convolution import Windows, convolution, im2col
from layoutalg.kernel.library.copies import THREADS, TILE, dtype_named
from layoutalg.kernel.library.plans import Plan, Sizes, tuned
from layoutalg.kernel.library.staging import SEGMENT
from layoutalg.kernel.program import How, Program
from layoutalg.layout import LayoutError

FILLS = 120 * 1024
"""Threads that fill a GPU."""
PART, ONCE = 64, 1 << 18
"""Elements of a part of a row, and of a tensor that is cut into parts, at least."""
MOST_PARTS = 4096
"""Parts of a row: one block adds them up; a quarter where memory runs across rows, and a block has less of each."""


@dataclass(frozen=True)
class Task:
    """A launch: the program, its sizes by name, and the shape of what comes out."""

    program: Program
    sizes: Mapping[str, int]
    shape: tuple[int, ...]


def widest(dtype: str, *lengths: int) -> int:
    """The most elements that one access of at most 16 bytes moves, where it divides all lengths.

    >>> widest("f32", 12), widest("f16", 12), widest("f32", 7)
    (4, 4, 1)
    """
    most = 16 // dtype_named(dtype).bytes
    return next(w for w in (8, 4, 2, 1) if w <= most and all(n % w == 0 for n in lengths))


def bits_for(*elements: int) -> int:
    """The index type for tensors of so many elements."""
    return 32 if max(elements) < 1 << 31 else 64


def permute_task(shape: Sequence[int], axes: Sequence[int], dtype: str) -> Task:
    """numpy's transpose(x, axes)."""
    lengths, order = permute.merged(shape, axes)
    vectors = (widest(dtype, lengths[-1]), widest(dtype, lengths[order[-1]]))
    if len(lengths) == 1:
        vectors = (min(vectors),) * 2
    direct = order[-1] == len(order) - 1
    spans = permute.spans(lengths, order)
    tile = (TILE, TILE) if direct else permute.tile_for(lengths, order, spans)
    segment, threads = (SEGMENT, THREADS) if direct else tuned_permutation(dtype)
    threads = threads if tile[0] == tile[1] else THREADS
    program = permute.permute(order, dtype, vectors, bits_for(prod(shape)), spans, segment, threads, tile)
    return Task(program, _numbered("D", lengths), tuple(shape[a] for a in axes))


def pad_task(shape: Sequence[int], left: Sequence[int], right: Sequence[int], dtype: str) -> Task:
    """numpy's pad with zeros."""
    _same_rank("pad", shape, left, right)
    out = tuple(b + n + a for b, n, a in zip(left, shape, right, strict=True))
    return Task(views.pad(left, right, dtype, bits_for(prod(out))), _numbered("D", shape), out)


def slice_task(shape: Sequence[int], begin: Sequence[int], end: Sequence[int], dtype: str) -> Task:
    """x[begin[0]:end[0], …]."""
    _same_rank("slice", shape, begin, end)
    for d, (n, b, e) in enumerate(zip(shape, begin, end, strict=True)):
        if not 0 <= b < e <= n:
            raise LayoutError(
                f"slice: dimension {d} of length {n} has no elements {b}…{e - 1}; give 0 ≤ begin < end ≤ {n}"
            )
    kept = tuple(e - b for b, e in zip(begin, end, strict=True))
    rest = _numbered("R", [n - e for n, e in zip(shape, end, strict=True)])
    return Task(views.slices(begin, dtype, bits_for(prod(shape))), {**_numbered("D", kept), **rest}, kept)


def cast_task(shape: Sequence[int], source: str, target: str) -> Task:
    """Every element converted."""
    count = prod(shape)
    width = min(widest(source, count), widest(target, count))
    return Task(views.cast(source, target, width, bits_for(count)), {"D0": count}, tuple(shape))


def contraction_task(
    einsum: str,
    a: Sequence[int],
    b: Sequence[int],
    dtype: str,
    *,
    result: str | None = None,
    target: str = "cpu",
    bias: bool = False,
    relu: bool = False,
    name: str | None = None,
    plan: Plan | None = None,
) -> Task:
    """numpy's einsum of two operands, plus a bias for each column, then relu."""
    plain = parse_einsum(einsum)
    lengths = sizes_of(plain, a, b)
    letters = merged(plain)
    size = {x: prod(lengths[part] for part in x) for t in (letters.a, letters.b, letters.result) for x in t}
    shape = tuple(lengths[x] for x in plain.result)
    last = [size[t[-1]] if t else 1 for t in (letters.a, letters.b, letters.result)]
    widths = (widest(dtype, last[0]), widest(dtype, last[1]), widest(result or dtype, last[2]))
    kinds = letters.kinds[1:]
    if plan is None and all(kinds):
        each = [[size[x] for x in kind] for kind in kinds]
        sizes = Sizes((prod(each[0]), prod(each[1]), prod(each[2])), (each[0][-1], each[1][-1], each[2][-1]))
        plan = tuned("contraction", target, dtype, widths[:2], sizes)
    program = contraction(
        letters, dtype, result, target=target, plan=plan, widths=widths, bias=bias, relu=relu, name=name,
        index_bits=bits_for(prod(a), prod(b), prod(shape)),
    )  # fmt: skip
    return Task(program, {f"N_{x}": n for x, n in size.items()}, shape)


def convolution_task(
    image: Sequence[int], filter: Sequence[int], dtype: str, *, stride: Sequence[int], pad: Sequence[int],
    dilation: Sequence[int], groups: int = 1, result: str | None = None, target: str = "cpu", plan: Plan | None = None,
) -> Task:  # fmt: skip
    """Image N, H …, C and filter K, Y …, C of a group; the result N, Ho …, K."""
    rank = len(image) - 2
    if len(filter) != len(image) or not 1 <= rank <= 3:
        raise LayoutError(f"convolution: image {tuple(image)}, filter {tuple(filter)}; give N, H …, C and K, Y …, C")
    if 0 in (*image, *filter):
        raise LayoutError(f"convolution: image {tuple(image)}, filter {tuple(filter)}: a length is 0")
    channels, outputs = image[-1], filter[0]
    given = {"stride": stride, "dilation": dilation, "pad": pad}
    around = [each("convolution", name, values, rank) for name, values in given.items()]
    windows = Windows(tuple(filter[1:-1]), around[0], around[1], around[2], groups)
    if channels % groups or outputs % groups or filter[-1] * groups != channels:
        raise LayoutError(
            f"convolution: {channels} channels and {outputs} results in {groups} groups want a filter of "
            f"{channels // groups} channels; it has {filter[-1]}"
        )
    c, k = channels // groups, outputs // groups
    lengths = windows.outputs(image[1:-1])
    widths = (widest(dtype, c), widest(result or dtype, k))
    padded = prod(h + 2 * p for h, p in zip(image[1:-1], windows.pad, strict=True)) * image[0] * channels
    shape = (image[0], *lengths, outputs)
    m, depth = image[0] * prod(lengths), c * prod(windows.filter)
    plan = plan or tuned("conv", target, dtype, (widths[0], widths[0]), Sizes((m, k, depth), (0, k, c)))
    long = plan.direct and depth > plan.k * plan.stages  # lengths are constants of the program, or its sizes
    constant, fixed = (c, tuple(image[1:-1])) if long else (None, None)
    program = convolution(
        windows,
        dtype,
        result,
        target=target,
        plan=plan,
        channels=constant,
        fixed=fixed,
        widths=widths,
        index_bits=bits_for(padded, prod(filter), prod(shape)),
    )
    sizes = {"N": image[0], **_numbered("H", image[1:-1]), "C": c, "K": k}
    return Task(program, sizes, shape)


def im2col_task(
    image: Sequence[int], filter: Sequence[int], dtype: str, *, stride: Sequence[int], pad: Sequence[int],
    dilation: Sequence[int],
) -> Task:  # fmt: skip
    """Image N, H …, C; the matrix of all its windows of lengths Y …"""
    rank = len(image) - 2
    if 0 in image:
        raise LayoutError(f"im2col: image {tuple(image)} has a length of 0")
    given = {"filter": filter, "stride": stride, "dilation": dilation, "pad": pad}
    around = [each("im2col", name, values, rank) for name, values in given.items()]
    windows = Windows(around[0], around[1], around[2], around[3])
    shape = (image[0] * prod(windows.outputs(image[1:-1])), prod(windows.filter) * image[-1])
    program = im2col(windows, dtype, widest(dtype, image[-1]), bits_for(prod(shape), prod(image)))
    return Task(program, {"N": image[0], **_numbered("H", image[1:-1]), "C": image[-1]}, shape)


def reduce_tasks(
    shape: Sequence[int], axes: Sequence[int], how: How, dtype: str, result: str | None = None
) -> tuple[Task, ...]:
    """numpy's sum or max over axes; where rows are few, and long ones divide, in parts first."""
    lengths, kinds = reduce.merged(shape, axes)
    kept = tuple(n for d, n in enumerate(shape) if d not in axes)
    last = kinds.rindex("r")
    outer, length, inner = lengths[:last], lengths[last], lengths[last + 1 :]
    parts = _parts(kinds, lengths, dtype)
    if parts == 1:
        return (_reduction(kinds, lengths, how, (dtype, result or dtype), bits_for(prod(shape)), kept),)
    left = (*outer, parts, *inner)
    cut = (prod(outer) * parts, length // parts, *inner)
    return (
        _reduction("krk"[: len(cut)], cut, how, (dtype, "f32"), bits_for(prod(shape)), left),
        _reduction(kinds, left, how, ("f32", result or dtype), bits_for(prod(left)), kept),
    )


def _reduction(
    kinds: str, lengths: Sequence[int], how: How, dtypes: tuple[str, str], bits: int, shape: tuple[int, ...]
) -> Task:
    sharing = reduce.sharing_for(kinds, lengths, dtypes[0])
    program = reduce.reduction(kinds, how, dtypes[0], dtypes[1], bits, sharing)
    return Task(program, {f"N_{x}": n for x, n in zip(reduce.NAMES, lengths, strict=False)}, shape)


def _parts(kinds: str, lengths: Sequence[int], dtype: str) -> int:
    """Into how many parts the last reduced dimension is cut, where its rows are too few blocks to fill a GPU.

    A divisor, such that loads stay as wide; 1 for none.
    """
    rows = prod(n for n, kind in zip(lengths, kinds, strict=True) if kind == "k")
    sharing, length, along = reduce.sharing_for(kinds, lengths, dtype), lengths[kinds.rindex("r")], kinds[-1] == "r"
    threads = -(-rows // sharing.rows_of_block(kinds)) * sharing.threads
    if threads >= FILLS or length < 2 * PART or prod(lengths) < ONCE:
        return 1
    wide = widest(dtype, length) if along else 1
    a_row = sharing.threads // sharing.rows_of_block(kinds)
    wanted = min(length // PART, MOST_PARTS if along else MOST_PARTS // 4, -(-2 * FILLS // (rows * a_row)))
    return max(n for n in range(1, wanted + 1) if length % n == 0 and (not along or widest(dtype, length // n) == wide))


def each(what: str, name: str, values: Sequence[int], rank: int) -> tuple[int, ...]:
    """One number for each dimension; a single one counts for all."""
    if len(values) not in (1, rank):
        raise LayoutError(f"{what}: {name} {list(values)} for {rank} dimensions; give one number, or one for each")
    return tuple(values) if len(values) == rank else tuple(values) * rank


def _same_rank(what: str, shape: Sequence[int], *others: Sequence[int]) -> None:
    if 0 in shape or not shape:
        raise LayoutError(f"{what}: a tensor of shape {tuple(shape)} has no elements")
    for one in others:
        if len(one) != len(shape):
            raise LayoutError(f"{what}: {len(one)} numbers for a tensor of {len(shape)} dimensions; give one for each")


def _numbered(letter: str, lengths: Sequence[int]) -> dict[str, int]:
    return {f"{letter}{d}": n for d, n in enumerate(lengths)}


__all__ = [
    "Task", "bits_for", "cast_task", "contraction_task", "convolution_task", "im2col_task", "pad_task",
    "permute_task", "reduce_tasks", "slice_task", "widest",
]  # fmt: skip
