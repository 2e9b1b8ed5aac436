"""What crosses the lanes of a wave, as one unknown lane sees it: scalar words in single lanes, matrix products.

| instruction | is read as |
|---|---|
| `v_writelane R, s, 5` | the scalar register ("R", 5) becomes s; the own lane's value of R becomes an unknown |
| `v_readlane s, R, 5` | s becomes the scalar register ("R", 5); an unknown, if nothing was written there |
| `v_readfirstlane s, R` | s becomes the own lane's word of R, which must be the same for all lanes |
| a lane's number | that of its thread in the block, x the fastest, modulo the wave |
| a matrix product | each element an unknown function of all that the lane holds of A and B, and of its element of C |

The first two ignore EXEC (AMD's pseudocode for V_WRITELANE_B32 and V_READLANE_B32), so these scalar words belong to
the wave.  What it cannot represent: numbers of lanes that are not constant.
"""

from __future__ import annotations

from collections.abc import Callable

from layoutalg.index import TRUE, Expr, all_of, negation, select
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.semantics.matrix import registers_of
from layoutalg.refine.symbolic.outstanding import Key
from layoutalg.refine.symbolic.registers import SymbolicRegisters, lanes_file
from layoutalg.refine.values.word import Bit, Mask, NotReadable, Word
from layoutalg.target.operand import MatrixInstruction


class SymbolicLanes:
    """The lanes of the wave that the own lane is of."""

    def __init__(self, registers: SymbolicRegisters, uniform: Callable[[Expr], bool]) -> None:
        """`uniform` says whether all lanes of a wave have the same."""
        self.registers, self.w, self.uniform = registers, registers.w, uniform

    def gathered(self, word: Word | Mask, lane: Word) -> Word:
        """What other lanes hold is not known."""
        raise NotReadable(f"{self.registers.where}: data of other lanes")

    def scattered(self, word: Word | Mask, lane: Word) -> Word:
        """What other lanes hold is not known."""
        raise NotReadable(f"{self.registers.where}: data of other lanes")

    def all_active(self) -> bool:
        """Whether this one is, whichever thread it is."""
        return self.registers.all_active()

    def active_at(self, lane: Word) -> Bit:
        """Which other lanes are active is not known."""
        raise NotReadable(f"{self.registers.where}: data of other lanes")

    def read_lane(self, source: Operand, lane: Word | Mask) -> Word | Mask:
        """What was written to that lane, of a register that is no other lane's data since."""
        register, number = self._lane(source, lane)
        return self.registers.state.scalars.get((lanes_file(register), number)) or self.w.unknown_word()

    def write_lane(self, target: Operand, lane: Word | Mask, word: Word | Mask) -> None:
        """The own lane may be the one that is written, so its value is not known then."""
        register, number = self._lane(target, lane)
        self.registers.put(register, self.registers.state.condition, self.w.unknown_word())
        self.registers.hold_lane(register, number, word)

    def _lane(self, operand: Operand, lane: Word | Mask) -> tuple[Key, int]:
        register = (operand.kind, operand.index)
        if operand.kind != "v":
            raise NotReadable(f"{self.registers.where}: a lane of {operand}")
        if self.registers.state.outstanding.open(register):
            raise NotReadable(f"{self.registers.where}: the register's load is under way")
        return register, self.registers.number(lane) % self.registers.kernel.wave_size

    def read_first_lane(self, source: Operand) -> Word:
        """A uniform word is the word of the first lane too, if some lane is active."""
        registers = self.registers
        word = registers.read_register(source, 32)
        if not self.uniform(word.expr):
            raise NotReadable(f"{registers.where}: {word.expr} differs between lanes")
        own = registers.own_exec
        some = negation(all_of(negation(own), self.w.others(own)))  # as a branch that skips the rest has it
        if registers.active is not TRUE and some not in registers.state.path:
            word = self.w.word(select(registers.active, word.expr, self.w.undefined()))
        return word

    def multiply(self, instruction: Instruction, matrix: MatrixInstruction) -> None:
        """Each element of the result: a function of all that the lane holds of A and B, and of its element of C."""
        if self.registers.active is not TRUE:
            raise NotReadable(f"{instruction.place} with inactive lanes")
        counts = registers_of(matrix)
        a, b, c = (self._words(instruction, role, counts[role]) for role in "abc")
        target = operand_of(instruction, "d")
        results = [self.w.function(f"{matrix.name}[{k}]", *a, *b, old) for k, old in enumerate(c)]
        for k, word in enumerate(results):
            self.registers.write_cell((target.kind, target.index + k), word)

    def _words(self, instruction: Instruction, role: str, count: int) -> list[Word]:
        """A lane's registers of A, B or C."""
        operand = operand_of(instruction, role)
        if operand.kind in ("v", "a"):
            return [self.registers.cell((operand.kind, operand.index + k)) for k in range(count)]
        if (operand.kind, operand.index) != ("int", 0):
            raise NotReadable(f"{instruction}: a matrix operand that is the constant {operand}")
        return [self.w.const(0, 32)] * count
