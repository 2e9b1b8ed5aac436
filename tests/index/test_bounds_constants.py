"""Divisions and signs as compilers write them with constants, against numbers: every small one."""

import numpy as np

from layoutalg.index import FALSE, array, as_expr, div, simplify, var
from layoutalg.index.bounds import exclusive, unmagic


def test_a_product_with_a_rounded_reciprocal_is_a_quotient_only_where_it_is_one():
    """Every factor and power: where the product is rewritten, all numbers of its range give the quotient."""
    quotients = 0
    for extent in (8, 60, 128, 300):
        x = var("x", extent)
        numbers = np.arange(extent)
        for power in (16, 128, 512, 2048):
            for factor in range(1, 260):
                written = simplify(div(x * factor, power))
                read = unmagic(written, FALSE)
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
        assert unmagic(div(inside * factor, power), FALSE) is div(inside, divisor)
        written = simplify(div(beyond * factor, power))
        assert unmagic(written, FALSE) is written


def test_an_exclusive_or_with_a_constant_is_a_sum_only_where_no_bit_is_in_both():
    sums = 0
    for extent in (3, 8, 20, 70):
        x = var("x", extent)
        numbers = np.arange(extent)
        for e, there in ((x, numbers), (x * 4, numbers * 4), (x * 4 + 1, numbers * 4 + 1)):
            for constant in range(130):
                read = exclusive(e, as_expr(constant))
                sums += read is e + constant and constant > 0
                (found,) = array([read], {x: numbers})
                assert np.array_equal(np.broadcast_to(found, numbers.shape), there ^ constant)
    assert sums > 50
