"""Of a wave, what is said of its lanes: conditions of block, wave and iteration, which `sums` counts.

Where a kernel's branches lead is a condition on the wave.  What it says of lanes is that some lane has a bit:

| some lane of wave w has | where |
|---|---|
| 256·b + x < n, x the thread's number | 256·b + 64·w < n: of its first lane, which has the most room |
| x < 100 | w is 0 or 1, by a table |
| x < 100 and 256·b + x < n | both, by the first of the lanes that x < 100 leaves |
| one of two things | some lane has the one, or some lane the other |

An iteration of a loop that lanes leave for themselves is one of the wave where some lane is active in it.  Each rests
on the loop's claims: `exactly` of the lanes that are active, and how often one runs that all leave together.
What it cannot represent: lanes of which one has the most room by one condition, and another by another; what was
loaded; masks that are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from layoutalg.counters.formulas.sums import CountIndex, NotCountedError
from layoutalg.index import (
    FALSE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    array,
    conjuncts,
    const,
    div,
    eq,
    extent_of,
    lookup,
    mod,
    negation,
    select,
    simplify,
    slack,
    substitute,
    var,
    variables,
)
from layoutalg.index.conditions import implies
from layoutalg.records import dataclass
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedSteps
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.values.unknowns import Kind, arguments_of, function_of, kind_of
from layoutalg.symex.values.word import HAS_THREAD

#: How often a condition of one of several is taken apart.
MOST_WAYS = 8

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class CountedCase:
    """A box and conditions: so many points as satisfy them, so many waves carry something out."""

    indices: tuple[CountIndex, ...]
    conditions: tuple[Expr, ...]


@dataclass(frozen=True)
class Waves:
    """The waves of a launch whose blocks have so many threads; with what is known of its loops."""

    wave: Wave
    blocks: Sequence[tuple[Expr, Expr]]  # the index along each axis, and how many there are
    loops: LoopRecord

    @cached_property
    def number(self) -> Expr:
        """The wave's number in its block."""
        return var("wave", self.count)

    @property
    def count(self) -> int:
        """How many waves a block has."""
        return -(-self.wave.count // self.wave.size)

    def cases(self, steps: TracedSteps, active: Expr | None = None) -> Iterator[CountedCase]:
        """The waves that carry steps out, in all iterations; those of them that have a lane that is `active`."""
        indices = [*(CountIndex(v, n) for v, n in self.blocks), CountIndex(self.number, const(self.count))]
        conditions = [one for part in steps.path for one in self._of_wave(self.in_count(part, steps.loops))]
        conditions += [] if active is None else self._some_lane(self.settled(active), MOST_WAYS)
        for t in steps.loops:
            if t in self.loops.iterations:
                if not self.loops.iterations[t].of_waves:
                    raise NotCountedError("waves may go on in a loop that no lane is in")
                conditions += self._some_lane(self.settled(self.loops.iterations[t].active), MOST_WAYS)
                indices.append(CountIndex(t, None))
            else:
                indices.append(CountIndex(t, self._at_first_lane(self.loops.counts[t])))
        yield from first_turns(CountedCase(tuple(indices), tuple(conditions)), steps.loops)

    def in_count(self, part: Expr, loops: Sequence[Expr]) -> Expr:
        """Where a loop is left, as its count says; else the part itself."""
        for t in loops:
            if t in self.loops.exits and t not in self.loops.iterations:
                leaves, last = simplify(self.loops.exits[t][1]), self.loops.counts[t] - 1
                if simplify(part) is leaves:
                    return eq(t, last)
                if simplify(negation(part)) is leaves:
                    return t < last
        return part

    def settled(self, e: Expr) -> Expr:
        """With what is known of the iterations that a lane is active in."""
        inside = {one.inside: select(one.active, 1, 0) for one in self.loops.iterations.values()}
        while not inside.keys().isdisjoint(variables(e)):
            e = substitute(e, inside)
        return simplify(e)

    def _of_wave(self, part: Expr) -> list[Expr]:
        """A condition on the wave, without lanes."""
        part = self.settled(part)
        unknown = [v for v in variables(part) if kind_of(v) is not None]
        if not unknown:
            return [self._at_first_lane(part)]
        found = self._of_lanes(part, unknown[0]) if len(unknown) == 1 else None
        if found is not None:
            return found
        if part.op == "all":
            return [one for each in part.args for one in self._of_wave(each)]
        if part.op == "any":
            return [any_of(*(all_of(*self._of_wave(each)) for each in part.args))]
        raise NotCountedError(f"a branch goes by {said(unknown[0])}")

    def _of_lanes(self, part: Expr, v: Expr) -> list[Expr] | None:
        """Of a condition that some lane has a bit, or none has; None of another."""
        if kind_of(v) is not Kind.ANY or function_of(v) != "any" or not arguments_of(v):
            return None
        own, *vacant = arguments_of(v)
        if vacant and self.settled(vacant[0]) is not FALSE:
            return None
        own, where = self.settled(own), [simplify(substitute(part, {v: const(k)})) for k in (0, 1)]
        if where[0] is TRUE and _same(where[1], own):
            return self._some_lane(own, MOST_WAYS)
        if where[0] is FALSE and _same(where[1], negation(own)):
            return [negation(all_of(*self._some_lane(own, MOST_WAYS)))]
        return None

    def _at_first_lane(self, e: Expr) -> Expr:
        """What all lanes of a wave have alike, of the wave's number.  Raises `NotCountedError` where they have not."""
        if unknown := [v for v in variables(e) if kind_of(v) is not None]:
            raise NotCountedError(f"what is counted goes by {said(unknown[0])}")
        if set(self.wave.threads).isdisjoint(variables(e)):
            return simplify(e)
        if simplify(substitute(e, self.wave.threads_at(ZERO))) is not simplify(e):
            raise NotCountedError(f"lanes have {e}")
        at, left = dict[Expr, Expr](), self.number * self.wave.size
        for t in self.wave.threads[:-1]:
            at[t], left = mod(left, int(t.hi) + 1), div(left, int(t.hi) + 1)
        at[self.wave.threads[-1]] = left
        return simplify(substitute(e, at))

    # Lanes

    def _some_lane(self, own: Expr, ways: int) -> list[Expr]:
        """Where some lane of the wave has a bit."""
        found, ours = list[Expr](), list[Expr]()
        for part in conjuncts(simplify(own)):
            of = variables(part)
            if any(kind_of(v) is not None for v in of):
                found += self._of_wave(part)
            elif {*self.wave.threads, HAS_THREAD}.isdisjoint(of):
                found.append(part)
            else:
                ours.append(part)
        several = next((part for part in ours if part.op == "any" and not self._of_threads(part)), None)
        if several is not None:
            if len(several.args) > ways:
                raise NotCountedError(f"some lane has {own}")
            rest = [part for part in ours if part is not several]
            each = [self._some_lane(all_of(*rest, one), ways // len(several.args)) for one in several.args]
            return [*found, any_of(*(all_of(*one) for one in each))]
        return [*found, *self._with_most_room(ours)]

    def _of_threads(self, part: Expr) -> bool:
        return set(variables(part)) <= {*self.wave.threads, HAS_THREAD}

    def _with_most_room(self, parts: Sequence[Expr]) -> list[Expr]:
        """The conditions of the lane that has the most room, of those that have a thread."""
        lanes, rooms = self.exist.copy(), dict[Expr, Ints]()
        for part in parts:
            if self._of_threads(part):
                lanes &= self.of_each_lane(part) != 0
                continue
            room = slack(part)
            if room is None:
                raise NotCountedError(f"some lane has {part}")
            base = simplify(substitute(room, dict.fromkeys(self.wave.threads, ZERO)))
            lane = simplify(room - base)
            if not self._of_threads(lane):
                raise NotCountedError(f"some lane has {part}")
            rooms[base] = np.minimum(rooms[base], self.of_each_lane(lane)) if base in rooms else self.of_each_lane(lane)
        if not rooms:
            return self._where(np.asarray(lanes.any(axis=1)))
        best = np.stack([np.where(lanes, room, np.iinfo(np.int64).min) for room in rooms.values()])  # part, wave, lane
        first = (best == best.max(axis=2, keepdims=True)).all(axis=0) & lanes
        some: Bools = np.asarray(lanes.any(axis=1))
        if not (first.any(axis=1) | ~some).all():
            raise NotCountedError(f"lanes have more room by one of {', '.join(map(str, parts))}, and less by another")
        most = [np.where(some, each.max(axis=1), 0) for each in best]
        return [*self._where(some), *(self._room(base, room) for base, room in zip(rooms, most, strict=True))]

    def _where(self, waves: Bools) -> list[Expr]:
        """That the wave is one of these."""
        return [] if waves.all() else [lookup(waves.astype(int).tolist(), self.number) >= 1]

    def _room(self, base: Expr, most: Ints) -> Expr:
        """That a number with so much for each wave is at least 0: a line where it is one."""
        steps = np.diff(most)
        if not steps.size or (steps == steps[0]).all():
            return simplify(base + int(most[0]) + self.number * (int(steps[0]) if steps.size else 0)) >= 0
        return base + lookup(most.tolist(), self.number) >= 0

    @cached_property
    def exist(self) -> Bools:
        """Which lanes have a thread: axes wave and lane."""
        return np.arange(self.count * self.wave.size).reshape(self.count, -1) < self.wave.count

    def of_each_lane(self, e: Expr) -> Ints:
        """A term of the threads' numbers, of each lane; of lanes without a thread that of the last one that has one."""
        left, at = np.minimum(np.arange(self.count * self.wave.size), self.wave.count - 1), dict[Expr, Ints]()
        for t in self.wave.threads:
            at[t], left = left % (int(t.hi) + 1), left // (int(t.hi) + 1)
        at[HAS_THREAD] = np.ones_like(left)
        read = {v: at[v] for v in variables(e)}
        return np.broadcast_to(array([e], read)[0], left.shape).astype(np.int64).reshape(self.count, -1)


def first_turns(case: CountedCase, loops: Sequence[Expr]) -> Iterator[CountedCase]:
    """A case, or that of a loop's first iteration and that of the others, where conditions tell these apart."""
    for one in case.indices:
        t, first = one.variable, eq(one.variable, 0)
        parts = [part for each in case.conditions for part in conjuncts(each)]
        if (
            one.extent is not None
            or t not in loops
            or not any(first in part.args for part in parts if part.op == "any")
        ):
            continue
        rest = tuple(other for other in case.indices if other is not one)
        later = var(f"{t} less one", extent_of(t) if t.value.extent is not None else int(t.hi) + 1)
        for indices, at in ((rest, ZERO), ((*rest, CountIndex(later, None)), later + 1)):
            conditions = tuple(simplify(substitute(part, {t: at})) for part in parts)
            yield from first_turns(replace(case, indices=indices, conditions=conditions), loops)
        return
    yield case


def _same(one: Expr, other: Expr) -> bool:
    return simplify(one) is simplify(other) or (implies(one, other) and implies(other, one))


def said(v: Expr) -> str:
    """An unknown in words."""
    return "what was loaded or computed" if kind_of(v) in (Kind.DATA, Kind.RESULT) else "a mask that is not read"
