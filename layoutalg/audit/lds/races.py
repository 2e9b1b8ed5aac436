"""Races in LDS: two waves' accesses of one byte between the same two barriers, one of them a store.

Accesses of one wave are in order, but for two lanes that one instruction stores to one byte: which of them is last is
not said.  Of two waves nothing is, between two barriers; so the accesses are grouped by their barriers, and two groups
that may meet (`intervals`) are laid over each other, in every turn in which they may:

| of a byte | is a race beside another wave's |
|---|---|
| a store | store, read, atomic operation |
| a read | store, atomic operation |
| an atomic operation | store, read, atomic operation of another width |

Stores of the same bytes do not race, since whichever is last leaves them: of one instruction where all lanes of a wave
have the value; of any two where it is made of what the whole block has.  In C++ two threads that do this race; in
machine code nothing is left to a compiler that could make use of it.

A load to LDS stores at some time between its issue and a wait, which its own wave may pass barriers before: so it is
an access in each of the intervals until then.  It is in order with its wave's other accesses where none of them is
under way beside it, and never with other such loads; else it stands for a wave of its own.

What a table does not know of a guard is taken as holding.  Where two then meet, and where an offset has no table, the
prover is asked of two threads with all that is known: their guards, their turns, the barriers before them.
What it cannot represent: waves that an atomic operation orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.accesses import TracedAccess, same_bytes
from layoutalg.audit.intervals import meeting, own_variables
from layoutalg.audit.lds.block import BlockThreads, Ints
from layoutalg.audit.lds.tables import (
    Iterations,
    LdsAccess,
    LdsFinding,
    LdsRow,
    boxes,
    bytes_of,
    joint_periods,
    most_of,
)
from layoutalg.index import FALSE, Expr, all_of, any_of, eq, extent_of, negation, simplify, value
from layoutalg.index.primed import same
from layoutalg.prove import ForAll, Shown
from layoutalg.symex.values.instances import moved, others, own_coordinates

NOBODY, SEVERAL, COMING = -1, -2, -3

#: Kinds of accesses; atomic operations are of 4 or of 8 bytes, what lands is a load to LDS.
READ, STORE, ATOMIC, WIDE, LANDING = range(5)

#: Of which kinds of accesses another wave's may not be of the same byte.
AGAINST = {
    READ: (STORE, ATOMIC, WIDE, LANDING), STORE: (READ, STORE, ATOMIC, WIDE, LANDING),
    ATOMIC: (READ, STORE, WIDE, LANDING), WIDE: (READ, STORE, ATOMIC, LANDING),
    LANDING: (READ, STORE, ATOMIC, WIDE, LANDING),
}  # fmt: skip

#: Iterations of two groups that are laid over each other at most, and pairs of accesses that the prover is asked of.
MOST_PAIRS, MOST_ASKED = 1 << 10, 64


def kind(access: LdsAccess) -> int:
    """Whether an access reads, stores, or does both at once, and in how many bytes; or lands."""
    if access.lands is not None:
        return LANDING
    if access.atomic:
        return ATOMIC if access.width == 4 else WIDE
    return STORE if access.store else READ


def intervals_of(access: LdsAccess) -> list[Expr]:
    """How many barriers stand before an access; of a load to LDS, before and while it is under way."""
    return [simplify(access.barriers + k) for k in range((access.lands or 0) + 1)]


class LdsRaces:
    """The accesses of LDS of one block, two by two."""

    def __init__(self, block: BlockThreads, found: Sequence[TracedAccess], rows: Sequence[LdsRow | None]) -> None:
        self.block, self.found, launched = block, found, block.launched
        self.alike = launched.alike
        self.rows = [row for row in rows if row is not None]
        self.place = {id(row): number for number, row in enumerate(rows) if row is not None}
        self.by_place = {number: row for number, row in enumerate(rows) if row is not None}
        self.open = [number for number, row in enumerate(rows) if row is None]
        self.size = max((int((b + r.access.width).max(initial=0)) for r, b in self._all()), default=0)

    def findings(self) -> Iterator[LdsFinding]:
        """Of each access, whether it may race, and with which."""
        met = {pair: why for pair, why in self._tabled() if not self._same_bytes(*pair)}
        for one, other in combinations_with_replacement(range(len(self.found)), 2):
            if (one in self.open or other in self.open) and self._may_meet(one, other):
                met[one, other] = "an address depends on more than the thread and its turn"
        left = MOST_ASKED
        for number, access in enumerate(self.found):
            pairs = [pair for pair in met if pair[0] == number]
            if not pairs:
                yield LdsFinding("race_free", str(access))
            for pair in pairs:
                beside = self.found[pair[1]].instruction
                at = f"; {beside.address:#x} {beside.name.lower()}" if pair[0] != pair[1] else ""
                asked, left = self._asked(*pair) if left > 0 else None, left - 1
                yield LdsFinding("race_free", f"{access}{at}", met[pair], asked)

    def _all(self) -> Iterator[tuple[LdsRow, Ints]]:
        for row in self.rows:
            for turns in boxes(row.periods):
                yield row, row.at(turns)[1]

    def _may_meet(self, one: int, other: int) -> bool:
        """Whether two accesses are of kinds that race, and may be between the same barriers."""
        a, b = self.found[one], self.found[other]
        if kind(b) not in AGAINST[kind(a)] or self._same_bytes(one, other):
            return False
        there = others(b.loops)
        return any(meeting(m, n, a.loops, there) is not None for m in intervals_of(a) for n in intervals_of(b))

    def _same_bytes(self, one: int, other: int) -> bool:
        return same_bytes(self.found[one], self.found[other], self.alike)

    def _at_once(self, one: int, other: int) -> bool:
        """Whether both are stored by one instruction at one time."""
        a, b = self.found[one], self.found[other]
        return a.instruction is b.instruction and a.moment == b.moment and kind(a) in (STORE, LANDING)

    # Tables

    def _tabled(self) -> Iterator[tuple[tuple[int, int], str]]:
        """Each pair of accesses that meet in the tables, with where."""
        groups: dict[tuple[Expr, tuple[Expr, ...]], list[LdsRow]] = {}
        for row in self.rows:
            for barriers in intervals_of(row.access):
                groups.setdefault((barriers, row.access.loops), []).append(row)
        for one, other in combinations_with_replacement(groups, 2):
            there = others(other[1])
            solved = meeting(one[0], other[0], one[1], there)
            if solved is None or not any(row.access.store for row in (*groups[one], *groups[other])):
                continue
            yield from self._overlaid(groups[one], groups[other], there, solved)

    def _overlaid(
        self, ones: Sequence[LdsRow], others: Sequence[LdsRow], there: dict[Expr, Expr], solved: dict[Expr, Expr]
    ) -> Iterator[tuple[tuple[int, int], str]]:
        mine, theirs = joint_periods(ones), {there[t]: n for t, n in joint_periods(others).items()}
        solved = {t: e for t, e in solved.items() if own_variables(e) <= set(mine)}  # others are of sizes: any turn
        for u, e in solved.items():  # two turns that go together are the same again when both are
            for t in own_variables(e) & set(mine):
                mine[t] = theirs[u] = most_of(t, lcm(mine[t], theirs[u]))
        free = {t: n for t, n in {**mine, **theirs}.items() if t not in solved}
        if prod(free.values()) > MOST_PAIRS:
            why = "it turns with loops in more ways than are looked at"
            yield from (((self.place[id(a)], self.place[id(b)]), why) for a in ones for b in others)
            return
        known: dict[tuple[int, ...], _Marks] = {}
        within: set[tuple[int, ...]] = set()  # the turns of which accesses were laid over others of the same turn
        for turns in boxes(free):
            at = {**turns, **{t: value(e, turns) for t, e in solved.items()}}
            if any(t.hi < n and not 0 <= at[t] <= t.hi for t, n in {**mine, **theirs}.items()):
                continue  # there is no such turn
            here = {t: at[t] for t in mine}
            other = {t: at[u] for t, u in there.items()}
            key = tuple(here[t] % n for t, n in mine.items())
            alike = ones is others and all(here[t] % n == other[t] % n for t, n in mine.items())
            if alike and key not in within:
                within.add(key)
                yield from self._within(ones, here)
            if not alike:
                if key not in known:
                    known[key] = _Marks(self.size)
                    for row in ones:
                        known[key].note(row, here)
                for row in others:
                    yield from self._against(known[key], row, other)

    def _within(self, rows: Sequence[LdsRow], turns: Iterations) -> Iterator[tuple[tuple[int, int], str]]:
        """Each row of one turn beside those before it."""
        marks = _Marks(self.size)
        for row in rows:
            number = self.place[id(row)]
            for at in range(max(0, number - 1), number + 1):  # an instruction has two elements at most
                other = self.by_place.get(at)
                if other and self._at_once(at, number) and (why := self._collides(row, other, turns)):
                    yield (at, number), why
            yield from self._against(marks, row, turns)
            marks.note(row, turns)

    def _collides(self, row: LdsRow, other: LdsRow, turns: Iterations) -> str:
        """Whether two threads store to one byte in one turn, and not the same there."""
        lanes, starts = row.at(turns)
        if row is not other:  # the two elements of one instruction
            return self._crosses(row, other, turns)
        order = np.argsort(starts, kind="stable")
        apart, waves = np.diff(starts[order]), self.block.waves[lanes[order]]
        same = (apart == 0) & (np.diff(waves) == 0) & row.access.uniform
        close = np.nonzero((apart < row.access.width) & ~same)[0]
        if not close.size:
            return ""
        one, two = (self.block.named(lanes[order[close[0] + k]]) for k in range(2))
        return f"{one} and {two} store to LDS byte {int(starts[order[close[0] + 1]])} at once"

    def _crosses(self, row: LdsRow, other: LdsRow, turns: Iterations) -> str:
        """Whether a thread stores one element of an instruction where another one stores the other."""
        (lanes, starts), (others, beside) = row.at(turns), other.at(turns)
        meet = np.abs(starts[:, None] - beside[None, :]) < row.access.width
        meet &= lanes[:, None] != others[None, :]
        if not meet.any():
            return ""
        one, two = np.argwhere(meet)[0]
        names = self.block.named(lanes[one]), self.block.named(others[two])
        return f"{names[0]} and {names[1]} store to LDS byte {max(int(starts[one]), int(beside[two]))} at once"

    def _against(self, marks: _Marks, row: LdsRow, turns: Iterations) -> Iterator[tuple[tuple[int, int], str]]:
        """Where other waves' accesses that are noted are of bytes of this one."""
        lanes, starts = row.at(turns)
        bytes_ = bytes_of(starts, row.access.width)
        coming = row.access.lands is not None
        for against in AGAINST[kind(row.access)]:
            apart = coming and (against == LANDING or not row.access.alone)
            waves = np.full(len(lanes), COMING) if apart else self.block.waves[lanes]
            own = np.broadcast_to(waves[:, None], bytes_.shape)
            met = marks.others(against, own, bytes_)
            if not met.any():
                continue
            number = self.place[id(row)]
            for noted, at in marks.noted[against]:
                alone = _Marks(self.size)
                alone.note(noted, at)
                here = met & alone.others(against, own, bytes_)
                if here.any():
                    lane, byte = np.argwhere(here)[0]
                    what = f"{self.block.named(lanes[lane])} and another wave meet at LDS byte {bytes_[lane, byte]}"
                    other = self.place[id(noted)]
                    yield (min(number, other), max(number, other)), f"{what} with no barrier between"

    # The prover

    def _asked(self, one: int, other: int) -> ForAll:
        """Of two threads in one interval: of one wave, or apart."""
        a, b, block = self.found[one], self.found[other], self.block
        alike = {*self.alike, *b.loops, *block.threads}
        there = others((*b.loops, *block.threads, *own_coordinates(b.offset, b.guard, b.barriers, alike=alike)))
        coming = a.lands is not None or b.lands is not None
        apart_in_wave = all(one.lands is not None for one in (a, b)) or any(
            one.lands is not None and not one.alone for one in (a, b)
        )
        solved = {} if coming else meeting(a.barriers, b.barriers, a.loops, {t: there[t] for t in b.loops}) or {}
        offset, guard, barriers = (moved(e, there) for e in (b.offset, b.guard, b.barriers))
        apart = any_of(a.offset + a.width <= offset, offset + b.width <= a.offset)
        ordered = FALSE if apart_in_wave else eq(block.wave(), block.wave(there))
        if self._at_once(one, other):  # in one turn, two lanes of a wave store at once
            equal = eq(a.offset, offset) if one == other and a.uniform else FALSE
            in_order = all_of(ordered, any_of(negation(same(a.loops, there)), equal))
            ordered = any_of(same(block.threads, there), in_order)
        within = [all_of(e >= 0, e < extent_of(t)) for t, e in solved.items() if e.op != "const"]
        at_once = all_of(barriers <= a.barriers + (a.lands or 0), a.barriers <= barriers + (b.lands or 0))
        given = all_of(block.launched.given, a.guard, guard, at_once, *within)
        goal = any_of(ordered, apart)
        if solved:
            given, goal = moved(given, solved), moved(goal, solved)
        at = tuple(solved.get(there[v], there[v]) for v in (*block.threads, *b.loops))
        shown = (
            Shown("thread and turn", tuple(solved.get(v, v) for v in (*block.threads, *a.loops))),
            Shown("and thread and turn", at),
        )
        return ForAll("no two waves meet in LDS between barriers", goal, given, shown)


