"""The numpy reading of `Values`: a word is an array with axes for copies, blocks, waves and lanes (`run.registers`).

Arrays are never changed in place, so registers may share them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
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

    def mul_high(self, a: Array, b: Array) -> Array:
        """Upper half of the product."""
        return self.high(self.zext(a) * self.zext(b))

    def function(self, name: str, *words: Array) -> Array:
        """IEEE arithmetic."""
        with np.errstate(all="ignore"):
            return _FUNCTIONS[name](*np.broadcast_arrays(*words))

    def relation(self, name: str, *words: Array) -> Array:
        """IEEE order; unordered where one is no number."""
        kind, bits = name.split("_f")
        a, b = (_as_float(word, bits) for word in np.broadcast_arrays(*words))
        with np.errstate(all="ignore"):
            return _RELATIONS[kind](a, b)

    def add_carry(self, a: Array, b: Array, carry: Array) -> tuple[Array, Array]:
        """The low half of a 64-bit sum, and whether the upper is not 0."""
        total = self.zext(a) + self.zext(b) + carry
        return self.low(total), self.high(total) != 0


@lru_cache(maxsize=1 << 12)
def _constant(value: int, bits: int) -> Array:
    made = np.full((1, 1, 1, 1), value, _UNSIGNED[bits])
    made.flags.writeable = False
    return made


def _f32(word: Array) -> Array:
    return np.ascontiguousarray(word).view(np.float32)


def _as_float(word: Array, bits: str) -> Array:
    return _f32(word) if bits == "32" else np.ascontiguousarray(word.astype(np.uint16)).view(np.float16)


def _word(number: Array) -> Array:
    return np.ascontiguousarray(number.astype(np.float32)).view(np.uint32)


def _zeros(a: Array, b: Array) -> Array:
    """Where both are zero: then +0 is greater than -0."""
    return np.asarray((_f32(a) == 0) & (_f32(b) == 0))


def _fma(a: Array, b: Array, c: Array) -> Array:
    """f32 arithmetic in f64, where the product is exact, and the sum is rounded to odd: so it is rounded but once.

    The error of the sum is exact (Knuth's two-sum).  Where there is one, the neighbour on its side that is odd
    is as good as the sum itself to whatever has two bits less.
    """
    product = a * b
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    even = np.isfinite(total) & (error != 0) & (total.view(np.int64) & 1 == 0)
    return _word(np.where(even, np.nextafter(total, np.where(error > 0, np.inf, -np.inf)), total))


def _to_bf16(word: Array) -> Array:
    """Rounded to nearest even; a NaN stays one."""
    rounded = (word + (np.uint32(0x7FFF) + (word >> np.uint32(16) & np.uint32(1)))) >> np.uint32(16)
    return np.where(np.isnan(_f32(word)), word >> np.uint32(16) | np.uint32(0x40), rounded)


def _to_u32(word: Array) -> Array:
    """Cut towards 0 and to the range; 0 of a NaN."""
    number = np.nan_to_num(_f32(word).astype(np.float64), nan=0.0, posinf=2.0**32, neginf=0.0)
    return np.clip(np.trunc(number), 0, 2.0**32 - 1).astype(np.uint32)


_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "add_f32": lambda a, b: _word(_f32(a) + _f32(b)),
    "sub_f32": lambda a, b: _word(_f32(a) - _f32(b)),
    "mul_f32": lambda a, b: _word(_f32(a) * _f32(b)),
    "max_f32": lambda a, b: np.where(_zeros(a, b), a & b, _word(np.fmax(_f32(a), _f32(b)))),
    "min_f32": lambda a, b: np.where(_zeros(a, b), a | b, _word(np.fmin(_f32(a), _f32(b)))),
    "fma_f32": lambda a, b, c: _fma(_f32(a).astype(np.float64), _f32(b).astype(np.float64), _f32(c).astype(np.float64)),
    "rcp_f32": lambda a: _word(np.float32(1) / _f32(a)),
    "f32_of_u32": lambda a: _word(a),
    "f32_of_i32": lambda a: _word(np.ascontiguousarray(a).view(np.int32)),
    "u32_of_f32": _to_u32,
    "f32_of_f16": lambda a: _word(_as_float(a, "16")),
    "f16_of_f32": lambda a: _f32(a).astype(np.float16).view(np.uint16).astype(np.uint32),
    "bf16_of_f32": _to_bf16,
}

_ORDERED: dict[str, Callable[[Array, Array], Array]] = {
    "f": lambda a, b: np.zeros(a.shape, np.bool_),
    "lt": np.less,
    "eq": np.equal,
    "le": np.less_equal,
    "gt": np.greater,
    "lg": lambda a, b: np.less(a, b) | np.greater(a, b),
    "ge": np.greater_equal,
    "o": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
}

_NEGATED = {"u": "o", "nge": "ge", "nlg": "lg", "ngt": "gt", "nle": "le", "neq": "eq", "nlt": "lt"}


def _negated(name: str) -> Callable[[Array, Array], Array]:
    return lambda a, b: ~_ORDERED[name](a, b)


_RELATIONS = _ORDERED | {name: _negated(other) for name, other in _NEGATED.items()}


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
