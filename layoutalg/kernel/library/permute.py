"""Permutation of a tensor's dimensions, for all sizes: what can be merged is merged, the rest is a copy.

`target = transpose(source, axes)` as numpy has it.  Dimensions of length 1 vanish, and neighbours that stay neighbours
in order become one, so that (0, 2, 3, 1) of a 4-D tensor is (0, 2, 1) of a 3-D one: NCHW → NHWC is a batch of plain
transpositions.  What is left runs by one program, for any sizes, proved once.

    shape (8, 64, 56, 56), axes (0, 2, 3, 1)   →   shape (8, 64, 3136), axes (0, 2, 1)
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import TRUE, Expr, prod, symbol, var
from layoutalg.kernel.library.copies import LARGEST, Copy, Say, packed_strides
from layoutalg.kernel.program import Program
from layoutalg.layout import LayoutError, make_naive_tensor_descriptor
from layoutalg.layout.mixed_radix import horner

MOST_DIMENSIONS = 8


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
    axes: Sequence[int], dtype: str = "f32", vectors: tuple[int, int] = (1, 1), index_bits: int = 32
) -> Program:
    """The permutation of any tensor of the axes' rank; sizes D0, D1 … are the source's lengths.

    With vectors (v, w), the source's last length is a multiple of v, the target's of w.

    >>> permute((0, 2, 1)).name
    'permute_021_f32'
    """
    check([2] * len(axes), axes)
    rank, last = len(axes), axes[-1]
    multiples = [1] * rank
    multiples[-1], multiples[last] = max(multiples[-1], vectors[0]), max(multiples[last], vectors[1])
    if last == rank - 1:
        multiples[-1] = max(vectors)
    sizes = tuple(symbol(f"D{n}", min=1, max=LARGEST, multiple_of=m) for n, m in enumerate(multiples))
    strides = dict(zip(axes, packed_strides([sizes[a] for a in axes]), strict=True))
    letters = tuple(var(f"i{n}", size) for n, size in enumerate(sizes))
    wide = f"_v{vectors[0]}x{vectors[1]}" if max(vectors) > 1 else ""
    return Copy(
        f"permute_{''.join(map(str, axes))}_{dtype}{wide}{'_i64' if index_bits == 64 else ''}",
        f"target = transpose(source, ({', '.join(map(str, axes))})) for any sizes",
        make_naive_tensor_descriptor(sizes, packed_strides(sizes)),
        make_naive_tensor_descriptor(sizes, [strides[d] for d in range(rank)]),
        sizes, (rank - 1, last), vectors, (dtype, dtype), index_bits, few(sizes, index_bits),
        says=(_says("source", range(rank), letters, sizes), _says("target", axes, letters, sizes)),
    ).program()  # fmt: skip


def batched_transpose(dtype: str = "f32", vectors: tuple[int, int] = (1, 1), index_bits: int = 32) -> Program:
    """target[b, j, i] = source[b, i, j]: a permutation by (0, 2, 1)."""
    return permute((0, 2, 1), dtype, vectors, index_bits)


def few(sizes: Sequence[Expr], index_bits: int) -> Expr:
    """So few elements that offsets fit the index type."""
    return prod(list(sizes)) < 1 << (index_bits - 1)


def _says(tensor: str, order: Sequence[int], letters: tuple[Expr, ...], sizes: tuple[Expr, ...]) -> Say:
    """A packed tensor whose dimensions come in this order."""
    offset = horner([letters[a] for a in order], [sizes[a] for a in order])
    return f"{tensor}[{', '.join(f'i{a}' for a in order)}]", tensor, letters, letters, offset, TRUE
