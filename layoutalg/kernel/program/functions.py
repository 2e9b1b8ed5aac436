"""What is computed element by element, each function once: its text, its numbers and the machine's operations.

| column    | is the function                                              | is read by                            |
|-----------|--------------------------------------------------------------|---------------------------------------|
| `text`    | as C, with its operands' places                              | the emission                          |
| `numbers` | of arrays, as numpy has it                                   | the trial of a binary                 |
| `machine` | of f32 numbers as their bits, by operations that stay open   | the proof about machine code          |

so a new function is a line of the table.  What is no number stays none in relu, as with numpy's `maximum` and torch's
`relu`, and is taken for the greatest.

A product that is added to something is `fma`: of `mul` and `add` compilers may make one, or not.

What it cannot represent: functions that no GPU has exactly (exp, division); they would need an error bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any, Protocol

from layoutalg.index import ZERO, Expr, any_of, select
from layoutalg.records import dataclass


class Machine(Protocol):
    """Operations of floating-point numbers, of which no more is known than that equal operands give equal results."""

    def apply(self, name: str, *arguments: Expr) -> Expr:
        """An operation's result."""

    def relation(self, name: str, left: Expr, right: Expr) -> Expr:
        """A comparison."""


@dataclass(frozen=True)
class Function:
    """A function of so many operands; a fold's first one is what it has taken in so far."""

    operands: int
    text: str
    numbers: Callable[..., Any]
    machine: Callable[..., Expr]


def _relu(f: Machine, x: Expr) -> Expr:
    return select(f.relation("lt_f32", x, ZERO), ZERO, x)


def _greater(f: Machine, so_far: Expr, x: Expr) -> Expr:
    """x where it is greater or no number."""
    return select(any_of(f.relation("gt_f32", x, so_far), f.relation("neq_f32", x, x)), x, so_far)


def _add(f: Machine, x: Expr, y: Expr) -> Expr:
    return f.apply("add_f32", x, y)


FUNCTIONS: Mapping[str, Function] = {
    "relu": Function(1, "{0} < 0.0f ? 0.0f : {0}", lambda x: x.clip(0.0), _relu),
    "add": Function(2, "{0} + {1}", lambda x, y: x + y, _add),
    "mul": Function(2, "{0} * {1}", lambda x, y: x * y, lambda f, x, y: f.apply("mul_f32", x, y)),
    "fma": Function(
        3,
        "__builtin_fmaf({0}, {1}, {2})",
        lambda x, y, z: x * y + z,
        lambda f, x, y, z: f.apply("fma_f32", x, y, z),
    ),
}
"""What an elementwise statement may compute, by its name in programs."""

FOLDS: Mapping[str, Function] = {
    "sum": Function(2, "{0} += {1};", lambda x: x.sum(axis=-1), _add),
    "max": Function(2, "{0} = {1} > {0} || {1} != {1} ? {1} : {0};", lambda x: x.max(axis=-1), _greater),
}
"""How each fold takes in an element; its numbers are those of all elements along the last coordinate."""

NEUTRAL: Mapping[str, float] = {"sum": 0.0, "max": -inf}
"""What each fold begins with."""


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
