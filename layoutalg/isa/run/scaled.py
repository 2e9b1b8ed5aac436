"""Conversions with a scale (`semantics.scaled`) on numpy's words, and numbers of four and six bits.

| fp4 | sign, exponent, fraction | bias | greatest | infinities, no number |
|---|---|---|---|---|
| OCP MX, E2M1 | 1, 2, 1 | 1 | 6 | – |
| fp6, E2M3 | 1, 2, 3 | 1 | 7.5 | – |
| bf6, E3M2 | 1, 3, 2 | 3 | 28 | – |

What is too large, or no number, becomes ±6 in four bits (ROCm/rocm-systems, pull request 6870).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.isa.semantics.overflow import HELD
from layoutalg.target.eights import decoded, encoded

Array = NDArray[Any]
Function = Callable[..., Array]

FOURS = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
"""The numbers of the codes 0 to 7; the fourth bit is the sign."""


def _six(exponent_bits: int, fraction_bits: int) -> Array:
    """The numbers of the codes of six bits (OCP Microscaling Formats, 5.3)."""
    exponent, fraction = np.divmod(np.arange(32), 1 << fraction_bits)
    least = 2 - (1 << exponent_bits - 1) - fraction_bits
    normal = np.ldexp(fraction + (1 << fraction_bits), exponent + least - 1)
    found = np.where(exponent == 0, np.ldexp(fraction, least), normal)
    return np.concatenate([found, -found])


SIXES: Mapping[str, Array] = {"fp6": _six(2, 3), "bf6": _six(3, 2)}
"""The numbers of the 64 codes.

>>> [float(SIXES[kind][code]) for kind in ("fp6", "bf6") for code in (1, 31, 63)]
[0.125, 7.5, -7.5, 0.0625, 28.0, -28.0]
"""

_BETWEEN = (FOURS[:-1] + FOURS[1:]) / 2


def fours(numbers: Array) -> Array:
    """The codes of the nearest numbers of four bits, ties to even codes, as uint32.

    >>> fours(np.array([0.25, 0.75, 5.0, -7.0, np.nan])).tolist()
    [0, 2, 6, 15, 7]
    """
    size = np.abs(numbers)
    code = np.searchsorted(_BETWEEN, size)  # of a number just between two, the lower; of no number the last
    tie = _BETWEEN[np.minimum(code, 6)] == size
    return np.asarray(code + (tie & (code % 2 == 1)) | np.signbit(numbers).astype(np.int64) << 3).astype(np.uint32)


def scale_of(word: Array) -> Array:
    """The power of two that the exponent of an f32 is; no number of all ones."""
    exponent = (word >> np.uint32(23) & np.uint32(0xFF)).astype(np.int64)
    return np.where(exponent == 0xFF, np.nan, np.ldexp(1.0, exponent - 127))


def _of_wide(word: Array, kind: str) -> Array:
    """Numbers as f64."""
    if kind == "bf16":
        return (word << np.uint32(16)).view(np.float32).astype(np.float64)
    narrow = word.astype(np.uint16).view(np.float16) if kind == "f16" else word.view(np.float32)
    return narrow.astype(np.float64)


def _to_wide(numbers: Array, kind: str) -> Array:
    """Words of f64, rounded once."""
    if kind == "f32":
        return numbers.astype(np.float32).view(np.uint32)
    if kind == "f16":
        return numbers.astype(np.float16).view(np.uint16).astype(np.uint32)
    bits = numbers.astype(np.float32).view(np.uint32)  # a narrow number times a power of two has all its bits in an f32
    rounded = bits + (np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(numbers), np.uint32(0x7FC0), rounded)


def _narrowed(kind: str, source: str, *, held: bool = False) -> Function:
    def function(word: Array, scale: Array) -> Array:
        numbers = _of_wide(word, source) / scale_of(scale)
        return fours(numbers) if kind == "fp4" else encoded(numbers, kind, fnuz=False, held=held)

    return function


def _widened(kind: str, target: str) -> Function:
    def function(word: Array, scale: Array) -> Array:
        four = FOURS[word & np.uint32(7)] * np.where(word >> np.uint32(3) & np.uint32(1), -1.0, 1.0)
        numbers = four if kind == "fp4" else decoded(word, kind, fnuz=False)
        return _to_wide(numbers * scale_of(scale), target)

    return function


_PAIRS = tuple(product(("fp8", "bf8", "fp4"), ("f32", "f16", "bf16")))

#: By their names, on words.
SCALED: Mapping[str, Function] = {
    **{f"{kind}_of_{wide}_scaled": _narrowed(kind, wide) for kind, wide in _PAIRS},
    **{f"{kind}_of_{wide}_scaled{HELD}": _narrowed(kind, wide, held=True) for kind, wide in _PAIRS if kind != "fp4"},
    **{f"{wide}_of_{kind}_scaled": _widened(kind, wide) for kind, wide in _PAIRS},
}
