"""The segments that a wave touches, counted lane by lane in one statement, for a solver alone.

`layoutalg.memory.traffic` decides the same in less time; this is what a forced strategy and a certificate are about.
"""

from __future__ import annotations

import math

from layoutalg.index import FALSE, Expr, InexpressibleError, add, all_of, any_of, eq, negation, select, substitute
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.memory.access import Reach
from layoutalg.memory.lds.cost import others, relative
from layoutalg.prove.obligation import ForAll, Shown

MOST_PIECES = 256
"""Pieces of a wave's access that are compared with one another."""


def written_out(access: Reach, segment: int) -> ForAll:
    """That the wave's grains (the largest pieces that no segment cuts) lie in the fewest segments that hold them.

    With n different grains of g bytes in t different segments: t = ⌈n·g / segment⌉, that is (t − 1)·segment < n·g.
    """
    lanes, width = access.lanes.lanes, access.lanes.width * access.element_bytes
    where = relative(access.start, access.lanes.lane, segment)
    starts = [normal(substitute(where, {access.lanes.lane: n})) for n in range(lanes)]
    grain = math.gcd(width, segment, *(k for poly in starts for k in poly.terms.values()))
    masks = [substitute(access.mask, {access.lanes.lane: n}) for n in range(lanes)]
    pieces: dict[Expr, Expr] = {}
    for s, mask in zip(starts, masks, strict=True):
        for n in range(0, width, grain):
            piece = recover(s + Poly.of(n)).expr()
            pieces[piece] = any_of(pieces.get(piece, FALSE), mask)
    if len(pieces) > MOST_PIECES:
        raise InexpressibleError(f"{len(pieces)} pieces of {grain} bytes are too many to be compared one by one")
    cut = _different([(p // segment, mask) for p, mask in pieces.items()])
    goal = (_different(list(pieces.items())) * grain) - (cut - 1) * segment > 0
    shown = tuple(Shown(v.value.name, (v,)) for v in others(access, where))
    return ForAll(f"the fewest segments of {segment} bytes are touched", goal, access.condition, shown)


def _different(numbers: list[tuple[Expr, Expr]]) -> Expr:
    """How many different values there are of those that are there (the second of each pair)."""
    plain = [(recover(normal(e)), there) for e, there in numbers]
    new = (
        all_of(there, *(negation(all_of(had, eq(recover(one - before).expr(), 0))) for before, had in plain[:n]))
        for n, (one, there) in enumerate(plain)
    )
    return add(*(select(one, 1, 0) for one in new))
