"""The float mode at each instruction: what the descriptor says, and what instructions before it make of it.

| instruction | writes of MODE |
|---|---|
| S_SETREG_IMM32_B32 | bits of it, that its immediate names, from its constant |
| S_ROUND_MODE, S_DENORM_MODE | bits 0–3, bits 4–7 |

(AMD's pseudocode for them; LLVM, SIDefines, Hwreg.)  Bits 0–7 are those of the descriptor, and bit 23 is FP16_OVFL
(LLVM's AMDGPUUsage, the intrinsic get.fpmode): of these alone something is modelled.  What is written are constants,
so the mode at an instruction is a fact of the code, on whatever way control comes there; where ways differ it is none.
What it cannot represent: a mode that a register says, and functions that are called in a mode of the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.decode.states import UNKNOWN, states_of

#: FP16_OVFL: what is finite and overflows becomes the greatest number.
OVERFLOW = 1 << 23

#: Where ways differ.
NO_MODE = UNKNOWN

#: The number of MODE among the machine's registers, and the bits of it that are modelled.
_MODE, _KNOWN = 1, 0xFF | OVERFLOW

#: The first bit of MODE that says in which banks registers lie, and how many do.
_BANKS = 12, 8

#: Where the bits of each register of the machine lie here: those of SCHED_MODE behind MODE's (LLVM, SIDefines, Hwreg).
_FIRST: Mapping[int, int] = {_MODE: 0, 26: 32}

#: Instruction → the first of the four bits that its immediate is.
_QUARTERS: Mapping[str, int] = {"S_ROUND_MODE": 0, "S_DENORM_MODE": 4}

SETS_MODE = frozenset({"S_SETREG_IMM32_B32", *_QUARTERS})

#: Bit of MODE → what it decides besides arithmetic, on CDNA (LLVM, SIDefines, Hwreg).
NO_FLOAT_MODE: Mapping[int, str] = {27: "whether M0 names registers", 28: "whether a wave skips vector instructions"}


def bits_written(instruction: Instruction) -> tuple[int, int]:
    """The first bit of MODE that an instruction of `SETS_MODE` writes, and how many; (0, 0) where it writes none.

    Bits of SCHED_MODE are counted from 32 on.

    >>> bits_written(Instruction(0, 8, "S_SETREG_IMM32_B32", "SOPK", {}, {"simm16": 23 << 6 | 1}))
    (23, 1)
    """
    said = instruction.fields.get("simm16", 0)
    if instruction.name in _QUARTERS:
        return _QUARTERS[instruction.name], 4
    return (_FIRST[said & 63] + (said >> 6 & 31), (said >> 11) + 1) if said & 63 in _FIRST else (0, 0)


def sets_mode(instruction: Instruction, free: int) -> bool:
    """Whether an instruction writes more of the mode than `free` bits, which decide nothing of what is modelled."""
    if instruction.name not in SETS_MODE:
        return False
    first, count = bits_written(instruction)
    return not count or bool((1 << count) - 1 << first & ~free)


def mode_after(instruction: Instruction, mode: int, free: int = 0) -> int:
    """The mode after an instruction that sets some of it; `free` bits decide nothing of what is modelled.

    Raises `UnsupportedInstructionError` where it sets more than is modelled.

    >>> from layoutalg.isa.decode.instructions import Operand
    >>> one = Instruction(0, 8, "S_SETREG_IMM32_B32", "SOPK", {"a": Operand("bits", 1)}, {"simm16": 23 << 6 | 1})
    >>> hex(mode_after(one, 0xF0))
    '0x8000f0'
    """
    said = instruction.fields.get("simm16", 0)
    first, count = bits_written(instruction)
    if not count:
        raise UnsupportedInstructionError(f"{instruction.place}: the register {said & 63} of the machine is set")
    value = said if instruction.name in _QUARTERS else instruction.operands["a"].index
    if free and count <= _BANKS[0]:
        value &= ~((1 << _BANKS[1]) - 1 << _BANKS[0])  # where registers lie, on CDNA 5 (`banks`)
    mask = (1 << count) - 1 << first
    if not mask & ~free and not value >> count and not instruction.fields.keys() - {"simm16"}:
        return mode
    if mask & ~_KNOWN or value >> count or instruction.fields.keys() - {"simm16"}:
        raise UnsupportedInstructionError(f"{instruction.place}: bits of the mode that are not modelled")
    return mode if mode == NO_MODE and mask != _KNOWN else (mode & ~mask | value << first)


def _after(instruction: Instruction, mode: int, free: int) -> int:
    """The same; no mode where it cannot be carried out."""
    try:
        return mode_after(instruction, mode, free)
    except UnsupportedInstructionError:
        return NO_MODE


def modes_of(
    blocks: Mapping[int, tuple[Sequence[Instruction], Sequence[int]]], starts: Sequence[int], mode: int, free: int = 0
) -> Mapping[int, int]:
    """The mode in which each instruction is carried out, by its address (`states_of`)."""

    def after(instruction: Instruction, mode: int) -> int:
        return _after(instruction, mode, free) if instruction.name in SETS_MODE else mode

    return states_of(blocks, starts, mode, after)
