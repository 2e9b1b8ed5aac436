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


@cache
def matrix_instruction_of(name: str, target: str) -> MatrixInstruction | None:
    """The matrix instruction that the machine calls by this name on this target.

    >>> matrix_instruction_of("V_MFMA_F32_32X32X8_F16", "gfx942").k
    8
    """
    wanted = name.removeprefix("V_").lower().replace("_", "")
    for instruction in matrix_instructions(target):
        builtin = instruction.name
        plain = builtin.removesuffix("_gfx12").removesuffix("_w32").removesuffix("_1k").replace("_", "")
        if wanted in (plain, f"{plain}1k") and not builtin.endswith("w64"):
            return instruction
    return None


def registers_of(matrix: MatrixInstruction) -> Mapping[str, int]:
    """How many registers each operand takes.

    >>> registers_of(matrix_instruction_of("V_MFMA_F32_32X32X8_F16", "gfx942"))["d"]
    16
    """
    parts = {"a": (matrix.a, matrix.a_dtype), "b": (matrix.b, matrix.b_dtype)}
    parts |= dict.fromkeys("cd", (matrix.d, matrix.accumulator))
    return {role: (int(held.element.hi) + 1) * dtype_of(dtype).bits // 32 for role, (held, dtype) in parts.items()}
