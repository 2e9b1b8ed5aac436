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

from functools import lru_cache

from layoutalg.index import (
    FALSE,
    TRUE,
    Expr,
    all_of,
    any_of,
    conjuncts,
    eq,
    le,
    lt,
    negation,
    postorder,
    rebuild,
    select,
    simplify,
    variables,
)
from layoutalg.index.ranges import BOOLEAN
from layoutalg.index.text import order

#: Nodes of two expressions from which on they are not compared: choices within choices take long.
LARGE = 64


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


@lru_cache(maxsize=1 << 14)
def said(condition: Expr) -> frozenset[Expr]:
    """All that a conjunction says."""
    return frozenset(conjuncts(condition))


@lru_cache(maxsize=1 << 14)
def undecided(condition: Expr, given: Expr) -> Expr:
    """What of a condition is not among what is given; false where it is denied there.

    >>> from layoutalg.index import var
    >>> a, b, c = (var(name, 9) < 5 for name in "abc")
    >>> undecided(all_of(a, b), a), undecided(negation(all_of(a, b)), a), undecided(all_of(negation(a), c), a)
    (b < 5, 5 <= b, 0)
    """
    known, here = said(given), conjuncts(condition)
    if any(negation(part) in known for part in here):
        return FALSE
    return all_of(*(_undecided(part, given) for part in here if part not in known))


def _undecided(part: Expr, given: Expr) -> Expr:
    if part.op == "any":
        return any_of(*(undecided(case, given) for case in part.args))
    if part.op == "not" and part.args[0].op in ("any", "all"):
        return negation(undecided(part.args[0], given))
    return part


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


@lru_cache(maxsize=1 << 14)
def chosen(e: Expr, given: Expr, spread: bool = True) -> Expr:
    """What an expression is where a condition holds: choices decided that it decides, conditions in one form.

    With `spread` a quotient or remainder of a choice is a choice of quotients or remainders.

    >>> from layoutalg.index import select, var
    >>> a, b = var("a", 9), var("b", 9)
    >>> chosen(select(any_of(a < 5, b < 5), a, select(5 <= a, b, 0)), 5 <= a)
    select(0 <= b * -1 + 4, a, b)
    """
    if not e.args:
        return e
    if e.op == "select":
        condition = chosen(e.args[0], given, spread)
        if condition.op == "const":
            return chosen(e.args[1] if condition is TRUE else e.args[2], given, spread)
        ways = (condition, e.args[1]), (negation(condition), e.args[2])
        return choice(condition, *(chosen(way, all_of(given, holds), spread) for holds, way in ways))
    args = [chosen(a, given, spread) for a in e.args]
    if e.op not in BOOLEAN:
        return _of_each(e, args) if spread else rebuild(e, args)
    true, false = _known(given)
    condition = _in_order(e, args)
    return TRUE if condition in true else FALSE if condition in false else condition


def given_or(condition: Expr, given: Expr) -> Expr:
    """True or false where it, or that it is not so, is among what is given; else the condition.

    >>> from layoutalg.index import var
    >>> a, b = var("a", 9), var("b", 9)
    >>> given_or(a + 1 <= b, a < b), given_or(b <= a, a < b), given_or(a <= b, a < b)
    (1, 0, a <= b)
    """
    true, false = _known(given)
    meant = plain(condition)
    return TRUE if meant in true else FALSE if meant in false else condition


@lru_cache(maxsize=1 << 10)
def _known(given: Expr) -> tuple[frozenset[Expr], frozenset[Expr]]:
    parts = conjuncts(given if given is TRUE else chosen(given, TRUE))
    return frozenset(map(plain, parts)), frozenset(plain(negation(part)) for part in parts)


def _in_order(node: Expr, args: list[Expr]) -> Expr:
    """The condition of these parts: negations at its leaves, parts that say nothing left out."""
    if node.op in ("any", "all"):
        return _joined(node.op, args)
    if node.op == "not" and args[0].op in ("any", "all"):
        return _joined("all" if args[0].op == "any" else "any", [negation(part) for part in args[0].args])
    e = rebuild(node, args)
    return plain(e) if e.op in ("lt", "le") else e


def _joined(op: str, parts: list[Expr]) -> Expr:
    """All or any of some conditions: a ∨ (a ∧ b) is a, a ∨ (¬a ∧ b) is a ∨ b, a ∨ ¬a is true, and the dual."""
    join, inner, absorbing = (any_of, all_of, TRUE) if op == "any" else (all_of, any_of, FALSE)
    flat = dict.fromkeys(leaf for part in parts for leaf in (part.args if part.op == op else (part,)))
    denied = {plain(negation(part)) for part in flat}
    if any(part in denied for part in flat):
        return absorbing
    said = []
    for part in flat:
        if {part.op, op} == {"any", "all"}:
            if any(leaf in flat for leaf in part.args):
                continue
            part = inner(*(leaf for leaf in part.args if leaf not in denied))
        said.append(part)
    return join(*sorted(said, key=order))


def _of_each(node: Expr, args: list[Expr]) -> Expr:
    """The operation; of each way, where it is a quotient or remainder of a choice."""
    if node.op not in ("div", "mod") or args[0].op != "select" or args[1].op != "const":
        return rebuild(node, args)
    condition, *ways = args[0].args
    return choice(condition, *(_of_each(node, [way, args[1]]) for way in ways))


def choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """A choice between two, or the one of them that is the other where that is chosen.

    >>> from layoutalg.index import select, var
    >>> a, b = var("a", 9), var("b", 9)
    >>> choice(a < 5, a, select(a < 5, a, b)), choice(negation(eq(a, b)), a, b)
    (select(a < 5, a, b), select(a == b, b, a))
    """
    if condition.op == "not":
        condition, then, otherwise = condition.args[0], otherwise, then
    one = alike(condition, then, negation(condition), otherwise)
    return select(condition, then, otherwise) if one is None else one


def alike(here: Expr, x: Expr, there: Expr, y: Expr) -> Expr | None:
    """One expression that is x where one condition holds, and y where another does, if one of the two is it.

    >>> from layoutalg.index import select, var
    >>> a, b = var("a", 9), var("b", 9)
    >>> alike(a < 5, a, 5 <= a, select(a < 5, a, b))
    select(a < 5, a, b)
    """
    if x is y:
        return y
    made_of_x, made_of_y = frozenset(variables(x)), frozenset(variables(y))
    if not (made_of_x <= made_of_y or made_of_y <= made_of_x) or len(postorder(x, y)) > LARGE:
        return None  # they are hardly ever alike then, or it takes long to see
    if chosen(x, here) is chosen(y, here):
        return y
    return x if chosen(x, there) is chosen(y, there) else None
