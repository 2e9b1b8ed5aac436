"""The claim that an access is coalesced: every wave touches the fewest segments that could hold its bytes.

| decided by            | where                                                                                     |
|-----------------------|-------------------------------------------------------------------------------------------|
| `traffic`             | usually: what every wave touches, against the fewest that hold its bytes                  |
| a statement, by z3 …  | where a strategy is forced, and for certificates: the segments counted, lane by lane      |

A refutation names the wave: the values of the variables, and the two counts there, recounted in exact integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

from layoutalg.index import (
    FALSE,
    Expr,
    InexpressibleError,
    add,
    all_of,
    any_of,
    eq,
    negation,
    select,
    substitute,
)
from layoutalg.index.evaluate import value, values
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.memory.banks import LaneMapError
from layoutalg.memory.coalescing import fewest, segments
from layoutalg.memory.reach import AccessClaim, Reach
from layoutalg.memory.traffic import Traffic, traffic
from layoutalg.memory.waves import active, least, others, relative
from layoutalg.prove.claims.base import Route
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import ForAll, Obligation, Point, Shown, in_domain
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.portfolio import NO_REPLAY
from layoutalg.prove.verdict import Witness, witness
from layoutalg.records import dataclass
from layoutalg.target import Target

TRIES = 64
"""Values of the sizes at which a claim that is not proved is counted, in search of a counterexample."""

MOST_PIECES = 256
"""Pieces of a wave's access that are compared with one another."""


@dataclass(frozen=True, eq=False)
class Coalesced(AccessClaim):
    """Every wave touches the fewest segments that could hold its bytes, for each size of segment of the target.

    LaneMapError for more lanes than a wave of the target has, TargetError for elements that the target has not.

    >>> from layoutalg.index import symbol, var
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.memory import lane_map
    >>> from layoutalg.prove import prove
    >>> from layoutalg.target import target
    >>> from layoutalg.target.dtypes import DTYPES
    >>> lane, n = var("lane", 64), symbol("N", min=1, max=1 << 20)
    >>> vector = make_naive_tensor_descriptor((n * 512,), (1,))
    >>> run = Reach(vector, lane_map(lane, (var("block", n) * 512 + lane * 8,), 8, name="the load"), DTYPES["f16"])
    >>> prove(Coalesced(run, target("gfx942"))).name
    'proved'
    """

    target: Target
    name: ClassVar[str] = "coalesced"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.target.require(self.access.dtype)
        lanes, wave = self.access.lanes.lanes, self.target.wave_size
        if lanes > wave:
            raise LaneMapError(
                f"a lane map of {lanes} lanes; a wave of {self.target.name} has {wave}; "
                "give threads of a block as (wave, lane)"
            )

    def statement(self) -> str:
        sizes = " and ".join(map(str, self.target.segments))
        return f"{self.access.lanes.name} touches the fewest segments of {sizes} bytes on {self.target.name}"

    def obligations(self) -> Iterator[Obligation]:
        """The counting written out, lane by lane, for a solver; the route decides the same in less time."""
        yield from self.access.reached()
        for segment in self.target.segments:
            yield written_out(self.access, segment)

    @property
    def assumptions(self) -> tuple[str, ...]:
        doubt = self.target.evidence["segments"].text
        aligned = "the memory begins at a multiple of the segment"
        return (f"segments of {self.target.name}: {doubt}", aligned, *super().assumptions)

    def routes(self) -> Iterator[Route]:
        yield Route("segments", self._counted, self.access.reached(), names_needs=True)

    def _counted(self, limits: Limits, strategy: str | None) -> Outcome:
        """By what every wave touches, for every size of segment that the target uses."""
        used: dict[str, None] = {}
        for segment in self.target.segments:
            found = traffic(self.access, segment, limits)
            if isinstance(found, str) or found.wasted:
                return _waste(self.access, segment, found, limits)
            used[found.strategy] = None
        return Holds(" + ".join(used))

    def witness(self, failed: Fails, obligation: Obligation | None) -> Witness | None:
        if obligation is not None:
            return witness(obligation, failed)
        (at,) = failed.points
        return next((w for segment in self.target.segments if (w := _wasted(self.access, segment, at))), None)


def written_out(access: Reach, segment: int) -> ForAll:
    """That the wave's grains (the largest pieces that no segment cuts) lie in the fewest segments that hold them.

    With n different grains of g bytes in t different segments: t = ⌈n·g / segment⌉, that is (t − 1)·segment < n·g.
    """
    lanes, width = access.lanes.lanes, access.width
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


# --- counterexamples --------------------------------------------------------------------------------------------------


def _waste(access: Reach, segment: int, found: Traffic | str, limits: Limits) -> Outcome:
    """Values at which a wave wastes, near those that are known or allowed."""
    points = [found.at] if isinstance(found, Traffic) and _given(access, found.at) else []
    starts = (*points, least(access), *_somewhere(access, limits))
    near = (at for start in starts if start for at in _near(access, start))
    for at in (*points, *near):
        if _wasted(access, segment, at) is not None:
            return Fails(found.strategy if isinstance(found, Traffic) else "small sizes", (at,))
    why = NO_REPLAY if isinstance(found, Traffic) else found
    return GaveUp("rows", f"segments of {segment} bytes: {why}")


def _near(access: Reach, from_: Point) -> Iterator[Point]:
    """Values of the variables that the access allows, near some (of which those that are missing are the least)."""
    over = others(access, access.start, *access.lanes.index)
    start = {**(least(access) or {}), **from_}
    if any(v not in start for v in over):
        return
    candidates: list[Point] = [start]
    for v in over:
        step = max(1, v.value.multiple_of)
        candidates += [{**start, v: start[v] + n * step} for n in (1, 2, 3, 7) if start[v] + n * step <= v.hi]
    candidates += [{**start, **{v: start[v] + max(1, v.value.multiple_of) for v in over}}]
    for at in candidates[:TRIES]:
        if _given(access, at):
            yield at


def _somewhere(access: Reach, limits: Limits) -> tuple[Point, ...]:
    """Values at which what is given holds."""
    outcome = decide(ForAll("it is never given", negation(access.condition)), limits)
    return outcome.points if isinstance(outcome, Fails) else ()


def _given(access: Reach, at: Point) -> bool:
    """Whether values are ones that the variables can have, and that the access allows."""
    complete = {**(least(access) or {}), **at}
    return in_domain(complete, tuple(complete)) and bool(value(access.condition, complete))


def _wasted(access: Reach, segment: int, at: Point) -> Witness | None:
    """What the wave touches in excess at these values, recounted; None where it does not."""
    complete = {**(least(access) or {}), **at}
    fixed = substitute(access.start, dict(complete))
    addresses = [values([fixed], {access.lanes.lane: n})[0] for n in range(access.lanes.lanes)]
    width = access.width
    there = active(access, complete)
    low = min((a for a, here in zip(addresses, there, strict=True) if here), default=0)
    each = [a - low // segment * segment for a in addresses]
    touched, needed = int(segments(each, width, segment, there)), int(fewest(each, width, segment, there))
    if touched <= needed:
        return None
    named_ = {v.value.name: n for v, n in complete.items()}
    where = f" (at {', '.join(f'{name} = {n}' for name, n in named_.items())})" if named_ else ""
    some = "" if there.all() else f"; {there.sum()} of {len(there)} lanes take part"
    text = f"the wave touches {touched} segments of {segment} bytes where {needed} would do{where}{some}"
    return Witness((named_,), text)
