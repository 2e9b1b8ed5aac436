"""Division of short numbers in f32: what is said of the estimate follows from the manuals, at all critical points."""

import itertools

import numpy as np
import pytest

from layoutalg.index import all_of, simplify, symbol
from layoutalg.prove import ForAll, Limits, holds
from layoutalg.symex.idioms.short_division import ASSUMPTION, MOST_DIVIDEND, MOST_DIVISOR
from layoutalg.symex.machine.arithmetic import IndexValues
from tests.matrix import some

F32 = np.float32


def estimates(n, d, *, above):
    """trunc(f32(n) · rcp(f32(d))) with everything one unit in the last place too great, or too small."""
    way, reciprocal = F32(np.inf if above else 0), F32(1) / d.astype(F32)
    product = n.astype(F32) * np.nextafter(reciprocal, way)
    return np.trunc(np.maximum(np.nextafter(product, way), 0)).astype(np.int64)


def error(d, most):
    """The least and the greatest error at the ends of each run of dividends that have one quotient by d.

    The estimate does not fall where n grows, so nothing is worse between them.
    """
    first = np.arange(0, most, d, dtype=np.int64)
    last = np.minimum(first + d - 1, most - 1)
    divisor = np.full(first.shape, d, dtype=np.int64)
    great = last // d - estimates(last, divisor, above=True)
    small = first // d - estimates(first, divisor, above=False)
    return great.min(), small.max()


DIVISORS = [*range(1, 200), *(2**k + j for k in range(8, 24) for j in (-1, 0, 1)), 2**24 - 1]


@pytest.mark.parametrize("slow", some([False, True], 1))
def test_an_estimate_is_right_or_one_too_small(slow):
    for d in range(1, 1 << 14, 3) if slow else DIVISORS:
        least, most = error(d, MOST_DIVIDEND)
        assert least >= 0, d
        assert most <= 1, d


def test_of_longer_dividends_it_may_be_too_great():
    assert min(error(d, 4 * MOST_DIVIDEND)[0] for d in range(1, 9)) < 0


@pytest.mark.parametrize("d", [1, 2, 3, 7, 255, 1000])
def test_what_is_left_says_whether_it_is_too_small(d):
    n = np.arange(0, 1 << 16, dtype=np.int64)
    for above in (False, True):
        q = estimates(n, np.full(n.shape, d), above=above)
        left = n.astype(F32) - q.astype(F32) * F32(d)
        assert (q + (np.abs(left) >= F32(d)) == n // d).all()


# --- what is read -----------------------------------------------------------------------------------------------------


def divided(n, d, kind="u32", given=None, compared="ge_f32", turned=False, estimated=True):
    """A division as the machine carries it out, as a number; where something else is written, that."""
    w = IndexValues(lambda goal, condition: given is not None and holds(ForAll("a range", goal, condition), Limits()))
    if given is not None:
        w.ranges.assume(given)
    number, divisor = w.word(n), w.word(d)
    fn, fd = (w.function(f"f32_of_{kind}", word) for word in (number, divisor))
    t = w.function("mul_f32", *((w.function("rcp_f32", fd), fn) if turned else (fn, w.function("rcp_f32", fd))))
    t = w.function("trunc_f32", t) if estimated else t
    sign = w.const(1 << 31, 32)
    left = w.function("fma_f32", t ^ sign, fd, fn) & ~sign
    corrected = w.relation(compared, left, fd)
    q = w.function(f"{kind}_of_f32", t) + w.ite(corrected, w.const(1, 32), w.const(0, 32))
    return simplify(w.unsigned(q)), w.assumptions


N, D = symbol("n", min=0, max=MOST_DIVIDEND - 1), symbol("d", max=MOST_DIVISOR)


def test_a_division_is_seen_and_says_what_it_rests_on():
    for kind, turned in itertools.product(("u32", "i32"), (False, True)):
        assert divided(N, D, kind, turned=turned) == (simplify(N // D), (ASSUMPTION,))


@pytest.mark.parametrize("compared", ["gt_f32", "lt_f32", "le_f32", "nge_f32", "eq_f32"])
def test_corrected_by_another_comparison_it_is_none(compared):
    assert divided(N, D, compared=compared)[0] is not simplify(N // D)


def test_what_was_not_cut_to_an_integer_is_no_estimate():
    assert divided(N, D, estimated=False)[1] == ()


def test_the_divisor_of_another_number_corrects_nothing():
    w = IndexValues(lambda goal, condition: False)
    fn, fd = (w.function("f32_of_u32", w.word(e)) for e in (N, D))
    other = w.function("f32_of_u32", w.word(symbol("e", max=100)))
    t = w.function("trunc_f32", w.function("mul_f32", fn, w.function("rcp_f32", fd)))
    sign = w.const(1 << 31, 32)
    for left, limit in (
        (w.function("fma_f32", t ^ sign, other, fn), fd),
        (w.function("fma_f32", t ^ sign, fd, fn), other),
        (w.function("fma_f32", t, fd, fn), fd),
        (w.function("fma_f32", t ^ sign, fd, other), fd),
    ):
        assert "le_f32" in str(w.relation("ge_f32", left, limit).expr)


@pytest.mark.parametrize(
    ("n", "d"),
    [
        (symbol("long", min=0, max=MOST_DIVIDEND), D), (symbol("less", min=-1, max=9), D),
        (N, symbol("zero", min=0, max=9)), (N, symbol("rounded", max=MOST_DIVISOR + 1)),
    ],
)  # fmt: skip
def test_long_and_negative_numbers_and_a_divisor_that_may_be_zero_are_left(n, d):
    assert divided(n, d, "i32")[1] == ()


def test_a_divisor_that_is_known_to_be_no_zero_divides():
    d = symbol("d", min=0, max=9)
    found, assumptions = divided(N, d, given=all_of(d >= 1, d < 10))
    assert assumptions == (ASSUMPTION,)
    assert simplify(found - N // ((d - 1) % 2**32 + 1)).op == "const"
