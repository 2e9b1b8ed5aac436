"""What each wave sees of LDS: its own stores at once, those of others behind a barrier, as with store buffers.

    wave 0 stores a     wave 0 sees a, wave 1 what was there before
    barrier             both see a

What it cannot represent: stores that are in no order with others of their wave, as a load to LDS under way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.lds.block import Ints

#: A byte's newest store by its number, the byte of the store that it is, and the thread that made it.
ORIGIN = np.dtype([("store", np.int32), ("byte", np.int16), ("thread", np.int16)])

Origins = NDArray[np.void]
"""An `ORIGIN` of each byte."""

NOBODY = -1

NOTHING = np.array((NOBODY, NOBODY, NOBODY), ORIGIN)


class StoreBuffers:
    """Of each byte the newest store: of each wave since the last barrier, and of all waves before it.

    >>> lds, threads = StoreBuffers(np.array([0, 1]), 4), np.array([0, 1])
    >>> lds.store(7, threads[:1], np.array([[2]]))
    >>> lds.newest(threads, np.array([[2], [2]]))["store"].tolist()
    [[7], [-1]]
    >>> lds.drain()
    >>> lds.newest(threads, np.array([[2], [2]]))["store"].tolist()
    [[7], [7]]
    """

    def __init__(self, waves: Ints, size: int) -> None:
        """`waves` has the wave of each thread; LDS has so many bytes."""
        self.waves = waves
        self._drained = np.full(size, NOTHING)
        self._buffers = np.full((int(waves.max()) + 1, size), NOTHING)
        self._buffered = np.zeros(size, np.bool_)  # the bytes that any of the buffers has

    def copy(self) -> StoreBuffers:
        """An independent copy."""
        same = StoreBuffers(self.waves, 0)
        same._drained, same._buffers = self._drained.copy(), self._buffers.copy()
        same._buffered = self._buffered.copy()
        return same

    def store(self, number: int, threads: Ints, bytes_: Ints) -> None:
        """Each of these threads stores its row of bytes."""
        for part in range(bytes_.shape[1]):
            origins = np.empty(len(threads), ORIGIN)
            origins["store"], origins["byte"], origins["thread"] = number, part, threads
            self._buffers[self.waves[threads], bytes_[:, part]] = origins
        self._buffered[bytes_] = True

    def drain(self) -> None:
        """A barrier: what each wave stored all others see."""
        bytes_ = np.flatnonzero(self._buffered)
        for buffer in self._buffers:
            held = buffer[bytes_]
            stored = held["store"] != NOBODY
            self._drained[bytes_[stored]] = held[stored]
            buffer[bytes_] = NOTHING
        self._buffered[:] = False

    def newest(self, threads: Ints, bytes_: Ints) -> Origins:
        """The newest store that each of these threads sees of each byte of its row, `NOTHING` where there is none."""
        own = self._buffers[self.waves[threads][:, None], bytes_]
        found: Origins = np.where(own["store"] != NOBODY, own, self._drained[bytes_])
        return found
