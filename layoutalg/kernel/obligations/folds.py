"""Folds: a thread's sum (or greatest) takes in elements that the thread holds, each of a row exactly once.

A row is a along its last coordinate k.  It is taken in whole by one thread, or in parts by several:

| fold       | c       | must hold                                                                                  |
|------------|---------|--------------------------------------------------------------------------------------------|
| whole rows | c[m]    | whoever holds c[m] holds a[m, k] for every k, once                                         |
| in parts   | c[m, p] | a is held once, (thread, register) ↔ (m, k), and c too; who holds a[m, k] holds a c[m, p]  |
| over lanes | c[m]    | the lanes that differ in the given bits hold a[m, p] for every p, once, and c[m] each, in  |
|            |         | registers of one or several p                                                              |

In parts, c[m, p] becomes the sum over those k that its thread holds.  Each (m, k) is one thread's, whose c is in the
same row m; so the parts of a row together have each k once, whatever the order.  A later fold of all parts is the row's
sum.  Sums are thus taken in another order than one after another; rounding may differ.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, all_equal, all_of, eq, internal
from layoutalg.kernel.obligations.base import Requirement, lanes_of
from layoutalg.kernel.obligations.products import each_once, hardware_lanes, is_f32, side_by_side
from layoutalg.kernel.program import Fold, Multiply, Program
from layoutalg.kernel.program.exchange import MOST
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, RoundTrip, Shown


def in_parts(s: Fold) -> bool:
    """Whether the fold leaves parts of rows: its result has the rank of what it takes in."""
    return len(s.c.distribution.lengths) == len(s.a.distribution.lengths)


def fold(program: Program, number: int, s: Fold) -> Iterator[Requirement]:
    """Every element of a row is taken in exactly once, into that row."""
    what = f"{number}: {s.c.name} takes in {s.a.name}"
    c, a = s.c.distribution, s.a.distribution
    if s.lanes:
        yield from _over_lanes(what, program, s)
        return
    if len(a.lengths) - len(c.lengths) not in (0, 1) or len(c.ys) >= len(a.ys):
        raise LayoutError(
            f"{what}: the tile that is folded has one dimension more than its result (in parts: as many), and more Ys"
        )
    ps, ys, steps = lanes_of(a), a.y_index[: len(c.ys)], a.y_index[len(c.ys) :]
    rows = len(a.lengths) - 1
    found = a.lower(ps, (*ys, *steps))
    kept = all_equal(found[:rows], c.lower(ps, ys)[:rows])
    shown = (Shown("lane", ps), Shown("holds", found))
    yield Requirement(f"{what}: by the thread that holds the result", ForAll("rows agree", kept, TRUE, shown))
    if in_parts(s):
        for registers in (s.a, s.c):
            yield Requirement(f"{what}: {registers.name} is held once", RoundTrip(registers.distribution.adaptor))
    else:
        yield from each_once(what, found[-1], steps, a.lengths[-1], (*ps, *ys))
    yield from _same_rows(what, s)


def _over_lanes(what: str, program: Program, s: Fold) -> Iterator[Requirement]:
    """Lanes that differ in some of the bits hold each part of a row once, and all of them its fold."""
    c, a = s.c.distribution, s.a.distribution
    if len(a.lengths) != len(c.lengths) + 1 or len(c.ys) > len(a.ys):
        raise LayoutError(f"{what}: what is folded over lanes has one dimension more than its result, and its Ys")
    wave = int(a.ps[-1])
    known = wave in {one.instruction.wave for one in program.of(Multiply)}
    together = wave if known and wave <= 64 else MOST  # a warpgroup's lanes exchange within their warp
    if max(s.lanes) >= together:
        raise LayoutError(f"{what}: lanes that differ in {max(s.lanes)}, and may be of two waves")
    yield from hardware_lanes(what, program, wave) if known else side_by_side(what, program, 2 * max(s.lanes))
    ps, ys, steps = lanes_of(a), a.y_index[: len(c.ys)], a.y_index[len(c.ys) :]
    differ = tuple(internal(f"differ{n}", 2) for n, _ in enumerate(s.lanes))
    other = ps[-1]
    for bit, lanes in zip(differ, s.lanes, strict=True):
        here = ps[-1] // lanes % 2
        other = other + bit * lanes * (1 - 2 * here)  # the bit is turned over
    found = a.lower((*ps[:-1], other), (*ys, *steps))
    rows = len(c.lengths)
    shown = (Shown("lane", ps), Shown("takes in that of", (other,)), Shown("holds", found))
    kept = ForAll("rows agree", all_equal(found[:rows], c.lower(ps, ys)), TRUE, shown)
    yield Requirement(f"{what}: by the lanes that hold the result", kept)
    yield from each_once(what, found[-1], (*differ, *steps), a.lengths[-1], (*ps, *ys))
    yield from _same_rows(what, s)


def _same_rows(what: str, s: Fold) -> Iterator[Requirement]:
    """The result has the rows of what is folded."""
    c, a = s.c.distribution, s.a.distribution
    rows = len(a.lengths) - 1
    same_ys = all_of(*(eq(x, y) for x, y in zip(c.ys, a.ys, strict=False)))
    yield Requirement(f"{what}: as many rows", ForAll("a's first registers are c's", same_ys))
    yield Requirement(f"{what}: sums are f32", is_f32(s.c))
    whole = all_equal(c.lengths[:rows], a.lengths[:rows])
    yield Requirement(f"{what}: tiles agree", ForAll("the tiles have the same rows", whole))


__all__ = ["fold", "in_parts"]
