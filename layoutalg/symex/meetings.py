"""Barriers at which all waves of a block meet: each wave comes to as many of them as every other.

A barrier is passed when all waves have come to one as often, at whichever place in the code.  So the barriers that a
wave has passed number the rounds of its block, and no wave is left alone at one where all come to as many in the end:

| a wave | comes to |
|---|---|
| whose block leaves where y[block] = −1 | y[block] = −1 ? 0 : 2, as all of its block |
| that has one barrier more before the others', and one less behind | 1 + 2 + 0, as those with 0 + 2 + 1 |
| of a block whose waves above n leave | thread / 64 < n ? 2 : 0, and others to more |

What it cannot represent: that hardware counts no waves that have ended (of which sources differ, `isa.run.launch`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

from layoutalg.index import TRUE, Expr, all_of, eq
from layoutalg.index.conditions import excludes
from layoutalg.prove.obligation import ForAll, Shown
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import WaveEnd
from layoutalg.symex.values.instances import moved, others, own_coordinates


def meetings(ends: Sequence[WaveEnd], loops: LoopRecord, threads: Sequence[Expr]) -> Iterator[ForAll]:
    """For each two ways on which waves end: that two waves of a block come to as many barriers on these."""
    settled = [_settled(end, loops) for end in ends]
    for one, other in combinations_with_replacement(settled, 2):
        turns = [c for c in own_coordinates(other.condition, other.barriers) if c in loops.counts]
        there = others((*threads, *turns))
        condition, barriers = (moved(e, there) for e in (other.condition, other.barriers))
        shown = Shown("barriers", (one.barriers,)), Shown("and barriers", (barriers,))
        about = "two waves of a block come to as many barriers"
        as_many = TRUE if excludes(one.condition, condition) else eq(one.barriers, barriers)
        yield ForAll(about, as_many, all_of(one.condition, condition), shown)


def _settled(end: WaveEnd, loops: LoopRecord) -> WaveEnd:
    """A way with all unknowns of the iterations that they are of."""
    behind, done = loops.behind(end.loops), dict[Expr, Expr]()
    return WaveEnd(moved(end.condition, behind, done), moved(end.barriers, behind, done), end.loops)
