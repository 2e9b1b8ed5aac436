"""Whether what is read of LDS was stored there before: by whom, and does that thread store whenever this one reads?

A byte that was stored once stays so.  So a loop is followed for the iterations of one period, which are those with the
fewest stores before them: iteration t of a loop has before it all that iteration t − period has, each store as many
iterations back.  Behind the loop, only its first iteration is certain to have been.  A store counts for other waves
where a barrier certainly stands between, else for its own wave alone, which is in order (`buffers`); one that is under
way over barriers, as if it stood behind these.  A load to LDS beside which its wave accesses LDS is in no order with
that: it counts behind a barrier, for its own wave, too.  What a block does in one case alone (`if (n > 4) …`, n an
argument) is followed for the reads of that case, and left out for others.

| the store's guard | counts where |
|---|---|
| known from the thread and the iteration | it holds |
| says more | the reader's implies it, as many iterations back: word for word, each pair of threads |
| says of sizes what is more | the same, by the prover |
| anything | the prover shows, for all threads and iterations, that one of the stores was made (`stored_before`) |

A read of which nothing reaches a store or a branch (`needed`) may find what it will.
Of a loop that each lane leaves for itself only the first iteration counts: a lane's guard does not say that it is
still in.
What it cannot represent: stores whose guard speaks of what the storing thread alone has loaded, in another thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from math import prod

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer, Ask, Open, shown
from layoutalg.audit.epochs import counted_loops, is_later, is_linear
from layoutalg.audit.lds.block import Ints, Threads
from layoutalg.audit.lds.buffers import NOBODY, StoreBuffers
from layoutalg.audit.lds.needed import Needed
from layoutalg.audit.lds.stored_before import StoredBefore
from layoutalg.audit.lds.tables import (
    MOST_ITERATIONS,
    TABLE,
    Iterations,
    LdsRow,
    LdsTables,
    bytes_of,
    decided,
    joint_periods,
)
from layoutalg.index import FALSE, TRUE, Expr, all_of, as_expr, conjuncts, nonnegative, simplify, variables
from layoutalg.index.conditions import excludes, implies
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import At, moved

#: Pairs of threads after which no more are compared of two accesses whose guards did not match once.
TRIES = 16

#: Readers and writers of which the prover is asked whether the sizes at which the one reads let the other store.
MOST_ASKED = 2048

#: Cases of a block that are followed each by itself.
MOST_CASES = 16


@dataclass(frozen=True)
class _PossibleStore:
    """A store whose guard the tables do not know, in an iteration, and the thread that makes it at each byte."""

    number: int
    iterations: Iterations
    by: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class _LateStore:
    """A store in an iteration that is under way over barriers: it counts where its wave has waited for it."""

    number: int
    row: LdsRow
    iterations: Iterations
    threads: Ints
    bytes: Ints
    done: Expr  # barriers that stand before that, at most
    in_order: bool  # whether its wave's accesses come after it there; else behind one barrier more


class _Stored:
    """What was stored up to one point of the code: certainly, and perhaps, before the last barrier and since."""

    def __init__(self, buffers: StoreBuffers) -> None:
        self.certain = buffers
        self.before: list[_PossibleStore] = []
        self.since: list[_PossibleStore] = []
        self.counts: dict[Expr, None] = {}  # how many barriers stood before the stores since the last
        self.late: list[_LateStore] = []  # what is under way over barriers
        self.seen_from: tuple[Expr, ...] = ()  # all waves see what is before, behind as many barriers as all of these

    def copy(self) -> _Stored:
        """An independent copy."""
        same = _Stored(self.certain.copy())
        same.before, same.since, same.counts = [*self.before], [*self.since], dict(self.counts)
        same.seen_from, same.late = self.seen_from, [*self.late]
        return same

    def land(self, barriers: Expr) -> list[_LateStore]:
        """The stores that are done by their waves where so many barriers were passed, which are under way no more."""
        done = [one for one in self.late if (_reaches if one.in_order else is_later)(barriers, one.done)]
        self.late = [store for store in self.late if store not in done]
        return done

    def reach(self, barriers: Expr) -> None:
        """What each wave stored itself all others see, once one more barrier stands before than before any store."""
        if self.counts and all(is_later(barriers, count) for count in self.counts):
            self.certain.drain()
            self.before, self.since, self.counts = [*self.before, *self.since], [], {}
            self.seen_from = (*(one for one in self.seen_from if not _reaches(barriers, one)), barriers)

    def sees(self, barriers: Expr) -> bool:
        """Whether behind so many barriers all waves see what was stored before the last one."""
        return all(_reaches(barriers, one) for one in self.seen_from)

    @property
    def possible(self) -> Iterator[tuple[_PossibleStore, bool]]:
        """The stores that happen perhaps, the newest first, and whether a barrier was reached since."""
        yield from ((store, False) for store in reversed(self.since))
        yield from ((store, True) for store in reversed(self.before))


def _reaches(barriers: Expr, least: Expr) -> bool:
    """Whether at least so many barriers were passed."""
    return nonnegative(simplify(barriers - least))


@dataclass(frozen=True, eq=False)
class LdsRead:
    """An access that reads LDS, by its number among all."""

    access: TracedAccess
    number: int

    def __str__(self) -> str:
        return str(self.access)


class Initialised:
    """The accesses of LDS of one block, followed in order."""

    def __init__(self, tables: LdsTables, ask: Ask) -> None:
        self.ask = ask
        self.block, self.accesses, self.rows, self.size = tables.block, tables.accesses, tables.rows, tables.size
        self.now = _Stored(StoreBuffers(self.block.waves, self.size))
        # Where waves are in step, what each has passed is of the block: counts are compared as they are.
        self.linear = all(one.in_step and is_linear(one.barriers, one.loops) for one in self.accesses)
        self.seen: dict[int, Open | str] = {}  # of each access that reads, by what it is shown, or what is left open
        self._guards: dict[tuple[Expr, int, tuple[tuple[Expr, Expr], ...]], Expr] = {}
        self._asked: dict[tuple[Expr, Expr], bool] = {}
        self._wanted: Collection[int] = ()  # the accesses that are looked at
        self._follow_cases()

    def _follow_cases(self) -> None:
        """Follows the accesses once for each case of the block in which something is read."""
        alike = [self.block.alike(one.guard) for one in self.accesses]
        cases: dict[Expr, list[int]] = {}
        for number, one in enumerate(self.accesses):
            cases.setdefault(alike[number] if _reads(one) else TRUE, []).append(number)
        if len(cases) > MOST_CASES:
            cases = {TRUE: [*range(len(self.accesses))]}
        for case, self._wanted in cases.items():
            self.now = _Stored(StoreBuffers(self.block.waves, self.size))
            here = [n for n, guard in enumerate(alike) if n in self._wanted or not excludes(case, guard)]
            self._follow(here, 0, {})

    @property
    def reads(self) -> Iterator[LdsRead]:
        """The accesses that read."""
        yield from (LdsRead(one, n) for n, one in enumerate(self.accesses) if _reads(one))

    def decided(self, read: LdsRead) -> Answer:
        """Whether all that an access reads was stored before."""
        seen = self.seen[read.number]
        if isinstance(seen, Open):
            stored = StoredBefore(self.block, self.accesses, self.ask).obligation(read.number)
            return decided(self.ask, str(read), seen, stored)
        return shown(str(read), seen)

    def _follow(self, numbers: Sequence[int], depth: int, iterations: Iterations) -> None:
        """Follows accesses in order, and each loop among them for the iterations of its period."""
        for loop, group in groupby(numbers, lambda n: self.accesses[n].loops[depth : depth + 1]):
            body = list(group)
            if not loop:
                for number in body:
                    self._step(number, iterations)
                continue
            (t,) = loop
            periods = joint_periods([row for n in body if (row := self.rows[n]) is not None])
            few = prod(periods.values()) <= MOST_ITERATIONS
            first = None
            for iteration in range(periods.get(t, 1) if few else 1):
                self._follow(body, depth + 1, {**iterations, t: iteration})
                first = first or self.now.copy()
            self.now = first or self.now
            if not few:
                self.seen |= dict.fromkeys(body, Open("it turns with loops in more ways than are looked at"))

    def _step(self, number: int, iterations: Iterations) -> None:
        """One access in one iteration."""
        access, row = self.accesses[number], self.rows[number]
        barriers = simplify(moved(access.barriers, {t: as_expr(n) for t, n in iterations.items()}))
        if self.linear:
            for late in self.now.land(barriers):
                self._store(late.number, late.row, late.iterations, late.threads, late.bytes)
                self.now.counts[late.done] = None
            self.now.reach(barriers)
        if row is None:
            if number in self._wanted and _reads(access):
                self.seen[number] = Open(f"its address {access.offset} depends on more than the thread and its turn")
            return
        threads, starts = row.at(iterations)
        bytes_ = bytes_of(starts, access.width)
        inside = ((bytes_ >= 0) & (bytes_ < self.size)).all(axis=1)  # what is not is `lds_in_bounds`'s
        threads, bytes_ = threads[inside], bytes_[inside]
        looked_at = _reads(access) and (access.store or number in self._wanted)
        sees = self.now.sees(barriers)
        left = self._unwritten(number, iterations, threads, bytes_, sees) if looked_at else None
        if left and access.loaded:
            needed = self._readers(number)[threads]
            left = self._unwritten(number, iterations, threads[needed], bytes_[needed], sees)
        if number in self._wanted and _reads(access) and not isinstance(self.seen.get(number), Open):
            self.seen[number] = left or TABLE
        if access.store and not left:  # what an atomic operation leaves of bytes that nobody wrote is no more written
            if access.spans or not access.in_order:
                done = simplify(barriers + access.spans)
                self.now.late.append(_LateStore(number, row, dict(iterations), threads, bytes_, done, access.in_order))
                return
            self._store(number, row, iterations, threads, bytes_)
            self.now.counts[barriers] = None

    def _readers(self, number: int) -> Threads:
        """The threads of whose read something comes."""
        return self._needs.of_any(self.accesses[number].loaded)

    @cached_property
    def _needs(self) -> Needed:
        return Needed.of(self.block, self.ask.trace.elements, self.ask.trace.loops)

    def _store(self, number: int, row: LdsRow, iterations: Iterations, threads: Ints, bytes_: Ints) -> None:
        if any(iterations[t] for t in counted_loops(row.access.loops)[1]):
            return
        if row.rest is TRUE:
            self.now.certain.store(number, threads, bytes_)
        else:
            by = np.full(self.size, NOBODY, np.int32)
            by[bytes_] = threads[:, None]
            self.now.since.append(_PossibleStore(number, dict(iterations), by))

    def _unwritten(
        self, number: int, iterations: Iterations, threads: Ints, bytes_: Ints, sees: bool
    ) -> Open | None:  # fmt: skip
        """Why some thread may read what nobody wrote; None where none does.  Whether it `sees` what others stored."""
        newest = self.now.certain.newest(threads, bytes_)
        left = newest["store"] == NOBODY
        if not sees:
            left |= self.block.waves[newest["thread"]] != self.block.waves[threads][:, None]
        readers, bytes_ = np.broadcast_to(threads[:, None], bytes_.shape)[left], bytes_[left]
        why: Open | None = None
        for store, visible in self.now.possible:
            if not readers.size:
                return None
            by = store.by[bytes_]
            seen = (by != NOBODY) & ((visible and sees) | (self.block.waves[by] == self.block.waves[readers]))
            implied, open_ = self._implied(number, iterations, store, readers, by, seen)
            why = why or open_
            readers, bytes_ = readers[~implied], bytes_[~implied]
        guard = self.accesses[number].guard
        left = (k for k, reader in enumerate(readers.tolist()) if self._of(guard, reader, {}) is not FALSE)
        first = next(left, None)
        if first is None:  # no other one reads at any size
            return None
        reader = self.block.named(readers[first])
        return why or Open(f"that LDS byte {bytes_[first]} is stored before {reader} reads it is not seen")

    def _implied(
        self, number: int, iterations: Iterations, store: _PossibleStore, readers: Ints, by: NDArray[np.int32],
        seen: NDArray[np.bool_],
    ) -> tuple[NDArray[np.bool_], Open | None]:  # fmt: skip
        """Which readers' guards imply the guards of those that store, where these are seen; and one that does not."""
        implied = np.zeros(len(readers), np.bool_)
        why: Open | None = None
        hits = misses = 0
        for reader, writer in np.unique(np.stack([readers[seen], by[seen]], axis=1), axis=0).tolist():
            needed = self._needed(number, iterations, store, reader, writer)
            if needed is TRUE:
                implied |= (readers == reader) & (by == writer)
                hits += 1
            else:
                perhaps = f"{self.block.named(reader)} reads what thread {writer} stores, perhaps not: {needed}"
                why = why or Open(perhaps)
                misses += 1
            if not hits and misses >= TRIES:
                break
        return implied, why

    def _needed(self, number: int, iterations: Iterations, store: _PossibleStore, reader: int, writer: int) -> Expr:
        """What of a store's guard does not follow from the reader's, word for word."""
        row = self.rows[store.number]
        assert row is not None
        needed = self._of(row.rest, writer, self._iterations_of(number, iterations, store))
        given = self._of(self.accesses[number].guard, reader, {})
        left = all_of(TRUE, *(part for part in conjuncts(needed) if not implies(given, part)))
        if left is TRUE or not set(variables(left)) <= self.block.launched.alike:
            return left
        return TRUE if self._follows(left, given) else left

    def _follows(self, needed: Expr, given: Expr) -> bool:
        """Whether the prover shows what of sizes is needed where a reader's guard holds: of so many readers."""
        key = needed, given
        if key not in self._asked and len(self._asked) < MOST_ASKED:
            self._asked[key] = self.ask.holds(needed, all_of(self.block.launched.given, given))
        return self._asked.get(key, False)

    def _iterations_of(self, number: int, iterations: Iterations, store: _PossibleStore) -> dict[Expr, Expr]:
        """The iterations of a store, by those of the reader: as many back, or the first."""
        own, same, back = self.accesses[number].loops, True, dict[Expr, Expr]()
        uncounted = counted_loops(self.accesses[store.number].loops)[1]
        for depth, t in enumerate(self.accesses[store.number].loops):
            if same and own[depth : depth + 1] == (t,) and t not in uncounted:
                distance = iterations[t] - store.iterations[t]
                back[t], same = t - distance, distance == 0
            else:
                back[t], same = as_expr(store.iterations[t]), False
        return back

    def _of(self, guard: Expr, thread: int, iterations: At) -> Expr:
        """A condition for one thread, in an iteration."""
        key = guard, thread, tuple(iterations.items())
        if key not in self._guards:
            self._guards[key] = simplify(moved(guard, {**iterations, **self.block.coordinates(thread)}))
        return self._guards[key]


def _reads(access: TracedAccess) -> bool:
    """Whether an access reads LDS, perhaps besides storing there."""
    return access.atomic or not access.store
