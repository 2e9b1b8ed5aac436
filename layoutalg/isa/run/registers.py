"""The registers of the numpy machine: those of all waves of many blocks at once, and which of them run.

A scalar register is a column of one word for each wave, a vector register a row of lanes for each wave.  What nothing
wrote is noise, and other noise in the second copy of a block (see `concrete`).
"""

from __future__ import annotations

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import EXEC, Instruction, Operand
from layoutalg.isa.machine import Machine
from layoutalg.isa.run.arrays import Array, ArrayValues, bits_to_lanes, lanes_to_bits
from layoutalg.isa.run.spaces import Describe
from layoutalg.isa.run.wait_counters import WaitCounters
from layoutalg.isa.semantics.table import ALU

#: Moves from or to the register whose number M0 is added to.
MOVES_BY_NUMBER = frozenset({"V_MOVRELS_B32", "V_MOVRELD_B32"})


class RegisterMachine(Machine):
    """Registers of `blocks` blocks, each in two copies (the second half of the waves)."""

    w: ArrayValues

    def __init__(self, kernel: KernelBinary, blocks: Array, waves_per_block: int, threads: int) -> None:
        """`blocks` has a row (x, y, z) for each block."""
        super().__init__(kernel, ArrayValues())
        self.blocks, self.waves_per_block = blocks, waves_per_block
        self.waves = 2 * len(blocks) * waves_per_block
        self.lanes = kernel.wave_size
        self.noise = np.random.default_rng(len(blocks))
        self.live = np.ones(self.waves, np.bool_)
        self.scalars: dict[tuple[str, int], Array] = {}
        self.vectors: dict[tuple[str, int], Array] = {}
        self.scc = self.noise.integers(0, 2, (self.waves, 1), np.uint8).view(np.bool_)
        self.track = WaitCounters({name for names in self.counters.values() for name in names}, self.waves)
        thread = (np.arange(self.waves) % waves_per_block)[:, None] * self.lanes + np.arange(self.lanes)
        self.enabled = thread < threads
        self.where = "the entry"
        self._set_exec(lanes_to_bits(self.enabled, self.lanes).astype(np.uint64))

    def read_scalar(self, operand: Operand, bits: int) -> Array:
        """A column of 32- or 64-bit words."""
        if bits == 64:
            low = self._scalar(operand)
            return self.w.pair(low, self._scalar(Operand(operand.kind, operand.index + 1)))
        return self._scalar(operand)

    def _scalar(self, operand: Operand) -> Array:
        if operand.kind == "null":
            return self.w.const(0, 32)
        if operand.kind == "scc":
            return np.asarray(self.scc, np.uint32)
        if operand.kind not in ("s", "m0"):
            raise UnsupportedInstructionError(f"the scalar source {operand.kind}")
        key = (operand.kind, operand.index)
        self.track.check(key, self.live, self.where, "read")
        if key not in self.scalars:
            self.scalars[key] = self.noise.integers(0, 1 << 32, (self.waves, 1), np.uint32)
        return self.scalars[key]

    def write_scalar(self, operand: Operand, bits: int, word: Array) -> None:
        """Writes the live waves."""
        if operand.kind == "null":
            return
        parts = (self.w.low(word), self.w.high(word)) if bits == 64 else (word,)
        for index, part in enumerate(parts, operand.index):
            key = (operand.kind, index)
            self.track.check(key, self.live, self.where, "written")
            self.scalars[key] = self._kept(key, part)
        if operand.kind == "s" and operand.index in (EXEC, EXEC + 1):
            self._set_exec(self.read_scalar(Operand("s", EXEC), 64))

    def _kept(self, key: tuple[str, int], word: Array) -> Array:
        if self.all_live:
            return _shaped(word, (self.waves, 1))
        old = self.scalars.get(key)
        if old is None:
            old = self.noise.integers(0, 1 << 32, (self.waves, 1), np.uint32)
        return np.where(self.live[:, None], word, old)

    def write_scc(self, truth: Array) -> None:
        """Writes the live waves."""
        self.scc = np.where(self.live[:, None], truth, self.scc)

    def _set_exec(self, word: Array) -> None:
        self.scalars["s", EXEC], self.scalars["s", EXEC + 1] = self.w.low(word), self.w.high(word)
        self.exec_lanes = bits_to_lanes(word if self.lanes == 64 else self.w.low(word))
        self._refresh()

    def _refresh(self) -> None:
        self.all_live = bool(self.live.all())
        self.active = self.exec_lanes if self.all_live else self.exec_lanes & self.live[:, None]
        self.full = bool(self.active.all())

    def set_live(self, live: Array) -> None:
        """Says which waves the next instructions are for."""
        self.live = live
        self._refresh()

    def read_register(self, operand: Operand, bits: int) -> Array:
        """Rows of 32- or 64-bit words."""
        if operand.kind not in ("v", "a"):
            raise UnsupportedInstructionError(f"{operand} where a vector register is expected, at {self.where}")
        if bits == 64:
            low = self._vector_of(operand.kind, operand.index)
            return self.w.pair(low, self._vector_of(operand.kind, operand.index + 1))
        return self._vector_of(operand.kind, operand.index)

    def _vector_of(self, kind: str, index: int) -> Array:
        key = (kind, index)
        self.track.check(key, self.live, self.where, "read")
        if key not in self.vectors:
            self.vectors[key] = self.noise.integers(0, 1 << 32, (self.waves, self.lanes), np.uint32)
        return self.vectors[key]

    def write_register(self, operand: Operand, bits: int, word: Array) -> None:
        """Writes the active lanes."""
        parts = (self.w.low(word), self.w.high(word)) if bits == 64 else (word,)
        for index, part in enumerate(parts, operand.index):
            key = (operand.kind, index)
            self.track.check(key, self.live, self.where, "written")
            self._store_lanes(key, part, self.active, self.full)

    def _store_lanes(self, key: tuple[str, int], word: Array, active: Array, full: bool) -> None:
        if full:
            self.vectors[key] = _shaped(word, (self.waves, self.lanes))
            return
        if key not in self.vectors:
            self.vectors[key] = self.noise.integers(0, 1 << 32, (self.waves, self.lanes), np.uint32)
        self.vectors[key] = np.where(active, word, self.vectors[key])

    def lanes_of(self, operand: Operand) -> Array:
        """A mask as a truth for each lane."""
        word = self._constant(operand, self.lanes)
        return bits_to_lanes(np.broadcast_to(word, (self.waves, 1)))

    def write_lanes(self, operand: Operand, truth: Array) -> None:
        """Packs the truth of the active lanes."""
        self.write_scalar(operand, self.lanes, lanes_to_bits(truth & self.active, self.lanes))

    def register_offset(self) -> int:
        """What M0 adds to a register's number: its low byte in index mode, else all of it (ISA manuals, V_MOVRELS)."""
        (offset,) = self._offsets()
        return offset

    def _offsets(self) -> list[int]:
        """The numbers by which the waves that run index registers."""
        number = self._scalar(Operand("m0"))
        number = np.where(self.live[:, None], number & np.uint32(0xFF) if self.index_mode else number, np.uint32(0))
        self.agree("a register's number", number)
        return [int(offset) for offset in np.unique(number[self.live])]

    def step(self, instruction: Instruction) -> None:
        """Waves that index registers by different numbers do so one after the other."""
        indexes = instruction.name in MOVES_BY_NUMBER or (self.index_mode and instruction.name in ALU)
        offsets = self._offsets() if indexes else []
        if len(offsets) < 2:
            super().step(instruction)
            return
        live, m0 = self.live, self._scalar(Operand("m0"))[:, 0] & np.uint32(0xFF if self.index_mode else 0xFFFFFFFF)
        for offset in offsets:
            self.set_live(live & (m0 == offset))
            super().step(instruction)
        self.set_live(live)

    def further(self, operand: Operand, offset: int) -> Operand:
        """The register so many further on, which must be the kernel's."""
        if operand.kind != "v" or operand.index + offset >= self.kernel.vector_registers:
            what = f"{offset} registers further on than {operand}, of {self.kernel.vector_registers}"
            raise Fault("address", what, self.where)
        return Operand("v", operand.index + offset)

    def _indexed(self, operand: Operand, role: str) -> Operand:
        found = super()._indexed(operand, role)
        return self.further(found, 0) if found is not operand else found

    def describe(self, active: Array) -> Describe:
        """Names the k-th active lane."""
        rows, lanes = np.nonzero(active)

        def name(k: int) -> str:
            wave = int(rows[k]) % (self.waves // 2)
            x, y, z = (int(i) for i in self.blocks[wave // self.waves_per_block])
            return f"block ({x}, {y}, {z}) thread {wave % self.waves_per_block * self.lanes + int(lanes[k])}"

        return name

    def agree(self, what: str, value: Array) -> None:
        """A `Fault` when the two copies differ in a value that matters."""
        if len(value) == 1:
            return
        first, second = value[: self.waves // 2], value[self.waves // 2 :]
        if (first != second).any():
            k = int(np.argmax((first != second).any(axis=1)))
            block = tuple(int(i) for i in self.blocks[k // self.waves_per_block])
            raise Fault("uninitialised", f"{what} depends on an undefined value, block {block}", self.where)


def _shaped(word: Array, shape: tuple[int, int]) -> Array:
    return word if word.shape == shape else np.broadcast_to(word, shape)
