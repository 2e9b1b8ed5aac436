"""A term by the digits of what has few values: of a block's thread and of a family's indices, as a table has it.

    J · ((t // 16 · -4 + t // 4 · 4 + t) // 8 · 2 - t // 4 …) + 2 · k     where t // 8 mod 2 = 0     is     2 · k

A compiler's addresses and LDS's readers make one map of threads in many ways, of which no rule of arithmetic makes the
same; and some are the same only for threads that a condition leaves.  So the normal form is taken apart by what has few
values: each coefficient is tabulated over these, where the condition holds, and written by its digits (`lds.digits`),
which is compared with every entry.  Within quotients that have more than few values their dividends are.
What it cannot represent: coefficients of more than `MOST` values together, which stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import prod

import numpy as np

from layoutalg.audit.lds.digits import Table, digits
from layoutalg.index import (
    TRUE,
    ZERO,
    Expr,
    all_of,
    array,
    conjuncts,
    const,
    mul,
    negation,
    postorder,
    rebuild,
    simplify,
    variables,
)
from layoutalg.index.normal import normal
from layoutalg.records import dataclass

#: Values of a variable that has few, and places of a table, at most.
FEW, MOST = 1 << 10, 1 << 16


def tabulated(e: Expr, given: Expr) -> Expr:
    """A term that is the same wherever a condition holds.

    >>> from layoutalg.index import ZERO, eq, symbol, var
    >>> t, n = var("t", 64), symbol("N")
    >>> tabulated(n * (t % 8 - t % 4) + t // 4 * 4 + t % 4, eq(t // 4 % 2, 0))
    t
    """
    new: dict[Expr, Expr] = {}
    for node in postorder(e):
        args = [new[one] for one in node.args]
        if node.op in ("div", "mod") and not all(map(_few, variables(node))):
            args[0] = _by_coefficients(args[0], given)
        new[node] = rebuild(node, args) if args else node
    return _by_coefficients(new[e], given)


def _few(v: Expr) -> bool:
    return v.value.index and 0 <= v.lo <= v.hi < FEW


def _by_coefficients(e: Expr, given: Expr) -> Expr:
    """Each coefficient of what has many values, as a table has it."""
    coefficients: dict[tuple[Expr, ...], Expr] = {}
    for monomial, number in normal(e).terms.items():
        many = tuple(one for one in monomial if not all(map(_few, variables(one))))
        few = (one for one in monomial if all(map(_few, variables(one))))
        coefficients[many] = coefficients.get(many, ZERO) + reduce(mul, few, const(number))
    return simplify(sum((reduce(mul, many, _table(one, given)) for many, one in coefficients.items()), start=ZERO))


def _table(e: Expr, given: Expr) -> Expr:
    """A term of few values by its digits, where there are such."""
    table = FewValues.of((e, *_known(e, given)))
    if table is None:
        return e
    found, *holds = table.held
    here = np.all([one != 0 for one in holds], axis=0) if holds else np.ones(found.shape, np.bool_)
    if not here.any():
        return e
    written = digits(found[here], {v: held[here] for v, held in table.at.items()})
    return e if written is None else written


def _known(e: Expr, given: Expr) -> Iterator[Expr]:
    """What is given of a term's variables alone."""
    over = set(variables(e))
    return (one for one in conjuncts(given) if variables(one) and set(variables(one)) <= over)


@dataclass(frozen=True)
class FewValues:
    """Terms of few values: their variables, and what each term is, at each of all places."""

    at: Mapping[Expr, Table]
    held: Sequence[Table]

    @classmethod
    def of(cls, terms: Sequence[Expr]) -> FewValues | None:
        """None where there are no variables, or too many values."""
        over = variables(*terms)
        lengths = [int(v.hi) + 1 for v in over if _few(v)]
        if not over or len(lengths) < len(over) or prod(lengths) > MOST:
            return None
        at = {v: held.reshape(-1) for v, held in zip(over, np.indices(lengths, np.int64), strict=True)}
        try:
            return cls(at, [np.broadcast_to(one, (prod(lengths),)) for one in array(terms, at)])
        except OverflowError:
            return None


@dataclass(frozen=True)
class TermCase:
    """Places at which some alternatives are left, by what they say of few values; and what they say beside."""

    where: Expr
    left: Mapping[int, Expr]  # by the alternative's number


def cases(alternatives: Sequence[Expr], given: Expr) -> list[TermCase]:
    """All places, by which of some conditions may hold there; what else a condition says is as `tabulated`.

    >>> from layoutalg.index import eq, symbol, var
    >>> t, n = var("t", 4), symbol("N")
    >>> for one in cases([all_of(eq(t % 2, 0), n > 3), all_of(eq(t % 2, 1), n > 4 * (t % 2))], TRUE):
    ...     print(one.where, one.left)
    t % 2 == 1 {1: 4 < N}
    t % 2 == 0 {0: 3 < N}
    """
    few, rest = zip(*map(_apart, alternatives), strict=True) if alternatives else ((), ())
    table = FewValues.of(few)
    if table is None:
        return [TermCase(TRUE, dict(enumerate(alternatives)))]
    rows = np.unique(np.stack(table.held, axis=1) != 0, axis=0)
    found = []
    for row in rows:
        left = np.flatnonzero(row)
        others = np.flatnonzero(rows[rows[:, left].all(axis=1)].any(axis=0) & ~row)  # of places that have more
        where = all_of(*(few[n] for n in left), *(negation(few[n]) for n in others))
        found.append(TermCase(where, {int(n): settled(rest[n], all_of(given, where)) for n in left}))
    return found


def _apart(condition: Expr) -> tuple[Expr, Expr]:
    """What a condition says of few values, and what else it says."""
    few: list[Expr] = []
    rest: list[Expr] = []
    for one in conjuncts(condition):
        (few if variables(one) and all(map(_few, variables(one))) else rest).append(one)
    return all_of(*few), all_of(*rest)


def settled(condition: Expr, given: Expr) -> Expr:
    """A condition whose sides are as `tabulated`."""
    return all_of(*(
        rebuild(one, [tabulated(side, given) for side in one.args]) if one.op in ("le", "lt", "eq") else one
        for one in conjuncts(condition)
    ))  # fmt: skip
