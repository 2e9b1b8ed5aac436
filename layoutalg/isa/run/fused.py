"""Fused multiplication and addition of numpy's floats, which numpy has not: a · b + c, rounded once.

What is narrower than f64 is computed in f64, where the product is exact and the sum is rounded to odd: of two
neighbours, the one whose last bit is set.  That is as good as the sum itself to whatever has two bits less, so it may
be rounded again (S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
rounding to odd", IEEE Transactions on Computers 57, 2008).  Of f64 itself the same paper's algorithm adds the exact
product's two parts and c; it holds where nothing overflows or is denormal, and elsewhere integers are used.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

#: Magnitudes of factors and of addends between which no step of the f64 algorithm overflows or loses a bit: its
#: smallest part is a multiple of 2**(2 * -450 - 106).
_FACTORS = (2.0**-450, 2.0**450)
_ADDENDS = (2.0**-900, 2.0**900)

#: The smallest normal f64: what a power of two makes smaller may lose bits.
_SMALLEST = 2.0**-1022


def fused(a: Array, b: Array, c: Array, scale: Array | int = 0) -> Array:
    """(a · b + c) · 2**scale of floats of one type, rounded once.

    >>> one, small = np.float32([1]), np.float32([2.0**-12])
    >>> fused(one + small, one - small, -one)
    array([-5.9604645e-08], dtype=float32)
    """
    if a.dtype == np.float64:
        return _fused_f64(*np.broadcast_arrays(a, b, c, scale))
    wide = [n.astype(np.float64) for n in (a, b, c)]
    if not isinstance(scale, int) or scale:
        return np.ldexp(odd_fused(*wide), scale).astype(a.dtype)
    total = wide[0] * wide[1] + wide[2]
    narrow = total.astype(a.dtype)
    doubtful = _may_be_a_tie(total, narrow)
    if doubtful.any():
        there = (np.broadcast_to(n, total.shape)[doubtful] for n in wide)
        narrow[doubtful] = odd_fused(*there).astype(a.dtype)
    return narrow


def _may_be_a_tie(total: Array, narrow: Array) -> Array:
    """Where a sum that was rounded to f64 may lie just between two numbers of a narrower type.

    Elsewhere it may be rounded again: what was rounded lies on the same side of each such place as what it is of, since
    the place is an f64 itself.  Of normal numbers it has but the first of the bits that the narrower type lacks.
    """
    one = np.finfo(narrow.dtype)
    lacking = 52 - one.nmant
    tie = total.view(np.int64) & (1 << lacking) - 1 == 1 << lacking - 1
    small = np.abs(narrow) <= one.smallest_normal
    return np.asarray(tie | (small & (narrow != total)) if small.any() else tie)


def odd_fused(a: Array, b: Array, c: Array) -> Array:
    """a · b + c rounded to odd, of f64 whose products are exact: of factors of 26 bits, say."""
    return odd_sum(a * b, c)


def odd_sum(a: Array, b: Array) -> Array:
    """The sum of two f64, rounded to odd.  The error of the nearest is exact (Knuth's two-sum)."""
    total, error = _two_sum(a, b)
    even = np.isfinite(total) & (error != 0) & (total.view(np.int64) & 1 == 0)
    return np.where(even, np.nextafter(total, np.where(error > 0, np.inf, -np.inf)), total)


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The nearest of a product and its error (T. Dekker), where neither overflows nor is denormal."""
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    product = a * b
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _split(a: Array) -> tuple[Array, Array]:
    """Two numbers of 26 bits each that sum up to one of 53."""
    scaled = a * (2.0**27 + 1)
    high = scaled - (scaled - a)
    return high, a - high


def _fused_f64(a: Array, b: Array, c: Array, scale: Array) -> Array:
    high, low = _two_product(a, b)
    total, rest = _two_sum(c, low)
    total, more = _two_sum(high, total)
    result = np.ldexp(total + odd_sum(rest, more), scale)
    plain = _within(a, _FACTORS) & _within(b, _FACTORS) & (_within(c, _ADDENDS) | (c == 0))
    plain &= (np.abs(result) >= _SMALLEST) | (result == 0)
    special = ~np.isfinite(a) | ~np.isfinite(b) | (a == 0) | (b == 0)
    result = np.where(special, np.ldexp(a * b + c, scale), np.where(np.isfinite(c), result, c))
    for k in np.argwhere(~(plain | special | ~np.isfinite(c))):
        at = tuple(k)
        result[at] = exactly(float(a[at]), float(b[at]), float(c[at]), int(scale[at]))
    return result


def _within(a: Array, bounds: tuple[float, float]) -> Array:
    magnitude = np.abs(a)
    return np.asarray((magnitude >= bounds[0]) & (magnitude <= bounds[1]))


def exactly(a: float, b: float, c: float, scale: int = 0) -> float:
    """(a · b + c) · 2**scale of finite numbers, rounded once: Python divides integers so.

    >>> exactly(5e-324, 0.5, 0.0), exactly(1e300, 1e300, 0.0), exactly(3.0, 5.0, 7.0, -1)
    (0.0, inf, 11.0)
    """
    (p, q), (r, s), (t, u) = (number.as_integer_ratio() for number in (a, b, c))
    below = max(q * s, u)  # powers of two
    above = p * r * (below // (q * s)) + t * (below // u)
    if above == 0:
        return a * b + c
    above, below, sign = above << max(scale, 0), below << max(-scale, 0), 1 if above > 0 else -1
    try:
        return math.copysign(above / below, sign)
    except OverflowError:
        return sign * math.inf
