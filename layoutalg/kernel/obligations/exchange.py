"""Exchanges: what a lane has afterwards is what was there, and lanes side by side are the hardware's.

Waves of every target are whole groups of 32 threads of one number after the other, so threads whose numbers differ in
their lowest bits alone are lanes of one wave, whatever else a wave is.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, ZERO, all_equal, all_of, eq, substitute
from layoutalg.index.primed import primed
from layoutalg.kernel.obligations.base import Requirement, lanes_of
from layoutalg.kernel.program import Exchange, Program
from layoutalg.prove import ForAll, Shown


def exchange(program: Program, number: int, s: Exchange) -> Iterator[Requirement]:
    """Each register is the other lane's of the same coordinates; and that lane is a thread of the same wave."""
    what = f"{number}: {s.registers.name} is {s.source.name} exchanged"
    own, there = s.registers.distribution, s.source.distribution
    ps = lanes_of(own)
    lane, ys = s.taken_from(ps[-1])
    found, held = own.lower(ps, own.y_index), there.lower((*ps[:-1], lane), ys)
    shown = (Shown("lane", ps), Shown("registers", own.y_index), Shown("of lane", (lane,)), Shown("holds", held),
             Shown("wanted", found))  # fmt: skip
    yield Requirement(f"{what}: coordinates are kept", ForAll("by all lanes", all_equal(found, held), TRUE, shown))
    lengths = ForAll("one shape", all_of(all_equal(own.lengths, there.lengths), all_equal(own.ps, there.ps)))
    yield Requirement(f"{what}: as many lanes have as many elements", lengths)
    yield from _side_by_side(what, program, s.lanes)


def _side_by_side(what: str, program: Program, lanes: int) -> Iterator[Requirement]:
    """Threads that differ in the lowest bits of their number alone have lanes that differ in theirs."""
    thread, step = ZERO, 1
    for t in program.threads:
        thread, step = thread + t * step, step * (int(t.hi) + 1)
    *waves, lane = program.lanes
    shown = (Shown("thread", program.threads), Shown("lane", program.lanes))
    place = ForAll("the lowest bits are the thread's", eq(lane % lanes, thread % lanes), TRUE, shown)
    yield Requirement(f"{what}: lanes are the hardware's", place)
    others = primed(program.threads)
    alike = [eq(one, substitute(one, others)) for one in (*waves, lane // lanes)]
    together = eq(thread // lanes, substitute(thread, others) // lanes)
    both = (Shown("thread", program.threads), Shown("thread", tuple(others.values())))
    group = ForAll("threads side by side share all other bits", all_of(*alike), together, both)
    yield Requirement(f"{what}: lanes side by side are threads side by side", group)


__all__ = ["exchange"]
