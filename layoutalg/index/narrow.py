"""Narrowing: what is assumed of a size alone is a limit of the size, and every reader of ranges then knows it.

| assumed                        | the size                        |
|--------------------------------|---------------------------------|
| `5 <= M`, `2*M < 9`, `M != …`  | min 5; max 4; nothing           |
| `M == 16`                      | min 16, max 16                  |
| `M % 8 == 0`                   | a multiple of 8 (and as it was) |

A narrowed size has the name of the one it narrows, and one of the two stands in a statement, never both.  What cannot
be said as limits (a product of sizes, a disjunction, limits that leave no value) narrows nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from layoutalg.index.expr import Expr, div
from layoutalg.index.normal import normal
from layoutalg.index.variable import Symbol, symbol
from layoutalg.index.walk import conjuncts, slack, variables


def narrowed(given: Iterable[Expr]) -> Mapping[Expr, Expr]:
    """Each size that some assumption limits → the same size within these limits.

    >>> m, n = symbol("M", min=0), symbol("N")
    >>> sizes = narrowed([1 <= m, m * 2 < 129, n <= m])
    >>> sizes[m].lo, sizes[m].hi, n in sizes
    (1, 64, False)
    >>> k = symbol("K", min=8, max=4096, multiple_of=8)
    >>> [(one.lo, one.hi) for one in narrowed([50 <= k, k * 2 < 300]).values()]
    [(56, 144)]
    """
    limits: dict[Expr, Symbol] = {}
    for part in (p for e in given for p in conjuncts(e)):
        found = variables(part)
        if len(found) == 1 and not found[0].value.index:
            (v,) = found
            limits[v] = _limited(limits.get(v, v.value), v, part)
    return {v: made for v, s in limits.items() if s != v.value and (made := _made(s)) is not None and made is not v}


def _made(s: Symbol) -> Expr | None:
    top = None if s.hi == math.inf else int(s.hi)
    try:
        return symbol(s.name, min=int(s.lo), max=top, multiple_of=s.multiple_of, power_of_two=s.power_of_two)
    except ValueError:  # no value is left
        return None


def _limited(s: Symbol, v: Expr, part: Expr) -> Symbol:
    """The limits, and those that one assumption about the size adds."""
    if part.op == "eq":
        return _equal(s, v, *part.args)
    room = slack(part)
    if room is None:
        return s
    terms = normal(room).terms
    unit = v.value.multiple_of
    each = div(v, unit)  # in which a normal form has a multiple
    factor, constant = terms.get((each,), 0), terms.get((), 0)
    if not factor or set(terms) - {(each,), ()}:
        return s
    if factor > 0:  # factor·(v // unit) ≥ −constant
        return replace(s, lo=max(s.lo, -(constant // factor) * unit))
    return replace(s, hi=min(s.hi, constant // -factor * unit))


def _equal(s: Symbol, v: Expr, one: Expr, other: Expr) -> Symbol:
    if one.op == "const":
        one, other = other, one
    if other.op != "const":
        return s
    if one is v:
        return replace(s, lo=max(s.lo, other.value), hi=min(s.hi, other.value))
    if one.op == "mod" and one.args[0] is v and one.args[1].op == "const" and other.value == 0:
        return replace(s, multiple_of=math.lcm(s.multiple_of, one.args[1].value))
    return s
