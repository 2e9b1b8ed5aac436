"""V_TRIG_PREOP_F64: the parts of 2/pi add up to it, beyond the whole turns of an angle."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from layoutalg.isa.run.circle import BITS, PART, TWO_BY_PI, part_of_two_by_pi


def test_the_bits_are_those_of_two_by_pi() -> None:
    with mp.workprec(1300):
        assert mp.floor(2 / mp.pi * mp.mpf(2) ** BITS) == TWO_BY_PI


@pytest.mark.parametrize("angle", [0.0, -3.0, 2.0**54, 2.0**55, -(2.0**300), 1e280])
def test_parts_add_up_from_the_first_bit_that_counts(angle: float) -> None:
    words = np.full(32, angle).view(np.uint64)
    parts = part_of_two_by_pi(words, np.arange(32, dtype=np.uint32)).view(np.float64)
    first = max(int(words[0] >> 52 & 0x7FF) - 1077, 0)
    exact = Fraction(TWO_BY_PI, 1 << BITS)
    rest = exact - Fraction(int(exact * 2**first), 2**first)
    for number, part in enumerate(parts[: (1074 - first) // PART]):  # which are no denormals
        rest -= Fraction(float(part))
        assert 0 <= rest < Fraction(1, 2 ** (first + PART * (number + 1)))


def test_parts_of_large_angles_are_given_larger() -> None:
    words = np.array([2.0**944, 2.0**945]).view(np.uint64)
    small, large = part_of_two_by_pi(words, np.zeros(2, np.uint32)).view(np.float64)
    bits = TWO_BY_PI >> BITS - PART - 891 & (1 << PART) - 1
    assert 944 + 1023 - 1077 == 890
    assert large == float(bits) * 2.0 ** (128 - PART - 891)
    assert 0 < small < 2.0**-889
