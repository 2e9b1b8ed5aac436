"""The memories of the numpy machine: global regions, LDS and scratch, each one array of bytes.

Global memory is a list of regions with empty space between them, each placed across a multiple of 2**32, so that a
lost carry or a cut-off upper half of an address leaves the region.  LDS is one piece for each block, scratch one for
each lane; both start as noise.  What must not happen is a `Fault` with the first access that did it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array

#: Describes the k-th of the accesses that are looked at: block, wave, lane.
Describe = Callable[[int], str]

_TYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32}


class Bytes:
    """An array of bytes that is read and written in elements of 1, 2 or 4k bytes, at any byte.

    Whether an unaligned address is allowed is the machine's matter (`semantics.accesses.alignment_of`).
    """

    def __init__(self, data: Array) -> None:
        self.data = data

    def gather(self, positions: Array, size: int) -> list[Array]:
        """One array of dwords for each dword of the element (a narrow element: one, zero-extended)."""
        unit = min(size, 4)
        if (positions % unit).any():
            return [self._gather_bytes(positions + 4 * k, unit) for k in range(max(1, size // 4))]
        view, index = self.data.view(_TYPES[unit]), positions // unit
        return [view[index + k].astype(np.uint32) for k in range(max(1, size // 4))]

    def _gather_bytes(self, positions: Array, unit: int) -> Array:
        parts = (self.data[positions + k].astype(np.uint32) << np.uint32(8 * k) for k in range(unit))
        return np.asarray(sum(parts), np.uint32)

    def scatter(self, positions: Array, size: int, dwords: Sequence[Array]) -> bool:
        """Writes elements; false when two of them went to one place with different values."""
        unit = min(size, 4)
        if (positions % unit).any():
            parts = [(dword >> np.uint32(8 * k)).astype(np.uint8) for dword in dwords for k in range(unit)][:size]
            for k, part in enumerate(parts):
                self.data[positions + k] = part
            return all(bool(np.array_equal(self.data[positions + k], part)) for k, part in enumerate(parts))
        view, index = self.data.view(_TYPES[unit]), positions // unit
        kept = [dword.astype(_TYPES[unit]) for dword in dwords[: max(1, size // 4)]]
        for k, dword in enumerate(kept):
            view[index + k] = dword
        return all(bool(np.array_equal(view[index + k], dword)) for k, dword in enumerate(kept))


class GlobalMemory:
    """Regions of the 64-bit address space over one array of bytes."""

    def __init__(self, regions: Sequence[tuple[str, Array, int | None]]) -> None:
        """Each region is a name, its bytes, and its address (None: one is chosen)."""
        self.names = [name for name, _, _ in regions]
        sizes = [data.size for _, data, _ in regions]
        starts = np.concatenate([[0], np.cumsum([-(-size // 256) * 256 + 256 for size in sizes])])
        arena = np.zeros(int(starts[-1]), np.uint8)
        for start, (_, data, _) in zip(starts, regions, strict=False):
            arena[start : start + data.size] = data
        self.bytes = Bytes(arena)
        self.starts, self.sizes = starts[:-1].astype(np.int64), np.array(sizes, np.int64)
        addresses = [
            _across_4gib(number, data.size) if address is None else address
            for number, (_, data, address) in enumerate(regions)
        ]
        self.order = np.argsort(np.array(addresses, np.uint64))
        self.addresses = addresses
        self.sorted = np.array(addresses, np.uint64)[self.order]

    def contents(self, number: int) -> Array:
        """The bytes of a region as they are now."""
        return self.bytes.data[self.starts[number] : self.starts[number] + self.sizes[number]]

    def positions(self, addresses: Array, size: int, describe: Describe, where: str) -> Array:
        """Places in the byte array; a `Fault` for an address outside every region."""
        slots = np.searchsorted(self.sorted, addresses, side="right") - 1
        region = self.order[np.maximum(slots, 0)]
        inside = (addresses - self.sorted[np.maximum(slots, 0)]).astype(np.int64)
        bad = (slots < 0) | (inside < 0) | (inside > self.sizes[region] - size)
        if bad.any():
            k = int(np.argmax(bad))
            raise Fault("address", f"{size} bytes at {int(addresses[k]):#x} lie in no buffer, {describe(k)}", where)
        return self.starts[region] + inside


def _across_4gib(number: int, size: int) -> int:
    """An address such that a multiple of 2**32 lies in the middle of the region; aligned to 256."""
    return (number + 2 << 40) + (1 << 32) - (-(-(size // 2) // 256) * 256)
