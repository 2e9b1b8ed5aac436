"""Convolution forward in 1, 2 and 3 dimensions as a product of matrices: windows of the image are a descriptor.

The image is N × (H × W …) × G × C, the filter G × K × (Y × X …) × C, the result N × (Ho × Wo …) × G × K, all packed.
Nothing is materialised; in coordinates,

    image   pad each of H, W …; embed it as (Y, Ho) / (dilation, stride);  m = merge(N, Ho, Wo …), k = merge(Y, X …, C)
    filter  g, n = K, k as above
    result  g, m = merge(N, Ho, Wo …), n = K

`im2col` is the image in these coordinates, copied.  Filter lengths, strides, dilations, padding and groups are
constants of a program; the lengths of image and channels are its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod as product_of

from layoutalg.index import Expr, all_of, as_expr, prod, symbol, var
from layoutalg.kernel.library.copies import LARGEST, Copy, dtype_named, packed_strides
from layoutalg.kernel.library.plans import Plan, tuned
from layoutalg.kernel.library.product import Operand, Product
from layoutalg.kernel.program import Program, Says, Tensor
from layoutalg.layout import (
    Embed,
    Freeze,
    LayoutError,
    Merge,
    Pad,
    PassThrough,
    TensorDescriptor,
    Transform,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.layout.mixed_radix import horner


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

    def filter(self) -> TensorDescriptor:
        """In coordinates (g, n, k): y, x … and c lie packed, so that k needs not be taken apart."""
        lengths = (as_expr(self.windows.groups), self.k, self.c * product_of(self.windows.filter))
        return make_naive_tensor_descriptor(lengths, packed_strides(lengths))

    def result(self) -> TensorDescriptor:
        """In coordinates (g, m, n): n, ho … lie packed, so that m needs not be taken apart."""
        groups, rows = self.windows.groups, prod([self.n, *self.outputs])
        return make_naive_tensor_descriptor((as_expr(groups), rows, self.k), (self.k, self.k * groups, as_expr(1)))

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

    def says_image(self, tensor: Tensor) -> Says:
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
        return Says(tensor, letters, coordinates, offset, valid)

    def says_filter(self, tensor: Tensor) -> Says:
        """The element filter[g, k, y …, c]."""
        w = self.windows
        g, k, c = var("ig", w.groups), var("ik", self.k), var("ic", self.c)
        ys = [var(f"iy{d}", y) for d, y in enumerate(w.filter)]
        at = horner([*ys, c], [*w.filter, self.c])
        offset = horner([g, k, *ys, c], [w.groups, self.k, *w.filter, self.c])
        return Says(tensor, (g, k, *ys, c), (g, k, at), offset)

    def says_result(self, tensor: Tensor) -> Says:
        """The element result[n, ho …, g, k]."""
        w = self.windows
        n, g, k = var("in", self.n), var("ig", w.groups), var("ik", self.k)
        outs = [var(f"io{d}", ho) for d, ho in enumerate(self.outputs)]
        rows = horner([n, *outs], [self.n, *self.outputs])
        offset = horner([n, *outs, g, k], [self.n, *self.outputs, w.groups, self.k])
        return Says(tensor, (n, *outs, g, k), (g, rows, k), offset)


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


def convolution(
    windows: Windows,
    dtype: str = "f32",
    result: str | None = None,
    *,
    target: str = "cpu",
    plan: Plan | None = None,
    widths: tuple[int, int] = (1, 1),
    index_bits: int = 32,
    channels: int | None = None,
    fixed: Sequence[int] | None = None,
) -> Program:
    """The convolution of any image: sizes N, H0 …, C (of a group) and K (of a group).

    `channels`: C, and `fixed`: H0 …, as numbers and no sizes; what is divided by them is divided by constants.

    >>> convolution(Windows((3, 3), (2, 2), (1, 1), (1, 1))).name
    'conv_3x3_s2x2_p1x1_f32_fma'
    """
    plan = plan or tuned("conv", target, dtype, (widths[0], widths[0]))
    if (
        widths[0] == 1 and plan.k > 16 and not plan.direct
    ):  # element by element, many addresses are held at once: half the tile
        plan = replace(plan, k=16, step=16)
    i = image_of(windows, (plan.k, plan.n) if plan.whole else widths, channels, fixed)
    rows_alone = (False, True, False) if plan.whole else True
    result = result or dtype
    kinds = f"{dtype}{'' if result == dtype else f'_{result}'}"
    wide = f"_v{widths[0]}x{widths[1]}" if max(widths) > 1 else ""
    cut = f"_{plan.m}x{plan.n}x{plan.k}{'_whole' if plan.whole else ''}" if plan.direct else ""
    cut += f"_{'x'.join(map(str, fixed))}" if fixed else ""
    cut += f"_c{channels}" if channels else ""
    short = f"mma{cut}" if plan.instruction.name.startswith("mma.") else plan.instruction.name.split("_f32_")[0]
    return Product(
        f"conv_{windows.name}_{kinds}_{short}{wide}{'_i64' if index_bits == 64 else ''}",
        Operand(i.image(), True, widths[0], i.says_image, rows_alone),
        Operand(i.filter(), True, widths[0], i.says_filter, not plan.whole), i.result(),
        tuple(s for s in (i.n, *i.lengths, i.c, i.k) if s.op == "var"), plan, (dtype, result),
        store_width=widths[1], index_bits=index_bits,
        requires=i.few(index_bits), target_says=i.says_result, store_guarded=rows_alone,
    ).program()  # fmt: skip


def im2col(windows: Windows, dtype: str = "f32", width: int = 1, index_bits: int = 32) -> Program:
    """The matrix (N·Ho·Wo …) × (Y·X …·C) of all windows of any image; one group.

    >>> [size.value.name for size in im2col(Windows((3,), (1,), (1,), (1,))).sizes]
    ['N', 'H0', 'C']
    """
    if windows.groups != 1:
        raise LayoutError(f"im2col: {windows.groups} groups; it takes one")
    i = image_of(windows, (width, 1))
    whole = i.image()
    source = transform_tensor_descriptor(
        whole,
        [Freeze(as_expr(0)), PassThrough(whole.lengths[1]), PassThrough(whole.lengths[2])],
        [[0], [1], [2]],
        [[], [0], [1]],
    )
    target = make_naive_tensor_descriptor(source.lengths, (source.lengths[1], 1))
    most = 1 << (index_bits - 1)
    requires = all_of(i.few_windows(index_bits), prod(list(source.lengths)) < most)
    say = i.says_image(Tensor("source", dtype_named(dtype), source, ("d0", "d1")))
    return Copy(
        f"im2col_{windows.name}_{dtype}{f'_v{width}' if width > 1 else ''}{'_i64' if index_bits == 64 else ''}",
        source, target, (i.n, *i.lengths, i.c), (1, 1), (width, width), (dtype, dtype), index_bits, requires,
        says=(("source", say.letters, say.coordinates, say.offset, say.valid),),
    ).program()  # fmt: skip
