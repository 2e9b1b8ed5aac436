"""The registers of the numpy machine: those of all waves of many blocks at once, and which of them run.

A word is an array of four axes; an axis along which all is alike may have the length 1:

| axis | is | of a scalar register | of a vector register |
|---|---|---|---|
| 0 | the block's copy (`run.concrete`) | 1 or 2 | 1 or 2 |
| 1 | the block | 1 or all | 1 or all |
| 2 | the wave in its block | 1 or all | 1 or all |
| 3 | the lane | 1 | all |

So what both copies of a block have alike is computed once, and what is made of the thread's number for no more than one
block.  What nothing wrote is noise, and other noise in the second copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import EXEC, Operand
from layoutalg.isa.run.arrays import Array, ArrayValues, bits_to_lanes, lanes_to_bits, spread
from layoutalg.isa.run.spaces import Describe, Thread
from layoutalg.isa.run.wait_counters import WaitCounters

#: Where LDS and scratch lie in the flat address space (upper 32 bits of their base).  Any values do that no buffer has;
#: a kernel learns them from `src_shared_base` and `src_private_base`.
APERTURES: Mapping[str, int] = {"lds": 0x10000, "scratch": 0x20000}

#: Segments are loaded at multiples of it.
_PAGE = 1 << 12


def image_base(kernel: KernelBinary) -> int:
    """Where the code object's address 0 is loaded: a multiple of 2**32 lies behind the code, before its variables."""
    end = max((segment.end for segment in kernel.image if segment.executable), default=0)
    return (1 << 40) + (1 << 32) - (-(-end // _PAGE) * _PAGE)


class WaveRegisters:
    """Registers of `blocks` blocks, each in two copies."""

    def __init__(self, kernel: KernelBinary, blocks: Array, waves_per_block: int, threads: int) -> None:
        """`blocks` has a row (x, y, z) for each block."""
        self.kernel, self.w = kernel, ArrayValues()
        self.index_mode, self.image = 0, image_base(kernel)
        self.blocks, self.waves_per_block = blocks, waves_per_block
        self.waves = len(blocks) * waves_per_block
        self.shape = len(blocks), waves_per_block
        self.lanes = kernel.wave_size
        self.noise = np.random.default_rng(len(blocks))
        self.live = np.ones(self.waves, np.bool_)
        self.scalars: dict[tuple[str, int], Array] = {}
        self.vectors: dict[tuple[str, int], Array] = {}
        scc = self.noise.integers(0, 2, (1, *self.shape, 1), np.uint8).view(np.bool_)
        self.scc = np.concatenate((scc, ~scc))  # of one bit of noise copies would be alike half the time
        self.track = WaitCounters({*filter(None, astuple(kernel.architecture.counters))}, self.waves, self.thread_of)
        self.thread = np.arange(waves_per_block * self.lanes).reshape(1, 1, waves_per_block, self.lanes)
        self.enabled = self.thread < threads
        self.where, self.ticks = "the entry", 0
        self._set_exec(lanes_to_bits(self.enabled, self.lanes).astype(np.uint64))

    def read_scalar(self, operand: Operand, bits: int) -> Array:
        """A 32- or 64-bit word for each wave."""
        if bits == 64:
            low = self.scalar(operand)
            return self.w.pair(low, self.scalar(Operand(operand.kind, operand.index + 1)))
        return self.scalar(operand)

    def scalar(self, operand: Operand) -> Array:
        """One scalar register: a 32-bit word for each wave."""
        if operand.kind == "null":
            return self.w.const(0, 32)
        if operand.kind == "scc":
            return np.asarray(self.scc, np.uint32)
        if operand.kind not in ("s", "m0"):
            raise UnsupportedInstructionError(f"the scalar source {operand.kind}")
        key = (operand.kind, operand.index)
        self.track.check(key, self.live, self.where, "read")
        return self._held(self.scalars, key, 1)

    def write_scalar(self, operand: Operand, bits: int, word: Array) -> None:
        """Writes the live waves."""
        if operand.kind == "null":
            return
        parts = (self.w.low(word), self.w.high(word)) if bits == 64 else (word,)
        for index, part in enumerate(parts, operand.index):
            key = (operand.kind, index)
            self.track.check(key, self.live, self.where, "written")
            self.scalars[key] = self.kept(key, part)
        if operand.kind == "s" and operand.index in (EXEC, EXEC + 1):
            self._set_exec(self.read_scalar(Operand("s", EXEC), 64))

    def kept(self, key: tuple[str, int], word: Array) -> Array:
        """What a scalar register holds after a write of the live waves."""
        if self.all_live:
            return word
        return np.where(self.running, word, self._held(self.scalars, key, 1))

    def write_scc(self, truth: Array) -> None:
        """Writes the live waves."""
        self.scc = truth if self.all_live else np.where(self.running, truth, self.scc)

    def _set_exec(self, word: Array) -> None:
        self.exec_lanes = bits_to_lanes(word if self.lanes == 64 else self.w.low(word))
        if self.exec_lanes.all():
            word, self.exec_lanes = word[:1, :1, :1], self.exec_lanes[:1, :1, :1]
        self.scalars["s", EXEC], self.scalars["s", EXEC + 1] = self.w.low(word), self.w.high(word)
        self._refresh()

    def _refresh(self) -> None:
        self.all_live = bool(self.live.all())
        self.running = self.live.reshape(*self.shape, 1)  # the live waves, in the axes of words
        self.active = self.exec_lanes if self.all_live else self.exec_lanes & self.running
        self.full = bool(self.active.all())

    def set_live(self, live: Array) -> None:
        """Says which waves the next instructions are for."""
        if not np.array_equal(live, self.live):
            self.live = live
            self._refresh()

    def read_register(self, operand: Operand, bits: int, half: str = "") -> Array:
        """A 32- or 64-bit word for each lane."""
        if operand.kind not in ("v", "a"):
            raise UnsupportedInstructionError(f"{operand} where a vector register is expected, at {self.where}")
        if bits == 64:
            low = self.vector(operand.kind, operand.index)
            return self.w.pair(low, self.vector(operand.kind, operand.index + 1))
        return self.vector(operand.kind, operand.index, half)

    def vector(self, kind: str, index: int, half: str = "") -> Array:
        """One vector register, of which perhaps a half is read: a 32-bit word for each lane."""
        key = (kind, index)
        self.track.check(key, self.live, self.where, "read", half)
        return self._held(self.vectors, key, self.lanes)

    def old_register(self, operand: Operand) -> Array:
        """What it has, whether or not more is under way."""
        return self._held(self.vectors, (operand.kind, operand.index), self.lanes)

    def anything(self) -> Array:
        """Noise in each lane."""
        return self.undefined(self.lanes)

    def write_register(self, operand: Operand, bits: int, word: Array, half: str = "") -> None:
        """Writes the active lanes."""
        parts = (self.w.low(word), self.w.high(word)) if bits == 64 else (word,)
        for index, part in enumerate(parts, operand.index):
            key = (operand.kind, index)
            self.track.check(key, self.live, self.where, "written", half)
            self.store_lanes(key, part, self.active, self.full)

    def store_lanes(self, key: tuple[str, int], word: Array, active: Array, full: bool) -> None:
        """Writes one vector register in these lanes; `full` says that they are all there are."""
        if full:
            self.vectors[key] = spread(word, (*word.shape[:3], self.lanes))
            return
        self.vectors[key] = np.where(active, word, self._held(self.vectors, key, self.lanes))

    def _held(self, registers: dict[tuple[str, int], Array], key: tuple[str, int], columns: int) -> Array:
        """What a register holds: noise, where nothing wrote it."""
        if key not in registers:
            registers[key] = self.undefined(columns)
        return registers[key]

    def undefined(self, columns: int, limit: int = 1 << 32) -> Array:
        """Noise, other noise in each copy, below a limit: what nothing wrote."""
        return self.noise.integers(0, limit, (2, *self.shape, columns), np.uint32)

    def by_wave(self, word: Array) -> Array:
        """A word with the axes copy, wave (of all blocks) and lane."""
        return spread(word, (len(word), *self.shape, word.shape[3])).reshape(len(word), self.waves, -1)

    def by_block(self, rows: Array) -> Array:
        """The word of such axes."""
        return rows.reshape(len(rows), *self.shape, -1)

    def lanes_of(self, mask: Array) -> Array:
        """A mask as a truth for each lane."""
        return bits_to_lanes(mask)

    def mask_of(self, truth: Array) -> Array:
        """Packs the truth of the active lanes."""
        return lanes_to_bits(truth & self.active, self.lanes)

    def lane_number(self) -> Array:
        """The same for all waves."""
        return self.w.const(0, 32) | np.arange(self.lanes, dtype=np.uint32)

    def aperture(self, space: str) -> Array:
        """The base of LDS or scratch."""
        return self.w.const(APERTURES[space] << 32, 64)

    def loaded_at(self, address: int) -> Array:
        """Where an address of the code object is loaded."""
        return self.w.const(self.image + address, 64)

    def clock(self) -> Array:
        """Later than whenever it was asked before."""
        self.ticks += 1000
        return self.w.const(self.ticks, 64)

    def begin_indexing(self, number: Array, mode: int) -> None:
        """Writes M0's low byte and mode."""
        m0 = self.scalar(Operand("m0")) & np.uint32(0xFFFF0F00)
        self.write_scalar(Operand("m0"), 32, m0 | number & np.uint32(0xFF) | np.uint32(mode << 12))
        self.index_mode = mode

    def register_offset(self) -> int:
        """What M0 adds to a register's number, where the waves that run agree."""
        (offset,) = np.unique(self.register_offsets()[self.live])
        return int(offset)

    def register_offsets(self) -> Array:
        """What M0 adds for each wave: its low byte in index mode, else all of it (ISA manuals, V_MOVRELS)."""
        number = self.scalar(Operand("m0"))
        number = np.where(self.running, number & np.uint32(0xFF) if self.index_mode else number, np.uint32(0))
        self.agree("a register's number", number)
        return np.asarray(self.by_wave(number)[0, :, 0])

    def further(self, operand: Operand, offset: int) -> Operand:
        """The register so many further on, which must be the kernel's."""
        if operand.kind != "v" or operand.index + offset >= self.kernel.vector_registers:
            what = f"{offset} registers further on than {operand}, of {self.kernel.vector_registers}"
            raise Fault("address", what, self.where)
        return Operand("v", operand.index + offset)

    def describe(self, active: Array) -> Describe:
        """Names the k-th active lane (of waves and lanes)."""

        def name(k: int) -> Thread:
            row, lane = (int(i) for i in np.argwhere(active)[k])
            return self.thread_of(row, lane)

        return name

    def agree(self, what: str, value: Array) -> Array:
        """A value that matters, of one copy: a `Fault` when the two differ."""
        if len(value) == 1:
            return value
        first, second = value
        if (first != second).any():
            block, wave, lane = (int(i) for i in np.argwhere(first != second)[0])
            thread = self.thread_of(block * self.waves_per_block + wave, lane)
            what = f"{what} depends on an undefined value, {thread}"
            raise Fault("uninitialised", what, self.where, thread=thread)
        return value[:1]

    def thread_of(self, row: int, lane: int = 0) -> Thread:
        """The thread of a wave's lane."""
        x, y, z = (int(i) for i in self.blocks[row // self.waves_per_block])
        return Thread((x, y, z), row % self.waves_per_block * self.lanes + lane)
