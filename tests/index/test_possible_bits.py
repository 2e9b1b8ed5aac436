"""What is said of the bits of sums without a solver, against all values of small cases."""

import itertools
import random

from layoutalg.index import all_of, symbol, value, var
from layoutalg.index.bounds import apart, possible_bits, shifted

X, Y, Z = var("i", 4), var("j", 6), symbol("Z", min=-3, max=5)
ATOMS = (X, Y, Z, X * Y, Y // 2, Y % 3, X * Z)


def sums(count):
    """Sums of some terms, as addresses are."""
    rng = random.Random(count)
    for _ in range(count):
        yield sum(
            (rng.choice((-8, -4, -1, 1, 2, 4, 6, 16, 32)) * rng.choice(ATOMS) for _ in range(rng.randrange(1, 4))),
            start=X * 0,
        )


def points():
    return ({X: i, Y: j, Z: k} for i, j, k in itertools.product(range(4), range(6), range(-3, 6)))


def test_a_number_has_no_bits_but_the_possible():
    for e in sums(300):
        bits = possible_bits(e)
        assert all(value(e, p) & ~bits == 0 for p in points()), e


def test_numbers_that_are_apart_are_added_by_or():
    seen = 0
    for one, other in zip(sums(300), sums(301), strict=False):
        if apart(one, other):
            seen += 1
            assert all(value(one, p) | value(other, p) == value(one, p) + value(other, p) for p in points())
    assert seen > 10


def test_a_shift_is_a_quotient():
    n, p = symbol("N", max=40), symbol("p", min=0, max=60)
    for places, most in itertools.product(range(1, 6), (7, 8, 9, 15, 16, 17, 31, 32, 33)):
        given = all_of(p < n, n < most)
        got = shifted(p, places, given)
        for at in range(60):
            for size in range(1, 40):
                point = {p: at, n: size}
                assert not value(given, point) or value(got, point) == at >> places
