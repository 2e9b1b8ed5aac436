"""The floating-point functions and comparisons of `semantics`, on numpy's words.

A name says the function and the types, `fma_f32` or `i32_of_f64`; a word of 16 bits or less lies in the low bits of one
of 32.  Arithmetic is numpy's on the type itself, which rounds once: f16 by way of f32, which has more than twice its
bits.

| function | result |
|---|---|
| sums, products, roots, roundings, conversions | exact, or rounded correctly |
| `exp`, `log`, `sin`, `cos` | computed in f64 and rounded: within 0.501 units of the last place |
| `rcp`, `rsq`, `sqrt` | rounded correctly, by way of f64 where the type is narrower |

What the machine's own error is, `semantics.transcendental` says.  A NaN is any NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.isa.run.circle import part_of_two_by_pi
from layoutalg.isa.run.division import DIVISION, IS_SCALED
from layoutalg.isa.run.fused import fused, odd_fused
from layoutalg.isa.run.scaled import SCALED
from layoutalg.isa.semantics.flushed import FLUSHED
from layoutalg.isa.semantics.overflow import HELD, OVERFLOWING
from layoutalg.target.eights import decoded, encoded

Array = NDArray[Any]
Function = Callable[..., Array]

_FLOATS: Mapping[str, tuple[Any, Any]] = {
    "f16": (np.float16, np.uint16), "f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)
}  # fmt: skip
_INTEGERS: Mapping[str, Any] = {
    "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
}  # fmt: skip


def number(word: Array, kind: str) -> Array:
    """The numbers of a type that words hold."""
    if kind in ("f32", "f64"):
        return word.view(_FLOATS[kind][0])
    if kind == "f16":
        return word.astype(np.uint16).view(np.float16)
    return word.astype(np.uint16).view(_INTEGERS[kind]) if kind.endswith("16") else word.view(_INTEGERS[kind])


def word(numbers: Array, kind: str) -> Array:
    """The words that hold these numbers of a type."""
    if kind in ("f32", "f64"):
        return np.asarray(numbers).view(_FLOATS[kind][1])
    narrow = np.asarray(numbers)
    return narrow.view(np.uint16).astype(np.uint32) if kind.endswith("16") else narrow.view(np.uint32)


def _of(kind: str, function: Function) -> Function:
    """A function of numbers of one type as one of words."""
    return lambda *words: word(function(*(number(w, kind) for w in words)), kind)


def _greatest(a: Array, b: Array) -> Array:
    """The greater number, the one that is one of a number and none; +0 of both zeros."""
    return np.where((a == 0) & (b == 0), a + b, np.fmax(a, b))


def _least(a: Array, b: Array) -> Array:
    """The lesser number; −0 of both zeros."""
    return -_greatest(-a, -b)


def _greatest_or_none(a: Array, b: Array) -> Array:
    """The greater number, no number where one is none; +0 of both zeros."""
    return np.where(np.isnan(a) | np.isnan(b), a + b, _greatest(a, b))


def _median(a: Array, b: Array, c: Array) -> Array:
    """The second of three; the least of those that are numbers, where one is none."""
    greatest = _greatest(_greatest(a, b), c)
    rest = np.where(greatest == a, _greatest(b, c), np.where(greatest == b, _greatest(a, c), _greatest(a, b)))
    least = _least(_least(a, b), c)
    return np.where(np.isnan(a) | np.isnan(b) | np.isnan(c), least, rest)


def _fraction(a: Array) -> Array:
    """What is above the next integer below, and less than 1 (CDNA 3 ISA, V_FRACT_F64)."""
    return np.asarray(np.minimum(a - np.floor(a), np.nextafter(a.dtype.type(1), a.dtype.type(0))))


def _significand(a: Array) -> Array:
    return np.frexp(a)[0]


def _frexp_exponent(kind: str) -> Function:
    """The exponent beside the significand; 0 of zeros, infinities and NaNs (LLVM's folding of amdgcn.frexp.exp)."""

    def exponent(held: Array) -> Array:
        a = number(held, kind)
        found = np.where(np.isfinite(a), np.frexp(a)[1], 0)
        return word(found.astype(np.int16), "i16") if kind == "f16" else word(found.astype(np.int32), "i32")

    return exponent


def _ldexp(kind: str) -> Function:
    """a · 2**exponent, rounded once: f64 has room for all exponents of narrower types."""

    def scaled(held: Array, exponent: Array) -> Array:
        a, places = number(held, kind), number(exponent, "i16" if kind == "f16" else "i32").astype(np.int64)
        return word(np.ldexp(a.astype(np.float64), np.clip(places, -4200, 4200)).astype(a.dtype), kind)

    return scaled


def _flushed(a: Array) -> Array:
    """Zeros for denormals, of their sign."""
    return np.where(np.abs(a) < np.finfo(a.dtype).tiny, np.copysign(a.dtype.type(0), a), a)


def _transcendental(function: Function, flush: bool) -> Function:
    """A function computed in f64 and rounded; `flush`: of normal numbers only."""

    def computed(a: Array) -> Array:
        exact = function((_flushed(a) if flush else a).astype(np.float64)).astype(a.dtype)
        return _flushed(exact) if flush else exact

    return computed


def _sine(turns: Array, quarter: int = 0) -> Array:
    """The sine of so many turns, and quarters more: exact where the argument is a multiple of a quarter."""
    nearest = np.rint(4 * turns)
    rest = 2 * np.pi * (turns - nearest / 4)
    quarters = np.mod(np.mod(np.where(np.isfinite(nearest), nearest, 0), 4) + quarter, 4)
    values = [np.sin(rest), np.cos(rest), -np.sin(rest), -np.cos(rest)]
    found = np.select([quarters == k for k in range(4)], values)
    return np.where(found == 0, np.where(turns == 0, turns, 0.0), found)


def _integer(numbers: Array, kind: str) -> Array:
    """Cut towards 0 and to the range; 0 of a NaN."""
    of = _INTEGERS[kind]
    limits = np.iinfo(of)
    wide = np.nan_to_num(numbers.astype(np.float64), nan=0.0, posinf=2.0**64, neginf=-(2.0**64))
    return np.clip(np.trunc(wide), limits.min, limits.max).astype(of)


def _towards_zero(a: Array) -> Array:
    """f16 of f32, cut: the nearest, or the one below it in magnitude; at most the largest number, of numbers."""
    nearest = a.astype(np.float16)
    beyond = np.abs(nearest.astype(np.float64)) > np.abs(a.astype(np.float64))
    return (nearest.view(np.uint16) - beyond.astype(np.uint16)).view(np.float16)


def _fused_to_bf16(a: Array, b: Array, c: Array) -> Array:
    """The bf16 nearest to the exact a · b + c of f32."""
    with np.errstate(all="ignore"):
        total = odd_fused(*(number(one, "f32").astype(np.float64) for one in (a, b, c)))
        narrow = total.astype(np.float32)
        further = np.abs(narrow) > np.abs(total)
        odd = np.where(further, np.nextafter(narrow, np.float32(0)), narrow).view(np.uint32)
    odd |= (np.isfinite(total) & (number(odd, "f32") != total)).astype(np.uint32)  # of neighbours the one that is odd
    return _to_bf16(odd)


def _to_bf16(bits: Array) -> Array:
    """Rounded to nearest even; a NaN stays one."""
    rounded = (bits + (np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1)))) >> np.uint32(16)
    return np.where(np.isnan(bits.view(np.float32)), bits >> np.uint32(16) | np.uint32(0x40), rounded)


