"""Deciding one obligation: strategies from the cheapest to the dearest, each complete in what it claims.

| strategy      | decides                                          | costs          |
|---------------|--------------------------------------------------|----------------|
| normal form   | what simplifies to true                          | microseconds   |
| mixed radix   | injectivity of sums whose strides stand apart    | microseconds   |
| F₂ rank       | maps that are linear in the bits                 | microseconds   |
| enumeration   | any concrete domain of up to 2¹² points          | 0.2 ms         |
| changes       | the same, over other variables                   | a millisecond  |
| difference    | injectivity of any sums over boxes               | microseconds   |
| small sizes   | refutes for symbolic sizes, by enumeration       | milliseconds   |
| bounds        | orders, by limits of products that are given     | a millisecond  |
| enumeration   | again, up to 2¹⁶ points                          | milliseconds   |
| cases         | sizes that are powers of two, one by one         | milliseconds   |
| unbounded     | powers of two, and sizes beside xor, by z3       | as z3          |
| any function  | goals that rest on few bitwise facts, by z3      | as z3          |
| z3            | integers, or bit-vectors where something is xor  | 10 ms – limit  |
| enumeration   | again, up to the limit                           | a second       |
| small sizes   | again, more of them                              | a second       |
| missed        | refutes that every element is reached, for one   | as the others  |

A counterexample counts only after it has been replayed in exact integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from layoutalg.index import TRUE, Expr, all_of, budget, eq, negation
from layoutalg.prove.obligation import ForAll, Obligation, Onto, in_domain, told_apart
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.replay import replays
from layoutalg.prove.solver import solve, with_any_function
from layoutalg.prove.strategies.algebra import normal_form
from layoutalg.prove.strategies.bits import f2_rank
from layoutalg.prove.strategies.bounds import bounds
from layoutalg.prove.strategies.changes import CHANGES, Change
from layoutalg.prove.strategies.difference import difference
from layoutalg.prove.strategies.enumeration import enumeration
from layoutalg.prove.strategies.instances import (
    cases,
    fails_at_a_corner,
    few_small_sizes,
    small_sizes,
    smallest,
    unbounded,
)
from layoutalg.prove.strategies.radix import mixed_radix

Strategy = Callable[[Obligation, Limits], Outcome]

SHARE, SOLVER_SHARE = 0.5, 0.8
"""What a strategy, and the solver, may take of the time that is left when others are to come."""
TINY_POINTS = 1 << 12
QUICK_POINTS = 1 << 16


def tiny_enumeration(obligation: Obligation, limits: Limits) -> Outcome:
    """Enumeration where it is faster than thinking."""
    return enumeration(obligation, replace(limits, points=min(limits.points, TINY_POINTS)))


def quick_enumeration(obligation: Obligation, limits: Limits) -> Outcome:
    """Enumeration where it is faster than a solver."""
    return enumeration(obligation, replace(limits, points=min(limits.points, QUICK_POINTS)))


def by_cases(obligation: Obligation, limits: Limits) -> Outcome:
    """Each value of the sizes that are powers of two, by the strategies that need no solver."""
    return cases(obligation, limits, partial(first, QUICK, limits=limits))


ALGEBRA: tuple[Strategy, ...] = (normal_form, mixed_radix, f2_rank)
QUICK: tuple[Strategy, ...] = (*ALGEBRA, difference, quick_enumeration)


def without_maximum(obligation: Obligation, limits: Limits) -> Outcome:
    """Sizes without a maximum that the solver has no form for: as any sizes, or up to a large one."""
    each = replace(limits, seconds=min(limits.seconds, budget.left()) / 2)
    return unbounded(obligation, limits, partial(solve, limits=each))


def algebra(obligation: Obligation, limits: Limits) -> Outcome:
    """Everything that needs no search, over changed variables too."""
    return decide_quickly(obligation)


PORTFOLIO: tuple[Strategy, ...] = (
    *ALGEBRA, tiny_enumeration, algebra, difference, few_small_sizes, bounds, quick_enumeration, by_cases,
    without_maximum, with_any_function, solve, enumeration, small_sizes,
)  # fmt: skip

STRATEGIES: Mapping[str, Strategy] = {
    "normal-form": normal_form,
    "mixed-radix": mixed_radix,
    "f2": f2_rank,
    "bounds": bounds,
    "difference": difference,
    "enumeration": enumeration,
    "cases": by_cases,
    "small-sizes": small_sizes,
    "z3": solve,
}
"""What `--strategy` forces, by name."""


def decide(obligation: Obligation, limits: Limits, strategy: str | None = None) -> Outcome:
    """The first strategy's answer that decides it; GaveUp with every reason where none does.

    SharedNameError where two variables of the statement have one name.
    """
    told_apart(obligation)
    if isinstance(obligation, ForAll) and obligation.goal is TRUE:
        return Holds("intervals")
    return budget.in_time(
        limits.seconds, lambda: _decided(obligation, limits, strategy), lambda why: GaveUp("portfolio", why)
    )


def _decided(obligation: Obligation, limits: Limits, strategy: str | None) -> Outcome:
    if isinstance(obligation, Onto) and strategy not in ("enumeration", "small-sizes"):
        return _onto(obligation, limits, strategy)
    outcome = first((STRATEGIES[strategy],) if strategy else PORTFOLIO, obligation, limits=limits)
    return smallest(obligation, outcome, limits) if isinstance(outcome, Fails) else outcome


def holds(obligation: ForAll, limits: Limits) -> bool:
    """Whether it is shown; where it fails, no time goes into a counterexample that is small.

    >>> from layoutalg.index import var
    >>> holds(ForAll("it is small", var("i", 9) < 10), Limits())
    True
    """
    told_apart(obligation)
    if obligation.goal is TRUE:
        return True
    if fails_at_a_corner(obligation):
        return False
    return budget.in_time(
        limits.seconds, lambda: isinstance(first(PORTFOLIO, obligation, limits=limits), Holds), lambda _: False
    )


def first(steps: Sequence[Strategy], obligation: Obligation, *, limits: Limits) -> Outcome:
    reasons: list[str] = []
    for n, step in enumerate(steps):
        outcome = _in_its_share(step, obligation, limits, last=n == len(steps) - 1)
        if isinstance(outcome, Holds):
            return outcome
        if isinstance(outcome, Fails):
            if replays(obligation, outcome):
                return outcome
            outcome = GaveUp(outcome.strategy, "its counterexample does not replay")
        reasons.append(f"{outcome.strategy}: {outcome.reason}")
    return GaveUp("portfolio", "; ".join(reasons))


def _in_its_share(step: Strategy, obligation: Obligation, limits: Limits, last: bool) -> Outcome:
    """The outcome of a strategy that leaves time for those after it."""
    share = 1.0 if last else SOLVER_SHARE if step is solve else SHARE
    name = step.__name__.replace("_", " ")
    try:
        return budget.in_time(
            share * min(limits.seconds, budget.left()),
            lambda: step(obligation, limits),
            lambda why: GaveUp(name, why),
        )
    except RecursionError:
        return GaveUp(name, "an expression is nested too deeply")


def _onto(obligation: Onto, limits: Limits, strategy: str | None) -> Outcome:
    """By what suffices, algebra first; else by marking what is reached, or by an element that nothing reaches."""
    outcome: Outcome = GaveUp("portfolio", "nothing that suffices is known")
    if strategy is None:
        outcome = first((tiny_enumeration, algebra, quick_enumeration, few_small_sizes), obligation, limits=limits)
    for way in obligation.suffices if isinstance(outcome, GaveUp) else ():
        parts = [decide(part, limits, strategy) for part in way]
        if all(isinstance(part, Holds) for part in parts):
            return Holds(" + ".join(dict.fromkeys(part.strategy for part in parts)))
    if strategy is None and isinstance(outcome, GaveUp):
        outcome = first((enumeration, small_sizes), obligation, limits=limits)
    return missed(obligation, limits, strategy) if isinstance(outcome, GaveUp) else outcome


def missed(obligation: Onto, limits: Limits, strategy: str | None) -> Outcome:
    """Refutes where no point reaches one of a few elements: the first, the last, those beside them, the middle.

    That none does is a `ForAll`, and proved; it proves nothing else, and sizes must be numbers.
    """
    if any(v not in obligation.targets or v.hi == math.inf or v.value.extent is not None for v in obligation.variables):
        return GaveUp("missed element", "a size is not fixed")
    brief = replace(limits, seconds=limits.seconds / len(CORNERS))
    for corner in CORNERS:
        point = {v: min(max(corner(int(v.hi)), 0), int(v.hi)) for v in obligation.targets}
        if not in_domain(point, obligation.targets):
            continue
        reached_here = all_of(obligation.given, *(eq(o, point[v]) for o, v in _pairs(obligation)))
        outcome = decide(ForAll("no index reaches it", negation(reached_here)), brief, strategy)
        if isinstance(outcome, Holds):
            return Fails(f"missed element ({outcome.strategy})", (point,))
    return GaveUp("missed element", "it is none of those that are tried")


def _pairs(obligation: Onto) -> Iterator[tuple[Expr, Expr]]:
    return zip(obligation.outputs, obligation.targets, strict=True)


CORNERS: tuple[Callable[[int], int], ...] = (
    lambda last: last, lambda last: 0, lambda last: 1, lambda last: last - 1, lambda last: last // 2,
)  # fmt: skip
"""The elements that `missed` tries, by the last one."""


@lru_cache(maxsize=1 << 16)
def decide_quickly(obligation: Obligation, changes: tuple[Change, ...] = CHANGES) -> Outcome:
    """What algebra alone says, over changed variables too; kept, because transforms recur."""
    told_apart(obligation)
    if isinstance(obligation, Onto):
        for way in obligation.suffices:
            if all(isinstance(decide_quickly(part), Holds) for part in way):
                return Holds("a right inverse" if len(way) == 1 else "counting")
        return GaveUp("algebra", "nothing that suffices is proved")
    for step in ALGEBRA:
        outcome = step(obligation, Limits())
        if isinstance(outcome, Holds):
            return outcome
    for n, change in enumerate(changes):
        anew = change(obligation, partial(decide_quickly, changes=changes[n + 1 :]))
        if anew is not None and not isinstance(anew, GaveUp):
            return anew
    return outcome
