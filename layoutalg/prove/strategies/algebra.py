"""Ranges and the normal form: no search, microseconds, sizes may be symbols.

Each part of a goal that simplifies to true is proved.  A part `a ≤ b` also follows from a part `c ≤ d` of what is
given, where b − a − (d − c) ≥ 0 for all values.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import FALSE, Expr, conjuncts, slack
from layoutalg.index.normal import nonnegative, simplify
from layoutalg.prove.obligation import ForAll, Obligation
from layoutalg.prove.outcome import GaveUp, Holds, Limits, Outcome


def normal_form(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides a `ForAll` by simplification alone."""
    if not isinstance(obligation, ForAll):
        return GaveUp("normal form", "it decides equalities and bounds only")
    if all(part.op == "const" and part.value for part in conjuncts(obligation.goal)):
        return Holds("intervals")
    if simplify(obligation.given) is FALSE:
        return GaveUp("normal form", "the assumptions never hold, and a vacuous proof is no proof")
    given = [room for part in conjuncts(obligation.given) for room in _slacks(part)]
    for part in conjuncts(obligation.goal):
        plain = simplify(part)
        if plain.op == "const":
            if not plain.value:
                return GaveUp("normal form", f"{part} is false")
        elif not _follows(plain, given):
            return GaveUp("normal form", f"{plain} is left")
    return Holds("normal form")


def _slacks(part: Expr) -> list[Expr]:
    """What is at least 0 where a truth value holds; all of it, where that holds only then."""
    if part.op == "eq":
        a, b = part.args
        return [a - b, b - a]
    room = slack(part)
    return [] if room is None else [room]


def _follows(part: Expr, given: Sequence[Expr]) -> bool:
    wanted = _slacks(part)
    return bool(wanted) and all(any(nonnegative(room - known) for known in given) for room in wanted)
