"""What goes between memory and LDS and through no register.

A load to LDS is one of memory and a store to LDS by the same lane; nobody may look at what it brings, or store there,
before a wait for it (`Outstanding`, `TracedElement.lands`).  A copy from LDS is a load from there, at whose place
nobody may store before a wait, and a store to memory, in no order with what its thread does there before a wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from layoutalg.index import TRUE, ZERO, Expr, all_of, any_of, const, div, lt, mod, negation, simplify
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import MASKS, MemoryInstruction
from layoutalg.isa.semantics.tensor import TENSOR_STORES, word_of
from layoutalg.symex.machine.addresses import decided, ways
from layoutalg.symex.machine.buffers import MOST_WAYS, RangedPart
from layoutalg.symex.machine.elements import joined_elements, split_in_elements
from layoutalg.symex.machine.outstanding import access_at, copy_back_at, lds_at, scalar_load_at
from layoutalg.symex.machine.recorded import RecordedMemory
from layoutalg.symex.values.word import NotReadable, Word
from layoutalg.target import target as gpu
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


class SymbolicCopies(RecordedMemory):
    """Loads to LDS, and copies from there."""

    def start_in_lds(self, word: Word, bits: int) -> Word:
        """Where loads go, which M0 must be seen to say without the bits that the machine would drop."""
        start = self.w.ranges.uncut(self.w.unsigned(word))
        if simplify(mod(start, 4)) is not ZERO or not self.w.ranges.in_range(start, 0, 1 << bits):
            raise NotReadable(f"M0 is {start}, of which a load to LDS takes bits 2 to {bits - 1}")
        return self.w.word(start)

    def _load_to_lds(
        self, instruction: Instruction, access: MemoryInstruction, parts: Sequence[RangedPart], counted: str,
        start: Word,
    ) -> None:  # fmt: skip
        """A load to LDS: what is found is stored there, by this lane's own; nobody may look at it before a wait."""
        self._begin(instruction)
        self._copy(instruction, access, parts, start, self._kept(access, start))
        self._end(instruction, self._counters(instruction, access, counted), access.by_lane)

    def _copy_from_lds(
        self, instruction: Instruction, access: MemoryInstruction, parts: Sequence[RangedPart], counted: str,
        start: Word,
    ) -> None:  # fmt: skip
        """A copy from LDS by lane: what is there is stored; nobody may store to LDS there before a wait."""
        self._begin_from_lds(instruction)
        self._copy_back(instruction, access, parts, start)
        self._end_from_lds(instruction, self._counters(instruction, access, counted))

    def _begin_from_lds(self, instruction: Instruction) -> None:
        if self.orders:
            raise NotReadable(f"{instruction.place}, where atomic operations may tell waves how far others are")
        self._begin(instruction)
        self.trace.signal([instruction.address])  # of what it stores no order is followed

    def _copy_back(
        self, instruction: Instruction, access: MemoryInstruction, parts: Sequence[RangedPart], start: Word
    ) -> None:
        """What each lane finds in LDS is stored by it."""
        load = replace(access, space="lds", store=False, from_lds=False)
        for part in parts:
            there = RangedPart(start, part.size, part.inside)
            places, size = self._places(load, there, instruction)
            found = joined_elements(self._load_elements(instruction, load, there, places, size), size, part.size)
            places, size = self._places(access, part, instruction)
            for place in places:
                self._note(instruction, access, place, size, split_in_elements(found, size, part.size))

    def _end_from_lds(self, instruction: Instruction, counters: tuple[str, ...]) -> None:
        """The copy is under way, in LDS as in memory."""
        address = instruction.address
        keys = [lds_at(address, brings=True), copy_back_at(address), access_at(address)]
        self.registers.state.outstanding.issue(counters, keys, False)

    def copy_tensor(self, instruction: Instruction, groups: Sequence[Sequence[Word]]) -> None:
        """A box: its elements are the lanes' in turn, as though each lane copied its own.

        Raises `NotReadable` where the box is not seen to be one, or lanes are not active: of the whole wave it is said.
        """
        if not self.lanes.all_active():
            raise NotReadable(f"{instruction.place} with inactive lanes")
        stores, counters = instruction.name in TENSOR_STORES, (self.kernel.architecture.counters.tensors,)
        (self._begin_from_lds if stores else self._begin)(instruction)
        if self.trace.recording:
            for field, (wanted, what) in {**FIXED, COUNT: (1, "a copy that may be none")}.items():
                if self._number(instruction, groups, field, what) != wanted:
                    raise NotReadable(f"{instruction.place}: {what}")
            box = geometry([self._number(instruction, groups, one, "a box") for one in SHAPE])
            if not isinstance(box, str) and box.interval and stores:
                box = PADDED_STORE
            if isinstance(box, str) or not box.box:
                raise NotReadable(f"{instruction.place}: {box if isinstance(box, str) else 'a copy of nothing'}")
            self._copy_box(instruction, box, groups)
        if stores:
            self._end_from_lds(instruction, counters)
        else:
            self._end(instruction, counters, True)

    def _number(self, instruction: Instruction, groups: Sequence[Sequence[Word]], field: BoxField, what: str) -> int:
        """A field that must be seen to be a number."""
        found = self._field(groups, field)
        if found.op != "const":
            raise NotReadable(f"{instruction.place}: {what}, of whose descriptor a field is {found}")
        return int(found.value)

    def _field(self, groups: Sequence[Sequence[Word]], field: BoxField) -> Expr:
        return self.w.ranges.uncut(self.w.unsigned(word_of(self.w, groups, field)), quotients=True)

    def _copy_box(self, instruction: Instruction, box: Geometry, groups: Sequence[Sequence[Word]]) -> None:
        w, rank = self.w, len(box.box)
        lengths = [self._field(groups, field) for field in LENGTHS[:rank]]
        steps = [const(1), *(self._field(groups, field) for field in STRIDES[: rank - 1])]
        memory, lds = self._field(groups, MEMORY), self._field(groups, LDS)
        stores = instruction.name in TENSOR_STORES
        access = MemoryInstruction("global", stores, box.size, to_lds=not stores, from_lds=stores)
        for first in range(0, box.elements, self.kernel.wave_size):
            number = simplify(w.wave.lane + first)
            there = TRUE if first + self.kernel.wave_size <= box.elements else lt(number, const(box.elements))
            inside, address, rest = there, memory, number
            for length, most, step in zip(box.box, lengths, steps, strict=True):
                x, rest = simplify(mod(rest, length)), simplify(div(rest, length))
                inside = all_of(inside, lt(x, most))
                address = address + x * step * box.size
            at = number * box.size
            gaps = div(at, box.interval) * box.gap if box.interval else ZERO
            self.trace.begin()
            part = RangedPart(w.word(simplify(address), 64), box.size, simplify(inside))
            in_lds = w.word(simplify(lds + at + gaps))
            if stores:
                self._copy_back(instruction, access, [part], in_lds)
            else:
                self._copy(instruction, access, [part], in_lds, there)

    def _begin(self, instruction: Instruction) -> None:
        if self.registers.state.signalled:
            raise NotReadable(f"LDS is accessed within a barrier, at {instruction.address:#x}")
        if not self.kernel.one_cache:  # of these no order is followed
            self.trace.signal([instruction.address])
        self.trace.begin_load_to_lds(instruction.address, self.registers.state.outstanding.uses_lds)

    def _copy(
        self, instruction: Instruction, access: MemoryInstruction, parts: Sequence[RangedPart], start: Word, kept: Expr
    ) -> None:
        """What each lane finds, where its copy is kept, is stored by it."""
        words: list[Expr] = []
        parts = [replace(part, inside=all_of(part.inside, kept)) for part in parts]
        for part in parts:
            one = replace(access, size=part.size)
            places, size = self._places(one, part, instruction)
            words += joined_elements(self._load_elements(instruction, one, part, places, size), size, part.size)
        store = replace(access, space="lds", store=True, to_lds=False)
        places, size = self._places(store, RangedPart(start, access.size, kept), instruction)
        for place in places:
            self._note(instruction, store, place, size, split_in_elements(words, size, access.size))

    def _end(self, instruction: Instruction, counters: tuple[str, ...], apart: bool) -> None:
        """The copy is under way; `apart`: in no order with stores that come before the wait for it."""
        address = instruction.address
        read = [access_at(address)] if self.orders else []  # what it reads of memory may be under way, too
        if apart:
            read.append(scalar_load_at(address))
        self.registers.state.outstanding.issue(counters, [lds_at(address, brings=True), *read], False)

    def _kept(self, access: MemoryInstruction, start: Word) -> Expr:
        """Whether a lane's copy is made: it is dropped where its place is beyond all LDS (`isa.semantics.accesses`)."""
        if not access.by_lane:
            return TRUE
        return lt(self.w.unsigned(start), const(gpu(self.kernel.target).lds_bytes))

    def _unmasked(self, access: MemoryInstruction, address: Word) -> RangedPart:
        """An access, but of the cases in which it is a store to LDS that a mask drops (`isa.semantics.accesses`)."""
        if access.space != "lds" or not access.store:
            return RangedPart(address, access.size, TRUE)
        each = islice(ways(address.expr), MOST_WAYS + 1)
        masked = [when for when, way in each if way.op == "const" and int(way.value) % (1 << 32) in MASKS]
        if not masked:
            return RangedPart(address, access.size, TRUE)
        made = negation(any_of(*masked))
        return RangedPart(self.w.word(decided(address.expr, made), address.bits), access.size, made)
