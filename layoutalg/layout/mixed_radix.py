"""Mixed-radix numbers: the digits that merge takes apart and unmerge puts together.

Both go digit by digit (Horner's way, never by products of lengths): with lengths that are symbols, this is the form
that provers get through.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import ZERO, Expr, Term, as_expr, mod


def digits(number: Term, lengths: Sequence[Term]) -> tuple[Expr, ...]:
    """The mixed-radix digits of a number, the last one fastest; the first is what remains, not reduced.

    >>> digits(13, (4, 5))
    (2, 3)
    """
    rest, found = as_expr(number), list[Expr]()
    for length in reversed(lengths[1:]):
        found.append(mod(rest, length))
        rest = rest // length
    return (rest, *reversed(found)) if lengths else ()


def horner(index: Sequence[Term], lengths: Sequence[Term]) -> Expr:
    """The number with these mixed-radix digits.

    >>> horner((2, 3), (4, 5))
    13
    """
    number: Expr = as_expr(index[0]) if index else ZERO
    for digit, length in zip(index[1:], lengths[1:], strict=True):
        number = number * length + digit
    return number
