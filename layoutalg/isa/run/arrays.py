"""The numpy reading of `Values`: a word is an array with axes for copies, blocks, waves and lanes (`run.registers`).

Arrays are never changed in place, so registers may share them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.isa.run.floats import FUNCTIONS, RELATIONS

Array = NDArray[Any]

#: Neighbours of so many bits change places in each step of a reversal of 32 bits.
_SWAPS = ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF))

_UNSIGNED = {32: np.uint32, 64: np.uint64}
_SIGNED: dict[Any, Any] = {np.dtype(np.uint32): np.int32, np.dtype(np.uint64): np.int64}


class ArrayValues:
    """Words as uint32 and uint64 arrays, truths as bool arrays.

    >>> w = ArrayValues()
    >>> int(w.ashr(w.const(-8, 32), w.const(1, 32)).item()) == 2**32 - 4
    True
    """

    def const(self, value: int, bits: int) -> Array:
        """The constant, the same along every axis."""
        return _constant(value % (1 << bits), bits)

    def shl(self, word: Array, amount: Array) -> Array:
        """Left shift."""
        return np.asarray(np.left_shift(word, amount.astype(word.dtype)))

    def lshr(self, word: Array, amount: Array) -> Array:
        """Right shift with zeros."""
        return np.asarray(np.right_shift(word, amount.astype(word.dtype)))

    def ashr(self, word: Array, amount: Array) -> Array:
        """Right shift with the sign."""
        signed = _SIGNED[word.dtype]
        return np.asarray(np.right_shift(word.view(signed), amount.astype(signed)).view(word.dtype))

    def eq(self, left: Array, right: Array) -> Array:
        """Equality."""
        return np.equal(left, right)

    def ult(self, left: Array, right: Array) -> Array:
        """Unsigned order."""
        return np.less(left, right)

    def slt(self, left: Array, right: Array) -> Array:
        """Signed order."""
        return np.asarray(np.less(left.view(_SIGNED[left.dtype]), right.view(_SIGNED[right.dtype])))

    def ite(self, condition: Array, then: Array, otherwise: Array) -> Array:
        """Choice."""
        return np.where(condition, then, otherwise)

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

    def overflows(self, a: Array, b: Array, result: Array, differ: bool) -> Array:
        """From the signs."""
        zero = self.const(0, 32)
        alike = self.slt(a, zero) == self.slt(b, zero)
        changed = self.slt(a, zero) != self.slt(result, zero)
        return np.asarray(np.logical_and(alike != differ, changed))

    def ones_below(self, word: Array, places: Array) -> Array:
        """The bits of the word and a mask."""
        below = (np.uint64(1) << (places & np.uint32(63)).astype(np.uint64)) - np.uint64(1)
        return np.bitwise_count(word & below.astype(np.uint32)).astype(np.uint32)

    def lowest_one(self, word: Array) -> Array:
        """How many bits are set below it."""
        return np.asarray(np.bitwise_count(~word & (word - self.const(1, 8 * word.itemsize)))).astype(np.uint32)

    def reversed(self, word: Array) -> Array:
        """Neighbours of 1, 2, 4, 8 and 16 bits change places."""
        for places, mask in _SWAPS:
            shift, chosen = self.const(places, 32), self.const(mask, 32)
            word = self.shl(word & chosen, shift) | self.lshr(word, shift) & chosen
        return word

    def mul_high(self, a: Array, b: Array) -> Array:
        """Upper half of the product."""
        return self.high(self.zext(a) * self.zext(b))

    def function(self, name: str, *words: Array) -> Array:
        """IEEE arithmetic."""
        with np.errstate(all="ignore"):
            return FUNCTIONS[name](*words)

    def relation(self, name: str, *words: Array) -> Array:
        """IEEE order; unordered where one is no number."""
        with np.errstate(all="ignore"):
            return RELATIONS[name](*words)

    def add_carry(self, a: Array, b: Array, carry: Array) -> tuple[Array, Array]:
        """The low half of a 64-bit sum, and whether the upper is not 0."""
        total = self.zext(a) + self.zext(b) + carry
        return self.low(total), self.high(total) != 0


@lru_cache(maxsize=1 << 12)
def _constant(value: int, bits: int) -> Array:
    made = np.full((1, 1, 1, 1), value, _UNSIGNED[bits])
    made.flags.writeable = False
    return made


def spread(word: Array, shape: tuple[int, ...]) -> Array:
    """A word in these axes, of which it may have some but once; it is looked at, never changed."""
    return word if word.shape == shape else np.broadcast_to(word, shape)


def lanes_to_bits(truth: Array, bits: int) -> Array:
    """Packs a truth for each lane (the last axis) into one word for each wave.

    >>> int(lanes_to_bits(np.arange(64) < 3, 64).item())
    7
    """
    packed = np.packbits(truth, axis=-1, bitorder="little")
    return np.ascontiguousarray(packed).view(_UNSIGNED[bits])


def bits_to_lanes(word: Array) -> Array:
    """Unpacks one word for each wave into a truth for each lane."""
    raw = np.ascontiguousarray(word).view(np.uint8)
    return np.unpackbits(raw, axis=-1, bitorder="little").view(np.bool_)
