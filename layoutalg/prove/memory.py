"""Coalescing proved: the segments of global memory that each wave touches, for every block and every size.

A wave's access costs the aligned segments that it touches (`layoutalg.coalescing`).  Moving all lanes by a multiple of
the segment moves the segments with them, so the block, the tile and a base drop out where they are such multiples:

    touched(a + c) = touched(a)   for c a multiple of the segment

| what is left of the address          | strategy                                                                      |
|--------------------------------------|-------------------------------------------------------------------------------|
| variables of known size, or none     | enumeration: every value                                                      |
| sizes that are symbols, as strides   | rows: lanes at constant distances are a row, counted for each residue of its  |
|                                      | start; that rows lie apart is a statement about sizes, for the solver         |

A refutation names the wave: the values of the variables, and the two counts there, recounted in exact integers.  What
it cannot represent: lanes that are switched off at an edge (prove the whole tiles, and the edge by its sizes), a base
address that is no multiple of the segment (allocators give 256 bytes), and caches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from layoutalg.coalescing import WIDEST, fewest, segments
from layoutalg.index import Expr, add, all_of, eq, negation, select, substitute, variables
from layoutalg.index.evaluate import array, value, values
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.prove.claims.base import Claim
from layoutalg.prove.decide import decide
from layoutalg.prove.domain import InexpressibleError
from layoutalg.prove.lds.access import Reach
from layoutalg.prove.lds.cost import blocks, choices_of, least, others, point_of, relative
from layoutalg.prove.lds.verdicts import satisfiable
from layoutalg.prove.obligation import ForAll, Obligation, Point, Shown
from layoutalg.prove.outcome import Fails, Holds, Limits
from layoutalg.prove.portfolio import prove, witness
from layoutalg.prove.verdict import Proved, Refuted, Unknown, Verdict, Witness
from layoutalg.target import Target
from layoutalg.target import target as named

DEFAULT = Limits()
QUICK_POINTS = 1 << 16
"""Lanes that are counted before rows are looked for."""

MOST_PIECES = 256
"""Pieces of a wave's access that are compared with one another."""

TRIES = 64
"""Values of the sizes at which a claim that is not proved is counted, in search of a counterexample."""


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


@dataclass(frozen=True, eq=False)
class Coalesced(Claim):
    """Every wave touches the fewest segments that could hold its bytes, for each size of segment of the target."""

    access: Reach
    target: Target
    name: ClassVar[str] = "coalesced"

    def statement(self) -> str:
        sizes = " and ".join(map(str, self.target.segments))
        return f"{self.access.lanes.name} touches the fewest segments of {sizes} bytes on {self.target.name}"

    def obligations(self) -> Iterator[Obligation]:
        """The counting written out, lane by lane, for a solver; `prove_coalesced` decides the same in less time."""
        yield from self.access.reached()
        for segment in self.target.segments:
            yield _written_out(self.access, segment)


def traffic(access: Reach, segment: int, limits: Limits = DEFAULT) -> Traffic | str:
    """What every wave touches in segments of one size, or why that is not known."""
    where = relative(access.start, access.lanes.lane, segment)
    over = others(access, where)
    fixed = all(v.value.extent is None and v.lo > -math.inf and v.hi < math.inf for v in over)
    choices = [choices_of(v) for v in over] if fixed else []
    lanes = math.prod(map(len, choices)) * access.lanes.lanes if fixed else math.inf
    if lanes <= min(limits.points, QUICK_POINTS):
        return _counted(access, where, segment, over, choices)
    found = _by_rows(access, where, segment, limits)
    known = isinstance(found, Traffic) and (not found.wasted or found.touched[0] == found.touched[1])
    return _counted(access, where, segment, over, choices) if not known and lanes <= limits.points else found


def prove_coalesced(claim: Coalesced, *, strategy: str | None = None, limits: Limits = DEFAULT) -> Verdict:
    """The verdict on coalescing, for every size of segment that the target uses.

    `strategy` forces one of `prove`'s on the counting written out, lane by lane.

    >>> from layoutalg.index import symbol, var
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove.lds import lane_map
    >>> from layoutalg.target import target
    >>> lane, n = var("lane", 64), symbol("N", min=1, max=1 << 20)
    >>> vector = make_naive_tensor_descriptor((n * 512,), (1,))
    >>> run = Reach(vector, lane_map(lane, (var("block", n) * 512 + lane * 8,), 8, name="the load"), 2)
    >>> print(prove_coalesced(Coalesced(run, target("gfx942"))).name)
    proved
    """
    begin = time.perf_counter()
    verdict = _verdict(claim, strategy, limits)
    doubt = claim.target.evidence["segments"].text
    assumed = (f"segments of {claim.target.name}: {doubt}", "the memory begins at a multiple of the segment")
    return replace(verdict, seconds=time.perf_counter() - begin, assumptions=(*assumed, *verdict.assumptions))


