"""Tables of accesses of LDS laid over each other: which of them conflict, in one epoch, on which byte.

An *epoch* is what lies between two barriers.  Accesses are grouped by theirs, and two groups that may be in one epoch
(`epochs`) are laid over each other, in every iteration in which they may:

| of a byte | conflicts with another wave's |
|---|---|
| a store | store, read, atomic operation |
| a read | store, atomic operation |
| an atomic operation | store, read, atomic operation of another width |
| what a load to LDS stores there | all of these, and such |
| what a copy from LDS reads | store, atomic operation, what a load to LDS stores |

An access is made at some time between its issue and a wait, which its own wave may pass barriers before: so it is one
in each of the epochs until then.  A load to LDS is in order with its wave's other accesses where none of them is under
way beside it, and never with other such loads; else it stands for a wave of its own.
What it cannot represent: what a table does not know of a guard, which is taken as holding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.ask import Open
from layoutalg.audit.epochs import in_one_epoch, own_variables
from layoutalg.audit.lds.block import Ints
from layoutalg.audit.lds.tables import Iterations, LdsAccess, LdsRow, LdsTables, boxes, bytes_of, joint_periods, most_of
from layoutalg.index import Expr, simplify, value
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import others as other_iterations

NOBODY, SEVERAL, UNORDERED = -1, -2, -3

#: Kinds of accesses; atomic operations are of 4 or of 8 bytes, a landing is a load to LDS, a leaving a copy from there.
READ, STORE, ATOMIC, WIDE, LANDING, LEAVING = range(6)

#: With which kinds of another wave's accesses of the same byte each conflicts.
CONFLICTS = {
    READ: (STORE, ATOMIC, WIDE, LANDING), STORE: (READ, STORE, ATOMIC, WIDE, LANDING, LEAVING),
    ATOMIC: (READ, STORE, WIDE, LANDING, LEAVING), WIDE: (READ, STORE, ATOMIC, LANDING, LEAVING),
    LANDING: (READ, STORE, ATOMIC, WIDE, LANDING, LEAVING), LEAVING: (STORE, ATOMIC, WIDE, LANDING),
}  # fmt: skip

#: Iterations of two groups that are laid over each other at most.
MOST_PAIRS = 1 << 10

Conflict = tuple[tuple[int, int], Open]
"""Two accesses by their numbers, and where they meet: that they do not race is left open."""


def kind(access: LdsAccess) -> int:
    """Whether an access reads, stores, or does both at once, and in how many bytes; or lands."""
    if access.lands:
        return LANDING if access.store else LEAVING
    if access.atomic:
        return ATOMIC if access.width == 4 else WIDE
    return STORE if access.store else READ


def epochs_of(access: LdsAccess) -> list[Expr]:
    """How many barriers stand before an access, and those that its wave passes while it is under way."""
    return [simplify(access.barriers + k) for k in range(access.spans + 1)]


def at_once(one: LdsAccess, other: LdsAccess) -> bool:
    """Whether both are stored by one instruction at one time."""
    stores = kind(one) in (STORE, LANDING)
    return stores and one.instruction is other.instruction and one.moment == other.moment


class Overlay:
    """The accesses of LDS of one block that have tables."""

    def __init__(self, tables: LdsTables) -> None:
        self.block, self.size, self.count = tables.block, tables.size, len(tables.rows)
        self.number = {row: number for number, row in enumerate(tables.rows) if row is not None}

    def compared(self) -> tuple[dict[tuple[int, int], Open], NDArray[np.bool_]]:
        """Each two accesses that conflict in one epoch; and of all, which two were compared."""
        found: dict[tuple[int, int], Open] = {}
        compared = np.zeros((self.count, self.count), np.bool_)
        groups: dict[tuple[Expr, tuple[Expr, ...]], list[LdsRow]] = {}
        for row in self.number:
            for epoch in epochs_of(row.access):
                groups.setdefault((epoch, row.access.loops), []).append(row)
        for (one, ones), (other, others) in combinations_with_replacement(groups.items(), 2):
            there = other_iterations(other[1])
            solved = in_one_epoch(one[0], other[0], one[1], there, self.block.threads)
            if solved is not None and any(row.access.store for row in (*ones, *others)):
                found.update(self._laid(ones, others, _OneEpoch.of(ones, others, there, solved)))
            mine, theirs = ([self.number[row] for row in rows] for rows in (ones, others))
            compared[np.ix_(mine, theirs)] = compared[np.ix_(theirs, mine)] = True
        return found, compared

    def _laid(self, ones: Sequence[LdsRow], others: Sequence[LdsRow], epoch: _OneEpoch) -> Iterator[Conflict]:
        """One group over another, in all iterations that may be in one epoch."""
        if prod(epoch.free.values()) > MOST_PAIRS:
            why = Open("it turns with loops in more ways than are looked at")
            yield from ((_pair(self.number[a], self.number[b]), why) for a in ones for b in others)
            return
        marks: dict[tuple[int, ...], _Marks] = {}
        alike: set[tuple[int, ...]] = set()  # iterations of which accesses were laid over others of the same one
        for here, there in epoch.iterations():
            key = tuple(here[t] % n for t, n in epoch.mine.items())
            if ones is others and key == tuple(there[t] % n for t, n in epoch.mine.items()):
                if key not in alike:
                    yield from self._in_one_iteration(ones, here)
                    yield from self._again(ones, epoch)
                alike.add(key)
                continue
            if key not in marks:
                marks[key] = _Marks(self.size)
                for row in ones:
                    marks[key].note(row, here)
            for row in others:
                yield from self._between_waves(marks[key], row, there)

    def _in_one_iteration(self, rows: Sequence[LdsRow], iterations: Iterations) -> Iterator[Conflict]:
        """Each row beside those before it."""
        marks, made = _Marks(self.size), dict[tuple[int, int], list[LdsRow]]()
        for row in rows:
            together = made.setdefault((row.access.instruction.address, row.access.moment), [])
            together.append(row)
            for beside in together:
                if at_once(beside.access, row.access):
                    why = self._at_once(row, iterations) if beside is row else self._crosses(row, beside, iterations)
                    yield from [(_pair(self.number[beside], self.number[row]), why)] if why else []
            yield from self._between_waves(marks, row, iterations)
            marks.note(row, iterations)

    def _again(self, rows: Sequence[LdsRow], epoch: _OneEpoch) -> Iterator[Conflict]:
        """Loads to LDS that bring to one place in two turns of their loops: these are in no order."""
        turns = [t for t, n in epoch.mine.items() if t.hi >= n and epoch.solved.get(epoch.there[t]) is not t]
        for row in rows:
            if kind(row.access) == LANDING and not set(turns).isdisjoint(row.access.loops):
                number = self.number[row]
                yield (number, number), Open("it brings to one place in two turns with no barrier between")

    def _at_once(self, row: LdsRow, iterations: Iterations) -> Open | None:
        """Where two threads of an instruction store to one byte, and not the same there; None where none do."""
        lanes, starts = row.at(iterations)
        order = np.argsort(starts, kind="stable")
        apart, waves = np.diff(starts[order]), self.block.waves[lanes[order]]
        same = (apart == 0) & (np.diff(waves) == 0) & row.access.uniform
        close = np.nonzero((apart < row.access.width) & ~same)[0]
        if not close.size:
            return None
        one, two = (self.block.named(lanes[order[close[0] + k]]) for k in range(2))
        return Open(f"{one} and {two} store to LDS byte {int(starts[order[close[0] + 1]])} at once")

    def _crosses(self, row: LdsRow, other: LdsRow, iterations: Iterations) -> Open | None:
        """Where a thread stores one element of an instruction and another one the other; None where none do."""
        (lanes, starts), (others, beside) = row.at(iterations), other.at(iterations)
        meet = np.abs(starts[:, None] - beside[None, :]) < row.access.width
        meet &= lanes[:, None] != others[None, :]
        if not meet.any():
            return None
        one, two = np.argwhere(meet)[0]
        names = self.block.named(lanes[one]), self.block.named(others[two])
        byte = max(int(starts[one]), int(beside[two]))
        return Open(f"{names[0]} and {names[1]} store to LDS byte {byte} at once")

    def _between_waves(self, marks: _Marks, row: LdsRow, iterations: Iterations) -> Iterator[Conflict]:
        """Where other waves' accesses that are noted conflict with this one."""
        lanes, starts = row.at(iterations)
        bytes_, landing = bytes_of(starts, row.access.width), row.access.lands
        for against in CONFLICTS[kind(row.access)]:
            unordered = landing and (against in (LANDING, LEAVING) or not row.access.alone)
            waves = np.full(len(lanes), UNORDERED) if unordered else self.block.waves[lanes]
            own = np.broadcast_to(waves[:, None], bytes_.shape)
            met = marks.others(against, own, bytes_)
            if not met.any():
                continue
            number = self.number[row]
            for noted, at in marks.noted[against]:
                alone = _Marks(self.size)
                alone.note(noted, at)
                here = met & alone.others(against, own, bytes_)
                if here.any():
                    lane, byte = np.argwhere(here)[0]
                    what = f"{self.block.named(lanes[lane])} and another wave meet at LDS byte {bytes_[lane, byte]}"
                    other = self.number[noted]
                    yield _pair(number, other), Open(f"{what} with no barrier between")


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


