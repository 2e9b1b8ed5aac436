"""Boxes: all values of some variables that have limits, each point by its number, the first variable the slowest.

    M in {8, 16}, i in 0 … 2     (8, 0) (8, 1) (8, 2) (16, 0) (16, 1) (16, 2)     numbers 0 … 5

What it cannot represent: a variable without a limit, or with one that is itself a size (`box` is None).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from layoutalg.index.expr import Expr
from layoutalg.records import dataclass


def least_value(v: Expr) -> int:
    """The least value of a variable that has one."""
    s = v.value
    return 1 << (max(1, s.multiple_of, int(s.lo)) - 1).bit_length() if s.power_of_two else int(s.lo)


def choices(v: Expr) -> range | list[int]:
    """Every value of a variable with limits, from the least on.

    >>> from layoutalg.index import symbol
    >>> [*choices(symbol("M", max=30, multiple_of=8))], choices(symbol("M", min=3, max=30, power_of_two=True))
    ([8, 16, 24], [4, 8, 16])
    """
    s = v.value
    every = range(int(s.lo), int(s.hi) + 1, s.multiple_of)
    return [1 << k for k in range(int(s.hi).bit_length()) if 1 << k in every] if s.power_of_two else every


@dataclass(frozen=True)
class Box:
    """The points of some variables; `counts` holds the values that each has."""

    over: Sequence[Expr]

    @cached_property
    def choices(self) -> list[range | list[int]]:
        """The values of each variable."""
        return [choices(v) for v in self.over]

    @cached_property
    def counts(self) -> list[int]:
        """How many these are (a range may be too long for `len`)."""
        return [(c[-1] - c[0]) // c.step + 1 if isinstance(c, range) else len(c) for c in self.choices]

    @cached_property
    def count(self) -> int:
        """How many points there are."""
        return math.prod(self.counts)

    def point(self, number: int) -> dict[Expr, int]:
        """The point of a number.

        >>> from layoutalg.index import symbol, var
        >>> Box([symbol("M", min=8, max=16, multiple_of=8), var("i", 3)]).point(4)
        {M: 16, i: 1}
        """
        at = {}
        for v, values, n in zip(reversed(self.over), reversed(self.choices), reversed(self.counts), strict=True):
            number, place = divmod(number, n)
            at[v] = values[place]
        return dict(reversed(at.items()))


def box(over: Sequence[Expr]) -> Box | None:
    """The box of some variables, None where one has no limit, or a limit that is a size."""
    fixed = all(v.value.extent is None and v.lo > -math.inf and v.hi < math.inf for v in over)
    return Box(over) if fixed else None
