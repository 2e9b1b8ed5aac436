"""`prove`: a claim decided, with a verdict that says how.

First transform by transform (microseconds, all sizes; a transform that algebra does not decide is put to the solver,
alone, where sizes are symbolic); if the transforms do not do alone, the exact obligations by every strategy.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from layoutalg.index import TRUE, InexpressibleError, all_of, budget, names, variables
from layoutalg.index.evaluate import value
from layoutalg.layout import NoInverseError
from layoutalg.prove.claims import Claim
from layoutalg.prove.decide import STRATEGIES, decide, decide_quickly
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Shown, admitted
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.statement import assumptions, sizes
from layoutalg.prove.strategies.instances import sizes_of
from layoutalg.prove.vacuity import vacuous
from layoutalg.prove.verdict import Proved, Refuted, Unknown, Verdict, Witness

DEFAULT = Limits()
LEMMA_SECONDS = 1.0
"""What the solver gets for one transform, before the whole is tried."""


@dataclass(frozen=True)
class Step:
    """One obligation of a claim, and what was found."""

    obligation: Obligation
    outcome: Outcome


def prove(claim: Claim | Obligation, *, strategy: str | None = None, limits: Limits = DEFAULT) -> Verdict:
    """The verdict on a claim; `strategy` forces one of `STRATEGIES` on every obligation.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.prove import Injective
    >>> prove(Injective(make_naive_tensor_descriptor((3, 2), (2, 3)))).name
    'proved'
    >>> prove(Injective(make_naive_tensor_descriptor((4, 3), (2, 3)))).reason
    'offsets differ fails: index (0, 2), offset 6 and index (3, 0), offset 6'
    """
    if strategy is not None and strategy not in STRATEGIES:
        raise ValueError(f"no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
    if not isinstance(claim, Claim | Obligation):
        kind = type(claim).__name__
        raise TypeError(f"a claim or an obligation is decided, not a {kind}; say what of it: prove(Injective(d))")
    start = time.perf_counter()
    statement = claim.statement() if isinstance(claim, Claim) else claim.label
    assumed = _assumed(claim)
    verdict = budget.in_time(
        limits.seconds,
        lambda: _proved(claim, statement, strategy, limits),
        lambda why: Unknown(statement, strategy or "portfolio", 0.0, why=why),
    )
    return replace(verdict, seconds=time.perf_counter() - start, assumptions=assumed)


def _proved(claim: Claim | Obligation, statement: str, strategy: str | None, limits: Limits) -> Verdict:
    if isinstance(claim, Claim) and (why := vacuous(claim.assumed)):
        return Unknown(statement, strategy or "portfolio", 0.0, why=why)
    try:
        steps, local = steps_of(claim, strategy=strategy, limits=limits)
    except (NoInverseError, InexpressibleError) as error:
        return Unknown(statement, strategy or "portfolio", 0.0, why=str(error))
    return verdict_of(claim, steps, local, strategy)


def _assumed(claim: Claim | Obligation) -> tuple[str, ...]:
    """All that is assumed, in words."""
    if isinstance(claim, Claim):
        return assumptions((v for v in sizes(claim) if not v.value.index), claim.assumed)
    return assumptions((v for v in claim.variables if not v.value.index), claim.given)


def steps_of(
    claim: Claim | Obligation, *, strategy: str | None = None, limits: Limits = DEFAULT
) -> tuple[list[Step], bool]:
    """What a verdict rests on: each obligation with its outcome, and whether they are the transforms' own.

    The list ends with the first that fails.
    """
    if not isinstance(claim, Claim):
        return [Step(claim, decide(claim, limits, strategy))], False
    if claim.is_empty:
        return [_of_nothing(claim, limits)], False
    if strategy is None:
        steps = _local_steps(claim, limits)
        if steps is not None:
            return steps, True
    found: list[Step] = []
    for obligation in _together(claim.posed()) if strategy == "z3" else claim.posed():
        found.append(_step(obligation, limits, strategy))
        if isinstance(found[-1].outcome, Fails):
            break
    return found, False


def _of_nothing(claim: Claim, limits: Limits) -> Step:
    """Of a tensor without elements: what is said of every index holds of none."""
    left = claim.of_nothing()
    if left is None:
        raise InexpressibleError("the tensor is empty: it has no index, and the claim says nothing of that")
    return Step(left, Holds("the tensor is empty") if left.goal is TRUE else decide(left, limits))


def _local_steps(claim: Claim, limits: Limits) -> list[Step] | None:
    """Each transform by itself, where that suffices."""
    try:
        obligations = claim.local_obligations()
        if obligations is None:
            return None
        with budget.within(budget.left() / 2):
            steps = [Step(o, decide_quickly(o)) for o in obligations]
    except InexpressibleError:
        return None
    except budget.OutOfTimeError:
        budget.check()
        return None
    open_steps = [s for s in steps if not isinstance(s.outcome, Holds)]
    if any(not sizes_of(s.obligation) for s in open_steps):
        return None  # a concrete one: enumerating the whole is exact, and as fast
    brief = replace(limits, seconds=min(limits.seconds, LEMMA_SECONDS))
    for step in open_steps:
        ways = [step.obligation, *([] if claim.exists is TRUE else [step.obligation.assuming(claim.exists)])]
        tried = (Step(way, decide(way, brief)) for way in ways)
        shown = next((one for one in tried if isinstance(one.outcome, Holds)), None)
        if shown is None:
            return None
        steps[steps.index(step)] = shown
    return steps


@dataclass(frozen=True)
class _Several(ForAll):
    """Several statements with one condition, as one."""

    parts: tuple[ForAll, ...] = ()


def _together(obligations: Iterable[Obligation]) -> Iterator[Obligation]:
    """Statements that follow one another under one condition as one: a solver reads them once.

    Not where they give one name to two variables: strategies name what they make after variables.
    """
    waiting: list[ForAll] = []
    for obligation in obligations:
        if waiting and not (isinstance(obligation, ForAll) and _fits(obligation, waiting)):
            yield _conjunction(waiting)
            waiting = []
        if isinstance(obligation, ForAll):
            waiting.append(obligation)
        else:
            yield obligation
    if waiting:
        yield _conjunction(waiting)


def _fits(obligation: ForAll, others: list[ForAll]) -> bool:
    """Whether a statement can be one with others: the same condition, and no two variables of one name."""
    every = {v for one in (obligation, *others) for v in variables(*one.roots)}
    return obligation.given is others[0].given and len({v.value.name for v in every}) == len(every)


def _conjunction(parts: list[ForAll]) -> ForAll:
    if len(parts) == 1:
        return parts[0]
    labels = "; ".join(part.label for part in parts)
    shown: tuple[Shown, ...] = tuple(dict.fromkeys(s for part in parts for s in part.show))
    return _Several(labels, all_of(*(part.goal for part in parts)), parts[0].given, shown, tuple(parts))


def _step(obligation: Obligation, limits: Limits, strategy: str | None) -> Step:
    outcome = decide(obligation, limits, strategy)
    if isinstance(outcome, Fails) and isinstance(obligation, _Several):
        (point,) = outcome.points
        obligation = next(part for part in obligation.parts if not value(part.goal, point))
    return Step(obligation, outcome)


def verdict_of(
    claim: Claim | Obligation, steps: Sequence[Step], local: bool, strategy: str | None, seconds: float = 0.0
) -> Verdict:
    """What the steps of a claim come to; nothing is proved but where a point was found that all of it speaks of."""
    statement = claim.statement() if isinstance(claim, Claim) else claim.label
    unknown = []
    used: dict[str, None] = {}
    for step in steps:
        if isinstance(step.outcome, Fails):
            told = witness(step.obligation, step.outcome)
            return Refuted(statement, step.outcome.strategy, seconds, witness=told)
        if isinstance(step.outcome, GaveUp):
            unknown.append(f"{step.obligation.label}: {step.outcome.reason}")
        used[step.outcome.strategy] = None
    if unknown:
        return Unknown(statement, strategy or "portfolio", seconds, why="; ".join(unknown))
    assumed = [claim.assumed] if isinstance(claim, Claim) else []
    for condition in dict.fromkeys((*assumed, *(admitted(step.obligation) for step in steps))):
        if why := vacuous(condition):
            return Unknown(statement, strategy or "portfolio", seconds, why=why)
    how = " + ".join(used) or "intervals"
    return Proved(statement, f"transform by transform ({how})" if local else how, seconds)


def witness(obligation: Obligation, outcome: Fails) -> Witness:
    """The counterexample in words and numbers; sizes are named, indices are shown as the obligation shows them."""
    found = outcome.points
    if isinstance(obligation, InjectiveMap):
        found = tuple(sorted(found, key=lambda point: [point[v] for v in obligation.over]))
    points = tuple({v.value.name: n for v, n in point.items()} for point in found)
    shown = names(*(e for s in obligation.show for e in s.exprs)) if obligation.show else set()
    texts = [", ".join(s.at(point) for s in obligation.show) for point in found]
    sizes = {n: k for n, k in points[0].items() if not obligation.show or n not in shown or _is_size(obligation, n)}
    where = ", ".join(f"{n} = {k}" for n, k in sizes.items())
    text = " and ".join(t for t in texts if t)
    return Witness(points, f"{obligation.label} fails: {text or where}" + (f" (for {where})" if text and where else ""))


def _is_size(obligation: Obligation, name: str) -> bool:
    limits = [v.value.extent for v in obligation.variables if v.value.extent is not None]
    return name in names(*limits) if limits else False
