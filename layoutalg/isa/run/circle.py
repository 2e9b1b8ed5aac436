"""The bits of 2/pi that a reduction of an angle begins with: V_TRIG_PREOP_F64.

Part k of an angle is 53 bits of 2/pi from bit 53 k on, and as many bits further on as the angle's exponent is beyond
that of 2^54, since those before give whole turns (the ISA manuals' pseudocode; of angles from 2^945 on the part is
given 2^128 times as large, so that it is no denormal).  What it cannot represent: more than 1201 bits; zeros follow.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

#: floor(2^1201 · 2/pi).
TWO_BY_PI = int(
    "145f306dc9c882a53f84eafa3ea69bb81b6c52b3278872083fca2c757bd778ac36e48dc74849ba5c00c925dd413a32439fc3"
    "bd63962534e7dd1046bea5d768909d338e04d68befc827323ac7306a673e93908bf177bf250763ff12fffbc0b301fde5e231"
    "6b414da3eda6cfd9e4f96136e9e8c7ecd3cbfd45aea4f758fd7cbe2f67a0e73ef14a525d4d7f6bf623f1aba10ac06608df8f"
    "6"
    , 16)  # fmt: skip
BITS, PART = 1201, 53

#: Exponents as they are held, with 1023 added: the last that does not move the part, and the first of large parts.
_STILL, _LARGE = 1077, 1968
_LAST = 31 * PART + 2047 - _STILL


@functools.cache
def _parts(scale: int) -> npt.NDArray[np.float64]:
    """The part that begins at each bit, times 2**scale."""
    bits = TWO_BY_PI << _LAST + PART - BITS
    held = (bits >> _LAST - first & (1 << PART) - 1 for first in range(_LAST + 1))
    return np.array([math.ldexp(part, scale - PART - first) for first, part in enumerate(held)])


def part_of_two_by_pi(angle: npt.NDArray[Any], number: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The part of this number for each angle, both as words."""
    exponent = (angle >> np.uint64(52)).astype(np.int64) & 0x7FF
    first = (number.astype(np.int64) & 31) * PART + np.maximum(exponent - _STILL, 0)
    found: npt.NDArray[np.float64] = np.where(exponent >= _LARGE, _parts(128)[first], _parts(0)[first])
    return found.view(np.uint64)
