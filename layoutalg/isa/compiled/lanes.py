"""`Lanes` as C text: what crosses lanes ends the loop over them."""

from __future__ import annotations

from layoutalg.isa.compiled.emission import Emission, LaneLoop, TextWord
from layoutalg.isa.compiled.products import Products, registers_of
from layoutalg.isa.compiled.registers import TextRegisters
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.target.operand import MatrixInstruction


class TextLanes:
    """The lanes of the wave `W`."""

    def __init__(self, registers: TextRegisters, products: Products) -> None:
        self.registers, self.products = registers, products
        self.emission: Emission = registers.emission

    def gathered(self, word: TextWord, lane: TextWord) -> TextWord:
        """An element of an array; what all lanes have alike stays."""
        if not word.lanes:
            return word
        self.registers.defined.read_all_lanes()
        array = self.emission.array(word)
        return self.emission.value(word.bits, f"{array}[{{}} & (LANES - 1)]", lane, lanes=True)

    def scattered(self, word: TextWord, lane: TextWord) -> TextWord:
        """One source lane after the other; nothing is known where two of other words name one lane."""
        data, at, result = self.emission.array(word), self.emission.array(lane), self.emission.name()
        self.emission.whole(f"uint32_t {result}[LANES] = {{0}}; uint64_t {result}_named = 0;")
        self.emission.open(LaneLoop(parallel=False))
        self.emission.in_lanes(f"const unsigned to = {at}[l] & (LANES - 1);")
        self.emission.in_lanes(f"if (CHECKED && W->x[l] && {result}_named >> to & 1 && {result}[to] != {data}[l]) "
                               "return doubt(B);")  # fmt: skip
        self.emission.in_lanes(f"if (W->x[l]) {result}[to] = {data}[l], {result}_named |= 1ull << to;")
        self.emission.close()
        return TextWord(self.emission, f"{result}[l]", 32, True)

    def all_active(self) -> bool:
        """Code goes on only where it is so."""
        self.emission.whole('if (!W->full) return refuse(B, "with lanes that are not active");')
        return True

    def active_at(self, lane: TextWord) -> TextWord:
        """A choice of EXEC's lanes."""
        return self.emission.value(1, "W->x[{} & (LANES - 1)] != 0", lane, lanes=True)

    def read_lane(self, source: Operand, lane: TextWord) -> TextWord:
        """One lane of a register."""
        self.registers.track.touch(source)
        self.emission.close()
        at = f"{self.emission.use(lane)} & (LANES - 1)"
        self.registers.defined.read_lane(source, at)
        return self.emission.value(32, f"W->{source.kind}[{source.index}][{at}]")

    def write_lane(self, target: Operand, lane: TextWord, word: TextWord) -> None:
        """One lane of a register."""
        self.registers.track.touch(target)
        self.emission.close()
        at, text = f"{self.emission.use(lane)} & (LANES - 1)", self.emission.use(word)
        self.registers.defined.write_lane(target, at)
        self.emission.statement(f"W->{target.kind}[{target.index}][{at}] = {text};")

    def read_first_lane(self, source: Operand) -> TextWord:
        """The lowest active lane, lane 0 when none is."""
        self.registers.track.touch(source)
        self.emission.close()
        first = "W->exec ? __builtin_ctzll(W->exec) : 0"
        self.registers.defined.read_lane(source, first)
        return self.emission.value(32, f"W->{source.kind}[{source.index}][{first}]")

    def multiply(self, instruction: Instruction, matrix: MatrixInstruction) -> None:
        """A call."""
        for register, written in registers_of(instruction, matrix):
            self.registers.track.touch(register)
            (self.registers.defined.write if written else self.registers.defined.read)(register)
        self.emission.whole(self.products.call(instruction, matrix))
