"""Which lanes take part in an access: what they have, in a row, and what they get, back in its places."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from layoutalg.isa.run.arrays import Array, spread


class Chosen:
    """Some lanes of some waves, in the order of waves and lanes.

    >>> some = Chosen(np.array([[True, False], [True, True]]))
    >>> some.of(np.array([[[5, 6], [7, 8]]])), some.rows
    (array([[5, 7, 8]]), array([0, 1, 1]))
    """

    def __init__(self, active: Array, full: bool = False) -> None:
        """`active` is a truth for each wave and lane; `full` says that all are set, which is found out else."""
        self.active, self.full = active, full or bool(active.all())

    @cached_property
    def rows(self) -> Array:
        """The wave of each."""
        waves, lanes = self.active.shape
        return np.repeat(np.arange(waves), lanes if self.full else np.count_nonzero(self.active, axis=1))

    @cached_property
    def lanes(self) -> Array:
        """The lane of each in its wave."""
        waves, lanes = self.active.shape
        return np.tile(np.arange(lanes), waves) if self.full else np.nonzero(self.active)[1]

    def among(self, part: Array) -> Chosen:
        """Those of them that a truth for each wave and lane holds of."""
        return Chosen(self.active & part)

    def of(self, word: Array) -> Array:
        """What they have, in each copy; of axes copy, wave and lane."""
        whole = spread(word, (len(word), *self.active.shape))
        return whole.reshape(len(word), -1) if self.full else whole[:, self.active]

    def put(self, word: Array, values: Array) -> Array:
        """A word with what they get, in each copy; the others keep what it has."""
        if self.full:
            return values.reshape(len(values), *self.active.shape)
        word = np.repeat(word, max(len(word), len(values)) // len(word), axis=0)
        word[:, self.active] = values
        return word