@dataclass(frozen=True)
class _OneEpoch:
    """The iterations of two groups of accesses that may lie in one epoch."""

    mine: Mapping[Expr, int]  # the period of each loop around the one
    theirs: Mapping[Expr, int]  # of each around the other, by its other name
    there: Mapping[Expr, Expr]
    solved: Mapping[Expr, Expr]  # the iterations that follow from others

    @classmethod
    def of(
        cls, ones: Sequence[LdsRow], others: Sequence[LdsRow], there: Mapping[Expr, Expr], solved: Mapping[Expr, Expr]
    ) -> _OneEpoch:
        """Those at which as many barriers were passed, as `epochs.in_one_epoch` has solved it."""
        mine, theirs = joint_periods(ones), {there[t]: n for t, n in joint_periods(others).items()}
        solved = {t: e for t, e in solved.items() if own_variables(e) <= set(mine)}  # others are of sizes: any
        for u, e in solved.items():  # two iterations that go together are the same again when both are
            for t in own_variables(e) & set(mine):
                mine[t] = theirs[u] = most_of(t, lcm(mine[t], theirs[u]))
        return cls(mine, theirs, there, solved)

    @property
    def free(self) -> dict[Expr, int]:
        """The periods of the iterations that follow from no others."""
        return {t: n for t, n in {**self.mine, **self.theirs}.items() if t not in self.solved}

    def iterations(self) -> Iterator[tuple[Iterations, Iterations]]:
        """Those of the one and of the other."""
        for free in boxes(self.free):
            at = {**free, **{t: value(e, free) for t, e in self.solved.items()}}
            if any(t.hi < n and not 0 <= at[t] <= t.hi for t, n in {**self.mine, **self.theirs}.items()):
                continue  # there is no such iteration
            yield {t: at[t] for t in self.mine}, {t: at[u] for t, u in self.there.items()}


