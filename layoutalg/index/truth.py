"""Truth values over variables, and choice by them: equality, conjunction, disjunction, negation, select, lookup.

A truth value is an expression in 0 … 1, made by a comparison; these join such, and decide at once what ranges decide.

| written                        | means                          |
|--------------------------------|--------------------------------|
| `eq(a, b)`                     | a = b, over their variables    |
| `all_of(p, q)`, `any_of(p, q)` | both, at least one             |
| `negation(p)`                  | not p; of `a < b` it is b ≤ a  |
| `select(p, a, b)`              | a where p holds, else b        |
| `lookup(table, i)`             | the table's entry i            |

What it cannot represent: a number as a truth value (compare it with something), an index that can leave its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from layoutalg.errors import InexpressibleError
from layoutalg.index.expr import (
    FALSE,
    TRUE,
    Expr,
    Term,
    add,
    as_expr,
    bitand,
    const,
    div,
    le,
    lt,
    make_node,
    mod,
    mul,
    xor,
)
from layoutalg.index.integers import integer
from layoutalg.index.ranges import BOOLEAN


def eq(left: Term, right: Term) -> Expr:
    """left = right, as a truth value over their variables (`==` asks whether they are the same expression).

    >>> from layoutalg.index import symbol
    >>> m = symbol("M")
    >>> eq(m, 4), m == 4, m - m + 4 == 4
    (M == 4, False, False)
    >>> eq(select(m < 4, 1, 0), 1), eq(select(m < 4, 1, 0), 0)
    (M < 4, 4 <= M)
    """
    a, b = as_expr(left), as_expr(right)
    if a is b:
        return TRUE
    if a.op == "select" and b.op == "const" and all(way.op == "const" for way in a.args[1:]) and b in a.args:
        return a.args[0] if b is a.args[1] else negation(a.args[0])
    return FALSE if a.hi < b.lo or b.hi < a.lo else make_node("eq", (a, b))


def all_of(*terms: Term) -> Expr:
    """The conjunction; true when empty.

    >>> from layoutalg.index import var
    >>> i = var("i", 9)
    >>> all_of(i < 4, i >= 0)
    i < 4
    """
    return _junction("all", terms, FALSE, TRUE)


def any_of(*terms: Term) -> Expr:
    """The disjunction; false when empty.

    >>> from layoutalg.index import var
    >>> i = var("i", 9)
    >>> any_of(i < 4, i >= 0), any_of()
    (1, 0)
    """
    return _junction("any", terms, TRUE, FALSE)


def _junction(op: str, terms: tuple[Term, ...], absorbing: Expr, neutral: Expr) -> Expr:
    parts: dict[Expr, None] = {}
    for term in map(as_expr, terms):
        _truth(term)
        if term is not neutral:
            parts |= dict.fromkeys(term.args if term.op == op else (term,))
    if not parts:
        return neutral
    if absorbing in parts:
        return absorbing
    return make_node(op, tuple(parts)) if len(parts) > 1 else next(iter(parts))


def negation(term: Term) -> Expr:
    """The truth value that `term` is not.

    >>> from layoutalg.index import var
    >>> i = var("i", 9)
    >>> negation(i < 4)
    4 <= i
    """
    a = as_expr(term)
    _truth(a)
    if a.op == "const":
        return FALSE if a.value else TRUE
    if a.op in ("lt", "le"):
        return (le if a.op == "lt" else lt)(a.args[1], a.args[0])
    return a.args[0] if a.op == "not" else make_node("not", (a,))


def _truth(term: Expr) -> None:
    if term.op not in BOOLEAN and term is not TRUE and term is not FALSE:
        raise TypeError(f"{term} is a number; a truth value is needed here (compare it with something)")


def select(condition: Term, left: Term, right: Term) -> Expr:
    """`left` where `condition` holds, else `right`.

    >>> from layoutalg.index import var
    >>> i = var("i", 9)
    >>> select(i < 4, i, 4).hi, select(1 < as_expr(0), 7, 9)
    (8, 9)
    """
    c, a, b = as_expr(condition), as_expr(left), as_expr(right)
    _truth(c)
    if c.op == "const":
        return a if c.value else b
    return a if a is b else make_node("select", (c, a, b))


def lookup(table: Sequence[int], index: Term) -> Expr:
    """`table[index]`; ValueError where the index can leave the table.

    >>> lookup((4, 7, 9), 1)
    7
    """
    i = as_expr(index)
    if i.lo < 0 or i.hi >= len(table):
        raise InexpressibleError(
            f"index {i} in {i.lo}…{i.hi} leaves a table of {len(table)} entries; take it modulo {len(table)}"
        )
    return const(table[i.value]) if i.op == "const" else make_node("lookup", (i,), tuple(map(integer, table)))


BUILD: Mapping[str, Callable[..., Expr]] = {
    "add": add, "mul": mul, "div": div, "mod": mod, "xor": xor, "and": bitand, "lt": lt, "le": le, "eq": eq,
    "all": all_of, "any": any_of, "not": negation, "select": select,
}  # fmt: skip
"""The constructor of each operation."""
