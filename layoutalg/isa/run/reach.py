"""Which bytes an access reaches, in which memory: positions, alignment, and what is watched or priced of it.

A flat access is one of the spaces that its addresses lie in.  An address must be one that is there, and of both copies
of a block; else it is a `Fault`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.chosen import Chosen
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.landing import Landing, landed
from layoutalg.isa.run.lds import Lds
from layoutalg.isa.run.observer import Observer
from layoutalg.isa.run.races import Races, Synchronised
from layoutalg.isa.run.registers import APERTURES, WaveRegisters
from layoutalg.isa.run.scratch import ScratchMemory
from layoutalg.isa.run.spaces import Describe, GlobalMemory, Memory
from layoutalg.isa.semantics.accesses import MASKS, MemoryInstruction, needed_alignment
from layoutalg.isa.semantics.ordering import CACHES


class ReachedMemory:
    """Global memory, and the LDS and scratch of the blocks that run at once."""

    def __init__(
        self, registers: WaveRegisters, memory: GlobalMemory, place: int, meter: LdsMeter | None, strict: bool = True,
        races: Races | None = None, first: int = 0,
    ) -> None:  # fmt: skip
        """`place` is the smallest element of LDS that is accessed.

        Where it is `strict`, an unaligned access is a fault, else it is noted.  `races` watches what waves do to
        each other in global memory; the first block has the number `first`.
        """
        kernel, blocks, noise = registers.kernel, len(registers.blocks), registers.noise
        self.registers, self.races = registers, races
        self.memory, self.meter, self.strict = memory, meter, strict
        self.architecture = kernel.architecture
        counters, per_block = self.architecture.counters, registers.waves_per_block
        back = counters.copies_back
        landing = [counters.landing, *([counters.tensors] if counters.tensors else [])]
        names = (counters.lds, counters.store, *map(landed, landing), *([landed(back)] if back else []))
        self.waves = Synchronised(registers.waves, per_block, names, first, CACHES[self.architecture.name])
        self.lds = Lds(blocks, kernel.lds_bytes, place, noise, per_block, counters.lds)
        self.landing = {one: Landing(self.lds.name, blocks * self.lds.stride, place, one) for one in landing}
        leaving, lds, size = [one for one in (back, counters.tensors) if one], self.lds, memory.bytes.data.size
        reads, writes = "a copy of {} is reading", "a copy of {} is writing"
        self.read = [Landing(lds.name, blocks * lds.stride, place, one, reads) for one in leaving]
        self.written = [Landing(lambda _: "memory", size, 1, one, writes) for one in leaving]
        self.coming: list[Array] = []  # dwords that an instruction loads to LDS
        self.scratch = ScratchMemory(kernel, registers.waves, noise)
        self.observer: Observer | None = None
        self.polls: frozenset[int] = frozenset()  # loads that wait for another wave
        self.alike = False  # the access is one of all lanes, with the same addresses in each block
        self.unaligned: dict[str, None] = {}  # instructions that accessed memory across their width, in order
        self.ordered: dict[str, None] = {}  # atomic operations whose results another order may change

    @property
    def changed(self) -> bool:
        """Whether a byte of any memory is another than when `watch` was called."""
        return any(memory.changed for memory in (self.memory.bytes, self.lds.bytes, self.scratch.bytes))

    def watch(self) -> None:
        """From now on `changed` says what is new."""
        for memory in (self.memory.bytes, self.lds.bytes, self.scratch.bytes):
            memory.changed = False

    def _agreed(self, what: str, word: Array, active: Array) -> Array:
        """A word of the active lanes by wave and lane, which both copies must have alike."""
        registers = self.registers
        if len(word) > 1:
            word = registers.agree(what, np.where(active, word, word.dtype.type(0)))
        return np.asarray(registers.by_wave(word)[0])

    def _split(self, access: MemoryInstruction, address: Array, lanes: Chosen) -> list[tuple[str, Array, Chosen]]:
        """A flat access as accesses of the spaces that its addresses lie in; what masks drop is none."""
        registers = self.registers
        if access.space == "lds" and access.store:
            masked = lanes.active & (address >= MASKS.start) & (address < MASKS.stop)
            lanes = lanes.among(~masked) if masked.any() else lanes
            return [(access.space, address, lanes)] if lanes.active.any() else []
        if access.space != "flat":
            return [(access.space, address, lanes)]
        upper = registers.w.high(address)
        parts = {space: upper == base for space, base in APERTURES.items()}
        parts["global"] = ~(parts["lds"] | parts["scratch"])
        return [
            (space, address if space == "global" else registers.w.low(address), lanes.among(part))
            for space, part in parts.items()
            if (lanes.active & part).any()
        ]

    def _positions(
        self, space: str, address: Array, lanes: Chosen, access: MemoryInstruction, *, store: bool = False
    ) -> tuple[Memory, Array]:
        registers, size, atomic = self.registers, access.size, access.atomic is not None
        describe, (chosen,) = registers.describe(lanes.active), lanes.of(address[None])
        needed = needed_alignment(size, whole=access.aligned_whole)
        self._check_alignment(chosen, space, size, needed, describe, self.strict or atomic)
        if space in ("global", "constant"):
            at = self.memory.positions(chosen, size, describe, registers.where, store=store)
            self._check_copied(self.written, at, size, lanes, describe)
            return self.memory.bytes, at
        if space == "lds":
            blocks = lanes.rows // registers.waves_per_block
            places = self.lds.positions(chosen, blocks, size, describe, registers.where)
            for counter, landing in self.landing.items():
                done = registers.track.done[counter]
                landing.check(places, size, lanes.rows, done, self.waves, describe, registers.where)
            if access.store or atomic:
                self._check_copied(self.read, places, size, lanes, describe)
            return self.lds.bytes, places
        return self.scratch.bytes, self.scratch.positions(chosen, lanes, size, describe, registers.where)

    def _check_copied(
        self, each: Sequence[Landing], places: Array, size: int, lanes: Chosen, describe: Describe
    ) -> None:
        """A `Fault` where an access touches what copies from LDS read or write."""
        for copied in each:
            if copied.who.size:
                done = self.registers.track.done[copied.counter]
                copied.check(places, size, lanes.rows, done, self.waves, describe, self.registers.where)

    def _check_alignment(
        self, addresses: Array, space: str, size: int, needed: int, describe: Describe, strict: bool
    ) -> None:
        registers = self.registers
        if not int(np.bitwise_or.reduce(addresses)) & (needed - 1):
            return
        bad = (addresses & addresses.dtype.type(needed - 1)) != 0
        if strict:
            why = f"which is no multiple of {needed}"
            if space in ("global", "constant"):
                raise self.memory.fault("alignment", addresses, bad, size, describe, registers.where, why)
            k = int(np.argmax(bad))
            address, thread = int(addresses[k]), describe(k)
            what = f"{size} bytes at {address:#x}, {why}, {thread}"
            raise Fault("alignment", what, registers.where, thread=thread, address=address)
        self.unaligned.setdefault(registers.where)

    def start_in_lds(self, word: Array, bits: int) -> Array:
        """A `Fault` in every mode where bits would be dropped."""
        registers = self.registers
        held = registers.agree("a place in LDS", np.where(registers.running, word, np.uint32(0)))
        bad = (held & np.uint32(3) != 0) | (held >> np.uint32(bits) != 0)
        if bad.any():
            first = int(held.flat[int(np.argmax(bad))])
            what = f"M0 is {first:#x}, of which a load to LDS takes bits 2 to {bits - 1}"
            raise Fault("alignment", what, registers.where)
        return word

    def dwords(self, part: Array) -> Array:
        """A `Fault` in every mode where bits would be dropped: the load would be from another place."""
        registers = self.registers
        held = registers.agree("an address", np.where(registers.running, part, np.uint64(0)))
        bad = (held & np.uint64(3)) != 0
        if bad.any():
            first = int(held.flat[int(np.argmax(bad))])
            raise Fault(
                "alignment", f"a scalar address has the part {first:#x}, which is no multiple of 4", registers.where
            )
        return part

    def _races(self, space: str) -> Races | None:
        return self.lds.races if space == "lds" else self.races if space in ("global", "constant") else None

    def _price(self, meter: LdsMeter, access: MemoryInstruction, parts: Sequence[tuple[Array, Array]]) -> None:
        """Counts the cycles of an instruction's addresses; where all blocks do the same, from the first one's."""
        registers = self.registers
        blocks, waves = (len(registers.blocks), registers.waves_per_block) if self.alike else (1, registers.waves)
        active = parts[0][1]  # of an instruction of two addresses both are of the same lanes
        meter.count(registers.where, access, [where[:waves] for where, _ in parts], active[:waves], blocks)
