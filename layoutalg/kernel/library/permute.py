"""Permutation of a tensor's dimensions, for all sizes: what can be merged is merged, the rest is a copy.

`target = transpose(source, axes)` as numpy has it.  Dimensions of length 1 vanish, and neighbours that stay neighbours
in order become one, so that (0, 2, 3, 1) of a 4-D tensor is (0, 2, 1) of a 3-D one: NCHW → NHWC is a batch of plain
transpositions.  What is left runs by one program, for any sizes, proved once.

    shape (8, 64, 56, 56), axes (0, 2, 3, 1)   →   shape (8, 64, 3136), axes (0, 2, 1)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from layoutalg.index import TRUE, Expr, all_of, prod, symbol, var
from layoutalg.index.radix import horner
from layoutalg.kernel.library.copies import LARGEST, THREADS, TILE, Copy, Elements, packed_strides
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.fit import bits_for, numbered, widest
from layoutalg.kernel.library.options import DTYPE, INPUT, VECTOR
from layoutalg.kernel.library.staging import SEGMENT
from layoutalg.kernel.library.tuned import table
from layoutalg.kernel.program import Program
from layoutalg.layout import (
    LayoutError,
    Merge,
    PassThrough,
    TensorDescriptor,
    Transform,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import numpy.typing as npt

MOST_DIMENSIONS = 8
WELL = 0.9
"""The part of a tile that must be filled; below it, tiles run over more dimensions."""
SHORT = (16, 256)
"""A tile of which one side is short."""


def merged(shape: Sequence[int], axes: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The same permutation with the fewest dimensions: shape and axes.

    >>> merged((8, 64, 56, 56), (0, 2, 3, 1))
    ((8, 64, 3136), (0, 2, 1))
    >>> merged((5, 1, 7), (2, 1, 0)), merged((2, 3), (0, 1))
    (((5, 7), (1, 0)), ((6,), (0,)))
    """
    check(shape, axes)
    kept = [a for a in axes if shape[a] > 1] or [axes[0]]
    order = sorted(kept)
    groups: list[list[int]] = []
    for a in kept:
        joins = groups and order.index(a) == order.index(groups[-1][-1]) + 1
        if joins:
            groups[-1].append(a)
        else:
            groups.append([a])
    by_source = sorted(groups)
    lengths = []
    for group in by_source:
        total = 1
        for a in group:
            total *= shape[a]
        lengths.append(total)
    return tuple(lengths), tuple(by_source.index(group) for group in groups)


def spans(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, int]:
    """How many of the source's and of the target's last dimensions a tile should run over, so that it is well filled.

    The worse filled side takes in its next dimension, if that is not the other side's.

    >>> spans((16, 24, 32, 40, 48), (4, 3, 2, 1, 0)), spans((64, 64, 64), (2, 1, 0)), spans((8, 24, 20), (2, 1, 0))
    ((2, 2), (1, 1), (1, 2))
    """
    orders = (tuple(range(len(axes))), tuple(axes))
    counts = [1, 1]
    if axes[-1] == len(axes) - 1:
        return 1, 1
    while True:
        groups = [order[-n:] for order, n in zip(orders, counts, strict=True)]
        grows = [
            n < len(axes) and orders[side][-n - 1] not in groups[1 - side] and _filled(shape, groups[side]) < WELL
            for side, n in enumerate(counts)
        ]
        if not any(grows):
            return counts[0], counts[1]
        counts[min((side for side in (0, 1) if grows[side]), key=lambda side: _filled(shape, groups[side]))] += 1


