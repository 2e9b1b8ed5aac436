"""A register layout as a tile distribution: each bit of a place owns a bit of one dimension.

| bases                | in the distribution                                                     |
|----------------------|-------------------------------------------------------------------------|
| lane [1] [2], warp 4 | H = (2, 4): the longest runs of bits that are runs of bits of one owner |
| lane [0]             | R = (2): two lanes hold the same                                        |

What it cannot represent: bases that lead along two dimensions at once, or where another one leads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.errors import LayoutError
from layoutalg.interop.triton.places import BLOCK, LANE, REGISTER, WARP, bits_of
from layoutalg.layout import TileDistribution, TileDistributionEncoding
from layoutalg.layout.distribution import Owner


def distribution_of(bases: Mapping[str, Sequence[Sequence[int]]], sizes: Sequence[int]) -> TileDistribution:
    """The distribution of bases without copies in registers, on a tensor of those sizes.

    LayoutError where an element is missing, or a basis leads along two dimensions or where another one leads.

    >>> distribution_of({"register": [[1]], "lane": [[2], [4]]}, [8]).encoding.hs
    ((4, 2),)
    """
    owners: dict[tuple[int, int], tuple[str, int]] = {}
    copies: dict[str, list[int]] = {}
    for place, vectors in bases.items():
        for bit, basis in enumerate(vectors):
            moved = [(d, at) for d, at in enumerate(basis) if at]
            if not moved:
                copies.setdefault(place, []).append(bit)
                continue
            (d, at) = moved[0]
            if len(moved) > 1 or at & (at - 1) or (d, bits_of(at)) in owners:
                raise LayoutError(
                    f"{place} bit {bit} leads to {list(basis)}: a distribution's factors are bits of one dimension, "
                    "each of one owner; the linear layout itself says it, and its accesses can be priced"
                )
            owners[d, bits_of(at)] = place, bit
    if len(owners) < sum(map(bits_of, sizes)):
        raise LayoutError("an element is held by no register: a distribution holds every one")
    return TileDistribution(_encoding(bases, sizes, owners, copies))


def _encoding(
    bases: Mapping[str, Sequence[Sequence[int]]],
    sizes: Sequence[int],
    owners: dict[tuple[int, int], tuple[str, int]],
    copies: dict[str, list[int]],
) -> TileDistributionEncoding:
    """Factors: the longest runs of bits of a dimension that are runs of bits of their owner."""
    hs: list[list[int]] = []
    held: dict[str, list[tuple[int, Owner]]] = {place: [] for place in bases}
    for d, size in enumerate(sizes):
        factors: list[list[tuple[str, int]]] = []
        for n in range(bits_of(size)):
            place, bit = owners[d, n]
            if factors and factors[-1][-1] == (place, bit - 1):
                factors[-1].append((place, bit))
            else:
                factors.append([(place, bit)])
        hs.append([1 << len(one) for one in factors[::-1]] or [1])
        for minor, one in enumerate(factors[::-1]):
            held[one[0][0]].append((one[0][1], (d + 1, minor)))
        if not factors:
            held[REGISTER].append((-1 - d, (d + 1, 0)))
    rs: list[int] = []
    for place, bits in copies.items():
        for bit in bits:
            held[place].append((bit, (0, len(rs))))
            rs.append(2)
    if bases.get(BLOCK) and not bases.get(WARP):  # so that (block, warp, lane) are told apart
        held[WARP] = [(0, (0, len(rs)))]
        rs.append(1)
    ps = [place for place in (BLOCK, WARP, LANE) if held.get(place)]
    owned = {place: [owner for _, owner in sorted(each, reverse=True)] for place, each in held.items()}
    return TileDistributionEncoding.of(rs, hs, [owned[place] for place in ps], owned.get(REGISTER, []))
