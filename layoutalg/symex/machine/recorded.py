"""Where accesses of memory lie, and what is recorded of them: what every kind of access is made of.

A part of an access lies in one or several places (`AddressSpaces`), each where a condition holds.  What is loaded there
are new unknowns, element by element; what is stored is noted.
What it cannot represent: registers, which are the matter of those who access.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, minimum, select
from layoutalg.index.conditions import assuming, conjunction
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.operands import atomic_operands
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.isa.semantics.ordering import CACHES
from layoutalg.symex.machine.addresses import Span
from layoutalg.symex.machine.buffers import RangedPart
from layoutalg.symex.machine.lanes import SymbolicLanes
from layoutalg.symex.machine.outstanding import Key
from layoutalg.symex.machine.scratch import Scratch
from layoutalg.symex.machine.spaces import AddressSpaces
from layoutalg.symex.machine.tracing import Order, TraceBuilder, TracedElement
from layoutalg.symex.values.unknowns import Kind


class RecordedMemory:
    """The elements of accesses, noted in the trace of a machine."""

    def __init__(
        self, lanes: SymbolicLanes, scratch: Scratch, spaces: AddressSpaces, trace: TraceBuilder, orders: bool = False
    ) -> None:
        """`orders`: whether waves may learn by atomic operations how far others are."""
        self.registers, self.kernel, self.w = lanes.registers, lanes.registers.kernel, lanes.w
        self.lanes, self.scratch, self.spaces, self.trace, self.orders = lanes, scratch, spaces, trace, orders

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
        stores = access.is_counted_as_store(instruction.fields)
        return self.kernel.architecture.counters.of(counted, stores, access.by_lane)

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
            back = state.outstanding.copies_back if place.buffer != "lds" else frozenset[int]()
            self.trace.add(TracedElement(*this, *rest, 0, False, False, *at, order, late, back), in_flight)

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