class _Marks:
    """Which wave accessed each byte in each way."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waves = {way: np.full(size + 1, NOBODY, np.int32) for way in AGAINST}
        self.noted: dict[int, list[tuple[LdsRow, Iterations]]] = {way: [] for way in AGAINST}

    def note(self, row: LdsRow, turns: Iterations) -> None:
        """Notes an access in a turn."""
        lanes, starts = row.at(turns)
        way, waves = kind(row.access), row.block.waves[lanes]
        if row.access.lands is not None and not row.access.alone:
            waves = np.full(len(lanes), SEVERAL)
        inside = np.clip(bytes_of(starts, row.access.width), 0, self.size)  # what is outside is `lds_in_bounds`'s
        held = self.waves[way]
        for wave in np.unique(waves):
            mine = inside[waves == wave]
            held[mine] = np.where((held[mine] == NOBODY) | (held[mine] == wave), wave, SEVERAL)
        self.noted[way].append((row, turns))

    def others(self, way: int, own: Ints, bytes_: Ints) -> NDArray[np.bool_]:
        """Whether another wave accessed each of these bytes."""
        held = self.waves[way][np.clip(bytes_, 0, self.size)]
        met: NDArray[np.bool_] = (held != NOBODY) & (held != own) & (bytes_ >= 0) & (bytes_ < self.size)
        return met
