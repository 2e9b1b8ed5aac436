"""Ranges and the normal form: no search, microseconds, sizes may be symbols.

Each part of a goal that simplifies to true is proved.  A part `a ≤ b` also follows from a part `c ≤ d` of what is
given, where b − a − (d − c) ≥ 0 for all values.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import FALSE, Expr, conjuncts
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
    given = [(a, b) for part in conjuncts(obligation.given) for a, b in _orders(part)]
    for part in conjuncts(obligation.goal):
        plain = simplify(part)
        if plain.op == "const":
            if not plain.value:
                return GaveUp("normal form", f"{part} is false")
        elif not _follows(plain, given):
            return GaveUp("normal form", f"{plain} is left")
    return Holds("normal form")


def _orders(part: Expr) -> list[tuple[Expr, Expr]]:
    """The (a, b) with a ≤ b that a truth value says."""
    if part.op in ("lt", "le"):
        a, b = part.args
        return [(a + 1 if part.op == "lt" else a, b)]
    return [part.args[:2], part.args[1::-1]] if part.op == "eq" else []  # type: ignore[list-item]


def _follows(part: Expr, given: Sequence[tuple[Expr, Expr]]) -> bool:
    wanted = _orders(part)
    return bool(wanted) and all(any(nonnegative(b - a - (d - c)) for c, d in given) for a, b in wanted)
