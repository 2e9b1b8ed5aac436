"""Whether what is assumed holds anywhere: a proof of nothing is no proof.

A point is looked for where a condition on sizes and indices holds, the cheapest way first: small values, corners and
random ones (microseconds), enumeration, z3.  Each point counts in exact integers only.  What was found of a condition
is kept: the claims of a file, or a kernel's obligations, share theirs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random

from layoutalg.index import Expr, budget, negation, variables
from layoutalg.index.evaluate import value
from layoutalg.prove.decide import first, quick_enumeration, tiny_enumeration
from layoutalg.prove.obligation import ForAll, Point, in_domain
from layoutalg.prove.outcome import Fails, Holds, Limits, Outcome
from layoutalg.prove.solver import solve
from layoutalg.prove.strategies.algebra import normal_form
from layoutalg.prove.strategies.instances import small_sizes

DRAWS = 64
"""Points that are tried before anything else."""

SEARCH = (normal_form, tiny_enumeration, small_sizes, quick_enumeration, solve)
LIMITS = Limits(seconds=2.0)


def vacuous(condition: Expr) -> str:
    """Why nothing is proved under a condition: it never holds, or nobody found where; empty where it holds somewhere.

    >>> from layoutalg.index import eq, symbol
    >>> m, n = symbol("M", max=100), symbol("N", max=100)
    >>> vacuous(eq(m * m, n * n + 9))
    ''
    >>> vacuous(eq(m * m, n * n * 2))
    'vacuous: the assumptions hold nowhere: M * M == N * N * 2 never holds'
    """
    found = met(condition)
    if found is None:
        return f"vacuity is not excluded: no values were found at which the assumptions hold: {condition}"
    return "" if found else f"vacuous: the assumptions hold nowhere: {condition} never holds"


def met(condition: Expr) -> bool | None:
    """Whether a condition holds at some values of its variables; None where none were found, and none excluded."""
    return _met(condition, budget.left() >= LIMITS.seconds)


@lru_cache(maxsize=1 << 14)
def _met(condition: Expr, in_time: bool) -> bool | None:
    """The same; what was not found for want of time is looked for again where there is enough."""
    if condition.op == "const":
        return bool(condition.value)
    if any(value(condition, point) for point in _draws(condition)):
        return True
    outcome = first(SEARCH, ForAll("it never holds", negation(condition)), limits=LIMITS)
    return True if isinstance(outcome, Fails) else False if isinstance(outcome, Holds) else None


def solved(condition: Expr, limits: Limits = LIMITS) -> Outcome:
    """What the solver says of a condition: it fails to hold nowhere (`Fails`, with a point where it holds), or does.

    >>> from layoutalg.index import eq, symbol
    >>> n = symbol("N", max=9)
    >>> solved(eq(n * 2, 6)).points, isinstance(solved(eq(n * 2, 7)), Holds)
    (({N: 3},), True)
    """
    return solve(ForAll("it never holds", negation(condition)), limits)


def _draws(condition: Expr) -> Iterator[Point]:
    """Points of the variables' ranges: the least values, the greatest, the middle, then at random, small ones more."""
    random, over = Random(0), variables(condition)
    ways: list[Callable[[int], int]] = [lambda most: 0, lambda most: most, lambda most: most // 2]
    ways += [lambda most: random.randint(0, min(most, 1 << random.randint(0, 40)))] * (DRAWS - len(ways))
    for way in ways:
        point: dict[Expr, int] = {}
        for v in over:
            n = _chosen(v, point, way)
            if n is None:
                break
            point[v] = n
        else:
            yield point


def _chosen(v: Expr, point: Point, way: Callable[[int], int]) -> int | None:
    """A value of a variable: `way` says which by the number of the last one; None where it has none."""
    s = v.value
    low = int(s.lo) if s.lo > -math.inf else min(0, int(s.hi)) if s.hi < math.inf else 0
    high = low + (1 << 62) if s.hi == math.inf else int(s.hi)
    if s.extent is not None:
        high = min(high, value(s.extent, point) - 1)
    if s.power_of_two:
        least = max(1, low, s.multiple_of) - 1
        n = 1 << (least.bit_length() + way(max(0, high.bit_length() - 1 - least.bit_length())))
    else:
        least = -(-low // s.multiple_of)
        n = (least + way(max(0, high // s.multiple_of - least))) * s.multiple_of
    return n if n <= high and in_domain({**point, v: n}, (v,)) else None
