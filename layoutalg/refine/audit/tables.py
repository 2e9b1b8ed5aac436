"""LDS as a table: every thread's addresses, computed, where they depend on the thread alone.

LDS is at most 160 KiB and a block at most 1024 threads, so who accesses which byte between two barriers is a table.
Two accesses of one byte race where one of them is a store and they are of different waves; of one wave they are in
order, but for two lanes that one instruction stores to one byte (which of them is last is not said).

| an access | is |
|---|---|
| whose offset speaks of the thread alone | looked up; what else its guard says is taken as holding |
| whose offset says more | not decided |

| between barriers | stand |
|---|---|
| c barriers | the accesses with as many before them |
| c + b·t, in a loop with b barriers each turn | those of every turn, and of what is before and behind: c modulo b |

A read is of what was written where each of its bytes was stored to before, in an earlier interval or by the wave
itself, by a thread that stores whenever the reader reads: its guard follows from the reader's, word for word.
What it cannot represent: slots of LDS that turns of a loop take in turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd

import numpy as np
from numpy.typing import NDArray

from layoutalg.index import FALSE, TRUE, Expr, all_of, array, conjuncts, simplify, substitute, value, variables
from layoutalg.index.conditions import implies
from layoutalg.refine.audit.accesses import LDS, Access
from layoutalg.refine.audit.launched import Launched, threads_of
from layoutalg.refine.values.unknowns import kind_of

NOBODY, SEVERAL = -1, -2


@dataclass(frozen=True)
class Row:
    """One access of every thread: its bytes, whether it happens, and whether that is certain."""

    access: Access
    offsets: NDArray[np.int64]
    happens: NDArray[np.bool_]
    certain: bool
    barriers: int  # that stand before it, in the first turn of a loop


@dataclass(frozen=True)
class Finding:
    """What was found of a claim: about what, and why it is not shown; `sure` where it certainly fails."""

    claim: str
    about: str
    why: str = ""
    sure: bool = False


class LdsTable:
    """The accesses of LDS of one block, thread by thread."""

    def __init__(self, launched: Launched, found: Sequence[Access]) -> None:
        self.launched = launched
        count = threads_of(launched.block)
        self.waves = np.arange(count) // launched.kernel.wave_size
        numbers, rest = {}, np.arange(count, dtype=np.int64)
        for thread, size in zip(launched.threads, launched.block, strict=True):
            numbers[thread], rest = rest % size, rest // size
        self.numbers = numbers
        self.found = [one for one in found if one.memory == LDS]
        self.each: list[int] = []  # barriers of a turn, of the loops
        self._guards: dict[tuple[int, int], Expr] = {}

    def _guard(self, row: int, thread: int) -> Expr:
        """The condition under which one thread accesses."""
        if (row, thread) not in self._guards:
            at = {v: int(numbers[thread]) for v, numbers in self.numbers.items()}
            self._guards[row, thread] = simplify(substitute(self.found[row].guard, at))
        return self._guards[row, thread]

    def findings(self) -> Iterator[Finding]:
        """What is shown, and what is not, of races and of reads of what nobody wrote."""
        rows: list[Row] = []
        for access in self.found:
            row = self._row(access)
            if isinstance(row, str):
                yield Finding("race_free", str(access), row)
                yield Finding("initialised", str(access), row)
                return
            rows.append(row)
        yield from self._races(rows)
        yield from self._unwritten(rows)

    def _row(self, access: Access) -> Row | str:
        """An access as numbers, or why there are none."""
        known = set(self.numbers)
        if not set(variables(access.offset)) <= known:
            return f"its address {access.offset} depends on more than the thread"
        turns = variables(access.barriers)
        base = value(access.barriers, dict.fromkeys(turns, 0))
        steps = [value(access.barriers, {**dict.fromkeys(turns, 0), v: 1}) - base for v in turns]
        line = sum((v * step for v, step in zip(turns, steps, strict=True)), start=access.barriers * 0 + base)
        if simplify(access.barriers - line) is not FALSE:
            return f"how many barriers stand before it, {access.barriers}, is no line"
        self.each += [abs(step) for step in steps]
        parts = conjuncts(access.guard)
        mine = [part for part in parts if set(variables(part)) <= known]
        count = len(self.waves)
        offsets = np.broadcast_to(array([access.offset], self.numbers)[0], (count,))
        happens = np.broadcast_to(array([all_of(TRUE, *mine)], self.numbers)[0], (count,)).astype(np.bool_)
        return Row(access, offsets, happens, len(mine) == len(parts), base)

    def _races(self, rows: Sequence[Row]) -> Iterator[Finding]:
        size = max((int(row.offsets[row.happens].max(initial=0)) + row.access.width for row in rows), default=0)
        each = reduce(gcd, self.each, 0)
        places = [row.barriers % each if each else row.barriers for row in rows]
        for interval in sorted(set(places)):
            here = [row for row, place in zip(rows, places, strict=True) if place == interval]
            writer, reader = (np.full(size, NOBODY, np.int64) for _ in range(2))
            certain = not each and all(row.certain for row in here)
            for row in here:
                why = self._collides(row) or self._meets(row, writer, reader)
                yield Finding("race_free", str(row.access), why, bool(why) and certain)

    def _collides(self, row: Row) -> str:
        """Whether two lanes store to one byte at once."""
        if not row.access.store:
            return ""
        starts, lanes = row.offsets[row.happens], np.nonzero(row.happens)[0]
        order = np.argsort(starts, kind="stable")
        close = np.nonzero(np.diff(starts[order]) < row.access.width)[0]
        if not close.size:
            return ""
        one, other = (int(lanes[order[close[0] + k]]) for k in range(2))
        return f"threads {one} and {other} store to LDS byte {int(starts[order[close[0] + 1]])} at once"

    def _meets(self, row: Row, writer: NDArray[np.int64], reader: NDArray[np.int64]) -> str:
        """Whether another wave accessed one of its bytes since the barrier, one of them storing; then it is noted."""
        lanes = np.nonzero(row.happens)[0]
        bytes_ = (row.offsets[lanes][:, None] + np.arange(row.access.width)).reshape(-1)
        inside = (bytes_ >= 0) & (bytes_ < len(writer))  # what is not is `lds_in_bounds`'s
        bytes_, own = bytes_[inside], np.repeat(self.waves[lanes], row.access.width)[inside]
        met = (writer[bytes_] != NOBODY) & (writer[bytes_] != own)
        if row.access.store:
            met |= (reader[bytes_] != NOBODY) & (reader[bytes_] != own)
        why = ""
        if met.any():
            k = int(np.argmax(met))
            why = f"wave {int(own[k])} and another meet at LDS byte {int(bytes_[k])} with no barrier between"
        held = writer if row.access.store else reader
        for wave in np.unique(own):
            mine = bytes_[own == wave]
            held[mine] = np.where((held[mine] == NOBODY) | (held[mine] == wave), wave, SEVERAL)
        return why

    def _unwritten(self, rows: Sequence[Row]) -> Iterator[Finding]:
        size = max((int(row.offsets[row.happens].max(initial=0)) + row.access.width for row in rows), default=0)
        waves, before = int(self.waves.max()) + 1, _Stores(size, 1)
        since, at = _Stores(size, waves), 0
        for number, row in enumerate(rows):
            if row.barriers != at:
                before.take(since)
                since, at = _Stores(size, waves), row.barriers
            lanes = np.nonzero(row.happens)[0]
            bytes_ = row.offsets[lanes][:, None] + np.arange(row.access.width)
            inside = ((bytes_ >= 0) & (bytes_ < size)).all(axis=1)
            lanes, bytes_ = lanes[inside], bytes_[inside]
            if row.access.store:
                since.note(self.waves[lanes], bytes_, number, lanes)
                continue
            yield Finding("initialised", str(row.access), self._not_written(number, lanes, bytes_, before, since))

    def _not_written(
        self, number: int, lanes: NDArray[np.int64], bytes_: NDArray[np.int64], before: _Stores, since: _Stores
    ) -> str:
        """Why some thread may read what nobody wrote; empty where none does."""
        own = self.waves[lanes][:, None]
        row = np.where(since.row[own, bytes_] != NOBODY, since.row[own, bytes_], before.row[0, bytes_])
        by = np.where(since.row[own, bytes_] != NOBODY, since.lane[own, bytes_], before.lane[0, bytes_])
        readers = np.broadcast_to(lanes[:, None], bytes_.shape)
        cases = np.unique(np.stack([readers.ravel(), row.ravel(), by.ravel()], axis=1), axis=0)
        for reader, writing, writer in cases.tolist():
            if writing == NOBODY:
                return f"thread {reader} reads a byte that nobody stores before"
            given, needed = self._guard(number, reader), self._guard(writing, writer)
            # What a thread loaded is its own: of another thread's guard nothing follows from it.
            mixed = reader != writer and any(kind_of(v) is not None for v in variables(needed))
            if mixed or not all(implies(given, part) for part in conjuncts(needed)):
                return f"thread {reader} reads what thread {writer} stores, but perhaps where {needed} does not hold"
        return ""


class _Stores:
    """The last store to each byte, for each of so many waves: by which access, and which thread."""

    def __init__(self, size: int, waves: int) -> None:
        self.row, self.lane = (np.full((waves, size), NOBODY, np.int64) for _ in range(2))

    def note(self, waves: NDArray[np.int64], bytes_: NDArray[np.int64], row: int, lanes: NDArray[np.int64]) -> None:
        """Notes stores of these threads."""
        self.row[waves[:, None], bytes_] = row
        self.lane[waves[:, None], bytes_] = lanes[:, None]

    def take(self, since: _Stores) -> None:
        """All that was stored since the last barrier is before the next."""
        for wave in range(len(since.row)):
            stored = since.row[wave] != NOBODY
            self.row[0, stored], self.lane[0, stored] = since.row[wave, stored], since.lane[wave, stored]
