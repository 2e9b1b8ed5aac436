"""Integers and sizes that are not fixed, side by side: exact division and order, decided or said not to be.

A shape or a stride is a Python integer (then everything here is an operation of Python's, in tens of nanoseconds) or an
index expression over sizes (then the normal form decides, and the prover where that does not).  `None` and False mean
only that it was not shown: who asks refuses with the condition, and assumes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from layoutalg.errors import InexpressibleError, LayoutError
from layoutalg.index import Expr, Term, add, as_expr, div, eq, le, mod, simplify
from layoutalg.index.integers import integer
from layoutalg.index.normal import holds, nonnegative
from layoutalg.prove import ForAll, Limits
from layoutalg.prove import holds as proved

LIMITS = Limits(seconds=1.0)
"""What one condition on sizes may cost."""


def size_of(given: object) -> Term:
    """A number as it is kept: a Python integer, or an expression that is no constant.

    LayoutError for anything else, a truth value too.

    >>> from layoutalg.index import const, symbol
    >>> size_of(const(4)), size_of(symbol("M") * 1)
    (4, M)
    """
    if type(given) is int:
        return given
    if isinstance(given, Expr):
        simple = simplify(given)
        return int(simple.value) if simple.op == "const" else simple
    if isinstance(given, bool):
        raise LayoutError(f"{given} is a truth value, and no number of a layout")
    try:
        return integer(given)
    except TypeError as error:
        raise LayoutError(str(error)) from None


def product(terms: Iterable[Term]) -> Term:
    """The product of all, 1 of none."""
    total: Term = 1
    for term in terms:
        total = times(total, term)
    return total


def times(a: Term, b: Term) -> Term:
    """a·b."""
    return a * b if type(a) is int and type(b) is int else size_of(as_expr(a) * b)


def plus(a: Term, b: Term) -> Term:
    """a + b."""
    return a + b if type(a) is int and type(b) is int else size_of(add(a, b))


def quotient(a: Term, b: Term) -> Term:
    """⌊a / b⌋."""
    return a // b if type(a) is int and type(b) is int else size_of(div(a, b))


def remainder(a: Term, b: Term) -> Term:
    """a mod b."""
    return a % b if type(a) is int and type(b) is int else size_of(mod(a, b))


def exactly_over(a: Term, b: Term) -> Term | None:
    """a / b where b divides a for all sizes, else None.

    >>> from layoutalg.index import symbol
    >>> exactly_over(12, 4), exactly_over(symbol("M", multiple_of=8), 4) is None, exactly_over(symbol("N"), 4)
    (3, False, None)
    """
    if type(a) is int and type(b) is int:
        return None if b < 1 or a % b else a // b
    if as_expr(b).lo < 1:
        return None
    over = quotient(a, b)
    return over if same(times(over, b), a) else None


def at_most(a: Term, b: Term) -> bool:
    """Whether a ≤ b for all sizes."""
    if type(a) is int and type(b) is int:
        return a <= b
    return nonnegative(add(b, as_expr(a) * -1)) or certain(le(a, b))


def same(a: Term, b: Term) -> bool:
    """Whether a = b for all sizes."""
    if type(a) is int and type(b) is int:
        return a == b
    return a is b or certain(eq(a, b))


def certain(condition: Expr) -> bool:
    """Whether a condition is shown for all sizes, by normal form or by the prover."""
    try:
        return holds(condition) or proved(ForAll("a condition on sizes", condition), LIMITS)
    except InexpressibleError:
        return False
