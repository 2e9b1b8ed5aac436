"""The LDS of every block that runs: one piece of memory for each, and who touched which part of it (`run.races`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.races import Races
from layoutalg.isa.run.spaces import Describe, TwoCopies


class Lds:
    """LDS of `blocks` blocks, `size` bytes each, and who accessed it."""

    def __init__(
        self, blocks: int, size: int, place: int, noise: np.random.Generator, waves_per_block: int, counter: str
    ) -> None:
        """`place` is the smallest element that is accessed, `counter` counts the accesses."""
        self.size = size
        self.stride = -(-size // 16) * 16
        self.bytes = TwoCopies(blocks * self.stride, noise)
        self.races = Races(self.name, blocks * self.stride, place, waves_per_block, counter)
        self.blocks, self.alike = blocks, True  # all blocks did the same so far: only the first one's is noted

    def name(self, byte: int) -> str:
        """What a byte is called in messages."""
        return f"LDS byte {byte % self.stride:#x}"

    def noted(self, count: int, *, alike: bool) -> int:
        """How many of an access's elements are to be noted: those of the first block, while all do the same."""
        if self.alike and alike:
            return count // self.blocks
        if self.alike:
            self.races.spread(self.blocks, self.stride)
            self.alike = False
        return count

    def positions(self, addresses: Array, blocks: Array, size: int, describe: Describe, where: str) -> Array:
        """Places in the bytes; a `Fault` for an address outside the allocation."""
        bad = addresses.astype(np.int64) > self.size - size
        if bad.any():
            k = int(np.argmax(bad))
            what = f"{size} bytes at {int(addresses[k]):#x} of an LDS allocation of {self.size}, {describe(k)}"
            raise Fault("address", what, where, thread=describe(k), address=int(addresses[k]), tensor="LDS")
        return blocks * self.stride + addresses.astype(np.int64)


def of_any_block(changed: Callable[[], Array], describe: Describe, count: int) -> tuple[Callable[[], Array], Describe]:
    """Whether an element is changed in any block, where so many of each are noted once; names the first that does it.

    What blocks store may differ where their addresses are alike.
    """
    first = np.zeros(count, np.int64)  # that block's elements come after so many

    def in_any() -> Array:
        each = changed().reshape(-1, count)
        first[:] = each.argmax(axis=0) * count
        return np.asarray(each.any(axis=0))

    return in_any, lambda k: describe(k + int(first[k]))
