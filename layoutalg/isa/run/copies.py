"""What goes between memory and LDS and through no register of the numpy machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.run.arrays import Array, spread
from layoutalg.isa.run.chosen import Chosen
from layoutalg.isa.run.reach import ReachedMemory
from layoutalg.isa.run.spaces import Memory
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.isa.semantics.tensor import (
    AMOUNT,
    BOX,
    COUNT,
    FIXED,
    INTERVAL,
    LDS,
    LENGTHS,
    MEMORY,
    PADDED,
    RANK,
    SIZE,
    STRIDES,
    BoxField,
    Geometry,
    geometry,
    word_of,
)
from layoutalg.target import target as gpu


class WaveCopies(ReachedMemory):
    """Loads to LDS: what memory gave is put there."""

    def _load(
        self, instruction: Instruction, access: MemoryInstruction, number: int, address: Array, chosen: Chosen,
        counters: tuple[str, ...],
    ) -> None:  # fmt: skip
        raise NotImplementedError

    def _tell(self, access: MemoryInstruction, parts: Sequence[tuple[Array, Chosen]]) -> None:
        raise NotImplementedError

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

    def copy_tensor(self, instruction: Instruction, groups: Sequence[Sequence[Array]]) -> None:
        """Each live wave copies the box that its registers describe, whichever lanes are active."""
        registers, counter = self.registers, self.architecture.counters.tensors

        def said(field: BoxField) -> Array:
            """A field, of each wave."""
            word = self._agreed("a tensor's descriptor", word_of(registers.w, groups, field), registers.running)
            return np.asarray(np.broadcast_to(word[:, :1], (registers.waves, 1))[:, 0])

        live = registers.live.reshape(-1)
        for field, (wanted, what) in FIXED.items():
            if (live & (said(field) != wanted)).any():
                raise UnsupportedInstructionError(f"{instruction.place}: {what}")
        count = said(COUNT)
        if (live & (count > 1)).any():
            raise UnsupportedInstructionError(f"{instruction.place}: a descriptor of a wave that is restored")
        shapes = np.stack([said(field) for field in (*BOX, SIZE, PADDED, INTERVAL, AMOUNT)], axis=1)
        for shape in np.unique(shapes[live & (count == 1)], axis=0):
            waves, numbers = live & (count == 1) & (shapes == shape).all(axis=1), [int(n) for n in shape]
            box = geometry(numbers[:RANK], *numbers[RANK:])
            if isinstance(box, str):
                raise UnsupportedInstructionError(f"{instruction.place}: {box}")
            if box.box:
                registers.track.issue((counter,), waves, False)
                self._copy_box(instruction, box, waves, said)

    def _copy_box(
        self, instruction: Instruction, box: Geometry, waves: Array, said: Callable[[BoxField], Array]
    ) -> None:
        """Lane by lane, as many elements at a time as a wave has lanes."""
        rank, counter = len(box.box), self.architecture.counters.tensors
        lengths = [said(field)[:, None] for field in LENGTHS[:rank]]
        strides = [said(field)[:, None] for field in STRIDES[: rank - 1]]
        memory, lds = said(MEMORY)[:, None], said(LDS)[:, None]
        access = MemoryInstruction("global", False, box.size, to_lds=True)
        plain = replace(instruction, fields=MappingProxyType({}))
        for first in range(0, box.elements, self.registers.lanes):
            number = np.arange(first, first + self.registers.lanes, dtype=np.int64)
            places, (there, inside) = box.place(number), (waves[:, None] & (number < box.elements),) * 2
            address, rest = memory, number
            for k, length in enumerate(box.box):
                x, rest = rest % length, rest // length
                inside = inside & (x < lengths[k])
                step = strides[k - 1] if k else np.uint64(1)
                address = address + x.astype(np.uint64) * step * np.uint64(box.size)
            lanes = Chosen(inside)
            self.coming, self.alike = [np.zeros((1, *inside.shape), np.uint32)] * access.registers, False
            if inside.any():
                self._load(plain, access, 0, address, lanes, (counter,))
                self._tell(access, [(address, lanes)])
            in_lds = self.registers.by_block((lds + places.astype(np.uint32))[None])
            self._land(access, in_lds, there, counter)

    def _kept(self, access: MemoryInstruction, in_lds: Array | None, active: Array) -> Array:
        """The lanes whose copies are made: those are dropped whose place is beyond all LDS (`semantics.accesses`)."""
        if in_lds is None or not access.by_lane:
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
