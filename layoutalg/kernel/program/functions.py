"""What is computed element by element, each function once: as code, as numbers and as the machine's operations.

A function is said in a few operations of arithmetic, and read with each of these for `a`:

| reading                    | `a.add(x, y)`               | `a.choose(a.less(x, y), x, y)`  |
|----------------------------|-----------------------------|---------------------------------|
| `emit.arithmetic.Code`     | `x + y`                     | `x < y ? x : y`                 |
| `refine.trial.Floats`      | the sum, in float64         | numpy's `where`                 |
| `refine.simulation.Floats` | what `v_add_f32` makes of x and y | a choice between expressions |

so a new function is a line of the table.  Comparisons are false where a number is none: relu keeps what is none, as
numpy's `maximum` and torch's `relu` do, and a greatest takes it.

What it cannot represent: functions that no GPU has exactly (exp, division); they would need an error bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol


class Arithmetic(Protocol):
    """Numbers (f32) and conditions of one reading."""

    def number(self, value: float) -> Any:
        """A constant."""

    def add(self, x: Any, y: Any) -> Any:
        """x + y, rounded."""

    def less(self, x: Any, y: Any) -> Any:
        """x < y."""

    def greater(self, x: Any, y: Any) -> Any:
        """x > y."""

    def unequal(self, x: Any, y: Any) -> Any:
        """x ≠ y; of a number with itself: it is none."""

    def either(self, p: Any, q: Any) -> Any:
        """p or q."""

    def choose(self, p: Any, x: Any, y: Any) -> Any:
        """x where p holds, else y."""


@dataclass(frozen=True)
class Function:
    """A function of so many operands: the operations that make it, of any reading."""

    operands: int
    of: Callable[..., Any]


FUNCTIONS: Mapping[str, Function] = {
    "relu": Function(1, lambda a, x: a.choose(a.less(x, a.number(0.0)), a.number(0.0), x)),
    "add": Function(2, lambda a, x, y: a.add(x, y)),
}
"""What an elementwise statement may compute, by its name in programs."""

NEUTRAL: Mapping[str, float] = {"sum": 0.0, "max": -inf}
"""What each fold begins with."""

FOLDS: Mapping[str, Function] = {
    "sum": Function(2, lambda a, so_far, x: a.add(so_far, x)),
    "max": Function(2, lambda a, so_far, x: a.choose(a.either(a.greater(x, so_far), a.unequal(x, x)), x, so_far)),
}
"""How each fold takes in an element."""


def unknown(function: str, operands: int) -> Iterator[str]:
    """What is wrong with a call.

    >>> list(unknown("relu", 2)), list(unknown("add", 2))
    (['relu of 2 operands; it takes 1'], [])
    """
    found = FUNCTIONS.get(function)
    if found is None:
        yield f"no function {function!r}; there are {', '.join(FUNCTIONS)}"
    elif operands != found.operands:
        yield f"{function} of {operands} operands; it takes {found.operands}"
