"""Deciding a claim on an LDS access: the cheapest strategy that can, and for a refutation the lanes that meet.

| strategy      | decides                                                          | costs          |
|---------------|------------------------------------------------------------------|----------------|
| `f2`          | addresses without carries: all rows, tiles and K steps at once   | under 1 ms     |
| `enumeration` | variables of known size, those that the lanes' distances involve | milliseconds   |
| lane patterns | tails by symbolic sizes: each set of lanes that may take part    | milliseconds   |
| `z3`          | symbolic sizes too, by the query about two lanes                 | 10 ms and more |

A refutation is replayed by `memory.banks` on the exact addresses of the whole wave, and says what is seen there: the
phase, the bank, the dwords, the lanes that want them and where in the tile they stand.  A verdict names its target's
table and what is doubtful about it, among its assumptions.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from layoutalg.index import FALSE, TRUE, Expr, all_of, any_of, negation, substitute, variables
from layoutalg.index.evaluate import array, value, values
from layoutalg.lazy import lazy
from layoutalg.memory.access import Access, Reach
from layoutalg.memory.banks import LANES_OFF, Phase, phases
from layoutalg.memory.lds.claims import ConflictFreeIff, LdsClaim, UndividedError
from layoutalg.memory.lds.cost import (
    Cost,
    Counted,
    active,
    counted_cycles,
    enumerated_cost,
    least,
    linear_cost,
    some_point,
)
from layoutalg.memory.lds.masks import happens, patterns
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import ForAll, Obligation, Point, Shown, admitted
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits
from layoutalg.prove.portfolio import witness
from layoutalg.prove.vacuity import vacuous
from layoutalg.prove.verdict import Proved, Refuted, Unknown, Verdict, Witness

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

STRATEGIES = ("f2", "enumeration", "z3")
"""What `strategy` forces, by name."""

QUICK_POINTS = 1 << 20
"""Lanes that are counted before a solver is asked."""

TOLD = 4
"""Lanes that a refutation tells of; its points hold all."""

TRIES = 16
"""Values of the variables at which a pattern of lanes that breaks a claim is put to the solver."""

DEFAULT = Limits()


def prove_access(claim: LdsClaim, *, strategy: str | None = None, limits: Limits = DEFAULT) -> Verdict:
    """The verdict on a claim about an LDS access; `strategy` forces one of `STRATEGIES`.

    >>> from layoutalg.index import var
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.memory.lds import ConflictFree, access, lane_map
    >>> lane = var("lane", 64)
    >>> column = lane_map(lane, (lane,), name="column")
    >>> one = access(make_naive_tensor_descriptor((64,), (2,)), column, 4, "gfx942")
    >>> print(prove_access(ConflictFree(one)).reason)  # doctest: +ELLIPSIS
    lanes 0 and 16 of phase 0 want dwords 0 and 32 of bank 0: lane 0 at (0) wants dword 0, lane 16 at (16) ...
    """
    if strategy is not None and strategy not in STRATEGIES:
        raise ValueError(f"no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
    begin = time.perf_counter()
    verdict = _verdict(claim, strategy, limits)
    return replace(verdict, seconds=time.perf_counter() - begin, assumptions=_assumed(claim.access))


def _assumed(access: Access) -> tuple[str, ...]:
    """What a verdict on an access rests on."""
    return (access.evidence, *access.assumptions, *[LANES_OFF] * bool(access.masking))


def price(access: Access, *, strategy: str | None = None, limits: Limits = DEFAULT) -> Cost | Unknown:
    """The exact cycles of each phase and in total, for all values of the variables; Unknown says why there is none."""
    for obligation in access.within:
        outcome = decide(obligation, limits)
        if not isinstance(outcome, Holds):
            return _unpriced(access, obligation, outcome)
    if strategy in (None, "f2"):
        found = linear_cost(access)
        if found is not None:
            return found
    if strategy == "f2":
        return _unknown(access.name, "F₂", "the address is not linear over F₂, or a requirement is not met")
    for obligation in access.requirements():
        outcome = decide(obligation, limits)
        if not isinstance(outcome, Holds):
            return _unpriced(access, obligation, outcome)
    counted = enumerated_cost(access, limits.points)
    return _unknown(access.name, "enumeration", counted) if isinstance(counted, str) else counted


def _unpriced(access: Access, obligation: ForAll, outcome: Fails | GaveUp) -> Unknown:
    why = witness(obligation, outcome).text if isinstance(outcome, Fails) else outcome.reason
    return _unknown(access.name, outcome.strategy, why)


def _verdict(claim: LdsClaim, strategy: str | None, limits: Limits) -> Verdict:
    if why := unmet(claim.access):
        return _unknown(claim.statement(), "portfolio", why)
    inside = _all(claim, claim.access.within, limits)
    if not isinstance(inside, Proved):
        return inside
    iff = isinstance(claim, ConflictFreeIff)
    if strategy in (None, "f2") and not iff:
        linear = _linear(claim)
        if linear is not None:
            return linear
    if strategy == "f2":
        return _unknown(claim.statement(), "F₂", "the address is not linear over F₂, or a requirement is not met")
    if strategy == "z3":
        return _by_solver(claim, limits)
    required = _all(claim, claim.requirements(), limits)
    if not isinstance(required, Proved):
        return required
    reasons = []
    if not iff:
        quick = limits.points if strategy == "enumeration" else min(limits.points, QUICK_POINTS)
        counted = enumerated_cost(claim.access, quick)
        if isinstance(counted, Cost):
            return _priced(claim, counted)
        reasons.append(f"enumeration: {counted}")
        patterned = _by_patterns(claim, limits) if claim.access.mask is not TRUE else ""
        if not isinstance(patterned, str):
            return patterned
        reasons += [f"lane patterns: {patterned}"] * bool(patterned)
    if strategy == "enumeration":
        return _unknown(claim.statement(), "enumeration", "; ".join(reasons))
    try:
        verdict = _all(claim, claim.conflicts(), limits)
    except UndividedError as error:
        verdict = _unknown(claim.statement(), "z3", str(error))
    if isinstance(verdict, Unknown) and strategy is None and not iff:
        counted = enumerated_cost(claim.access, limits.points)
        if isinstance(counted, Cost):
            return _priced(claim, counted)
    return replace(verdict, why="; ".join([*reasons, verdict.why])) if isinstance(verdict, Unknown) else verdict


def judged(claim: LdsClaim, cost: Cost) -> Verdict:
    """The verdict on a claim whose access has been priced: by the price, a refutation replayed on the whole wave."""
    return replace(_priced(claim, cost), assumptions=_assumed(claim.access))


def _linear(claim: LdsClaim) -> Verdict | None:
    """By linear algebra; None where it does not decide."""
    found = linear_cost(claim.access)
    if found is not None:
        return _priced(claim, found)
    of_all = linear_cost(claim.access, of_all=True) if claim.of_fewer else None
    met = of_all is not None and claim.met(of_all)
    return Proved(claim.statement(), "F₂, of all lanes", 0.0) if met else None


def _by_patterns(claim: LdsClaim, limits: Limits) -> Verdict | str:
    """Each set of lanes that may take part, priced; or why that does not decide."""
    access, lane = claim.access, claim.access.lanes.lane
    of_all = counted_cycles(access, limits.points, TRUE, TRUE)
    if isinstance(of_all, str):
        return of_all
    if claim.of_fewer and not len(_unmet(claim, of_all)):
        return Proved(claim.statement(), "enumeration, of all lanes", 0.0)
    found = patterns(access)
    if found is None:
        return "the lanes that take part form no few patterns"
    for pattern in found:
        counted = counted_cycles(access, limits.points, TRUE, pattern.mask(lane))
        assert not isinstance(counted, str)
        unmet = _unmet(claim, counted)
        for row in unmet[:TRIES]:
            at = happens(access, pattern, counted.point(row), limits)
            if isinstance(at, Mapping):
                return _replayed(claim, {**(least(access) or {}), **at}, "lane patterns")
            if at is None:
                return f"whether {pattern} ever take part is open"
        if len(unmet) > TRIES:
            return "too many values of the variables to be put to a solver one by one"
    return Proved(claim.statement(), "lane patterns", 0.0)


def _unmet(claim: LdsClaim, counted: Counted) -> list[int]:
    """The rows at which the claim is not met."""
    if not len(counted.cycles):
        return []
    each, which = np.unique(counted.cycles, axis=0, return_inverse=True)
    bad = [n for n, row in enumerate(each) if not claim.met(_cost(tuple(map(int, row)), {}))]
    return [int(row) for row in np.flatnonzero(np.isin(which.reshape(-1), bad))]


def _cost(each: tuple[int, ...], at: Point) -> Cost:
    """The price of one wave, phase by phase."""
    total, served = sum(each), len(each) - each.count(0)
    return Cost("replay", each, each, (total, total), (served, served), at, at, at)


def _replayed(claim: LdsClaim, at: Point, strategy: str) -> Verdict:
    """The refutation at values of the variables, once the bank model shows it."""
    if _met_at(claim, at):
        return _unknown(claim.statement(), strategy, "its counterexample does not replay")
    return Refuted(claim.statement(), strategy, 0.0, witness=meeting(claim.access, at))


def _priced(claim: LdsClaim, cost: Cost) -> Verdict:
    if claim.met(cost):
        return Proved(claim.statement(), cost.strategy, 0.0)
    at = next((p for p in (cost.worst_at, cost.most_at, cost.least_at) if not _met_at(claim, p)), None)
    if at is None:
        return _unknown(claim.statement(), cost.strategy, "its counterexample does not replay")
    return Refuted(claim.statement(), cost.strategy, 0.0, witness=meeting(claim.access, at))


def unmet(access: Reach) -> str:
    """Why a proof would be of nothing: no values are known that satisfy the givens; empty where some do."""
    if some_point(access) is not None:
        return ""
    every = (access.address, *access.lanes.index, access.taking_part)
    why = vacuous(admitted(ForAll("an access", FALSE, access.taking_part, (Shown("access", every),))))
    return why and f"no value of the variables was found that satisfies the givens; {why}"


def _by_solver(claim: LdsClaim, limits: Limits) -> Verdict:
    """The requirements and the conflicts as one statement, for the solver alone."""
    try:
        parts = [o for o in claim.obligations() if isinstance(o, ForAll)]
    except UndividedError as error:
        return _unknown(claim.statement(), "z3", str(error))
    given = claim.access.condition
    goal = all_of(*(o.goal if o.given is given else any_of(negation(o.given), o.goal) for o in parts))
    outcome = decide(ForAll(claim.statement(), goal, given), limits, "z3")
    if isinstance(outcome, Holds):
        return Proved(claim.statement(), outcome.strategy, 0.0)
    if isinstance(outcome, GaveUp):
        return _unknown(claim.statement(), outcome.strategy, outcome.reason)
    required = _all(claim, claim.requirements(), limits, "z3")
    if not isinstance(required, Proved):
        return required  # the whole wave can be priced, and a conflict told, only where it holds
    point = {**{v: max(0, int(v.lo)) for o in parts for v in o.variables}, **outcome.points[0]}
    failing = next(o for o in parts if value(o.given, point) and not value(o.goal, point))
    return _refuted(claim, failing, Fails(outcome.strategy, (point,)))


def _all(claim: LdsClaim, obligations: Iterable[Obligation], limits: Limits, strategy: str | None = None) -> Verdict:
    """Proved where each obligation is; a failing one is told by what happens in the whole wave there."""
    used: dict[str, None] = {}
    for obligation in obligations:
        if isinstance(obligation, ForAll) and obligation.goal is TRUE:
            continue
        outcome = decide(obligation, limits, strategy)
        if isinstance(outcome, GaveUp):
            return _unknown(claim.statement(), outcome.strategy, f"{obligation.label}: {outcome.reason}")
        if isinstance(outcome, Fails):
            return _refuted(claim, obligation, outcome)
        used[outcome.strategy] = None
    return Proved(claim.statement(), " + ".join(used) or "intervals", 0.0)


def _refuted(claim: LdsClaim, obligation: Obligation, outcome: Fails) -> Verdict:
    told = _told(claim, obligation, outcome)
    if told is None:
        return _unknown(claim.statement(), outcome.strategy, "its counterexample does not replay")
    return Refuted(claim.statement(), outcome.strategy, 0.0, witness=told)


def _told(claim: LdsClaim, obligation: Obligation, outcome: Fails) -> Witness | None:
    """A failing requirement in its own words; a conflict as the wave shows it, None where it does not."""
    (point,) = outcome.points
    access = claim.access
    own = (access.lanes.lane, access.lanes.element)
    if any(obligation.label == r.label for r in access.requirements()):
        return witness(obligation, outcome)
    at = {**(least(access) or {}), **{v: n for v, n in point.items() if v not in own}}
    if isinstance(claim, ConflictFreeIff):
        return witness(obligation, outcome)  # replayed by `decide`; the lanes are written out in the obligation
    return None if _met_at(claim, at) else meeting(access, at)


def _met_at(claim: LdsClaim, at: Point) -> bool:
    """Whether the claim holds at these values of the variables, by the bank model itself."""
    found = _phases(claim.access, at)
    each = tuple(phase.cycles for phase in found)
    if len(each) < len(claim.access.instruction.phases):  # merged in twos
        each = tuple(n for cycles in each for n in (cycles, 0))
    return claim.met(_cost(each, at))


def _phases(access: Access, at: Point) -> tuple[Phase, ...]:
    return phases(access.target, access.instruction, addresses(access, at), active(access, at))


def addresses(access: Access, at: Point) -> list[int]:
    """Each lane's exact byte address, at values of the variables."""
    lane = access.lanes.lane
    (found,) = array([substitute(access.start, dict(at))], {lane: np.arange(access.instruction.lanes)})
    return [int(address) for address in np.broadcast_to(found, (access.instruction.lanes,))]


