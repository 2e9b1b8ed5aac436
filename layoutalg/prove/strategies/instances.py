"""Refutation at small sizes: the symbols take their least values, and enumeration looks for a counterexample there.

It proves nothing about all sizes and so only ever answers Fails or GaveUp; what it finds are small failing sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice, product

from layoutalg.index import Expr, substitute, var, variables
from layoutalg.index.evaluate import value
from layoutalg.prove.obligation import ForAll, Injective, Obligation, Point, in_domain
from layoutalg.prove.outcome import Fails, GaveUp, Limits, Outcome
from layoutalg.prove.strategies.enumeration import enumeration

NAME = "small sizes"
CHOICES = 6
TRIES = 200
POINTS = 1 << 14


def small_sizes(obligation: Obligation, limits: Limits) -> Outcome:
    """Tries the least few values of each size, smallest sum first."""
    sizes = [v for v in obligation.variables if _is_size(v, obligation)]
    if not sizes:
        return GaveUp(NAME, "no size is symbolic")
    for chosen in islice(_choices(sizes), TRIES):
        found = _at(obligation, chosen)
        if found is not None:
            return found
    return GaveUp(NAME, f"no counterexample at {TRIES} choices of small sizes")


def _is_size(v: Expr, obligation: Obligation) -> bool:
    limits = [w.value.extent for w in obligation.variables if w.value.extent is not None]
    return v.hi == math.inf or any(v in variables(e) for e in limits)


def _choices(sizes: list[Expr]) -> Iterator[dict[Expr, int]]:
    every = [_least(v) for v in sizes]
    ordered = sorted(product(*(range(len(e)) for e in every)), key=lambda at: (sum(at), at))
    for at in ordered:
        yield {v: e[i] for v, e, i in zip(sizes, every, at, strict=True)}


def _least(v: Expr) -> list[int]:
    s, found, n = v.value, list[int](), int(max(v.lo, 0) if v.lo != -math.inf else 0)
    while len(found) < CHOICES and n <= s.hi and n < 1 << 20:
        if n % s.multiple_of == 0 and not (s.power_of_two and n & (n - 1)):
            found.append(n)
        n += 1
    return found


def _at(obligation: Obligation, sizes: dict[Expr, int]) -> Fails | None:
    """Enumeration with the sizes fixed."""
    indices: dict[Expr, Expr] = {}
    for n, v in enumerate(obligation.variables):
        if v in sizes:
            continue
        if v.value.extent is None:
            indices[v] = v
            continue
        extent = value(v.value.extent, sizes) if set(variables(v.value.extent)) <= set(sizes) else 0
        if extent < 1:
            return None
        indices[v] = var(f"{v.value.name}.{n}", extent)
    at: dict[Expr, Expr | int] = {**sizes, **indices}
    concrete = _substituted(obligation, at)
    outcome = enumeration(concrete, Limits(points=POINTS))
    if not isinstance(outcome, Fails):
        return None
    back = {w: v for v, w in indices.items()}
    points = tuple(_complete(point, back, sizes, obligation) for point in outcome.points)
    return Fails(NAME, points) if all(in_domain(p, obligation.variables) for p in points) else None


def _substituted(obligation: Obligation, at: Mapping[Expr, Expr | int]) -> Obligation:
    def new(e: Expr) -> Expr:
        return substitute(e, at)

    if isinstance(obligation, ForAll):
        return ForAll(obligation.label, new(obligation.goal), new(obligation.given))
    return Injective(
        obligation.label,
        tuple(new(v) for v in obligation.over),
        tuple(map(new, obligation.outputs)),
        new(obligation.given),
    )


def _complete(point: Point, back: dict[Expr, Expr], sizes: dict[Expr, int], obligation: Obligation) -> Point:
    """The point in the obligation's own variables; those that simplified away take their least value."""
    found = {back[w]: n for w, n in point.items()} | sizes
    return {v: found.get(v, int(v.lo)) for v in obligation.variables}
