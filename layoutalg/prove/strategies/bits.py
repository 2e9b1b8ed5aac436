"""F₂ rank: maps that are linear in the bits of their variables, decided by Gaussian elimination in microseconds.

A map over F₂ (`index.f2`) is injective exactly when its kernel is 0; else a vector of the kernel tells two points with
one image.  Two maps are equal exactly when their columns and their values at 0 are, and one is below a number where the
bits that it may have set are.  What it cannot decide: what is not linear in the bits, and whether maps are ordered.
"""

from __future__ import annotations

from layoutalg.index import Expr, conjuncts
from layoutalg.index.f2 import LinearMaps, NotLinearError, kernel
from layoutalg.index.normal import holds
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome

NAME = "F₂ rank"


def f2_rank(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides injectivity, equality and bounds of maps that are linear in the bits."""
    try:
        if isinstance(obligation, InjectiveMap):
            return _injective(obligation)
        return _all_hold(obligation) if isinstance(obligation, ForAll) else GaveUp(NAME, "it is no one map")
    except NotLinearError as error:
        return GaveUp(NAME, str(error))


def _injective(obligation: InjectiveMap) -> Outcome:
    maps = LinearMaps(obligation.outputs, obligation.over)
    collapsed = kernel(maps.columns(obligation.outputs))
    if not collapsed:
        return Holds(NAME)
    if obligation.shared:
        return GaveUp(NAME, "a size is not fixed")
    return Fails(NAME, (maps.point(0), maps.point(collapsed[0])))


def _all_hold(obligation: ForAll) -> Outcome:
    parts = [part for part in conjuncts(obligation.goal) if not holds(part)]
    if any(part.op not in ("eq", "lt", "le") for part in parts):
        return GaveUp(NAME, "the goal compares no two maps")
    maps = LinearMaps([side for part in parts for side in part.args], obligation.variables)
    for part in parts:
        one, other = part.args
        if part.op == "eq":
            wrong = maps.difference(one, other)
            if wrong is not None:
                return Fails(NAME, (wrong,))
        elif not _below(maps, one, other, 1 if part.op == "lt" else 0):
            return GaveUp(NAME, f"{part} is left")
    return Holds(NAME)


def _below(maps: LinearMaps, one: Expr, other: Expr, gap: int) -> bool:
    """Whether one + gap ≤ other is certain from the bits that they may have."""
    least = other.value if other.op == "const" else 0
    return maps.masks[one] + gap <= int(least)
