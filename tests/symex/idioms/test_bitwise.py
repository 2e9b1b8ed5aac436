"""What is said of the bits of sums without a solver, against all values of small cases."""

import itertools
import random
from types import SimpleNamespace

import numpy as np
import pytest

from layoutalg.index import array, as_expr, symbol, value, var, xor
from layoutalg.symex.idioms.bitwise import disjoint, exclusive, masked, possible_bits
from tests.fuzzing import FIRST, KNOWN, count

X, Y, Z = var("i", 4), var("j", 6), symbol("Z", min=-3, max=5)
ATOMS = (X, Y, Z, X * Y, Y // 2, Y % 3, X * Z)


def sums(number):
    """Sums of some terms, as addresses are."""
    rng = random.Random(FIRST + number)
    for _ in range(number):
        yield sum(
            (rng.choice((-8, -4, -1, 1, 2, 4, 6, 16, 32)) * rng.choice(ATOMS) for _ in range(rng.randrange(1, 4))),
            start=X * 0,
        )


def points():
    return ({X: i, Y: j, Z: k} for i, j, k in itertools.product(range(4), range(6), range(-3, 6)))


@pytest.mark.fuzz
def test_a_number_has_no_bits_but_the_possible():
    for e in sums(count(100, dear=6)):
        bits = possible_bits(e)
        assert all(value(e, p) & ~bits == 0 for p in points()), e


def test_numbers_that_are_apart_are_added_by_or():
    seen = 0
    for one, other in zip(sums(300), sums(301), strict=False):
        if disjoint(one, other):
            seen += 1
            assert all(value(one, p) | value(other, p) == value(one, p) + value(other, p) for p in points())
    assert seen > 10 or not KNOWN


def test_a_mask_of_an_xor_has_the_bits_of_the_mask_alone():
    x, numbers = var("x", 64), np.arange(64)
    for e, there in (
        (xor(x // 4, x), numbers // 4 ^ numbers),
        (xor(x * 2, x * 8), numbers * 2 ^ numbers * 8),
        (xor(x // 4, x) * 3, (numbers // 4 ^ numbers) * 3),
        (xor(x // 4, x) - 40, (numbers // 4 ^ numbers) - 40),
        (xor(x // 4, x) * -2, (numbers // 4 ^ numbers) * -2),
    ):
        for mask in (1, 2, 4, 6, 12, 0x20, 0x2C, 0xF0, 0xFF0, 0xFFFFFFF0, 0xFFFFFFFF):
            read = masked(SimpleNamespace(expr=e, bits=32), SimpleNamespace(expr=as_expr(mask)))
            (found,) = array([read], {x: numbers})
            assert np.array_equal(np.broadcast_to(found, numbers.shape) % (1 << 32), there & mask), (e, mask)


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
