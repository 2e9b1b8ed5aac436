"""The accesses that are measured: one byte address a lane, in families that tell bank models apart.

A family varies one thing. Strided, tiled and xor-swizzled maps are what kernels do; random maps hold nothing in
common with any rule; the broadcast families share addresses between lanes in every way that a rule could notice:
over subsets of the lane's bits, over one xor, over half a wave only, and with one lane out of step.

    family      address of lane l (w = bytes a lane)
    strided     l · s · w
    tiled       (l mod c) · w + (l / c) · pitch
    swizzled    row (l mod r) of a tile, its column xor-ed with the row
    random      w · (distinct random numbers)
    pool        w · (random numbers from a small pool: some lanes share)
    bits        w · stride · (the lane's bits in a mask, packed): lanes that differ outside the mask share
    xor         w · stride · min(l, l ^ c): each pair {l, l ^ c} shares
    pairs       each pair {l, l ^ c} shares a random address
    halves      one rule in lanes 0–15, another in lanes 16–31
    spoiled     a shared map in which one lane goes elsewhere
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

LDS_LIMIT = 48 * 1024  # bytes: what every platform gives a block without asking
Map = Callable[[int], int]


@dataclass(frozen=True)
class Access:
    """One address a lane (bytes), and where it comes from."""

    family: str
    parameters: str
    width: int  # bytes a lane
    addresses: tuple[int, ...]


def _access(family: str, parameters: str, width: int, lanes: int, address: Map) -> Access:
    return Access(family, parameters, width, tuple(int(address(lane)) % LDS_LIMIT for lane in range(lanes)))


def _packed(lane: int, mask: int) -> int:
    """The lane's bits in the mask, moved together.

    >>> _packed(0b10110, 0b00111), _packed(0b10110, 0b11000)
    (6, 2)
    """
    bits = [lane >> bit & 1 for bit in range(8) if mask >> bit & 1]
    return sum(value << place for place, value in enumerate(bits))


def strided(width: int, lanes: int) -> Iterator[Access]:
    for stride in (*range(1, 18), 24, 31, 32, 33):
        yield _access("strided", f"stride={stride}", width, lanes, lambda lane, s=stride: lane * s * width)


def tiled(width: int, lanes: int) -> Iterator[Access]:
    for columns, pad in product((2, 4, 8, 16), (0, 4, 8, 16, 32)):
        pitch = 128 + pad
        if pitch % width == 0:
            where = f"columns={columns} pitch={pitch}"
            yield _access("tiled", where, width, lanes, lambda m, c=columns, p=pitch: m % c * width + m // c * p)


def swizzled(width: int, lanes: int) -> Iterator[Access]:
    for rows, row_bytes, layer in product((8, 16, 32), (64, 128, 256), (1, 2)):
        vectors = row_bytes // width

        def address(lane: int, rows: int = rows, vectors: int = vectors, layer: int = layer) -> int:
            row, column = lane % rows, lane // rows
            return (row * vectors + (column ^ row // layer % vectors)) * width

        where = f"rows={rows} row_bytes={row_bytes} layers={layer}"
        yield _access("swizzled", where, width, lanes, address)


def random(width: int, lanes: int, rng: np.random.Generator, count: int) -> Iterator[Access]:
    for number in range(count):
        slots = rng.permutation(LDS_LIMIT // width)[:lanes] * width
        yield _access("random", f"draw={number}", width, lanes, slots.__getitem__)
        pool = int(rng.integers(2, 48))
        shared = rng.permutation(LDS_LIMIT // width)[rng.integers(0, pool, lanes)] * width
        yield _access("pool", f"draw={number} of={pool}", width, lanes, shared.__getitem__)


def broadcast(width: int, lanes: int) -> Iterator[Access]:
    for mask, stride in product(range(lanes), (1, 128 // width)):
        where = f"mask={mask:#x} stride={stride}"
        yield _access("bits", where, width, lanes, lambda m, k=mask, s=stride: _packed(m, k) * s * width)
    for partner in range(1, lanes):
        yield _access("xor", f"xor={partner}", width, lanes, lambda m, c=partner: min(m, m ^ c) * width)


def pairs(width: int, lanes: int, rng: np.random.Generator, count: int) -> Iterator[Access]:
    for partner, number in product((1, 2, 3, 4, 8, 16, 17), range(count)):
        pool = rng.permutation(int(rng.choice([lanes, 64, LDS_LIMIT // width])))[:lanes] * width
        where = f"xor={partner} draw={number}"
        yield _access("pairs", where, width, lanes, lambda m, c=partner, p=pool: p[min(m, m ^ c)])
        last = lanes - 1 - int(rng.integers(0, lanes))
        where = f"xor={partner} draw={number} lane={last}"
        stray = int(rng.integers(0, LDS_LIMIT // width)) * width
        spoil: Map = lambda m, c=partner, p=pool, n=last, s=stray: s if m == n else p[min(m, m ^ c)]  # noqa: E731
        yield _access("spoiled", where, width, lanes, spoil)


def halves(width: int, lanes: int, rng: np.random.Generator, count: int) -> Iterator[Access]:
    """Lanes 0–15 under one rule and 16–31 under another (0: nothing shared), with near or random addresses."""
    for low, high, number in product((0, 1, 2, 3, 4, 8), (0, 1, 2, 4), range(count)):
        near = number % 2 == 0
        pool = np.arange(lanes) * width if near else rng.permutation(LDS_LIMIT // width)[:lanes] * width

        def address(lane: int, low: int = low, high: int = high, pool: np.ndarray = pool) -> int:
            return int(pool[min(lane, lane ^ (low if lane % 32 < 16 else high))])

        where = f"low={low} high={high} {'near' if near else 'random'} draw={number}"
        yield _access("halves", where, width, lanes, address)


def accesses(lanes: int, seed: int, widths: tuple[int, ...] = (4, 8, 16), draws: int = 4) -> list[Access]:
    """Every access of every family, in a fixed order for a given seed."""
    rng = np.random.default_rng(seed)
    found: list[Access] = []
    for width in widths:
        found += [*strided(width, lanes), *tiled(width, lanes), *swizzled(width, lanes), *broadcast(width, lanes)]
        found += [*random(width, lanes, rng, 8 * draws), *pairs(width, lanes, rng, draws)]
        found += halves(width, lanes, rng, draws)
    return found
