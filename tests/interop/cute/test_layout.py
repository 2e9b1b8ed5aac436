"""Layouts and swizzles as functions of coordinates; what is none of them is refused."""

import random

import numpy as np
import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import simplify, symbol, value, var
from layoutalg.interop.cute import BitSwizzle, Layout, NoLayoutError, parse, select, size
from tests.interop.cute import oracle

# NVIDIA/cutlass, test/python/pycute/test_swizzle.py, by value
POINTS = [0, 1, 2, 7, 8, 9, 15, 16, 63, 64, 255, 256]
SWIZZLES = [
    ((0, 4, 0), POINTS),
    ((2, 3, -3), [0, 1, 2, 7, 72, 73, 79, 144, 255, 64, 63, 256]),
    ((1, 0, 1), [0, 1, 3, 6, 8, 9, 14, 16, 62, 64, 254, 256]),
    ((3, 2, 3), [0, 1, 2, 7, 8, 9, 15, 16, 59, 72, 227, 256]),
    ((2, 1, -2), [0, 1, 10, 31, 8, 9, 23, 16, 39, 64, 231, 256]),
]


@pytest.mark.parametrize(("given", "expected"), SWIZZLES)
def test_pycutes_own_swizzles(given: tuple[int, int, int], expected: list[int]) -> None:
    swizzle = BitSwizzle(*given)
    assert [swizzle(x) for x in POINTS] == expected
    assert all(swizzle(swizzle(x)) == x for x in range(256))
    x = var("x", 257)
    assert [value(swizzle(x), {x: n}) for n in POINTS] == expected


def test_a_number_and_a_coordinate_reach_the_same() -> None:
    for seed in range(50):
        layout = oracle.any_layout(random.Random(seed))
        found = [layout(i) for i in range(min(size(layout), 256))]
        assert found == oracle.values(layout)[:256]
    layout = parse("((2,2),8):((1,16),2)")
    assert layout((1, 1), 5) == layout(3, 5) == layout((3, 5)) == layout(23) == 27
    assert layout(23 + 32) == oracle.at(layout, 23 + 32)  # beyond its size the last mode goes on


def test_coordinates_may_be_expressions() -> None:
    m, i = symbol("M"), var("i", symbol("M"))
    assert Layout((m, 8), (1, m))(i, 3) == simplify(i + m * 3)
    assert Layout((4, 8), (8, 1))(var("x", 32)) == parse("(4,8):(8,1)")(var("x", 32))


@pytest.mark.parametrize(
    ("shape", "stride", "reason"),
    [
        ((4, 0), None, "a shape of 0: it is at least 1"),
        ((4, -2), None, "a shape of -2"),
        ((4, 8), (1,), "stride .1. for shape .4,8.: they are trees of one form"),
        (4, (1,), "stride .1. for shape 4: they are trees of one form"),
        ((4, (2, 2)), (1, 4), "stride 4 for shape .2,2."),
        ((4.0, 2), None, "4.0 is not an integer"),
        ("4", None, "'4' is not an integer"),
        (True, None, "a truth value"),
        (None, None, "None is not an integer"),
        ((), None, "a shape without modes"),
        (symbol("N", min=0), None, "a shape of N: it is at least 1 for all sizes"),
    ],
)
def test_what_is_no_layout_is_refused(shape: object, stride: object, reason: str) -> None:
    with pytest.raises(LayoutError, match=reason):
        Layout(shape, stride)


@pytest.mark.parametrize("at", [(-1,), (1, 2, 3), ("a",), ((1, 2), 3), (None,)])
def test_what_is_no_coordinate_is_refused(at: tuple[object, ...]) -> None:
    with pytest.raises(LayoutError):
        parse("(4,8):(8,1)")(*at)


def test_numpys_integers_are_integers() -> None:
    assert Layout((np.int64(4), np.int32(8)))(np.int64(5)) == 5


def test_modes_that_are_not_there_are_refused() -> None:
    with pytest.raises(IndexError, match="mode 2 of"):
        parse("(4,8):(8,1)")[2]
    with pytest.raises(NoLayoutError, match="mode 2 of"):
        select(parse("(4,8):(8,1)"), 0, 2)


@pytest.mark.parametrize("given", [(3, 4, 2), (-1, 0, 0), (1, -1, 1), (30, 3, 30)])
def test_what_is_no_swizzle_is_refused(given: tuple[int, int, int]) -> None:
    with pytest.raises(LayoutError):
        BitSwizzle(*given)
