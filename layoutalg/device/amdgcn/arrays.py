"""The numpy reading of `Values`: a word is an array with a row for each wave, and one column or one for each lane.

Arrays are never changed in place, so registers may share them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_UNSIGNED = {32: np.uint32, 64: np.uint64}
_SIGNED: dict[Any, Any] = {np.dtype(np.uint32): np.int32, np.dtype(np.uint64): np.int64}


class ArrayValues:
    """Words as uint32 and uint64 arrays, truths as bool arrays.

    >>> w = ArrayValues()
    >>> int(w.ashr(w.const(-8, 32), w.const(1, 32)).item()) == 2**32 - 4
    True
    """

    def const(self, value: int, bits: int) -> Array:
        """A one-by-one array of the constant."""
        return np.full((1, 1), value % (1 << bits), _UNSIGNED[bits])

    def shl(self, word: Array, amount: Array) -> Array:
        """Left shift."""
        result: Array = np.left_shift(word, amount.astype(word.dtype))
        return result

    def lshr(self, word: Array, amount: Array) -> Array:
        """Right shift with zeros."""
        result: Array = np.right_shift(word, amount.astype(word.dtype))
        return result

    def ashr(self, word: Array, amount: Array) -> Array:
        """Right shift with the sign."""
        signed = _SIGNED[word.dtype]
        result: Array = np.right_shift(word.view(signed), amount.astype(signed)).view(word.dtype)
        return result

    def eq(self, left: Array, right: Array) -> Array:
        """Equality."""
        result: Array = np.equal(left, right)
        return result

    def ult(self, left: Array, right: Array) -> Array:
        """Unsigned order."""
        result: Array = np.less(left, right)
        return result

    def slt(self, left: Array, right: Array) -> Array:
        """Signed order."""
        result: Array = np.less(left.view(_SIGNED[left.dtype]), right.view(_SIGNED[right.dtype]))
        return result

    def ite(self, condition: Array, then: Array, otherwise: Array) -> Array:
        """Choice."""
        result: Array = np.where(condition, then, otherwise)
        return result

    def zext(self, word: Array) -> Array:
        """Zero extension."""
        return word.astype(np.uint64)

    def sext(self, word: Array) -> Array:
        """Sign extension."""
        return word.view(np.int32).astype(np.int64).view(np.uint64)

    def low(self, word: Array) -> Array:
        """Low half."""
        return word.astype(np.uint32)

    def high(self, word: Array) -> Array:
        """High half."""
        return (word >> np.uint64(32)).astype(np.uint32)

    def pair(self, low: Array, high: Array) -> Array:
        """Both halves."""
        return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)

    def add_carry(self, a: Array, b: Array, carry: Array) -> tuple[Array, Array]:
        """The low half of a 64-bit sum, and whether the upper is not 0."""
        total = self.zext(a) + self.zext(b) + carry
        return self.low(total), self.high(total) != 0


def lanes_to_bits(truth: Array, bits: int) -> Array:
    """Packs a truth for each lane into one word for each wave.

    >>> int(lanes_to_bits(np.arange(64).reshape(1, 64) < 3, 64).item())
    7
    """
    packed = np.packbits(truth, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view(_UNSIGNED[bits])


def bits_to_lanes(word: Array) -> Array:
    """Unpacks one word for each wave into a truth for each lane."""
    raw = np.ascontiguousarray(word).view(np.uint8).reshape(word.shape[0], -1)
    return np.unpackbits(raw, axis=1, bitorder="little").view(np.bool_)
