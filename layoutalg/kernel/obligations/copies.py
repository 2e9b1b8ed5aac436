"""Tiles that several threads hold alike: which of them stores.

A tile distribution may have factors R that reach no coordinate: threads that differ in them hold the same elements.
The first copy, those threads whose R factors are 0, stores the tile to a tensor; the others do nothing:

    Rs [8], Hs [32], P ((0, 0), (1, 0))        thread p holds x = p mod 32;  p div 32 = 0 stores
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from layoutalg.index import TRUE, Expr, all_of, eq, substitute, var
from layoutalg.kernel.obligations.base import Requirement, same
from layoutalg.kernel.program import Program, Registers
from layoutalg.layout import TileDistribution
from layoutalg.layout.mixed_radix import digits, horner
from layoutalg.prove import ForAll, RoundTrip, Shown


def has_copies(registers: Registers) -> bool:
    """Whether several threads hold each element of the tile.

    >>> from layoutalg.target.dtypes import DTYPES
    >>> from layoutalg.kernel.program.fragments import encoded
    >>> has_copies(Registers("r", DTYPES["f32"], encoded([2], [[4]], [[(0, 0), (1, 0)]], [])))
    True
    """
    return any(n.hi > 1 for n in registers.distribution.encoding.rs)


def first_copy(program: Program, registers: Registers) -> Expr:
    """Whether a thread is of the first copy: a condition on the threads; TRUE where there is one copy alone."""
    return _is_first(registers.distribution, program.lanes) if has_copies(registers) else TRUE


def first_copy_is_the_tile(registers: Registers) -> Iterator[Requirement]:
    """The first copy alone is the tile, once: it is the distribution without copies."""
    one, alone = registers.distribution, _without_copies(registers.distribution)
    yield Requirement(f"{registers.name}: threads of a copy ↔ tile", RoundTrip(alone.adaptor))
    first = _is_first(one, one.p_index)
    held, wanted = (tile.lower(p, one.y_index) for tile, p in ((one, one.p_index), (alone, _rest(one, one.p_index))))
    shown = (Shown("lane", one.p_index), Shown("holds", held), Shown("the first copy", wanted))
    alike = ForAll("threads that differ in copies alone hold one element", same(held, wanted), TRUE, shown)
    yield Requirement(f"{registers.name}: copies are alike", alike)
    others = {p: var(f"{p.value.name}_other", n) for p, n in zip(one.p_index, one.ps, strict=True)}
    also = substitute(first, dict(others))
    rest = _rest(one, one.p_index)
    there = tuple(substitute(r, dict(others)) for r in rest)
    goal = same(one.p_index, tuple(others.values()))
    both = (Shown("lane", one.p_index), Shown("lane", tuple(others.values())))
    once = ForAll("two lanes of the first copy differ in it", goal, all_of(first, also, same(rest, there)), both)
    yield Requirement(f"{registers.name}: the first copy has each lane once", once)
    lanes = tuple(var(f"p{n}_any", length) for n, length in enumerate(alone.ps))
    full = _with_zeros(one, lanes)
    at = dict(zip(one.p_index, full, strict=True))
    goal = all_of(substitute(first, at), same([substitute(r, at) for r in rest], lanes))
    every = ForAll("each lane of a copy is in the first", goal, TRUE, (Shown("lane", lanes), Shown("thread", full)))
    yield Requirement(f"{registers.name}: the first copy is whole", every)


def _parts(tile: TileDistribution) -> list[list[tuple[int, Expr]]]:
    """Of each P, its factors: major (0: a copy) and length."""
    return [[(major, tile.encoding.length((major, minor))) for major, minor in p] for p in tile.encoding.ps]


def _is_first(tile: TileDistribution, lanes: Sequence[Expr]) -> Expr:
    """Every digit of the lanes that numbers a copy is 0."""
    found = []
    for lane, parts in zip(lanes, _parts(tile), strict=True):
        numbers = digits(lane, [n for _, n in parts])
        found += [eq(i, 0) for (major, _), i in zip(parts, numbers, strict=True) if major == 0]
    return all_of(*found)


def _rest(tile: TileDistribution, lanes: Sequence[Expr]) -> tuple[Expr, ...]:
    """The lanes without their copies' digits: the P index of the distribution without copies."""
    found = []
    for lane, parts in zip(lanes, _parts(tile), strict=True):
        numbers = digits(lane, [n for _, n in parts])
        kept = [(i, n) for (major, n), i in zip(parts, numbers, strict=True) if major]
        found.append(horner([i for i, _ in kept], [n for _, n in kept]))
    return tuple(found)


def _with_zeros(tile: TileDistribution, lanes: Sequence[Expr]) -> tuple[Expr, ...]:
    """The P index whose copies' digits are 0, of a lane without copies."""
    found = []
    for lane, parts in zip(lanes, _parts(tile), strict=True):
        numbers = iter(digits(lane, [n for major, n in parts if major]))
        placed = [next(numbers) if major else lane * 0 for major, _ in parts]
        found.append(horner(placed, [n for _, n in parts]))
    return tuple(found)


def _without_copies(tile: TileDistribution) -> TileDistribution:
    kept = [[(major, minor) for major, minor in p if major] for p in tile.encoding.ps]
    majors, minors = (tuple(tuple(f[i] for f in p) for p in kept) for i in (0, 1))
    return TileDistribution(replace(tile.encoding, rs=(), ps_major=majors, ps_minor=minors))


__all__ = ["first_copy", "first_copy_is_the_tile", "has_copies"]
