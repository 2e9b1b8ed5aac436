"""What goes between memory and LDS through no register of the numpy machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array, spread
from layoutalg.isa.run.chosen import Chosen
from layoutalg.isa.run.landing import Landing
from layoutalg.isa.run.reach import ReachedMemory
from layoutalg.isa.run.spaces import Memory
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.target import target as gpu


class WaveCopies(ReachedMemory):
    """Loads to LDS: what memory gave is put there."""

    def _land(self, access: MemoryInstruction, in_lds: Array, active: Array, counter: str = "") -> None:
        """What a load brings is put to LDS, by every active lane; until a wait nobody may look at it (`landing`)."""
        counter = counter or self.architecture.counters.landing
        registers, lanes = self.registers, Chosen(active)
        start = spread(self._agreed("a place in LDS", in_lds, registers.active), active.shape)
        dwords, self.coming = self.coming, []
        self.alike = False
        where = replace(access, space="lds", store=True, to_lds=False)
        memory, positions = self._positions("lds", start, lanes, where)
        stored = [lanes.of(dword) for dword in dwords]
        rows, described = lanes.rows, registers.describe(lanes.active)
        self.lds.noted(len(rows), alike=False)
        tickets = np.zeros(len(rows), np.int64)
        changed = changes(memory, positions, access.size, stored)
        self.lds.races.write(
            positions, access.size, rows, tickets, self.waves, described, registers.where, changed=changed
        )
        if not memory.scatter(positions, access.size, stored):
            raise self._collision("one LDS address", positions, stored, lanes)
        self.landing[counter].note(positions, access.size, rows, registers.track.issued[counter][rows])
        if self.observer:
            self.observer.access(registers, where, "lds", [(start, lanes.active)])

    def _take(self, access: MemoryInstruction, in_lds: Array, active: Array) -> None:
        """What every active lane copies from LDS; until a wait nobody may store there (`landing`)."""
        registers, lanes = self.registers, Chosen(active)
        start = spread(self._agreed("a place in LDS", in_lds, registers.active), active.shape)
        where = replace(access, space="lds", store=False, from_lds=False)
        memory, positions = self._positions("lds", start, lanes, where)
        rows, described = lanes.rows, registers.describe(lanes.active)
        self.lds.noted(len(rows), alike=False)
        self.lds.races.read(positions, access.size, rows, self.waves, described, registers.where)
        nothing = np.zeros((1, *active.shape), np.uint32)
        self.coming = [lanes.put(nothing, dword) for dword in memory.gather(positions, access.size)]
        self._note(self.read, access, positions, rows)

    def _note(self, each: list[Landing], access: MemoryInstruction, positions: Array, rows: Array) -> None:
        """A copy from LDS touches these places until a wait for its counter: that of lanes, or of boxes."""
        counters = self.architecture.counters
        counter = counters.copies_back if access.by_lane else counters.tensors
        tables, tickets = [one for one in each if one.counter == counter], self.registers.track.issued[counter][rows]
        left, number = np.arange(len(rows)), 0
        while left.size:
            if number == len(tables):
                tables.append(tables[0].another())
                each.append(tables[-1])
            copied, number = tables[number], number + 1
            left = left[copied.note_beside(positions[left], access.size, rows[left], tickets[left], self.waves)]

    def _kept(self, access: MemoryInstruction, in_lds: Array | None, active: Array) -> Array:
        """The lanes whose copies are made: those are dropped whose place is beyond all LDS (`semantics.accesses`)."""
        if in_lds is None or access.from_lds or not access.by_lane:
            return active
        start = spread(self._agreed("a place in LDS", in_lds, self.registers.active), active.shape)
        return active & (start < np.uint32(gpu(self.registers.kernel.target).lds_bytes))

    def _collision(self, place: str, positions: Array, stored: list[Array], lanes: Chosen) -> Fault:
        """Two lanes store different values to one place: names them, where their elements begin alike."""
        order = np.argsort(positions, kind="stable")
        alike = np.diff(positions[order]) == 0
        differ = np.any([(np.diff(word[..., order].astype(np.int64)) != 0).any(axis=0) for word in stored], axis=0)
        k = int(np.argmax(alike & differ))
        describe = self.registers.describe(lanes.active)
        one, other = describe(int(order[k])), describe(int(order[k + 1]))
        what = f"two lanes store different values to {place}, {one} and thread {other.number}"
        return Fault("collision", what, self.registers.where, thread=one)


def changes(memory: Memory, positions: Array, size: int, stored: list[Array]) -> Callable[[], Array]:
    """Whether each element is to be another than what is there, in some copy of its block."""
    mask = np.uint32((1 << 8 * min(size, 4)) - 1)

    def changed() -> Array:
        there = memory.gather(positions, size)
        differs = [((old ^ new) & mask).any(axis=0) for old, new in zip(there, stored, strict=True)]
        return np.asarray(np.any(differs, axis=0))

    return changed
