"""Matrix instructions, V_MFMA_… and V_WMMA_…: which of `layoutalg.target` the machine means, and their registers.

What an element of the result is made of is said by the operand maps of `layoutalg.target`; each reading multiplies in
its own way (numbers, or unknown functions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from layoutalg.target.dtypes import dtype_of
from layoutalg.target.known import matrix_instructions
from layoutalg.target.operand import BlockScales, MatrixInstruction

#: The roles of the scales of A's rows and B's columns: 2**(byte - 127), of 255 no number (CDNA 4 ISA, 7.1.5).
SCALES = ("scale_a", "scale_b")

#: How they are held (`operand.BlockScales`) → the fields that say which of A's and B's they are: bytes of a register,
#: or that they are in the upper half of the lanes.
PICKED_SCALES: Mapping[str, tuple[str, str]] = {"lanes": ("byte_a", "byte_b"), "bytes": ("row_a", "row_b")}

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
    return name.startswith(("V_MFMA_SCALE_", "V_WMMA_SCALE"))


def scales_of(instruction: str, matrix: MatrixInstruction) -> BlockScales | None:
    """Where the scales are, of a product by this name: one without scales may be described by that which has such."""
    return matrix.scales if is_scaled(instruction) else None


def scaled_name(matrix: MatrixInstruction, picks: Sequence[int] = (0, 0)) -> str:
    """A name for what a product with scales makes of its registers: another than without, and for each half of lanes.

    Of scales that lanes hold a byte counts, which is among the arguments; the field that picks it is not in the name.

    >>> scaled_name(matrix_instruction_of("V_MFMA_SCALE_F32_16X16X128_F8F6F4.FP8.BF8", "gfx950"), (1, 3))
    'mfma_scale_f32_16x16x128_f8f6f4.fp8.bf8 scaled by lanes'
    """
    assert matrix.scales is not None
    picked = f" {list(picks)}" if matrix.scales.held_by == "bytes" else ""
    return f"{matrix.name} scaled by {matrix.scales.held_by}{picked}"


def fields_of(instruction: str, matrix: MatrixInstruction) -> frozenset[str]:
    """The fields that a product may have: which scales, of a side of up to 16 rows."""
    scales = scales_of(instruction, matrix)
    if scales is None:
        return frozenset()
    sides = zip(PICKED_SCALES[scales.held_by], (matrix.m, matrix.n), strict=True)
    return frozenset(field for field, rows in sides if scales.held_by == "lanes" or rows < matrix.wave)


def heeds_mode(matrix: MatrixInstruction) -> bool:
    """Whether a product looks at the float mode: those of f32 flush A and B as it says, and no other part of any.

    CDNA rounds to nearest even and keeps denormals of narrower types, of f64 and of C and D, whatever the mode says
    (CDNA 3 and 4 ISA, "Dense Matrix Multiply", DENORM and ROUND), but gfx90a (`LEAST`); of WMMA nothing is said.
    """
    return "wmma" in matrix.name or matrix.a_dtype in ("f32", "xf32")


def registers_of(matrix: MatrixInstruction) -> Mapping[str, int]:
    """How many registers each operand takes, and the scales.

    >>> registers_of(matrix_instruction_of("V_MFMA_F32_32X32X8_F16", "gfx942"))["d"]
    16
    """
    parts = {"a": (matrix.a, matrix.a_dtype), "b": (matrix.b, matrix.b_dtype)}
    parts |= dict.fromkeys("cd", (matrix.d, matrix.accumulator))
    return dict.fromkeys(SCALES, matrix.scales.registers if matrix.scales else 1) | {
        role: (int(held.element.hi) + 1) * dtype_of(dtype).bits // 32 for role, (held, dtype) in parts.items()
    }
