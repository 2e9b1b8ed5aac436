"""Conditions in one form, whichever way a compiler has written them.

| written                            | read as                              | because                        |
|------------------------------------|--------------------------------------|--------------------------------|
| c ∧ ¬(a ∨ b)                       | c ∧ ¬a ∧ ¬b                          | De Morgan                      |
| c ∧ ¬(a ∧ c)                       | c ∧ ¬a                               | a conjunct says nothing again  |
| min(a, b) < c                      | a < c ∨ b < c                        | and so for the other three     |
| a < b, a + 1 ≤ b, ¬(b ≤ a)         | 0 ≤ b − a − 1                        | they are integers              |

What it cannot represent: that one condition follows from several others together.
"""

from __future__ import annotations

from layoutalg.index import Expr, all_of, any_of, conjuncts, eq, le, lt, negation, simplify


def settled(condition: Expr) -> Expr:
    """A conjunction whose negated parts are split, and say nothing that the other parts say.

    A guard that is written as what must not be becomes one that is written as what must.

    >>> from layoutalg.index import any_of, var
    >>> a, b, c = (var(name, 9) < 5 for name in "abc")
    >>> settled(all_of(c, negation(any_of(a, all_of(b, c)))))
    c < 5 and 5 <= a and 5 <= b
    """
    known: list[Expr] = []
    open_parts: list[Expr] = []
    for part in conjuncts(condition):
        (open_parts if part.op == "not" and part.args[0].op in ("any", "all") else known).append(part)
    for part in open_parts:
        denied = part.args[0]
        for case in denied.args if denied.op == "any" else (denied,):
            known.append(negation(all_of(*(p for p in conjuncts(case) if p not in known))))
    return all_of(*known)


def less(left: Expr, right: Expr) -> Expr:
    """left < right, where either may be the lesser or the greater of two numbers.

    >>> from layoutalg.index import const, select, var
    >>> a, b = var("a", 9), var("b", 9)
    >>> less(const(2), select(a < b, a, b)), less(select(a < b, b, a), const(2))
    (2 < a and 2 < b, b < 2 and a < 2)
    """
    for side, both_if in ((left, "greater"), (right, "lesser")):
        which, ways = _chosen(side)
        if which:
            parts = [less(way, right) if side is left else less(left, way) for way in ways]
            return all_of(*parts) if which == both_if else any_of(*parts)
    return lt(left, right)


def _chosen(e: Expr) -> tuple[str, tuple[Expr, ...]]:
    """`lesser` or `greater`, and of which two numbers an expression is that; nothing where it is neither."""
    if e.op == "select" and e.args[0].op in ("lt", "le"):
        order, ways = [tuple(map(simplify, parts)) for parts in (e.args[0].args, e.args[1:])]
        if ways in (order, order[::-1]):
            return "lesser" if ways == order else "greater", ways
    return "", ()


def plain(condition: Expr) -> Expr:
    """The one form of a comparison; another condition is simplified.

    >>> from layoutalg.index import var
    >>> a, b = var("a", 9), var("b", 9)
    >>> plain(a < b + 1) is plain(a <= b) is plain(negation(b < a))
    True
    """
    e = simplify(condition)
    if e.op not in ("lt", "le"):
        return e
    less, more = e.args
    return le(0, simplify(more - less - int(e.op == "lt")))


def meaning(condition: Expr) -> frozenset[Expr]:
    """The parts of a condition, each in a form that others share which say the same: a == b is a − b.

    >>> from layoutalg.index import var
    >>> a, b = var("a", 9), var("b", 9)
    >>> meaning(eq(a + 2, b + 2)) == meaning(eq(a * 2 - a, b))
    True
    """
    parts = map(simplify, conjuncts(condition))
    return frozenset(eq(simplify(part.args[0] - part.args[1]), 0) if part.op == "eq" else plain(part) for part in parts)
