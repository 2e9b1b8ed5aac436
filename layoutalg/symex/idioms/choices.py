"""Choices between integers that are one number.

| written | read |
|---|---|
| `−x < x ? x : −x` | x, or −x, where its sign is known |
| `16 < x ? 16 : x` | 16, where x is seen to be 16 at least; so of any two, the lesser or the greater |
| `a < b ? a : b`, `a < b ? b : a` | the lesser or the greater of two, as it is written everywhere |
| `l < 32 ? (l < 32 ? l : 32) : …` | the number that both ways are (V_MBCNT_HI of V_MBCNT_LO: the lane) |
| `n − q·d ≥ d ? q + 1 : q`, of an estimate q = n div d − e | n div d − max(e − 1, 0) (`reciprocal`) |
| `e = 1 ? 1 : 0`, of an estimate n div d − e, e = 0 or 1 | e (`short_division`) |
"""

from __future__ import annotations

from layoutalg.index import ZERO, Expr, maximum, minimum, negation, select, simplify
from layoutalg.index.conditions import of_two, restricted
from layoutalg.symex.idioms import reciprocal, short_division
from layoutalg.symex.idioms.rules import Lemma, Rule, number

#: Choices within choices up to which two ways are compared: each may double the ways.
NESTED = 6


def magnitude(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """The greater of e and −e, chosen by their order, where the sign of e is known.

    >>> from layoutalg.index import var
    >>> i = var("i", 9)
    >>> magnitude(-1 * i < i, i, -1 * i)
    i
    """
    if condition.op != "lt" or simplify(condition.args[0] + condition.args[1]) is not ZERO:
        return None
    greater = simplify(condition.args[1])
    if simplify(then) is not greater or simplify(then + otherwise) is not ZERO:
        return None
    return greater if greater.lo >= 0 else otherwise if greater.hi <= 0 else None


def ordered(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """The lesser or the greater of two, chosen by their order, where it is known but for their being equal.

    >>> from layoutalg.index import const, var
    >>> x = 64 - var("i", 4) * 16
    >>> ordered(16 < x, const(16), x), ordered(16 < x, x, const(16)), ordered(17 < x, const(17), x)
    (16, i * -16 + 64, None)
    """
    if condition.op not in ("lt", "le"):
        return None
    low, high = map(simplify, condition.args)
    one, other = simplify(then), simplify(otherwise)
    if {one, other} != {low, high}:
        return None
    gap = simplify(high - low)
    if gap.lo < 0 < gap.hi:
        return None
    lesser, greater = (low, high) if gap.lo >= 0 else (high, low)
    return lesser if one is low else greater


def alike(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """What both ways are where their own choices are decided by the condition.

    >>> from layoutalg.index import var
    >>> l = var("l", 64)
    >>> low = select(l < 32, l, 32)
    >>> alike(l < 32, low, low + (l - 32)), alike(l < 32, minimum(l, 32), minimum(l, 32) + (l - 32))
    (l, l)
    """
    if not any(node.op == "select" for node in (then, *then.args)) or max(then.choices, otherwise.choices) > NESTED:
        return None
    one = simplify(restricted(then, condition))
    return one if simplify(restricted(otherwise, negation(condition))) is one else None


def limit(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """The lesser or the greater of two numbers, chosen by their strict order.

    >>> from layoutalg.index import var
    >>> a, b = var("a", 9), var("b", 9)
    >>> limit(a < b, a, b), limit(a < b, b, a), limit(b <= a, a, b)
    (min(a, b), max(a, b), None)
    """
    if condition.op != "lt":
        return None
    which, ways = of_two(select(condition, then, otherwise))
    return {"lesser": minimum, "greater": maximum}[which](*map(simplify, condition.args)) if ways else None


_A, _B = number("a", 32, signed=True), number("b", 32, signed=True)
_L, _S = number("l", 8), number("s", 32, signed=True)
_MOST = select(_L < 32, _L, 32)

CHOICES = (
    Rule(
        "the magnitude of a number",
        lambda _, *operands: magnitude(*operands),
        Lemma(select(-1 * _S < _S, _S, -1 * _S), select(_S < 0, -1 * _S, _S)),
    ),
    Rule(
        "the lesser of two in order",
        lambda _, *operands: ordered(*operands),
        Lemma(select(_S < _S + _L, _S, _S + _L), _S),
    ),
    Rule(
        "the lesser of two",
        lambda _, *operands: limit(*operands),
        Lemma(select(_A < _B, _A, _B), minimum(_A, _B)),
    ),
    Rule(
        "one number either way",
        lambda _, *operands: alike(*operands),
        Lemma(select(_L < 32, _MOST, _MOST + (_L - 32)), _L),
    ),
    reciprocal.CORRECTED,
    short_division.CORRECTION,
)
