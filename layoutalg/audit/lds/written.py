"""What is read of LDS was stored there before: by whom, and does that thread store whenever this one reads?

A byte that was stored once stays so.  So a loop is followed for the turns of one period, which are those with the
fewest stores before them: turn t of a loop has before it all that turn t − period has, each store as many turns back.
Behind the loop, only its first turn is certain to have been.  A store counts for other waves where a barrier certainly
stands between, else for its own wave alone, which is in order.

| the store's guard | counts where |
|---|---|
| known from the thread and the turn | it holds |
| says more | the reader's implies it, as many turns back: word for word, each pair of threads |
| anything | the prover shows, for all threads and turns, that one of the stores was made |

Of a loop that each lane leaves for itself only the first turn counts: a lane's guard does not say that it is still in.

The prover is given the thread that stored: the address is inverted, as digits of a number in mixed radix,

    offset = c + Σ sₖ·iₖ, s₁ > s₂ > …    →    iₖ = (byte − c) mod s₁ mod … / sₖ

and asked whether these are indices of a thread (and a turn) that stored the byte before.
What it cannot represent: stores whose guard speaks of what the storing thread alone has loaded, in another thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.intervals import counted_loops, is_later, is_linear
from layoutalg.audit.lds.tables import MOST_TURNS, BlockThreads, Ints, LdsFinding, LdsRow, bytes_of, joint_periods
from layoutalg.index import (
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    as_expr,
    conjuncts,
    eq,
    extent_of,
    simplify,
    var,
    variables,
)
from layoutalg.index.conditions import implies
from layoutalg.index.radix import affine
from layoutalg.prove import ForAll, Shown
from layoutalg.symex.values.instances import At, moved
from layoutalg.symex.values.unknowns import kind_of

NOBODY = -1

#: Pairs of threads after which no more are compared of two accesses whose guards did not match once.
TRIES = 16

#: Stores among which the prover looks for that of a byte.
MOST_STORES = 24


@dataclass(frozen=True)
class _Store:
    """A store in a turn that was followed, and the thread that makes it at each byte."""

    number: int
    turns: Mapping[Expr, int]
    by: NDArray[np.int32]


class _History:
    """What was stored so far, at one point: with a barrier since, and by each wave itself."""

    def __init__(self, size: int, waves: int) -> None:
        self.stores: list[_Store] = []
        self.since: list[_Store] = []
        self.certain = np.zeros(size + 1, np.bool_)
        self.own = np.zeros((waves, size + 1), np.bool_)
        self.barriers: Expr = ZERO

    def copy(self) -> _History:
        """An independent copy."""
        same = _History(0, 0)
        same.stores, same.since, same.barriers = [*self.stores], [*self.since], self.barriers
        same.certain, same.own = self.certain.copy(), self.own.copy()
        return same

    def barrier(self) -> None:
        """What each wave stored itself all others see."""
        self.certain |= self.own.any(axis=0)
        self.own[:] = False
        self.stores += self.since
        self.since = []


class Written:
    """The accesses of LDS of one block, followed in order."""

    def __init__(
        self, block: BlockThreads, found: Sequence[TracedAccess], rows: Sequence[LdsRow | None], size: int
    ) -> None:
        self.block, self.found, self.rows, self.size = block, found, rows, size
        self.now = _History(size, int(block.waves.max()) + 1)
        self.linear = all(is_linear(one.barriers, one.loops) for one in found)
        self.why: dict[int, str] = {}
        self._guards: dict[tuple[Expr, int, tuple[tuple[Expr, Expr], ...]], Expr] = {}

    def findings(self) -> Iterator[LdsFinding]:
        """Of each access that reads, whether all that it reads was stored before."""
        self._follow(range(len(self.found)), 0, {})
        for number, access in enumerate(self.found):
            if not access.store or access.atomic:
                why = self.why.get(number, "")
                yield LdsFinding("initialised", str(access), why, self._asked(number) if why else None)

    def _follow(self, numbers: Sequence[int], depth: int, turns: Mapping[Expr, int]) -> None:
        """Follows accesses in order, and each loop among them for the turns of its period."""
        for loop, group in groupby(numbers, lambda n: self.found[n].loops[depth : depth + 1]):
            body = list(group)
            if not loop:
                for number in body:
                    self._step(number, turns)
                continue
            (t,) = loop
            periods = joint_periods([row for n in body if (row := self.rows[n]) is not None])
            first = None
            for turn in range(periods.get(t, 1) if prod(periods.values()) <= MOST_TURNS else 1):
                self._follow(body, depth + 1, {**turns, t: turn})
                first = first or self.now.copy()
            self.now = first or self.now
            if prod(periods.values()) > MOST_TURNS:
                self.why |= dict.fromkeys(body, "it turns with loops in more ways than are looked at")

    def _step(self, number: int, turns: Mapping[Expr, int]) -> None:
        """One access in one turn."""
        access, row = self.found[number], self.rows[number]
        barriers = simplify(moved(access.barriers, {t: as_expr(n) for t, n in turns.items()}))
        if self.linear and is_later(barriers, self.now.barriers):
            self.now.barrier()
        self.now.barriers = barriers
        if row is None:
            if not access.store or access.atomic:
                self.why[number] = f"its address {access.offset} depends on more than the thread and its turn"
            return
        lanes, starts = row.at(turns)
        bytes_ = bytes_of(starts, access.width)
        inside = ((bytes_ >= 0) & (bytes_ < self.size)).all(axis=1)  # what is not is `lds_in_bounds`'s
        lanes, bytes_ = lanes[inside], bytes_[inside]
        if not access.store or access.atomic:
            why = self._unwritten(number, turns, lanes, bytes_)
            if why:
                self.why.setdefault(number, why)
        if access.store:
            self._note(number, row, turns, lanes, bytes_)

    def _note(self, number: int, row: LdsRow, turns: Mapping[Expr, int], lanes: Ints, bytes_: Ints) -> None:
        if any(turns[t] for t in counted_loops(row.access.loops)[1]):
            return
        if row.rest is TRUE:
            self.now.own[self.block.waves[lanes][:, None], bytes_] = True
        else:
            by = np.full(self.size + 1, NOBODY, np.int32)
            by[bytes_] = lanes[:, None]
            self.now.since.append(_Store(number, dict(turns), by))

    def _unwritten(self, number: int, turns: Mapping[Expr, int], lanes: Ints, bytes_: Ints) -> str:
        """Why some thread may read what nobody wrote; empty where none does."""
        now, own = self.now, self.block.waves[lanes][:, None]
        readers, at = np.broadcast_to(lanes[:, None], bytes_.shape), bytes_
        left = ~(now.certain[bytes_] | now.own[own, bytes_])
        readers, at = readers[left], at[left]
        why = ""
        for store, visible in [*((s, False) for s in now.since[::-1]), *((s, True) for s in now.stores[::-1])]:
            if not readers.size:
                break
            by = store.by[at]
            meant = (by != NOBODY) & (visible | (self.block.waves[by] == self.block.waves[readers]))
            implied = np.zeros(len(readers), np.bool_)
            hits = misses = 0
            for reader, writer in np.unique(np.stack([readers[meant], by[meant]], axis=1), axis=0).tolist():
                needed = self._needed(number, turns, store, reader, writer)
                if needed is TRUE:
                    implied |= (readers == reader) & (by == writer)
                    hits += 1
                else:
                    why = why or f"{self.block.named(reader)} reads what thread {writer} stores, perhaps not: {needed}"
                    misses += 1
                if not hits and misses >= TRIES:
                    break
            readers, at = readers[~implied], at[~implied]
        if not readers.size:
            return ""
        return why or f"that LDS byte {at[0]} is stored before {self.block.named(readers[0])} reads it is not seen"

    def _needed(self, number: int, turns: Mapping[Expr, int], store: _Store, reader: int, writer: int) -> Expr:
        """What of a store's guard does not follow from the reader's, word for word."""
        row = self.rows[store.number]
        assert row is not None
        needed = self._of(row.rest, writer, self._turned(number, turns, store))
        given = self._of(self.found[number].guard, reader, {})
        return all_of(TRUE, *(part for part in conjuncts(needed) if not implies(given, part)))

    def _turned(self, number: int, turns: Mapping[Expr, int], store: _Store) -> dict[Expr, Expr]:
        """The turns of a store, by those of the reader: as many back, or the first."""
        own, same, back = self.found[number].loops, True, dict[Expr, Expr]()
        uncounted = counted_loops(self.found[store.number].loops)[1]
        for depth, t in enumerate(self.found[store.number].loops):
            if same and own[depth : depth + 1] == (t,) and t not in uncounted:
                distance = turns[t] - store.turns[t]
                back[t], same = t - distance, distance == 0
            else:
                back[t], same = as_expr(store.turns[t]), False
        return back

    def _of(self, guard: Expr, thread: int, turns: At) -> Expr:
        """A condition for one thread, in a turn."""
        key = guard, thread, tuple(turns.items())
        if key not in self._guards:
            at = {v: as_expr(int(numbers[thread])) for v, numbers in self.block.indices.items()}
            self._guards[key] = simplify(moved(guard, {**turns, **at}))
        return self._guards[key]

    # The prover

    def _asked(self, number: int) -> ForAll | None:
        """Whether, for all threads and turns, each byte that is read was stored; None where nothing is."""
        reads = self.found[number]
        before = [(m, one) for m, one in enumerate(self.found) if one.store]
        stores = [(m, one) for m, one in before if m < number or self._shared(one, reads)]
        if not stores:
            return None
        unit = reduce(gcd, (one.width for _, one in stores), reads.width)
        piece = var("a piece", reads.width // unit) if reads.width > unit else ZERO
        byte = reads.offset + piece * unit
        cases: list[Expr] = []
        for m, one in stores:
            for back in self._turns_of(reads, one, m < number):
                cases += (case for case in self._made(reads, one, back, byte, unit) if self._speaks_of(reads, case))
        if not cases or len(cases) > MOST_STORES:
            return None
        given = all_of(self.block.launched.given, reads.guard)
        shown = (Shown("thread and turn", (*self.block.threads, *reads.loops)),)
        return ForAll("what is read of LDS was stored before", any_of(*cases), given, shown)

    def _speaks_of(self, reads: TracedAccess, case: Expr) -> bool:
        """Whether a case is of the reader's coordinates: of another one all values would be meant, or none."""
        known = {*self.block.threads, *reads.loops, *self.block.launched.alike}
        return all(v.value.extent is None or v in known or kind_of(v) is not None for v in variables(case))

    def _shared(self, one: TracedAccess, other: TracedAccess) -> int:
        """How many loops are around both."""
        pairs = zip(one.loops, other.loops, strict=False)
        return next((k for k, (a, b) in enumerate(pairs) if a is not b), min(len(one.loops), len(other.loops)))

    def _turns_of(self, reads: TracedAccess, one: TracedAccess, before: bool) -> Iterator[dict[Expr, Expr]]:
        """Turns in which a store was made that comes before the reader in its turn, or a turn before it."""
        uncounted = counted_loops(one.loops)[1]
        shared = one.loops[: min(self._shared(one, reads), len(one.loops) - len(uncounted))]
        inner = one.loops[len(shared) :]
        ends: list[dict[Expr, Expr]] = [dict.fromkeys(inner, ZERO)]
        if inner and not uncounted:
            lasts: dict[Expr, Expr] = {}
            for t in inner:
                lasts[t] = moved(extent_of(t) - 1, lasts)
            ends += [lasts, {}] if set(inner) & set(variables(one.offset, one.guard)) else []
        for end in ends:
            if before:
                yield end
            if shared and (end or not inner):  # a turn of an inner loop that is not said is none of a question
                back = {shared[-1]: shared[-1] - 1}
                yield back | {t: moved(e, back) for t, e in end.items()}

    def _made(
        self, reads: TracedAccess, one: TracedAccess, back: Mapping[Expr, Expr], byte: Expr, unit: int
    ) -> Iterator[Expr]:
        """When a store was made of a byte that is read, by the thread that its address says, or by the reader."""
        block = self.block
        turns = {t: back[t] for t in one.loops if t in back}
        offset, guard, barriers = (moved(e, turns) for e in (one.offset, one.guard, one.barriers))
        unknown = any(kind_of(v) is not None for v in variables(offset, guard))
        free = one.loops[self._shared(one, reads) :] if not back else ()
        ranges = [all_of(e >= 0, e < moved(extent_of(t), turns)) for t, e in turns.items() if e.op != "const"]
        for others in (dict(zip(block.threads, block.threads, strict=True)), dict.fromkeys(block.threads, ZERO)):
            at = others if unknown else self._digits(offset, byte, unit, one.width, free, others)
            if at is None:
                return
            start, holds, passed = (moved(e, at) for e in (offset, guard, barriers))
            sizes = dict(zip(block.threads, block.sizes, strict=False))
            inside = [all_of(e >= 0, e < sizes[v]) for v, e in at.items() if v in sizes]
            inside += [all_of(e >= 0, e < moved(extent_of(v), at)) for v, e in at.items() if v in free]
            seen = any_of(passed < reads.barriers, eq(block.wave(at), block.wave()))
            yield all_of(*ranges, *inside, start <= byte, byte + unit <= start + one.width, holds, seen)
            if unknown or not set(block.threads) & set(variables(guard)) - set(variables(offset)):
                return

    def _digits(
        self, offset: Expr, byte: Expr, unit: int, width: int, free: Sequence[Expr], others: Mapping[Expr, Expr]
    ) -> dict[Expr, Expr] | None:
        """Indices of the thread (and turn) that stores a byte, if its address is a sum of them; others as given."""
        over = [v for v in (*self.block.threads, *free) if v in variables(offset)]
        form = affine(offset, over)
        if form is None or any(stride.op != "const" for stride in form.strides.values()):
            return None
        if set(variables(*map(extent_of, over))) & set(over):
            return None
        found = form.solve(byte, lambda v: extent_of(v) - 1)
        return None if found is None else {**others, **found}
