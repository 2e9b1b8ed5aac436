"""Divisions as compilers write them with constants, against numbers: every small one."""

import itertools

import numpy as np
import pytest

from layoutalg.index import TRUE, all_of, array, div, simplify, symbol, value, var
from layoutalg.symex.idioms.division import by_constant, shifted


def read_as(e, given):
    found = by_constant(e, given)
    return e if found is None else found


def test_a_product_with_a_rounded_reciprocal_is_a_quotient_only_where_it_is_one():
    """Every factor and power: where the product is rewritten, all numbers of its range give the quotient."""
    quotients = 0
    for extent in (8, 60, 128, 300):
        x = var("x", extent)
        numbers = np.arange(extent)
        for power in (16, 128, 512, 2048):
            for factor in range(1, 260):
                written = simplify(div(x * factor, power))
                read = read_as(written, TRUE)
                quotients += read is not written
                (found,) = array([read], {x: numbers})
                assert np.array_equal(np.broadcast_to(found, numbers.shape), numbers * factor // power)
    assert quotients > 100


def test_thirds_and_fifths_are_seen_within_their_range_and_not_beyond():
    for factor, power, divisor, limit in (
        (43, 128, 3, 128),
        (171, 512, 3, 512),
        (205, 1024, 5, 1024),
        (37, 256, 7, 85),
    ):
        inside, beyond = var("x", limit), var("x", 2 * limit + 7)
        assert by_constant(div(inside * factor, power), TRUE) is div(inside, divisor)
        written = simplify(div(beyond * factor, power))
        assert by_constant(written, TRUE) is None


@pytest.mark.parametrize("divisor", [3, 5, 7, 11, 13, 14, 21, 49, 641])
def test_a_quotient_by_a_constant_with_a_sum_between(divisor):
    """x div d as (mulhi(x, m − 2³²) + x) >> s, for m = 2³²⁺ˢ / d rounded up; a magic number that is off is none."""
    x = var("x", 1 << 20)
    places = (divisor - 1).bit_length() - 1
    magic = -(-(1 << 32 + places) // divisor)
    for off in (0, 1, -1, 1 << 20):
        e = simplify((x * (magic + off - (1 << 32)) // (1 << 32) + x) // (1 << places)) if places else None
        if e is None:
            continue
        found = read_as(e, TRUE)
        assert found is simplify(x // divisor) or off
        points = [0, 1, divisor - 1, divisor, (1 << 20) - 1, (1 << 20) // divisor * divisor, divisor * 999 - 1]
        assert [value(found, {x: n}) for n in points] == [value(e, {x: n}) for n in points]


def test_a_shift_is_a_quotient():
    n, p = symbol("N", max=40), symbol("p", min=0, max=60)
    for places, most in itertools.product(range(1, 6), (7, 8, 9, 15, 16, 17, 31, 32, 33)):
        given = all_of(p < n, n < most)
        got = shifted(p, places, given)
        for size in range(1, min(40, most)):
            for at in range(size):  # where the given holds, and nowhere else
                assert value(got, {p: at, n: size}) == at >> places
