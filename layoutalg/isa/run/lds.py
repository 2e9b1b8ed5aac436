"""The LDS of every block that runs, and who touched which part of it since the last barrier.

Two waves may touch one place (one of them writing) only with a barrier between, and only if the first access was
complete when its wave came to that barrier.  An access is complete when its wave waited for it: each access has a
ticket (how many of its counter its wave had issued), and a wait lets all tickets up to some number be complete.

| at | of each place | is a race when |
|---|---|---|
| a read | writer w, its ticket t | w is another wave, and t was not complete at w's last barrier |
| a write | the same, and reader r, its epoch | … or r is another wave, and read since the last barrier |

Waves of one block are numbered; a place is the smallest element that the program accesses.
What it cannot represent: synchronisation by anything but block barriers.
"""

from __future__ import annotations

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.races import NOBODY, Touched
from layoutalg.isa.run.spaces import Describe, TwoCopies


class Lds:
    """LDS of `blocks` blocks, `size` bytes each, and who accessed it."""

    def __init__(self, blocks: int, size: int, place: int, noise: np.random.Generator) -> None:
        self.size = size
        self.stride = -(-size // 16) * 16
        self.bytes = TwoCopies(blocks * self.stride, noise)
        places = blocks * self.stride // place + 1
        self.touched = Touched(places, place, np.int16)
        self.ticket = np.zeros(places, np.int32)
        self.epoch = np.full(places, -1, np.int32)

    def positions(self, addresses: Array, blocks: Array, size: int, describe: Describe, where: str) -> Array:
        """Places in the bytes; a `Fault` for an address outside the allocation."""
        bad = addresses.astype(np.int64) > self.size - size
        if bad.any():
            k = int(np.argmax(bad))
            what = f"{size} bytes at {int(addresses[k]):#x} of an LDS allocation of {self.size}, {describe(k)}"
            raise Fault("address", what, where)
        return blocks * self.stride + addresses.astype(np.int64)

    def read(self, positions: Array, size: int, waves: Array, state: Barriers, describe: Describe, where: str) -> None:
        """Records reads by these waves (one for each position)."""
        places, count = self.touched.places(positions, size)
        own = np.repeat(waves, count)
        self._check_writers(places, own, count, state, describe, where, "reads")
        self.touched.note_readers(places, state.number[own], self.epoch[places] == state.epoch[own])
        self.epoch[places] = state.epoch[own]

    def write(
        self, positions: Array, size: int, waves: Array, tickets: Array, state: Barriers, describe: Describe, where: str
    ) -> None:
        """Records writes by these waves, with the ticket of each."""
        places, count = self.touched.places(positions, size)
        own = np.repeat(waves, count)
        self._check_writers(places, own, count, state, describe, where, "writes")
        reader, number = self.touched.reader[places], state.number[own]
        bad = (self.epoch[places] == state.epoch[own]) & (reader != number) & (reader != NOBODY)
        self._report(bad, places, count, describe, where, "writes", "read")
        self.touched.writer[places], self.ticket[places] = number, np.repeat(tickets, count)
        several = self.touched.writer[places] != number
        self._report(several, places, count, describe, where, "writes", "also written")

    def _check_writers(
        self, places: Array, own: Array, count: int, state: Barriers, describe: Describe, where: str, does: str
    ) -> None:
        writer = self.touched.writer[places]
        other = (writer != state.number[own]) & (writer != NOBODY)
        row = state.first[own] + np.maximum(writer, 0)
        bad = other & (self.ticket[places] > state.complete[row])
        self._report(bad, places, count, describe, where, does, "written")

    def _report(
        self, bad: Array, places: Array, count: int, describe: Describe, where: str, does: str, done: str
    ) -> None:
        if bad.any():
            k = int(np.argmax(bad))
            address = int(places[k]) * self.touched.place % self.stride
            what = (
                f"{describe(k // count)} {does} LDS byte {address:#x}, {done} by another wave with no barrier between"
            )
            raise Fault("race", what, where)


class Barriers:
    """What each wave has synchronised: its number in its block, its epoch, what its last barrier completed."""

    def __init__(self, waves: int, waves_per_block: int) -> None:
        rows = np.arange(waves)
        self.number = (rows % waves_per_block).astype(np.int16)
        self.first = rows - rows % waves_per_block
        self.epoch = np.zeros(waves, np.int32)
        self.complete = np.zeros(waves, np.int64)  # tickets up to this are seen by all after the barrier
        self.arriving = np.zeros(waves, np.int64)  # the same, of a barrier that the wave has come to
        self.signals = np.zeros(waves, np.int32)
        self.waits = np.zeros(waves, np.int32)

    def arrive(self, rows: Array, complete: Array) -> None:
        """These waves (a truth for each) come to a barrier, with tickets up to `complete` done."""
        self.arriving = np.where(rows, complete, self.arriving)
        self.epoch = self.epoch + rows
        self.signals = self.signals + rows

    def release(self, rows: Array) -> None:
        """These waves pass the barrier."""
        self.complete = np.where(rows, self.arriving, self.complete)
        self.waits = self.waits + rows
