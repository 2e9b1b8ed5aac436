"""Exchanges between lanes carried out (`semantics.exchanges`): sources read, gathered from other lanes, written.

Those of the LDS unit bring their result later, as loads do.  What it cannot represent: waves of 64 lanes that exchange
in halves of 32 (RDNA 3, DS_PERMUTE_B32), and swaps with lanes that are not active.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.operands import Operands, operand_of, refuse_fields
from layoutalg.isa.interpreter.storage import Lanes, MemoryStorage
from layoutalg.isa.semantics.exchanges import of_the_row, picked, swizzled
from layoutalg.isa.semantics.values import Word

_OFFSETS = frozenset({"offset0", "offset1"})

#: Bits of `opsel` of permutations of rows: those of DPP16's `fi` and `bc` (LLVM, V_PERMLANE16_B32).
_FETCH, _BOUND = 1, 2


class Exchanges:
    """Carries out moves between lanes."""

    def __init__(self, operands: Operands, memory: MemoryStorage, lanes: Lanes) -> None:
        self.operands, self.registers, self.w = operands, operands.registers, operands.w
        self.memory, self.lanes = memory, lanes

    def backward(self, instruction: Instruction) -> None:
        """DS_BPERMUTE_B32: each lane names the one that it reads."""
        lane, word = self._named_lane(instruction), self._vector(instruction, "data")
        other = self.lanes.gathered(word, lane)
        if instruction.name != "DS_BPERMUTE_FI_B32":
            other = self.w.ite(self.lanes.active_at(lane), other, self.w.const(0, 32))
        self.memory.bring(operand_of(instruction, "d"), other)

    def forward(self, instruction: Instruction) -> None:
        """DS_PERMUTE_B32: each lane names the one that it is read by."""
        lane, word = self._named_lane(instruction), self._vector(instruction, "data")
        self.memory.bring(operand_of(instruction, "d"), self.lanes.scattered(word, lane))

    def swizzle(self, instruction: Instruction) -> None:
        """DS_SWIZZLE_B32."""
        lane = swizzled(self.w, self.registers.lane_number(), self._offset(instruction))
        other = self.lanes.gathered(self._vector(instruction, "addr"), lane)
        word = self.w.ite(self.lanes.active_at(lane), other, self.w.const(0, 32))
        self.memory.bring(operand_of(instruction, "d"), word)

    def _named_lane(self, instruction: Instruction) -> Word:
        """The lane whose number times 4 is the address."""
        kernel = self.registers.kernel
        if kernel.wave_size == 64 and not kernel.architecture.permutes_64_lanes:
            raise UnsupportedInstructionError(f"{instruction.place}: in a wave of 64 lanes")
        address = self._vector(instruction, "addr") + self.w.const(self._offset(instruction), 32)
        return self.w.lshr(address, self.w.const(2, 32)) & self.w.const(kernel.wave_size - 1, 32)

    def _offset(self, instruction: Instruction) -> int:
        refuse_fields(instruction, _OFFSETS)
        return instruction.fields.get("offset0", 0) | instruction.fields.get("offset1", 0) << 8

    def _vector(self, instruction: Instruction, role: str) -> Word:
        return self.registers.read_register(operand_of(instruction, role), 32)

    def permute_row(self, instruction: Instruction) -> None:
        """V_PERMLANE16_B32, V_PERMLANEX16_B32, and with _VAR."""
        refuse_fields(instruction, frozenset({"opsel"}))
        how, w, n = instruction.fields.get("opsel", 0), self.w, self.registers.lane_number()
        if how & ~(_FETCH | _BOUND):
            raise UnsupportedInstructionError(f"{instruction.place}: halves of its sources")
        if instruction.name.endswith("_VAR_B32"):
            pick = self._vector(instruction, "b")
        else:
            pick = picked(w, n, *(self.operands.constant(operand_of(instruction, role), 32) for role in "bc"))
        lane = of_the_row(w, n, pick, across="X16" in instruction.name)
        word, target = self.lanes.gathered(self._vector(instruction, "a"), lane), operand_of(instruction, "d")
        if not how & _FETCH:
            missing = w.const(0, 32) if how & _BOUND else self.registers.read_register(target, 32)
            word = w.ite(self.lanes.active_at(lane), word, missing)
        self.registers.write_register(target, 32, word)

    def other_half(self, instruction: Instruction) -> None:
        """V_PERMLANE64_B32, which does nothing in a wave of 32 lanes."""
        refuse_fields(instruction, frozenset())
        if self.registers.kernel.wave_size == 64:
            lane = self.registers.lane_number() ^ self.w.const(32, 32)
            word = self.lanes.gathered(self._vector(instruction, "a"), lane)
            self.registers.write_register(operand_of(instruction, "d"), 32, word)

    def swap(self, instruction: Instruction) -> None:
        """V_PERMLANE16_SWAP_B32, V_PERMLANE32_SWAP_B32: odd groups of the result with even ones of the source."""
        refuse_fields(instruction, frozenset())
        if not self.lanes.all_active():
            raise UnsupportedInstructionError(f"{instruction.place}: with lanes that are not active")
        w, n = self.w, self.registers.lane_number()
        size = w.const(16 if "16" in instruction.name else 32, 32)
        odd, partner = ~w.eq(n & size, w.const(0, 32)), n ^ size
        source, target = (self._vector(instruction, role) for role in "ad")
        new_source = w.ite(odd, source, self.lanes.gathered(target, partner))
        new_target = w.ite(odd, self.lanes.gathered(source, partner), target)
        self.registers.write_register(operand_of(instruction, "a"), 32, new_source)
        self.registers.write_register(operand_of(instruction, "d"), 32, new_target)


#: Instruction → what carries it out.
EXCHANGES: Mapping[str, Callable[[Exchanges, Instruction], None]] = {
    "DS_BPERMUTE_B32": Exchanges.backward,
    "DS_BPERMUTE_FI_B32": Exchanges.backward,
    "DS_PERMUTE_B32": Exchanges.forward,
    "DS_SWIZZLE_B32": Exchanges.swizzle,
    **dict.fromkeys(
        ("V_PERMLANE16_B32", "V_PERMLANEX16_B32", "V_PERMLANE16_VAR_B32", "V_PERMLANEX16_VAR_B32"),
        Exchanges.permute_row,
    ),
    "V_PERMLANE64_B32": Exchanges.other_half,
    "V_PERMLANE16_SWAP_B32": Exchanges.swap,
    "V_PERMLANE32_SWAP_B32": Exchanges.swap,
}
