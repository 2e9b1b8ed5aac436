"""New tile distributions from others: one within another, and what is left when dimensions are reduced away.

| CK Tile                                  | makes                                                                    |
|------------------------------------------|--------------------------------------------------------------------------|
| `make_embed_tile_distribution_encoding`  | the outer tile whose every element is an inner tile (warps of lane tiles)|
| `make_reduce_tile_distribution_encoding` | the distribution of row maxima or sums: reduced lanes become copies      |

In both, factors keep their owners.  Embedding puts the inner factors after the outer ones, in each dimension; reducing
drops the factors of reduced dimensions that a register owns, and turns those that a lane owns into R: after the
reduction across lanes, all of them hold the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from layoutalg.errors import LayoutError
from layoutalg.layout.distribution import Owner, TileDistributionEncoding


def make_embed_tile_distribution_encoding(
    outer: TileDistributionEncoding, inner: TileDistributionEncoding
) -> TileDistributionEncoding:
    """Each element of the outer tile as an inner tile; P is the outer's, then the inner's, and so is Y.

    LayoutError where they have different numbers of dimensions.

    >>> warps = TileDistributionEncoding((), ((2, 3),), ((1,),), ((0,),), (1,), (1,))
    >>> lanes = TileDistributionEncoding((), ((4, 2),), ((1,),), ((0,),), (1,), (1,))
    >>> both = make_embed_tile_distribution_encoding(warps, lanes)
    >>> both.hs, both.ps, both.ys
    (((2, 3, 4, 2),), (((1, 0),), ((1, 2),)), ((1, 1), (1, 3)))
    """
    if len(outer.hs) != len(inner.hs):
        raise LayoutError(f"an outer tile of {len(outer.hs)} dimensions around an inner one of {len(inner.hs)}")
    before = [len(factors) for factors in outer.factors]

    def shifted(factor: Owner) -> Owner:
        major, minor = factor
        return major, minor + before[major]

    return TileDistributionEncoding.of(
        (*outer.rs, *inner.rs),
        [(*h, *i) for h, i in zip(outer.hs, inner.hs, strict=True)],
        [*outer.ps, *_all(shifted, inner.ps)],
        [*outer.ys, *map(shifted, inner.ys)],
    )


def make_reduce_tile_distribution_encoding(
    encoding: TileDistributionEncoding, reduce_dims: Sequence[int]
) -> TileDistributionEncoding:
    """The distribution of what a reduction over some tile dimensions leaves.

    LayoutError where a dimension does not exist.

    >>> rows = TileDistributionEncoding((), ((4,), (8, 2)), ((1, 2),), ((0, 0),), (2,), (1,))
    >>> left = make_reduce_tile_distribution_encoding(rows, [1])
    >>> left.rs, left.hs, left.ps, left.ys
    ((8,), ((4,),), (((1, 0), (0, 0)),), ())
    """
    for x in reduce_dims:
        if not 0 <= x < len(encoding.hs):
            raise LayoutError(f"tile dimension {x} does not exist: there are {len(encoding.hs)}")
    reduced = {x + 1 for x in reduce_dims}
    kept = [major for major in range(1, len(encoding.factors)) if major not in reduced]
    copies = [(0, minor) for minor in range(len(encoding.rs))]
    copies += [
        (major, minor)
        for major in sorted(reduced)
        for minor in range(len(encoding.factors[major]))
        if (major, minor) not in encoding.ys
    ]

    def moved(factor: Owner) -> Owner:
        return (0, copies.index(factor)) if factor in copies else (kept.index(factor[0]) + 1, factor[1])

    return TileDistributionEncoding.of(
        [encoding.length(factor) for factor in copies],
        [encoding.factors[major] for major in kept],
        _all(moved, encoding.ps),
        [moved(factor) for factor in encoding.ys if factor[0] not in reduced],
    )


def _all(f: Callable[[Owner], Owner], ps: Sequence[Sequence[Owner]]) -> list[tuple[Owner, ...]]:
    return [tuple(map(f, p)) for p in ps]
