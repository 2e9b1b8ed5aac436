"""Blocks, threads, sizes and iterations drawn at random: where two maps differ, some of them nearly always shows it.

A sample only suggests which access of the binary is which of the program, or refutes; nothing is proved by it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from layoutalg.device.amdgcn.bits import NotReadable
from layoutalg.index import Expr, as_expr, value
from layoutalg.kernel.program import Program

Point = Mapping[Expr, int]

#: Sizes that are tried: this many times 1 to 5, the first that the program allows.
_SCALES = (64, 64, 16, 16, 8, 4, 2, 1, 1, 1)


def sample_points(kernel: Program, loops: Mapping[Expr, Expr], count: int = 4) -> tuple[Point, ...]:
    """Some blocks, threads and iterations of problems of several tiles.

    Raises `NotReadable` when no sizes that are tried meet what the program requires.
    """
    rng = random.Random(0)
    return tuple(_point(kernel, loops, rng, k) for k in range(count))


def points_where(kernel: Program, loops: Mapping[Expr, Expr], condition: Expr, tries: int = 600) -> tuple[Point, ...]:
    """Some points where a condition on these variables holds; few or none where it seldom does."""
    rng, found = random.Random(1), []
    for k in range(tries):
        point = _point(kernel, loops, rng, k % 4)
        if value(condition, point):
            found.append(point)
        if len(found) == 6:
            break
    return tuple(found)


def _point(kernel: Program, loops: Mapping[Expr, Expr], rng: random.Random, k: int) -> Point:
    point = next((p for p in _sizes(kernel, rng, k) if value(kernel.requires, p)), None)
    if point is None:
        raise NotReadable(f"no sample of {kernel.name} meets {kernel.requires}")
    for number, runs in loops.items():
        point[number] = rng.randrange(value(runs, point))
    for index in (*kernel.grid, *kernel.threads):
        extent = index.value.extent
        point[index] = rng.randrange(value(as_expr(extent), point) if extent is not None else int(index.hi) + 1)
    return point


def _sizes(kernel: Program, rng: random.Random, k: int) -> Iterator[dict[Expr, int]]:
    for scale in _SCALES:
        drawn = {}
        for size in kernel.sizes:
            symbol = size.value
            step = symbol.multiple_of * -(-scale // symbol.multiple_of)
            number = step * (rng.randrange(2, 5) + k) if not symbol.power_of_two else 1 << rng.randrange(3, 7)
            drawn[size] = int(min(max(number, size.lo), size.hi)) // symbol.multiple_of * symbol.multiple_of
        yield drawn
    yield {size: int(size.lo) for size in kernel.sizes}
