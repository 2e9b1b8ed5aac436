"""The memories of the numpy machine as its instructions see them: loads, stores and waits of every wave.

An access goes to the space that its instruction names; a flat one to the spaces that its addresses lie in.  What no
correct kernel does (an address that is not there, or not aligned, a race, a store of an undefined value) is a `Fault`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.run.arrays import Array, spread
from layoutalg.isa.run.atomics import operands_of, update
from layoutalg.isa.run.buffers import in_range
from layoutalg.isa.run.chosen import Chosen
from layoutalg.isa.run.copies import WaveCopies, changes
from layoutalg.isa.run.landing import landed
from layoutalg.isa.run.lanes import transposed
from layoutalg.isa.run.lds import of_any_block
from layoutalg.isa.run.races import Races, of_each_block_alike
from layoutalg.isa.run.scratch import SCRATCH_BUFFER, SCRATCH_OFFSET
from layoutalg.isa.run.wait_counters import Key
from layoutalg.isa.semantics.accesses import ACCESSES, MemoryInstruction, may_be_atomic
from layoutalg.isa.semantics.buffers import RULES
from layoutalg.isa.semantics.control import JUMPS
from layoutalg.isa.semantics.counted import counted
from layoutalg.isa.semantics.ordering import renews, writes_back
from layoutalg.isa.semantics.tensor import TENSOR_COPIES


class WaveMemory(WaveCopies):
    """What instructions do to global memory, and to the LDS and scratch of the blocks that run at once."""

    def bring(self, target: Operand, word: Array) -> None:
        """Writes the active lanes; the register is due until a wait."""
        registers, counters = self.registers, (self.architecture.counters.lds,)
        registers.track.issue(counters, registers.live, False)
        registers.store_lanes((target.kind, target.index), word, registers.active, registers.full)
        registers.track.load([(target.kind, target.index)], counters, registers.live, True, registers.where)

    def bring_scalars(self, target: Operand, word: Array) -> None:
        """Writes the live waves; the registers are due until a wait."""
        registers, counters = self.registers, (self.architecture.counters.constant,)
        registers.track.issue(counters, registers.live, True)
        keys = [(target.kind, target.index + k) for k in range(2)]
        for key, part in zip(keys, (registers.w.low(word), registers.w.high(word)), strict=True):
            registers.scalars[key] = registers.kept(key, part)
        registers.track.load(keys, counters, registers.live, False, registers.where)

    def describes_scratch(self, low: Array, high: Array, offset: Array) -> bool:
        """Whether it is the buffer of the start, moved on by the wave's offset."""
        registers = self.registers
        meant = (SCRATCH_BUFFER[0] + SCRATCH_OFFSET, SCRATCH_BUFFER[1], 0)
        dead, held = ~registers.running, zip((low, high, offset), meant, strict=True)
        return all(bool(((word == number) | dead).all()) for word, number in held)

    def access(
        self, instruction: Instruction, access: MemoryInstruction, addresses: tuple[Array, ...],
        in_lds: Array | None = None,
    ) -> None:  # fmt: skip
        """Carries out a load or store of every active lane (a constant load: of every live wave)."""
        registers = self.registers
        counters = self._issue(instruction)
        active = registers.running[None] if access.space == "constant" else registers.active
        (truths,) = registers.by_wave(registers.agree("which lanes are active", active))
        made = self._kept(access, in_lds, truths)
        lanes = Chosen(made, made is truths and (registers.all_live if access.space == "constant" else registers.full))
        self.alike = lanes.full and all(address.shape[1] == 1 for address in addresses)  # in all blocks
        parts = [spread(self._agreed("an address", one, active), truths.shape) for one in addresses]
        if access.from_lds and in_lds is not None:
            self._take(access, in_lds, truths)
        for number, part in enumerate(parts):
            self._one(instruction, access, part, lanes, counters, number)
        self._tell(access, [(part, lanes) for part in parts])
        if access.to_lds and in_lds is not None:
            self._land(access, in_lds, made)

    def access_buffer(
        self, instruction: Instruction, access: MemoryInstruction, descriptor: tuple[Array, Array, Array],
        scalar: Array, offset: Array, in_lds: Array | None = None, index: Array | None = None,
    ) -> None:  # fmt: skip
        """Carries out an instruction where the descriptor says; lanes that are out of its range load 0, to LDS too.

        (Modular, `test_buffer_load_lds`, run on AMD's GPUs: LDS that held −1 holds 0 there.)
        """
        registers, (low, count, flags) = self.registers, descriptor
        high = registers.w.pair(count, flags)
        if registers.kernel.has_scratch_buffer and self.describes_scratch(low, high, scalar):
            scratch = replace(access, space="scratch", by_buffer=True)
            self.access(instruction, scratch, (registers.w.low(offset),), in_lds)
            return
        counters = self._issue(instruction)
        (truths,) = registers.by_wave(registers.agree("which lanes are active", registers.active))
        said = RULES[self.architecture.name].fields(registers.w, descriptor)
        given = (said.base, said.count, said.upper, said.flags, registers.w.zext(scalar), offset)
        words = [
            spread(self._agreed("an address", word, registers.active), truths.shape)
            for word in (*given, *(() if index is None else (index,)))
        ]
        whole, which = access.atomic is not None, None if index is None else words.pop()
        address, inside = in_range(self.architecture.name, words, access.size, whole, truths, registers.where, which)
        part, self.alike = replace(access, space="global"), False
        parts = [(address, Chosen(inside[0]))]
        if not all(np.array_equal(one, inside[0]) for one in inside):
            part = replace(part, size=4)
            parts = [(address + np.uint64(4 * k), Chosen(one)) for k, one in enumerate(inside)]
        for number, (place, lanes) in enumerate(parts):
            self._one(instruction, part, place, lanes, counters, number)
        self._tell(part, parts)
        if in_lds is not None:
            self._land(part, in_lds, truths)

    def _issue(self, instruction: Instruction) -> tuple[str, ...]:
        """The counters that count the access up, which they do."""
        registers, how = self.registers, counted(instruction.name, instruction.fields, self.architecture)
        assert how  # it is a memory instruction
        registers.track.issue(how.counters, registers.live, how.unordered)
        return how.counters

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

    def _tell(self, access: MemoryInstruction, parts: Sequence[tuple[Array, Chosen]]) -> None:
        """Prices what a whole instruction accesses, whose addresses are there, and tells the observer."""
        if self.meter is None and self.observer is None:
            return
        spaces: dict[str, list[tuple[Array, Array]]] = {}
        for address, lanes in parts:
            for space, where, some in self._split(access, address, lanes):
                spaces.setdefault(space, []).append((where, some.active))
        for space, each in spaces.items():
            if space == "lds" and self.meter:
                self._price(self.meter, access, each)
            if self.observer:
                self.observer.access(self.registers, access, space, each)

    def _load(
        self, instruction: Instruction, access: MemoryInstruction, number: int, address: Array, chosen: Chosen,
        counters: tuple[str, ...],
    ) -> None:  # fmt: skip
        registers = self.registers
        count = access.registers
        nothing = np.zeros((1, *chosen.active.shape), np.uint32)
        results = [nothing for _ in range(count)]
        for space, where_to, lanes in self._split(access, address, chosen):
            memory, positions = self._positions(space, where_to, lanes, access)
            races, rows = self._races(space), lanes.rows
            if races:
                atomic = instruction.address in self.polls
                atomic |= space == "global" and may_be_atomic(instruction.fields)
                described, some, tickets = registers.describe(lanes.active), len(rows), None
                if space == "lds":
                    issued = registers.track.issued[races.counter]
                    same = self.waves.alike and of_each_block_alike(issued, registers.waves_per_block)
                    some = self.lds.noted(some, alike=self.alike and not atomic and same)
                    tickets = issued[rows[:some]]
                races.read(
                    positions[:some], access.size, rows[:some], self.waves, described, registers.where, atomic=atomic,
                    tickets=tickets,
                )  # fmt: skip
            for k, dword in enumerate(memory.gather(positions, access.size)):
                results[k] = lanes.put(results[k], dword)
        if access.transposed:
            results = transposed(results, access.transposed, chosen.active, registers.where)
        if access.to_lds:
            self.coming[number * count : (number + 1) * count] = results
            return
        target = operand_of(instruction, "d")
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
        registers_of = range(source.index + first, source.index + first + access.registers)
        words = (
            []
            if access.from_lds
            else [registers.vector(source.kind, index, access.half_read) for index in registers_of]
        )
        dwords = self.coming if access.from_lds else [registers.by_wave(word) for word in words]
        if access.half == "high":
            dwords = [dword >> np.uint32(16) for dword in dwords]
        for space, where_to, lanes in self._split(access, address, chosen):
            if space in ("global", "constant"):
                self._store_global(dwords, access, where_to, lanes, may_be_atomic(instruction.fields))
                continue
            memory, positions = self._positions(space, where_to, lanes, access)
            stored = [lanes.of(dword) for dword in dwords]
            if space == "lds":
                races, rows, described = self.lds.races, lanes.rows, registers.describe(lanes.active)
                issued = registers.track.issued[races.counter]
                same = self.alike and self.waves.alike and of_each_block_alike(issued, registers.waves_per_block)
                some = self.lds.noted(len(rows), alike=same)
                noted, rows = positions[:some], rows[:some]
                changed, described = of_any_block(changes(memory, positions, access.size, stored), described, some)
                races.write(
                    noted, access.size, rows, issued[rows], self.waves, described, registers.where, changed=changed
                )
            if not memory.scatter(positions, access.size, stored):
                raise self._collision("one LDS address", positions, stored, lanes)

    def _store_global(
        self, dwords: list[Array], access: MemoryInstruction, address: Array, lanes: Chosen, bypasses: bool
    ) -> None:
        """Both copies must store the same; the first one does."""
        registers, size = self.registers, access.size
        mask = np.uint32((1 << 8 * min(size, 4)) - 1)
        for k, dword in enumerate(dwords):
            if len(dword) > 1:
                masked = np.where(lanes.active, dword & mask, np.uint32(0))
                dwords[k] = registers.by_wave(registers.agree("a stored value", registers.by_block(masked)))
        memory, positions = self._positions("global", address, lanes, access, store=True)
        stored = [lanes.of(dword) for dword in dwords]
        changed = changes(memory, positions, size, stored)
        if access.from_lds:
            self._note(self.written, access, positions, lanes.rows)
        if self.races:
            rows, described = lanes.rows, registers.describe(lanes.active)
            tickets = registers.track.issued[self.races.counter][rows]
            self._tell_others(self.races, rows)
            self.races.write(
                positions, size, rows, tickets, self.waves, described, registers.where, changed=changed,
                bypasses=bypasses,
            )  # fmt: skip
        if not memory.scatter(positions, size, stored):
            raise self._collision("one address", positions, stored, lanes)

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
            memory, positions = self._positions(space, where_to, lanes, access, store=True)
            races, rows, met = self._races(space), lanes.rows, False
            if races:
                if space == "lds":
                    self.lds.noted(len(rows), alike=False)
                else:
                    self._tell_others(races, rows)
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

    def wait(self, left: Mapping[str, int]) -> None:
        """The live waves wait."""
        registers = self.registers
        registers.track.wait(left, registers.live)
        store = self.architecture.counters.store
        if self.races and store in left and not registers.kernel.machine.keeps_stores:
            known = registers.track.done[store]
            if registers.kernel.one_cache:  # a wave that waits may release what came before its block's barrier
                known = np.maximum(known, self.waves.complete[store])
            self.races.released.note(self.waves.first, known)

    def _tell_others(self, races: Races, rows: Array) -> None:
        """These waves store to global memory: other blocks may know by it what their block has done."""
        waves = np.zeros(self.registers.waves, np.bool_)
        waves[rows] = True
        races.released.tell(self.waves.first, self.waves.of_blocks(waves))

    def control_caches(self, instruction: Instruction) -> None:
        """What the live waves do to caches between blocks."""
        name, fields, registers = instruction.name, instruction.fields, self.registers
        cache = renews(name, fields)
        if cache is not None:
            self.waves.renew(registers.live, cache)
        if self.races and registers.kernel.machine.keeps_stores and writes_back(name, fields):
            issued = registers.track.issued[self.races.counter]
            self.races.released.note(self.waves.first, np.where(self.waves.of_blocks(registers.live), issued, 0))

    def arrive(self) -> None:
        """The live waves come to a barrier: writes that are under way are not covered by it.

        In a cache that the waves of the block share, global memory is written in the order of the program.
        """
        registers = self.registers
        track, counters = registers.track, self.architecture.counters
        done = {name: track.done[name] for name in (counters.lds, counters.store)}
        done |= {
            landed(counter): track.done[counter] for counter in (*self.landing, *(one.counter for one in self.read))
        }
        if registers.kernel.one_cache:
            done[counters.store] = track.issued[counters.store]
        self.waves.arrive(registers.live, done)


def smallest_element(instructions: Iterable[Instruction], *spaces: str) -> int:
    """The smallest element that instructions access in these spaces: 1, 2 or 4 bytes; 1 where they call others."""
    instructions = list(instructions)
    if any(instruction.name in JUMPS or instruction.name in TENSOR_COPIES for instruction in instructions):
        return 1
    accesses = [ACCESSES[i.name] for i in instructions if i.name in ACCESSES]
    landing = [access.size for access in accesses if access.to_lds and "lds" in spaces]
    return min(4, 4, *landing, *(access.size for access in accesses if access.space in spaces))
