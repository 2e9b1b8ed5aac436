"""Moves that name a lane or a register by a number: scalar words in single lanes, and indexed registers.

| instruction | is read as |
|---|---|
| `v_writelane R, s, 5` | the scalar register ("R", 5) becomes s; the own lane's value of R becomes an unknown |
| `v_readlane s, R, 5` | s becomes the scalar register ("R", 5); an unknown, if nothing was written there |
| `s_set_gpr_idx_on s, mode` … `off` | vector operations between name registers s further on, those that the mode says |
| `v_movrels R, v3` | R becomes the register 3 + M0 |

Both lane instructions ignore EXEC (AMD's pseudocode for V_WRITELANE_B32 and V_READLANE_B32), so these scalar words
belong to the wave.  What it cannot represent: numbers that are not constant.
"""

from __future__ import annotations

from layoutalg.index import simplify
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.machine import operand_of
from layoutalg.isa.semantics.accesses import NO_EFFECT
from layoutalg.isa.semantics.table import ALU
from layoutalg.refine.symbolic.outstanding import Key
from layoutalg.refine.symbolic.registers import SymbolicRegisters, lanes_file
from layoutalg.refine.values.word import Mask, NotReadable


class RegisterMoves(SymbolicRegisters):
    """Lanes and registers by number."""

    def read_lane(self, instruction: Instruction) -> None:
        """V_READLANE_B32: what was written to that lane, of a register that is no other lane's data since."""
        register, lane = self._lane(instruction, "a")
        word = self.state.scalars.get((lanes_file(register), lane)) or self.w.unknown_word()
        self.write_scalar(operand_of(instruction, "d"), 32, word)

    def write_lane(self, instruction: Instruction) -> None:
        """V_WRITELANE_B32: the own lane may be the one that is written, so its value is not known then."""
        register, lane = self._lane(instruction, "d")
        word = self._constant(operand_of(instruction, "a"), 32)
        self._put(register, self.state.condition, self.w.unknown_word())
        self.hold_lane(register, lane, word)

    def _lane(self, instruction: Instruction, role: str) -> tuple[Key, int]:
        operand = operand_of(instruction, role)
        register = (operand.kind, operand.index)
        if operand.kind != "v":
            raise NotReadable(f"{instruction.place}: a lane of {operand}")
        if self.state.outstanding.open(register):
            raise NotReadable(f"{instruction.place}: the register's load is under way")
        return register, self._number(operand_of(instruction, "b"), instruction) % self.kernel.wave_size

    def _number(self, operand: Operand, instruction: Instruction) -> int:
        word = self._constant(operand, 32)
        e = None if isinstance(word, Mask) else simplify(word.expr)
        if e is None or e.op != "const":
            raise NotReadable(f"{instruction.place}: the number {operand} is not constant")
        return int(e.value) % (1 << 32)

    # Indexed registers

    def set_index_mode(self, instruction: Instruction) -> None:
        """S_SET_GPR_IDX_ON: M0's low byte from the source, the mode from the second source's raw field."""
        mode = operand_of(instruction, "b")
        if mode.kind != "s" or mode.index > 15:
            raise NotReadable(f"{instruction.place}: a mode that is not a number")
        self._offset = self._number(operand_of(instruction, "a"), instruction) % 256
        self.write_scalar(Operand("m0"), 32, self.w.unknown_word())  # bits of it stay, which nobody uses
        self.index_mode = mode.index

    def end_index_mode(self, instruction: Instruction) -> None:
        """S_SET_GPR_IDX_OFF."""
        self.index_mode = 0

    def refuse_in_index_mode(self, instruction: Instruction) -> None:
        """Refuses all but vector operations, of which alone it is said what the mode does."""
        name = instruction.name
        vector = name in ALU and instruction.form.startswith("VOP")
        if self.index_mode and not vector and name not in NO_EFFECT and name != "S_SET_GPR_IDX_OFF":
            raise NotReadable(f"{instruction.place} with indexed registers")

    def register_offset(self) -> int:
        """The number that was set when the mode began; the registers that it leads to must be there."""
        return self._offset

    def move_relative(self, instruction: Instruction) -> None:
        """V_MOVRELS_B32, V_MOVRELD_B32: M0 is added to the number of the source or of the result."""
        source, target = operand_of(instruction, "a"), operand_of(instruction, "d")
        offset = self._number(Operand("m0"), instruction)
        if instruction.name == "V_MOVRELS_B32":
            source = self._by_number(source, offset, instruction)
        else:
            target = self._by_number(target, offset, instruction)
        plain = source.kind not in ("v", "a")
        word = self._constant(source, 32) if plain else self.read_register(source, 32)
        self.write_register(target, 32, word)

    def _by_number(self, operand: Operand, offset: int, instruction: Instruction) -> Operand:
        """The register so many further on."""
        if operand.kind != "v" or operand.index + offset >= self.kernel.vector_registers:
            raise NotReadable(f"{instruction.place}: {offset} further on than {operand}")
        return Operand(operand.kind, operand.index + offset)
