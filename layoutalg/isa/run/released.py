"""Which stores another block may be told of at all: those that a release at the scope of the device may have followed.

Who orders what by atomic operations is not followed.  But a block that was told of a store finds it only where
something was done for that (`semantics.ordering`), whoever was told by which flag:

| | there must have been |
|---|---|
| behind the store | a wait for it; where a cache keeps it, a write-back by a wave of its block |
| behind that | a store or an atomic operation of its block, which tells others |
| before a load of the block that is told | its caches invalidated, behind the first atomic operation that may tell it |

Stores and loads that go past these caches need less, and are not looked at.  More than this may be needed, so what is
missed here is a race, and what is not may be one.
"""

from __future__ import annotations

import numpy as np

from layoutalg.isa.run.arrays import Array

#: What is missing then, in words.
UNSEEN = ", with no release behind that or no acquire before this, at the scope of the device"


class Released:
    """Up to which ticket of the counter of stores each wave of the grid may have told others of what it stored."""

    def __init__(self) -> None:
        self._ready, self._told = np.zeros((2, 0), np.int64)

    def note(self, first: int, tickets: Array) -> None:
        """Who is told from now on of these waves, from a number on, may find their stores up to these tickets."""
        end = first + len(tickets)
        if end > len(self._ready):
            more = (0, end - len(self._ready))
            self._ready, self._told = np.pad(self._ready, more), np.pad(self._told, more)
        self._ready[first:end] = np.maximum(self._ready[first:end], tickets)

    def tell(self, first: int, waves: Array) -> None:
        """Waves of blocks (a truth for each, from a number on) may tell others: they store, or update atomically."""
        ready, told = (one[first : first + len(waves)] for one in (self._ready, self._told))
        np.copyto(told, ready, where=waves[: len(told)])

    def never(self, waves: Array, tickets: Array) -> Array:
        """Whether nobody can have been told of these, each of a wave; no wave has a number below 0."""
        known = (waves >= 0) & (waves < len(self._told))
        reached = self._told[np.where(known, waves, 0)] if len(self._told) else 0
        return np.asarray((waves >= 0) & (tickets > np.where(known, reached, 0)))
