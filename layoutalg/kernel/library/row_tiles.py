"""Tiles of rows, made of a tile's distribution (g, m, j): its rows first, its parts of rows, its rows alone.

factors of j that lanes have        (g, m, j)       (g, m, p)       (g, m)
lane div 32, of MFMA 32 × 32        a digit of j    p               copies
"""

from __future__ import annotations

from layoutalg.index import value
from layoutalg.kernel.program.fragments import Factor, encoded
from layoutalg.layout import TileDistribution
from layoutalg.records import dataclass

TURNED = (0, 2, 1)
"""Rows and columns change places."""


def rows_first(tile: TileDistribution, order: tuple[int, ...]) -> TileDistribution:
    """A tile with its coordinates in another order, and the registers of the first two coordinates before the others.

    >>> from layoutalg.kernel.library.plans import plan_for
    >>> tile = plan_for("gfx942", "f16").accumulators()
    >>> rows_first(tile, TURNED).ys, rows_first(tile, TURNED).lengths
    ((2, 2, 4, 4), (1, 128, 128))
    """
    parts = _Factors.of(tile)
    majors = {old + 1: new + 1 for new, old in enumerate(order)}
    ps = [[(majors.get(major, 0), minor) for major, minor in p] for p in parts.ps]
    ys = sorted(((majors[major], minor) for major, minor in parts.ys), key=lambda f: f[0] > 2)
    return _Factors(parts.rs, [parts.hs[old] for old in order], ps, ys).tile()


def parts_of(tile: TileDistribution) -> TileDistribution:
    """Of a tile (g, m, j), the parts (g, m, p) of its rows that lanes have."""
    parts = _Factors.of(tile)
    along = [f for p in parts.ps for f in p if f[0] == 3]
    number = {f: (3, n) for n, f in enumerate(along)}
    hs = [*parts.hs[:2], [parts.hs[2][minor] for _, minor in along]]
    ps = [[number.get(f, f) for f in p] for p in parts.ps]
    return _Factors(parts.rs, hs, ps, [y for y in parts.ys if y[0] < 3]).tile()


def rows_of(tile: TileDistribution) -> TileDistribution:
    """Of a tile (g, m, j), its rows (g, m), which all lanes of a row have."""
    parts = _Factors.of(tile)
    along = [f for p in parts.ps for f in p if f[0] == 3]
    number = {f: (0, len(parts.rs) + n) for n, f in enumerate(along)}
    rs = [*parts.rs, *(parts.hs[2][minor] for _, minor in along)]
    ps = [[number.get(f, f) for f in p] for p in parts.ps]
    return _Factors(rs, parts.hs[:2], ps, [y for y in parts.ys if y[0] < 3]).tile()


def lanes_along(tile: TileDistribution) -> tuple[int, ...]:
    """In which bits the numbers of lanes differ that share a row of (g, m, j).

    >>> from layoutalg.kernel.library.plans import plan_for
    >>> lanes_along(rows_first(plan_for("gfx942", "f16").accumulators(), TURNED))
    (32,)
    """
    parts, found, weight = _Factors.of(tile), list[int](), 1
    for major, minor in reversed(parts.ps[-1]):
        length = parts.hs[major - 1][minor] if major else parts.rs[minor]
        found += [weight << bit for bit in range(length.bit_length() - 1)] if major == 3 else []
        weight *= length
    return tuple(found)


def run_of(tile: TileDistribution) -> int | None:
    """The last Y, where its elements lie side by side along the last coordinate; None where they do not.

    >>> from layoutalg.kernel.library.plans import plan_for
    >>> tiles = (plan_for(target, "f16").accumulators() for target in ("gfx942", "gfx1100"))
    >>> [run_of(rows_first(tile, TURNED)) for tile in tiles]
    [3, None]
    """
    last, zeros = len(tile.ys) - 1, [0] * len(tile.ps)
    one, next_ = (value(tile.lower(zeros, [*[0] * last, y])[-1], {}) for y in (0, 1))
    return last if next_ - one == 1 else None


@dataclass(frozen=True)
class _Factors:
    """The factors of a distribution, as numbers: copies, of each coordinate, and who has which."""

    rs: list[int]
    hs: list[list[int]]
    ps: list[list[Factor]]
    ys: list[Factor]

    @staticmethod
    def of(tile: TileDistribution) -> _Factors:
        one = tile.encoding
        ps = [list(zip(majors, minors, strict=True)) for majors, minors in zip(one.ps_major, one.ps_minor, strict=True)]
        return _Factors([int(n) for n in one.rs], [[int(n) for n in h] for h in one.hs], ps,
                        list(zip(one.ys_major, one.ys_minor, strict=True)))  # fmt: skip

    def tile(self) -> TileDistribution:
        return encoded(self.rs, self.hs, self.ps, self.ys)


__all__ = ["TURNED", "lanes_along", "parts_of", "rows_first", "rows_of", "run_of"]
