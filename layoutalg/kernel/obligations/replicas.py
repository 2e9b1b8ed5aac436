"""Tiles that several threads hold alike: which of them stores.

The first copy, those threads whose R factors are 0, stores it to a tensor (`access.places`); so that copy alone must be
the tile, once, and all copies alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from layoutalg.index import TRUE, Expr, all_equal, all_of, substitute
from layoutalg.index.primed import primed, same
from layoutalg.index.radix import digits, horner
from layoutalg.kernel.access.places import is_first_copy, lane_factors
from layoutalg.kernel.obligations.base import Requirement, lanes_of
from layoutalg.kernel.program import Registers
from layoutalg.layout import TileDistribution
from layoutalg.prove import ForAll, RoundTrip, Shown


def first_copy_is_the_tile(registers: Registers) -> Iterator[Requirement]:
    """The first copy alone is the tile, once: it is the distribution without copies."""
    one, alone = registers.distribution, _without_copies(registers.distribution)
    yield Requirement(f"{registers.name}: threads of a copy ↔ tile", RoundTrip(alone.adaptor))
    here = lanes_of(one)
    first, rest = is_first_copy(one, here), _rest(one, here)
    held, wanted = (tile.lower(p, one.y_index) for tile, p in ((one, here), (alone, rest)))
    shown = (Shown("lane", here), Shown("holds", held), Shown("the first copy", wanted))
    alike = ForAll("threads that differ in copies alone hold one element", all_equal(held, wanted), TRUE, shown)
    yield Requirement(f"{registers.name}: copies are alike", alike)
    others = primed(here)
    also, *there = (substitute(e, others) for e in (first, *rest))
    goal = same(here, others)
    both = (Shown("lane", here), Shown("lane", tuple(others.values())))
    once = ForAll("two lanes of the first copy differ in it", goal, all_of(first, also, all_equal(rest, there)), both)
    yield Requirement(f"{registers.name}: the first copy has each lane once", once)
    lanes = lanes_of(alone)
    full = _with_zeros(one, lanes)
    at = dict(zip(here, full, strict=True))
    goal = all_of(substitute(first, at), all_equal([substitute(r, at) for r in rest], lanes))
    every = ForAll("each lane of a copy is in the first", goal, TRUE, (Shown("lane", lanes), Shown("thread", full)))
    yield Requirement(f"{registers.name}: the first copy is whole", every)


def _rest(tile: TileDistribution, lanes: Sequence[Expr]) -> tuple[Expr, ...]:
    """The lanes without their copies' digits: the P index of the distribution without copies."""
    found = []
    for lane, parts in zip(lanes, lane_factors(tile), strict=True):
        numbers = digits(lane, [n for _, n in parts])
        kept = [(i, n) for (major, n), i in zip(parts, numbers, strict=True) if major]
        found.append(horner([i for i, _ in kept], [n for _, n in kept]))
    return tuple(found)


def _with_zeros(tile: TileDistribution, lanes: Sequence[Expr]) -> tuple[Expr, ...]:
    """The P index whose copies' digits are 0, of a lane without copies."""
    found = []
    for lane, parts in zip(lanes, lane_factors(tile), strict=True):
        numbers = iter(digits(lane, [n for major, n in parts if major]))
        placed = [next(numbers) if major else lane * 0 for major, _ in parts]
        found.append(horner(placed, [n for _, n in parts]))
    return tuple(found)


def _without_copies(tile: TileDistribution) -> TileDistribution:
    kept = [[(major, minor) for major, minor in p if major] for p in tile.encoding.ps]
    majors, minors = (tuple(tuple(f[i] for f in p) for p in kept) for i in (0, 1))
    return TileDistribution(replace(tile.encoding, rs=(), ps_major=majors, ps_minor=minors))


__all__ = ["first_copy_is_the_tile"]