def _verdict(claim: Coalesced, strategy: str | None, limits: Limits) -> Verdict:
    text, used = claim.statement(), dict[str, None]()
    if not satisfiable(claim.access, limits):
        return Unknown(text, "portfolio", 0.0, why="no value of the variables was found that satisfies the givens")
    if strategy is not None:
        return prove(claim, strategy=strategy, limits=limits)
    for obligation in claim.access.reached():
        outcome = decide(obligation, limits)
        if isinstance(outcome, Fails):
            return Refuted(text, outcome.strategy, 0.0, witness=witness(obligation, outcome))
        if not isinstance(outcome, Holds):
            return Unknown(text, outcome.strategy, 0.0, why=outcome.reason)
        used[outcome.strategy] = None
    for segment in claim.target.segments:
        found = traffic(claim.access, segment, limits)
        if isinstance(found, Traffic) and not found.wasted:
            used[found.strategy] = None
            continue
        points = [found.at] if isinstance(found, Traffic) else []
        tried = (_wasted(claim.access, segment, at) for at in (*points, *_small(claim.access)))
        wasted = next((w for w in tried if w), None)
        if wasted is not None:
            name = found.strategy if isinstance(found, Traffic) else "small sizes"
            return Refuted(text, name, 0.0, witness=wasted)
        why = found if isinstance(found, str) else "its counterexample does not replay"
        return Unknown(text, "rows", 0.0, why=f"segments of {segment} bytes: {why}")
    return Proved(text, " + ".join(used), 0.0)


def sentence(access: Reach, target: Target | str, limits: Limits = DEFAULT) -> str:
    """What an access to global memory costs, in plain words, one sentence for each size of segment.

    >>> from layoutalg.index import symbol, var
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove.lds import lane_map
    >>> lane, n = var("lane", 64), symbol("N", min=64, max=4096, multiple_of=64)
    >>> tile = make_naive_tensor_descriptor((4096, n), (n, 1))
    >>> column = Reach(tile, lane_map(lane, (lane, var("k", n)), name="The column"), 2)
    >>> print(sentence(column, "gfx942"))
    The column touches 64 segments of 64 bytes in every wave where 2 would do: 32 times the traffic. \
The column touches 64 segments of 128 bytes in every wave where 1 would do: 64 times the traffic.
    """
    gpu = named(target) if isinstance(target, str) else target
    parts = []
    for segment in gpu.segments:
        found = traffic(access, segment, limits)
        if isinstance(found, str):
            parts.append(f"What {access.lanes.name} touches in segments of {segment} bytes is not known: {found}.")
            continue
        least_, most = found.touched
        how_many = str(most) if least_ == most else f"{least_} to {most}"
        text = f"{access.lanes.name} touches {how_many} segments of {segment} bytes in every wave"
        if found.wasted:
            text += f" where {found.fewest[0]} would do: {most / found.fewest[0]:.3g} times the traffic."
        else:
            text += ", the fewest possible."
        parts.append(text)
    return " ".join(parts)


