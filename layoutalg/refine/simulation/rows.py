"""What a program's statements on rows make of a thread's registers: folds over lanes, powers, masks, quotients.

The text that is emitted (`kernel.emit.rows`) has an order and roundings; they are said here in the machine's
operations, which stay open:

| statement     | the registers then hold                                                           |
|---------------|-----------------------------------------------------------------------------------|
| fold of lanes | own registers one by one; bit by bit, what is held and what the lane has whose      |
|               | number differs in the bit                                                         |
| sum           | what it was and each element; of a total that was rescaled, one fused operation   |
| mask          | the score, or −∞ where it is not kept                                             |
| rescale       | the greater; totals times exp((top − greater) · factor)                           |
| exponentiate  | exp(score · factor − top · factor), the first product and the difference fused    |
| divide        | the quotient, in the steps that LLVM has for it (SITargetLowering, LowerFDIV32)   |

What another lane holds is what this one holds, of that thread's numbers, and `elsewhere(v, lane)` for each unknown v
that threads have for themselves: no more is known of it, but that for one v and one lane it is one.  So what two terms
are in another lane is one where they are one term of this lane, whichever thread it is.

What it cannot represent: folds of lanes of several waves; what all lanes happen to have alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby, product
from math import inf

from layoutalg.index import TRUE, Expr, as_expr, const, select, simplify, substitute, value, xor
from layoutalg.kernel.access.rows import kept_at, row_index, source_index
from layoutalg.kernel.program import (
    FOLDS,
    Divide,
    Exponentiate,
    Fold,
    How,
    MaskScores,
    Move,
    Program,
    Reading,
    Registers,
    Rescale,
)
from layoutalg.kernel.program.rows import Rows
from layoutalg.refine.simulation.numbers import NEUTRAL_BITS, bits_of
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.unknowns import call_of
from layoutalg.symex.values.word import NotReadable

TileElement = tuple[str, tuple[int, ...]]
"""A register tile's name and an index of it."""

#: The sign of an f32, 1 and −∞.
SIGN, UNIT, LEAST = (const(bits_of(x, "f32")) for x in (-0.0, 1.0, -inf))


class OtherLanes:
    """What terms of this lane are in others of its wave; what is `shared` all threads of the block have alike."""

    def __init__(self, wave: Wave, functions: UninterpretedFunctions, shared: Collection[Expr]) -> None:
        self.wave, self.functions, self.shared = wave, functions, shared

    def at(self, e: Expr, lane: Expr) -> Expr:
        """The term where the lane is that."""
        return self.wave.at_lane(e, lane, lambda v: v if v in self.shared else self._there(v, lane))

    def _there(self, v: Expr, lane: Expr) -> Expr:
        return self.functions.value(ELSEWHERE, int(v.hi) + 1, v, lane)

    def differing(self, e: Expr, bits: int) -> Expr:
        """The term in the lane whose number differs in these bits.  Raises `NotReadable` where there is none."""
        if not self.wave.threads or self.wave.occupied is not TRUE or not 0 < bits < self.wave.size:
            raise NotReadable(f"no lane of each wave of {self.wave.size} has a number that differs in {bits}")
        return self.at(e, simplify(xor(self.wave.lane, bits)))


