"""`prove`: a claim decided, with a verdict that says how; the one door, for layouts and for accesses.

| a claim                | is decided                                                                                |
|------------------------|-------------------------------------------------------------------------------------------|
| of several (`All`)     | one by one                                                                                |
| with routes of its own | by the first that does (`Claim.routes`: the price of every wave, …)                       |
| on a layout            | transform by transform (microseconds, all sizes; a transform that algebra does not decide |
|                        | is put to the solver, alone, where sizes are symbolic); where that does not do, by its    |
|                        | exact obligations, each by every strategy                                                 |
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from layoutalg.index import TRUE, InexpressibleError, all_of, budget, variables
from layoutalg.index.evaluate import value
from layoutalg.layout import NoInverseError
from layoutalg.prove.claims import All, Claim
from layoutalg.prove.claims.base import assumptions
from layoutalg.prove.decide import STRATEGIES, decide, decide_quickly
from layoutalg.prove.obligation import ForAll, Obligation, Shown, admitted
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.strategies.instances import sizes_of
from layoutalg.prove.vacuity import vacuous
from layoutalg.prove.verdict import Proved, Refuted, Unknown, Verdict, Witness, witness
from layoutalg.records import dataclass

DEFAULT = Limits()
LEMMA_SECONDS = 1.0
"""What the solver gets for one transform, before the whole is tried."""
KEPT = 1 << 12
"""Transforms' own obligations of which it is remembered that they hold."""
_LEMMAS: dict[Obligation, Holds] = {}
NO_REPLAY = "its counterexample does not replay"


@dataclass(frozen=True)
class Decided:
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
    'offsets differ: not at index (0, 2), offset 6 and index (3, 0), offset 6'
    """
    if strategy is not None and strategy not in STRATEGIES:
        raise ValueError(f"no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
    if not isinstance(claim, Claim | Obligation):
        kind = type(claim).__name__
        raise TypeError(f"a claim or an obligation is decided, not a {kind}; say what of it: prove(Injective(d))")
    start = time.perf_counter()
    assumed = _assumed(claim)
    verdict = budget.in_time(
        limits.seconds, lambda: _proved(claim, strategy, limits), lambda why: _unknown(claim, strategy, why)
    )
    return replace(verdict, seconds=time.perf_counter() - start, assumptions=verdict.assumptions or assumed)


def _assumed(claim: Claim | Obligation) -> tuple[str, ...]:
    """All that is assumed, in words."""
    if isinstance(claim, Claim):
        return claim.assumptions
    return assumptions((v for v in claim.variables if not v.value.index), claim.given)


def _words(claim: Claim | Obligation) -> str:
    return claim.statement() if isinstance(claim, Claim) else claim.label


def _unknown(claim: Claim | Obligation, strategy: str | None, why: str) -> Unknown:
    return Unknown(_words(claim), strategy or "portfolio", 0.0, why=why)


def _proved(claim: Claim | Obligation, strategy: str | None, limits: Limits) -> Verdict:
    if isinstance(claim, Claim) and (why := vacuous(claim.assumed)):
        return _unknown(claim, strategy, why)
    if isinstance(claim, All):
        return _each(claim, strategy, limits)
    try:
        if isinstance(claim, Claim) and (verdict := _by_routes(claim, strategy, limits)) is not None:
            return verdict
        steps, local = steps_of(claim, strategy=strategy, limits=limits)
    except (NoInverseError, InexpressibleError) as error:
        return _unknown(claim, strategy, str(error))
    return verdict_of(claim, steps, local, strategy)


def _each(claim: All, strategy: str | None, limits: Limits) -> Verdict:
    """Several claims: proved where each is; else the first that is refuted, or is left open."""
    verdicts: list[Verdict] = []
    for one in claim.claims:
        verdicts.append(prove(one, strategy=strategy, limits=limits))
        if isinstance(verdicts[-1], Refuted):
            return _of_several(claim, verdicts[-1])
    for verdict in verdicts:
        if not isinstance(verdict, Proved):
            return _of_several(claim, verdict)
    return Proved(claim.statement(), " + ".join(dict.fromkeys(v.strategy for v in verdicts)), 0.0)


def _of_several(claim: All, verdict: Verdict) -> Verdict:
    """The verdict on one claim of several, which says of which."""
    if len(claim.claims) == 1:
        return verdict
    if isinstance(verdict, Refuted):
        text = f"it is not true that {verdict.claim}: {verdict.reason}"
        return replace(verdict, witness=replace(verdict.witness, text=text))
    assert isinstance(verdict, Unknown)
    return replace(verdict, why=f"it is open whether {verdict.claim}: {verdict.reason}")


def _by_routes(claim: Claim, strategy: str | None, limits: Limits) -> Verdict | None:
    """By the claim's own routes, those of one name where it is forced; None where there are none."""
    shown: dict[Obligation, str] = {}
    reasons: dict[str, None] = {}
    for route in claim.routes():
        if strategy not in (None, route.name):
            continue
        for need in route.needs:
            if need not in shown:
                outcome = decide(need, limits)
                if not isinstance(outcome, Holds):
                    return verdict_of(claim, [Decided(need, outcome)], False, strategy)
                shown[need] = outcome.strategy
        verdict = verdict_by(claim, route.decide(limits, strategy))
        if isinstance(verdict, Unknown):
            reasons[f"{verdict.strategy}: {verdict.why}"] = None
            continue
        used = shown.values() if route.names_needs and isinstance(verdict, Proved) else ()
        return replace(verdict, strategy=" + ".join(dict.fromkeys((*used, verdict.strategy))))
    return _unknown(claim, strategy, "; ".join(reasons)) if reasons else None


