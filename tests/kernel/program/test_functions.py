"""The columns of the table of functions say one thing: text, numbers, and the machine's operations."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from layoutalg.index import Expr, const
from layoutalg.kernel.program import FOLDS, FUNCTIONS, NEUTRAL
from layoutalg.kernel.program.functions import Function

SPECIAL = (-math.inf, -2.5, 0.0, 1.0, 3.25, math.inf, math.nan)


def bits(x: float) -> int:
    return int(np.float32(x).view(np.uint32))


def number(word: Expr | int) -> float:
    return float(np.uint32(int(word)).view(np.float32))


class Exactly:
    """The machine's operations on numbers that are known."""

    def apply(self, name: str, *given: Expr) -> Expr:
        operation = {"add_f32": np.add, "mul_f32": np.multiply, "fma_f32": lambda x, y, z: x * y + z}[name]
        with np.errstate(invalid="ignore"):
            return const(bits(operation(*(np.float64(number(x)) for x in given))))

    def relation(self, name: str, left: Expr, right: Expr) -> Expr:
        compare = {"lt_f32": float.__lt__, "gt_f32": float.__gt__, "neq_f32": float.__ne__}[name]
        return const(int(compare(number(left), number(right))))


def of_text(text: str, *given: float) -> float:
    """What C makes of a text: the value of `p ? x : y` or of a sum, of numbers named x0 and x1."""
    python = (
        text.format("x0", "x1", "x2").replace("||", "or").removesuffix(";").removeprefix("x0 = ").replace("+= ", "+ ")
    )
    if "?" in python:
        condition, chosen = python.split(" ? ")
        yes, no = chosen.split(" : ")
        python = f"{yes} if {condition} else {no}"
    names = {f"x{n}": np.float64(x) for n, x in enumerate(given)}
    with np.errstate(invalid="ignore"):
        return float(eval(python.replace("0.0f", "0.0"), {"__builtin_fmaf": lambda x, y, z: x * y + z}, names))


def alike(x: float, y: float) -> bool:
    return x == y or (math.isnan(x) and math.isnan(y))


@pytest.mark.parametrize("function", [*FUNCTIONS.values(), *FOLDS.values()], ids=[*FUNCTIONS, *FOLDS])
def test_text_and_machine_are_one_function(function: Function) -> None:
    for given in product(SPECIAL, repeat=function.operands):
        found = function.machine(Exactly(), *(const(bits(x)) for x in given))
        assert alike(number(found), of_text(function.text, *given)), given


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_are_the_same_function(name: str) -> None:
    function = FUNCTIONS[name]
    for given in product(SPECIAL, repeat=function.operands):
        with np.errstate(invalid="ignore"):
            found = float(function.numbers(*map(np.float64, given)))
        assert alike(found, of_text(function.text, *given)), given


@pytest.mark.parametrize("how", FOLDS)
def test_a_fold_takes_in_one_after_the_other_from_what_is_neutral(how: str) -> None:
    total = NEUTRAL[how]
    for x in (values := [3.0, -7.5, 4.0]):
        total = of_text(FOLDS[how].text, total, x)
    assert total == FOLDS[how].numbers(np.array(values))
