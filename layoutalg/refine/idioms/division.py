"""Division by a constant as compilers write it: a product with the reciprocal, rounded up, and a shift.

What it cannot represent: limits that only a solver shows.
"""

from __future__ import annotations

import math

from layoutalg.index import FALSE, Expr, div, simplify
from layoutalg.index.bounds import NARROWEST, in_range
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly


def unmagic(e: Expr, given: Expr) -> Expr:
    """x div d, where a quotient m·x div 2ᵏ is that: m·d = 2ᵏ + r, and r·x < 2ᵏ (a division by a constant).

    >>> from layoutalg.index import var
    >>> x = var("x", 1 << 31)
    >>> unmagic(x * 715827883 // (1 << 32), FALSE)
    x // 6
    >>> unmagic((x * -1840700269 // (1 << 32) + x) // 4, FALSE)
    x // 7
    >>> unmagic(var("y", 100) * 43 // 128, FALSE)
    y // 3

    A factor that is not above the divisor is no rounded reciprocal, and stays.
    """
    if e.op != "div" or e.args[1].op != "const" or e.args[1].value & (e.args[1].value - 1):
        return e
    whole, e = e, _one_division(e)
    if e.op != "div":
        return e
    power = e.args[1].value
    content = math.gcd(*(int(k) for k in normal(e.args[0]).terms.values())) if normal(e.args[0]).terms else 1
    divisor = -(-power // content)
    excess = content * divisor - power
    if not 1 < divisor < content:
        return whole
    x = simplify(div(e.args[0], content))
    limit = min(1 << 31, power // max(excess, 1))
    return simplify(div(x, divisor)) if in_range(x, 0, limit, given) else whole


def _one_division(e: Expr) -> Expr:
    """(y div a + r) div n = (y + a·r) div (a·n), of constants a and n, for the greatest a."""
    whole = normal(e.args[0])
    inner = [m[0] for m, k in whole.terms.items() if k == 1 and len(m) == 1 and m[0].op == "div"]
    wide = [q for q in inner if q.args[1].op == "const" and q.args[1].value >= NARROWEST]
    if not wide:
        return e
    quotient = max(wide, key=lambda q: int(q.args[1].value))
    y, a = quotient.args
    rest = whole - Poly.atom(quotient)
    return div(recover(normal(y) + normal(a) * rest).expr(), int(a.value * e.args[1].value))


def shifted(e: Expr, places: int, given: Expr) -> Expr:
    """e div 2ᵏ: 0 where e is known to be in 0 … 2ᵏ − 1.

    >>> from layoutalg.index import all_of, symbol
    >>> n, p = symbol("N"), symbol("p", min=0)
    >>> shifted(p, 24, all_of(p < n, n < 1 << 24))
    0
    """
    return FALSE if in_range(simplify(e), 0, 1 << places, given) else unmagic(simplify(div(e, 1 << places)), given)
