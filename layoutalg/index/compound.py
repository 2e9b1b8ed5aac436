"""Operations that are made of others: the smaller and the larger of two, a product of many, equality of indices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from layoutalg.index.expr import ONE, Expr, Term, as_expr, le, mul
from layoutalg.index.truth import all_of, eq, select


def minimum(left: Term, right: Term) -> Expr:
    """The smaller of two.

    >>> minimum(3, 5)
    3
    """
    return select(le(left, right), left, right)


def maximum(left: Term, right: Term) -> Expr:
    """The larger of two.

    >>> maximum(3, 5)
    5
    """
    return select(le(left, right), right, left)


def prod(terms: Sequence[Term]) -> Expr:
    """The product of all, 1 when there are none.

    >>> prod([2, 3, 4])
    24
    """
    return as_expr(reduce(mul, terms)) if terms else ONE


def all_equal(one: Sequence[Term], other: Sequence[Term]) -> Expr:
    """Each of one equals its partner; ValueError where they are not equally many.

    >>> all_equal((1, 2), (1, 3))
    0
    """
    return all_of(*(eq(a, b) for a, b in zip(one, other, strict=True)))
