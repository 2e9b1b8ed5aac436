"""Blocks, threads, sizes and iterations drawn at random: where two maps differ, some of them nearly always shows it.

A sample only suggests which access of the binary is which of the program, or refutes; nothing is proved by it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from layoutalg.index import Expr, as_expr, value, variables
from layoutalg.kernel.program import Program
from layoutalg.symex.values.word import NotReadable

Point = Mapping[Expr, int]

#: Sizes that are tried: this many times 1 to 5, the first that the program allows.
_SCALES = (64, 64, 16, 16, 8, 4, 2, 1, 1, 1)

#: Points that tell elements apart; of those where a condition holds, how many are enough, and how many are drawn for
#: them: a guard that one of a hundred threads meets is met by six of them.
_POINTS, _ENOUGH, _DRAWN = 4, 6, 600

#: The greatest value that is tried for what has no greatest.
_MOST = 1 << 64


def sample_points(program: Program, loops: Mapping[Expr, Expr]) -> tuple[Point, ...]:
    """Some blocks, threads and iterations of problems of several tiles.

    Raises `NotReadable` when no sizes that are tried meet what the program requires.
    """
    rng = random.Random(0)
    return tuple(_point(program, loops, rng, k) for k in range(_POINTS))


def points_where(program: Program, loops: Mapping[Expr, Expr], condition: Expr) -> tuple[Point, ...]:
    """Some points where a condition on these variables holds; few or none where it seldom does."""
    rng, found = random.Random(1), []
    for k in range(_DRAWN):
        point = _point(program, loops, rng, k % _POINTS)
        if value(condition, point):
            found.append(point)
        if len(found) == _ENOUGH:
            break
    return tuple(found)


def extreme_sizes(program: Program) -> tuple[Point, ...]:
    """Least sizes, and for each size one where it is as great as the others let it be, up to a factor of two.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> program = lds_transpose()
    >>> [[point[size] for size in program.sizes] for point in extreme_sizes(program)]
    [[1, 1], [536870912, 1], [1, 536870912]]
    """
    least = {size: max(int(size.lo), 1) for size in program.sizes}
    found = [least]
    for size in program.sizes:
        point = dict(least)
        while 2 * point[size] <= size.hi and value(program.requires, point | {size: 2 * point[size]}):
            point[size] *= 2
        found.append(point)
    return tuple(found)


def shows_wrong(goal: Expr, given: Expr, sizes: Point) -> bool:
    """Whether the other variables have values, at their ends or at random, that meet `given` and not `goal`.

    >>> from layoutalg.index import symbol, var
    >>> i = var("i", symbol("N"))
    >>> shows_wrong(i < 100, i < 1000, {symbol("N"): 200}), shows_wrong(i < 100, i < 100, {symbol("N"): 200})
    (True, False)
    """
    rng = random.Random(0)
    others = [v for v in variables(goal, given) if v not in sizes]
    return any(_differs(goal, given, dict(sizes), others, draw) for draw in (min, max, rng.randint, rng.randint))


def _differs(
    goal: Expr, given: Expr, point: dict[Expr, int], others: Sequence[Expr], draw: Callable[[int, int], int]
) -> bool:
    for v in others:
        extent, step = v.value.extent, v.value.multiple_of
        last = int(min(v.hi, _MOST)) if extent is None else value(extent, point) - 1
        if last < v.lo:
            return False
        point[v] = draw(int(v.lo), last) // step * step
    return bool(value(given, point)) and not value(goal, point)


def _point(program: Program, loops: Mapping[Expr, Expr], rng: random.Random, k: int) -> Point:
    point = next((p for p in _sizes(program, rng, k) if value(program.requires, p)), None)
    if point is None:
        raise NotReadable(f"no sample of {program.name} meets {program.requires}")
    for index in (*program.grid, *program.threads):
        extent = index.value.extent
        point[index] = rng.randrange(value(as_expr(extent), point) if extent is not None else int(index.hi) + 1)
    for number, runs in loops.items():  # which may be the block's
        point[number] = rng.randrange(value(runs, point))
    return point


def _sizes(program: Program, rng: random.Random, k: int) -> Iterator[dict[Expr, int]]:
    for scale in _SCALES:
        drawn = {}
        for size in program.sizes:
            symbol = size.value
            step = symbol.multiple_of * -(-scale // symbol.multiple_of)
            number = step * (rng.randrange(2, 5) + k) if not symbol.power_of_two else 1 << rng.randrange(3, 7)
            drawn[size] = int(min(max(number, size.lo), size.hi)) // symbol.multiple_of * symbol.multiple_of
        yield drawn
    yield {size: int(size.lo) for size in program.sizes}
