"""Orders of two numbers, of which one may be the lesser or the greater of two, or lie in a multiple that is seen.

| an order | is |
|---|---|
| min(a, b) < c, c < max(a, b) | a < c or b < c; c < a or c < b |
| c < min(a, b), max(a, b) < c | c < a and c < b; a < c and b < c |
| x ^ y < k·n | where it is seen so: (x ^ y) div k < n |

What it cannot represent: orders that follow from others (`bounds`).
"""

from __future__ import annotations

from layoutalg.index.conditions import of_two
from layoutalg.index.expr import FALSE, TRUE, Expr, div, lt
from layoutalg.index.normal import normal, simplify
from layoutalg.index.truth import all_of, any_of


def less(left: Expr, right: Expr) -> Expr:
    """left < right, where either may be the lesser or the greater of two numbers.

    >>> from layoutalg.index import const, select, var, xor
    >>> a, b = var("a", 9), var("b", 9)
    >>> less(const(2), select(a < b, a, b)), less(select(a < b, b, a), const(2))
    (2 < a and 2 < b, b < 2 and a < 2)
    >>> lane = var("lane", 64)
    >>> less(xor(lane, 4), lane // 8 * 8 + 8), less(xor(lane, 8), lane // 8 * 8 + 8)
    (1, lane ^ 8 < lane // 8 * 8 + 8)
    """
    for side, both_if in ((left, "greater"), (right, "lesser")):
        which, ways = of_two(side)
        if which:
            parts = [less(way, right) if side is left else less(left, way) for way in ways]
            return all_of(*parts) if which == both_if else any_of(*parts)
    known = _less_by_quotients(left, right) if left.op == "xor" else None
    return lt(left, right) if known is None else known


def _less_by_quotients(left: Expr, right: Expr) -> Expr | None:
    """left < right where right is a multiple of k: just where left div k < right div k, which may be seen.

    So a lane's partner is in its tile: (l ^ 16) < l div 32 · 32 + 32, since (l ^ 16) div 32 is l div 32.
    """
    multiple = normal(right)
    size = multiple.content()[1] if multiple.terms else 1
    found = simplify(lt(div(left, size), div(right, size))) if size > 1 else None
    return found if found in (TRUE, FALSE) else None
