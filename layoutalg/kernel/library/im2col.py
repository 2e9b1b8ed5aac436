"""All windows of an image, a row each: `windows`' descriptor, copied."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod as product_of
from typing import Any

from layoutalg.index import ZERO, all_of, prod
from layoutalg.kernel.library.copies import Copy, dtype_named
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.fit import bits_for, each, numbered, widest
from layoutalg.kernel.library.options import DTYPE, EACH, INPUT, VECTOR, integers
from layoutalg.kernel.library.windows import Windows, around, image_of, shifted
from layoutalg.kernel.program import Program, Tensor
from layoutalg.layout import (
    Freeze,
    LayoutError,
    PassThrough,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


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
        [Freeze(ZERO), PassThrough(whole.lengths[1]), PassThrough(whole.lengths[2])],
        [[0], [1], [2]],
        [[], [0], [1]],
    )
    target = make_naive_tensor_descriptor(source.lengths, (source.lengths[1], 1))
    most = 1 << (index_bits - 1)
    requires = all_of(i.few_windows(index_bits), prod(list(source.lengths)) < most)
    elements = i.image_elements(Tensor("source", dtype_named(dtype), source, ("d0", "d1")))
    return Copy(
        f"im2col_{windows.name}_{dtype}{f'_v{width}' if width > 1 else ''}{'_i64' if index_bits == 64 else ''}",
        source, target, (i.n, *i.lengths, i.c), (1, 1), (width, width), (dtype, dtype), index_bits, requires,
        element_maps=(("source", elements.letters, elements.coordinates, elements.offset, elements.valid),),
    ).program()  # fmt: skip


def im2col_task(
    image: Sequence[int], filter: Sequence[int], dtype: str, *, stride: Sequence[int], pad: Sequence[int],
    dilation: Sequence[int],
) -> Task:  # fmt: skip
    """Image N, H …, C; the matrix of all its windows of lengths Y …"""
    rank = len(image) - 2
    if 0 in image:
        raise LayoutError(f"im2col: image {tuple(image)} has a length of 0")
    windows = Windows(each("im2col", "filter", filter, rank), *around("im2col", rank, stride, dilation, pad))
    shape = (image[0] * product_of(windows.outputs(image[1:-1])), product_of(windows.filter) * image[-1])
    program = im2col(windows, dtype, widest(dtype, image[-1]), bits_for(product_of(shape), product_of(image)))
    return Task(program, {"N": image[0], **numbered("H", image[1:-1]), "C": image[-1]}, shape)


def windows_of(
    image: npt.NDArray[Any],
    filter: Sequence[int],
    *,
    stride: Sequence[int],
    dilation: Sequence[int],
    pad: Sequence[int],
) -> npt.NDArray[Any]:
    """All windows, a row each: (N·Ho …) × (Y …·C)."""
    rank = image.ndim - 2
    lengths = tuple(filter) if len(filter) == rank else tuple(filter) * rank
    parts = [window for _, window in shifted(image, lengths, stride, dilation, pad)]
    stacked = np.stack(parts, axis=-2)
    return stacked.reshape(-1, stacked.shape[-1] * stacked.shape[-2])


def _emitted(
    target: str, filter: tuple[int, ...], stride: tuple[int, ...], pad: tuple[int, ...], dilation: tuple[int, ...],
    dtype: str, vector: int,
) -> Program:  # fmt: skip
    given = around("im2col", len(filter), stride, dilation, pad, "--")
    return im2col(Windows(filter, *given), dtype, vector)


def _work(target: str, dtype: str, input: npt.NDArray[Any], filter: tuple[int, ...], **given: tuple[int, ...]) -> Work:
    stride, dilation, pad = given["stride"], given["dilation"], given["pad"]
    task = im2col_task(input.shape, filter, dtype, stride=stride, dilation=dilation, pad=pad)
    return Work([input], (task,), lambda: windows_of(input, filter, stride=stride, dilation=dilation, pad=pad))


FILTER = Option("filter", "integers", "Lengths of a window: Y,X.")
KERNELS = (
    Kernel(
        "im2col",
        Command(
            "All windows of any image, a row each.", _emitted,
            (FILTER, *integers("stride", default="1", help=EACH), *integers("pad", default="0", help=EACH),
             *integers("dilation", default="1", help=EACH), DTYPE, VECTOR),
        ),
        Command(
            "All windows of an image N, H …, C, a row each.", _work,
            (INPUT, FILTER, *integers("stride", "dilation", default="1"), *integers("pad", default="0")),
        ),
        golden={"im2col": lambda: im2col(Windows((3, 3), (1, 1), (1, 1), (1, 1)), "f16", 8)},
    ),
)  # fmt: skip
