"""Who touched which part of a memory, and whether anything orders what two waves do there.

Blocks are carried out one after the other here and waves in turns, so a race would always end the same way, and be seen
by nobody.  Each place (the smallest element that the program accesses) remembers who wrote, read and atomically updated
it.  Two waves may touch a place, one of them changing it, only where something orders the two:

| at | is a race, where nothing orders it after |
|---|---|
| a read | another wave's write, or atomic sum of which it reads no result |
| a write | the same of something else than it writes, and another's read or atomic update, but one that gave a result |
| an atomic update | another's write, and another's read if it is such a sum; no other atomic update |

A plain read beside other atomic updates may be a guess that an atomic operation checks afterwards (the first value of a
loop that compares and swaps, a greatest value so far, a hash table that is only filled): it is told, and no fault.

| what orders | waves of | how it is known |
|---|---|---|
| a barrier between | one block | the first access was issued, and where needed complete, when its wave came there |
| atomic operations | all | not followed: see below, and `released` for what none of them can order |

A write is complete when its wave waited for it: each has a ticket (how many of its counter its wave had issued), and a
wait lets all tickets up to some number be complete.  Where the waves of a block share their first cache, which takes
accesses of global memory in order, having issued it is enough (LLVM's AMDGPUUsage, "Memory Model": release at the scope
of a work-group waits for vmcnt or vscnt only in WGP mode, or where tgsplit is on).

A wave that reads an atomic operation's result, or makes what may be an atomic load of global memory
(`semantics.accesses.may_be_atomic`; loads of LDS have no such bits, by whichever instruction) or one that waits for
another wave (`polls`), may know by it that others have come so far.  From there on what it does to places
that others touched before is not judged (of other blocks: what its block does).  So what is reported is a race; what is
not may be one in such kernels, which `Synchronised.unjudged` tells.

Most memory that is read is never written: its reads are only kept until it is, and noted then.
A read of LDS has a ticket as well: operations of several waves on LDS may be reordered, since it has several queues of
requests ("Memory Model" of gfx90a and gfx942), so what a barrier finds under way may come after what others then write.

What it cannot represent: which atomic operation orders what; of several waves that read a place, which reads a barrier
found under way; loads of global memory that one did.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.released import UNSEEN, Released
from layoutalg.isa.run.spaces import Describe

#: Elements whose reads are kept at most before they are noted.
_KEPT = 1 << 22

#: Nobody; waves of several blocks; from here downwards, several waves of block 0, 1, …
NOBODY, SEVERAL, OF_BLOCK = -1, -2, -3


class Synchronised:
    """What orders the waves that run at once: the barriers they passed, and what they may know of others.

    Rows are waves of this machine; waves and blocks are numbered through the whole grid.
    """

    def __init__(
        self, waves: int, waves_per_block: int, counters: Sequence[str] = (), first: int = 0, caches: Sequence[str] = ()
    ) -> None:
        """`first` is the number of the first block; `caches`, those between waves of two blocks."""
        self.waves_per_block, self.first = waves_per_block, first * waves_per_block
        self.number = np.arange(waves, dtype=np.int32) + np.int32(self.first)
        self.signals = np.zeros(waves, np.int32)
        self.waits = np.zeros(waves, np.int32)
        self.complete = {name: np.zeros(waves, np.int64) for name in counters}  # seen by all after the barrier
        self.arriving = {name: np.zeros(waves, np.int64) for name in counters}  # the same, of one it has come to
        self.aware = np.zeros(waves, np.bool_)  # may know by atomic operations how far others are
        self.apart: dict[int, tuple[int, ...]] = {}  # block → addresses at which its waves stood at one barrier
        self.unjudged: dict[str, None] = {}  # instructions that may race, or be ordered by atomic operations
        self.left: dict[str, None] = {}  # barriers that waves passed without others, which had ended
        self.renewed = {cache: np.zeros(waves, np.bool_) for cache in caches}  # since it is aware
        self._alike: bool | None = None  # not known

    @property
    def alike(self) -> bool:
        """Whether all blocks stand alike: each wave as the same one of the first block."""
        if self._alike is None:
            held = (self.signals, self.waits, self.aware, *self.complete.values())
            self._alike = all(of_each_block_alike(one, self.waves_per_block) for one in held)
        return self._alike

    def make_aware(self, rows: Array) -> None:
        """From here on these waves may know how far others are."""
        self.aware[rows], self._alike = True, None

    def of_blocks(self, waves: Array) -> Array:
        """Of each wave, whether one of its block is among these."""
        return np.repeat(waves.reshape(-1, self.waves_per_block).any(axis=1), self.waves_per_block)

    def renew(self, live: Array, cache: str) -> None:
        """These waves (a truth for each) invalidate a cache between blocks."""
        self.renewed[cache] = self.renewed[cache] | self.of_blocks(live) & self.of_blocks(self.aware)

    def blind(self, rows: Array) -> Array:
        """Whether no wave of the block has renewed its caches since one may know how far others are."""
        return np.asarray((self.of_blocks(self.aware) & ~np.logical_and.reduce([*self.renewed.values()]))[rows])

    def arrive(self, rows: Array, done: Mapping[str, Array]) -> None:
        """These waves (a truth for each) come to a barrier, with tickets of each counter up to `done` complete."""
        for name, tickets in done.items():
            self.arriving[name] = np.where(rows, tickets, self.arriving[name])
        self.signals, self._alike = self.signals + rows, None

    def release(self, rows: Array, stood: Array, gone: Array | bool = False) -> None:
        """These waves pass the barrier, at which they stood at these addresses; others (`gone`) had ended before."""
        for name, tickets in self.arriving.items():
            self.complete[name] = np.where(rows | gone, tickets, self.complete[name])
        self.waits, self._alike = self.waits + rows, None
        released = np.where(rows, stood, -1).reshape(-1, self.waves_per_block)
        least = np.where(released < 0, released.max(initial=0), released).min(axis=1)
        for block in np.nonzero((released >= 0).any(axis=1) & (least != released.max(axis=1)))[0]:
            addresses = np.unique(released[block][released[block] >= 0])
            self.apart.setdefault(int(block) + self.first // self.waves_per_block, tuple(addresses.tolist()))


def of_each_block_alike(waves: Array, waves_per_block: int) -> bool:
    """Whether what each wave has is what the same one of the first block has."""
    return bool((waves.reshape(-1, waves_per_block) == waves[:waves_per_block]).all())


class Group:
    """Those who did one thing to each place: the last wave, or that several of one block or of several blocks did."""

    def __init__(self, places: int, waves_per_block: int) -> None:
        self.waves_per_block = waves_per_block
        self.who: Array = np.full(places, NOBODY, np.int32)
        self.epoch: Array = np.zeros(places, np.int32)  # barriers that the last had come to

    def others(self, places: Array, own: Array, passed: Array) -> tuple[Array, Array]:
        """Whether other waves of the same block did it with no barrier between, and whether waves of another did."""
        who = self.who.take(places)
        other = (who != own) & (who != NOBODY)
        if not other.any():
            return other, other
        here = self.block(who) == own // self.waves_per_block
        return other & here & (self.epoch[places] >= passed), other & ~here

    def block(self, who: Array) -> Array:
        """The block that they are of; negative where there are several or none."""
        return np.where(who >= 0, who // self.waves_per_block, OF_BLOCK - who)

    def note(self, places: Array, own: Array, passed: Array, signalled: Array) -> None:
        """Adds waves to those who did it; those of one's block who did it before a barrier count no more."""
        before, new = self.who.take(places), own
        other = (before != own) & (before != NOBODY)
        if other.any():
            block = own // self.waves_per_block
            here = np.where(self.epoch[places] < passed, own, OF_BLOCK - block)
            new = np.where(other, np.where(self.block(before) == block, here, SEVERAL), own).astype(np.int32)
        self.who[places], self.epoch[places] = new, signalled
        now = self.who.take(places)  # of several that touch one place at once the last is there
        lost = now != new
        if lost.any():
            block, kept = self.block(new[lost]), self.block(now[lost])
            self.who[places[lost]] = np.where(block == kept, OF_BLOCK - block, SEVERAL)
            self.who[places[lost][block != kept]] = SEVERAL