def usable_bytes(access: Reach, limits: Limits = DEFAULT) -> int:
    """The widest vector, in bytes, that each lane's elements can be moved by, proved for every wave; 0 for none.

    >>> from layoutalg.index import symbol, var
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove.lds import lane_map
    >>> lane, k = var("lane", 64), symbol("K", min=512, max=4096, multiple_of=4)
    >>> rows = make_naive_tensor_descriptor((64, k), (k, 1))
    >>> usable_bytes(Reach(rows, lane_map(lane, (var("row", 64), lane * 8), 8), 2))
    8
    """
    lanes, width = access.lanes, WIDEST
    while width >= access.element_bytes:
        each = width // access.element_bytes
        if width % access.element_bytes == 0 and lanes.width % each == 0:
            first = substitute(access.address, {lanes.element: lanes.element // each * each})
            part = lanes.element % each * access.element_bytes
            piece = ForAll("one piece", eq(access.address, first + part), access.given)
            aligned = ForAll("aligned", eq(first % width, 0), access.given)
            if all(isinstance(decide(o, limits), Holds) for o in (piece, aligned)):
                return width
        width //= 2
    return 0


# --- counting ---------------------------------------------------------------------------------------------------------


def _counted(access: Reach, where: Expr, segment: int, over: list[Expr], choices: list[Sequence[int]]) -> Traffic | str:
    lane, width = access.lanes.lane, access.lanes.width * access.element_bytes
    best: Traffic | None = None
    for numbers, at in blocks(over, choices, math.prod(map(len, choices))):
        given, addresses = array([access.given, where], {**at, lane: np.arange(access.lanes.lanes)})
        kept = np.flatnonzero(np.broadcast_to(given, (len(numbers), 1))[:, 0])
        if not len(kept):
            continue
        each = np.broadcast_to(addresses, (len(numbers), access.lanes.lanes))[kept]
        each = each - each.min(axis=1, keepdims=True) // segment * segment
        touched, needed = segments(each, width, segment), fewest(each, width, segment)
        row = int((touched - needed).argmax())
        point = {**(least(access) or {}), **point_of(over, choices, int(numbers[kept[row]]))}
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


def _by_rows(access: Reach, where: Expr, segment: int, limits: Limits) -> Traffic | str:
    """Lanes whose addresses differ by constants are a row; rows whose segments lie apart are counted one by one."""
    lane, width = access.lanes.lane, access.lanes.width * access.element_bytes
    every = recover(normal(where)).terms
    shared = Poly({m: k for m, k in every.items() if m and lane not in variables(*m)})
    own = Poly({m: k for m, k in every.items() if m not in shared.terms}).expr()
    rows: dict[Expr, list[int]] = {}
    for n in range(access.lanes.lanes):
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
        if not isinstance(decide(ForAll("rows lie apart", goal, access.given), limits), Holds):
            return f"the rows at {one} and {other} may share a segment"
    shift = {base: -(min(constants) // segment * segment) for base, constants in rows.items()}
    residues = range(0, segment, step)
    counts = [
        sum(int(segments([c + shift[base] + r for c in constants], width, segment)) for base, constants in rows.items())
        for r in residues
    ]
    needed = -(-sum(_distinct_bytes(constants, width) for constants in rows.values()) // segment)
    return Traffic("rows", segment, (min(counts), max(counts)), (needed, needed), max(counts) - needed, at)


def _distinct_bytes(starts: list[int], width: int) -> int:
    ordered = sorted(starts)
    return width + sum(min(b - a, width) for a, b in pairwise(ordered))


def _complete(at: Point, *exprs: Expr) -> dict[Expr, int]:
    return {v: at.get(v, max(0, int(v.lo)) if v.lo > -math.inf else 0) for v in variables(*exprs)}


# --- written out ------------------------------------------------------------------------------------------------------


def _written_out(access: Reach, segment: int) -> ForAll:
    """That the wave's grains (the largest pieces that no segment cuts) lie in the fewest segments that hold them.

    With n different grains of g bytes in t different segments: t = ⌈n·g / segment⌉, that is (t − 1)·segment < n·g.
    """
    lanes, width = access.lanes.lanes, access.lanes.width * access.element_bytes
    where = relative(access.start, access.lanes.lane, segment)
    starts = [normal(substitute(where, {access.lanes.lane: n})) for n in range(lanes)]
    grain = math.gcd(width, segment, *(k for poly in starts for k in poly.terms.values()))
    pieces = {recover(s + Poly.of(n)).expr(): None for s in starts for n in range(0, width, grain)}
    if len(pieces) > MOST_PIECES:
        raise InexpressibleError(f"{len(pieces)} pieces of {grain} bytes are too many to be compared one by one")
    goal = (_different(list(pieces)) * grain) - (_different([p // segment for p in pieces]) - 1) * segment > 0
    shown = tuple(Shown(v.value.name, (v,)) for v in others(access, where))
    return ForAll(f"the fewest segments of {segment} bytes are touched", goal, access.given, shown)


def _different(numbers: list[Expr]) -> Expr:
    """How many different values there are."""
    plain = [recover(normal(e)) for e in numbers]
    new = (
        all_of(*(negation(eq(recover(plain[n] - before).expr(), 0)) for before in plain[:n])) for n in range(len(plain))
    )
    return add(*(select(one, 1, 0) for one in new))


# --- counterexamples --------------------------------------------------------------------------------------------------


def _small(access: Reach) -> Iterator[Point]:
    """Small values of the variables that the access allows, the least first."""
    over = others(access, access.start, *access.lanes.index)
    start = least(access)
    if start is None:
        return
    candidates: list[Point] = [start]
    for v in over:
        step = max(1, v.value.multiple_of)
        candidates += [{**start, v: start[v] + n * step} for n in (1, 2, 3, 7) if start[v] + n * step <= v.hi]
    candidates += [{**start, **{v: start[v] + max(1, v.value.multiple_of) for v in over}}]
    for at in candidates[:TRIES]:
        inside = all(v.value.extent is None or n < value(v.value.extent, at) for v, n in at.items())
        powers = all(not v.value.power_of_two or n & (n - 1) == 0 for v, n in at.items())
        if inside and powers and value(access.given, at):
            yield at


def _wasted(access: Reach, segment: int, at: Point) -> Witness | None:
    """What the wave touches in excess at these values, recounted; None where it does not."""
    complete = {**(least(access) or {}), **at}
    fixed = substitute(access.start, dict(complete))
    addresses = [values([fixed], {access.lanes.lane: n})[0] for n in range(access.lanes.lanes)]
    width = access.lanes.width * access.element_bytes
    low = min(addresses) // segment * segment if min(addresses) < 0 else 0
    each = [a - low for a in addresses]
    touched, needed = int(segments(each, width, segment)), int(fewest(each, width, segment))
    if touched <= needed:
        return None
    named_ = {v.value.name: n for v, n in complete.items()}
    where = f" (at {', '.join(f'{name} = {n}' for name, n in named_.items())})" if named_ else ""
    text = f"the wave touches {touched} segments of {segment} bytes where {needed} would do{where}"
    return Witness((named_,), text)


__all__ = ["Coalesced", "Reach", "Traffic", "prove_coalesced", "sentence", "traffic", "usable_bytes"]
