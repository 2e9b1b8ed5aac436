"""What loads bring straight to LDS, and is under way: nobody may look at these places, or store there.

Of copies from LDS to memory, nobody may store to what they read, nor touch what they write.  Several waves may read a
place at once: each is noted in a table in which no other is under way there.

The data are put there when the load is issued, as no correct program can tell; each place remembers the wave and its
ticket (how many loads it had issued), which later accesses ask of:

| who accesses the place | may, where |
|---|---|
| the wave itself | it has waited for the load |
| another wave of the block | the wave waited before it came to a barrier, which both have passed since |

(LLVM's AMDGPUUsage, "Memory Model": what a wave waits for with vmcnt others see behind a barrier; CDNA 4 ISA, 10.4:
loads to LDS count vmcnt alone.)  Asynchronous copies of CDNA 5 have a counter of their own.
What it cannot represent: the wave's own reads of LDS that are under way when the load is issued.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from layoutalg.errors import Fault
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.races import NOBODY, Synchronised
from layoutalg.isa.run.spaces import Describe


def landed(counter: str) -> str:
    """The name of the tickets that had come when a wave came to a barrier."""
    return f"landed by {counter}"


class Landing:
    """The wave and the ticket of the last load that brings each element of LDS."""

    def __init__(
        self, name: Callable[[int], str], size: int, element: int, counter: str, does: str = "a load of {} is bringing"
    ) -> None:
        """`name` is what a byte is called in messages; `size`, the bytes of all blocks; `element`, those of each.

        `counter` counts the loads; `does` is what one of somebody is told to do.
        """
        self.name, self.size, self.element, self.counter, self.does = name, size, element, counter, does
        self.who, self.ticket = np.zeros(0, np.int64), np.zeros(0, np.int64)  # nobody's so far

    def note(self, positions: Array, size: int, rows: Array, tickets: Array) -> None:
        """Loads of these waves (rows of the machine) bring so many bytes to each place."""
        self._begin()
        self._put(self._touched(positions, size), rows, tickets)

    def another(self) -> Landing:
        """One of nobody's, for what does not find room here."""
        return Landing(self.name, self.size, self.element, self.counter, self.does)

    def note_beside(self, positions: Array, size: int, rows: Array, tickets: Array, waves: Synchronised) -> Array:
        """Notes those that find no other wave's under way, and says of which that is not so."""
        self._begin()
        places, own = self._touched(positions, size), rows[:, None]
        who = self.who[places]
        held = (who != NOBODY) & (who != own)
        held &= self.ticket[places] > waves.complete[landed(self.counter)][np.maximum(who, 0)]
        left = held.any(axis=1)
        self._put(places[~left], rows[~left], tickets[~left])
        found: Array = left | (self.who[places] != own).any(axis=1)
        return found

    def check(
        self, positions: Array, size: int, rows: Array, done: Array, waves: Synchronised, describe: Describe, where: str
    ) -> None:
        """A `Fault` where an access touches what is under way; `done` are the tickets that each wave has waited for."""
        if not self.who.size or not positions.size:
            return
        places = self._touched(positions, size)
        who, ticket, own = self.who[places], self.ticket[places], rows[:, None]
        there = np.maximum(who, 0)
        seen = np.where(who == own, done[there], waves.complete[landed(self.counter)][there])
        bad = (who != NOBODY) & (ticket > seen)
        if not bad.any():
            return
        lane, k = np.argwhere(bad)[0]
        thread, place = describe(int(lane)), self.name(int(places[lane, k]) * self.element)
        whose = "its own wave" if who[lane, k] == rows[lane] else "another wave, with no wait and barrier between"
        raise Fault("race", f"{thread} accesses {place}, which {self.does.format(whose)}", where, thread=thread)

    def _begin(self) -> None:
        if not self.who.size:
            count = -(-self.size // self.element) + 1
            self.who, self.ticket = np.full(count, NOBODY, np.int64), np.zeros(count, np.int64)

    def _put(self, places: Array, rows: Array, tickets: Array) -> None:
        self.who[places], self.ticket[places] = rows[:, None], tickets[:, None]

    def _touched(self, positions: Array, size: int) -> Array:
        """The elements that accesses touch."""
        last = (positions + size - 1) // self.element
        first = positions // self.element
        found: Array = np.minimum(first[:, None] + np.arange(-(-size // self.element) + 1), last[:, None])
        return found