def _mad(a: Array, b: Array, c: Array) -> Array:
    """a · b + c, rounded twice, of normal numbers."""
    return _flushed(_flushed(_flushed(a) * _flushed(b)) + _flushed(c))


def _dot2(source: str) -> Function:
    """The sum of the products of two pairs and a third number, computed in f64; f32 without denormals."""

    def summed(a: Array, b: Array, c: Array) -> Array:
        low, high = (_narrow(a >> np.uint32(k), source) * _narrow(b >> np.uint32(k), source) for k in (0, 16))
        total = low + high + _flushed(number(c, "f32")).astype(np.float64)
        return word(_flushed(total.astype(np.float32)), "f32")

    return summed


def _narrow(word: Array, kind: str) -> Array:
    """f16 or bf16 in the low bits, as f64."""
    wide = (word << np.uint32(16)).view(np.float32) if kind == "bf16" else number(word, "f16")
    least = np.finfo(np.float16).smallest_normal if kind == "f16ftz" else 0
    return np.where(np.abs(wide) < least, np.copysign(0.0, wide), wide.astype(np.float64))


#: The types of eight bits: kind, what their names end with, whether they are FNUZ.
_EIGHTS = tuple((kind, "fnuz" if fnuz else "", fnuz) for kind in ("fp8", "bf8") for fnuz in (False, True))


