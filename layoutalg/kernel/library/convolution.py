"""Convolution forward in 1, 2 and 3 dimensions as a product of matrices: windows of the image are a descriptor.

The descriptors, and which coordinates they are in, are those of `windows`; a group is a batch of the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from layoutalg.kernel.access.matrix_operands import ROW
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.fit import bits_for, numbered, widest
from layoutalg.kernel.library.options import DTYPE, EACH, GROUPS, INPUT, RESULT, RESULT_OF, VECTOR, integers
from layoutalg.kernel.library.plans import Plan, ProblemShape, tuned
from layoutalg.kernel.library.product import MatrixProduct, ProductOperand
from layoutalg.kernel.library.windows import Windows, around, image_of, shifted
from layoutalg.kernel.program import Program
from layoutalg.layout import LayoutError
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import OPERAND_DTYPES
from layoutalg.target.elements import numbers
from layoutalg.target.known import formats_of

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


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
    if widths[0] == 1 and not plan.direct:  # element by element, many addresses are held at once: half the tile
        shorter = min(plan.k, max(16, plan.instruction.k))
        plan = replace(plan, k=shorter, step=min(plan.step, shorter))
    multiples = (plan.k, plan.n) if plan.whole else (plan.k, widths[1]) if plan.boxes else widths
    i = image_of(windows, multiples, channels, fixed)
    rows_alone = (False, True, False) if plan.whole else True
    result = result or dtype
    kinds = f"{dtype}{'' if result == dtype else f'_{result}'}"
    wide = f"_v{widths[0]}x{widths[1]}" if max(widths) > 1 else ""
    cut = f"_{plan.m}x{plan.n}x{plan.k}{'_whole' if plan.whole else ''}" if plan.direct else ""
    cut += plan.ring
    cut += f"_{'x'.join(map(str, fixed))}" if fixed else ""
    cut += f"_c{channels}" if channels else ""
    family, *parts = plan.instruction.name.split(".")
    short = f"{family}{cut}" if parts else plan.instruction.name.split("_f32_")[0]
    return MatrixProduct(
        f"conv_{windows.name}_{kinds}_{short}{wide}{'_i64' if index_bits == 64 else ''}",
        ProductOperand(i.image(), True, widths[0], i.image_elements, rows_alone, i.pixels() if plan.boxes else None),
        ProductOperand(i.filter(), True, widths[0], i.filter_elements, not plan.whole), i.result(),
        tuple(s for s in (i.n, *i.lengths, i.c, i.k) if s.op == "var"), plan, (dtype, result),
        store_width=widths[1], index_bits=index_bits,
        requires=i.few(index_bits), target_elements=i.result_elements, store_guarded=rows_alone,
    ).program()  # fmt: skip


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
    windows = Windows(tuple(filter[1:-1]), *around("convolution", rank, stride, dilation, pad), groups)
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
    walked = rank == 2 and groups == 1 and c % ROW == 0
    plan = plan or tuned("conv", target, dtype, (widths[0], widths[0]), ProblemShape((m, k, depth), (0, k, c)), walked)
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
    sizes = {"N": image[0], **numbered("H", image[1:-1]), "C": c, "K": k}
    return Task(program, sizes, shape)


def convolved(
    image: npt.NDArray[Any], filter: npt.NDArray[Any], *, stride: Sequence[int], dilation: Sequence[int],
    pad: Sequence[int], groups: int,
) -> npt.NDArray[Any]:  # fmt: skip
    """The convolution in f64: image N, H …, C, filter K, Y …, C of a group, result N, Ho …, K."""
    channels, outputs = image.shape[-1] // groups, filter.shape[0] // groups
    parts = []
    for g in range(groups):
        x = image[..., g * channels : (g + 1) * channels].astype(np.float64)
        w = filter[g * outputs : (g + 1) * outputs].astype(np.float64)
        total: Any = 0.0
        for at, window in shifted(x, filter.shape[1:-1], stride, dilation, pad):
            place: Any = (slice(None), *at)
            total = total + window @ w[place].T
        parts.append(total)
    return np.concatenate(parts, axis=-1)


def _emitted(
    target: str, filter: tuple[int, ...], stride: tuple[int, ...], pad: tuple[int, ...], dilation: tuple[int, ...],
    groups: int, dtype: str, result: str | None, vector: int,
) -> Program:  # fmt: skip
    windows = Windows(filter, *around("conv", len(filter), stride, dilation, pad, "--"), groups)
    return convolution(windows, dtype, result, target=target, widths=(vector, vector))


def _work(
    target: str, dtype: str, input: npt.NDArray[Any], weight: npt.NDArray[Any], stride: tuple[int, ...],
    pad: tuple[int, ...], dilation: tuple[int, ...], groups: int, result: str | None,
) -> Work:  # fmt: skip
    task = convolution_task(
        input.shape, weight.shape, dtype, groups=groups, result=result, target=target,
        stride=stride, pad=pad, dilation=dilation,
    )  # fmt: skip
    x, w = (numbers(one, OPERAND_DTYPES[dtype], formats_of(target)) for one in (input, weight))
    return Work(
        [input, weight], (task,),
        lambda: convolved(x, w, stride=stride, dilation=dilation, pad=pad, groups=groups), exact=False,
    )  # fmt: skip


FILTER = Option("filter", "integers", "Lengths of the filter: Y,X.")
WEIGHT = Option("weight", "array", "The filter K, Y …, C of a group, a .npy file.")
SAME = Windows((3, 3), (1, 1), (1, 1), (1, 1))
KERNELS = (
    Kernel(
        "conv",
        Command(
            "Convolution forward of any image.", _emitted,
            (FILTER, *integers("stride", default="1", help=EACH), *integers("pad", default="0", help=EACH),
             *integers("dilation", default="1", help=EACH), GROUPS, DTYPE, RESULT, VECTOR),
        ),
        Command(
            "Convolution forward in 1, 2 or 3 dimensions: image N, H …, C, result N, Ho …, K.", _work,
            (INPUT, WEIGHT, *integers("stride", default="1"), *integers("pad", default="0"),
             *integers("dilation", default="1"), GROUPS, RESULT_OF),
        ),
        golden_for={"conv_f16": lambda target: convolution(SAME, "f16", target=target, widths=(8, 8))},
    ),
)  # fmt: skip
