"""Distributed tensors: the registers of all lanes at once, as one array of shape (P…, Y…).

A `static_distributed_tensor` of CK Tile is what one lane holds of a tile; here is every lane's, so that a whole block's
work is one numpy operation.  `thread_buffer(p)` is what CK calls the thread buffer of lane p: its registers in the
order of ys_to_d, the last Y fastest.

| operation                          | CK Tile                         |
|------------------------------------|---------------------------------|
| `from_tile(distribution, tile)`    | `load_tile` of a whole tile     |
| `.to_tile()`                       | `store_tile` to a whole tile    |
| `sweep_tile(tensor, f)`            | `sweep_tile`                    |
| `tile_elementwise(f, a, b…)`       | `tile_elementwise_in`           |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from layoutalg.errors import LayoutError
from layoutalg.index.evaluate import grids
from layoutalg.layout.distribution import TileDistribution
from layoutalg.layout.null_tensor import NullTensor

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


Tensor = StaticDistributedTensor | NullTensor


def coordinates(distribution: TileDistribution) -> Coordinates:
    """The tile index of every (P…, Y…), one array for each dimension of the tile."""
    adaptor = distribution.adaptor
    return tuple(grids(adaptor.lower(adaptor.index), adaptor.index))


def held_by(distribution: TileDistribution, p: Sequence[int]) -> npt.NDArray[np.int64]:
    """The tile index in each register of one lane, in register order: shape (registers, dimensions).

    >>> from layoutalg.layout.distribution import TileDistributionEncoding
    >>> held_by(TileDistribution(TileDistributionEncoding.of((), ((4, 2),), [[(1, 0)]], [(1, 1)])), (3,)).tolist()
    [[6], [7]]
    """
    ys = distribution.y_index
    reached = distribution.lower(p, ys)
    if not ys:
        return np.array([[int(x) for x in reached]])
    return np.stack([g.reshape(-1) for g in grids(reached, ys)], axis=-1)


def from_tile(distribution: TileDistribution, tile: npt.ArrayLike) -> StaticDistributedTensor:
    """Every lane's part of a whole tile; LayoutError where the tile's shape is not the distribution's."""
    whole = np.asarray(tile)
    distribution.require_window(whole.shape)
    return StaticDistributedTensor(distribution, whole[coordinates(distribution)])


def make_static_distributed_tensor(
    dtype: npt.DTypeLike, distribution: TileDistribution, fill: Any = 0
) -> StaticDistributedTensor:
    """Registers with one value in all of them (CK Tile's of that name, then `tile_elementwise` with a constant)."""
    shape = (*map(int, distribution.ps), *map(int, distribution.ys))
    return StaticDistributedTensor(distribution, np.full(shape, fill, dtype=dtype))


@overload
def tile_elementwise(function: Callable[..., Array], *tensors: StaticDistributedTensor) -> StaticDistributedTensor: ...
@overload
def tile_elementwise(function: Callable[..., Array], *tensors: StaticDistributedTensor | NullTensor) -> Tensor: ...
def tile_elementwise(function: Callable[..., Array], *tensors: Tensor) -> Tensor:
    """A function of the registers, of tensors with one distribution; nothing where one of them is.

    LayoutError where the distributions differ: the same register would mean different elements.
    """
    held = [t for t in tensors if isinstance(t, StaticDistributedTensor)]
    if len(held) < len(tensors):
        return NullTensor()
    first = held[0].distribution
    if any(t.distribution != first for t in held):
        raise LayoutError("tensors of different distributions: one register means different elements; redistribute one")
    return StaticDistributedTensor(first, function(*(t.data for t in held)))


def sweep_tile(
    tensor: StaticDistributedTensor, function: Callable[[Coordinates, Array], Array]
) -> StaticDistributedTensor:
    """A function of the tile index and the value of every register, all at once: `function(x, values)`.

    >>> from layoutalg.layout.distribution import TileDistributionEncoding
    >>> tile = TileDistribution(TileDistributionEncoding((), ((4, 2),), ((1,),), ((0,),), (1,), (1,)))
    >>> sweep_tile(from_tile(tile, np.ones(8, int)), lambda x, v: v * (x[0] % 3)).to_tile().tolist()
    [0, 1, 2, 0, 1, 2, 0, 1]
    """
    return StaticDistributedTensor(tensor.distribution, function(tensor.coordinates(), tensor.data))


def sweep_order(distribution: TileDistribution, unpacks: Sequence[int] | None = None) -> npt.NDArray[np.int64]:
    """The Y indices in the order of a sweep, `unpacks` of each Y at a time: shape (steps, in one step, number of Ys).

    LayoutError where an unpack does not divide its Y.
    """
    lengths = [int(n) for n in distribution.ys]
    each = [1] * len(lengths) if unpacks is None else list(unpacks)
    if len(each) != len(lengths):
        raise LayoutError(f"{len(each)} unpacks for {len(lengths)} Y dimensions")
    for n, (length, take) in enumerate(zip(lengths, each, strict=True)):
        if take < 1 or length % take:
            raise LayoutError(f"Y{n}: length {length} is not a multiple of the {take} taken in one step")
    steps = np.indices([length // take for length, take in zip(lengths, each, strict=True)]).reshape(len(lengths), -1)
    within = np.indices(each).reshape(len(lengths), -1)
    return np.moveaxis(steps[:, :, None] * np.reshape(each, (-1, 1, 1)) + within[:, None, :], 0, -1)
