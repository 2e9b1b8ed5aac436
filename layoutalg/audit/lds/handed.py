"""What LDS hands on: of each byte that a thread reads, the store that it is from, and the thread that stored it.

Between two barriers a thread reads what its own wave stored last, else what any wave stored before the barrier, the
last store in the order of the code.  Addresses that speak of the thread alone are looked up (as in `tables`), so a read
of every thread has a table of writers; it is written down as a map of the reader's coordinates (`digits`):

    partial[t] += partial[t + 64]      reads   the store two barriers up,   thread t + 64

| the store stands | the read gives |
|---|---|
| in the loops that the read stands in | what the same turn stored |
| in a loop that is left before the read | what its last turn stored |
| before a loop around the read in which nothing is stored there | what was stored then |

That the store happens whenever the read does is a question of its own.  All of this holds where `race_free` does: then
no other wave stores to these bytes after the barrier before the read, so the order of the code is the order of time.
What it cannot represent: addresses that turn with a loop, bytes that another turn of a loop around the read stores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.lds.digits import Table, digits
from layoutalg.audit.lds.tables import BlockThreads
from layoutalg.index import TRUE, ZERO, Expr, all_of, array, conjuncts, const, eq, simplify, variables
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.symex.machine.state import TracedElement
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.word import NotReadable

NOBODY = -1

Env = Mapping[Expr, Expr]
"""What threads' coordinates and loops' numbers are."""


@dataclass(frozen=True)
class Handed:
    """For readers where that holds: the byte that was stored, its thread and turn, and what their guard must imply."""

    where: Expr
    element: TracedElement
    env: Env
    needed: Expr
    threads: tuple[Table, Table]  # by their numbers: those that read, and of each the one that stored


@dataclass(frozen=True, eq=False)
class _Moved:
    """One access of LDS: its elements, and who makes it where."""

    number: int
    elements: tuple[TracedElement, ...]
    offsets: Table
    happens: NDArray[np.bool_]

    @property
    def first(self) -> TracedElement:
        return self.elements[0]

    @property
    def bytes(self) -> Table:
        """Each thread's bytes."""
        each = [np.arange(one.size) + one.within - self.first.within for one in self.elements]
        return np.add(self.offsets[:, None], np.concatenate(each)[None, :], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _From:
    """Of each thread's bytes, the number of the store (`NOBODY`: none), its byte, and its thread."""

    store: Table
    byte: Table
    lane: Table


class LdsContents:
    """Who stored what is read of LDS."""

    def __init__(self, launched: KernelLaunch, trace: Sequence[TracedElement]) -> None:
        block = BlockThreads(launched)
        self.count, self.waves, self.numbers = block.count, block.waves, block.indices
        self.moved = [self._moved(k, one) for k, one in enumerate(_accesses(trace))]
        self.read = {e.value: (m, k) for m in self.moved if not m.first.store for k, e in enumerate(m.elements)}
        self._tables = self._walked()

    def of(self, unknown: Expr, env: Env) -> list[Handed]:
        """Where a byte is from that was read as this unknown: of several stores, where the reader is one of whose.

        Raises `NotReadable` where that is not seen.
        """
        read, k = self.read[unknown]
        table, thread = self._tables[read.number], self.thread(env)
        lanes = np.nonzero(read.happens)[0] if thread is None else np.array([thread])
        if not read.happens[lanes].all() or not lanes.size:
            raise NotReadable(f"thread {thread} reads no LDS at {read.first.instruction.address:#x}")
        about = f"what {read.first.instruction.address:#x} reads of LDS"
        from_ = np.stack([table.store[lanes, k], table.byte[lanes, k]], axis=1)
        pieces, which = np.unique(from_, axis=0, return_inverse=True)
        if (pieces[:, 0] == NOBODY).any():
            raise NotReadable(f"{about} nobody stores before")
        form = ZERO if len(pieces) == 1 else digits(which.reshape(-1), {v: n[lanes] for v, n in self.numbers.items()})
        if form is None:
            raise NotReadable(f"{about} is of several stores")
        found = []
        for number, (storing, part) in enumerate(pieces.tolist()):
            store, mine = self.moved[storing], lanes[which.reshape(-1) == number]
            self._stays(read, store, k, mine)
            turns = {t: env[t] for t in store.first.loops if t in read.first.loops and t in env}
            writers = self._writers(table.lane[mine, k], mine, env, about)
            element = store.elements[part]
            others = (one for one in conjuncts(element.guard) if not set(variables(one)) <= set(self.numbers))
            at, threads = {**writers, **turns}, (mine, table.lane[mine, k])
            found.append(Handed(eq(form, number), element, at, all_of(TRUE, *others), threads))
        return found

    def coordinates(self, number: int) -> dict[Expr, Expr]:
        """Those of the thread of a number."""
        return {v: const(int(held[number])) for v, held in self.numbers.items()}

    def thread(self, env: Env) -> int | None:
        """The number of the thread, where it is one."""
        found = [simplify(env[v]) for v in self.numbers]
        if any(one.op != "const" for one in found):
            return None
        mine = np.all([self.numbers[v] == int(n.value) for v, n in zip(self.numbers, found, strict=True)], axis=0)
        return int(np.argmax(mine))

    def _writers(self, writers: Table, lanes: Table, env: Env, about: str) -> dict[Expr, Expr]:
        """Each coordinate of the writer, by the reader's."""
        found = {}
        here = {v: held[lanes] for v, held in self.numbers.items()}
        for v, held in self.numbers.items():
            wanted = held[writers]
            if len(lanes) == 1:
                found[v] = const(int(wanted[0]))
                continue
            form = digits(wanted, here)
            if form is None:
                raise NotReadable(f"{about}: its writer is no map of digits")
            found[v] = simplify(moved(form, env))
        return found

    def _stays(self, read: _Moved, store: _Moved, k: int, lanes: Table) -> None:
        """Raises where any turn of a loop around the read, but not around the store, may store there.

        Wherever in the code: what stands before the read was stored in a turn before, too, by another wave also where
        no barrier stands between the two in one turn.
        """
        inside = [t for t in read.first.loops if t not in store.first.loops]
        if not inside:
            return
        mine = np.unique(read.bytes[lanes, k])
        for other in self.moved:
            turning = other.first.store and any(t in other.first.loops for t in inside)
            if turning and np.isin(other.bytes[other.happens], mine).any():
                raise NotReadable(f"what {read.first.instruction.address:#x} reads of LDS another turn may store")

    def _moved(self, number: int, elements: Sequence[TracedElement]) -> _Moved:
        one, known = elements[0], set(self.numbers)
        access = ACCESSES.get(one.instruction.name)
        if access is None or access.atomic:
            raise NotReadable(f"{one.instruction.place} does more than load or store")
        if not set(variables(one.offset)) <= known:
            raise NotReadable(f"an LDS address depends on more than the thread: {one.offset}")
        mine = [part for part in conjuncts(one.guard) if set(variables(part)) <= known]
        offsets = np.broadcast_to(array([one.offset], self.numbers)[0], (self.count,))
        happens = np.broadcast_to(array([all_of(TRUE, *mine)], self.numbers)[0], (self.count,)).astype(np.bool_)
        return _Moved(number, tuple(elements), offsets, happens)

    def _walked(self) -> dict[int, _From]:
        """Of each read, in the order of the code, the last stores to its bytes."""
        size = max((int(m.bytes[m.happens].max(initial=0)) + 1 for m in self.moved), default=0)
        waves = int(self.waves.max()) + 1
        before, since = (np.full((3, n, size), NOBODY, np.int64) for n in (1, waves))
        interval, found = None, {}
        for m in self.moved:
            if interval is not m.first.barriers:
                for wave in range(waves):
                    stored = since[0, wave] != NOBODY
                    before[:, 0, stored] = since[:, wave, stored]
                since[:], interval = NOBODY, m.first.barriers
            lanes = np.nonzero(m.happens)[0]
            bytes_ = m.bytes[lanes]
            if (bytes_ < 0).any():
                raise NotReadable(f"an LDS address below 0 at {m.first.instruction.address:#x}")
            if m.first.store:
                for part in range(bytes_.shape[1]):
                    at = self.waves[lanes], bytes_[:, part]
                    since[0][at], since[1][at], since[2][at] = m.number, part, lanes
                continue
            own = self.waves[lanes][:, None]
            held = np.where(since[0][own, bytes_] != NOBODY, since[:, own, bytes_], before[:, 0, bytes_])
            tables = np.full((3, self.count, bytes_.shape[1]), NOBODY, np.int64)
            tables[:, lanes] = held
            found[m.number] = _From(*tables)
        return found


def _accesses(trace: Sequence[TracedElement]) -> Iterator[tuple[TracedElement, ...]]:
    """The elements of each access of LDS."""
    found: list[TracedElement] = []
    for one in trace:
        if one.buffer != LDS:
            continue
        if found and not one.within:
            yield tuple(found)
            found = []
        found.append(one)
    if found:
        yield tuple(found)
