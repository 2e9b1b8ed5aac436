"""Products of f8 whose blocks of 32 along k have a scale each, a power of two: OCP's MX formats.

    target[g, m, n] = Σₖ a[g, m, k]·a_scale[g, m, k / 32] · b[g, n, k]·b_scale[g, n, k / 32]

Both operands lie along k, and so do their scales, a byte (E8M0) each, packed.  Tiles of scales go through LDS as those
of elements do (`product`); from there a lane takes the bytes that its instruction wants (`target.operand.BlockScales`).

| target  | instruction                        | a lane's scales                      | block's tile    |
|---------|------------------------------------|--------------------------------------|-----------------|
| gfx950  | mfma_scale_f32_16x16x128_f8f6f4    | one of its row, of block lane / 16   | 128 × 128 × 128 |
| gfx1250 | wmma_scale_f32_16x16x128_f8f6f4    | four of its row                      | 128 × 128 × 128 |

What it cannot represent: elements of six and four bits, blocks of 16, scales that are shuffled in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from layoutalg.index import all_of, prod, symbol
from layoutalg.kernel.library.block_order import plan_name
from layoutalg.kernel.library.copies import LARGEST
from layoutalg.kernel.library.einsum import elements_of, parse_einsum, sizes_of, view
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.options import A, B
from layoutalg.kernel.library.plans import Plan, ranged
from layoutalg.kernel.library.product import MatrixProduct, ProductOperand
from layoutalg.kernel.program import Program
from layoutalg.layout import LayoutError
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.elements import numbers
from layoutalg.target.known import formats_of
from layoutalg.target.matrix import matrix_instruction

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

BLOCK = 32
"""Elements along k that share a scale (OCP Microscaling Formats, 5.1)."""

INSTRUCTIONS: Mapping[str, str] = {
    "gfx950": "mfma_scale_f32_16x16x128_f8f6f4.{0}.{0}",
    "gfx1250": "wmma_scale_f32_16x16x128_f8f6f4.{0}.{0}",
}


def plan_mx(target: str, dtype: str) -> Plan:
    """How a product with scales is cut; LayoutError where a target has none here, or none of these elements."""
    if target not in INSTRUCTIONS or dtype not in ("f8", "bf8"):
        found = ", ".join(INSTRUCTIONS)
        raise LayoutError(f"{target} has no product of {dtype} with scales of blocks here; of f8 and bf8 {found} have")
    kind = {"f8": "fp8"}.get(dtype, dtype)
    one = matrix_instruction(INSTRUCTIONS[target].format(kind))
    repeats, waves = ((4, 4), (2, 2)) if one.wave == 64 else ((4, 2), (2, 4))
    return ranged(Plan(one, repeats, waves, one.k, one.k, target, stages=1, scaled=True), target)


def contraction_mx(
    target: str, dtype: str = "f8", result: str = "f32", einsum: str = "mk,nk->mn", plan: Plan | None = None
) -> Program:
    """The product for all sizes, of which that along k is a multiple of 128; LayoutError for other operands' orders.

    >>> contraction_mx("gfx950").name
    'contraction_mx_mk_nk_mn_f8_f32_mfma_scale_128x128x128'
    """
    letters, plan = parse_einsum(einsum), plan or plan_mx(target, dtype)
    if plan.instruction.scales is None:
        raise LayoutError(f"{plan.instruction.name} takes no scales of blocks")
    g, m, n, k = letters.kinds
    if len(k) != 1 or letters.a[-1:] != k or letters.b[-1:] != k:
        raise LayoutError(f"einsum {einsum}: scales are of blocks of one letter, the last of both operands")
    size = {x: symbol(f"N_{x}", min=1, max=LARGEST) for t in (letters.a, letters.b, letters.result) for x in t}
    size[k[0]] = symbol(f"N_{k[0]}", min=1, max=LARGEST, multiple_of=4 * BLOCK)
    of_blocks = {**size, k[0]: size[k[0]] // plan.instruction.scales.block}
    spaces = [prod([size[x] for x in t]) < 1 << 31 for t in (letters.a, letters.b, letters.result)]
    merges = [prod([size[x] for x in kind]) <= LARGEST for kind in (m, n) if len(kind) > 1]
    kinds = (g, m, k), (g, n, k), (g, m, n)
    a, b = (
        ProductOperand(view(t, kind, size), True, 128 // DTYPES[dtype].bits, elements_of(t, kind, size))
        for t, kind in zip((letters.a, letters.b), kinds, strict=False)
    )
    made = str(letters).replace(",", "_").replace("->", "_")
    return MatrixProduct(
        f"contraction_mx_{made}_{dtype}_{result}_{plan_name(plan, dtype)}",
        a, b, view(letters.result, kinds[2], size), tuple(size.values()), plan, (dtype, result),
        requires=all_of(*spaces, *merges), target_elements=elements_of(letters.result, kinds[2], size),
        scales=tuple(view(t, kind, of_blocks) for t, kind in zip((letters.a, letters.b), kinds, strict=False)),
    ).program()  # fmt: skip


# --- launches and entries ---------------------------------------------------------------------------------------------


def _emitted(target: str, einsum: str, dtype: str, result: str) -> Program:
    return contraction_mx(target, dtype, result, einsum)


def _work(
    target: str, dtype: str, einsum: str, a: npt.NDArray[Any], b: npt.NDArray[Any], a_scale: npt.NDArray[Any],
    b_scale: npt.NDArray[Any], result: str,
) -> Work:  # fmt: skip
    letters = parse_einsum(einsum)
    lengths = sizes_of(letters, a.shape, b.shape)
    program = contraction_mx(target, dtype, result, einsum)
    for name, one, scale in (("a", a, a_scale), ("b", b, b_scale)):
        wanted = (*one.shape[:-1], one.shape[-1] // BLOCK)
        if one.shape[-1] % (4 * BLOCK) or scale.shape != wanted:
            raise LayoutError(
                f"{name} has shape {one.shape}, its scales {scale.shape}: a multiple of 128 along k, / 32"
            )

    def expected() -> npt.NDArray[Any]:
        x, y = (
            numbers(one, DTYPES[dtype], formats_of(target)).astype(np.float64)
            * np.repeat(numbers(scale, DTYPES["e8m0"]), BLOCK, axis=-1)
            for one, scale in ((a, a_scale), (b, b_scale))
        )
        found: npt.NDArray[Any] = np.einsum(einsum, x, y, optimize=True)
        return found

    task = Task(program, {f"N_{x}": n for x, n in lengths.items()}, tuple(lengths[x] for x in letters.result))
    return Work([a, b, a_scale, b_scale], (task,), expected, exact=False)


EINSUM = Option("einsum", "text", "Both operands along k, as gmk,gnk->gmn.", "mk,nk->mn")
KIND = Option("dtype", "text", "f8 or bf8.", "f8")
OF = Option("result", "text", "Elements of the result: f32, f16 or bf16.", "f32")
SCALES = tuple(
    Option(f"{name}_scale", "array", "A byte for each 32 elements along k, a .npy file.", flag=f"--{name}-scale")
    for name in "ab"
)
KERNELS = (
    Kernel(
        "contraction_mx",
        Command("A product of f8 with scales of blocks of 32.", _emitted, (EINSUM, KIND, OF)),
        Command("A product of f8 with scales of blocks of 32.", _work, (EINSUM, A, B, *SCALES, OF)),
        golden_for={
            "contraction_mx": lambda target: contraction_mx(target, "f8", "f16") if target in INSTRUCTIONS else None
        },
    ),
)
