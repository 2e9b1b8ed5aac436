"""Claims on bank conflicts: what is claimed of an access to LDS, and how it is decided.

| claim                     | says, for all values of the variables                                      |
|---------------------------|----------------------------------------------------------------------------|
| ConflictFree(a)           | every phase takes one cycle                                                |
| ConflictDegree(a, n)      | every phase takes at most n cycles                                         |
| Cycles(a, total, phases)  | the access takes exactly `total` cycles, its phases exactly those          |
| ConflictFreeIff(a, c)     | conflict-free exactly where c holds: a theorem both ways                   |

`prove` decides them by these routes, the cheapest first, once what the access needs is shown (lanes within the lengths;
but for the first, vectors in one piece, aligned, in the LDS); the last claim by its statements alone.

| route         | decides                                                          | costs          |
|---------------|------------------------------------------------------------------|----------------|
| `f2`          | addresses without carries: all rows, tiles and K steps at once   | under 1 ms     |
| `enumeration` | variables of known size, those that the lanes' distances involve | milliseconds   |
| lane patterns | tails by symbolic sizes: each set of lanes that may take part    | milliseconds   |
| `z3`          | symbolic sizes too, by the statement about two lanes             | 10 ms and more |

A refutation is replayed by the bank model on the exact addresses of the whole wave (`replay`).  A verdict names its
target's table and what is doubtful about it, among its assumptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial, reduce
from typing import ClassVar

from layoutalg.index import TRUE, ZERO, Expr, add, all_of, any_of, eq, maximum, negation, variables
from layoutalg.layout import LayoutError
from layoutalg.lazy import lazy_imports
from layoutalg.memory.bank_cost import NOT_LINEAR, Cost, Counted, counted_cycles, enumerated_cost, linear_cost, of_wave
from layoutalg.memory.banks import LANES_OFF
from layoutalg.memory.conflict_statements import UndividedError, strided, two_lanes, unrolled, wanted, ways
from layoutalg.memory.patterns import happens, patterns
from layoutalg.memory.reach import Access, AccessClaim
from layoutalg.memory.replay import cycles_at, meeting
from layoutalg.memory.waves import least
from layoutalg.prove.claims.base import Route
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import ForAll, Obligation, Point, Shown
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.portfolio import NO_REPLAY, verdict_by
from layoutalg.prove.replay import replays
from layoutalg.prove.verdict import Verdict, Witness, witness
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np

QUICK_POINTS = 1 << 20
"""Lanes that are counted before a solver is asked."""

TRIES = 16
"""Values of the variables at which a pattern of lanes that breaks a claim is put to the solver."""


@dataclass(frozen=True, eq=False)
class LdsClaim(AccessClaim):
    """What is claimed of one access to LDS.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (68, 1)), lane_map(lane, (lane, 0), width=8), "f16", "gfx942")
    >>> for need in ConflictFree(rows).requirements():
    ...     print(need.label)
    coordinate 0 is in range
    coordinate 1 is in range
    each lane's elements are one after another
    every address is a multiple of 16
    every address lies in the 65536 bytes of LDS
    """

    access: Access
    takes: ClassVar[type[Access]] = Access
    name: ClassVar[str] = "lds"
    of_fewer: ClassVar[bool] = False
    """Whether it is true of some lanes where it is true of all."""

    def requirements(self) -> list[ForAll]:
        """What must hold of the access for the claim to mean anything."""
        return self.access.requirements()

    def conflicts(self) -> Iterator[Obligation]:
        """What must hold of its conflicts."""
        raise NotImplementedError

    def obligations(self) -> Iterator[Obligation]:
        yield from self.requirements()
        yield from self.conflicts()

    @property
    def assumptions(self) -> tuple[str, ...]:
        return (self.access.evidence, *super().assumptions, *[LANES_OFF] * bool(self.access.masking))

    def met(self, cost: Cost) -> bool:
        """Whether an exact price is the one that is claimed."""
        raise NotImplementedError

    def met_at(self, at: Point) -> bool:
        """Whether it holds at these values of the variables, by the bank model itself."""
        return self.met(of_wave("replay", cycles_at(self.access, at), at))

    def routes(self) -> Iterator[Route]:
        yield Route("f2", partial(by_columns, self), self.access.within)
        required = self.requirements()
        yield Route("enumeration", partial(by_counting, self, most=QUICK_POINTS), required)
        if self.access.mask is not TRUE:
            yield Route("enumeration", partial(by_patterns, self), required)
        yield Route("z3", partial(by_statements, self), required)
        yield Route("enumeration", partial(by_counting, self), required)

    def witness(self, failed: Fails, obligation: Obligation | None) -> Witness | None:
        """A failing requirement in its own words; a conflict as the wave shows it, None where it does not."""
        if obligation is not None and any(obligation.label == need.label for need in self.requirements()):
            return witness(obligation, failed)
        own = (self.access.lanes.lane, self.access.lanes.element)
        at = {**(least(self.access) or {}), **{v: n for v, n in failed.points[0].items() if v not in own}}
        return None if self.met_at(at) else meeting(self.access, at)


@dataclass(frozen=True, eq=False)
class ConflictFree(LdsClaim):
    """No two lanes of a phase want different dwords of one bank.

    >>> from layoutalg.prove import prove
    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> prove(ConflictFree(rows)).name
    'refuted'
    """

    name: ClassVar[str] = "conflict_free"
    of_fewer: ClassVar[bool] = True

    def statement(self) -> str:
        return f"{self.access.name} is free of bank conflicts"

    def met(self, cost: Cost) -> bool:
        return cost.degree <= 1

    def conflicts(self) -> Iterator[Obligation]:
        if not self.access.instruction.pairs_merge and not strided(self.access):
            yield two_lanes(self.access)
            return
        for condition, phases in ways(self.access):
            yield unrolled(self.access, phases, condition)


@dataclass(frozen=True, eq=False)
class ConflictDegree(LdsClaim):
    """No phase takes more than `most` cycles.

    >>> from layoutalg.prove import prove
    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> prove(ConflictDegree(rows, 8)).name, prove(ConflictDegree(rows, 4)).name
    ('proved', 'refuted')
    """

    most: int
    name: ClassVar[str] = "conflict_degree"
    of_fewer: ClassVar[bool] = True

    def statement(self) -> str:
        return f"{self.access.name} takes at most {self.most} cycles a phase"

    def met(self, cost: Cost) -> bool:
        return cost.degree <= self.most

    def conflicts(self) -> Iterator[Obligation]:
        for condition, phases in ways(self.access):
            for n, lanes in enumerate(phases):
                few = all_of(*(k <= self.most for k in wanted(self.access, lanes)))
                goal = any_of(negation(condition), few)
                yield ForAll(f"phase {n} takes at most {self.most} cycles", goal, self.access.condition)


@dataclass(frozen=True, eq=False)
class Cycles(LdsClaim):
    """The access takes exactly these cycles: in total, or phase by phase, or both.

    >>> from layoutalg.prove import prove
    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> prove(Cycles(rows, total=64)).name
    'proved'
    """

    total: int | None = None
    phases: tuple[int, ...] | None = None
    name: ClassVar[str] = "cycles"

    def statement(self) -> str:
        parts = [] if self.total is None else [f"{self.total} cycles"]
        parts += [] if self.phases is None else [f"{', '.join(map(str, self.phases))} cycles phase by phase"]
        return f"{self.access.name} takes exactly {' and '.join(parts)}"

    def met(self, cost: Cost) -> bool:
        total = self.total is None or cost.total == (self.total, self.total)
        return total and (self.phases is None or cost.least == cost.most == self.phases)

    def conflicts(self) -> Iterator[Obligation]:
        count = len(self.access.instruction.phases)
        if self.phases is not None and len(self.phases) != count:
            raise LayoutError(f"{len(self.phases)} cycles for {count} phases; give one for each")
        for condition, phases in ways(self.access):
            found = [reduce(maximum, wanted(self.access, lanes)) for lanes in phases]
            found = [k for one in found for k in (one, *[ZERO] * (count // len(phases) - 1))]
            goals = [] if self.total is None else [eq(add(*found), self.total)]
            goals += [] if self.phases is None else [eq(k, n) for k, n in zip(found, self.phases, strict=True)]
            yield ForAll(self.statement(), any_of(negation(condition), all_of(*goals)), self.access.condition)


@dataclass(frozen=True, eq=False)
class ConflictFreeIff(LdsClaim):
    """The access is free of conflicts where a condition on sizes and variables holds, and nowhere else.

    >>> from layoutalg.index import eq, symbol, var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map
    >>> from layoutalg.prove import prove
    >>> lane, vectors = var("lane", 64), symbol("P", min=1, max=16)  # the vectors of 8 from row to row
    >>> rows = access(naive((64, 8), (vectors * 8, 1)), lane_map(lane, (lane, 0), width=8), "f16", "gfx942")
    >>> prove(ConflictFreeIff(rows, eq(vectors % 2, 1))).name
    'proved'
    """

    condition: Expr
    name: ClassVar[str] = "conflict_free_iff"

    def statement(self) -> str:
        return f"{self.access.name} is free of bank conflicts exactly where {self.condition}"

    def routes(self) -> Iterator[Route]:
        """By its statements alone: a price over all values does not tell them apart."""
        yield Route("z3", partial(by_statements, self), self.requirements())

    def witness(self, failed: Fails, obligation: Obligation | None) -> Witness | None:
        """A failing statement in its own words: the lanes are written out in it."""
        stated = self.conflicts() if obligation is None else [obligation]
        return next((witness(one, failed) for one in stated if replays(one, failed)), None)

    def conflicts(self) -> Iterator[Obligation]:
        a = self.access
        free = all_of(*(unrolled(a, phases, condition).goal for condition, phases in ways(a)))
        shown = tuple(Shown(v.value.name, (v,)) for v in variables(self.condition))
        here, there = all_of(a.condition, self.condition), all_of(a.condition, negation(self.condition))
        yield ForAll(f"no lanes conflict where {self.condition}", free, here, shown)
        yield ForAll(f"two lanes conflict where not {self.condition}", negation(free), there, shown)


# --- routes -----------------------------------------------------------------------------------------------------------


def by_columns(claim: LdsClaim, limits: Limits, strategy: str | None = None) -> Outcome:
    """By linear algebra: all rows, tiles and K steps at once."""
    found = linear_cost(claim.access)
    if found is not None:
        return by_price(claim, found)
    of_all = linear_cost(claim.access, of_all=True) if claim.of_fewer else None
    met = of_all is not None and claim.met(of_all)
    return Holds("F₂, of all lanes") if met else GaveUp("F₂", NOT_LINEAR)


def by_counting(claim: LdsClaim, limits: Limits, strategy: str | None = None, most: int | None = None) -> Outcome:
    """By the price of every wave, `most` lanes in all."""
    points = limits.points if most is None else min(limits.points, most)
    counted = enumerated_cost(claim.access, points)
    return GaveUp("enumeration", counted) if isinstance(counted, str) else by_price(claim, counted)


def by_price(claim: LdsClaim, cost: Cost) -> Outcome:
    """By an exact price; where it is another one, values at which the bank model says so."""
    if claim.met(cost):
        return Holds(cost.strategy)
    for at in (cost.worst_at, cost.most_at, cost.least_at):
        if not claim.met_at(at):
            return Fails(cost.strategy, (at,))
    return GaveUp(cost.strategy, NO_REPLAY)


def judged(claim: LdsClaim, cost: Cost) -> Verdict:
    """The verdict on a claim whose access has been priced: by the price, a refutation replayed on the whole wave.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> from layoutalg.memory import access, lane_map, price
    >>> lane = var("lane", 64)
    >>> rows = access(naive((64, 64), (64, 1)), lane_map(lane, (lane % 32, lane // 32 * 8), width=8), "f16", "gfx942")
    >>> cost = price(rows)
    >>> judged(ConflictFree(rows), cost).name, judged(Cycles(rows, 64), cost).name
    ('refuted', 'proved')
    """
    return replace(verdict_by(claim, by_price(claim, cost)), assumptions=claim.assumptions)


def by_statements(claim: LdsClaim, limits: Limits, strategy: str | None = None) -> Outcome:
    """By what its conflicts come down to, each by every strategy, or by the one that is forced."""
    used: dict[str, None] = {}
    try:
        for obligation in claim.conflicts():
            if isinstance(obligation, ForAll) and obligation.goal is TRUE:
                continue
            outcome = decide(obligation, limits, strategy)
            if isinstance(outcome, GaveUp):
                return GaveUp(outcome.strategy, f"{obligation.label}: {outcome.reason}")
            if isinstance(outcome, Fails):
                return outcome
            used[outcome.strategy] = None
    except UndividedError as error:
        return GaveUp("z3", str(error))
    return Holds(" + ".join(used) or "intervals")


def by_patterns(claim: LdsClaim, limits: Limits, strategy: str | None = None) -> Outcome:
    """Each set of lanes that may take part, priced."""
    name, access, lane = "lane patterns", claim.access, claim.access.lanes.lane
    of_all = counted_cycles(access, limits.points, TRUE, TRUE)
    if isinstance(of_all, str):
        return GaveUp(name, of_all)
    if claim.of_fewer and not len(_unmet(claim, of_all)):
        return Holds("enumeration, of all lanes")
    found = patterns(access)
    if found is None:
        return GaveUp(name, "the lanes that take part form no few patterns")
    for pattern in found:
        counted = counted_cycles(access, limits.points, TRUE, pattern.mask(lane))
        assert not isinstance(counted, str)
        unmet = _unmet(claim, counted)
        for row in unmet[:TRIES]:
            at = happens(access, pattern, counted.point(row), limits)
            if isinstance(at, Mapping):
                return Fails(name, (at,))
            if at is None:
                return GaveUp(name, f"whether {pattern} ever take part is open")
        if len(unmet) > TRIES:
            return GaveUp(name, "too many values of the variables to be put to a solver one by one")
    return Holds(name)


def _unmet(claim: LdsClaim, counted: Counted) -> list[int]:
    """The rows at which the claim is not met."""
    if not len(counted.cycles):
        return []
    each, which = np.unique(counted.cycles, axis=0, return_inverse=True)
    bad = [n for n, row in enumerate(each.tolist()) if not claim.met(of_wave("enumeration", row, {}))]
    return [int(row) for row in np.flatnonzero(np.isin(which.reshape(-1), bad))]
