"""Races in LDS: two waves' accesses of one byte in one epoch, one of them a store: neither happens before the other.

Accesses of one wave are in program order, but for two lanes that one instruction stores to one byte: which of them is
last is not said.  Of two waves nothing is, between two barriers: whatever conflicts there is a race (`overlay`).

Stores of the same bytes do not race, since whichever is last leaves them: of one instruction where all lanes of a wave
have the value; of any two where it is made of what the whole block has, or where the threads that meet have it in one
form (`equal_values`).  In C++ two threads that do this race; in
machine code nothing is left to a compiler that could make use of it.

What a table does not know of a guard is taken as holding.  Where two then conflict, and where an offset has no table,
the prover is asked of two threads with all that is known: their guards, their iterations, the barriers before them.
What it cannot represent: waves that an atomic operation orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement

from layoutalg.audit.accesses import TracedAccess, same_bytes
from layoutalg.audit.ask import Answer, Ask, Open, SilenceError, shown
from layoutalg.audit.epochs import in_one_epoch
from layoutalg.audit.lds.equal_values import ThreadValues, store_alike
from layoutalg.audit.lds.overlay import CONFLICTS, STORE, Overlay, at_once, epochs_of, kind
from layoutalg.audit.lds.tables import TABLE, LdsTables, decided
from layoutalg.index import FALSE, TRUE, Expr, all_of, any_of, eq, extent_of, negation
from layoutalg.index.conditions import excludes
from layoutalg.index.primed import same
from layoutalg.prove import ForAll, Shown
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved, others, own_coordinates
from layoutalg.symex.values.uninterpreted import ASSUMPTION

#: Pairs of accesses that the prover is asked of.
MOST_ASKED = 64


class LdsRaces:
    """The accesses of LDS of one block, two by two."""

    def __init__(self, tables: LdsTables, ask: Ask) -> None:
        self.ask = ask
        self.block, self.accesses, self.rows = tables.block, tables.accesses, tables.rows
        self.kinds = [*map(kind, self.accesses)]
        self.conflicts, self.compared = Overlay(tables).compared()
        self.values = ThreadValues(self.block, ask.trace)

    def meetings(self) -> Iterator[LdsMeeting]:
        """Of each access, with which ones that stand behind it, or with itself, it may race."""
        met: dict[int, list[tuple[int, Open]]] = {number: [] for number in range(len(self.accesses))}
        for one, other in combinations_with_replacement(met, 2):
            if (left := self._left(one, other)) is not None:
                met[one].append((other, left))
        asked = 0
        for number, pairs in met.items():
            access = self.accesses[number]
            if not pairs:
                assumed = (ASSUMPTION,) if self.values.functions.applied else ()
                yield LdsMeeting(self, str(access), TABLE, assumed=assumed)
            for other, left in pairs:
                beside = self.accesses[other].instruction
                at = f"; {beside.address:#x} {beside.name.lower()}" if number != other else ""
                yield LdsMeeting(self, f"{access}{at}", (number, other, left), asked < MOST_ASKED)
                asked += 1

    def _left(self, one: int, other: int) -> Open | None:
        """Why two accesses are not seen to be in order; None where they are, or do not conflict."""
        if self.kinds[other] not in CONFLICTS[self.kinds[one]]:
            return None
        if self.rows[one] is None or self.rows[other] is None:
            left = self._of_no_table(one, other)
        elif self.compared[one, other]:
            left = self.conflicts.get((one, other))
        else:
            raise SilenceError(f"{self.accesses[one]} and {self.accesses[other]} were not compared")
        if left is None or self._same_bytes(one, other) or self._alike(one, other) or self._never_both(one, other):
            return None
        return left

    def _of_no_table(self, one: int, other: int) -> Open | None:
        """Why two accesses are not seen to be in order, of which one has no table: they may be in one epoch."""
        a, b = self.accesses[one], self.accesses[other]
        there = others((*b.loops, *self.block.threads))
        if self._in_program_order(one, other, there) is TRUE:  # as where the block is one wave
            return None
        own = self.block.threads
        turns = {t: there[t] for t in b.loops}
        if all(in_one_epoch(m, n, a.loops, turns, own) is None for m in epochs_of(a) for n in epochs_of(b)):
            return None
        return Open("an address depends on more than the thread and its turn")

    def _same_bytes(self, one: int, other: int) -> bool:
        return same_bytes(self.accesses[one], self.accesses[other], self.block.launched.alike)

    def _alike(self, one: int, other: int) -> bool:
        """Whether two accesses store values of one form wherever they meet."""
        rows = self.rows[one], self.rows[other]
        if rows[0] is None or rows[1] is None or {self.kinds[one], self.kinds[other]} != {STORE}:
            return False
        return store_alike(rows[0], rows[1], self.values)

    def _never_both(self, one: int, other: int) -> bool:
        """Whether what all waves of the block have alike keeps two accesses from being made in one launch."""
        return excludes(*(self.block.alike(self.accesses[number].guard) for number in (one, other)))

    def obligation(self, one: int, other: int) -> ForAll:
        """Of two threads' accesses in one epoch: they are in program order, or of no common byte."""
        a, b, block = self.accesses[one], self.accesses[other], self.block
        alike = {*block.launched.alike, *b.loops, *block.threads}
        there = others((*b.loops, *block.threads, *own_coordinates(b.offset, b.guard, b.barriers, alike=alike)))
        offset, guard, barriers = (moved(e, there) for e in (b.offset, b.guard, b.barriers))
        apart = any_of(a.offset + a.width <= offset, offset + b.width <= a.offset)
        one_epoch = all_of(barriers <= a.barriers + a.spans, a.barriers <= barriers + b.spans)
        solved = self._iterations_of_one_epoch(a, b, there)
        made = [all_of(e >= 0, e < extent_of(t)) for t, e in solved.items() if e.op != "const"]
        given = all_of(block.launched.given, a.guard, guard, one_epoch, *made)
        goal = any_of(self._in_program_order(one, other, there), apart)
        if solved:
            given, goal = moved(given, solved), moved(goal, solved)
        at = tuple(solved.get(there[v], there[v]) for v in (*block.threads, *b.loops))
        shown = (
            Shown("thread and iteration", tuple(solved.get(v, v) for v in (*block.threads, *a.loops))),
            Shown("and thread and iteration", at),
        )
        return ForAll("no two waves meet in LDS between barriers", goal, given, shown)

    def _iterations_of_one_epoch(
        self, a: TracedAccess, b: TracedAccess, there: Mapping[Expr, Expr]
    ) -> Mapping[Expr, Expr]:
        """The iterations that follow from others where both accesses are in one epoch."""
        if a.spans or b.spans:  # which may be in several
            return {}
        return in_one_epoch(a.barriers, b.barriers, a.loops, {t: there[t] for t in b.loops}, self.block.threads) or {}

    def _in_program_order(self, one: int, other: int, there: Mapping[Expr, Expr]) -> Expr:
        """Whether two accesses are of one wave, which makes one after the other, or leave the same."""
        a, b, block = self.accesses[one], self.accesses[other], self.block
        landing = [access for access in (a, b) if access.lands]
        unordered = len(landing) == 2 or not all(access.alone for access in landing)
        one_wave = FALSE if unordered else eq(block.wave(), block.wave(there))
        if not at_once(a, b):
            return one_wave
        # In one iteration two lanes of a wave store at once.
        equal = eq(a.offset, moved(b.offset, there)) if one == other and a.uniform else FALSE
        in_order = all_of(one_wave, any_of(negation(same(a.loops, there)), equal))
        own = (*block.threads, *a.loops) if len(landing) == 2 else block.threads
        return any_of(same(own, there), in_order)


@dataclass(frozen=True, eq=False)
class LdsMeeting:
    """An access that races with none from it on, or two of which tables leave open whether they do."""

    races: LdsRaces
    about: str
    seen: str | tuple[int, int, Open]  # by what that is shown; or which two, and why it is open
    asked: bool = False  # of those that are open, whether the prover is asked of this one
    assumed: tuple[str, ...] = ()  # of those that are shown

    def __str__(self) -> str:
        return self.about

    def decided(self) -> Answer:
        """Whether there is no race."""
        if isinstance(self.seen, str):
            return shown(self.about, self.seen, self.assumed)
        one, other, left = self.seen
        return decided(self.races.ask, self.about, left, self.races.obligation(one, other) if self.asked else None)
