"""The lanes that make an access, as points of blocks, threads and iterations, which `sums` counts.

An access's guard says of each lane by itself whether it takes part, and of its wave which way it has come.  That some
lane of the wave has what this lane has, is so; of other things that are said of the wave's other lanes nothing is seen.
What it cannot represent: ways that a wave takes by what no lane has; what was loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from layoutalg.counters.formulas.sums import CountIndex, NotCountedError
from layoutalg.counters.formulas.waves import CountedCase, Waves, first_turns, said
from layoutalg.index import (
    TRUE,
    ZERO,
    Expr,
    all_of,
    array,
    conjuncts,
    const,
    simplify,
    slack,
    substitute,
    var,
    variables,
)
from layoutalg.index.conditions import implies
from layoutalg.records import dataclass
from layoutalg.symex.values.unknowns import Kind, arguments_of, function_of, kind_of
from layoutalg.symex.values.word import HAS_THREAD


@dataclass(frozen=True)
class CountedLanes:
    """The lanes of which a guard holds, in all iterations of some loops; of every `step`-th thread alone."""

    waves: Waves
    guard: Expr
    loops: tuple[Expr, ...]
    step: int = 1

    @property
    def key(self) -> object:
        """What their number is known by."""
        return "lanes", self.guard, self.loops, self.step

    def every(self, step: int) -> CountedLanes:
        """Of every so many-th thread of a block alone, the first among them."""
        return replace(self, step=step)

    def cases(self) -> Iterator[CountedCase]:
        """The points.  Raises `NotCountedError`."""
        indices = [CountIndex(v, n) for v, n in self.waves.blocks]
        at, left, threads = dict[Expr, Expr](), self.step, self.waves.wave.threads
        for k, t in enumerate(threads):
            n = int(t.hi) + 1
            step, left = (n, left // n) if left % n == 0 else (left, 1)  # of this axis the first alone, or each step-th
            if n % step and any(other.hi for other in threads[k + 1 :]):
                raise NotCountedError(f"every {self.step}-th thread is none of an axis")
            taken = np.flatnonzero(self._table(t) & (np.arange(n) % step == 0))
            if not taken.size:
                return
            gap = int(taken[1] - taken[0]) if taken.size > 1 else 1
            if not (np.diff(taken) == gap).all():
                raise NotCountedError(f"lanes take part where {all_of(*self._of(t))}")
            index = t if taken.size == n else var(f"{t}, every {gap}-th", int(taken.size))
            at[t] = index * gap + int(taken[0])
            indices.append(CountIndex(index, const(int(taken.size))))
        if left > 1:
            raise NotCountedError(f"a block has fewer than {self.step} threads")
        for t in self.loops:
            ours = self.waves.loops
            extent = None if t in ours.iterations else self._alike(ours.counts[t])
            indices.append(CountIndex(t, extent))
        done = {part for t in threads for part in self._of(t)}
        conditions = tuple(simplify(substitute(part, at)) for part in self.conditions if part not in done)
        yield from first_turns(CountedCase(tuple(indices), conditions), self.loops)

    def _of(self, t: Expr) -> list[Expr]:
        """The conditions on one coordinate of a thread alone."""
        return [part for part in self.conditions if set(variables(part)) == {t}]

    def _table(self, t: Expr) -> NDArray[np.bool_]:
        """Where they hold, by the coordinate."""
        at = np.arange(int(t.hi) + 1)
        found: NDArray[np.bool_] = np.ones_like(at, dtype=np.bool_)
        for one in self._of(t):
            found = found & (array([one], {t: at})[0] != 0)
        return found

    def _alike(self, extent: Expr) -> Expr:
        if any(kind_of(v) is not None for v in variables(extent)):
            raise NotCountedError("how often a loop runs goes by what was loaded or computed")
        if not set(self.waves.wave.threads).isdisjoint(variables(extent)):
            raise NotCountedError(f"lanes run a loop {extent} times")
        return extent

    @cached_property
    def conditions(self) -> tuple[Expr, ...]:
        """What each lane by itself satisfies."""
        ours = self.waves.loops.iterations
        inside = [ours[t].active for t in self.loops if t in ours]
        whole = self._settled(all_of(self.guard, *inside))
        for v in [v for v in variables(whole) if kind_of(v) is Kind.ANY and function_of(v) == "any"]:
            own, *_ = arguments_of(v)
            rest = all_of(*(part for part in conjuncts(whole) if v not in variables(part)))
            if implies(rest, self._settled(own)):
                whole = simplify(substitute(whole, {v: const(1)}))
        unknown = [v for v in variables(whole) if kind_of(v) is not None]
        if unknown:
            raise NotCountedError(f"a lane takes part by {said(unknown[0])}")
        return tuple(part for part in conjuncts(whole) if part is not TRUE)

    def _settled(self, e: Expr) -> Expr:
        parts = (self.waves.in_count(part, self.loops) for part in conjuncts(self.waves.settled(e)))
        return simplify(substitute(self.waves.settled(all_of(*parts)), {HAS_THREAD: const(1)}))

    def check_lower_lanes_take_part(self) -> None:
        """Raises `NotCountedError` unless with a lane all lower lanes of its wave take part."""
        for part in self.conditions:
            self._check(part)

    def _check(self, part: Expr) -> None:
        threads = set(self.waves.wave.threads)
        if threads.isdisjoint(variables(part)):
            return
        if part.op in ("any", "all"):
            for one in part.args:
                self._check(one)
            return
        lane = part
        if not set(variables(part)) <= threads:
            room = slack(part)
            if room is None:
                raise NotCountedError(f"which lanes of a wave take part is said by {part}")
            lane = simplify(room - simplify(substitute(room, dict.fromkeys(threads, ZERO))))
            if not set(variables(lane)) <= threads:
                raise NotCountedError(f"which lanes of a wave take part is said by {part}")
        values, exist = self.waves.of_each_lane(lane), self.waves.exist
        if ((values[:, 1:] > values[:, :-1]) & exist[:, 1:]).any():
            raise NotCountedError(f"higher lanes of a wave take part without lower ones where {part}")
