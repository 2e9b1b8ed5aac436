"""Matrix instructions, V_MFMA_… and V_WMMA_…: which of `layoutalg.target` the machine means, and their registers.

What an element of the result is made of is said by the operand maps of `layoutalg.target`; each reading multiplies in
its own way (numbers, or unknown functions).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from layoutalg.target.dtypes import dtype_of
from layoutalg.target.known import matrix_instructions
from layoutalg.target.operand import MatrixInstruction

#: The roles of the scales of A's rows and B's columns, and of the byte that is the scale of each.
SCALES: Mapping[str, str] = {"scale_a": "byte_a", "scale_b": "byte_b"}

#: Elements of a row or column that share a scale, which is 2**(byte - 127), of 255 no number (CDNA 4 ISA, 7.1.5).
SCALED_BLOCK = 32


#: Types of A and B of which a machine may take subnormal numbers for zeros (`CodeFormat.dots_flush`), and the least
#: number of each that is none; the sum, an f32, then is none either (MIOpen's documentation of MI200).
LEAST: Mapping[str, float] = {"f16": 2.0**-14, "bf16": 2.0**-126}
LEAST_SUM = 2.0**-126


@cache
def matrix_instruction_of(name: str, target: str) -> MatrixInstruction | None:
    """The matrix instruction that the machine calls by this name on this target.

    >>> matrix_instruction_of("V_MFMA_F32_32X32X8_F16", "gfx942").k
    8
    """
    wanted = name.removeprefix("V_").lower().replace("_", "")
    if "f8f6f4" in wanted and not is_scaled(name):  # the table has such a product with scales, which are 1 here
        wanted = wanted.replace("mfma", "mfmascale", 1)
    for instruction in matrix_instructions(target):
        builtin = instruction.name
        plain = builtin.removesuffix("_gfx12").removesuffix("_w32").removesuffix("_1k").replace("_", "")
        if wanted in (plain, f"{plain}1k") and not builtin.endswith("w64"):
            return instruction
    return None


def is_scaled(name: str) -> bool:
    """Whether a product of this name has scales of blocks.

    >>> is_scaled("V_MFMA_SCALE_F32_16X16X128_F8F6F4.FP4.FP4"), is_scaled("V_MFMA_F32_16X16X128_F8F6F4.FP4.FP4")
    (True, False)
    """
    return name.startswith("V_MFMA_SCALE_")


def heeds_mode(matrix: MatrixInstruction) -> bool:
    """Whether a product looks at the float mode: those of f32 flush A and B as it says, and no other part of any.

    CDNA rounds to nearest even and keeps denormals of narrower types, of f64 and of C and D, whatever the mode says
    (CDNA 3 and 4 ISA, "Dense Matrix Multiply", DENORM and ROUND), but gfx90a (`LEAST`); of WMMA nothing is said.
    """
    return "wmma" in matrix.name or matrix.a_dtype in ("f32", "xf32")


def registers_of(matrix: MatrixInstruction) -> Mapping[str, int]:
    """How many registers each operand takes; a scale takes one (`SCALES`).

    >>> registers_of(matrix_instruction_of("V_MFMA_F32_32X32X8_F16", "gfx942"))["d"]
    16
    """
    parts = {"a": (matrix.a, matrix.a_dtype), "b": (matrix.b, matrix.b_dtype)}
    parts |= dict.fromkeys("cd", (matrix.d, matrix.accumulator))
    return dict.fromkeys(SCALES, 1) | {
        role: (int(held.element.hi) + 1) * dtype_of(dtype).bits // 32 for role, (held, dtype) in parts.items()
    }
