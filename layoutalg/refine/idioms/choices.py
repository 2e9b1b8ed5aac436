"""Choices that are one number."""

from __future__ import annotations

from layoutalg.index import FALSE, Expr, simplify


def magnitude(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """The greater of e and −e, chosen by their order, where the sign of e is known.

    >>> from layoutalg.index import var
    >>> i = var("i", 9)
    >>> magnitude(-1 * i < i, i, -1 * i)
    i
    """
    if condition.op != "lt" or simplify(condition.args[0] + condition.args[1]) is not FALSE:
        return None
    greater = simplify(condition.args[1])
    if simplify(then) is not greater or simplify(then + otherwise) is not FALSE:
        return None
    return greater if greater.lo >= 0 else otherwise if greater.hi <= 0 else None
