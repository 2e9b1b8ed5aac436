"""Parts of tiles: `get_slice_tile` and `set_slice_tile` of a window or of registers, and `shuffle_tile`.

A slice of a window is the same view at the slice's beginning: CK Tile's **overrides the window's origin**, and so does
this.  A slice of registers keeps every lane and takes some registers of each, so it cuts Y dimensions only.  CK Tile
divides the slice's length by what the lanes share of the dimension and takes what is left from its Ys, right to left:

| X1 = Y4 · P1 · Y4 · P2 · Y4, slice | divided by P = 2 | Ys of the slice | here                                     |
|------------------------------------|------------------|-----------------|------------------------------------------|
| 0 … 32                             | 16               | 1, 4, 4         | its elements are 0 … 31                  |
| 0 … 8                              | 4                | 1, 1, 4         | its elements are 0 … 7                   |
| 0 … 4                              | 2                | 1, 1, 2         | its elements are 0 1 4 5: refused        |

CK Tile has the last one as registers of elements that nobody asked for ("TODO: add validations not across p dim"); here
each slice is held against the elements that it should be.  Source: CK Tile's `core/tensor/slice_tile.hpp`,
`shuffle_tile.hpp` and `slice_distribution_from_x` of `tile_distribution.hpp`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch

import numpy as np
import numpy.typing as npt

from layoutalg.errors import LayoutError
from layoutalg.index import as_expr
from layoutalg.layout.distributed_tensor import StaticDistributedTensor, coordinates
from layoutalg.layout.distribution import TileDistribution
from layoutalg.layout.tile_window import TileWindow

TO_THE_END = -1
"""An end that is the dimension's, as CK Tile writes it of registers; of windows it has none."""


@singledispatch
def get_slice_tile(tile: object, begins: Sequence[int], ends: Sequence[int]) -> object:
    """The part begins … ends − 1 of a window, or of the registers of a tile.

    LayoutError where a slice is empty or leaves its tile, or splits what lanes hold.
    """
    raise LayoutError(f"a {type(tile).__name__} has no slices: a window has, and a distributed tensor")


@get_slice_tile.register
def _of_window(tile: TileWindow, begins: Sequence[int], ends: Sequence[int]) -> TileWindow:
    """
    >>> from layoutalg.layout.tensor_view import make_tensor_view
    >>> window = TileWindow(make_tensor_view(np.arange(24).reshape(4, 6)), (2, 4), (1, 1))
    >>> get_slice_tile(window, (0, 2), (2, 4)).load().tolist()
    [[2, 3], [8, 9]]
    """
    lengths = _lengths(tile.lengths, begins, ends, to_the_end=False)
    return replace(tile, lengths=lengths, origin=tuple(begins), distribution=None)


@get_slice_tile.register
def _of_registers(tile: StaticDistributedTensor, begins: Sequence[int], ends: Sequence[int]) -> StaticDistributedTensor:
    """
    >>> from layoutalg.layout.distributed_tensor import from_tile
    >>> from layoutalg.layout.distribution import TileDistributionEncoding
    >>> lanes = TileDistribution(TileDistributionEncoding.of((), ((2, 4),), [[(1, 1)]], [(1, 0)]))
    >>> get_slice_tile(from_tile(lanes, np.arange(8) * 10), (4,), (-1,)).to_tile().tolist()
    [40, 50, 60, 70]
    """
    sliced, taken = sliced_distribution(tile.distribution, begins, ends)
    return StaticDistributedTensor(sliced, tile.data[_registers(tile.distribution, taken)])


def set_slice_tile(
    tile: StaticDistributedTensor, source: StaticDistributedTensor, begins: Sequence[int], ends: Sequence[int]
) -> StaticDistributedTensor:
    """The tile with another's registers in the place of a slice; LayoutError where these are distributed otherwise."""
    sliced, taken = sliced_distribution(tile.distribution, begins, ends)
    if source.distribution != sliced:
        raise LayoutError("the source's distribution is not that of the slice: one register means different elements")
    data = tile.data.copy()
    data[_registers(tile.distribution, taken)] = source.data
    return replace(tile, data=data)


