"""A test over a matrix (targets, element types, levels, sizes) names the cells of a quick run; the others take turns.

| command            | runs of the others                              |
|--------------------|-------------------------------------------------|
| `make test`        | none                                            |
| `make test-slow`   | one in `PARTS`, others each day: all in a week  |
| `make test-matrix` | all                                             |

The day is that of `LAYOUTALG_SEED` (tests/fuzzing.py), which repeats another day's run.

A corpus, of which each case is a file, is gone over in loops: `all_hold` tells every failing case by name.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

from tests.fuzzing import DAY

T = TypeVar("T")

PARTS = 7


def each(cells: Iterable[T], *quick: T) -> list[ParameterSet]:
    """The cells as parameters: `quick` ones of every run, the others marked `matrix`."""
    cells = list(cells)
    assert quick, "which of them is quick?"
    assert all(cell in cells for cell in quick), f"{quick} are not all of {cells}"
    return [_cell(cell, number, cell in quick) for number, cell in enumerate(cells)]


def some(cells: Iterable[T], quick: int, *, slow: bool = False) -> list[ParameterSet]:
    """Cells that are alike: `quick` many of them, spread over all, are of every run; the others take turns.

    `slow`: the others are of every slow run, for what must not be proved.
    """
    cells = list(cells)
    step = -(-len(cells) // quick)
    return [_cell(cell, number, number % step == 0, slow) for number, cell in enumerate(cells)]


def turns(cells: Iterable[T], name: Callable[[T], str] | None = None) -> list[ParameterSet]:
    """Cells that all take turns, none of them quick: what is dear, and shows that something right is proved."""
    return [pytest.param(*_values(cell), marks=pytest.mark.matrix(number), id=name and name(cell))
            for number, cell in enumerate(cells)]  # fmt: skip


def parts(many: int) -> list[ParameterSet]:
    """Slices, of which each takes one in so many of a corpus; none is quick."""
    return turns((slice(n, None, many) for n in range(many)), lambda part: f"{part.start} of {many}")


def all_hold(cases: Iterable[T], holds: Callable[[T], None], name: Callable[[T], str] = str) -> None:
    """Holds every case against a check, and fails with the names of all that do not hold."""
    failed = {}
    for case in cases:
        try:
            holds(case)
        except Exception as error:
            failed[name(case)] = f"{type(error).__name__}: {error}"
    assert not failed, "\n".join(f"{case}: {why}" for case, why in failed.items())


def today(item: pytest.Item, day: int = DAY) -> bool:
    """Whether a cell is of the day's part; tests begin at different numbers, so that days are alike."""
    number = sum(mark.args[0] for mark in item.iter_markers("matrix"))
    return (number + zlib.crc32(item.nodeid.partition("[")[0].encode())) % PARTS == day % PARTS


def _cell(cell: object, number: int, quick: bool, slow: bool = False) -> ParameterSet:
    later = pytest.mark.slow if slow else pytest.mark.matrix(number)
    return pytest.param(*_values(cell), marks=() if quick else later)


def _values(cell: object) -> tuple[object, ...]:
    return cell if isinstance(cell, tuple) else (cell,)
