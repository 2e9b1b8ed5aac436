"""The normal form: every expression as a polynomial over variables and irreducible divisions.

`x mod n` becomes `x − n·(x div n)`, so division is the only thing that is not a polynomial, and it is pushed down by
identities that hold for all integers (n, a, b, g ≥ 1).  Equal terms then cancel; `simplify` prints what is left, with
`x − n·(x div n)` read back as `x mod n`.

| rule                | identity                                                    |
|---------------------|-------------------------------------------------------------|
| pull out multiples  | (n·A + r) div n = A + r div n                               |
| small numerator     | 0 ≤ r < n ⇒ r div n = 0                                     |
| cancel a factor     | 0 ≤ b < g ⇒ (g·A + b) div (g·D) = A div D                   |
| merge divisions     | (x div a + r) div n = (x + a·r) div (a·n)                   |
| xor is bitwise      | (p ^ q) div 2ᵏ = (p div 2ᵏ) ^ (q div 2ᵏ), and so for mod    |
| a multiple of m     | M = m·(M div m), for a symbol with `multiple_of = m`        |

It decides no inequality between unrelated symbols and does not see through xor of a sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache

from layoutalg.index import budget
from layoutalg.index.expr import FALSE, ONE, TRUE, Expr, const, div, mod, mul, xor
from layoutalg.index.node import Bound
from layoutalg.index.poly import MOST_TERMS, Monomial, Poly, common_term, monomial_order
from layoutalg.index.ranges import BOOLEAN
from layoutalg.index.signs import above_least, covered, shifted_nonnegative
from layoutalg.index.text import order
from layoutalg.index.walk import rebuild


def simplify(expr: Expr) -> Expr:
    """The expression that the normal form prints: equal for all expressions with one normal form.

    >>> from layoutalg.index import var, symbol
    >>> n = symbol("N")
    >>> i, j = var("i", 12), var("j", n)
    >>> simplify((i * n + j) // n), simplify((i * n + j) % n), simplify(i // 3 * 3 + i % 3)
    (i, j, i)
    """
    if expr._simple is None:
        expr._simple = recovered(expr).expr()
    return expr._simple


def normal(expr: Expr) -> Poly:
    """The normal form of an expression (kept with the node: computed once)."""
    stack = [expr] if expr._normal is None else []
    while stack:
        node = stack[-1]
        waiting = [a for a in node.args if a._normal is None] if node._normal is None else []
        if waiting:
            stack += waiting
            continue
        if node._normal is None:
            budget.check()
            node._normal = Poly.of(int(node.lo)) if node.lo == node.hi else _RULES[node.op](node)
        stack.pop()
    result: Poly = expr._normal
    return result


@lru_cache(maxsize=1 << 14)
def nonnegative(expr: Expr) -> bool:
    """Whether 0 ≤ expr is certain, for all values of its variables; False means only that it was not shown.

    >>> from layoutalg.index import var, symbol
    >>> m, n = symbol("M"), symbol("N")
    >>> nonnegative(m * n - 1 - (var("i", m) * n + var("j", n)))
    True
    """
    return expr.lo >= 0 or _nonnegative(recovered(expr), DEPTH)


DEPTH, LONGEST = 12, 200
"""Atoms that a test for 0 ≤ e replaces in turn, and the terms of what it looks at: each may double the work."""

# --- the rules --------------------------------------------------------------------------------------------------------


def _product(e: Expr) -> Poly:
    a, b = map(normal, e.args)
    return _kept(e, mul(*map(simplify, e.args))) if _too_long(a, b) else a * b


def _too_long(a: Poly, b: Poly) -> bool:
    return len(a.terms) * len(b.terms) > MOST_TERMS


def _sum(e: Expr) -> Poly:
    total = normal(e.args[0])
    for part in e.args[1:]:
        total = total + normal(part)
    return total


def _variable(e: Expr) -> Poly:
    m = e.value.multiple_of
    return Poly({(div(e, m),): m}) if m > 1 else Poly.atom(e)


def _divide(e: Expr) -> Poly:
    num, den = map(normal, e.args)
    if _divisor(den) is None:
        return _kept(e, div(simplify(e.args[0]), e.args[1]))
    return _floor(num, den)


def _remain(e: Expr) -> Poly:
    num, den = map(normal, e.args)
    if _divisor(den) is None:
        return _kept(e, mod(simplify(e.args[0]), e.args[1]))
    return _remainder(num, den)


def _divisor(den: Poly) -> Expr | None:
    """A divisor as it is printed, None where its range no longer shows that it is at least 1."""
    if den.constant is not None:
        return const(den.constant) if den.constant >= 1 else None
    e = recover(den).expr()
    return e if e.lo >= 1 else None


def _opaque(e: Expr) -> Poly:
    """An operation that the normal form does not look into, with its arguments simplified."""
    args = [simplify(a) for a in e.args]
    if e.op == "xor":
        return _xor(args)
    if e.op == "lookup" and not 0 <= args[0].lo <= args[0].hi < len(e.value):
        return Poly.atom(e)  # the range of the index was clearer before
    new = rebuild(e, args)
    if new.op in ("lt", "le", "eq"):
        new = _compare(new)
    return _kept(e, new)


def _kept(e: Expr, new: Expr) -> Poly:
    """What `e` became, an atom as long as it is still the same operation."""
    return Poly.of(new.value) if new.op == "const" else Poly.atom(new) if new.op == e.op else normal(new)


def _xor(args: list[Expr]) -> Poly:
    bits, rest = 0, dict[Expr, None]()
    for arg in args:
        for part in _xor_parts(arg):
            if part.op == "const":
                bits ^= part.value
            elif part in rest:
                del rest[part]
            else:
                rest[part] = None
    result: Expr = const(bits)
    for part in sorted(rest, key=order, reverse=True):
        result = xor(part, result)
    return Poly.atom(result) if result.op == "xor" else normal(result)


def _xor_parts(e: Expr) -> list[Expr]:
    return [p for a in e.args for p in _xor_parts(a)] if e.op == "xor" else [e]


def _compare(e: Expr) -> Expr:
    """A comparison decided where the normal form of the difference decides it."""
    a, b = e.args
    if e.op == "eq":
        if (normal(a) - normal(b)).terms == {}:
            return TRUE
        return FALSE if nonnegative(a - b - 1) or nonnegative(b - a - 1) else e
    strict = 1 if e.op == "lt" else 0
    if nonnegative(b - a - strict):
        return TRUE
    return FALSE if nonnegative(a - b - (1 - strict)) else e


def _floor(num: Poly, den: Poly) -> Poly:
    """num div den, by the rules of the table."""
    whole, rest = num.split(den)
    if not rest.terms:
        return whole
    n = den.constant
    if n is not None:
        lo, hi = _range(rest)
        if lo > -math.inf and hi < math.inf and lo // n == hi // n:
            return whole + Poly.of(int(lo // n))
    elif _below(rest, den):
        return whole
    return whole + (_cancelled(rest, den) or _merged(rest, den) or _bitwise(rest, den, div) or _division(rest, den))


def _remainder(num: Poly, den: Poly) -> Poly:
    """num mod den."""
    rest = num.split(den)[1]
    return _bitwise(rest, den, mod) or rest - den * _floor(rest, den)


def _cancelled(rest: Poly, den: Poly) -> Poly | None:
    """(g·A + b) div (g·D) = A div D for 0 ≤ b < g, with the greatest single-term g that allows it."""
    g0 = den.content()
    factors = {common_term(g0, term): None for term in rest.terms.items() if term[0]}
    for m, k in sorted(factors, key=lambda g: (-len(g[0]), -g[1], monomial_order(g[0]))):
        g = Poly({m: k})
        if g.constant == 1:
            continue
        multiple, small = rest.split(g)
        over = den.exactly_over(g)
        if over is not None and _divisor(over) is not None and _below(small, g):
            return _floor(multiple, over)
    return None


def _merged(rest: Poly, den: Poly) -> Poly | None:
    """(x div a + r) div n = (x + a·r) div (a·n), where one term is a division."""
    inner = [m[0] for m, k in rest.terms.items() if k == 1 and len(m) == 1 and m[0].op == "div"]
    if len(inner) != 1 or (inner[0].args[0].op == "var" and inner[0].args[0].value.multiple_of > 1):
        return None
    x, a = map(normal, inner[0].args)
    if _too_long(a, den) or _too_long(a, rest) or _divisor(a * den) is None:
        return None
    return _floor(x + a * (rest - Poly.atom(inner[0])), a * den)


def _bitwise(rest: Poly, den: Poly, op: Callable[[Expr, Expr], Expr]) -> Poly | None:
    """div or mod by a power of two goes through a lone xor."""
    n = den.constant
    if n is None or n & (n - 1) or len(rest.terms) != 1:
        return None
    ((m, k),) = rest.terms.items()
    if k != 1 or len(m) != 1 or m[0].op != "xor":
        return None
    return _xor([simplify(op(p, const(n))) for p in _xor_parts(m[0])])


def _division(rest: Poly, den: Poly) -> Poly:
    divisor = _divisor(den)
    assert divisor is not None
    node = div(recover(rest).expr(), divisor)
    return Poly.of(node.value) if node.op == "const" else Poly.atom(node)


_RULES: Mapping[str, Callable[[Expr], Poly]] = {
    "const": lambda e: Poly.of(e.value),
    "var": _variable,
    "add": _sum,
    "mul": _product,
    "div": _divide,
    "mod": _remain,
    **dict.fromkeys(("xor", "and", "select", "lookup", *BOOLEAN), _opaque),
}


def _below(poly: Poly, limit: Poly) -> bool:
    """Whether 0 ≤ poly < limit is certain."""
    if limit.constant is not None:
        lo, hi = _range(poly)
        return lo >= 0 and hi < limit.constant
    return _nonnegative(recover(poly), DEPTH) and _nonnegative(recover(limit - poly - Poly.of(1)), DEPTH)


# --- reading back -----------------------------------------------------------------------------------------------------


def recover(poly: Poly) -> Poly:
    """The polynomial with `x − n·(x div n)` written as the atom `x mod n`, and `m·(M div m)` as M."""
    divisions = [a for a in poly.atoms() if a.op == "div"]
    if not divisions:
        return poly
    for atom in sorted(divisions, key=_outermost):
        if atom in poly.atoms():
            poly = _with_remainder(poly, atom)
    for atom in [a for a in poly.atoms() if a.op == "div" and a.args[0].op == "var"]:
        m = atom.args[0].value.multiple_of
        if m > 1 and atom.args[1] is const(m):
            parts = poly.linear_in(atom)
            whole = parts and parts[1].exactly_over(Poly.of(m))
            if parts and whole:
                poly = parts[0] + whole * Poly.atom(atom.args[0])
    return poly


@lru_cache(maxsize=1 << 12)
def recovered(expr: Expr) -> Poly:
    """The normal form of an expression, read back: what it is printed by, and bounded by."""
    return recover(normal(expr))


def _outermost(atom: Expr) -> int:
    """Outer divisions are read back first, while the inner ones still stand as their numerators have them."""
    return -atom.depth


def _with_remainder(poly: Poly, atom: Expr) -> Poly:
    """The shortest of the rewritings of c·(x div a) − c·n·(x div (a·n)) as c·((x div a) mod n), or poly itself."""
    parts = poly.linear_in(atom)
    if parts is None:
        return poly
    rest, factor = parts
    x, full = atom.args
    best = poly
    for a in [ONE, *(d.args[1] for d in rest.atoms() if d.op == "div" and d.args[0] is x)]:
        n = normal(full).exactly_over(normal(a))
        c = n and (-factor).exactly_over(n)
        if not n or not c or n.constant == 1 or (divisor := _divisor(n)) is None:
            continue
        whole = div(x, a)
        as_mod = Poly.atom(mod(whole, divisor))
        shorter = rest - c * (normal(x) if a is ONE else Poly.atom(whole)) + c * as_mod
        if len(shorter.terms) < len(best.terms):
            best = shorter
    return best


def _range(poly: Poly) -> tuple[Bound, Bound]:
    """The range of the printed form: tighter than the sum of the terms' ranges where a remainder is recovered."""
    e = (recover(poly) if any(a.op == "div" for a in poly.atoms()) else poly).expr()
    return e.lo, e.hi


# --- inequalities between symbols -------------------------------------------------------------------------------------


def _nonnegative(poly: Poly, depth: int) -> bool:
    """0 ≤ poly: replace each bounded atom by the end that is least for poly, then compare what is left term by term."""
    if all(k >= 0 for k in poly.terms.values()) and all(a.lo >= 0 for a in poly.atoms()):
        return True
    budget.check()
    if depth == 0 or len(poly.terms) > LONGEST or above_least(poly, 0) < 0:
        return False
    return _eliminated(frozenset(poly.terms.items()), depth)


@lru_cache(maxsize=1 << 14)
def _eliminated(terms: frozenset[tuple[Monomial, int]], depth: int) -> bool:
    """The same of its terms, with one atom less; kept: the factors of atoms are those of many polynomials."""
    poly = Poly(dict(sorted(terms, key=lambda term: monomial_order(term[0]))))
    for atom in sorted(poly.atoms(), key=_elimination_order):
        upper = _upper(atom)
        parts = poly.linear_in(atom) if upper is not None else None
        if upper is None or parts is None or atom.lo == -math.inf:
            continue
        rest, factor = parts
        if _nonnegative(factor, depth - 1):
            return _nonnegative(rest + factor * Poly.of(int(atom.lo)), depth - 1)
        if _nonnegative(-factor, depth - 1):
            return _nonnegative(rest + factor * upper, depth - 1)
    return covered(poly) or shifted_nonnegative(poly)


def _elimination_order(atom: Expr) -> tuple[int, str]:
    """Indices whose limit is a size go first, sizes with limits of their own last."""
    symbolic = atom.op == "var" and atom.value.extent is not None
    return (0 if symbolic else 1 if atom.op != "var" else 2), order(atom)


def _upper(atom: Expr) -> Poly | None:
    """The greatest value of an atom, as a polynomial in what limits it."""
    if atom.op == "var" and atom.value.extent is not None:
        return recovered(atom.value.extent) - Poly.of(1)
    if atom.op == "mod" and atom.args[1].op != "const":
        return recovered(atom.args[1]) - Poly.of(1)
    return Poly.of(int(atom.hi)) if atom.hi < math.inf else None


def holds(condition: Expr) -> bool:
    """Whether a truth value is certain by ranges and normal form alone.

    >>> from layoutalg.index import eq, var
    >>> i = var("i", 6)
    >>> holds(eq(i % 4 + i // 4 * 4, i))
    True
    """
    return simplify(condition) is TRUE
