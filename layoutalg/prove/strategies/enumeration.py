"""Enumeration: every point of a concrete domain, by numpy, in blocks that fit the cache.

Complete both ways, and independent of every rule and solver: the oracle that the other strategies are tested against.
For a `ForAll`, it looks for a point where the goal is false; for an `InjectiveMap`, it counts how often each output
occurs; for an `Onto`, it marks them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from layoutalg.index import FALSE, Expr, budget, substitute, var
from layoutalg.index.box import Box, box
from layoutalg.index.evaluate import array, extent
from layoutalg.lazy import lazy_imports
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Onto, Point
from layoutalg.prove.outcome import Fails, GaveUp, Holds, Limits, Outcome

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

Values: TypeAlias = "npt.NDArray[np.int64]"

BLOCK = 1 << 17
"""Points evaluated at a time."""
POINTS = 30
"""Points that are evaluated in a step."""
SMALL_RANGE = 1 << 16
"""Outputs in a range of this length are counted in a table, however few there are; a longer one must be filled more."""
NAME = "enumeration"
VACUOUS = "the assumptions hold at no point, and a vacuous proof is no proof"


def enumeration(obligation: Obligation, limits: Limits) -> Outcome:
    """Decides an obligation whose domain is concrete and has at most `limits.points` points."""
    boxes = [box(obligation.variables), *([box(obligation.over)] if isinstance(obligation, Onto) else [])]
    if None in boxes:
        return GaveUp(NAME, "the domain is not finite")
    size = max(b.count for b in boxes if b is not None)
    if size > limits.points:
        return GaveUp(NAME, f"it has more than {limits.points} points")
    try:
        if isinstance(obligation, Onto):
            return _all_reached(obligation)
        return _all_hold(obligation) if isinstance(obligation, ForAll) else _all_differ(obligation)
    except OverflowError as error:
        return GaveUp(NAME, str(error))


def _blocks(axes: Sequence[Expr]) -> Iterator[dict[Expr, Values]]:
    """The domain in blocks: each variable's values, flat, first variable slowest."""
    every = Box(axes)
    counts, total = every.counts, every.count
    choices = {v: np.asarray(c, dtype=np.int64) for v, c in zip(axes, every.choices, strict=True)}
    inner, split = 1, len(axes)
    while split and inner * counts[split - 1] <= BLOCK:
        split -= 1
        inner *= counts[split]
    outer = total // inner
    step = max(1, BLOCK // inner)
    for start in range(0, outer, step):
        budget.check(step * inner // POINTS)
        number = np.arange(start, min(start + step, outer), dtype=np.int64)
        block: dict[Expr, Values] = {}
        shape = [len(number), *counts[split:]]
        for position, v in enumerate(axes):
            if position < split:
                below = math.prod(counts[position + 1 : split])
                axis, place = choices[v][number // below % counts[position]], 0
            else:
                axis, place = choices[v], position - split + 1
            block[v] = axis.reshape([-1 if d == place else 1 for d in range(len(shape))])
        yield block


def _all_hold(obligation: ForAll) -> Outcome:
    met = False
    for block in _blocks(obligation.variables):
        given, goal = array([obligation.given, obligation.goal], block)
        met = met or bool(given.any())
        wrong = (given != 0) & (goal == 0)
        if wrong.any():
            return Fails(NAME, (_at(block, wrong, int(np.argmax(wrong))),))
    return Holds(NAME) if met else GaveUp(NAME, VACUOUS)


def _at(block: dict[Expr, Values], result: Any, flat: int) -> Point:
    """The point of a block's result (which may be smaller than the block: then any point above it)."""
    place = np.unravel_index(flat, result.shape) if result.ndim else ()
    point: dict[Expr, int] = {}
    for v, axis in block.items():
        at = tuple(i if n > 1 else 0 for i, n in zip(place, axis.shape[-len(place) :], strict=True)) if place else ()
        point[v] = int(axis.reshape(-1)[0] if not at else axis[at])
    return point


def _all_differ(obligation: InjectiveMap) -> Outcome:
    shared, met = Box(obligation.shared), False
    for number in range(shared.count):
        sizes = shared.point(number)
        keys, numbers = _keys(obligation, sizes)
        met = met or len(keys) > 0
        outcome = _differ(obligation, sizes, keys, numbers)
        if outcome is not None:
            return outcome
    return Holds(NAME) if met else GaveUp(NAME, VACUOUS)


def _differ(obligation: InjectiveMap, sizes: dict[Expr, int], keys: Values, numbers: Values) -> Fails | None:
    """Two points with one output, for one choice of the sizes."""
    if len(keys) < 2:
        return None
    low, high = int(keys.min()), int(keys.max())
    if high - low < 4 * len(keys) + SMALL_RANGE and int(np.bincount(keys - low).max()) < 2:
        return None
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if not len(same):
        return None
    first = int(same[np.argmin(numbers[order[same + 1]])])
    pair = (int(numbers[order[first]]), int(numbers[order[first + 1]]))
    return Fails(NAME, tuple({**sizes, **Box(obligation.over).point(number)} for number in pair))


def _all_reached(obligation: Onto) -> Outcome:
    """Marks what the points reach; sizes have no place here (they are given numbers first)."""
    counts = Box(obligation.targets).counts
    if obligation.where is FALSE:
        return GaveUp(NAME, VACUOUS)
    if len(obligation.targets) < len(obligation.variables):
        return GaveUp(NAME, "a size is not fixed")
    lows = [int(v.lo) for v in obligation.targets]
    marked = np.zeros(math.prod(counts), dtype=bool)
    for block in _blocks(obligation.over):
        shape = np.broadcast_shapes(*(a.shape for a in block.values())) if block else ()
        given, *outputs = (
            np.broadcast_to(r, shape).reshape(-1) for r in array([obligation.given, *obligation.outputs], block)
        )
        inside = given != 0
        place = np.zeros(len(inside), dtype=np.int64)
        for output, low, n in zip(outputs, lows, counts, strict=True):
            inside = inside & (output >= low) & (output < low + n)
            place = place * n + (output - low)
        marked[place[inside]] = True
    if marked.all():
        return Holds(NAME)
    missed = np.unravel_index(int(np.argmin(marked)), counts)
    return Fails(NAME, ({v: int(i) + low for v, i, low in zip(obligation.targets, missed, lows, strict=True)},))


def reached(obligation: Onto, point: Point) -> bool:
    """Whether some point's outputs are the targets' values, at one counterexample: the replay of `Onto`.

    OverflowError where the values leave int64.
    """
    sizes = {v: n for v, n in point.items() if v not in obligation.targets}
    extents = [extent(v, sizes) for v in obligation.over]
    if min(extents, default=1) < 1:
        return False
    over = {v: var(f"{v.value.name}.{n}", extents[n]) for n, v in enumerate(obligation.over)}
    roots = [substitute(e, {**sizes, **over}) for e in obligation.roots]
    for block in _blocks(tuple(over.values())):
        given, *outputs = array(roots, block)
        same = given != 0
        for output, target in zip(outputs, obligation.targets, strict=True):
            same = same & (output == point[target])
        if np.any(same):
            return True
    return False


def _keys(obligation: InjectiveMap, sizes: dict[Expr, int]) -> tuple[Values, Values]:
    """One integer for each valid point (equal exactly when all outputs are), and the points' numbers."""
    keys: list[list[Values]] = [[] for _ in obligation.outputs]
    numbers: list[Values] = []
    start = 0
    for block in _blocks(obligation.over):
        at: dict[Expr, Any] = {**block, **sizes}
        shape = np.broadcast_shapes(*(a.shape for a in block.values())) if block else ()
        given, *outputs = (
            np.broadcast_to(r, shape).reshape(-1) for r in array([obligation.given, *obligation.outputs], at)
        )
        valid = np.flatnonzero(given)
        numbers.append(valid + start)
        start += math.prod(shape)
        for found, output in zip(keys, outputs, strict=True):
            found.append(output[valid])
    assert start == Box(obligation.over).count
    columns = [np.concatenate(k) for k in keys]
    order = np.concatenate(numbers)
    if not columns or not len(order):
        return np.zeros(len(order), dtype=np.int64), order
    return _packed(columns), order


def _packed(columns: list[Values]) -> Values:
    """Several columns as one: each row's columns are the digits of its key."""
    key: Values = columns[0] - columns[0].min()
    size = int(columns[0].max() - columns[0].min()) + 1
    for column in columns[1:]:
        low, n = int(column.min()), int(column.max() - column.min()) + 1
        if size * n >= 1 << 62:
            _, key = np.unique(key, return_inverse=True)
            size = len(key)
        if size * n >= 1 << 62:
            raise OverflowError("the outputs together leave 64 bits")
        key, size = key * n + (column - low), size * n
    return key
