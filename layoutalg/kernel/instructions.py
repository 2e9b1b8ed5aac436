"""Matrix instructions as C: one device function each, on the elements that a lane holds.

| family    | written as                                                            |
|-----------|-----------------------------------------------------------------------|
| MFMA      | `__builtin_amdgcn_mfma_…(a, b, c, 0, 0, 0)`                           |
| WMMA      | `__builtin_amdgcn_wmma_…(a, b, c)`                                    |
| mma.sync  | inline PTX: fragments as 32-bit registers, two 16-bit elements in each |
"""

from __future__ import annotations

from layoutalg.target.operand import MatrixInstruction

ELEMENT = {"f16": "_Float16", "bf16": "__bf16", "f32": "float"}


def operation_name(instruction: MatrixInstruction, dtype: str) -> str:
    """The name of the device function.

    >>> from layoutalg.target.matrix import matrix_instruction
    >>> operation_name(matrix_instruction("mfma_f32_32x32x8f16"), "f16")
    'mfma_f32_32x32x8f16'
    """
    return instruction.name.split(".aligned.")[-1].replace(".", "_") if "." in instruction.name else instruction.name


def operation_source(instruction: MatrixInstruction, dtype: str) -> str:
    """The device function that multiplies one fragment: c ← c + a·b in the lanes of a wave."""
    raise NotImplementedError(f"{instruction.name} of {dtype}")
