"""Comparisons of floats that are exact integers, held against numpy's."""

from __future__ import annotations

import operator
from fractions import Fraction

import numpy as np
import pytest

from layoutalg.index import Expr, array, const, var
from layoutalg.symex.values.exact import WHOLE, exact_constant, exact_relation
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions

X = var("x", 12)
COMPARISONS = {"lt": operator.lt, "le": operator.le, "eq": operator.eq}
CONSTANTS = (0.0, -0.0, 1.0, 2.5, 7.0, 8.0, 8.0000005, -1.5, 11.0, 12.5, 2.0**-126, 3e38)


def bits(x: float) -> int:
    return int(np.float32(x).view(np.uint32))


@pytest.mark.parametrize("how", COMPARISONS)
@pytest.mark.parametrize("c", CONSTANTS)
def test_a_comparison_with_a_constant_is_numpys(how: str, c: float) -> None:
    word, numbers = UninterpretedFunctions().apply("f32_of_u32", X), np.arange(12)
    for turned in (False, True):
        sides = (const(bits(c)), word) if turned else (word, const(bits(c)))
        floats = (np.float32(c), numbers.astype(np.float32)) if turned else (numbers.astype(np.float32), np.float32(c))
        found = exact_relation(how, *sides)
        assert found is not None
        assert np.array_equal(np.broadcast_to(array([found], {X: numbers})[0], 12) != 0, COMPARISONS[how](*floats))


@pytest.mark.parametrize("c", [float("nan"), float("inf"), 2.0**-127])
def test_nothing_is_said_of_what_is_no_number_infinite_or_flushed(c: float) -> None:
    assert exact_relation("lt", UninterpretedFunctions().apply("f32_of_u32", X), const(bits(c))) is None


def test_nothing_is_said_of_integers_that_are_rounded() -> None:
    for x in (var("x", WHOLE + 2), X - 1):
        assert exact_relation("lt", UninterpretedFunctions().apply("f32_of_u32", x), const(bits(8.0))) is None


def product(a: float, b: float) -> Expr:
    return UninterpretedFunctions().apply("mul_f32", const(bits(a)), const(bits(b)))


@pytest.mark.parametrize(("a", "b"), [(8.0, 0.125), (256.0, 1 / 32), (3.0, 1.5), (-4.0, 0.25)])
def test_a_product_of_constants_is_numpys(a: float, b: float) -> None:
    assert exact_constant(product(a, b)) == Fraction(float(np.float32(a) * np.float32(b)))


@pytest.mark.parametrize(("a", "b"), [(0.1, 0.1), (0.0, 1.0), (2.0**-100, 2.0**-100), (3e38, 3e38), (2.0**-126, 0.5)])
def test_a_product_that_is_rounded_zero_or_flushed_is_none(a: float, b: float) -> None:
    assert exact_constant(product(a, b)) is None
