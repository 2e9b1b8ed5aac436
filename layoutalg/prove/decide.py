"""Deciding one obligation: strategies from the cheapest to the dearest, each complete in what it claims.

| strategy      | decides                                          | costs          |
|---------------|--------------------------------------------------|----------------|
| normal form   | what simplifies to true                          | microseconds   |
| mixed radix   | injectivity of sums whose strides stand apart    | microseconds   |
| F₂ rank       | injectivity of maps that are linear in the bits  | microseconds   |
| enumeration   | any concrete domain, at first up to 2¹⁶ points   | milliseconds   |
| z3            | integers, or bit-vectors where something is xor  | 10 ms – limit  |
| enumeration   | again, up to the limit                           | a second       |
| small sizes   | refutes for symbolic sizes, by enumeration       | a second       |

A counterexample counts only after it has been replayed in exact integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

from layoutalg.index.evaluate import value, values
from layoutalg.prove.obligation import ForAll, Injective, Obligation, in_domain
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.solver import solve
from layoutalg.prove.strategies.algebra import mixed_radix, normal_form
from layoutalg.prove.strategies.enumeration import enumeration
from layoutalg.prove.strategies.instances import small_sizes

Strategy = Callable[[Obligation, Limits], Outcome]

QUICK_POINTS = 1 << 16


def quick_enumeration(obligation: Obligation, limits: Limits) -> Outcome:
    """Enumeration where it is faster than a solver."""
    return enumeration(obligation, replace(limits, points=min(limits.points, QUICK_POINTS)))


STRATEGIES: Mapping[str, Strategy] = {
    "normal-form": normal_form,
    "mixed-radix": mixed_radix,
    "enumeration": enumeration,
    "z3": solve,
}
"""What `--strategy` forces, by name."""

PORTFOLIO: tuple[Strategy, ...] = (normal_form, mixed_radix, quick_enumeration, solve, enumeration, small_sizes)


def decide(obligation: Obligation, limits: Limits, strategy: str | None = None) -> Outcome:
    """The first strategy's answer that decides it; GaveUp with every reason where none does."""
    reasons: list[str] = []
    for step in (STRATEGIES[strategy],) if strategy else PORTFOLIO:
        outcome = step(obligation, limits)
        if isinstance(outcome, Holds):
            return outcome
        if isinstance(outcome, Fails):
            if replays(obligation, outcome):
                return outcome
            outcome = GaveUp(outcome.strategy, "its counterexample does not replay")
        reasons.append(f"{outcome.strategy}: {outcome.reason}")
    return GaveUp("portfolio", "; ".join(reasons))


@lru_cache(maxsize=1 << 16)
def decide_quickly(obligation: Obligation) -> Outcome:
    """What algebra alone says; kept, because transforms recur."""
    for step in (normal_form, mixed_radix):
        outcome = step(obligation, Limits())
        if isinstance(outcome, Holds):
            return outcome
    return outcome


def replays(obligation: Obligation, outcome: Fails) -> bool:
    """Whether the counterexample is one, in exact integers."""
    if not all(in_domain(point, obligation.variables) for point in outcome.points):
        return False
    if isinstance(obligation, ForAll):
        (point,) = outcome.points
        return bool(value(obligation.given, point)) and not value(obligation.goal, point)
    one, other = outcome.points
    return (
        any(one[v] != other[v] for v in obligation.over)
        and all(one[v] == other[v] for v in obligation.shared)
        and all(value(obligation.given, point) for point in outcome.points)
        and values(obligation.outputs, one) == values(obligation.outputs, other)
    )


__all__ = ["PORTFOLIO", "STRATEGIES", "Injective", "decide", "decide_quickly", "replays"]
