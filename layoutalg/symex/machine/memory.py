"""The symbolic machine's memory: its instructions, element by element, on the trace.

Each element has a place (a buffer and the bytes from its start, or LDS), the condition under which the lane accesses
it, and its value: what is stored, or an unknown that stands for what is loaded.  A load to LDS is a load, and a store
of what it found, which lands at some time before a wait.
What it cannot represent: elements of less than a byte that lanes load for one another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import lcm

from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, div, eq, minimum, mod, select, simplify, variables
from layoutalg.index.conditions import assuming, conjunction
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import atomic_operands, operand_of
from layoutalg.isa.semantics.accesses import MemoryInstruction, may_tell
from layoutalg.isa.semantics.ordering import CACHES, goes_through
from layoutalg.symex.machine.addresses import Span, pointers_in
from layoutalg.symex.machine.buffers import DescribedBuffer, RangedPart
from layoutalg.symex.machine.elements import joined_bits, joined_elements, split_in_elements
from layoutalg.symex.machine.lanes import SymbolicLanes
from layoutalg.symex.machine.outstanding import Key, access_at, half_of, lds_at, scalar_load_at
from layoutalg.symex.machine.scratch import Scratch
from layoutalg.symex.machine.spaces import AddressSpaces
from layoutalg.symex.machine.tracing import Order, TraceBuilder, TracedElement
from layoutalg.symex.values.unknowns import Kind, kind_of
from layoutalg.symex.values.word import NotReadable, Word
from layoutalg.target.transposed import TRANSPOSED


class SymbolicMemory:
    """What memory instructions and waits do, on the registers and the trace of a machine."""

    def __init__(
        self, lanes: SymbolicLanes, scratch: Scratch, spaces: AddressSpaces, trace: TraceBuilder, orders: bool = False
    ) -> None:
        """`orders`: whether waves may learn by atomic operations how far others are."""
        self.registers, self.kernel, self.w = lanes.registers, lanes.registers.kernel, lanes.w
        self.lanes, self.scratch, self.spaces, self.trace, self.orders = lanes, scratch, spaces, trace, orders

    def start_in_lds(self, word: Word, bits: int) -> Word:
        """Where loads go, which M0 must be seen to say without the bits that the machine would drop."""
        start = self.w.ranges.uncut(self.w.unsigned(word))
        if simplify(mod(start, 4)) is not ZERO or not self.w.ranges.in_range(start, 0, 1 << bits):
            raise NotReadable(f"M0 is {start}, of which a load to LDS takes bits 2 to {bits - 1}")
        return self.w.word(start)

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
            self._load_transposed(instruction, access, addresses[0])
            return
        parts = [RangedPart(address, access.size, TRUE) for address in addresses]
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

    def _order(self, found: Sequence[Expr], operands: Sequence[Expr]) -> Order | None:
        """What an access has to do with order, of an atomic operation with what it found."""
        if not self.orders:
            return None
        state = self.registers.state
        sight, caches = state.outstanding.sight, CACHES[self.kernel.architecture.name]
        renewed = reduce(minimum, (state.caches.get(cache, ZERO) for cache in caches))
        stale = frozenset(address for address, _ in sight.stale)
        return Order(tuple(found), tuple(operands), state.outstanding.unseen, stale, renewed, state.written)

    def _issue(self, instruction: Instruction, access: MemoryInstruction, counted: str, keys: Sequence[Key]) -> None:
        """Counts an access up, for which these registers wait."""
        counters, unordered = self._counters(instruction, access, counted), self.kernel.architecture.unordered
        self.registers.state.outstanding.issue(counters, keys, counted in unordered)

    def _counters(self, instruction: Instruction, access: MemoryInstruction, counted: str) -> tuple[str, ...]:
        return self.kernel.architecture.counters.of(counted, access.is_counted_as_store(instruction.fields))

    def _places(self, access: MemoryInstruction, part: RangedPart, instruction: Instruction) -> tuple[list[Span], int]:
        """Where a part of an access is, in each case that this lane makes it; and the bytes of an element."""
        active = self.registers.active
        guard = active if part.inside is TRUE else conjunction(active, part.inside)
        if not self.trace.recording or guard is FALSE:
            return [Span("", ZERO, guard)], min(access.size, 4)
        with self.w.ranges.assuming(part.inside):
            found = self.spaces.places(access.space, part.address, guard, instruction.place)
        return found, self.spaces.element_size(found, access.size)

    def _note(
        self, instruction: Instruction, access: MemoryInstruction, place: Span, size: int, values: Sequence[Expr],
        found: Sequence[Expr] = (), operands: Sequence[Expr] = (),
    ) -> None:  # fmt: skip
        if not place.buffer:
            return
        state, atomic = self.registers.state, access.atomic is not None
        in_flight = state.outstanding.loads_to_lds if place.buffer == "lds" else ()
        for k, value in enumerate(values):
            where = place.buffer, place.offset + k * size, place.condition, state.barriers
            this = instruction, access.store or atomic, *where, value, size, access.size
            uniform = access.store and place.buffer == "lds" and self.w.uniform(value)
            rest = self.w.loops, k * size, atomic, self.trace.moment, uniform
            at = state.signalled, True, state.invalidated, state.parted
            order = self._order(found[k : k + 1], operands)
            late = state.outstanding.scalar_loads if this[1] else frozenset[int]()
            self.trace.add(TracedElement(*this, *rest, 0, False, False, *at, order, late), in_flight)

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

    def _load_elements(
        self, instruction: Instruction, access: MemoryInstruction, part: RangedPart, places: Sequence[Span], size: int
    ) -> list[Expr]:
        """What a load finds, element by element of so many bytes."""
        operands = atomic_operands(instruction, access) if access.atomic else ()
        made_of = [self.registers.cell((one.kind, one.index)).expr for one in operands]
        count, guard = access.size // size, self.registers.active
        found, alike = [ZERO] * count, self._is_alike(access, part.address.expr)
        for place in places:
            values = self._contents(place, size, count, alike)
            left = [
                self.w.fresh("updated", 1 << 8 * size, Kind.DATA, "", *made_of)
                for _ in range(count if access.atomic else 0)
            ]
            seen = (values, made_of) if access.atomic else ()
            self._note(instruction, access, place, size, left or values, *seen)
            self.trace.load(place.buffer, place.offset, size, values)
            here = assuming(place.condition, guard)
            found = [select(here, *pair) for pair in zip(values, found, strict=True)]
        return found

    def _load_to_lds(
        self,
        instruction: Instruction,
        access: MemoryInstruction,
        parts: Sequence[RangedPart],
        counted: str,
        start: Word,
    ) -> None:
        """A load to LDS: what is found is stored there, by this lane's own; nobody may look at it before a wait."""
        if self.registers.state.signalled:
            raise NotReadable(f"LDS is accessed within a barrier, at {instruction.address:#x}")
        if not self.kernel.one_cache:  # of these no order is followed
            self.trace.signal([instruction.address])
        self.trace.begin_load_to_lds(instruction.address, self.registers.state.outstanding.uses_lds)
        words: list[Expr] = []
        for part in parts:
            one = replace(access, size=part.size)
            places, size = self._places(one, part, instruction)
            words += joined_elements(self._load_elements(instruction, one, part, places, size), size, part.size)
        store = replace(access, space="lds", store=True, to_lds=False)
        places, size = self._places(store, RangedPart(start, access.size, TRUE), instruction)
        for place in places:
            self._note(instruction, store, place, size, split_in_elements(words, size, access.size))
        counters, address = self._counters(instruction, access, counted), instruction.address
        read = [access_at(address)] if self.orders else []  # what it reads of memory may be under way, too
        self.registers.state.outstanding.issue(counters, [lds_at(address, brings=True), *read], False)

    def _load_transposed(self, instruction: Instruction, access: MemoryInstruction, address: Word) -> None:
        """Each element is one at an address that another lane names (`target.transposed`)."""
        if not self.lanes.active_together():
            raise NotReadable(f"{instruction.place} with inactive lanes")
        load = TRANSPOSED[instruction.name.lower()]
        if not load.is_in_order:
            raise NotReadable(f"{instruction.place}: its lanes exchange in no order that is followed")
        own = self.w.ranges.uncut(self.w.unsigned(address))
        if not self.w.ranges.in_range(simplify(mod(own, load.alignment)), 0, 1):
            raise NotReadable(f"{instruction.place}: the address {own} may be no multiple of {load.alignment}")
        lane, target = self.w.wave.lane, operand_of(instruction, "d")
        whole = lcm(load.bits, 8) // 8  # bytes of the fewest elements that fill some
        together = 8 * whole // load.bits
        found: list[Expr] = []
        for e in range(load.elements):
            number = e * load.group + mod(lane, load.group)
            other = simplify(lane - mod(lane, load.group) + div(number, load.elements))
            within = mod(number, load.elements)
            at = simplify(self.lanes.at_lane(own, other) + div(within, together) * whole)
            found.append(self._load_bits(instruction, access, at, whole, load.bits, mod(within, together)))
        counters = self._counters(instruction, access, "lds")
        words = joined_bits(found, load.bits)
        keys = [(target.kind, target.index + k) for k in range(access.registers)]
        for key, word in zip(keys, words, strict=True):
            self.registers.write_cell(key, self.w.word(word), counters, None, "")
        self._issue(instruction, access, "lds", [lds_at(instruction.address), *keys])

    def _load_bits(
        self, instruction: Instruction, access: MemoryInstruction, at: Expr, bytes: int, bits: int, number: Expr
    ) -> Expr:
        """Of the elements of so many bits in a few bytes of LDS, one by its number."""
        each = min(bytes, 2) if bytes % 2 == 0 else 1
        whole = ZERO
        for k in range(0, bytes, each):
            part = RangedPart(self.w.word(simplify(at + k)), each, TRUE)
            one = replace(access, size=each)
            places, size = self._places(one, part, instruction)
            (value,) = joined_elements(self._load_elements(instruction, one, part, places, size), size, each)
            whole += value * (1 << 8 * k)
        found = whole
        for k in range(1, 8 * bytes // bits):
            found = select(eq(number, k), div(whole, 1 << bits * k), found)
        return whole if 8 * bytes == bits else mod(found, 1 << bits)

    def _contents(self, place: Span, size: int, count: int, alike: bool) -> list[Expr]:
        """Unknowns for what is loaded: data, perhaps the same for all waves, but where perhaps nothing was written."""
        limit, known = 1 << 8 * size, (self._has_contents(place, place.offset + k * size, size) for k in range(count))
        return [
            self.w.fresh("loaded", limit, Kind.UNDEFINED) if not there
            else self.w.shared("loaded", limit) if alike
            else self.w.fresh("loaded", limit)
            for there in known
        ]  # fmt: skip

    def _is_alike(self, access: MemoryInstruction, address: Expr) -> bool:
        """Whether all waves of the block that load there in this iteration find the same."""
        if access.atomic or not self.w.of_the_block(address):
            return False
        if access.space == "lds":
            return self.trace.alike("lds") and self.w.of_the_block(self.registers.state.barriers)
        buffers = self.spaces.buffers_in(address)
        return bool(buffers) and all(map(self.trace.alike, buffers))

    def _has_contents(self, place: Span, offset: Expr, size: int) -> bool:
        """Whether bytes are known to hold something wherever they are accessed."""
        goal = self.trace.has_contents(place.buffer, offset, size) if place.buffer else TRUE
        ranges = self.w.ranges
        return goal is TRUE or ranges.decide(goal, all_of(ranges.always, place.condition))

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
