"""The memory that a kernel's addresses lead to: buffers, arguments and packet, constants of the code, LDS.

| an address | is made of |
|---|---|
| of a buffer, of the arguments, of the packet | an unknown of its own, aligned as an allocation is |
| of a constant of the code object | the code's address, and where it lies from there |
| of LDS, a flat one | the aperture; else the bytes from its start alone |

What it cannot represent: buffers that overlap.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import ZERO, Expr, const, div, mod, select, simplify, symbol, variables
from layoutalg.symex.machine.addresses import Bases, Span, pointer, pointers_in
from layoutalg.symex.machine.arguments import (
    ALIGNED,
    DISPATCH_PACKET,
    HIGHEST_ADDRESS,
    Arguments,
    constant_segments,
    constants,
)
from layoutalg.symex.machine.environment import Inputs
from layoutalg.symex.machine.registers import SymbolicRegisters
from layoutalg.symex.values.word import NotReadable, Word


class AddressSpaces:
    """Where a launch's memory begins, and which of it an address is in."""

    def __init__(self, inputs: Inputs, registers: SymbolicRegisters) -> None:
        kernel, self._registers, self._w, self._sizes = registers.kernel, registers, registers.w, inputs.sizes
        self._buffers = {
            a.buffer: symbol(f"address of {a.buffer}", min=0, max=HIGHEST_ADDRESS, multiple_of=ALIGNED)
            for a in inputs.arguments
            if a.buffer
        }
        self._points, self._pointers = inputs.points, dict[Expr, Word]()
        tables = constant_segments(kernel)
        self._buffers |= {name: registers.code + one.address for name, one in tables.items() if name in inputs.sizes}
        self.arguments = Arguments("arguments", kernel.argument_segment, inputs.arguments, self._buffers, self._w)
        self.packet = Arguments("dispatch packet", DISPATCH_PACKET, inputs.packet, self._buffers, self._w)
        bases = *self._buffers.values(), self.arguments.address, self.packet.address, registers.code
        self._bases = {*bases, *variables(*registers.apertures.values())}

    def element_size(self, spans: Sequence[Span], most: int) -> int:
        """The bytes of the smallest element in these, no more than `most` and 4."""
        return min(4, most, *(self._sizes[one.buffer] for one in spans))

    def places(self, space: str, address: Word, guard: Expr, place: str) -> list[Span]:
        """Where an address of a space is; `place` is the instruction's.  Raises `NotReadable` where it is nowhere."""
        if space == "lds" and address.bits == 32:
            return [Span("lds", self._w.ranges.uncut(self._w.unsigned(address)), guard)]
        buffers = {"lds": self._registers.apertures["lds"]} if space == "lds" else self._buffers
        found = Bases(self._w, buffers, self._bases).places(address.expr, guard)
        if found is None:
            raise NotReadable(f"{place}: {_nowhere(simplify(address.expr))}")
        return found

    def is_in_buffers(self, address: Expr) -> bool:
        """Whether an address is made of a buffer's."""
        return bool(self.buffers_in(address))

    def buffers_in(self, address: Expr) -> tuple[str, ...]:
        """The buffers whose addresses an address is made of."""
        made_of = variables(address)
        passed = (name for name, base in self._buffers.items() if base in made_of)
        return (*passed, *pointers_in(address).values())

    def addresses(self, places: Sequence[Span], count: int) -> list[Word]:
        """So many dwords, where they are parts of addresses that are loaded; none where they are not.

        Raises `NotReadable` where halves of addresses may be loaded that begin elsewhere.
        """
        if not any(one.buffer in self._points for one in places):
            return []
        (begin, *others) = {simplify(mod(one.offset, 8)) for one in places}
        if others or begin not in (ZERO, const(4)) or not all(one.buffer in self._points for one in places):
            raise NotReadable(f"it is not seen which of the addresses in {places[0].buffer} is loaded")
        return [self._half(places, *divmod(int(begin.value) // 4 + n, 2)) for n in range(count)]

    def _half(self, places: Sequence[Span], number: int, upper: int) -> Word:
        """The lower or the upper half of the `number`-th address behind the first, of whichever place it is."""
        each = [pointer(self._points[one.buffer], simplify(div(one.offset, 8) + number)) for one in places]
        address = each[0]
        for place, other in zip(places[1:], each[1:], strict=True):
            address = select(place.condition, other, address)
        if address not in self._pointers:
            self._pointers[address] = self._w.word(address, 64)
        half: Word = (self._w.high if upper else self._w.low)(self._pointers[address])
        return half

    def constants(self, address: Expr, count: int) -> list[Word]:
        """Dwords of the code object that no kernel writes, if they are there."""
        return constants(self._registers.kernel, simplify(address - self._registers.code), count, self._w)


def _nowhere(address: Expr) -> str:
    """That an address is in no tensor, and why that may be."""
    of = [v.value.name for v in variables(address) if v.value.name.startswith("address of ")]
    if not of:
        return f"no tensor's address is in {address}"
    return f"it is not seen to be the {' or the '.join(of)} and an offset, which may wrap: {address}"
