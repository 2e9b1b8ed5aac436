"""Distributed tensors: the registers of all lanes at once, as one array of shape (P…, Y…).

A `static_distributed_tensor` of CK Tile is what one lane holds of a tile; here is every lane's, so that a whole block's
work is one numpy operation.  `thread_buffer(p)` is what CK calls the thread buffer of lane p: its registers in the
order of ys_to_d, the last Y fastest.

| operation                          | CK Tile                         |
|------------------------------------|---------------------------------|
| `from_tile(distribution, tile)`    | `load_tile` of a whole tile     |
| `.to_tile()`                       | `store_tile` to a whole tile    |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutalg.errors import LayoutError
from layoutalg.index.evaluate import grids
from layoutalg.layout.distribution import TileDistribution
from layoutalg.records import dataclass

Array = npt.NDArray[Any]
Coordinates = tuple[npt.NDArray[np.int64], ...]


@dataclass(frozen=True, eq=False)
class StaticDistributedTensor:
    """The registers of every lane: `data` has the shape (P lengths…, Y lengths…).

    >>> from layoutalg.layout.distribution import TileDistributionEncoding
    >>> tile = TileDistribution(TileDistributionEncoding((), ((4, 2),), ((1,),), ((0,),), (1,), (1,)))
    >>> held = from_tile(tile, np.arange(8) * 10)
    >>> held.thread_buffer((3,)).tolist(), held.to_tile().tolist()
    ([60, 70], [0, 10, 20, 30, 40, 50, 60, 70])
    """

    distribution: TileDistribution
    data: Array

    def __post_init__(self) -> None:
        wanted = (*map(int, self.distribution.ps), *map(int, self.distribution.ys))
        if self.data.shape != wanted:
            raise LayoutError(f"registers of shape {self.data.shape}; lanes and registers here are {wanted}")

    def thread_buffer(self, p: Sequence[int]) -> Array:
        """The registers of one lane, in register order."""
        held: Array = self.data[tuple(p)]
        return held.reshape(-1)

    def coordinates(self) -> Coordinates:
        """The tile index that each register holds: one array of `data`'s shape for each dimension."""
        return coordinates(self.distribution)

    def to_tile(self) -> Array:
        """The tile put together; LayoutError where copies of one element differ."""
        place = self.coordinates()
        tile = np.zeros([int(n) for n in self.distribution.lengths], dtype=self.data.dtype)
        tile[place] = self.data
        differs = tile[place] != self.data
        if differs.any():
            at = tuple(int(x[differs][0]) for x in place)
            raise LayoutError(f"element {at} is held twice, with different values")
        return tile


def coordinates(distribution: TileDistribution) -> Coordinates:
    """The tile index of every (P…, Y…), one array for each dimension of the tile."""
    adaptor = distribution.adaptor
    return tuple(grids(adaptor.lower(adaptor.index), adaptor.index))


def from_tile(distribution: TileDistribution, tile: npt.ArrayLike) -> StaticDistributedTensor:
    """Every lane's part of a whole tile; LayoutError where the tile's shape is not the distribution's."""
    whole = np.asarray(tile)
    distribution.require_window(whole.shape)
    return StaticDistributedTensor(distribution, whole[coordinates(distribution)])
