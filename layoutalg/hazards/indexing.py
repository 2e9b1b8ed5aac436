"""Vector registers that M0 names: which operands of an instruction are so many registers further on as M0 says.

| between S_SET_GPR_IDX_ON s4, gpr_idx(SRC0) and S_SET_GPR_IDX_OFF | is |
|---|---|
| v_add_u32 v36, v40, v3 | v36 = v[40 + M0's low byte] + v3 |

Where ways meet, an operand that M0 names on one of them is said to be named by it.  Four bits of M0 say which operands
are (CDNA 4 ISA, 6.6): where something else writes M0 meanwhile, any may be.  AMD's text says vector registers; that
accumulation registers are not meant is said nowhere, so of those too nothing is known.
What it cannot represent: the number that is added.
"""

from __future__ import annotations

from dataclasses import replace

from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.effects import Effects, by_m0, registers
from layoutalg.isa.interpreter.operands import INDEXED
from layoutalg.isa.semantics.control import BEGINS_INDEXING, ENDS_INDEXING, SETS_INDEX, SETS_INDEXED
from layoutalg.records import dataclass

#: Every operand.
_ANY = sum(INDEXED.values())

#: Instructions whose operands the bits are not those of their roles (the same, 6.6.2), and those that are both.
_OTHERS = ("V_MADMK_", "V_FMAMK_", "V_SWAP_")


@dataclass
class IndexMode:
    """Whether M0 may name registers, and which operands then (`INDEXED`)."""

    on: bool = False
    bits: int = 0

    def copy(self) -> IndexMode:
        """The same, to be changed."""
        return replace(self)

    def join(self, other: IndexMode) -> bool:
        """By this way or the other."""
        before = self.on, self.bits
        self.on, self.bits = self.on or other.on, self.bits | other.bits
        return before != (self.on, self.bits)

    def step(self, one: Instruction, effects: Effects) -> None:
        """What an instruction makes of it."""
        if one.name == BEGINS_INDEXING:
            bits = one.operands["b"]  # the raw field, which is the number of a scalar register where it is a few
            self.on, self.bits = True, bits.index if bits.kind == "s" and bits.index <= _ANY else _ANY
        elif one.name == ENDS_INDEXING:
            self.on, self.bits = False, 0
        elif self.on and one.name == SETS_INDEXED:
            self.bits = one.fields.get("simm16", 0) & _ANY
        elif self.on and one.name != SETS_INDEX and effects.writes & registers("m0", 0):
            self.bits = _ANY

    def named(self, one: Instruction) -> Instruction:
        """An instruction with the operands that M0 names told as such."""
        if not self.bits or not one.name.startswith("V_"):
            return one
        bits = _ANY if one.name.startswith(_OTHERS) else self.bits
        operands = {
            role: by_m0(operand) if INDEXED.get(role, 0) & bits else operand for role, operand in one.operands.items()
        }
        return one if operands == one.operands else replace(one, operands=operands)
