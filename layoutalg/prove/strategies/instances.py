"""Symbolic sizes made numbers: refutation at small sizes, and proof by cases where a size has few values.

* small sizes: the symbols take their least values, smallest sum first, and enumeration looks for a counterexample
  there.  It proves nothing about all sizes and so only ever answers Fails or GaveUp.
* corners: all variables at their greatest, or in the middle, where what wraps shows itself.
* cases: where every size has few values (a power of two up to a limit), each is decided by itself; together they are
  all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice, product

from layoutalg.index import Expr, symbol, unused, value, values, variables
from layoutalg.index.box import choices
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Onto, in_domain, names_of, needs_bits
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.strategies.changes import rewritten
from layoutalg.prove.strategies.enumeration import enumeration

NAME = "small sizes"
LARGE = 1 << 40
"""The greatest value of what has none, at a corner."""
CHOICES = 6
FEW = 8
POINTS = 1 << 14
MOST = (1 << 16, 1 << 40)
"""How far sizes without a maximum are tried by a solver: first where a counterexample is readable."""
CASES = 64
"""The most combinations of sizes that are proved one by one."""


def small_sizes(obligation: Obligation, limits: Limits) -> Outcome:
    """Tries the least few values of each size, smallest sum first."""
    sizes = sizes_of(obligation)
    if not sizes:
        return GaveUp(NAME, "no size is symbolic")
    quick = replace(limits, points=min(limits.points, POINTS))
    for chosen in islice(_choices(sizes), limits.choices):
        outcome = rewritten(obligation, chosen, lambda o: enumeration(o, quick))
        if isinstance(outcome, Fails):
            return Fails(NAME, outcome.points)
    return GaveUp(NAME, f"no counterexample at {limits.choices} choices of small sizes")


def few_small_sizes(obligation: Obligation, limits: Limits) -> Outcome:
    """The first few of them: before a solver is asked."""
    return small_sizes(obligation, replace(limits, choices=min(limits.choices, FEW)))


def smallest(obligation: Obligation, found: Fails, limits: Limits) -> Fails:
    """A counterexample at smaller sizes where one is found, else the given one."""
    sizes = sizes_of(obligation)
    if not sizes:
        return found
    total = sum(found.points[0][v] for v in sizes)
    outcome = small_sizes(obligation, limits)
    if isinstance(outcome, Fails) and sum(outcome.points[0][v] for v in sizes) < total:
        return Fails(found.strategy, outcome.points)
    return _lowered(obligation, found, sizes)


def _lowered(obligation: Obligation, found: Fails, sizes: list[Expr]) -> Fails:
    """A counterexample over sizes alone, each size in turn as small as halving finds it, the others kept."""
    point = dict(found.points[0])
    if not isinstance(obligation, ForAll) or set(obligation.variables) != set(sizes) or set(point) != set(sizes):
        return found
    for v in sizes:
        below, reached = -1, _rank(v, point[v])
        while reached - below > 1:
            middle = (below + reached) // 2
            at = {**point, v: _ranked(v, middle)}
            given, goal = values([obligation.given, obligation.goal], at) if in_domain(at, (v,)) else (0, 1)
            below, reached = (below, middle) if given and not goal else (middle, reached)
        point[v] = _ranked(v, reached)
    return Fails(found.strategy, (point,))


def _rank(v: Expr, size: int) -> int:
    """How many values of a size there are below one, from 0 on."""
    return size.bit_length() - 1 if v.value.power_of_two else size // v.value.multiple_of


def _ranked(v: Expr, rank: int) -> int:
    return 1 << rank if v.value.power_of_two else rank * v.value.multiple_of


def fails_at_a_corner(obligation: ForAll) -> bool:
    """Whether it fails where each variable has its greatest value, or one in the middle.

    >>> from layoutalg.index import var
    >>> [fails_at_a_corner(ForAll("it is small", var("i", 9) < n)) for n in (8, 9)]
    [True, False]
    """
    over = sorted(variables(*obligation.roots), key=lambda v: v.value.extent is not None)
    for share in (1, 2, 3):
        point: dict[Expr, int] = {}
        for v in over:
            if v.value.extent is None:
                least, most = int(max(v.lo, -LARGE)), int(min(v.hi, LARGE))
            elif all(u in point for u in variables(v.value.extent)):
                least, most = 0, value(v.value.extent, point) - 1
            else:
                return False
            point[v] = most - (most - least) * (share - 1) // share
            point[v] -= point[v] % v.value.multiple_of
        if in_domain(point, tuple(over)):
            given, goal = values([obligation.given, obligation.goal], point)
            if given and not goal:
                return True
    return False


def cases(obligation: Obligation, limits: Limits, decide: Callable[[Obligation], Outcome]) -> Outcome:
    """Decides by the values of the sizes that are powers of two, where they are few; all of them, or none."""
    split = [v for v in sizes_of(obligation) if v.value.power_of_two and v.hi < math.inf]
    values = [choices(v) for v in split]
    if not split or math.prod(map(len, values)) > CASES:
        return GaveUp("cases", "no size is a power of two with few values")
    used: dict[str, None] = {}
    for chosen in product(*values):
        outcome = rewritten(obligation, dict(zip(split, chosen, strict=True)), decide)
        if not isinstance(outcome, Holds):
            return outcome
        used[outcome.strategy] = None
    return Holds(f"cases ({' + '.join(used)})" if used else "cases")


def unbounded(obligation: Obligation, limits: Limits, decide: Callable[[Obligation], Outcome]) -> Outcome:
    """Decides where sizes without a maximum have no form in a solver: powers of two, and any beside what is bitwise.

    What holds for any size holds for powers of two; what fails for sizes up to some limit fails.
    """
    without = [v for v in sizes_of(obligation) if v.hi == math.inf and v.lo <= MOST[-1]]
    powers = [v for v in without if v.value.power_of_two]
    if not powers and not (without and needs_bits(obligation)):
        return GaveUp("unbounded", "no size without a maximum is a power of two, or beside what is bitwise")
    if powers:
        outcome = rewritten(obligation, _limited(powers, obligation, None), decide)
        if not isinstance(outcome, GaveUp):
            return outcome
    for most in MOST:
        outcome = rewritten(obligation, _limited([v for v in without if v.lo <= most], obligation, most), decide)
        if isinstance(outcome, Fails):
            return outcome
    return GaveUp("unbounded", f"no sizes up to {MOST[-1]} decide it")


def _limited(sizes: list[Expr], obligation: Obligation, most: int | None) -> dict[Expr, Expr]:
    """Each size up to `most`, or as any number where that is None."""
    taken = names_of(obligation)
    given = [(v, unused(f"{v.value.name}'", taken), v.value) for v in sizes]
    return {
        v: symbol(
            name, min=max(int(s.power_of_two), int(s.lo)), max=most, multiple_of=s.multiple_of,
            power_of_two=s.power_of_two and most is not None,
        )
        for v, name, s in given
    }  # fmt: skip


def sizes_of(obligation: Obligation) -> list[Expr]:
    """The variables that are no index: in extents, without a limit, at least 1, or shared by the points."""
    if isinstance(obligation, InjectiveMap | Onto):
        own = {*obligation.over, *(obligation.targets if isinstance(obligation, Onto) else ())}
        return [v for v in variables(*obligation.variables, *obligation.over) if v not in own]
    extents = [v.value.extent for v in obligation.variables if v.value.extent is not None]
    below = set(variables(*extents))
    plain = [v for v in obligation.variables if v.value.extent is None]
    return [v for v in plain if v in below or v.hi == math.inf or v.lo >= 1 or v.value.power_of_two]


def _choices(sizes: list[Expr]) -> Iterator[dict[Expr, int]]:
    every = [_least(v) for v in sizes]
    for total in range(sum(len(e) - 1 for e in every) + 1):
        for at in _ranks([len(e) - 1 for e in every], total):
            yield {v: e[i] for v, e, i in zip(sizes, every, at, strict=True)}


def _ranks(most: list[int], total: int) -> Iterator[tuple[int, ...]]:
    """The tuples with a given sum and with no entry above its own limit."""
    if not most:
        if total == 0:
            yield ()
        return
    for first in range(min(most[0], total) + 1):
        for rest in _ranks(most[1:], total - first):
            yield first, *rest


def _least(v: Expr) -> list[int]:
    s = v.value
    first = 0 if s.lo == -math.inf else max(int(s.lo), 0)
    if s.power_of_two:
        return [1 << k for k in range(21) if first <= 1 << k <= s.hi and (1 << k) % s.multiple_of == 0][:CHOICES]
    first = -(-first // s.multiple_of) * s.multiple_of
    return [n for n in range(first, first + CHOICES * s.multiple_of, s.multiple_of) if n <= s.hi]
