"""Tile windows: a tile's worth of a tensor view at an origin, loaded, stored and moved.

    window element x  →  view index origin + x  →  offset, valid  →  memory

Without a distribution, a window loads and stores arrays of its lengths.  With one, it loads what every lane of the
block holds and stores it back, all lanes in one numpy operation (CK Tile's `load_tile` and `store_tile`).  Elements
outside the view are an error; elements in the view's padding read as the invalid value and are not stored.  A window is
a value: moving one gives another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from layoutalg.errors import LayoutError
from layoutalg.index import as_expr
from layoutalg.index.integers import integer
from layoutalg.layout.buffer_view import Array, MemoryOperation
from layoutalg.layout.distributed_tensor import StaticDistributedTensor, coordinates
from layoutalg.layout.distribution import TileDistribution
from layoutalg.layout.tensor_view import TensorView
from layoutalg.records import dataclass


@dataclass(frozen=True, eq=False)
class TileWindow:
    """The elements origin … origin + lengths − 1 of a view; LayoutError where the distribution's tile is another size.

    >>> from layoutalg.layout.tensor_view import make_tensor_view
    >>> memory = np.arange(24).reshape(4, 6)
    >>> window = TileWindow(make_tensor_view(memory), (2, 2), (0, 0)).move((1, 3))
    >>> window.load().tolist()
    [[9, 10], [15, 16]]
    >>> window.store([[0, 0], [0, 0]])
    >>> memory[1].tolist()
    [6, 7, 8, 0, 0, 11]
    """

    view: TensorView
    lengths: tuple[int, ...]
    origin: tuple[int, ...]
    distribution: TileDistribution | None = None

    def __post_init__(self) -> None:
        for name in ("lengths", "origin"):
            object.__setattr__(self, name, tuple(map(integer, getattr(self, name))))
        if not len(self.lengths) == len(self.origin) == len(self.view.shape):
            raise LayoutError(
                f"window lengths {self.lengths} at {self.origin} over a view of {len(self.view.shape)} dimensions"
            )
        if min(self.lengths) < 1:
            raise LayoutError(f"window lengths {self.lengths}: a length is at least 1")
        if self.distribution is not None:
            self.distribution.require_window([as_expr(n) for n in self.lengths])

    def move(self, step: Sequence[int]) -> TileWindow:
        """The window moved by a step (CK Tile's `move_tile_window`)."""
        if len(step) != len(self.origin):
            raise LayoutError(f"a step of {len(step)} coordinates for {len(self.origin)} dimensions")
        return replace(self, origin=tuple(o + integer(s) for o, s in zip(self.origin, step, strict=True)))

    def load(self) -> Array:
        """The elements, as an array of the window's lengths."""
        return self.view.get(self._whole())

    def store(self, values: npt.ArrayLike) -> None:
        """Store an array of the window's lengths."""
        self.view.set(self._whole(), values)

    def load_tile(self) -> StaticDistributedTensor:
        """What every lane holds of the window."""
        distribution = self._distributed()
        return StaticDistributedTensor(distribution, self.view.get(self._held(distribution)))

    def store_tile(self, tensor: StaticDistributedTensor, operation: MemoryOperation = MemoryOperation.SET) -> None:
        """Store what every lane holds, by the tensor's own distribution; with an operation, CK Tile's `update_tile`."""
        tensor.distribution.require_window([as_expr(n) for n in self.lengths])
        self.view.update(self._held(tensor.distribution), tensor.data, operation=operation)

    def _whole(self) -> list[npt.NDArray[np.int64]]:
        spans = [np.arange(o, o + n) for o, n in zip(self.origin, self.lengths, strict=True)]
        return list(np.meshgrid(*spans, indexing="ij", sparse=True))

    def _held(self, distribution: TileDistribution) -> list[npt.NDArray[np.int64]]:
        return [x + o for x, o in zip(coordinates(distribution), self.origin, strict=True)]

    def _distributed(self) -> TileDistribution:
        if self.distribution is None:
            raise LayoutError(
                "this window has no distribution: load() gives the elements, a window that has one its lanes"
            )
        return self.distribution