def sliced_distribution(
    distribution: TileDistribution, begins: Sequence[int], ends: Sequence[int]
) -> tuple[TileDistribution, tuple[slice, ...]]:
    """The distribution of a slice, and the part of each Y that it takes (CK Tile's `slice_distribution_from_x`)."""
    encoding = distribution.encoding
    whole = [int(n) for n in distribution.lengths]
    lengths = _lengths(whole, begins, ends)
    shared = {owner for p in encoding.ps for owner in p}
    taken = dict[tuple[int, int], slice]()
    hs = list[tuple[int, ...]]()
    for x, (factors, length, begin) in enumerate(zip(encoding.hs, lengths, begins, strict=True)):
        h = [int(n) for n in factors]
        by_lanes = math.prod(n for minor, n in enumerate(h) if (x + 1, minor) in shared)
        if length % by_lanes:
            raise LayoutError(f"X{x}: a slice of {length} elements, of which {by_lanes} lanes hold equally many each")
        left, first = length // by_lanes, begin // by_lanes
        for minor in reversed(range(len(h))):
            if (x + 1, minor) in shared:
                continue
            here = math.gcd(h[minor], left)
            start = first % h[minor]
            taken[x + 1, minor] = slice(start, start + here)
            left, first, h[minor] = left // here, first // h[minor], here
        if left != 1:
            raise LayoutError(f"X{x}: a slice of {length} of {whole[x]} elements does not cut its Ys {encoding.hs[x]}")
        hs.append(tuple(h))
    sliced = TileDistribution(replace(encoding, hs=tuple(tuple(map(as_expr, h)) for h in hs)))
    parts = tuple(taken.get(owner, slice(None)) for owner in encoding.ys)
    _refuse_others(distribution, sliced, parts, begins)
    return sliced, parts


def shuffle_tile(distribution: TileDistribution, tile: StaticDistributedTensor) -> StaticDistributedTensor:
    """The same elements in the same lanes, their registers in the order of another distribution's Ys.

    LayoutError where more than the order of the Ys differs: elements would have to change lanes.

    >>> from layoutalg.layout.distributed_tensor import from_tile
    >>> from layoutalg.layout.distribution import TileDistributionEncoding
    >>> rows, columns = (
    ...     TileDistribution(TileDistributionEncoding.of((), ((2, 2), (2,)), [[(1, 0)]], ys))
    ...     for ys in ([(1, 1), (2, 0)], [(2, 0), (1, 1)])
    ... )
    >>> held = from_tile(rows, np.arange(8).reshape(4, 2))
    >>> held.thread_buffer((1,)).tolist(), shuffle_tile(columns, held).thread_buffer((1,)).tolist()
    ([4, 5, 6, 7], [4, 6, 5, 7])
    """
    old, new = tile.distribution.encoding, distribution.encoding
    if (old.rs, old.hs, old.ps) != (new.rs, new.hs, new.ps) or sorted(old.ys) != sorted(new.ys):
        raise LayoutError("a shuffle changes the order of the Ys, and nothing else: lanes keep their elements")
    lanes = len(distribution.ps)
    order = [lanes + old.ys.index(owner) for owner in new.ys]
    return StaticDistributedTensor(distribution, np.transpose(tile.data, [*range(lanes), *order]))


def _lengths(
    whole: Sequence[int], begins: Sequence[int], ends: Sequence[int], *, to_the_end: bool = True
) -> tuple[int, ...]:
    if not len(whole) == len(begins) == len(ends):
        raise LayoutError(f"{len(begins)} beginnings and {len(ends)} ends for {len(whole)} dimensions")
    found = []
    for x, (length, begin, end) in enumerate(zip(whole, begins, ends, strict=True)):
        last = length if to_the_end and end == TO_THE_END else end
        if not 0 <= begin < last <= length:
            raise LayoutError(f"X{x}: {begin}…{last} is not within a tile of {length}, or is empty")
        found.append(last - begin)
    return tuple(found)


def _registers(distribution: TileDistribution, taken: tuple[slice, ...]) -> tuple[slice, ...]:
    """The part of a tensor's data that a slice takes: of each lane, of each Y."""
    return (*(slice(None),) * len(distribution.ps), *taken)


def _refuse_others(
    whole: TileDistribution, sliced: TileDistribution, taken: tuple[slice, ...], begins: Sequence[int]
) -> None:
    """LayoutError where the registers of a slice hold other elements than those that it is of."""
    ours: list[npt.NDArray[np.int64]] = [x[_registers(whole, taken)] for x in coordinates(whole)]
    for x, (held, wanted, begin) in enumerate(zip(ours, coordinates(sliced), begins, strict=True)):
        if held.shape != wanted.shape:
            raise LayoutError(f"X{x}: the slice leaves a Y dimension; its beginning is no multiple of its length")
        if (held != wanted + begin).any():
            lane = tuple(int(n) for n in np.argwhere(held != wanted + begin)[0][: len(whole.ps)])
            raise LayoutError(
                f"X{x}: the slice goes through what lanes share: lane {lane} would hold element "
                f"{held[held != wanted + begin][0]} for {(wanted + begin)[held != wanted + begin][0]}"
            )
