"""C++'s operators on integers and truth values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.formats.ck_cpp.convert import constant, truncated
from layoutalg.formats.ck_cpp.values import Unreadable
from layoutalg.index import Expr, eq, negation


def _shift(a: Expr, b: Expr, *, left: bool) -> Expr:
    amount = constant(b)
    if not 0 <= amount < 64:
        raise Unreadable(f"a shift by {amount}")
    return a << amount if left else a >> amount


BINARY: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: truncated(a, b, remainder=False),
    "%": lambda a, b: truncated(a, b, remainder=True),
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a + b - (a & b),
    "<<": lambda a, b: _shift(a, b, left=True),
    ">>": lambda a, b: _shift(a, b, left=False),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": eq,
    "!=": lambda a, b: negation(eq(a, b)),
}

UNARY: Mapping[str, Callable[[Expr], Expr]] = {"-": lambda a: -a, "+": lambda a: a, "~": lambda a: -a - 1}
