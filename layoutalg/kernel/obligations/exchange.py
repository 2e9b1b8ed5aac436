"""Exchanges: what a lane has afterwards is what was there, and lanes side by side are the hardware's."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, all_equal, all_of
from layoutalg.kernel.obligations.base import Requirement, lanes_of
from layoutalg.kernel.obligations.products import side_by_side
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
    yield from side_by_side(what, program, s.lanes)


__all__ = ["exchange"]
