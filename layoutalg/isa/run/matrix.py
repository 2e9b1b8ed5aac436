"""Matrix instructions in the numpy machine: V_MFMA_… and V_WMMA_…, by the operand maps of `layoutalg.target`.

Registers are spread into matrices by those maps, multiplied, and gathered back.  Where a manual orders k otherwise than
most code loads it, the manual's order is used, as the machine would.

| accumulator | computed | so the result is |
|---|---|---|
| f32 | products and sums in f64, rounded once | within the rounding of any order of f32 sums |
| f64 | in f64 | within the rounding of another order of the sums |
| f16 | products and sums in f64, rounded once | within the rounding of f32 sums, and of f16 |
| i32 | in i64, cut to 32 bits | exact |

Scales of blocks are powers of two, so that A and B are exact with them; which lane has the scale of which block is said
by `BlockScales` (CDNA 4 ISA, 7.1.5; rocm-systems, rocjitsu).  Of CDNA 5's that is refused by name on which sources
differ: a constant as a scale, and a scalar register whose bytes are not alike.

What it cannot represent: xf32, bf16 sums, several blocks at once, sparse forms, broadcast and negation controls
(refused by name), and the wait states that some instructions need before a result is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.index import budget
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.registers import WaveRegisters
from layoutalg.isa.run.scaled import FOURS, SIXES, scale_of
from layoutalg.isa.semantics.matrix import LEAST, LEAST_SUM, PICKED_SCALES, scales_of
from layoutalg.target.dtypes import DTYPES, dtype_of
from layoutalg.target.eights import decoded
from layoutalg.target.elements import numbers
from layoutalg.target.operand import BlockScales, MatrixInstruction, OperandMap

#: The numpy type of the arithmetic on elements of each type.
_ARITHMETIC: Mapping[str, type] = {
    **dict.fromkeys(("f16", "bf16", "fp8", "bf8", "fp6", "bf6", "fp4", "f32", "f64"), np.float64),
    **dict.fromkeys(("i8", "i32"), np.int64),
}  # fmt: skip

#: Steps of a product, beside an instruction's: registers are spread into matrices, and gathered.
_PRODUCT = 1_000

#: The number of each code of fewer than eight bits.
_NARROW: Mapping[str, Array] = {"fp4": np.concatenate([FOURS, -FOURS]), **SIXES}


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
    scales = scales_of(instruction.name, matrix)
    if scales:
        a = a * _scales(registers, instruction, scales, "a", matrix.m)
        b = b * _scales(registers, instruction, scales, "b", matrix.n).mT
    budget.spend(_PRODUCT)
    flushes = registers.kernel.machine.dots_flush and matrix.a_dtype in LEAST
    if flushes:
        a, b = (_flushed(one, LEAST[matrix.a_dtype]) for one in (a, b))
    with np.errstate(all="ignore"):
        product = a @ b + c
    product = _flushed(product, LEAST_SUM) if flushes else product
    rows, columns = matrix.d.places
    target = operand_of(instruction, "d")
    for k, word in enumerate(_words(product[..., rows, columns], matrix.accumulator)):
        registers.write_register(Operand(target.kind, target.index + k), 32, word)


def _flushed(numbers: Array, least: float) -> Array:
    """Numbers of which those less than the least are zeros of their sign."""
    return np.where(np.abs(numbers) < least, np.copysign(0.0, numbers), numbers)


def _matrix(registers: WaveRegisters, instruction: Instruction, role: str, places: OperandMap, dtype: str) -> Array:
    """The matrix that each wave's registers hold: shape (copies, blocks, waves, rows, columns)."""
    operand = operand_of(instruction, role)
    if operand.kind not in ("v", "a"):
        if (operand.kind, operand.index) != ("int", 0):
            raise UnsupportedInstructionError(f"{instruction}: a matrix operand that is the constant {operand}")
        return np.zeros((1, 1, 1, *places.shape), _ARITHMETIC[dtype])
    rows, columns = places.places
    count = rows.shape[1] * dtype_of(dtype).bits // 32
    words = [registers.read_register(Operand(operand.kind, operand.index + k), 32) for k in range(count)]
    held = _elements(np.stack(np.broadcast_arrays(*words), axis=-1), dtype, registers.kernel.machine.eights == "fnuz")
    matrix = np.zeros((*held.shape[:3], *places.shape), held.dtype)
    matrix[..., rows, columns] = held
    if places.copies > 1 and not _alike(matrix[..., rows, columns], held, registers.running[..., None]):
        raise Fault("control", "lanes that must hold one element alike hold different values", registers.where)
    return matrix


def _scales(registers: WaveRegisters, instruction: Instruction, scales: BlockScales, role: str, side: int) -> Array:
    """The scale of each element of A's rows, or of B's columns: an array of (copies, blocks, waves, side, k)."""
    picked = instruction.fields.get(PICKED_SCALES[scales.held_by][role == "b"], 0)
    by_bytes = scales.held_by == "bytes"
    operand = operand_of(instruction, f"scale_{role}")
    if operand.kind == "v":
        held = [registers.read_register(replace(operand, index=operand.index + k), 32) for k in range(scales.registers)]
    elif operand.kind == "float" and not by_bytes:  # the exponent of the number counts
        return _of_each(np.full((1, 1, 1, registers.lanes), operand.index >> 23 & 0xFF, np.uint32), side, scales)
    elif operand.kind == "s" and by_bytes:
        held = [registers.read_scalar(replace(operand, index=operand.index + k), 32) for k in range(scales.registers)]
        _refuse_different(held, instruction, registers.running)
    else:
        raise UnsupportedInstructionError(f"{instruction.place}: a scale that is {operand}")
    if not by_bytes:
        return _of_each(held[0] >> np.uint32(8 * picked) & np.uint32(0xFF), side, scales)
    words = [np.broadcast_to(word, (*word.shape[:-1], registers.lanes)) for word in held]
    codes = np.stack(words, axis=-1)[..., 16 * picked : 16 * picked + side, :]
    codes = np.stack([codes >> np.uint32(8 * byte) & np.uint32(0xFF) for byte in range(4)], axis=-1)
    return np.repeat(_power(codes.reshape(*codes.shape[:-2], -1)), scales.block, axis=-1)


def _refuse_different(words: Sequence[Array], instruction: Instruction, running: Array) -> None:
    """Raises `UnsupportedInstructionError` for scalar words of scales that are not all alike, of waves that run."""
    first = words[0] & np.uint32(0xFF)
    if not all(((word == first * np.uint32(0x01010101)) | ~running).all() for word in words):
        raise UnsupportedInstructionError(f"{instruction.place}: different scales in scalar registers")


def _of_each(codes: Array, side: int, scales: BlockScales) -> Array:
    """The scale of each element, where a lane has one scale: of row l mod S, and of block l / S."""
    return np.repeat(_power(codes).reshape(*codes.shape[:-1], -1, side).mT, scales.block, axis=-1)


def _power(codes: Array) -> Array:
    return scale_of(codes.astype(np.uint32) << np.uint32(23))


def _alike(one: Array, other: Array, live: Array) -> bool:
    """Whether live waves have the same numbers, or none, in both."""
    return bool(((one == other) | ((one != one) & (other != other)) | ~live).all())


def _elements(words: Array, dtype: str, fnuz: bool) -> Array:
    """Elements of consecutive registers, low bits first: of an array whose last axis are the registers."""
    if dtype in _NARROW:
        bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
        each = bits.reshape(*bits.shape[:-1], -1, dtype_of(dtype).bits)
        return np.asarray(_NARROW[dtype][each @ (1 << np.arange(each.shape[-1]))])
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