def _of_eight(kind: str, fnuz: bool) -> Function:
    return lambda held: word(decoded(held & np.uint32(0xFF), kind, fnuz).astype(np.float32), "f32")


def _to_eight(kind: str, fnuz: bool, *, held: bool = False) -> Function:
    return lambda word: encoded(number(word, "f32"), kind, fnuz, held=held)


def _held(name: str, function: Function) -> Function:
    """A function to f16, whose overflow of finite sources is the greatest number (`semantics.overflow`)."""
    source = name.partition("_of_")[2] or "f16"

    def held(*words: Array) -> Array:
        numbers = number(function(*words), "f16")
        finite = reduce(np.logical_and, (np.isfinite(number(w, source)) for w in words))
        greatest = np.copysign(np.finfo(np.float16).max, numbers)
        return word(np.where(np.isinf(numbers) & finite, greatest, numbers), "f16")

    return held


def _class(kind: str) -> Function:
    """Whether a number is of one of the classes whose bits are set (ISA manuals, V_CMP_CLASS_F32)."""

    def found(held: Array, mask: Array) -> Array:
        a = number(held, kind)
        of, bits = _FLOATS[kind]
        quiet = a.view(bits) >> bits(np.finfo(of).nmant - 1) & bits(1) == 1
        negative, size = np.signbit(a), np.abs(a)
        normal = size >= np.finfo(of).tiny
        infinite, zero = np.isinf(a), size == 0
        conditions = np.isnan(a) & ~quiet, np.isnan(a), infinite, normal, size > 0, zero
        places = [np.where(negative, one, other) for one, other in ((0, 0), (1, 1), (2, 9), (3, 8), (4, 7), (5, 6))]
        place = np.select(conditions, places).astype(np.uint32)
        return np.asarray((mask >> place & np.uint32(1)) == 1)

    return found


#: Functions of numbers of one type, for each type.
_SAME: Mapping[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "fma": fused,
    "max": _greatest,
    "min": _least,
    "maximum": _greatest_or_none,
    "minimum": lambda a, b: -_greatest_or_none(-a, -b),
    "med3": _median,
    "trunc": np.trunc,
    "floor": np.floor,
    "ceil": np.ceil,
    "rndne": np.rint,
    "fract": _fraction,
    "significand": _significand,
    "clamp": lambda a: np.where(a > 0, np.minimum(a, a.dtype.type(1)), a.dtype.type(0)),
}

#: The same of one number, f32's of normal numbers only (`semantics.transcendental`).
_TRANSCENDENTAL: Mapping[str, Function] = {
    "rcp": lambda a: 1 / a,
    "sqrt": np.sqrt,
    "rsq": lambda a: 1 / np.sqrt(a),
    "exp": np.exp2,
    "log": np.log2,
}

_CONVERSIONS = (
    *product(("i32", "u32"), ("f32", "f64")), *product(("f32", "f64"), ("i32", "u32")), ("f32", "f64"), ("f64", "f32"),
    ("f16", "f32"), ("f32", "f16"), *product(("i16", "u16"), ("f16",)), *product(("f16",), ("i16", "u16")),
)  # fmt: skip