class _Marks:
    """Which wave accessed each byte in each way."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waves = {way: np.full(size + 1, NOBODY, np.int32) for way in CONFLICTS}
        self.noted: dict[int, list[tuple[LdsRow, Iterations]]] = {way: [] for way in CONFLICTS}

    def note(self, row: LdsRow, iterations: Iterations) -> None:
        """Notes an access in an iteration."""
        lanes, starts = row.at(iterations)
        way, waves = kind(row.access), row.block.waves[lanes]
        if row.access.lands and not row.access.alone:
            waves = np.full(len(lanes), SEVERAL)
        inside = np.clip(bytes_of(starts, row.access.width), 0, self.size)  # what is outside is `lds_in_bounds`'s
        held = self.waves[way]
        for wave in np.unique(waves):
            mine = inside[waves == wave]
            held[mine] = np.where((held[mine] == NOBODY) | (held[mine] == wave), wave, SEVERAL)
        self.noted[way].append((row, iterations))

    def others(self, way: int, own: Ints, bytes_: Ints) -> NDArray[np.bool_]:
        """Whether another wave accessed each of these bytes."""
        held = self.waves[way][np.clip(bytes_, 0, self.size)]
        met: NDArray[np.bool_] = (held != NOBODY) & (held != own) & (bytes_ >= 0) & (bytes_ < self.size)
        return met
