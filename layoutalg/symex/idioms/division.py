"""Division by a constant as compilers write it: a product with the reciprocal, rounded up, and a shift.

| written | read | where |
|---|---|---|
| x div 2ᵏ | 0 | 0 ≤ x < 2ᵏ |
| m·x div 2ᵏ | x div d | m·d = 2ᵏ + r and r·x < 2ᵏ (Granlund and Montgomery, 1994) |
| (y div a + r) div n | (y + a·r) div (a·n) | always |

What it cannot represent: limits that only a solver shows.
"""

from __future__ import annotations

import math

from layoutalg.index import ZERO, Expr, all_of, div, simplify, symbol
from layoutalg.index.bounds import NARROWEST_CUT, in_range
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.symex.idioms.rules import Lemma, Rule, first, number


def shifted(e: Expr, places: int, given: Expr) -> Expr:
    """e div 2ᵏ: 0 where e is known to be in 0 … 2ᵏ − 1.

    >>> from layoutalg.index import all_of, symbol
    >>> n, p = symbol("N"), symbol("p", min=0)
    >>> shifted(p, 24, all_of(p < n, n < 1 << 24))
    0
    """
    found: Expr | None = first(QUOTIENTS, e, places, given)
    return simplify(div(e, 1 << places)) if found is None else found


def _below(e: Expr, places: int, given: Expr) -> Expr | None:
    return ZERO if in_range(simplify(e), 0, 1 << places, given) else None


def _by_constant(e: Expr, places: int, given: Expr) -> Expr | None:
    return by_constant(simplify(div(e, 1 << places)), given)


def by_constant(e: Expr, given: Expr) -> Expr | None:
    """x div d, where a quotient m·x div 2ᵏ is that: m·d = 2ᵏ + r, and r·x < 2ᵏ; None of another.

    >>> from layoutalg.index import TRUE, var
    >>> x = var("x", 1 << 31)
    >>> by_constant(x * 715827883 // (1 << 32), TRUE)
    x // 6
    >>> by_constant((x * -1840700269 // (1 << 32) + x) // 4, TRUE)
    x // 7
    >>> by_constant(var("y", 100) * 43 // 128, TRUE)
    y // 3

    A factor that is not above the divisor is no rounded reciprocal, and stays.
    """
    if e.op != "div" or e.args[1].op != "const" or e.args[1].value & (e.args[1].value - 1):
        return None
    e = _one_division(e)
    if e.op != "div":
        return None
    power = e.args[1].value
    content = math.gcd(*(int(k) for k in normal(e.args[0]).terms.values())) if normal(e.args[0]).terms else 1
    divisor = -(-power // content)
    excess = content * divisor - power
    if not 1 < divisor < content:
        return None
    x = simplify(div(e.args[0], content))
    limit = min(MOST_DIVIDED, power // max(excess, 1))
    return simplify(div(x, divisor)) if in_range(x, 0, limit, given) else None


#: What is divided by a constant is below this: a signed word that is not negative.
MOST_DIVIDED = 1 << 31


def _one_division(e: Expr) -> Expr:
    """(y div a + r) div n = (y + a·r) div (a·n), of constants a and n, for the greatest a.

    The first quotient is the upper half of a product of words, or of halves.
    """
    whole = normal(e.args[0])
    inner = [m[0] for m, k in whole.terms.items() if k == 1 and len(m) == 1 and m[0].op == "div"]
    wide = [q for q in inner if q.args[1].op == "const" and q.args[1].value >= NARROWEST_CUT]
    if not wide:
        return e
    quotient = max(wide, key=lambda q: int(q.args[1].value))
    y, a = quotient.args
    rest = whole - Poly.atom(quotient)
    return div(recover(normal(y) + normal(a) * rest).expr(), int(a.value * e.args[1].value))


_X, _M, _D = number("x", 6), number("m", 6), symbol("d", max=63)
_P = symbol("p", max=64, power_of_two=True)
_Y, _R = number("y", 64, signed=True), number("r", 32, signed=True)

QUOTIENTS = (
    Rule("a number below the divisor", _below, Lemma(div(_X, _P), ZERO, _X < _P)),
    Rule(
        "a product with a rounded reciprocal",
        _by_constant,
        Lemma(div(_X * _M, _P), div(_X, _D), all_of(_M * _D >= _P, (_M * _D - _P) * _X < _P)),
    ),
)


def two_quotients(a: int, n: int) -> Lemma:
    """What joins the quotients of a reciprocal that has more bits than a word, before the rule."""
    return Lemma(div(div(_Y, a) + _R, n), div(_Y + a * _R, a * n))
