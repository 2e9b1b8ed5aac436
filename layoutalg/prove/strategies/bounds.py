"""Bounds: orders whose sides stay in a range under what is given, by replacing what is known to be below a limit.

The lemma: where p < P and P·(q + 1) ≤ L are given, p + P·q < L, whatever p and q are made of.  So each given part of an
expression is any number below its limit, and the greatest value is a polynomial in the sizes, of which another part of
what is given says how large it is (`layoutalg.index.bounds`).  A part of the goal is one of these:

| part of the goal   | is shown as          |
|--------------------|----------------------|
| e < c, e ≤ c       | e below a constant   |
| c < e, c ≤ e       | e from a constant up |
| a < b, a ≤ b       | 0 ≤ b − a − 1, 0 ≤ b − a; or K·x + y, where 0 ≤ x is given, K > 0 and y at least 0 |

An offset such as n + N·(m + M·g) < 2³¹ is shown so in a millisecond, where solvers, over products of unknowns, find
proofs by luck.  Sufficient only: nothing is refuted.
"""

from __future__ import annotations

import math

from layoutalg.index import FALSE, Expr, all_of, conjuncts, div, postorder, simplify, slack, variables
from layoutalg.index.bounds import at_least_zero, in_range
from layoutalg.index.conditions import restricted
from layoutalg.index.normal import normal
from layoutalg.index.orders import less
from layoutalg.prove.obligation import ForAll, Obligation
from layoutalg.prove.outcome import GaveUp, Holds, Limits, Outcome
from layoutalg.prove.strategies.changes import by_digits

NAME = "bounds"


def bounds(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides a `ForAll` whose goal is a conjunction of orders, or the same over the digits of what it divides."""
    outcome = _bounds(obligation)
    anew = None if isinstance(outcome, Holds) else by_digits(obligation, _bounds)
    return anew if isinstance(anew, Holds) else outcome


def _bounds(obligation: Obligation) -> Outcome:
    if not isinstance(obligation, ForAll):
        return GaveUp(NAME, "it decides orders only")
    if simplify(obligation.given) is FALSE:
        return GaveUp(NAME, "the assumptions never hold, and a vacuous proof is no proof")
    below = [(v, v.value.extent) for v in variables(*obligation.roots) if v.value.extent is not None]
    below += [(div(v, by), (extent + by - 1) // by) for v, extent in below for by in _divisors(v, obligation.goal)]
    each = (restricted(one, obligation.given) for v, extent in below for one in conjuncts(less(v, extent)))
    given = all_of(obligation.given, *(v < extent for v, extent in below), *each)
    left = next((part for part in conjuncts(obligation.goal) if not _shown(part, given)), None)
    return Holds(NAME) if left is None else GaveUp(NAME, f"{left} is left")


def _divisors(v: Expr, goal: Expr) -> list[Expr]:
    """The numbers that a goal divides a variable by."""
    return [e.args[1] for e in postorder(goal) if e.op == "div" and e.args[0] is v and e.args[1].op == "const"]


def _shown(part: Expr, given: Expr) -> bool:
    """Whether an order follows from limits that are given."""
    if part.op not in ("lt", "le"):
        return part.op == "const" and bool(part.value)
    (low, high), strict = part.args, int(part.op == "lt")
    if high.op == "const":
        return in_range(low, -math.inf, high.value + 1 - strict, given)
    if low.op == "const":
        return in_range(high, low.value + strict, math.inf, given)
    return in_range(simplify(high - low), strict, math.inf, given) or _by_one(simplify(high - low - strict), given)


def _by_one(room: Expr, given: Expr) -> bool:
    """Whether what is to be at least 0 is a multiple of what one order says is, and something that always is."""
    whole = normal(room).terms
    rooms = (found for one in conjuncts(given) if (found := slack(one)) is not None)
    for one, terms in ((found, normal(found).terms) for found in rooms):
        for factor in {whole[m] // c for m, c in terms.items() if m and m in whole and not whole[m] % c}:
            rest = simplify(room - one * factor)
            if factor > 0 and len(normal(rest).terms) < len(whole) and at_least_zero(rest):
                return True
    return False