class RowStatements(Reading[None]):
    """The statements on rows, to be read among others."""

    program: Program
    functions: UninterpretedFunctions
    held: dict[TileElement, Expr]
    at: Mapping[Expr, Expr]  # the numbers of the loops around
    lanes: OtherLanes

    def value(self, registers: Registers, y: tuple[int, ...]) -> Expr:
        """What a register holds."""
        if (registers.name, y) not in self.held:
            raise NotReadable(f"{self.program.name}: {registers.name}{list(y)} is used before it is set")
        return self.held[registers.name, y]

    def as_f32(self, registers: Registers, y: tuple[int, ...]) -> Expr:
        """It as f32."""
        return self.functions.convert(registers.dtype.name, "f32", self.value(registers, y))

    def read_fold(self, s: Fold) -> None:
        kept = len(s.c.distribution.ys)
        taken = ((y[:kept], self.as_f32(s.a, y)) for y in ys_of(s.a)) if not s.lanes else self._over_lanes(s)
        for y, one in taken:
            self.held[s.c.name, y] = self._taken_in(s.how, self.value(s.c, y), one)

    def _over_lanes(self, s: Fold) -> Iterator[tuple[tuple[int, ...], Expr]]:
        """What lanes have of each result: their own registers first, one after the other, then each other's."""
        kept = len(s.c.distribution.ys)
        for y, own in groupby(ys_of(s.a), lambda y: y[:kept]):
            found = [self.as_f32(s.a, register) for register in own]
            total = found[0]
            if len(s.a.distribution.ys) > kept:
                total = const(NEUTRAL_BITS[s.how]["f32"])
                for one in found:
                    total = self._taken_in(s.how, total, one)
            for bits in s.lanes:
                total = FOLDS[s.how].machine(self.functions, total, self.lanes.differing(total, bits))
            yield y, total

    def _taken_in(self, how: How, old: Expr, one: Expr) -> Expr:
        """What a total is with one more."""
        # Of a value and the least number, the value is the greater, whatever it is.
        if how == "max" and old is const(NEUTRAL_BITS["max"]["f32"]):
            return one
        name, factors = call_of(old)
        if (how, name) == ("sum", "mul_f32"):
            return self.functions.apply("fma_f32", *factors, one)
        return FOLDS[how].machine(self.functions, old, one)

    def read_move(self, s: Move) -> None:
        source = source_index(s)
        there = {y: _index(source, s.registers, y) for y in ys_of(s.registers)}
        dtypes = s.source.dtype.name, s.registers.dtype.name
        new = {y: self.functions.convert(*dtypes, self.value(s.source, there[y])) for y in there}
        self.held |= {(s.registers.name, y): e for y, e in new.items()}

    def read_mask_scores(self, s: MaskScores) -> None:
        only, keep = simplify(substitute(s.only, self.at)), kept_at(self.program, s)
        for y in ys_of(s.registers):
            kept = simplify(substitute(keep, {**self.at, **_numbers(s.registers, y)}))
            score = self.value(s.registers, y)
            self.held[s.registers.name, y] = select(only, select(kept, score, LEAST), score)

    def read_rescale(self, s: Rescale) -> None:
        f, powers = self.functions, dict[tuple[int, ...], Expr]()
        for y in ys_of(s.shift):
            top, greatest = self.value(s.shift, y), self.value(s.greatest, y)
            greater = select(f.relation("gt_f32", greatest, top), greatest, top)
            less = f.apply("sub_f32", top, greater)
            powers[y] = f.apply("exp_f32", f.apply("mul_f32", less, const(bits_of(s.factor, "f32"))))
            self.held[s.shift.name, y] = greater
        for rows in s.totals:
            for y in ys_of(rows.registers):
                total = self.value(rows.registers, y)
                power = powers[_row(rows, y)]
                self.held[rows.registers.name, y] = f.apply("mul_f32", total, power)

    def read_exponentiate(self, s: Exponentiate) -> None:
        f, factor, less = self.functions, const(bits_of(s.factor, "f32")), const(bits_of(-s.factor, "f32"))
        new: dict[TileElement, Expr] = {}
        for y in ys_of(s.registers):
            shift = f.apply("mul_f32", self.value(s.shift, _row(s.rows, y)), less)  # −(top · c) is top · −c, to the bit
            new[s.registers.name, y] = f.apply("exp_f32", f.apply("fma_f32", self.value(s.scores, y), factor, shift))
        self.held |= new

    def read_divide(self, s: Divide) -> None:
        for y in ys_of(s.registers):
            by = self.value(s.by, _row(s.rows, y))
            self.held[s.registers.name, y] = quotient(self.functions, self.value(s.registers, y), by)


def quotient(f: UninterpretedFunctions, a: Expr, b: Expr) -> Expr:
    """a / b of f32, rounded to nearest, by the steps of LowerFDIV32 (`isa.semantics.division`)."""
    below, above = f.apply("div_scale_f32", b, b, a), f.apply("div_scale_f32", a, b, a)
    guess, less = f.apply("rcp_f32", below), xor(below, SIGN)
    better = f.apply("fma_f32", f.apply("fma_f32", less, guess, UNIT), guess, guess)
    first = f.apply("mul_f32", above, better)
    second = f.apply("fma_f32", f.apply("fma_f32", less, first, above), better, first)
    last = f.apply("fma_f32", less, second, above), better, second
    scaled = select(f.relation("scaled_f32", b, a), f.apply("div_fmas_f32", *last), f.apply("fma_f32", *last))
    return f.apply("div_fixup_f32", scaled, b, a)


def ys_of(registers: Registers) -> Iterator[tuple[int, ...]]:
    """The indices of a tile's elements, in order."""
    return product(*map(range, map(int, registers.distribution.ys)))


def _numbers(registers: Registers, y: tuple[int, ...]) -> dict[Expr, Expr]:
    return dict(zip(registers.distribution.y_index, map(as_expr, y), strict=True))


def _index(es: tuple[Expr, ...], registers: Registers, y: tuple[int, ...]) -> tuple[int, ...]:
    """An index that is written in the Ys of a tile, at one of its elements."""
    at = dict(zip(registers.distribution.y_index, y, strict=True))
    return tuple(int(value(e, at)) for e in es)


def _row(rows: Rows, y: tuple[int, ...]) -> tuple[int, ...]:
    return _index(row_index(rows), rows.registers, y)
