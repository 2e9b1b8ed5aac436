"""Vector registers above 255: the banks in which an instruction's operands lie, as S_SET_VGPR_MSB before it says.

An instruction names one of 256 registers; two bits for each of its four slots say which 256 of up to 1024 they are.

| bits | VOP, VOPD, WMMA | DS | global, flat, scratch | buffer |
|---|---|---|---|---|
| 0–1 | first source | address | address | address |
| 2–3 | second source | data | data, or place in LDS | – |
| 4–5 | third source, and the second of V_FMAMK | second data | – | – |
| 6–7 | result, which is also what V_FMAC adds to | result | result, or place in LDS | data, result |

Scales of a product are of the first 256 (`block_scales`).
(LLVM, getVGPRLoweringOperandTables, AMDGPULowerVGPREncoding; AMD's rocm-systems, hotswap and rocjitsu.)  Bits 8–15 are
those that were before.  A wave begins with 0.  S_SETREG_IMM32_B32 of MODE overwrites the bits with those from 12 on of
its constant, the result's first, "on certain hardware" (the same pass): where that would make others of them, none is
known.
What is written are constants, so that the banks at an instruction are a fact of the code; where ways differ they are
not, and an instruction that names a vector register there is refused.
What it cannot represent: banks within functions, and instructions of other encodings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.decode.states import UNKNOWN, states_of
from layoutalg.isa.semantics.matrix import SCALES

SETS_BANKS = "S_SET_VGPR_MSB"

#: Registers of a bank.
BANK = 256

_VOP = {"a": 0, "b": 1, "c": 2, "d": 3}
_SLOTS: Mapping[str, Mapping[str, int]] = {
    "VOP": _VOP, "DS": {"addr": 0, "data": 1, "data2": 2, "d": 3}, "VBUFFER": {"addr": 0, "data": 3, "d": 3},
    **{form: {"addr": 0, "data": 1, "d": 3} for form in ("GLOBAL", "FLAT", "SCRATCH")},
}  # fmt: skip

_MODE, _FIRST, _BITS = 1, 12, 0xFF


def msbs_in(constant: int) -> int:
    """The banks that a constant written to MODE has, in the order of S_SET_VGPR_MSB.

    >>> hex(msbs_in(0b01 << 12)), hex(msbs_in(0b10 << 14))
    ('0x40', '0x2')
    """
    said = constant >> _FIRST & _BITS
    return said >> 2 | (said & 3) << 6


def _after(instruction: Instruction, banks: int) -> int:
    """The banks behind an instruction."""
    if instruction.name == SETS_BANKS:
        return instruction.fields.get("simm16", 0) & _BITS
    if instruction.name == "S_SETREG_IMM32_B32" and instruction.fields.get("simm16", 0) & 63 == _MODE:
        return banks if msbs_in(instruction.operands["a"].index) == banks else UNKNOWN
    return banks


def banks_of(
    blocks: Mapping[int, tuple[Sequence[Instruction], Sequence[int]]], starts: Sequence[int]
) -> Mapping[int, int]:
    """The banks at each instruction, by its address (`states_of`)."""
    return states_of(blocks, starts, 0, _after)


def in_banks(instruction: Instruction, banks: int) -> Instruction:
    """The instruction with its registers' numbers in these banks.

    Raises `UnsupportedInstructionError` where they are not known, and for an encoding whose slots are not.
    """
    named = [one for one in (instruction, *instruction.halves) if any(o.kind == "v" for o in one.operands.values())]
    if not banks or not named:
        return instruction
    if banks == UNKNOWN:
        raise UnsupportedInstructionError(f"{instruction.place}: banks of registers that depend on the way there")
    form = "VOP" if instruction.form.startswith("VOP") else instruction.form
    slots = _SLOTS.get(form)
    unknown = "CVT_SCALE" in instruction.name
    if slots is None or unknown or any(one.kind.startswith("v[") for one in _operands(instruction)):
        raise UnsupportedInstructionError(f"{instruction.place} with registers above 255")
    moved = tuple(_moved(half, banks, slots) for half in instruction.halves)
    return replace(_moved(instruction, banks, slots), halves=moved)


def _operands(instruction: Instruction) -> Sequence[Operand]:
    return [*instruction.operands.values(), *(o for half in instruction.halves for o in half.operands.values())]


def _moved(instruction: Instruction, banks: int, slots: Mapping[str, int]) -> Instruction:
    operands: dict[str, Operand] = {}
    for role, operand in instruction.operands.items():
        if operand.kind == "v" and role not in SCALES:
            if role not in slots:
                raise UnsupportedInstructionError(f"{instruction.place}: the bank of its operand {role}")
            slot = 2 if role == "b" and "FMAMK" in instruction.name else slots[role]
            operand = replace(operand, index=operand.index + BANK * (banks >> 2 * slot & 3))
        operands[role] = operand
    return replace(instruction, operands=operands)
