"""Numbers as their bits: what registers of a program hold, as expressions do."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from layoutalg.kernel.program import NEUTRAL
from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES, OPERAND_DTYPES
from layoutalg.target.elements import stored


def bits_of(value: float, dtype: str) -> int:
    """The bits of a number in an element type, as a number.

    >>> hex(bits_of(1.0, "f32")), hex(bits_of(1.0, "bf16"))
    ('0x3f800000', '0x3f80')
    """
    kind = DTYPES[dtype]
    return int.from_bytes(stored(np.array([value], np.float32), kind).tobytes(), "little")


#: What elements of 16 and of 32 bits are below.
HALF, WORD = 1 << 16, 1 << 32

#: Bits of what a fold begins with, by element type: 0, and the least number; no bits are 0 in every format of 8 bits.
NEUTRAL_BITS: Mapping[str, Mapping[str, int]] = {
    how: {
        **(dict.fromkeys(OPERAND_DTYPES, 0) if how == "sum" else {}),
        **{dtype: bits_of(value, dtype) for dtype in KERNEL_DTYPES},
    }
    for how, value in NEUTRAL.items()
}
