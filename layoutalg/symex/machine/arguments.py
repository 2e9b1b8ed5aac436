"""What a launch gives a kernel to read: arguments and dispatch packet, dword by dword, and its code's constants.

| a dword that holds | is |
|---|---|
| a part of one argument of whole dwords | the half of its word: halves of one stay halves of one |
| numbers of fewer bytes | their sum, each in its place; what lies between was written by nobody |
| parts of others | unknown |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from layoutalg.index import ZERO, Expr, mod, simplify, symbol
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.elf import Segment
from layoutalg.records import dataclass
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.word import NotReadable, Word

#: The highest address of a buffer, of arguments, and of a code object's last byte: an assumption
#: (`refinement.STANDING`).  Linux's driver gives processes no higher ones (amdkfd, `gpuvm_size`: at most
#: AMDGPU_GMC_HOLE_START).
HIGHEST_ADDRESS = (1 << 47) - 1

#: Bytes of which the start of a tensor is a multiple.
ALIGNED = 16

#: Bytes of a dispatch packet (hsa.h, `hsa_kernel_dispatch_packet_t`).
DISPATCH_PACKET = 64


@dataclass(frozen=True)
class BoundArgument:
    """What bytes of the arguments stand for: a buffer's address, or a number modulo 2 to the power of its bits."""

    offset: int  # bytes from the start of the arguments
    size: int  # bytes
    buffer: str = ""
    number: Expr | None = None


def hidden_arguments(kernel: KernelBinary, known: Mapping[str, Expr]) -> Iterator[BoundArgument]:
    """The arguments that the runtime gives, of the kinds that are known."""
    for place in kernel.metadata.arguments:
        if place.kind in known:
            yield BoundArgument(place.offset, place.size, number=known[place.kind])


class Arguments:
    """What is bound to the bytes of a segment: of the arguments, or of the dispatch packet."""

    def __init__(
        self, name: str, size: int, bound: Sequence[BoundArgument], buffers: Mapping[str, Expr], values: IndexValues
    ) -> None:
        """`size` in bytes; `buffers`: their addresses by their names."""
        self.name, self.size, self.bound, self.buffers, self.w = name, size, bound, buffers, values
        self.address = symbol(f"address of {name}", min=0, max=HIGHEST_ADDRESS - size, multiple_of=16)
        self._wholes: dict[BoundArgument, tuple[Word, ...]] = {}

    def at(self, address: Expr, count: int, place: str) -> list[Word]:
        """So many dwords; none where the address is none of the segment. Raises `NotReadable` beyond its end."""
        start = simplify(address - self.address)
        if start.op != "const":
            return []
        if not 0 <= start.value <= self.size - 4 * count:
            raise NotReadable(f"{place} loads what is not in the {self.name}, from byte {start}")
        return [self.dword(int(start.value) + 4 * k) for k in range(count)]

    def dword(self, byte: int) -> Word:
        """Four bytes, from one on: of one argument, or of several narrow ones; what nothing says of them is unknown."""
        here = [one for one in self.bound if one.offset < byte + 4 and byte < one.offset + one.size]
        if len(here) == 1 and here[0].size % 4 == 0 and (byte - here[0].offset) % 4 == 0:
            return self._dwords(here[0])[(byte - here[0].offset) // 4]
        if any(
            one.number is None or one.size > 4 or one.offset < byte or one.offset + one.size > byte + 4 for one in here
        ):
            return self.w.fresh_word()
        total, at = ZERO, byte
        for one in sorted(here, key=lambda one: one.offset):
            assert one.number is not None
            gap = self.w.undefined(8 * (one.offset - at)) * (1 << 8 * (at - byte)) if one.offset > at else ZERO
            total += gap + mod(one.number, 1 << 8 * one.size) * (1 << 8 * (one.offset - byte))
            at = one.offset + one.size
        rest = self.w.undefined(8 * (byte + 4 - at)) * (1 << 8 * (at - byte)) if at < byte + 4 else ZERO
        return self.w.word(total + rest)

    def _dwords(self, argument: BoundArgument) -> tuple[Word, ...]:
        if argument not in self._wholes:
            e = self.buffers[argument.buffer] if argument.buffer else argument.number
            assert e is not None
            word = self.w.word(e, 64 if argument.size == 8 else 32)
            self._wholes[argument] = (self.w.low(word), self.w.high(word)) if argument.size == 8 else (word,)
        return self._wholes[argument]


def constant_segments(kernel: KernelBinary) -> dict[str, Segment]:
    """What is loaded of the code object that no kernel writes, by what it is called here; the highest address first.

    None that begins at no multiple of what tensors do.
    """
    kept = (segment for segment in kernel.image if not segment.writable and segment.address % ALIGNED == 0)
    found = sorted(kept, key=lambda segment: -segment.address)
    return {f"the code object from {segment.address:#x} on": segment for segment in found}


def constants(kernel: KernelBinary, start: Expr, count: int, values: IndexValues) -> list[Word]:
    """Dwords of the code object that no kernel writes; none where the address is not known to be of one."""
    if start.op != "const":
        return []
    segments = (segment for segment in kernel.image if not segment.writable)
    found = (segment.bytes_at(int(start.value), 4 * count) for segment in segments)
    data = next((one for one in found if one is not None), b"")
    return [values.const(int.from_bytes(data[k : k + 4], "little"), 32) for k in range(0, len(data), 4)]