def tile_for(shape: Sequence[int], axes: Sequence[int], spans: tuple[int, int]) -> tuple[int, int]:
    """A tile's lengths along the target's and the source's memory: longer along one where the other is short.

    >>> tile_for((16, 24, 32, 40, 48), (3, 2, 1, 4, 0), (2, 1)), tile_for((64, 64, 64), (2, 1, 0), (1, 1))
    ((16, 256), (64, 64))
    """
    groups = (tuple(axes[-spans[1] :]), tuple(range(len(axes))[-spans[0] :]))
    short = [math.prod(shape[d] for d in group) <= TILE // 2 for group in groups]
    if short[0] == short[1]:
        return TILE, TILE
    return SHORT if short[0] else SHORT[::-1]


def _filled(shape: Sequence[int], group: Sequence[int]) -> float:
    """Which part of its tiles a coordinate of these dimensions fills."""
    length = math.prod(shape[d] for d in group)
    return length / (-(-length // TILE) * TILE)


def check(shape: Sequence[int], axes: Sequence[int]) -> None:
    """LayoutError unless the axes are a permutation of the shape's dimensions, of which there are at most 8."""
    if len(shape) > MOST_DIMENSIONS:
        raise LayoutError(f"permute: {len(shape)} dimensions; at most {MOST_DIMENSIONS} are permuted")
    if sorted(axes) != list(range(len(shape))):
        wanted = ",".join(map(str, range(len(shape))))
        raise LayoutError(f"permute: axes {','.join(map(str, axes))} are no order of the dimensions {wanted}")
    if not shape or 0 in shape:
        raise LayoutError(f"permute: a tensor of shape {tuple(shape)} has no elements to permute")


def permute(
    axes: Sequence[int], dtype: str = "f32", vectors: tuple[int, int] = (1, 1), index_bits: int = 32,
    spans: tuple[int, int] = (1, 1), segment: int = SEGMENT, threads: int = THREADS,
    tile: tuple[int, int] = (TILE, TILE),
) -> Program:  # fmt: skip
    """The permutation of any tensor of the axes' rank; sizes D0, D1 … are the source's lengths.

    With vectors (v, w), the source's last length is a multiple of v, the target's of w.  With spans (s, t), tiles run
    over the source's last s dimensions as one, and over the target's last t; LayoutError where one is in both.  Where
    memory runs another way in the target, a wave writes pieces of `segment` bytes, and a tile has those lengths along
    the target's and along the source's.

    >>> permute((0, 2, 1)).name, permute((3, 2, 1, 0), spans=(2, 2)).name
    ('permute_021_f32', 'permute_3210_f32_s2x2')
    """
    check([2] * len(axes), axes)
    rank, last = len(axes), axes[-1]
    multiples = [1] * rank
    multiples[-1], multiples[last] = max(multiples[-1], vectors[0]), max(multiples[last], vectors[1])
    if last == rank - 1:
        multiples[-1] = max(vectors)
    sizes = tuple(symbol(f"D{n}", min=1, max=LARGEST, multiple_of=m) for n, m in enumerate(multiples))
    groups = Groups.of(axes, spans)
    strides = dict(zip(axes, packed_strides([sizes[a] for a in axes]), strict=True))
    letters = tuple(var(f"i{n}", size) for n, size in enumerate(sizes))
    wide = f"_v{vectors[0]}x{vectors[1]}" if max(vectors) > 1 else ""
    spanning = f"_s{spans[0]}x{spans[1]}" if max(spans) > 1 else ""
    launched = f"{f'_w{segment}' if segment != SEGMENT else ''}{f'_t{threads}' if threads != THREADS else ''}"
    if tile != (TILE, TILE):
        spanning += f"_{tile[0]}x{tile[1]}"
    merges = [prod([sizes[d] for d in group]) <= LARGEST for group in groups.all if len(group) > 1]
    return Copy(
        f"permute_{''.join(map(str, axes))}_{dtype}{wide}{spanning}{launched}{'_i64' if index_bits == 64 else ''}",
        groups.seen(sizes, packed_strides(sizes), groups.source),
        groups.seen(sizes, [strides[d] for d in range(rank)], groups.target),
        sizes, (groups.all.index(groups.source), groups.all.index(groups.target)), vectors, (dtype, dtype), index_bits,
        all_of(few(sizes, index_bits), *merges),
        element_maps=(
            _elements("source", range(rank), letters, sizes, groups),
            _elements("target", axes, letters, sizes, groups),
        ),
        segment=segment, threads=threads, tile=tile,
    ).program()  # fmt: skip


@dataclass(frozen=True)
class Groups:
    """The dimensions of each coordinate of a copy, slowest first: the source's last ones, the target's, the others.

    >>> Groups.of((3, 2, 1, 0), (2, 2)).all, Groups.of((0, 2, 1), (1, 1)).all
    (((1, 0), (2, 3)), ((0,), (1,), (2,)))
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    rank: int

    @classmethod
    def of(cls, axes: Sequence[int], spans: tuple[int, int]) -> Groups:
        rank = len(axes)
        made = cls(tuple(range(rank)[-spans[0] :]), tuple(axes[-spans[1] :]), rank)
        both = set(made.source) & set(made.target)
        if both and made.source != made.target:
            raise LayoutError(f"permute: tiles of spans {spans} have dimension {min(both)} on both sides")
        return made

    @property
    def all(self) -> tuple[tuple[int, ...], ...]:
        """Every group, in order of the source."""
        merged = dict.fromkeys((self.source, self.target))
        alone = [(d,) for d in range(self.rank) if not any(d in group for group in merged)]
        return tuple(sorted((*merged, *alone), key=min))

    def seen(self, sizes: Sequence[Expr], strides: Sequence[Expr], whole: tuple[int, ...]) -> TensorDescriptor:
        """A tensor in the groups' coordinates; the group that is one run of its memory is one dimension."""
        base: list[tuple[Expr, Expr]] = []
        transforms: list[Transform] = []
        lower: list[list[int]] = []
        for group in self.all:
            lengths = tuple(sizes[d] for d in group)
            parts = (
                [(prod(list(lengths)), strides[group[-1]])]
                if group == whole
                else [(sizes[d], strides[d]) for d in group]
            )
            transforms.append(PassThrough(parts[0][0]) if len(parts) == 1 else Merge(lengths))
            lower.append(list(range(len(base), len(base) + len(parts))))
            base += parts
        made = make_naive_tensor_descriptor([n for n, _ in base], [stride for _, stride in base])
        if len(base) == len(self.all):
            return made
        return transform_tensor_descriptor(made, transforms, lower, [[d] for d in range(len(lower))])


def batched_transpose(dtype: str = "f32", vectors: tuple[int, int] = (1, 1), index_bits: int = 32) -> Program:
    """target[b, j, i] = source[b, i, j]: a permutation by (0, 2, 1)."""
    return permute((0, 2, 1), dtype, vectors, index_bits)


def few(sizes: Sequence[Expr], index_bits: int) -> Expr:
    """So few elements that offsets fit the index type."""
    return prod(list(sizes)) < 1 << (index_bits - 1)


def _elements(
    tensor: str, order: Sequence[int], letters: tuple[Expr, ...], sizes: tuple[Expr, ...], groups: Groups
) -> Elements:
    """A packed tensor whose dimensions come in this order."""
    offset = horner([letters[a] for a in order], [sizes[a] for a in order])
    at = tuple(horner([letters[d] for d in group], [sizes[d] for d in group]) for group in groups.all)
    return tensor, letters, at, offset, TRUE


def permute_task(shape: Sequence[int], axes: Sequence[int], dtype: str) -> Task:
    """numpy's transpose(x, axes)."""
    lengths, order = merged(shape, axes)
    vectors = (widest(dtype, lengths[-1]), widest(dtype, lengths[order[-1]]))
    if len(lengths) == 1:
        vectors = (min(vectors),) * 2
    direct = order[-1] == len(order) - 1
    spanned = spans(lengths, order)
    tile = (TILE, TILE) if direct else tile_for(lengths, order, spanned)
    segment, threads = (SEGMENT, THREADS) if direct else _tuned(dtype)
    threads = threads if tile[0] == tile[1] else THREADS
    program = permute(order, dtype, vectors, bits_for(math.prod(shape)), spanned, segment, threads, tile)
    return Task(program, numbered("D", lengths), tuple(shape[a] for a in axes))


def _tuned(dtype: str) -> tuple[int, int]:
    """Bytes that a wave writes in one piece, and threads, of a permutation through LDS."""
    return next(((e["segment"], e["threads"]) for e in table("permute", dtype)), (SEGMENT, THREADS))


def _emitted(target: str, axes: tuple[int, ...], dtype: str, vector: int) -> Program:
    return permute(axes, dtype, (vector, vector))


def _work(target: str, dtype: str, input: npt.NDArray[Any], axes: tuple[int, ...] = (0, 2, 1)) -> Work:
    return Work([input], (permute_task(input.shape, axes, dtype),), lambda: input.transpose(axes))


AXES = Option("axes", "integers", "The order, e.g. 0,2,1.")
KERNELS = (
    Kernel(
        "batched_transpose",
        Command(
            "The transpose of each matrix of a batch.",
            lambda target, dtype, vector: batched_transpose(dtype, (vector, vector)), (DTYPE, VECTOR),
        ),
        Command("The transpose of each matrix of a batch.", _work, (replace(INPUT, rank=3),)),
        golden={"batched_transpose": lambda: batched_transpose(vectors=(4, 4))},
    ),
    Kernel(
        "permute",
        Command("Any order of the dimensions.", _emitted, (AXES, DTYPE, VECTOR)),
        Command(
            "Any order of the dimensions, as numpy's transpose.", _work,
            (INPUT, replace(AXES, help="The order, e.g. 0,2,3,1.")),
        ),
        golden={"permute": lambda: permute((2, 0, 3, 1))},
    ),
)  # fmt: skip
