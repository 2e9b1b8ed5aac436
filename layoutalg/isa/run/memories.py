"""The memories of the numpy machine as its instructions see them: loads, stores and waits of every wave.

An access goes to the space that its instruction names; a flat one to the spaces that its addresses lie in.  What no
correct kernel does (an address that is not there, or not aligned, a race, a store of an undefined value) is a `Fault`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.atomics import operands_of, update
from layoutalg.isa.run.buffers import in_range
from layoutalg.isa.run.chosen import Chosen
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.lanes import transposed
from layoutalg.isa.run.lds import Lds, of_any_block
from layoutalg.isa.run.observer import Observer
from layoutalg.isa.run.races import Races, Synchronised, of_each_block_alike
from layoutalg.isa.run.registers import APERTURES, WaveRegisters
from layoutalg.isa.run.scratch import SCRATCH_BUFFER, SCRATCH_OFFSET, Scratch
from layoutalg.isa.run.spaces import Describe, GlobalMemory, Memory
from layoutalg.isa.run.wait_counters import Key
from layoutalg.isa.semantics.accesses import ACCESSES, MemoryInstruction, alignment_of, may_be_atomic
from layoutalg.isa.semantics.control import JUMPS


class WaveMemory:
    """Global memory, and the LDS and scratch of the blocks that run at once."""

    def __init__(
        self, registers: WaveRegisters, memory: GlobalMemory, place: int, meter: LdsMeter, strict: bool = True,
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
        self.waves = Synchronised(registers.waves, per_block, (counters.lds, counters.store), first)
        self.lds = Lds(blocks, kernel.lds_bytes, place, noise, per_block, counters.lds)
        self.scratch = Scratch(kernel, registers.waves, noise)
        self.observer: Observer | None = None
        self.alike = False  # the access is one of all lanes, with the same addresses in each block
        self.unaligned: dict[str, None] = {}  # instructions that accessed memory across their width, in order
        self.ordered: dict[str, None] = {}  # atomic operations whose results another order may change

    def bring(self, target: Operand, word: Array) -> None:
        """Writes the active lanes; the register is due until a wait."""
        registers, counters = self.registers, (self.architecture.counters.lds,)
        registers.track.issue(counters, registers.live, False)
        registers.store_lanes((target.kind, target.index), word, registers.active, registers.full)
        registers.track.load([(target.kind, target.index)], counters, registers.live, True, registers.where)

    def describes_scratch(self, low: Array, high: Array, offset: Array) -> bool:
        """Whether it is the buffer of the start, moved on by the wave's offset."""
        registers = self.registers
        meant = (SCRATCH_BUFFER[0] + SCRATCH_OFFSET, SCRATCH_BUFFER[1], 0)
        dead, held = ~registers.running, zip((low, high, offset), meant, strict=True)
        return all(bool(((word == number) | dead).all()) for word, number in held)

    def access(self, instruction: Instruction, access: MemoryInstruction, addresses: tuple[Array, ...]) -> None:
        """Carries out a load or store of every active lane (a constant load: of every live wave)."""
        registers = self.registers
        counters = self._issue(instruction, access)
        active = registers.running[None] if access.space == "constant" else registers.active
        (truths,) = registers.by_wave(registers.agree("which lanes are active", active))
        lanes = Chosen(truths, registers.all_live if access.space == "constant" else registers.full)
        for number, address in enumerate(addresses):
            self.alike = lanes.full and address.shape[1] == 1  # in all blocks
            address = np.broadcast_to(self._agreed("an address", address, active), truths.shape)
            self._one(instruction, access, address, lanes, counters, number)

    def access_buffer(
        self, instruction: Instruction, access: MemoryInstruction, descriptor: tuple[Array, Array, Array],
        scalar: Array, offset: Array,
    ) -> None:  # fmt: skip
        """Carries out an instruction where the descriptor says; lanes that are out of its range load 0."""
        registers, (low, count, flags) = self.registers, descriptor
        high = registers.w.pair(count, flags)
        if registers.kernel.has_scratch_buffer and self.describes_scratch(low, high, scalar):
            scratch = replace(access, space="scratch", by_buffer=True)
            self.access(instruction, scratch, (registers.w.low(offset),))
            return
        counters = self._issue(instruction, access)
        (truths,) = registers.by_wave(registers.agree("which lanes are active", registers.active))
        words = [
            np.broadcast_to(self._agreed("an address", word, registers.active), truths.shape)
            for word in (low, high, registers.w.zext(scalar), offset)
        ]
        whole = access.atomic is not None
        address, inside = in_range(self.architecture.name, words, access.size, whole, truths, registers.where)
        part, self.alike = replace(access, space="global"), False
        if all(np.array_equal(one, inside[0]) for one in inside):
            self._one(instruction, part, address, Chosen(inside[0]), counters, 0)
            return
        for k, one in enumerate(inside):
            self._one(instruction, replace(part, size=4), address + np.uint64(4 * k), Chosen(one), counters, k)

    def _issue(self, instruction: Instruction, access: MemoryInstruction) -> tuple[str, ...]:
        """The counters that count the access up, which they do."""
        registers, architecture = self.registers, self.architecture
        counters = architecture.counters.of(access.space, not access.returns(instruction.fields))
        registers.track.issue(counters, registers.live, access.space in architecture.unordered)
        return counters

    def _agreed(self, what: str, word: Array, active: Array) -> Array:
        """A word of the active lanes by wave and lane, which both copies must have alike."""
        registers = self.registers
        if len(word) > 1:
            word = registers.agree(what, np.where(active, word, word.dtype.type(0)))
        return np.asarray(registers.by_wave(word)[0])

    def _one(
        self, instruction: Instruction, access: MemoryInstruction, address: Array, lanes: Chosen,
        counters: tuple[str, ...], number: int,
    ) -> None:  # fmt: skip
        """Carries out one element of an instruction, in these lanes; data of others are 0 where it loads."""
        if access.atomic:
            self._update(instruction, access, address, lanes, counters)
        elif access.store:
            second = "data2" in instruction.operands
            self._store(
                instruction, access, "data2" if number and second else "data", address, lanes, 0 if second else number
            )
        else:
            self._load(instruction, access, number, address, lanes, counters)
        if self.observer:  # of addresses that are there
            for space, where, part in self._split(access, address, lanes):
                self.observer.access(self.registers, access, space, where, part.active)

    def _split(self, access: MemoryInstruction, address: Array, lanes: Chosen) -> list[tuple[str, Array, Chosen]]:
        """A flat access as accesses of the spaces that its addresses lie in."""
        registers = self.registers
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
        self, space: str, address: Array, lanes: Chosen, size: int, *, store: bool = False, atomic: bool = False
    ) -> tuple[Memory, Array]:
        registers = self.registers
        describe, (chosen,) = registers.describe(lanes.active), lanes.of(address[None])
        self._check_alignment(chosen, space, size, describe, self.strict or atomic)
        if space in ("global", "constant"):
            return self.memory.bytes, self.memory.positions(chosen, size, describe, registers.where, store=store)
        if space == "lds":
            blocks = lanes.rows // registers.waves_per_block
            return self.lds.bytes, self.lds.positions(chosen, blocks, size, describe, registers.where)
        return self.scratch.bytes, self.scratch.positions(chosen, lanes, size, describe, registers.where)

    def _check_alignment(self, addresses: Array, space: str, size: int, describe: Describe, strict: bool) -> None:
        registers = self.registers
        needed = min(size, 4) if space == "constant" else alignment_of(space, size)
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

    def _load(
        self, instruction: Instruction, access: MemoryInstruction, number: int, address: Array, chosen: Chosen,
        counters: tuple[str, ...],
    ) -> None:  # fmt: skip
        registers = self.registers
        target = operand_of(instruction, "d")
        count = access.registers
        nothing = np.zeros((1, *chosen.active.shape), np.uint32)
        results = [nothing for _ in range(count)]
        for space, where_to, lanes in self._split(access, address, chosen):
            memory, positions = self._positions(space, where_to, lanes, access.size)
            races, rows = self._races(space), lanes.rows
            if races:
                atomic = space != "constant" and may_be_atomic(instruction.fields)
                described, some = registers.describe(lanes.active), len(rows)
                if space == "lds":
                    some = self.lds.noted(some, alike=self.alike and not atomic and self.waves.alike)
                races.read(
                    positions[:some], access.size, rows[:some], self.waves, described, registers.where, atomic=atomic
                )
            if space == "lds":
                self._meter(access, where_to, lanes)
            for k, dword in enumerate(memory.gather(positions, access.size)):
                results[k] = lanes.put(results[k], dword)
        if access.transposed:
            results = transposed(results, chosen.active, registers.where)
        keys = [(target.kind, target.index + number * count + k) for k in range(count)]
        self._arrived(access, keys, results, counters)

    def _arrived(
        self, access: MemoryInstruction, keys: list[Key], results: list[Array], counters: tuple[str, ...]
    ) -> None:
        """Registers get what was loaded; before a wait they must not be used."""
        registers = self.registers
        for key, result in zip(keys, results, strict=True):
            word = self._widened(access, key, registers.by_block(result))
            if access.space == "constant":
                registers.scalars[key] = registers.kept(key, word[:, :1, :1] if (word == word[0, 0, 0]).all() else word)
            else:
                registers.store_lanes(key, word, registers.active, registers.full)
        ordered = access.space not in self.architecture.overtaking
        half = access.half if self.architecture.loads_keep_other_half else ""
        registers.track.load(keys, counters, registers.live, ordered, registers.where, half)

    def _widened(self, access: MemoryInstruction, key: tuple[str, int], word: Array) -> Array:
        registers = self.registers
        if access.signed:
            shift = registers.w.const(32 - 8 * access.size, 32)
            word = registers.w.ashr(registers.w.shl(word, shift), shift)
        if not access.half:
            return word
        old = registers.vectors.get(key)
        if old is None or not self.architecture.loads_keep_other_half:
            old = registers.undefined(registers.lanes)
        if access.half == "low":
            return old & np.uint32(0xFFFF0000) | word & np.uint32(0xFFFF)
        return old & np.uint32(0xFFFF) | word << np.uint32(16)

    def _store(
        self, instruction: Instruction, access: MemoryInstruction, role: str, address: Array, chosen: Chosen, first: int
    ) -> None:
        registers = self.registers
        source = operand_of(instruction, role)
        words = [registers.vector(source.kind, source.index + first + k) for k in range(access.registers)]
        dwords = [registers.by_wave(word) for word in words]
        if access.half == "high":
            dwords = [dword >> np.uint32(16) for dword in dwords]
        for space, where_to, lanes in self._split(access, address, chosen):
            if space in ("global", "constant"):
                self._store_global(dwords, access.size, where_to, lanes)
                continue
            memory, positions = self._positions(space, where_to, lanes, access.size)
            stored = [lanes.of(dword) for dword in dwords]
            if space == "lds":
                races, rows, described = self.lds.races, lanes.rows, registers.describe(lanes.active)
                issued = registers.track.issued[races.counter]
                same = self.alike and self.waves.alike and of_each_block_alike(issued, registers.waves_per_block)
                some = self.lds.noted(len(rows), alike=same)
                noted, rows = positions[:some], rows[:some]
                changed, described = of_any_block(_changes(memory, positions, access.size, stored), described, some)
                races.write(
                    noted, access.size, rows, issued[rows], self.waves, described, registers.where, changed=changed
                )
                self._meter(access, where_to, lanes)
            if not memory.scatter(positions, access.size, stored):
                raise self._collision("one LDS address", positions, stored, lanes)

    def _store_global(self, dwords: list[Array], size: int, address: Array, lanes: Chosen) -> None:
        """Both copies must store the same; the first one does."""
        registers = self.registers
        mask = np.uint32((1 << 8 * min(size, 4)) - 1)
        for k, dword in enumerate(dwords):
            if len(dword) > 1:
                masked = np.where(lanes.active, dword & mask, np.uint32(0))
                dwords[k] = registers.by_wave(registers.agree("a stored value", registers.by_block(masked)))
        memory, positions = self._positions("global", address, lanes, size, store=True)
        stored = [lanes.of(dword) for dword in dwords]
        changed = _changes(memory, positions, size, stored)
        if self.races:
            rows, described = lanes.rows, registers.describe(lanes.active)
            tickets = registers.track.issued[self.races.counter][rows]
            self.races.write(positions, size, rows, tickets, self.waves, described, registers.where, changed=changed)
        if not memory.scatter(positions, size, stored):
            raise self._collision("one address", positions, stored, lanes)

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

    def _update(
        self, instruction: Instruction, access: MemoryInstruction, address: Array, chosen: Chosen,
        counters: tuple[str, ...],
    ) -> None:  # fmt: skip
        """An atomic operation: once for both copies of a block where they have the memory in common."""
        registers, atomic = self.registers, access.atomic
        assert atomic
        operands, returns = operands_of(registers, instruction, access), access.returns(instruction.fields)
        result = np.zeros((1, *chosen.active.shape), operands[0].dtype)
        for space, where_to, lanes in self._split(access, address, chosen):
            if space == "scratch":
                raise UnsupportedInstructionError(f"{registers.where}: an atomic operation on scratch")
            memory, positions = self._positions(space, where_to, lanes, access.size, store=True, atomic=True)
            races, rows, met = self._races(space), lanes.rows, False
            if races:
                if space == "lds":
                    self.lds.noted(len(rows), alike=False)
                described = registers.describe(lanes.active)
                met = races.update(
                    positions,
                    access.size,
                    rows,
                    self.waves,
                    described,
                    registers.where,
                    returns=returns,
                    sums=atomic.sums,
                )
            if space == "lds":
                self._meter(access, where_to, lanes)
            words = [lanes.of(word) for word in operands]
            old, several = update(memory, positions, atomic, words, registers.where)
            if (met or several) and (returns or not atomic.commutes):
                self.ordered.setdefault(registers.where)
            result = lanes.put(result, old)
        if returns:
            target = instruction.operands.get("d") or operand_of(instruction, "data")
            keys = [(target.kind, target.index + k) for k in range(atomic.registers)]
            dwords = [result] if atomic.registers == 1 else [registers.w.low(result), registers.w.high(result)]
            self._arrived(access, keys, dwords, counters)

    def _races(self, space: str) -> Races | None:
        return self.lds.races if space == "lds" else self.races if space in ("global", "constant") else None

    def _meter(self, access: MemoryInstruction, addresses: Array, lanes: Chosen) -> None:
        """Counts the cycles; where all blocks do the same, from those of the first one."""
        registers = self.registers
        blocks, waves = (len(registers.blocks), registers.waves_per_block) if self.alike else (1, registers.waves)
        self.meter.count(registers.where, access, addresses[:waves], lanes.active[:waves], blocks)

    def wait(self, left: Mapping[str, int]) -> None:
        """The live waves wait."""
        registers = self.registers
        registers.track.wait(left, registers.live)

    def arrive(self) -> None:
        """The live waves come to a barrier: writes that are under way are not covered by it.

        In a cache that the waves of the block share, global memory is written in the order of the program.
        """
        registers = self.registers
        track, counters = registers.track, self.architecture.counters
        done = {name: track.done[name] for name in (counters.lds, counters.store)}
        if registers.kernel.one_cache:
            done[counters.store] = track.issued[counters.store]
        self.waves.arrive(registers.live, done)


def _changes(memory: Memory, positions: Array, size: int, stored: list[Array]) -> Callable[[], Array]:
    """Whether each element is to be another than what is there, in some copy."""
    mask = np.uint32((1 << 8 * min(size, 4)) - 1)

    def changed() -> Array:
        there = memory.gather(positions, size)
        differs = [((old ^ new) & mask).any(axis=0) for old, new in zip(there, stored, strict=True)]
        return np.asarray(np.any(differs, axis=0))

    return changed


def smallest_element(instructions: Iterable[Instruction], *spaces: str) -> int:
    """The smallest element that instructions access in these spaces: 1, 2 or 4 bytes; 1 where they call others."""
    instructions = list(instructions)
    if any(instruction.name in JUMPS for instruction in instructions):
        return 1
    accesses = (ACCESSES[i.name] for i in instructions if i.name in ACCESSES)
    return min(4, 4, *(access.size for access in accesses if access.space in spaces))
