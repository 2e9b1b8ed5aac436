"""What crosses the lanes of a wave, as one unknown lane sees it: what other lanes hold, and matrix products.

The own lane's word is an expression of its thread's numbers and of what it loaded or computed.  Each lane of the wave
has the same expression, of its own: another thread's numbers, and other unknowns of the same kinds and ranges.  So the
word of lane n is the expression with the thread's numbers replaced by those of thread n of the wave, and with a new
unknown for each that lanes have for themselves, of which no more is said; an undefined one stays undefined.  That holds
of lanes that are active where the word is read, since of others nothing was said: theirs is undefined, and whether a
lane is active is its bit of EXEC, by the same rule.

| instruction | is read as |
|---|---|
| `v_writelane R, s, 5` | the scalar register ("R", 5) becomes s; the own lane's value of R becomes an unknown |
| `v_readlane s, R, 5` | s becomes the scalar register ("R", 5); if nothing was written there, lane 5's word |
| `v_readfirstlane s, R` | the word of lane 0 where all lanes are active, or none; else of a lane that is not known |
| DPP, permutes, swizzles | the word of the lane that each lane names |
| a lane's number | that of its thread in the block, x the fastest, modulo the wave |
| a matrix product | each element an unknown function of all that the lane holds of A and B, and of its element of C |

Lane 0 always has a thread: threads fill waves in order.  A lane that has none is not active, and what it has is
undefined.  The first two ignore EXEC (AMD's pseudocode for
V_WRITELANE_B32 and V_READLANE_B32), so these scalar words belong to the wave.  The result of a read of a lane is a
scalar, and unknowns in it belong to the wave: other waves, and other blocks, have others.
What it cannot represent: numbers of lanes that are written to and not constant; that two lanes name one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layoutalg.index import (
    TRUE,
    ZERO,
    Expr,
    all_of,
    conjuncts,
    const,
    mod,
    negation,
    select,
    simplify,
)
from layoutalg.index.conditions import implies
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.semantics.matrix import PICKED_SCALES, SCALES, registers_of, scaled_name, scales_of
from layoutalg.isa.semantics.words import low_bits
from layoutalg.symex.machine.addresses import decided
from layoutalg.symex.machine.outstanding import Key
from layoutalg.symex.machine.registers import SymbolicRegisters, lanes_file
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE, FIRST_LANE
from layoutalg.symex.values.unknowns import NOTHING_KNOWN, Kind, arguments_of, function_of, kind_of
from layoutalg.symex.values.word import Bit, Mask, NotReadable, Word
from layoutalg.target.dtypes import dtype_of
from layoutalg.target.operand import BlockScales, MatrixInstruction

#: Words of 32 bits, and a one in each of their bytes.
_WORDS, _EACH_BYTE = 1 << 32, 0x01010101


class SymbolicLanes:
    """The lanes of the wave that the own lane is of."""

    def __init__(self, registers: SymbolicRegisters) -> None:
        self.registers, self.w = registers, registers.w

    # Other lanes

    def at_lane(self, e: Expr, lane: Expr, wave: bool = False) -> Expr:
        """What an expression of the own lane is for the lane of this number; `wave` where all lanes ask for the same.

        Unknowns that lanes have for themselves become others, one for each and each lane that is named.
        """
        return self.w.wave.at_lane(e, lane, lambda v: self._there(v, lane, wave))

    def _there(self, v: Expr, lane: Expr, wave: bool) -> Expr:
        """An unknown, as that lane has it."""
        if self.w.uniform(v):
            return v
        kind = kind_of(v)
        same = kind if kind in NOTHING_KNOWN else Kind.DATA
        found = self.w.unknown_of(ELSEWHERE, int(v.hi) + 1, v, lane, kind=same or Kind.DATA)
        if wave:
            self.w.note_uniform(found)
        return found

    def _word_at(self, word: Word | Mask, lane: Expr, wave: bool = False) -> Word:
        """A word of the own lane as the lane of this number has it, active or not."""
        if isinstance(word, Mask):
            return self.w.fresh_word()
        active, e = self._active_at(lane, wave), decided(word.expr, self.registers.own_exec)
        e = e if active is TRUE and self.w.uniform(e) else self.at_lane(e, lane, wave)
        return self.w.word(select(active, e, ZERO if active is TRUE else self.w.undefined(word.bits)), word.bits)

    def _active_at(self, lane: Expr, wave: bool = False) -> Expr:
        """Whether the lane of this number is active: the first lane of a mask is, where all lanes of the mask are."""
        registers = self.registers
        if function_of(lane) == FIRST_LANE and len(arguments_of(lane)) == 1:
            (own,) = arguments_of(lane)
            if negation(self.w.nobody(own)) in registers.state.path and implies(own, registers.own_exec):
                return TRUE
        if lane.op == "const" and self.w.wave.only_lane(registers.own_exec) == lane.value and self.some_active():
            return TRUE
        return self.at_lane(all_of(registers.w.wave.occupied, registers.own_exec), lane, wave)

    def gathered(self, word: Word | Mask, lane: Word) -> Word:
        """The word of the lane that each lane names; of one that is not active an undefined one."""
        return self._word_at(word, self._number(lane))

    def scattered(self, word: Word | Mask, lane: Word) -> Word:
        """The word of some active lane, or 0: which lanes name this one is not known."""
        size = self.registers.kernel.wave_size
        if isinstance(word, Mask):
            return self.w.fresh_word()
        made_of = lane.expr, self.w.wave.lane  # other lanes' too, which are made alike
        e = self.at_lane(word.expr, self.w.fresh("lane", size, Kind.DATA, "", *made_of))
        return self.w.word(select(self.w.fresh_bit(*made_of), e, 0))

    def all_active(self) -> bool:
        """Whether this one is, whichever thread it is."""
        return self.registers.all_active()

    def some_active(self) -> bool:
        """Whether a lane of the wave is: this one is, or a branch skips where none is."""
        own = self.registers.own_exec
        return own is TRUE or negation(self.w.nobody(own)) in self.registers.state.path

    def active_together(self) -> bool:
        """Whether all are where this one is: EXEC is the same for every lane, each of which has a thread."""
        parts, wave = conjuncts(self.registers.own_exec), self.w.wave
        return wave.occupied is TRUE and all(self.w.uniform(part) or wave.has_alike(part) for part in parts)

    def active_at(self, lane: Word) -> Bit:
        """The bit of EXEC of the lane that each lane names."""
        return Bit(self._active_at(self._number(lane)))

    def _number(self, lane: Word) -> Expr:
        """A lane's number, of which the wave's size is no matter."""
        return simplify(mod(self.w.unsigned(lane), self.registers.kernel.wave_size))

    def read_lane(self, source: Operand, lane: Word | Mask) -> Word | Mask:
        """What was written to that lane, if nothing else was since; else what the lane of that number has."""
        register = self._register(source)
        if isinstance(lane, Mask):
            raise NotReadable(f"{self.registers.where}: a mask that is a lane's number")
        number = self._number(lane)
        if number.op == "const":
            written = self.registers.state.scalars.get((lanes_file(register), int(number.value)))
            if written is not None:
                return written
        return self._word_at(self.registers.read_register(source, 32), number, wave=True)

    def write_lane(self, target: Operand, lane: Word | Mask, word: Word | Mask) -> None:
        """The own lane may be the one that is written, so its value is not known then."""
        register = self._register(target)
        number = self.registers.number(lane) % self.registers.kernel.wave_size
        written = word.own if isinstance(word, Mask) else word.expr
        unknown = self.w.unknown_word(written, self.w.wave.lane)
        self.registers.put(register, self.registers.state.condition, unknown)
        self.registers.set_lane_word(register, number, word)

    def _register(self, operand: Operand) -> Key:
        register = (operand.kind, operand.index)
        if operand.kind != "v":
            raise NotReadable(f"{self.registers.where}: a lane of {operand}")
        if self.registers.state.outstanding.open(register):
            raise NotReadable(f"{self.registers.where}: the register's load is under way")
        return register

    def read_first_lane(self, source: Operand) -> Word:
        """A uniform word is the word of the first lane too, if some lane is active; else a lane that is one of them."""
        registers = self.registers
        word, own = registers.read_register(source, 32), registers.own_exec
        if not self.w.uniform(word.expr):
            first = ZERO if self.w.uniform(own) else self._first_lane(own)
            word = self.w.word(self.at_lane(word.expr, first, wave=True))
        some = negation(self.w.nobody(own))  # as a branch that skips the rest has it
        if own is not TRUE and some not in registers.state.path:  # off the path it is not read at all
            word = self.w.word(select(own, word.expr, self.w.undefined()))
        return word

    def _first_lane(self, own: Expr) -> Expr:
        """The number of the first lane that has its bit of a mask."""
        only = self.w.wave.only_lane(own)
        if only is not None:
            return const(only)
        lane = self.w.first_of(Mask(own))
        self.w.note_uniform(lane)
        return lane

    def multiply(self, instruction: Instruction, matrix: MatrixInstruction) -> None:
        """Each element of the result: a function of all that the lane holds of A and B, and of its element of C."""
        if not self.all_active():
            raise NotReadable(f"{instruction.place} with inactive lanes")
        counts = registers_of(matrix)
        a, b, c = (self._words(instruction, role, counts[role]) for role in "abc")
        target, name = operand_of(instruction, "d"), matrix.name
        scales = scales_of(instruction.name, matrix)
        if scales:  # another function than that of the table, for each choice of scales
            picks = [instruction.fields.get(field, 0) for field in PICKED_SCALES[scales.held_by]]
            name = scaled_name(matrix, picks)
            for role, pick in zip(SCALES, picks, strict=True):
                words = self._scale(instruction, role, scales)
                b += [self._byte(words[0], pick)] if scales.held_by == "lanes" else words
        if dtype_of(matrix.accumulator).bits < 32:  # another than that of each of its elements, too
            name += " in pairs"
        results = [self.w.function(f"{name}[{k}]", *a, *b, old) for k, old in enumerate(c)]
        for k, word in enumerate(results):
            self.registers.write_cell((target.kind, target.index + k), word)

    def _byte(self, word: Word, number: int) -> Word:
        """One byte of a word."""
        found: Word = low_bits(self.w, self.w.lshr(word, self.w.const(8 * number, 32)), 8)
        return found

    def _scale(self, instruction: Instruction, role: str, scales: BlockScales) -> list[Word]:
        """A lane's registers of scales, or the constant that is one."""
        operand = operand_of(instruction, role)
        held = [replace(operand, index=operand.index + k) for k in range(scales.registers)]
        if operand.kind == "v":
            return [self.registers.read_register(one, 32) for one in held]
        if operand.kind == "s" and scales.held_by == "bytes":
            words = [word for one in held if isinstance(word := self.registers.read_scalar(one, 32), Word)]
            if len(words) < len(held) or not _are_one_scale(words):
                raise NotReadable(f"{instruction.place}: scalar registers that are not seen to have one scale alone")
            return words
        if operand.kind != "float" or scales.held_by == "bytes":
            raise NotReadable(f"{instruction.place}: a scale that is {operand}")
        return [self.w.const((operand.index >> 23 & 0xFF) * 0x01010101, 32)]  # its exponent in every byte

    def _words(self, instruction: Instruction, role: str, count: int) -> list[Word]:
        """A lane's registers of A, B or C."""
        operand = operand_of(instruction, role)
        if operand.kind in ("v", "a"):
            return [self.registers.cell((operand.kind, operand.index + k)) for k in range(count)]
        if (operand.kind, operand.index) != ("int", 0):
            raise NotReadable(f"{instruction}: a matrix operand that is the constant {operand}")
        return [self.w.const(0, 32)] * count


def _are_one_scale(words: Sequence[Word]) -> bool:
    """Whether all bytes are one number: of others sources differ in what they are the scales of (`isa.run.matrix`)."""
    numbers = {simplify(word.expr) for word in words}
    return len(numbers) == 1 and all(
        e.op == "const" and e.value % _WORDS == e.value % 256 * _EACH_BYTE for e in numbers
    )
