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

_NOBODY, _SEVERAL = -1, -2


class BlockRaces:
    """The blocks that wrote and read each place of so many bytes."""

    def __init__(self, size: int, place: int) -> None:
        self.place = place
        self.writer = np.full(size // place + 2, _NOBODY, np.int32)
        self.reader = np.full(size // place + 2, _NOBODY, np.int32)

    def read(self, positions: Array, size: int, blocks: Array, describe: Describe, where: str) -> None:
        """Records reads by these blocks (one for each position); a `Fault` where another one wrote."""
        places, own, count = self._places(positions, size, blocks)
        writer = self.writer[places]
        self._report((writer != _NOBODY) & (writer != own), count, describe, where, "reads", "wrote")
        before = self.reader[places]
        self.reader[places] = np.where((before == _NOBODY) | (before == own), own, _SEVERAL)
        now = self.reader[places]  # of several blocks that read one place at once the last is there
        self.reader[places[(now != own) & (now != _SEVERAL)]] = _SEVERAL

    def write(self, positions: Array, size: int, blocks: Array, changed: Array, describe: Describe, where: str) -> None:
        """Records writes; `changed` says of each whether it is of something else than what is there."""
        places, own, count = self._places(positions, size, blocks)
        reader, writer = self.reader[places], self.writer[places]
        self._report((reader != _NOBODY) & (reader != own), count, describe, where, "writes", "read")
        other = (writer != _NOBODY) & (writer != own) & np.repeat(changed, count)
        self._report(other, count, describe, where, "writes", "wrote something else")
        self.writer[places] = own

    def _places(self, positions: Array, size: int, blocks: Array) -> tuple[Array, Array, int]:
        count = max(1, size // self.place) + bool((positions % self.place).any())
        places = (positions[:, None] // self.place + np.arange(count)).reshape(-1)
        return places, np.repeat(blocks, count).astype(np.int32), count

    def _report(self, bad: Array, count: int, describe: Describe, where: str, does: str, did: str) -> None:
        if bad.any():
            what = f"{describe(int(np.argmax(bad)) // count)} {does} global memory where another block {did}"
            raise Fault("race", what, where)
