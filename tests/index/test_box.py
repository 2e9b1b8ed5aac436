"""Boxes: every value of each variable, every point by its number."""

from __future__ import annotations

from itertools import product

import pytest

from layoutalg.index import Expr, symbol, unlimited, var
from layoutalg.index.box import Box, box, choices, least_value
from layoutalg.index.evaluate import admits

VARIABLES = [
    var("i", 5),
    symbol("M", min=3, max=40, multiple_of=8),
    symbol("P", min=3, max=70, power_of_two=True),
    symbol("Q", min=0, max=64, multiple_of=4, power_of_two=True),
    symbol("S", min=-9, max=9, multiple_of=3),
]


@pytest.mark.parametrize("v", VARIABLES)
def test_choices_are_what_the_variable_admits(v: Expr) -> None:
    assert [*choices(v)] == [n for n in range(-100, 100) if admits(v, {v: n})]
    assert choices(v)[0] == least_value(v)
    assert Box([v]).count == len(choices(v))


def test_points_are_numbered_with_the_first_variable_the_slowest() -> None:
    every = box(VARIABLES)
    assert every is not None
    wanted = [dict(zip(VARIABLES, at, strict=True)) for at in product(*map(choices, VARIABLES))]
    assert [every.point(n) for n in range(every.count)] == wanted


def test_what_has_no_limit_has_no_box() -> None:
    m = symbol("M")
    assert [box([v]) for v in (m, var("i", m), unlimited("u"), var("i", symbol("N", max=8)))] == [None] * 4
    assert Box([var("i", 1 << 100)]).count == 1 << 100