def meeting(access: Access, at: Point) -> Witness:
    """What happens in the worst phase at these values: the bank, and each lane that wants another dword of it.

    Where no lanes meet, the witness says what each phase costs.
    """
    found = _phases(access, at)
    number = max(range(len(found)), key=lambda n: found[n].cycles)
    worst = found[number].worst
    lanes, dwords = worst.lanes, worst.dwords
    where = {lane: _place(access, at, lane) for lane in lanes}
    sizes = {v: n for v, n in at.items() if v in variables(access.start, access.taking_part, *access.lanes.index)}
    points = tuple({**{v.value.name: n for v, n in sizes.items()}, access.lanes.lane.value.name: x} for x in lanes)
    values_text = f" (at {', '.join(f'{v.value.name} = {n}' for v, n in sizes.items())})" if sizes else ""
    if access.mask is not TRUE:
        values_text += f", where {active(access, at).sum()} of {access.lanes.lanes} lanes take part"
    if not lanes:
        points = ({v.value.name: n for v, n in sizes.items()},)
    if len(lanes) < 2:
        each = ", ".join(str(phase.cycles) for phase in found)
        return Witness(points, f"the phases take {each} cycles{values_text}")
    told = list(zip(lanes, dwords, strict=True))[:TOLD]
    each = ", ".join(f"lane {x} at {where[x]} wants dword {d}" for x, d in told)
    text = f"lanes {_and(lanes)} of phase {number} want dwords {_and(dwords)} of bank {worst.bank}: {each}"
    return Witness(points, text + values_text)


def _place(access: Access, at: Point, lane: int) -> str:
    fixed: Mapping[Expr, int] = {**at, access.lanes.lane: lane}
    return f"({', '.join(map(str, values(access.first, fixed)))})"


def _and(numbers: Sequence[int]) -> str:
    """The numbers in a row; of many, the first few and how many more there are."""
    *most, last = map(str, numbers)
    if len(numbers) > TOLD:
        return f"{', '.join(most[:TOLD])} and {len(numbers) - TOLD} more"
    return f"{', '.join(most)} and {last}" if most else last


def _unknown(claim: str, strategy: str, why: str) -> Unknown:
    return Unknown(claim, strategy, 0.0, why=why)


__all__ = ["STRATEGIES", "addresses", "judged", "meeting", "price", "prove_access"]
