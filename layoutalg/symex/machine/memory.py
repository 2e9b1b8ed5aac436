"""The symbolic machine's memory: its instructions, element by element, on the trace.

Each element has a place (a buffer and the bytes from its start, or LDS), the condition under which the lane accesses
it, and its value: what is stored, or an unknown that stands for what is loaded.  A load to LDS is a load, and a store
of what it found, which lands at some time before a wait.
What it cannot represent: elements of less than a byte that lanes load for one another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import lcm

from layoutalg.index import TRUE, ZERO, Expr, const, div, eq, mod, select, simplify, variables
from layoutalg.index.conditions import assuming
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.semantics.accesses import MemoryInstruction, may_tell
from layoutalg.isa.semantics.ordering import CACHES, goes_through
from layoutalg.symex.machine.addresses import Span, pointers_in
from layoutalg.symex.machine.buffers import DescribedBuffer, RangedPart
from layoutalg.symex.machine.copies import SymbolicCopies
from layoutalg.symex.machine.elements import joined_bits, joined_elements, split_in_elements
from layoutalg.symex.machine.outstanding import Key, access_at, half_of, lds_at, scalar_load_at
from layoutalg.symex.values.unknowns import Kind, kind_of
from layoutalg.symex.values.word import NotReadable, Word
from layoutalg.target.transposed import TransposedLoad


class SymbolicMemory(SymbolicCopies):
    """What memory instructions and waits do, on the registers and the trace of a machine."""

    def dwords(self, part: Word) -> Word:
        """The part of a scalar address, which must have no bits that the machine would drop."""
        if simplify(mod(part.expr, 4)) is not ZERO:
            raise NotReadable(f"a scalar address has the part {part.expr}, which may be no multiple of 4")
        return part

    def bring(self, target: Operand, word: Word) -> None:
        """A register that waits for what the LDS unit exchanges."""
        counters, key = (self.kernel.architecture.counters.lds,), (target.kind, target.index)
        self.registers.write_cell(key, word)
        self.registers.state.outstanding.issue(counters, [key], False)

    def bring_scalars(self, target: Operand, word: Word) -> None:
        """Registers that wait for what comes as scalar loads do."""
        counters = (self.kernel.architecture.counters.constant,)
        self.registers.write_scalar(target, 64, word)
        keys = [(target.kind, target.index + k) for k in range(2)]
        self.registers.state.outstanding.issue(counters, keys, True)

    def wait(self, left: Mapping[str, int]) -> None:
        """Passes to the ages."""
        self.registers.state.outstanding.wait(left)

    def access(
        self, instruction: Instruction, access: MemoryInstruction, addresses: tuple[Word, ...],
        in_lds: Word | None = None,
    ) -> None:  # fmt: skip
        """Notes every element; loaded data are new unknowns."""
        self.trace.begin()
        counted = access.space
        if access.space == "flat":
            access = replace(access, space=self.registers.space_of(addresses[0]))
        if access.space == "constant" and access.size < 4:
            raise NotReadable(f"{instruction.place}: a scalar load of {access.size} bytes")
        if access.space == "constant":
            self._issue(instruction, access, counted, self._load_scalars(instruction, access, addresses[0]))
            return
        if access.space == "lds" and self.registers.state.signalled:
            raise NotReadable(f"LDS is accessed within a barrier, at {instruction.address:#x}")
        if access.transposed:
            self._load_transposed(instruction, access, access.transposed, addresses[0])
            return
        parts = [self._unmasked(access, address) for address in addresses]
        self._carry_out(instruction, access, parts, counted, in_lds)

    def access_buffer(
        self, instruction: Instruction, access: MemoryInstruction, descriptor: tuple[Word, Word, Word],
        scalar: Word, offset: Word, in_lds: Word | None = None, index: Word | None = None,
    ) -> None:  # fmt: skip
        """Scratch, where the descriptor is seen to be its own; else global memory, as far as it is in range."""
        base, count, flags = descriptor
        if self.kernel.has_scratch_buffer and self.scratch.is_described_by(base, self.w.pair(count, flags), scalar):
            self.access(instruction, replace(access, space="scratch", by_buffer=True), (self.w.low(offset),), in_lds)
            return
        address = self.w.word(base.expr + scalar.expr + offset.expr, 64)
        parts: Sequence[RangedPart] = [RangedPart(address, access.size, TRUE)]
        if self.trace.recording:
            buffer = DescribedBuffer(self.w, self.kernel.architecture.name, descriptor, instruction.place)
            parts = buffer.parts(access, scalar, offset, index)
        self._carry_out(instruction, replace(access, space="global"), parts, access.space, in_lds)

    def _carry_out(
        self, instruction: Instruction, access: MemoryInstruction, parts: Sequence[RangedPart], counted: str,
        in_lds: Word | None,
    ) -> None:  # fmt: skip
        """Stores and loads each part; what is loaded comes later, as an access of the space that is counted."""
        if in_lds is not None and access.from_lds:
            self._copy_from_lds(instruction, access, parts, counted, in_lds)
            return
        if in_lds is not None:
            self._load_to_lds(instruction, access, parts, counted, in_lds)
            return
        loaded: list[tuple[Key, Word, Key | None]] = []
        for number, part in enumerate(parts):
            one = replace(access, size=part.size)
            if access.space == "scratch" and access.store:
                self.scratch.store(instruction, one, part.address)
            elif access.space == "scratch" and not access.atomic:
                loaded += self.scratch.load(instruction, one, part.address)
            elif access.store:
                self._store(instruction, one, number, part)
            else:
                loaded += self._load(instruction, one, number, part)
        overtaking = counted in self.kernel.architecture.overtaking
        counters = () if overtaking else self._counters(instruction, access, counted)
        half = access.half if self.kernel.architecture.loads_keep_other_half else ""
        for key, word, source in loaded:
            self.registers.write_cell(key, word, counters, source, half)
        waiting = [lds_at(instruction.address)] if access.space == "lds" else []
        if (access.space == "global" and not self.kernel.one_cache) or (self.orders and access.space != "scratch"):
            waiting.append(access_at(instruction.address))
        if self.orders:
            self._see(instruction, access)
        self._issue(instruction, access, counted, [*waiting, *(half_of(key, half) for key, _, _ in loaded)])

    def _see(self, instruction: Instruction, access: MemoryInstruction) -> None:
        """What others may not see from here on, or the wave may see too old."""
        outstanding, architecture = self.registers.state.outstanding, self.kernel.architecture
        kept = self.kernel.machine.keeps_stores and not goes_through(instruction.fields)
        if access.space == "global" and access.store and kept:
            outstanding.sight = outstanding.sight.storing(instruction.address)
        if access.space == "global" and may_tell(instruction.name, instruction.fields):
            outstanding.sight = outstanding.sight.finding(instruction.address, CACHES[architecture.name])

    def _load(
        self, instruction: Instruction, access: MemoryInstruction, number: int, part: RangedPart
    ) -> list[tuple[Key, Word, Key | None]]:
        """The registers that get what is there, and 0 where nothing is.

        An atomic operation leaves what is not known, as what it finds is: others may change it before and after.
        """
        if access.atomic and access.space == "scratch":
            raise NotReadable(f"{instruction.place}: an atomic operation on scratch")
        places, size = self._places(access, part, instruction)
        found = self._load_elements(instruction, access, part, places, size)
        if not access.returns(instruction.fields):
            return []
        target, addresses = operand_of(instruction, "d"), self._addresses(places, found, size)
        words: list[tuple[Key, Word, Key | None]] = []
        for k, total in enumerate(joined_elements(found, size, access.size)):
            key = (target.kind, target.index + number * access.registers + k)
            plain = None if addresses else self.w.word(self.registers.widened(access, key, total))
            words.append((key, plain or addresses[k], None))
        return words

    def _addresses(self, places: Sequence[Span], found: Sequence[Expr], size: int) -> list[Word]:
        """The dwords that are loaded where they are of addresses, or of what lies between; none where they are not."""
        addresses = self.spaces.addresses(places, len(found))
        if not addresses:
            return []
        if size != 4:
            raise NotReadable(f"an address in {places[0].buffer} is loaded in part")
        written = (all(kind_of(v) is not Kind.UNDEFINED for v in variables(e)) for e in found)
        return [word if is_one else self.w.word(e) for is_one, word, e in zip(written, addresses, found, strict=True)]

    def _load_transposed(
        self, instruction: Instruction, access: MemoryInstruction, load: TransposedLoad, address: Word
    ) -> None:
        """Each element is one at an address that another lane names (`target.transposed`)."""
        if not self.lanes.active_together():
            raise NotReadable(f"{instruction.place} with inactive lanes")
        own = self.w.ranges.uncut(self.w.unsigned(address))
        needed = load.alignment if access.space == "lds" else 1
        if not self.w.ranges.in_range(simplify(mod(own, needed)), 0, 1):
            raise NotReadable(f"{instruction.place}: the address {own} may be no multiple of {needed}")
        lane, target = self.w.wave.lane, operand_of(instruction, "d")
        local = mod(lane, load.group)
        whole = lcm(load.bits, 8) // 8  # bytes of the fewest elements that fill some
        together = 8 * whole // load.bits
        found: list[Expr] = []
        for e in range(load.elements):
            theirs, within = (const(one) if isinstance(one, int) else one for one in load.source(local, e))
            there = self.lanes.at_lane(own, simplify(lane - local + theirs))
            at = self.w.word(simplify(there + div(within, together) * whole), 64 if access.space == "global" else 32)
            found.append(self._load_bits(instruction, access, at, whole, load.bits, mod(within, together)))
        in_order = access.space not in self.kernel.architecture.overtaking
        counters = self._counters(instruction, access, access.space)
        words = joined_bits(found, load.bits)
        keys = [(target.kind, target.index + k) for k in range(access.registers)]
        for key, word in zip(keys, words, strict=True):
            self.registers.write_cell(key, self.w.word(word), counters if in_order else (), None, "")
        waiting = [lds_at(instruction.address)] if access.space == "lds" else []
        if access.space == "global" and (self.orders or not self.kernel.one_cache):
            waiting.append(access_at(instruction.address))
        self._issue(instruction, access, access.space, [*waiting, *keys])

    def _load_bits(
        self, instruction: Instruction, access: MemoryInstruction, at: Word, bytes: int, bits: int, number: Expr
    ) -> Expr:
        """Of the elements of so many bits in a few bytes, one by its number."""
        each = min(bytes, 2) if bytes % 2 == 0 else 1
        whole = ZERO
        for k in range(0, bytes, each):
            part = RangedPart(self.w.word(simplify(at.expr + k), at.bits), each, TRUE)
            one = replace(access, size=each)
            places, size = self._places(one, part, instruction)
            (value,) = joined_elements(self._load_elements(instruction, one, part, places, size), size, each)
            whole += value * (1 << 8 * k)
        found = whole
        for k in range(1, 8 * bytes // bits):
            found = select(eq(number, k), div(whole, 1 << bits * k), found)
        return whole if 8 * bytes == bits else mod(found, 1 << bits)

    def _store(self, instruction: Instruction, access: MemoryInstruction, number: int, part: RangedPart) -> None:
        second = "data2" in instruction.operands
        source = operand_of(instruction, "data2" if second and number else "data")
        first = source.index + (0 if second else number * access.registers)
        words = [self.registers.cell((source.kind, first + k), access.half_read) for k in range(access.registers)]
        places, size = self._places(access, part, instruction)
        high = access.half == "high"
        whole = [div(self.w.unsigned(word), 1 << 16) if high else word.expr for word in words]
        for place in places:
            self._note(instruction, access, place, size, split_in_elements(whole, size, access.size))

    def _load_scalars(self, instruction: Instruction, access: MemoryInstruction, address: Word) -> list[Key]:
        """Words of the arguments, constants, or of a buffer: unknowns all lanes have alike; what waits for them."""
        target = operand_of(instruction, "d")
        keys = [(target.kind, target.index + k) for k in range(access.registers)]
        for key in keys:
            if self.registers.state.outstanding.open(key):
                raise NotReadable(f"{key[0]}{key[1]} is loaded while its load is under way")
        words, loads = self.spaces.constants(address.expr, access.registers), list[Key]()
        if not words and self.spaces.is_in_buffers(address.expr):
            words, loads = self._load_uniform(instruction, access, address), [scalar_load_at(instruction.address)]
        for given in (self.spaces.arguments, self.spaces.packet):
            words = words or given.at(address.expr, access.registers, instruction.place)
        if not words:
            raise NotReadable(f"{instruction.place} loads from {simplify(address.expr)}")
        self.registers.put_scalars(keys, words)
        return [*keys, *loads]

    def _load_uniform(self, instruction: Instruction, access: MemoryInstruction, address: Word) -> list[Word]:
        """A scalar load from a buffer, which every wave on this way makes."""
        given = self.registers.state.condition
        places = [Span("", ZERO, given)]
        if self.trace.recording:
            places = self.spaces.places(access.space, address, given, instruction.place)
        found, alike = [ZERO] * access.registers, self._is_alike(access, address.expr)
        for place in places:
            values = self._contents(place, 4, access.registers, alike)
            self._note(instruction, access, place, 4, values)
            self.w.note_uniform(*values)
            self.trace.load(place.buffer, place.offset, 4, values)
            here = assuming(place.condition, given)
            found = [select(here, *pair) for pair in zip(values, found, strict=True)]
        addresses = self._addresses(places, found, 4)
        self.w.note_uniform(*(v for word in addresses for v in pointers_in(word.expr)))
        return addresses or [self.w.word(value) for value in found]
