"""Data-parallel primitives carried out: a modifier of an instruction's first source, and of which lanes are written.

Which lane is read is the matter of `semantics.dpp`; what another lane holds is the machine's.
What it cannot represent: masks (of comparisons, carries) of lanes that are not all written.
"""

from __future__ import annotations

from functools import partial

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.operands import Operands, Source
from layoutalg.isa.interpreter.storage import Lanes
from layoutalg.isa.semantics.dpp import control_of, lane_read, lane_written
from layoutalg.isa.semantics.entries import Alu
from layoutalg.isa.semantics.values import Truth, Word

#: The one control of 64-bit sources (CDNA 3 ISA, "DPP_CTRL Enumeration"; LLVM, isLegalDPALU_DPPControl).
_OF_64_BITS = "row_share"

#: The operation of one 64-bit source that has a data-parallel form by every source: LLVM lets those on numbers have it
#: (gfx90a), and AMD's manual not (CDNA 4 ISA, 12.16.1).
_WIDE_VOP1 = frozenset({"V_MOV_B64"})

#: What has no data-parallel form, besides operations on 64 bits (RDNA 3 ISA, "Which instructions support DPP"; LLVM,
#: VOP3Instructions).
_NEVER = frozenset({"V_MUL_LO_U32", "V_MUL_HI_U32", "V_MUL_HI_I32"})

_ALL = 0xF


class Parallel:
    """Reads the first source from other lanes, and says which lanes are written."""

    def __init__(self, operands: Operands, lanes: Lanes) -> None:
        self.operands, self.lanes, self.w = operands, lanes, operands.w
        self.controls = operands.kernel.architecture.lane_controls

    def refuse(self, instruction: Instruction, alu: Alu) -> None:
        """Refuses what the machine does not have, or what is not described of it."""
        fields, place = instruction.fields, instruction.place
        control = ""
        if instruction.form.endswith("_DPP16"):
            control = control_of(fields)
            if control not in self.controls:
                raise UnsupportedInstructionError(f"{place}: {control}, which the machine has not")
            all_written = fields.get("bc") and fields.get("row_mask") == fields.get("bank_mask") == _ALL
            if not all_written and any(token[0] != "d" for token in alu.writes):
                raise UnsupportedInstructionError(f"{place}: a mask of lanes that are not all written")
        elsewhere = instruction.form.startswith("VOP1") and instruction.name not in _WIDE_VOP1
        wide = any(token.endswith("64") for token in (*alu.writes, *alu.reads))
        moves = control == _OF_64_BITS and self.operands.kernel.architecture.moves_64_bits
        if wide and (elsewhere or not moves):
            raise UnsupportedInstructionError(f"{place}: 64 bits of other lanes")
        first = any(token[0] == "a" for token in alu.reads)
        if not first or instruction.name in _NEVER or instruction.name.startswith("V_CMPX"):
            raise UnsupportedInstructionError(f"{place}: a data-parallel primitive that is not described")

    def moved(self, instruction: Instruction, source: Source) -> Word:
        """The word of the lane that each lane reads, 0 where there is none."""
        word, (lane, there) = source(), self._read(instruction)
        return self.w.ite(there, self.lanes.gathered(word, lane), word ^ word)

    def written(self, instruction: Instruction) -> Source | None:
        """Says which lanes are written; None: all."""
        return None if instruction.form.endswith("_DPP8") else partial(self._written, instruction)

    def _written(self, instruction: Instruction) -> Truth:
        masks = lane_written(self.w, self.operands.registers.lane_number(), instruction.fields)
        return masks if instruction.fields.get("bc") else masks & self._read(instruction)[1]

    def _read(self, instruction: Instruction) -> tuple[Word, Truth]:
        """The number of the lane that each lane reads, and whether there is one that it may read."""
        fields = instruction.fields
        lane, within = lane_read(
            self.w, self.operands.registers.lane_number(), fields, instruction.form.endswith("_DPP8")
        )
        return lane, within if fields.get("fi") else within & self.lanes.active_at(lane)
