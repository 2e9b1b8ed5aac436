"""Counterexamples in exact integers: none counts that is none."""

from __future__ import annotations

from contextlib import suppress

from layoutalg.index.evaluate import value, values
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Onto, Point, in_domain
from layoutalg.prove.outcome import Fails
from layoutalg.prove.strategies.enumeration import reached


def replays(obligation: Obligation, outcome: Fails) -> bool:
    """Whether the counterexample is one, in exact integers."""
    if not all(in_domain(point, obligation.variables) for point in outcome.points):
        return False
    if isinstance(obligation, Onto):
        with suppress(OverflowError):
            return bool(value(obligation.where, outcome.points[0])) and not reached(obligation, outcome.points[0])
        return False
    if isinstance(obligation, ForAll):
        (point,) = outcome.points
        return bool(value(obligation.given, point)) and not value(obligation.goal, point)
    return _collide(obligation, *outcome.points)


def _collide(obligation: InjectiveMap, one: Point, other: Point) -> bool:
    return (
        any(one[v] != other[v] for v in obligation.over)
        and all(one[v] == other[v] for v in obligation.shared)
        and all(value(obligation.given, point) for point in (one, other))
        and values(obligation.outputs, one) == values(obligation.outputs, other)
    )