def _conversion(target: str, source: str) -> Function:
    def converted(held: Array) -> Array:
        numbers = number(held, source)
        return word(_integer(numbers, target) if target in _INTEGERS else numbers.astype(_FLOATS[target][0]), target)

    return converted


_PLAIN: Mapping[str, Function] = {
    **{f"{name}_{kind}": _of(kind, function) for kind in _FLOATS for name, function in _SAME.items()},
    **{
        f"{name}_{kind}": _of(kind, _transcendental(function, flush=kind == "f32"))
        for kind in _FLOATS
        for name, function in _TRANSCENDENTAL.items()
    },
    **{
        f"{name}_{kind}": _of(kind, _transcendental(function, flush=False))
        for kind in ("f16", "f32")
        for name, function in (("sin", _sine), ("cos", partial(_sine, quarter=1)), ("tanh", np.tanh))
    },
    **{f"ldexp_{kind}": _ldexp(kind) for kind in _FLOATS},
    **{f"exponent_of_{kind}": _frexp_exponent(kind) for kind in _FLOATS},
    **{f"{target}_of_{source}": _conversion(target, source) for target, source in _CONVERSIONS},
    **{name: _of(name[-3:], function) for name, function in DIVISION.items()},
    "f16_of_f32_cut": lambda a: word(_towards_zero(number(a, "f32")), "f16"),
    "bf16_of_f32": _to_bf16,
    "bf16_of_fma_f32": _fused_to_bf16,
    **{f"f32_of_{kind}{suffix}": _of_eight(kind, fnuz) for kind, suffix, fnuz in _EIGHTS},
    **{f"{kind}{suffix}_of_f32": _to_eight(kind, fnuz) for kind, suffix, fnuz in _EIGHTS},
    "mad_f32": _of("f32", _mad),
    FLUSHED: _of("f32", _flushed),
    "two_by_pi_f64": part_of_two_by_pi,
    **{f"f32_of_dot2_{kind}": _dot2(kind) for kind in ("f16", "f16ftz", "bf16")},
}

#: Every function, by its name, on words; those that overflow also as they are where that is held.
FUNCTIONS: Mapping[str, Function] = {
    **_PLAIN,
    **SCALED,
    **{f"{name}{HELD}": _held(name, _PLAIN[name]) for name in OVERFLOWING & _PLAIN.keys() if "8" not in name},
    **{f"{kind}{suffix}_of_f32{HELD}": _to_eight(kind, fnuz, held=True) for kind, suffix, fnuz in _EIGHTS},
}

_ORDERED: Mapping[str, Function] = {
    "f": lambda a, b: np.zeros(np.broadcast(a, b).shape, np.bool_),
    "lt": np.less,
    "eq": np.equal,
    "le": np.less_equal,
    "gt": np.greater,
    "lg": lambda a, b: np.less(a, b) | np.greater(a, b),
    "ge": np.greater_equal,
    "o": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
}

_NEGATED = {"tru": "f", "u": "o", "nge": "ge", "nlg": "lg", "ngt": "gt", "nle": "le", "neq": "eq", "nlt": "lt"}


def _relation(function: Function, kind: str, negated: bool = False) -> Function:
    def holds(a: Array, b: Array) -> Array:
        truth = function(number(a, kind), number(b, kind))
        return ~truth if negated else truth

    return holds


#: Every comparison, by its name, on words.
RELATIONS: Mapping[str, Function] = {
    **{f"{name}_{kind}": _relation(function, kind) for kind in _FLOATS for name, function in _ORDERED.items()},
    **{
        f"{name}_{kind}": _relation(_ORDERED[other], kind, True) for kind in _FLOATS for name, other in _NEGATED.items()
    },
    **{f"class_{kind}": _class(kind) for kind in _FLOATS},
    **{f"scaled_{kind}": _relation(function, kind) for kind, function in IS_SCALED.items()},
}
