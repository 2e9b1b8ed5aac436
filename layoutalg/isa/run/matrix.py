"""Matrix instructions in the numpy machine: V_MFMA_… and V_WMMA_…, by the operand maps of `layoutalg.target`.

Registers are spread into matrices by those maps, multiplied, and gathered back.  Where a manual orders k otherwise than
most code loads it, the manual's order is used, as the machine would.

| accumulator | computed | so the result is |
|---|---|---|
| f32 | products and sums in f64, rounded once | within the rounding of any order of f32 sums |
| f64 | in f64 | within the rounding of another order of the sums |
| i32 | in i64, cut to 32 bits | exact |

What it cannot represent: xf32, several blocks at once, sparse forms, broadcast and negation controls (refused by name),
and the wait states that some instructions need before a result is read.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.eights import decoded
from layoutalg.isa.run.registers import WaveRegisters
from layoutalg.target.dtypes import DTYPES, dtype_of
from layoutalg.target.elements import numbers
from layoutalg.target.operand import MatrixInstruction, OperandMap

#: The numpy type of the arithmetic on elements of each type.
_ARITHMETIC: Mapping[str, type] = {
    **dict.fromkeys(("f16", "bf16", "fp8", "bf8", "f32", "f64"), np.float64), **dict.fromkeys(("i8", "i32"), np.int64),
}  # fmt: skip


def multiply(registers: WaveRegisters, instruction: Instruction, matrix: MatrixInstruction) -> None:
    """D = A·B + C for every live wave.

    Raises `UnsupportedInstructionError` for a form that is not described, and where lanes are inactive.
    """
    if matrix.a_dtype not in _ARITHMETIC or matrix.b_dtype not in _ARITHMETIC:
        raise UnsupportedInstructionError(f"{instruction.name} at {instruction.address:#x} has no entry")
    if not (registers.exec_lanes | ~registers.running).all():
        raise UnsupportedInstructionError(f"a matrix instruction with inactive lanes, at {registers.where}")
    a = _matrix(registers, instruction, "a", matrix.isa_a or matrix.a, matrix.a_dtype)
    b = _matrix(registers, instruction, "b", matrix.isa_b or matrix.b, matrix.b_dtype)
    c = _matrix(registers, instruction, "c", matrix.d, matrix.accumulator)
    with np.errstate(all="ignore"):
        product = a @ b + c
    rows, columns = matrix.d.places
    target = operand_of(instruction, "d")
    for k, word in enumerate(_words(product[..., rows, columns], matrix.accumulator)):
        registers.write_register(Operand(target.kind, target.index + k), 32, word)


def _matrix(registers: WaveRegisters, instruction: Instruction, role: str, places: OperandMap, dtype: str) -> Array:
    """The matrix that each wave's registers hold: shape (copies, blocks, waves, rows, columns)."""
    operand = operand_of(instruction, role)
    if operand.kind not in ("v", "a"):
        if (operand.kind, operand.index) != ("int", 0):
            raise UnsupportedInstructionError(f"{instruction}: a matrix operand that is the constant {operand}")
        return np.zeros((1, 1, 1, *places.shape), _ARITHMETIC[dtype])
    rows, columns = places.places
    size = dtype_of(dtype).bytes
    words = [
        registers.read_register(Operand(operand.kind, operand.index + k), 32) for k in range(rows.shape[1] * size // 4)
    ]
    held = _elements(np.stack(np.broadcast_arrays(*words), axis=-1), dtype, registers.kernel.machine.eights == "fnuz")
    matrix = np.zeros((*held.shape[:3], *places.shape), held.dtype)
    matrix[..., rows, columns] = held
    if places.copies > 1 and not _alike(matrix[..., rows, columns], held, registers.running[..., None]):
        raise Fault("control", "lanes that must hold one element alike hold different values", registers.where)
    return matrix


def _alike(one: Array, other: Array, live: Array) -> bool:
    """Whether live waves have the same numbers, or none, in both."""
    return bool(((one == other) | ((one != one) & (other != other)) | ~live).all())


def _elements(words: Array, dtype: str, fnuz: bool) -> Array:
    """Elements of consecutive registers, low bits first: of an array whose last axis are the registers."""
    if dtype in ("fp8", "bf8"):
        return decoded(np.ascontiguousarray(words).view(np.uint8), dtype, fnuz)
    one = DTYPES[dtype]
    with np.errstate(all="ignore"):
        return numbers(np.ascontiguousarray(words).view(one.numpy), one).astype(_ARITHMETIC[dtype])


def _words(elements: Array, dtype: str) -> list[Array]:
    """Register contents of accumulator elements of an array whose last axis are the elements."""
    if dtype == "i32":
        stored = elements.astype(np.int64).astype(np.int32)
    else:
        with np.errstate(all="ignore"):
            stored = elements.astype(DTYPES[dtype].numpy)
    words = np.ascontiguousarray(stored).view(np.uint32)
    return [words[..., k] for k in range(words.shape[-1])]
