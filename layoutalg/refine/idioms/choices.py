"""Choices between integers that are one number.

| written | read |
|---|---|
| `−x < x ? x : −x` | x, or −x, where its sign is known |
| `n − q·d ≥ d ? q + 1 : q`, of an estimate q = n div d − e | n div d − max(e − 1, 0) (`reciprocal`) |
"""

from __future__ import annotations

from layoutalg.index import FALSE, Expr, select, simplify
from layoutalg.refine.idioms import reciprocal
from layoutalg.refine.idioms.rules import Lemma, Rule, number


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


_S = number("s", 32, signed=True)

CHOICES = (
    Rule(
        "the magnitude of a number",
        lambda _, *operands: magnitude(*operands),
        Lemma(select(-1 * _S < _S, _S, -1 * _S), select(_S < 0, -1 * _S, _S)),
    ),
    reciprocal.CORRECTED,
)
