"""Traffic: the segments of global memory that each wave touches, for every block and every size.

A wave's access costs the aligned segments that it touches (`memory.coalescing`).  Moving all lanes by a multiple of
the segment moves the segments with them, so the block, the tile and a base drop out where they are such multiples:

    touched(a + c) = touched(a)   for c a multiple of the segment

| what is left of the address          | strategy                                                                      |
|--------------------------------------|-------------------------------------------------------------------------------|
| variables of known size, or none     | enumeration: every value                                                      |
| sizes that are symbols, as strides   | rows: lanes at constant distances are a row, counted for each residue of its  |
|                                      | start; that rows lie apart is a statement about sizes, for the solver         |
| sizes that say which lanes take part | lane patterns: the same for each set of lanes that may take part              |

A lane that takes no part touches nothing.  What it cannot represent: a base address that is no multiple of the segment
(allocators give 256 bytes), and caches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from layoutalg.index import TRUE, Expr, substitute, variables
from layoutalg.index.box import Box, box
from layoutalg.index.evaluate import value
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.lazy import lazy_imports
from layoutalg.memory.coalescing import fewest, segments
from layoutalg.memory.patterns import Pattern, happens, patterns
from layoutalg.memory.reach import Reach
from layoutalg.memory.waves import blocks, least, others, relative, waves
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import ForAll, Point
from layoutalg.prove.outcome import Holds, Limits
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np

DEFAULT = Limits()
QUICK_POINTS = 1 << 16
"""Lanes that are counted before rows are looked for."""


@dataclass(frozen=True)
class Traffic:
    """Segments of one size that a wave touches and the fewest that could hold its bytes: least and most of each.

    `wasted` is the most that any wave touches in excess, at the point `at`; `strategy` says how it is known.
    """

    strategy: str
    segment: int
    touched: tuple[int, int]
    fewest: tuple[int, int]
    wasted: int
    at: Point


def traffic(access: Reach, segment: int, limits: Limits = DEFAULT) -> Traffic | str:
    """What every wave touches in segments of one size, or why that is not known."""
    where = relative(access.start, access.lanes.lane, segment)
    every = box(others(access, where))
    lanes = math.inf if every is None else every.count * access.lanes.lanes
    if every is not None and lanes <= min(limits.points, QUICK_POINTS):
        return _counted(access, where, segment, every, access.condition, access.mask)
    if access.mask is TRUE:
        found = _by_rows(
            access, where, segment, limits, Pattern(access.condition, frozenset(range(access.lanes.lanes)))
        )
    else:
        found = _by_patterns(access, where, segment, limits)
    known = isinstance(found, Traffic) and (not found.wasted or found.touched[0] == found.touched[1])
    if known or every is None or lanes > limits.points:
        return found
    return _counted(access, where, segment, every, access.condition, access.mask)


# --- counting ---------------------------------------------------------------------------------------------------------


def _counted(access: Reach, where: Expr, segment: int, every: Box, given: Expr, mask: Expr) -> Traffic | str:
    """At every value of the variables that is given, with the lanes that take part."""
    lane, width, lanes = access.lanes.lane, access.width, access.lanes.lanes
    best: Traffic | None = None
    for numbers, at in blocks(every):
        known = {**at, lane: np.arange(lanes)}
        kept, there, each = waves((given, mask, where), known, len(numbers), lanes, segment)
        if not len(kept):
            continue
        touched, needed = segments(each, width, segment, there), fewest(each, width, segment, there)
        row = int((touched - needed).argmax())
        point = {**(least(access) or {}), **every.point(int(numbers[kept[row]]))}
        found = Traffic(
            "enumeration", segment, (int(touched.min()), int(touched.max())), (int(needed.min()), int(needed.max())),
            int((touched - needed)[row]), point,
        )  # fmt: skip
        best = found if best is None else _joined(best, found)
    return best or "no value satisfies what is given"


def _joined(one: Traffic, other: Traffic) -> Traffic:
    worst = max(one, other, key=lambda t: t.wasted)
    return replace(
        worst,
        touched=(min(one.touched[0], other.touched[0]), max(one.touched[1], other.touched[1])),
        fewest=(min(one.fewest[0], other.fewest[0]), max(one.fewest[1], other.fewest[1])),
    )


def _by_patterns(access: Reach, where: Expr, segment: int, limits: Limits) -> Traffic | str:
    """Each set of lanes that may take part, counted; one that wastes must happen at some sizes."""
    lane, over = access.lanes.lane, [v for v in variables(where) if v is not access.lanes.lane]
    every = box(over)
    few = every if every is not None and every.count * access.lanes.lanes <= QUICK_POINTS else None
    best = Traffic("lane patterns", segment, (0, 0), (0, 0), 0, {})
    found = patterns(access)
    if found is None:
        return "the lanes that take part form no few patterns"
    for n, pattern in enumerate(found):
        if few is not None:
            one = _counted(access, where, segment, few, TRUE, pattern.mask(lane))
        else:
            one = _by_rows(access, where, segment, limits, pattern)
        if isinstance(one, str) or one.wasted:
            fixing = (
                {v: k for v, k in one.at.items() if v in over} if few is not None and isinstance(one, Traffic) else {}
            )
            at = happens(access, pattern, fixing, limits)
            if at is False and (not fixing or happens(access, pattern, {}, limits) is False):
                continue
            if isinstance(one, str) or not isinstance(at, Mapping):
                return one if isinstance(one, str) else "whether lanes that waste ever take part alone is open"
            one = replace(one, at=at)
        best = _joined(best, one) if n else one
    return replace(best, strategy="lane patterns")


def _by_rows(access: Reach, where: Expr, segment: int, limits: Limits, pattern: Pattern) -> Traffic | str:
    """Lanes whose addresses differ by constants are a row; rows whose segments lie apart are counted one by one."""
    if not pattern.lanes:
        return Traffic("rows", segment, (0, 0), (0, 0), 0, {})
    lane, width = access.lanes.lane, access.width
    every = recover(normal(where)).terms
    shared = Poly({m: k for m, k in every.items() if m and lane not in variables(*m)})
    own = Poly({m: k for m, k in every.items() if m not in shared.terms}).expr()
    rows: dict[Expr, list[int]] = {}
    for n in sorted(pattern.lanes):
        poly = normal(substitute(own, {lane: n}))
        base = recover(Poly({m: k for m, k in poly.terms.items() if m})).expr()
        rows.setdefault(base, []).append(poly.terms.get((), 0))
    at = least(access)
    if at is None:
        return "a size has no least value"
    step = math.gcd(segment, *normal(shared.expr()).terms.values())
    for base in rows:
        if any(k % segment for k in normal(base).terms.values()):
            return f"the row at {base} begins at no multiple of {segment} bytes"
    ordered = sorted(rows, key=lambda base: value(base, _complete(at, base)))
    for one, other in pairwise(ordered):
        end = -(-(max(rows[one]) + width + segment - step) // segment) * segment
        goal = one + end <= other + min(rows[other]) // segment * segment
        if not isinstance(decide(ForAll("rows lie apart", goal, pattern.given), limits), Holds):
            return f"the rows at {one} and {other} may share a segment"
    shift = {base: -(min(constants) // segment * segment) for base, constants in rows.items()}
    residues = range(0, segment, step)
    touched = (segments([[c + shift[base] + r for c in row] for r in residues], width, segment)
               for base, row in rows.items())  # fmt: skip
    counts = sum(touched, np.zeros(len(residues), dtype=np.int64)).tolist()
    needed = -(-sum(_distinct_bytes(constants, width) for constants in rows.values()) // segment)
    return Traffic("rows", segment, (min(counts), max(counts)), (needed, needed), max(counts) - needed, at)


def _distinct_bytes(starts: list[int], width: int) -> int:
    ordered = sorted(starts)
    return width + sum(min(b - a, width) for a, b in pairwise(ordered))


def _complete(at: Point, *exprs: Expr) -> dict[Expr, int]:
    return {v: at.get(v, max(0, int(v.lo)) if v.lo > -math.inf else 0) for v in variables(*exprs)}
