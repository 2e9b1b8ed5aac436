"""Who touched which part of global memory: blocks run in any order, so what one writes no other may read or write.

Blocks are carried out one after the other here, so a race between them would always end the same way, and be seen by
nobody.  Each place (the smallest element that the program accesses there) remembers the blocks:

| at | is a race when |
|---|---|
| a read | another block wrote the place |
| a write | another block read it, or wrote something else there |

What it cannot represent: synchronisation of blocks (atomic operations have no entries).
"""

from __future__ import annotations

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.spaces import Describe

NOBODY, SEVERAL = -1, -2


class Touched:
    """Who wrote and who read each place, a place being so many bytes."""

    def __init__(self, places: int, place: int, kind: type) -> None:
        self.place = place
        self.writer: Array = np.full(places, NOBODY, kind)
        self.reader: Array = np.full(places, NOBODY, kind)

    def places(self, positions: Array, size: int) -> tuple[Array, int]:
        """The places of accesses of so many bytes, and how many each has: one more where some begins within one."""
        count = max(1, size // self.place) + bool((positions % self.place).any())
        return (positions[:, None] // self.place + np.arange(count)).reshape(-1), count

    def note_readers(self, places: Array, own: Array, still: Array) -> None:
        """Records readers; where one before still counts, and is another, they are several."""
        before = self.reader[places]
        self.reader[places] = np.where(still & (before != own) & (before != NOBODY), SEVERAL, own)
        now = self.reader[places]  # of several that read one place at once the last is there
        self.reader[places[(now != own) & (now != SEVERAL)]] = SEVERAL


class BlockRaces:
    """The blocks that wrote and read each place of so many bytes."""

    def __init__(self, size: int, place: int) -> None:
        self.touched = Touched(size // place + 2, place, np.int32)

    def read(self, positions: Array, size: int, blocks: Array, describe: Describe, where: str) -> None:
        """Records reads by these blocks (one for each position); a `Fault` where another one wrote."""
        places, own, count = self._places(positions, size, blocks)
        writer = self.touched.writer[places]
        self._report((writer != NOBODY) & (writer != own), count, describe, where, "reads", "wrote")
        self.touched.note_readers(places, own, np.ones(places.shape, np.bool_))

    def write(self, positions: Array, size: int, blocks: Array, changed: Array, describe: Describe, where: str) -> None:
        """Records writes; `changed` says of each whether it is of something else than what is there."""
        places, own, count = self._places(positions, size, blocks)
        reader, writer = self.touched.reader[places], self.touched.writer[places]
        self._report((reader != NOBODY) & (reader != own), count, describe, where, "writes", "read")
        other = (writer != NOBODY) & (writer != own) & np.repeat(changed, count)
        self._report(other, count, describe, where, "writes", "wrote something else")
        self.touched.writer[places] = own

    def _places(self, positions: Array, size: int, blocks: Array) -> tuple[Array, Array, int]:
        places, count = self.touched.places(positions, size)
        return places, np.repeat(blocks, count).astype(np.int32), count

    def _report(self, bad: Array, count: int, describe: Describe, where: str, does: str, did: str) -> None:
        if bad.any():
            what = f"{describe(int(np.argmax(bad)) // count)} {does} global memory where another block {did}"
            raise Fault("race", what, where)
