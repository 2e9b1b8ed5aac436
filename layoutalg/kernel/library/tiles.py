"""Thread maps of tiles, said briefly."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import as_expr
from layoutalg.layout import TileDistribution, TileDistributionEncoding

Factor = tuple[int, int]
"""(major, minor): major i + 1 is tile dimension i."""


def distribution(hs: Sequence[Sequence[int]], ps: Sequence[Sequence[Factor]], ys: Sequence[Factor]) -> TileDistribution:
    """The tile distribution without copies: factors of each dimension, those of each P, and that of each Y.

    >>> distribution([[4, 2]], [[(1, 0)]], [(1, 1)]).lower([3], [1])
    (7,)
    """
    return TileDistribution(
        TileDistributionEncoding(
            (),
            tuple(tuple(map(as_expr, h)) for h in hs),
            tuple(tuple(major for major, _ in p) for p in ps),
            tuple(tuple(minor for _, minor in p) for p in ps),
            tuple(major for major, _ in ys),
            tuple(minor for _, minor in ys),
        )
    )
