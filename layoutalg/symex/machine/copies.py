"""What goes between memory and LDS and through no register.

A load to LDS is one of memory and a store to LDS by the same lane; nobody may look at what it brings, or store there,
before a wait for it (`Outstanding`, `TracedElement.lands`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layoutalg.index import TRUE, ZERO, Expr, all_of, const, lt, mod, simplify
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import MemoryInstruction
from layoutalg.symex.machine.buffers import RangedPart
from layoutalg.symex.machine.elements import joined_elements, split_in_elements
from layoutalg.symex.machine.outstanding import access_at, lds_at, scalar_load_at
from layoutalg.symex.machine.recorded import RecordedMemory
from layoutalg.symex.values.word import NotReadable, Word
from layoutalg.target import target as gpu


class SymbolicCopies(RecordedMemory):
    """Loads to LDS."""

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
        if self.registers.state.signalled:
            raise NotReadable(f"LDS is accessed within a barrier, at {instruction.address:#x}")
        if not self.kernel.one_cache:  # of these no order is followed
            self.trace.signal([instruction.address])
        self.trace.begin_load_to_lds(instruction.address, self.registers.state.outstanding.uses_lds)
        words: list[Expr] = []
        kept = self._kept(access, start)
        parts = [replace(part, inside=all_of(part.inside, kept)) for part in parts]
        for part in parts:
            one = replace(access, size=part.size)
            places, size = self._places(one, part, instruction)
            words += joined_elements(self._load_elements(instruction, one, part, places, size), size, part.size)
        store = replace(access, space="lds", store=True, to_lds=False)
        places, size = self._places(store, RangedPart(start, access.size, kept), instruction)
        for place in places:
            self._note(instruction, store, place, size, split_in_elements(words, size, access.size))
        counters, address = self._counters(instruction, access, counted), instruction.address
        read = [access_at(address)] if self.orders else []  # what it reads of memory may be under way, too
        if access.by_lane:
            read.append(scalar_load_at(address))  # in no order with stores that come before the wait for it
        self.registers.state.outstanding.issue(counters, [lds_at(address, brings=True), *read], False)

    def _kept(self, access: MemoryInstruction, start: Word) -> Expr:
        """Whether a lane's copy is made: it is dropped where its place is beyond all LDS (`isa.semantics.accesses`)."""
        if not access.by_lane:
            return TRUE
        return lt(self.w.unsigned(start), const(gpu(self.kernel.target).lds_bytes))
