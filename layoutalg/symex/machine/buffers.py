"""Buffers that scalar registers describe, as one lane sees them: where an access goes, and which of it happens.

A descriptor (`isa.semantics.buffers`) says a base, the bytes from there on that are in range, and
flags.  What is out of range the hardware drops, so the range is a guard of the access:

| the offset, n bytes in range | touches | gives |
|---|---|---|
| `i < M ? 4·i : 2³¹`, n = 2³¹ − 2 | base + 4·i where i < M | what is there where i < M, else 0 |
| `4·i`, n = 4·M | the same | the same |
| `4·i mod 2³²`, n = 4·M | base + (4·i mod 2³²) where that is below 4·M | what is there, be it another's |

An access of which sources say different things is refused, as the run on numbers refuses it: one must be in range
whole, or out of it, by every reading; on CDNA each of its dwords.  One with an index is in range by its bytes, and out
of it by its index.
What it cannot represent: structured buffers of RDNA, swizzled ones, and flags that are not constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import inf

from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, any_of, const, le, mod, simplify
from layoutalg.index.conditions import disjunction
from layoutalg.index.multiples import is_multiple
from layoutalg.index.node import Bound
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.isa.semantics.buffers import DIFFER, NOTHING, RULES, SCALAR
from layoutalg.records import dataclass
from layoutalg.symex.machine.addresses import decided, ways
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.word import NotReadable, Word

#: Of an offset that is chosen among more than so many, the choices are not looked at one by one.
MOST_WAYS = 4


@dataclass(frozen=True)
class RangedPart:
    """A part of an access: its address, its bytes, and in which of the cases that are given it happens."""

    address: Word
    size: int
    inside: Expr


class DescribedBuffer:
    """A buffer as a descriptor says it: its base, its range and its mode."""

    def __init__(self, values: IndexValues, architecture: str, words: tuple[Word, Word, Word], place: str) -> None:
        """Raises `NotReadable` for one that is not modelled."""
        self.w, self.rules, self.place = values, RULES[architecture], place
        said = self.rules.fields(values, words)
        upper, flags = (simplify(values.unsigned(word)) for word in (said.upper, said.flags))
        if flags.op != "const":
            raise NotReadable(f"{place}: a buffer whose flags are not constant: {flags}")
        if upper.op != "const":
            raise NotReadable(f"{place}: a buffer whose stride is not seen")
        mode = int(flags.value)
        why = self.rules.why_not(int(upper.value), mode)
        if why:
            raise NotReadable(f"{place}: a buffer that is not modelled: {why}")
        self.stride = int(upper.value)
        self.base, self.bytes = simplify(values.unsigned(said.base)), simplify(values.unsigned(said.count))
        self.unchecked = self.rules.mode(mode) == NOTHING

    def parts(
        self, access: MemoryInstruction, scalar: Word, offset: Word, index: Word | None = None
    ) -> Sequence[RangedPart]:
        """The access as it is in range, or not: as a whole, else dword by dword."""
        which = self.w.unsigned(index) if index is not None and self.stride else None
        moved, start = self.w.unsigned(scalar), offset.expr
        dwords = self.rules.by_dword and access.size > 4 and not access.atomic
        for size in (access.size, 4) if dwords else (access.size,):
            firsts = range(0, access.size, size)
            inside = [self._inside(start, k, size, moved, which) for k in firsts]
            found = [
                RangedPart(self.w.word(self.base + moved + start + k, 64), size, condition)
                for k, condition in zip(firsts, inside, strict=True)
                if condition is not None
            ]
            if len(found) == len(inside):
                return found
        raise NotReadable(f"{self.place}: {DIFFER if moved is ZERO else SCALAR}")

    def _inside(self, start: Expr, first: int, size: int, scalar: Expr, index: Expr | None) -> Expr | None:
        """When the bytes of an access from its first on are in range; None where not every reading says it alike."""
        found, each = FALSE, list(islice(ways(start), MOST_WAYS + 1))
        exact = scalar is ZERO and index is None and not self.rules.unsure
        clear = exact and all(is_multiple(e, size) for e in (start, const(first), self.bytes))
        for condition, cut_way in each if len(each) <= MOST_WAYS else [(TRUE, start)]:
            with self.w.ranges.assuming(condition):
                way, moved = self.w.ranges.uncut(cut_way), decided(scalar, condition)
            inside = le(way + first + size + self.rules.unsure + moved, self.bytes)
            outside = le(self.bytes, way + first)
            if scalar is not ZERO:  # by one reading it wraps
                outside = all_of(outside, le(self.bytes, mod(way + moved, 1 << 32) + first))
            if index is not None:
                outside = le(self.bytes, index)
            if self.unchecked:
                inside, outside = le(1, self.bytes), le(self.bytes, 0)
            there = le(way + first + size, 1 << 32)  # whether a dword beyond begins anew at 0, no source says
            inside, outside = (all_of(one, there) for one in (inside, outside))
            given = all_of(self.w.ranges.given, condition)
            if clear and _greatest(way) + first + size <= 1 << 32:  # it is either by the multiples that these are
                inside = simplify(inside)
            elif self._holds(inside, given):
                inside = TRUE
            elif self._holds(outside, given):
                inside = FALSE
            elif not self._holds(any_of(inside, outside), given):
                return None
            found = disjunction(found, all_of(condition, inside))
        return found

    def _holds(self, goal: Expr, given: Expr) -> bool:
        goal = simplify(goal)
        return goal is TRUE or (goal is not FALSE and self.w.ranges.decide(goal, given))


def _greatest(e: Expr) -> Bound:
    """What a number is at most, by its range and the power of two of which it is seen to be a multiple."""
    step = next((n for n in (16, 8, 4, 2) if is_multiple(e, n)), 1)
    return e.hi if e.hi == inf else e.hi // step * step
