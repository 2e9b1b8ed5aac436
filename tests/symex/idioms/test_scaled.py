"""Integers scaled in f32: what is said of them is so of every critical number, rounded up or down."""

import numpy as np
import pytest

from layoutalg.index import simplify, symbol, value
from layoutalg.symex.idioms.scaled import EXACT
from layoutalg.symex.machine.arithmetic import IndexValues

I = symbol("i", min=0, max=EXACT - 1)  # noqa: E741
F32 = np.float32


def bits(real):
    return int(F32(real).view(np.uint32))


def read(i, factor, kind="u32", floor=False):
    w = IndexValues(lambda goal, given: False)
    product = w.function("mul_f32", w.function(f"f32_of_{kind}", w.word(i)), w.const(bits(factor), 32))
    product = w.function("floor_f32", product) if floor else product
    return w, simplify(w.function(f"{kind}_of_f32", product).expr)


@pytest.mark.parametrize("factor", [0.37, 1 / 3, 0.1, 1.1, 2.5, 63.9, 1e-9, 3e-30])
def test_a_scaled_integer_is_between_what_is_said(factor):
    w, found = read(I, factor)
    fact = w.functions.known[found]
    rng = np.random.default_rng(7)
    for i in (0, 1, 2, 3, 10, 27, 270, EXACT - 1, *map(int, rng.integers(0, EXACT, 50))):
        nearest, exact = F32(i) * F32(factor), float(i) * float(F32(factor))  # which f64 has
        up = nearest if nearest >= exact else np.nextafter(nearest, F32(np.inf))
        down = nearest if nearest <= exact else np.nextafter(nearest, F32(0))
        for rounded in (nearest, up, down):
            assert value(fact, {I: i, found: int(rounded)}) == 1, (i, rounded)
        assert value(fact, {I: i, found: int(nearest) + 400}) == 0


def test_by_a_power_of_two_nothing_is_rounded():
    for floor in (False, True):
        assert read(I, 0.25, floor=floor)[1] is simplify(I // 4)
        assert read(I, 0.25, "i32", floor=floor)[1] is simplify(I // 4)
    assert read(I, 8.0)[1] is simplify(I * 8)


@pytest.mark.parametrize(
    ("i", "factor"),
    [
        (symbol("long", min=0, max=EXACT), 0.5), (symbol("less", min=-1, max=9), 0.5), (I, -0.5), (I, 65.0),
        (I, np.inf), (I, np.nan), (I, 0.0),
    ],
)  # fmt: skip
def test_of_long_and_negative_numbers_and_of_other_factors_nothing_is_said(i, factor):
    w, found = read(i, factor, "i32")
    assert "of_f32" in str(found)
    assert not w.functions.known
