"""Which values conditions leave a number: between which ends, and for which sizes there are any.

    v == -100 or 0 <= v <= V - 1        leaves some where   true            (it is -100)
    5 <= v and v <= N - 1               leaves some where   5 <= N - 1

What it cannot represent: conditions in which the number is more than once, or multiplied by a size (None).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from layoutalg.index import TRUE, Expr, all_of, any_of, as_expr, div, maximum, minimum, simplify, variables
from layoutalg.index.radix import affine
from layoutalg.index.walk import slack
from layoutalg.records import dataclass

#: Cases of a condition that are looked at.
MOST_CASES = 64


@dataclass(frozen=True)
class Between:
    """What a number is between, where a condition on the sizes holds."""

    low: Expr
    high: Expr
    where: Expr = TRUE

    @property
    def inhabited(self) -> Expr:
        """For which sizes there is a number in it."""
        return all_of(self.where, self.low <= self.high)


def intervals(condition: Expr, v: Expr, low: Expr, high: Expr) -> tuple[Between, ...] | None:
    """Those that a condition leaves a number between two ends, one for each of its cases; None where that is not seen.

    >>> from layoutalg.index import eq, symbol
    >>> v, n = symbol("v", min=-200, max=200), symbol("N")
    >>> intervals(any_of(eq(v, -100), all_of(0 <= v, v < n)), v, as_expr(-200), as_expr(200))[0].low
    -100
    """
    cases = list(_cases(condition))
    if len(cases) > MOST_CASES:
        return None
    found = [_interval(case, v, low, high) for case in cases]
    return tuple(one for one in found if one is not None) if None not in found else None


def inhabited(condition: Expr, v: Expr, low: Expr, high: Expr) -> Expr | None:
    """For which sizes a condition leaves a number any value; None where that is not seen."""
    found = intervals(condition, v, low, high)
    return None if found is None else simplify(any_of(*(one.inhabited for one in found)))


def _cases(condition: Expr) -> Iterator[tuple[Expr, ...]]:
    """A condition as a choice of conjunctions."""
    if condition.op == "any":
        for one in condition.args:
            yield from _cases(one)
    elif condition.op == "all":
        for each in product(*map(_few, condition.args)):
            yield tuple(part for parts in each for part in parts)
    else:
        yield (condition,)


def _few(condition: Expr) -> Sequence[tuple[Expr, ...]]:
    return [case for case, _ in zip(_cases(condition), range(MOST_CASES + 1), strict=False)]


def _interval(parts: Sequence[Expr], v: Expr, low: Expr, high: Expr) -> Between | None:
    where = []
    for part in parts:
        if v not in variables(part):
            where.append(part)
            continue
        equal = part.op == "eq"
        room = part.args[0] - part.args[1] if equal else slack(part)
        form = None if room is None else affine(room, (v,))
        factor = None if form is None else simplify(form.strides[v])
        if form is None or factor is None or factor.op != "const" or (equal and abs(factor.value) != 1):
            return None
        n = int(factor.value)
        if n > 0 or equal:  # n·v + start ≥ 0
            low = maximum(low, -div(form.start, n) if n > 0 else form.start)
        if n < 0 or equal:
            high = minimum(high, div(form.start, -n) if n < 0 else -form.start)
    return Between(low, high, all_of(*where))


def of_type(bits: int, signed: bool) -> tuple[Expr, Expr]:
    """The least and the greatest integer of a type.

    >>> of_type(8, signed=True)
    (-128, 127)
    """
    return (
        (as_expr(-(1 << bits - 1)), as_expr((1 << bits - 1) - 1)) if signed else (as_expr(0), as_expr((1 << bits) - 1))
    )