def verdict_by(claim: Claim, outcome: Outcome) -> Verdict:
    """What the outcome of a route comes to; a counterexample counts only where the claim's own model shows it."""
    statement = claim.statement()
    if isinstance(outcome, Holds):
        return Proved(statement, outcome.strategy, 0.0)
    if isinstance(outcome, GaveUp):
        return Unknown(statement, outcome.strategy, 0.0, why=outcome.reason)
    shown = claim.witness(outcome, None)
    if shown is None:
        return Unknown(statement, outcome.strategy, 0.0, why=NO_REPLAY)
    return Refuted(statement, outcome.strategy, 0.0, witness=shown)


def steps_of(
    claim: Claim | Obligation, *, strategy: str | None = None, limits: Limits = DEFAULT, local: bool | None = None
) -> tuple[list[Decided], bool]:
    """What a verdict rests on: each obligation with its outcome, and whether they are the transforms' own.

    The list ends with the first that fails.  `local`: whether the transforms' own are tried at all, and with all the
    time there is; unless stated they are, briefly.
    """
    if not isinstance(claim, Claim):
        return [Decided(claim, decide(claim, limits, strategy))], False
    if claim.is_empty:
        return [_of_nothing(claim, limits)], False
    if strategy is None and local is not False:
        steps = _local_steps(claim, limits, limits.seconds if local else LEMMA_SECONDS)
        if steps is not None:
            return steps, True
    found: list[Decided] = []
    for obligation in _together(claim.posed()) if strategy == "z3" else claim.posed():
        found.append(_step(obligation, limits, strategy))
        if isinstance(found[-1].outcome, Fails):
            break
    return found, False


def _of_nothing(claim: Claim, limits: Limits) -> Decided:
    """Of a tensor without elements: what is said of every index holds of none."""
    left = claim.of_nothing()
    if left is None:
        raise InexpressibleError("the tensor is empty: it has no index, and the claim says nothing of that")
    return Decided(left, Holds("the tensor is empty") if left.goal is TRUE else decide(left, limits))


def _local_steps(claim: Claim, limits: Limits, seconds: float) -> list[Decided] | None:
    """Each transform by itself, where that suffices; what algebra leaves open gets so many seconds."""
    try:
        obligations = claim.local_obligations()
        if obligations is None:
            return None
        with budget.within(budget.left() / 2):
            steps = [Decided(o, decide_quickly(o)) for o in obligations]
    except InexpressibleError:
        return None
    except budget.OutOfTimeError:
        budget.check()
        return None
    open_steps = [s for s in steps if not isinstance(s.outcome, Holds)]
    if any(not sizes_of(s.obligation) for s in open_steps):
        return None  # a concrete one: enumerating the whole is exact, and as fast
    brief = replace(limits, seconds=min(limits.seconds, seconds))
    for step in open_steps:
        ways = [step.obligation, *([] if claim.exists is TRUE else [step.obligation.assuming(claim.exists)])]
        tried = (Decided(way, _lemma(way, brief)) for way in ways)
        shown = next((one for one in tried if isinstance(one.outcome, Holds)), None)
        if shown is None:
            return None
        steps[steps.index(step)] = shown
    return steps


def _lemma(obligation: Obligation, limits: Limits) -> Outcome:
    """`decide`; that it holds is kept, because transforms recur."""
    if (shown := _LEMMAS.get(obligation)) is not None:
        return shown
    outcome = decide(obligation, limits)
    if isinstance(outcome, Holds):
        _LEMMAS[obligation] = outcome
        if len(_LEMMAS) > KEPT:
            _LEMMAS.pop(next(iter(_LEMMAS)), None)
    return outcome


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
    return _Several(labels, all_of(*(part.goal for part in parts)), parts[0].given, shown, parts=tuple(parts))


def _step(obligation: Obligation, limits: Limits, strategy: str | None) -> Decided:
    outcome = decide(obligation, limits, strategy)
    if isinstance(outcome, Fails) and isinstance(obligation, _Several):
        (point,) = outcome.points
        obligation = next(part for part in obligation.parts if not value(part.goal, point))
    return Decided(obligation, outcome)


def verdict_of(claim: Claim | Obligation, steps: Sequence[Decided], local: bool, strategy: str | None) -> Verdict:
    """What the steps of a claim come to; nothing is proved but where a point was found that all of it speaks of."""
    statement = _words(claim)
    unknown = []
    used: dict[str, None] = {}
    for step in steps:
        if isinstance(step.outcome, Fails):
            shown = _witness(claim, step.outcome, step.obligation)
            if shown is None:
                return Unknown(statement, step.outcome.strategy, 0.0, why=NO_REPLAY)
            return Refuted(statement, step.outcome.strategy, 0.0, witness=shown)
        if isinstance(step.outcome, GaveUp):
            unknown.append(f"{step.obligation.label}: {step.outcome.reason}")
        used[step.outcome.strategy] = None
    if unknown:
        return _unknown(claim, strategy, "; ".join(unknown))
    assumed = [claim.assumed] if isinstance(claim, Claim) else []
    conditions = (*assumed, *(admitted(step.obligation) for step in steps))
    for condition in dict.fromkeys(condition for condition in conditions if condition is not TRUE):
        if why := vacuous(condition):
            return _unknown(claim, strategy, why)
    how = " + ".join(used) or "intervals"
    return Proved(statement, f"transform by transform ({how})" if local else how, 0.0)


def _witness(claim: Claim | Obligation, failed: Fails, obligation: Obligation) -> Witness | None:
    return claim.witness(failed, obligation) if isinstance(claim, Claim) else witness(obligation, failed)
