"""The memories of the numpy machine: global regions, LDS and scratch, each one array of bytes.

Global memory is a list of regions with empty space between them, each placed across a multiple of 2**32, so that a
lost carry or a cut-off upper half of an address leaves the region; of a large one only the touched `pages` are held.
LDS is one piece for each block, scratch one for each lane; both start as noise.  What must not happen is a `Fault` with
the first access that did it.

| a region is | a store there | a load of what nothing wrote |
|---|---|---|
| writable | is done | gives what the region began with |
| not writable | is a `Fault` | the same |
| undefined | is done, and defines its bytes | gives noise, other noise in each lane and each copy of a block |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from layoutalg.errors import Fault, LaunchError
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.pages import HELD, Pages, Unheld
from layoutalg.records import dataclass


class Thread(NamedTuple):
    """Who did it."""

    block: tuple[int, int, int]
    number: int  # in its block

    def __str__(self) -> str:
        x, y, z = self.block
        return f"block ({x}, {y}, {z}) thread {self.number}"


#: Names the thread of the k-th of the accesses that are looked at.
Describe = Callable[[int], Thread]

_TYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32}

#: An element whose bytes are all a truth that is set.
_ALL_SET = {1: 0x01, 2: 0x0101, 4: 0x01010101}


class Bytes:
    """An array of bytes that is read and written in elements of 1, 2 or 4k bytes, at any byte.

    Whether an unaligned address is allowed is the machine's matter (`semantics.accesses.needed_alignment`).
    """

    def __init__(self, data: Array) -> None:
        self.data, self.changed = (
            data,
            True,
        )  # `changed`: since it was last set false; what it holds, not what is written

    def undefined(self, positions: Array, size: int) -> Array:
        """Of each element whether nothing has defined a byte of it."""
        return np.zeros(positions.shape, np.bool_)

    def undefined_between(self, start: int, end: int) -> Array:
        """The same of each byte from `start` to `end`."""
        return np.zeros(end - start, np.bool_)

    def gather(self, positions: Array, size: int) -> list[Array]:
        """One array of dwords for each dword of the element (a narrow element: one, zero-extended), in each copy."""
        return [word[None] for word in self.words(positions, size)]

    def words(self, positions: Array, size: int) -> list[Array]:
        """One array of dwords for each dword of the element."""
        unit = min(size, 4)
        if not _aligned(positions, unit):
            return [self._gather_bytes(positions + 4 * k, unit) for k in range(max(1, size // 4))]
        view, index = self.data.view(_TYPES[unit]), positions >> unit // 2
        return [view.take(index + k if k else index).astype(np.uint32, copy=False) for k in range(max(1, size // 4))]

    def _gather_bytes(self, positions: Array, unit: int) -> Array:
        parts = (self.data[positions + k].astype(np.uint32) << np.uint32(8 * k) for k in range(unit))
        return np.asarray(sum(parts), np.uint32)

    def scatter(self, positions: Array, size: int, dwords: Sequence[Array]) -> bool:
        """Writes elements, of words in one copy; false when two of them went to one place with different values."""
        return self.put(positions, size, [word for (word,) in dwords])

    def put(self, positions: Array, size: int, dwords: Sequence[Array]) -> bool:
        """Writes elements; false when two of them went to one place with different values."""
        unit = min(size, 4)
        self.changed = self.changed or self._differ(positions, size, dwords)
        if not _aligned(positions, unit):
            parts = [(dword >> np.uint32(8 * k)).astype(np.uint8) for dword in dwords for k in range(unit)][:size]
            for k, part in enumerate(parts):
                self.data[positions + k] = part
            return all(bool(np.array_equal(self.data[positions + k], part)) for k, part in enumerate(parts))
        view, index = self.data.view(_TYPES[unit]), positions >> unit // 2
        kept = [dword.astype(_TYPES[unit], copy=False) for dword in dwords[: max(1, size // 4)]]
        for k, dword in enumerate(kept):
            view[index + k if k else index] = dword
        if (positions[1:] - positions[:-1] >= size).all():
            return True  # each begins after the last one's end
        return all(bool(np.array_equal(view.take(index + k), dword)) for k, dword in enumerate(kept))

    def _differ(self, positions: Array, size: int, dwords: Sequence[Array]) -> bool:
        """Whether elements are to be others than are there."""
        mask = np.uint32((1 << 8 * min(size, 4)) - 1)
        return any(bool(((old ^ new) & mask).any())
                   for old, new in zip(self.words(positions, size), dwords, strict=False))  # fmt: skip


def _aligned(positions: Array, unit: int) -> bool:
    """Whether all are multiples of 1, 2 or 4."""
    return not int(np.bitwise_or.reduce(positions)) & (unit - 1)


def all_set(truths: Array, positions: Array, size: int) -> Array:
    """Of each element whether the truths of all of its bytes are set."""
    unit = min(size, 4)
    if not _aligned(positions, unit):
        return np.asarray(truths[positions[:, None] + np.arange(size)].all(axis=1))
    view, index = truths.view(_TYPES[unit]), positions >> unit // 2
    parts = [view.take(index + k) == _ALL_SET[unit] for k in range(max(1, size // 4))]
    return np.asarray(np.logical_and.reduce(parts))


def set_all(truths: Array, positions: Array, size: int) -> None:
    """Sets the truths of all bytes of each element."""
    unit = min(size, 4)
    if not _aligned(positions, unit):
        truths[positions[:, None] + np.arange(size)] = True
        return
    view, index = truths.view(_TYPES[unit]), positions >> unit // 2
    for k in range(max(1, size // 4)):
        view[index + k] = _ALL_SET[unit]


class UndefinedBytes(Bytes):
    """Bytes of which some are not defined before they are written (`defined`: a truth for each)."""

    def __init__(self, data: Array, defined: Array) -> None:
        super().__init__(data)
        self.defined, self.noise = defined, np.random.default_rng(data.size)
        unknown = ~defined  # before the first and after the last of these all was defined from the start
        self.first, self.last = int(unknown.argmax()), len(unknown) - 1 - int(unknown[::-1].argmax())

    def undefined(self, positions: Array, size: int) -> Array:
        return ~all_set(self.defined, positions, size)

    def undefined_between(self, start: int, end: int) -> Array:
        return ~self.defined[start:end]

    def gather(self, positions: Array, size: int) -> list[Array]:
        """As of all bytes; undefined ones are noise, other noise in each copy and at each reading."""
        words, unit = super().gather(positions, size), min(size, 4)
        if not self._near(positions, size) or not self.undefined(positions, size).any():
            return words
        return [self._noisy(word, positions + 4 * k, unit) for k, word in enumerate(words)]

    def _noisy(self, word: Array, positions: Array, unit: int) -> Array:
        for k in range(unit):
            unknown = ~self.defined[positions + k]
            noise = self.noise.integers(0, 256, (2, unknown.size), np.uint32) << np.uint32(8 * k)
            word = np.where(unknown, word & ~np.uint32(0xFF << 8 * k) | noise, word)
        return word

    def scatter(self, positions: Array, size: int, dwords: Sequence[Array]) -> bool:
        if self._near(positions, size):
            self.changed = True
            set_all(self.defined, positions, size)
        return super().scatter(positions, size, dwords)

    def _near(self, positions: Array, size: int) -> bool:
        """Whether some may touch what was not defined from the start."""
        return bool(positions.size) and int(positions.min()) <= self.last and int(positions.max()) + size > self.first


class TwoCopies:
    """So many bytes in two copies, both noise at first, read and written in each."""

    def __init__(self, size: int, noise: np.random.Generator) -> None:
        self.copies = [Bytes(noise.integers(0, 256, size, np.uint8)) for _ in range(2)]

    def gather(self, positions: Array, size: int) -> list[Array]:
        """As of `Bytes`; what both copies have alike is there once."""
        first, second = (copy.words(positions, size) for copy in self.copies)
        pairs = zip(first, second, strict=True)
        return [a[None] if np.array_equal(a, b) else np.stack([a, b]) for a, b in pairs]

    def scatter(self, positions: Array, size: int, dwords: Sequence[Array]) -> bool:
        """Writes elements; false when two of them went to one place with different values."""
        return all(
            copy.put(positions, size, [word[k % len(word)] for word in dwords]) for k, copy in enumerate(self.copies)
        )

    @property
    def changed(self) -> bool:
        """As of `Bytes`, in either copy."""
        return any(copy.changed for copy in self.copies)

    @changed.setter
    def changed(self, truth: bool) -> None:
        for copy in self.copies:
            copy.changed = truth


Memory = Bytes | TwoCopies


@dataclass(frozen=True, eq=False)
class Buffer:
    """An array as an argument: what it is called, whether a kernel may write it, and whether something is there before.

    Where only some of it may be written, or is defined, there is a truth for each byte.
    The argument is the address of byte `first`; one buffer in several places is one memory.
    """

    array: Array
    name: str = "buffer"
    writable: bool | Array = True
    defined: bool | Array = True
    first: int = 0
    unheld: Unheld | None = None  # the memory in place of an array, which is empty; what its pages are, they say
    points: tuple[Buffer, ...] = ()  # of what it holds the addresses, 8 bytes each, in place of what is there


@dataclass(frozen=True, eq=False)
class Region:
    """A piece of the address space: its bytes, and its address (None: one is chosen)."""

    name: str
    data: Array | Unheld
    address: int | None = None
    writable: bool | Array = True  # all, or of each byte
    defined: bool | Array = True


class GlobalMemory:
    """Regions of the 64-bit address space over one array of bytes."""

    def __init__(self, regions: Sequence[Region]) -> None:
        self.regions = regions
        self.unheld = {number: one.data for number, one in enumerate(regions) if isinstance(one.data, Unheld)}
        self.held = [0 if number in self.unheld else one.data.size for number, one in enumerate(regions)]
        starts = np.concatenate([[0], np.cumsum([-(-size // 256) * 256 + 256 for size in self.held])])
        end = int(starts[-1])
        arena = np.zeros(end + HELD if self.unheld else end, np.uint8)
        self.starts = starts[:-1].astype(np.int64)
        self.shut = np.array(
            [number in self.unheld or not np.all(one.writable) for number, one in enumerate(regions)], np.bool_
        )
        self.bytes = Bytes(arena)
        for number, region in enumerate(regions):
            if not isinstance(region.data, Unheld):
                self.contents(number)[:] = region.data
        if self.unheld or not all(np.all(one.defined) for one in regions):
            defined = self._of_each_byte([one.defined for one in regions])
            defined[end:] = False  # until a page comes there
            self.bytes = UndefinedBytes(arena, defined)
        if self.unheld:
            self.pages = Pages(end, arena, defined, self.writable)
        self.sizes = np.array([region.data.size for region in regions], np.int64)
        addresses = _addresses(regions)
        self.order = np.argsort(np.array(addresses, np.uint64))
        self.addresses = addresses
        self.sorted = np.array(addresses, np.uint64)[self.order]

    @cached_property
    def writable(self) -> Array:
        """Of each byte whether it may be written; those of no region may."""
        return self._of_each_byte([one.writable for one in self.regions])

    def _of_each_byte(self, truths: Sequence[bool | Array]) -> Array:
        """Of each byte the truth that its region has, or that is its own."""
        found = np.ones(self.bytes.data.size, np.bool_)
        for start, size, truth in zip(self.starts, self.held, truths, strict=True):
            if size:
                found[start : start + size] = truth
        return found

    def contents(self, number: int) -> Array:
        """The bytes of a region as they are now; none of one that is not held."""
        return self.bytes.data[self.starts[number] : self.starts[number] + self.held[number]]

    def undefined(self, number: int) -> Array:
        """Of each byte of a region whether nothing has written it; none of one that is not held."""
        start, size = int(self.starts[number]), self.held[number]
        return self.bytes.undefined_between(start, start + size)

    def positions(self, addresses: Array, size: int, describe: Describe, where: str, *, store: bool = False) -> Array:
        """Places in the byte array; a `Fault` for an address outside every region, and a store in one that is read."""
        only = self._only_region(addresses, size)
        if only is not None and not (store and self.shut[only]) and only not in self.unheld:
            shift = (int(self.starts[only]) - self.addresses[only]) % (1 << 64)
            return (addresses + np.uint64(shift)).view(np.int64)
        slots = np.searchsorted(self.sorted, addresses, side="right") - 1
        region = self.order[np.maximum(slots, 0)]
        inside = (addresses - self.sorted[np.maximum(slots, 0)]).astype(np.int64)
        bad = (slots < 0) | (inside < 0) | (inside > self.sizes[region] - size)
        if bad.any():
            raise self.fault("address", addresses, bad, size, describe, where)
        positions = self.starts[region] + inside
        for number in self.unheld.keys() & set(np.unique(region).tolist()) if self.unheld else ():
            there = region == number
            positions[there] = self.pages.positions(number, self.unheld[number], inside[there], size)
        if store and self.shut[region].any():
            closed = ~all_set(self.writable, positions, size)
            if closed.any():
                raise self.fault("read_only", addresses, closed, size, describe, where)
        return np.asarray(positions)

    def _only_region(self, addresses: Array, size: int) -> int | None:
        """The region that all of some accesses lie in; None where there is none."""
        if not addresses.size:
            return None
        first, last = int(addresses.min()), int(addresses.max())
        slot = int(np.searchsorted(self.sorted, np.uint64(first), side="right")) - 1
        region = int(self.order[slot])
        return region if slot >= 0 and last - self.addresses[region] <= int(self.sizes[region]) - size else None

    def fault(
        self, kind: str, addresses: Array, bad: Array, size: int, describe: Describe, where: str, why: str = ""
    ) -> Fault:
        """A `Fault` of the first bad address: the buffer it is nearest to, where it lies of that, why it is bad."""
        k = int(np.argmax(bad))
        address, thread = int(addresses[k]), describe(k)
        number, place = self.place(address, size)
        region = {} if number is None else {"tensor": self.regions[number].name,
                                            "byte": address - self.addresses[number]}  # fmt: skip
        if kind == "read_only":
            apart = number is not None and np.any(self.regions[number].writable)
            why = f"which is {'between its elements' if apart else 'only read'}"
        what = f"{size} bytes at {address:#x}, {place}{why and f', {why}'}, {thread}"
        return Fault(kind, what, where, thread=thread, address=address, **region)

    def place(self, address: int, size: int) -> tuple[int | None, str]:
        """The region that an access is nearest to, and where it lies of it, in words; None where it is far from all."""
        distances = [
            max(start - address, address + size - start - int(length), 0)
            for start, length in zip(self.addresses, self.sizes, strict=True)
        ]
        number = min(range(len(distances)), key=distances.__getitem__)
        name, byte, length = self.regions[number].name, address - self.addresses[number], int(self.sizes[number])
        if distances[number] >= _FAR:
            return None, "in no buffer"
        if byte < 0:
            return number, f"{-byte} bytes before {name}"
        if byte >= length:
            return number, f"{byte - length} bytes past the end of {name}"
        over = byte + size - length
        return number, f"byte {byte} of {name}" + (f", {over} of them past its end" if over > 0 else "")


#: What is farther from every region than this is of none of them.
_FAR = 1 << 38


#: How far the middles of regions lie apart, and where addresses of buffers end.
_APART, _END = 1 << 40, 1 << 47


def _addresses(regions: Sequence[Region]) -> list[int]:
    """The address of each region: where it has none, a multiple of 2**32 lies in its middle; aligned to 256."""
    found: list[int] = []
    middle = 2 * _APART + (1 << 32)
    for region in regions:
        half = -(-(region.data.size // 2) // 256) * 256
        room = -(-half // _APART) * _APART if half > _APART // 4 else 0
        found.append(middle + room - half if region.address is None else region.address)
        middle += 2 * room + _APART
    if middle >= _END:
        raise LaunchError("its tensors have more bytes than there are addresses")
    return found
