"""Boxes of a tensor that the numpy machine copies between memory and LDS (`target.boxes`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.chosen import Chosen
from layoutalg.isa.run.memories import WaveMemory
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.isa.semantics.tensor import TENSOR_STORES, word_of
from layoutalg.target.boxes import (
    COUNT,
    FIXED,
    LDS,
    LENGTHS,
    MEMORY,
    PADDED_STORE,
    SHAPE,
    STRIDES,
    BoxField,
    Geometry,
    geometry,
)


class WaveTensors(WaveMemory):
    """Memory, and what copies whole boxes of it."""

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
        shapes = np.stack([said(field) for field in SHAPE], axis=1)
        for shape in np.unique(shapes[live & (count == 1)], axis=0):
            waves, box = live & (count == 1) & (shapes == shape).all(axis=1), geometry([int(n) for n in shape])
            if not isinstance(box, str) and box.interval and instruction.name in TENSOR_STORES:
                box = PADDED_STORE
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
        stores = instruction.name in TENSOR_STORES
        access = MemoryInstruction("global", stores, box.size, to_lds=not stores, from_lds=stores)
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
            lanes, in_lds = Chosen(inside), self.registers.by_block((lds + places.astype(np.uint32))[None])
            if stores:
                self._store_box(access, address, in_lds, lanes)
                continue
            self.coming, self.alike = [np.zeros((1, *inside.shape), np.uint32)] * access.registers, False
            if inside.any():
                self._load(plain, access, 0, address, lanes, (counter,))
                self._tell(access, [(address, lanes)])
            self._land(access, in_lds, there, counter)

    def _store_box(self, access: MemoryInstruction, address: Array, in_lds: Array, lanes: Chosen) -> None:
        """What is beyond the tensor is not stored."""
        self.alike = False
        if lanes.active.any():
            self._take(access, in_lds, lanes.active)
            self._tell(access, [(address, lanes)])
            for space, where, some in self._split(access, address, lanes):
                if space != "global":
                    raise UnsupportedInstructionError(f"{self.registers.where}: a box of {space}")
                self._store_global(self.coming, access, where, some, False)
