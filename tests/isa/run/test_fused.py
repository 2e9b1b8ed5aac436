"""Fused multiplication and addition against fractions, of every float that numpy has."""

import math
from fractions import Fraction

import numpy as np
import pytest

from layoutalg.isa.run.fused import fused
from tests.isa.semantics.float_text import TYPES, nearest


def numbers(rng, bits, count):
    """Of all magnitudes: any bits, denormals, near 1, with few bits, small ones."""
    dtype, word = TYPES[bits]
    fraction = np.finfo(dtype).nmant
    bias = (1 << bits - 2 - fraction) - 1
    raw = rng.integers(0, 1 << bits, count, np.uint64)
    kept = raw & np.uint64(1 << bits - 1 | (1 << fraction) - 1)

    def of_exponents(low, high):
        return kept | rng.integers(low, high, count).astype(np.uint64) << np.uint64(fraction)

    near = of_exponents(bias - 3, bias + 3)
    made = [raw, kept, near, near & ~np.uint64((1 << fraction * 2 // 3) - 1), of_exponents(0, bias)]
    return np.choose(rng.integers(0, len(made), count), made).astype(word).view(dtype)


@pytest.mark.parametrize("bits", TYPES)
def test_a_fused_sum_is_rounded_once(bits):
    rng, count = np.random.default_rng(bits), 1500
    a, b, c = (numbers(rng, bits, count) for _ in range(3))
    with np.errstate(all="ignore"):
        c = np.where(rng.random(count) < 0.3, -(a * b), c)  # all but the error of the product cancels
        c = np.where(rng.random(count) < 0.1, np.nextafter(c, c.dtype.type(0)), c)
        scale = np.where(rng.random(count) < 0.5, 0, rng.choice([-64, 64], count)) if bits > 16 else 0
        got = fused(a, b, c, scale)
        plain = np.ldexp((a * b + c).astype(np.float64), scale).astype(a.dtype)
    for x, y, z, places, found, special in zip(a, b, c, np.broadcast_to(scale, count), got, plain, strict=True):
        x, y, z = float(x), float(y), float(z)
        if all(map(math.isfinite, (x, y, z))):
            exact = (Fraction(x) * Fraction(y) + Fraction(z)) * Fraction(2) ** int(places)
            expected = nearest(exact, bits) if exact else float(special)
        elif math.isfinite(x) and math.isfinite(y):
            expected = z
        else:
            expected = float(special)
        same = float(found) == expected and math.copysign(1, found) == math.copysign(1, expected)
        assert same or (math.isnan(found) and math.isnan(expected)), (x.hex(), y.hex(), z.hex(), int(places))


def test_what_is_nearly_a_tie_is_none():
    """c + 2**-24 · (1 - 2**-46): f64 takes it for the place between c and its neighbour, which would be even."""
    c = np.float32(1) + np.arange(1, 200, 2, dtype=np.float32) * np.float32(2.0**-23)
    a, b = np.float32(1 + 2.0**-23), np.float32(2.0**-24 * (1 - 2.0**-23))
    assert ((a.astype(np.float64) * b + c).astype(np.float32) != c).all()
    for sign in (1, -1):
        assert np.array_equal(fused(a * sign, np.full_like(c, b), c * sign), c * sign)


def test_denormal_sums_that_are_nearly_ties_are_none():
    """Half of the least number times less than 1, beside numbers whose neighbours are even."""
    least = np.finfo(np.float32).smallest_subnormal
    c = np.arange(1, 2001, 2).astype(np.float32) * least
    a, b = np.full_like(c, 2.0**-75 * (1 - 2.0**-23)), np.float32(2.0**-75 * (1 + 2.0**-23))
    assert ((a.astype(np.float64) * b + c).astype(np.float32) != c).any()
    assert np.array_equal(fused(a, b, c), c)
