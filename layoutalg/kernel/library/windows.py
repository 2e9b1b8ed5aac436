"""Windows of an image as descriptors, in 1, 2 and 3 dimensions: what convolutions and im2col take.

The image is N × (H × W …) × G × C, the filter G × K × (Y × X …) × C, the result N × (Ho × Wo …) × G × K, all packed.
Nothing is materialised; in coordinates,

    image   pad each of H, W …; embed it as (Y, Ho) / (dilation, stride);  m = merge(N, Ho, Wo …), k = merge(Y, X …, C)
    filter  g, n = K, k as above
    result  g, m = merge(N, Ho, Wo …), n = K

Filter lengths, strides, dilations, padding and groups are constants of a program; the lengths of image and channels
are its arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod as product_of
from typing import Any

from layoutalg.index import ONE, Expr, all_of, as_expr, prod, symbol, var
from layoutalg.index.radix import horner
from layoutalg.kernel.library.copies import LARGEST, packed_strides
from layoutalg.kernel.library.fit import each
from layoutalg.kernel.program import ElementMap, Pixels, Tensor
from layoutalg.layout import (
    Embed,
    LayoutError,
    Merge,
    Pad,
    PassThrough,
    TensorDescriptor,
    Transform,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class Windows:
    """The constants of a convolution, one for each dimension of the image; and the groups.

    >>> Windows((3, 3), (2, 2), (1, 1), (1, 1)).outputs((56, 57))
    (28, 29)
    """

    filter: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pad: tuple[int, ...]
    groups: int = 1

    def __post_init__(self) -> None:
        rank = len(self.filter)
        if not 1 <= rank <= 3:
            raise LayoutError(f"convolution: images of {rank} dimensions; 1, 2 or 3 are supported")
        given = {"filter": self.filter, "stride": self.stride, "dilation": self.dilation, "pad": self.pad}
        for name, values in given.items():
            least = 0 if name == "pad" else 1
            if len(values) != rank or min(values) < least:
                raise LayoutError(f"convolution: {name} {list(values)}; give {rank} numbers of at least {least}")
        if self.groups < 1:
            raise LayoutError(f"convolution: {self.groups} groups; give at least 1")

    @property
    def reach(self) -> tuple[int, ...]:
        """How many image elements a window spans, in each dimension."""
        return tuple(d * (y - 1) + 1 for d, y in zip(self.dilation, self.filter, strict=True))

    def outputs(self, image: Sequence[int]) -> tuple[int, ...]:
        """The lengths of the result; LayoutError where a window is longer than the padded image."""
        for n, (length, p, reach) in enumerate(zip(image, self.pad, self.reach, strict=True)):
            if length + 2 * p < reach:
                raise LayoutError(
                    f"convolution: dimension {n}: a window spans {reach}, the padded image {length + 2 * p}"
                )
        return tuple(
            (h + 2 * p - r) // s + 1 for h, p, r, s in zip(image, self.pad, self.reach, self.stride, strict=True)
        )

    @property
    def name(self) -> str:
        """What tells programs apart."""
        parts = ["x".join(map(str, self.filter))]
        for letter, values, plain in (("s", self.stride, 1), ("d", self.dilation, 1), ("p", self.pad, 0)):
            if set(values) != {plain}:
                parts.append(letter + "x".join(map(str, values)))
        return "_".join([*parts, *([f"g{self.groups}"] if self.groups > 1 else [])])


@dataclass(frozen=True)
class Image:
    """A convolution's sizes as symbols, and its descriptors."""

    windows: Windows
    n: Expr
    lengths: tuple[Expr, ...]
    c: Expr
    k: Expr

    @property
    def outputs(self) -> tuple[Expr, ...]:
        """Ho, Wo …"""
        w = self.windows
        around = zip(self.lengths, w.pad, w.reach, w.stride, strict=True)
        return tuple((h + (2 * p - r)) // s + 1 for h, p, r, s in around)

    @property
    def padded(self) -> tuple[Expr, ...]:
        """The lengths with padding."""
        return tuple(h + 2 * p for h, p in zip(self.lengths, self.windows.pad, strict=True))

    def image(self) -> TensorDescriptor:
        """In coordinates (g, m, k)."""
        w, rank = self.windows, len(self.lengths)
        groups = as_expr(w.groups)
        lengths = (self.n, *self.lengths, groups, self.c)
        packed = make_naive_tensor_descriptor(lengths, packed_strides(lengths))
        dims = [[d] for d in range(rank + 3)]
        pads: list[Transform] = [Pad(h, as_expr(p), as_expr(p)) for h, p in zip(self.lengths, w.pad, strict=True)]
        keep = PassThrough(self.n), PassThrough(groups), PassThrough(self.c)
        with_pads = transform_tensor_descriptor(packed, [keep[0], *pads, *keep[1:]], dims, dims)
        embeds: list[Transform] = [
            Embed((as_expr(y), ho), (as_expr(d), as_expr(s)))
            for y, ho, d, s in zip(w.filter, self.outputs, w.dilation, w.stride, strict=True)
        ]
        pairs = [[1 + 2 * d, 2 + 2 * d] for d in range(rank)]
        upper = [[0], *pairs, [2 * rank + 1], [2 * rank + 2]]
        windows = transform_tensor_descriptor(with_pads, [keep[0], *embeds, *keep[1:]], dims, upper)
        rows = [0, *(b for _, b in pairs)]
        inner = [*(a for a, _ in pairs), 2 * rank + 2]
        merges = [keep[1], Merge((self.n, *self.outputs)), Merge((*map(as_expr, w.filter), self.c))]
        return transform_tensor_descriptor(windows, merges, [[2 * rank + 1], rows, inner], [[0], [1], [2]])

    def pixels(self) -> Pixels | None:
        """How boxes walk it; None where they cannot: in other than two dimensions, and in groups."""
        w = self.windows
        if len(self.lengths) != 2 or w.groups > 1:
            return None
        return Pixels((self.n, *self.lengths, self.c), w.filter, w.stride, w.dilation, w.pad)

    def filter(self) -> TensorDescriptor:
        """In coordinates (g, n, k): y, x … and c lie packed, so that k needs not be taken apart."""
        lengths = (as_expr(self.windows.groups), self.k, self.c * product_of(self.windows.filter))
        return make_naive_tensor_descriptor(lengths, packed_strides(lengths))

    def result(self) -> TensorDescriptor:
        """In coordinates (g, m, n): n, ho … lie packed, so that m needs not be taken apart."""
        groups, rows = self.windows.groups, prod([self.n, *self.outputs])
        return make_naive_tensor_descriptor((as_expr(groups), rows, self.k), (self.k, self.k * groups, ONE))

    def few_windows(self, index_bits: int) -> Expr:
        """So few elements in the image that offsets and merged coordinates fit."""
        return all_of(
            prod([self.n, *self.padded, self.c]) * self.windows.groups < 1 << (index_bits - 1),
            prod([self.n, *self.outputs]) <= LARGEST,
            self.c * product_of(self.windows.filter) <= LARGEST,
        )

    def few(self, index_bits: int) -> Expr:
        """So few elements in all tensors."""
        w, most = self.windows, 1 << (index_bits - 1)
        return all_of(
            self.few_windows(index_bits),
            self.k * self.c * (w.groups * product_of(w.filter)) < most,
            prod([self.n, *self.outputs, self.k]) * w.groups < most,
        )

    def image_elements(self, tensor: Tensor) -> ElementMap:
        """The element that a window's index means: image[n, stride·ho + dilation·y − pad …, g, c]."""
        w = self.windows
        n, g, c = var("in", self.n), var("ig", w.groups), var("ic", self.c)
        outs = [var(f"io{d}", ho) for d, ho in enumerate(self.outputs)]
        ys = [var(f"iy{d}", y) for d, y in enumerate(w.filter)]
        at = [o * s + y * d - p for o, s, y, d, p in zip(outs, w.stride, ys, w.dilation, w.pad, strict=True)]
        top = (g, horner([n, *outs], [self.n, *self.outputs]), horner([*ys, c], [*w.filter, self.c]))
        offset = horner([n, *at, g, c], [self.n, *self.lengths, w.groups, self.c])
        valid = all_of(*(all_of(a + p >= p, a + p < h + p) for a, h, p in zip(at, self.lengths, w.pad, strict=True)))
        letters = (n, *outs, *ys, g, c)
        coordinates = top if tensor.descriptor.rank == 3 else top[1:]
        return ElementMap(tensor, letters, coordinates, offset, valid)

    def filter_elements(self, tensor: Tensor) -> ElementMap:
        """The element filter[g, k, y …, c]."""
        w = self.windows
        g, k, c = var("ig", w.groups), var("ik", self.k), var("ic", self.c)
        ys = [var(f"iy{d}", y) for d, y in enumerate(w.filter)]
        at = horner([*ys, c], [*w.filter, self.c])
        offset = horner([g, k, *ys, c], [w.groups, self.k, *w.filter, self.c])
        return ElementMap(tensor, (g, k, *ys, c), (g, k, at), offset)

    def result_elements(self, tensor: Tensor) -> ElementMap:
        """The element result[n, ho …, g, k]."""
        w = self.windows
        n, g, k = var("in", self.n), var("ig", w.groups), var("ik", self.k)
        outs = [var(f"io{d}", ho) for d, ho in enumerate(self.outputs)]
        rows = horner([n, *outs], [self.n, *self.outputs])
        offset = horner([n, *outs, g, k], [self.n, *self.outputs, w.groups, self.k])
        return ElementMap(tensor, (n, *outs, g, k), (g, rows, k), offset)


def image_of(
    windows: Windows, multiples: tuple[int, int] = (1, 1), channels: int | None = None,
    fixed: Sequence[int] | None = None,
) -> Image:  # fmt: skip
    """Any image of the windows' rank: symbols N, H0 …, C and K; C and K are such multiples.

    `channels`: C, and `fixed`: H0 …, where they are numbers and not symbols.
    """
    lengths = tuple(
        symbol(f"H{d}", min=max(1, reach - 2 * p), max=LARGEST >> 3)
        for d, (reach, p) in enumerate(zip(windows.reach, windows.pad, strict=True))
    )
    n, c, k = (
        symbol(name, min=1, max=LARGEST >> 3, multiple_of=m)
        for name, m in (("N", 1), ("C", multiples[0]), ("K", multiples[1]))
    )
    if fixed is not None:
        lengths = tuple(map(as_expr, fixed))
    return Image(windows, n, lengths, c if channels is None else as_expr(channels), k)


Three = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def around(
    what: str, rank: int, stride: Sequence[int], dilation: Sequence[int], pad: Sequence[int], flag: str = ""
) -> Three:
    """Strides, dilations and padding of each dimension; one number counts for all."""
    given = {"stride": stride, "dilation": dilation, "pad": pad}
    strides, dilations, pads = (each(what, f"{flag}{name}", values, rank) for name, values in given.items())
    return strides, dilations, pads


def shifted(
    image: npt.NDArray[Any], filter: Sequence[int], stride: Sequence[int], dilation: Sequence[int], pad: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], npt.NDArray[Any]]]:
    """For each element of the filter its index, and the image elements that it meets."""
    rank = len(filter)
    s, d, p = (tuple(v) if len(v) == rank else tuple(v) * rank for v in (stride, dilation, pad))
    padded = np.pad(image, [(0, 0), *((n, n) for n in p), (0, 0)])
    for at in np.ndindex(*filter):
        cuts = []
        for y, length, step, apart, reach in zip(at, padded.shape[1:-1], s, d, filter, strict=True):
            outputs = (length - (reach - 1) * apart - 1) // step + 1
            cuts.append(slice(y * apart, y * apart + (outputs - 1) * step + 1, step))
        yield at, padded[(slice(None), *cuts)]