class Races:
    """Who touched each place of one memory.

    An access is described by its positions in bytes, the size of its elements, the machine's rows and `where` it is;
    `describe` names the k-th.
    """

    def __init__(
        self, name: Callable[[int], str], size: int, place: int, waves_per_block: int, counter: str,
        regions: Sequence[int] = (0,),
    ) -> None:  # fmt: skip
        """`name` is what a byte is called in messages, `counter` that of the memory's stores.

        `regions` are the bytes where each piece of the memory begins, in order.
        """
        places = size // place + 2
        self.name, self.place, self.counter = name, place, counter
        self.writer: Array = np.full(places, NOBODY, np.int32)
        self.ticket: Array = np.zeros(places, np.int32)
        self.withheld: Array = np.zeros(places, np.int32)  # that of a store which caches may keep from other blocks
        self.released = Released()
        self.read_ticket: Array = np.zeros(places, np.int32)
        self.readers = Group(places, waves_per_block)
        self.updaters: Group | None = None  # nobody so far
        self.summers: Group | None = None  # those among them whose sums a read would be a part of
        self.askers: Group | None = None  # those that read a result: a store beside them may be an atomic one
        self.regions = list(regions)
        self.changed: set[int] = set()  # regions that were written or updated
        self.kept: list[tuple[Array, int, Array, Array | None, Array, Array, Array]] = []  # reads, not noted yet
        self.kept_elements = 0

    def read(self, positions: Array, size: int, rows: Array, state: Synchronised, describe: Describe, where: str,
             *, atomic: bool = False, tickets: Array | None = None) -> None:  # fmt: skip
        """Records reads; one that may be an atomic load orders what follows, and races with nothing."""
        if atomic:
            state.make_aware(rows)
            return
        regions = self._regions(positions)
        if not self.changed.intersection(regions):
            self._keep(positions, size, rows, tickets, state)
            return
        self._change(regions)
        places, row, count = self._places(positions, size, rows)
        own = state.number[row]
        report = _Report(self, places, row, count, state, describe, where, "reads")
        near, far = self._written(places, row, state)
        report.of(near, far, "written", "wrote", never=lambda: self._never_released(places) | state.blind(row))
        if self.updaters:
            report.tell(*self.updaters.others(places, own, state.waits[row]))
        if self.summers:
            report.of(*self.summers.others(places, own, state.waits[row]), "atomically updated", "updated")
        self.readers.note(places, own, state.waits[row], state.signals[row])
        if tickets is not None:
            self.read_ticket[places] = np.repeat(tickets, count)

    def write(self, positions: Array, size: int, rows: Array, tickets: Array, state: Synchronised, describe: Describe,
              where: str, *, changed: Callable[[], Array] | None = None, bypasses: bool = False) -> None:  # fmt: skip
        """Records writes; `changed` says of each whether it is of something else than what is there.

        One that `bypasses` caches may be an atomic store.
        """
        self._change(self._regions(positions))
        places, row, count = self._places(positions, size, rows)
        own = state.number[row]
        report = _Report(self, places, row, count, state, describe, where, "writes")
        near, far = self._written(places, row, state)
        if changed is not None and (near.any() or far.any()):
            other = np.repeat(changed(), count)
            near, far = near & other, far & other
        withheld = (lambda: False) if bypasses else (lambda: self._never_released(places))
        report.of(near, far, "written", "wrote something else", never=withheld)
        report.of(*self.readers.others(places, own, state.waits[row]), "read", "read")
        report.under_way(self._being_read(places, row, state))
        if self.updaters:
            near, far = self.updaters.others(places, own, state.waits[row])
            if self.askers:
                asked = np.logical_or(*self.askers.others(places, own, state.waits[row]))
                report.tell(near & asked, far & asked)
                near, far = near & ~asked, far & ~asked
            report.of(near, far, "atomically updated", "updated")
        self.writer[places], self.ticket[places] = own, np.repeat(tickets, count)
        self.withheld[places] = 0 if bypasses else self.ticket[places]
        if changed is None:
            several = self.writer[places] != own
            report.of(several, several & False, "also written", "")

    def update(self, positions: Array, size: int, rows: Array, state: Synchronised, describe: Describe, where: str,
               *, returns: bool, sums: bool) -> bool:  # fmt: skip
        """Records atomic updates; returns whether others updated some of the places before."""
        self._change(self._regions(positions))
        places, row, count = self._places(positions, size, rows)
        own = state.number[row]
        if returns:
            state.make_aware(rows)
        report = _Report(self, places, row, count, state, describe, where, "atomically updates")
        report.of(*self._written(places, row, state), "written", "wrote")
        others = self.readers.others(places, own, state.waits[row])
        if sums and not returns:
            report.of(*others, "read", "read")
            self.summers = self.summers or Group(len(self.writer), state.waves_per_block)
            self.summers.note(places, own, state.waits[row], state.signals[row])
        else:
            report.tell(*others)
        if returns:
            self.askers = self.askers or Group(len(self.writer), state.waves_per_block)
            self.askers.note(places, own, state.waits[row], state.signals[row])
        if self.updaters is None:
            self.updaters = Group(len(self.writer), state.waves_per_block)
        before = bool((self.updaters.who[places] != NOBODY).any())
        self.updaters.note(places, own, state.waits[row], state.signals[row])
        return before

    def _regions(self, positions: Array) -> range:
        """The regions from that of the first byte to that of the last."""
        if not positions.size:
            return range(0)
        first, last = (bisect_right(self.regions, int(end)) for end in (positions.min(), positions.max()))
        return range(first - 1, last)

    def _keep(self, positions: Array, size: int, rows: Array, tickets: Array | None, state: Synchronised) -> None:
        """Keeps reads of what nobody has changed."""
        self.kept.append((positions, size, rows, tickets, state.number, state.waits, state.signals))
        self.kept_elements += positions.size
        if self.kept_elements > _KEPT:
            self._note()

    def _change(self, regions: range) -> None:
        """From here on reads of these regions are noted at once; those of before are now."""
        if not self.changed.issuperset(regions):
            self._note()
            self.changed |= set(regions)

    def _note(self) -> None:
        """Notes all reads that were kept."""
        for positions, size, rows, tickets, *waves in self.kept:
            places, row, count = self._places(positions, size, rows)
            self.readers.note(places, *(one.take(row) for one in waves))
            if tickets is not None:
                self.read_ticket[places] = np.repeat(tickets, count)
        self.kept, self.kept_elements = [], 0

    def spread(self, blocks: int, size: int) -> None:
        """What the first block did to its bytes, so many, the others did to theirs."""
        self._note()
        count, waves = size // self.place, self.readers.waves_per_block
        for who, when in ((self.writer, self.ticket), (self.readers.who, self.readers.epoch)):
            first = who[:count].copy()
            for block in range(1, blocks):
                here = slice(block * count, (block + 1) * count)
                several = np.where(first <= OF_BLOCK, first - block, first)
                who[here], when[here] = np.where(first >= 0, first + block * waves, several), when[:count]
                self.read_ticket[here] = self.read_ticket[:count]

    def _places(self, positions: Array, size: int, rows: Array) -> tuple[Array, Array, int]:
        """The places of accesses, the row of each, and how many each has: one more where some begins within one."""
        count, first = max(1, size // self.place), positions >> self.place // 2
        if int(np.bitwise_or.reduce(positions)) & (self.place - 1):
            count += 1
        if count == 1:
            return first, rows, 1
        return (first[:, None] + np.arange(count)).reshape(-1), np.repeat(rows, count), count

    def _written(self, places: Array, row: Array, state: Synchronised) -> tuple[Array, Array]:
        """Whether another wave of the block wrote it, not seen at its last barrier, and whether one of another did."""
        writer, own = self.writer.take(places), state.number[row]
        other = (writer != own) & (writer != NOBODY)
        if not other.any():
            return other, other
        here = writer // state.waves_per_block == own // state.waves_per_block
        its_row = np.where(here, row + writer - own, row)
        return other & here & (self.ticket[places] > state.complete[self.counter][its_row]), other & ~here

    def _never_released(self, places: Array) -> Array:
        """Whether what was stored there last cannot have been released to other blocks."""
        return self.released.never(self.writer[places], self.withheld[places])

    def _being_read(self, places: Array, row: Array, state: Synchronised) -> Array:
        """Whether another wave of the block reads it, and did not wait for that before its last barrier."""
        reader, own = self.readers.who.take(places), state.number[row]
        here = (reader >= 0) & (reader != own) & (reader // state.waves_per_block == own // state.waves_per_block)
        its_row = np.where(here, row + reader - own, row)
        return np.asarray(here & (self.read_ticket[places] > state.complete[self.counter][its_row]))


class _Report:
    """The faults of one access."""

    def __init__(
        self, races: Races, places: Array, row: Array, count: int, state: Synchronised, describe: Describe, where: str,
        does: str,
    ) -> None:  # fmt: skip
        self.races, self.places, self.row, self.count = races, places, row, count
        self.state, self.describe, self.where, self.does = state, describe, where, does

    def of(
        self, near: Array, far: Array, done: str, did: str, *, never: Callable[[], Array | bool] = lambda: False
    ) -> None:
        """A `Fault` where waves of the block (`near`) or another block (`far`) did something to a place.

        `never`: where no atomic operation can order what the other block did.
        """
        if near.any():
            self._one(near, f", {done} by another wave with no barrier between", of_block=True)
        if far.any():
            self._one(far, f" where another block {did}", of_block=False, never=never())

    def under_way(self, near: Array) -> None:
        """A `Fault` where a read of another wave of the block was under way at the barrier."""
        if near.any():
            self._one(near, ", whose read by another wave was under way at the barrier", of_block=True)

    def tell(self, near: Array, far: Array) -> None:
        """Notes what may be a race."""
        if near.any() or far.any():
            self.state.unjudged.setdefault(self.where)

    def _one(self, bad: Array, others: str, *, of_block: bool, never: Array | bool = False) -> None:
        state = self.state
        aware = state.aware if of_block else state.of_blocks(state.aware)
        certain = bad & (~aware[self.row] | never)
        if not certain.any():
            state.unjudged.setdefault(self.where)
            return
        k = int(np.argmax(certain))
        place = self.races.name(int(self.places[k]) * self.races.place)
        thread = self.describe(k // self.count)
        what = f"{thread} {self.does} {place}{others}{UNSEEN if aware[self.row[k]] else ''}"
        stood = state.apart.get(int(state.number[self.row[k]]) // state.waves_per_block)
        if of_block and stood:
            at = " and ".join(f"{address:#x}" for address in stood)
            raise Fault(
                "barrier", f"waves of a block met at different barriers, {at}: {what}", self.where, thread=thread
            )
        raise Fault("race", what, self.where, thread=thread)
