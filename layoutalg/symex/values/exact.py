"""Floats of which the number is known: constants, and integers that a conversion took over whole.

    threadIdx.x < blockDim.x / 32.f        f32(thread) < f32(256) · 2⁻⁵        thread < 8

An integer of at most 24 bits is an f32 as it is; where a product of constants is a normal f32, no mode of rounding and
none of denormals changes it.
What it cannot represent: sums and products of what is no constant, which may be rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from layoutalg.index import FALSE, Expr, const, eq
from layoutalg.lazy import lazy_imports
from layoutalg.symex.values.unknowns import call_of

with lazy_imports():
    import numpy as np

#: Integers up to this one are f32 as they are.
WHOLE = 1 << 24

#: From an integer of 32 bits, without a sign or with one.
CONVERSIONS = ("f32_of_u32", "f32_of_i32")

Number = Expr | Fraction
"""An integer by its expression, or a constant."""


def exact_relation(how: str, left: Expr, right: Expr) -> Expr | None:
    """A comparison of two words of f32 as one of integers: `lt`, `le`, `eq`, or `u`, where one is no number.

    >>> from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
    >>> from layoutalg.index import var
    >>> x = UninterpretedFunctions().apply("f32_of_u32", var("x", 64))
    >>> exact_relation("lt", x, const(0x40200000)), exact_relation("eq", x, const(0x40200000))
    (x < 3, 0)
    """
    one, other = _exact(left), _exact(right)
    if one is None or other is None or (isinstance(one, Fraction) and isinstance(other, Fraction)):
        return None
    match how:
        case "u":
            return FALSE
        case "eq":
            fractions = (x for x in (one, other) if isinstance(x, Fraction))
            whole = all(x.denominator == 1 for x in fractions)
            return eq(_rounded(one, math.floor), _rounded(other, math.floor)) if whole else FALSE
        case "lt":  # n < c where n < ⌈c⌉; c < n where ⌊c⌋ < n
            return _rounded(one, math.floor) < _rounded(other, math.ceil)
        case "le":
            return _rounded(one, math.ceil) <= _rounded(other, math.floor)
    return None


def _rounded(x: Number, how: Callable[[Fraction], int]) -> Expr:
    """A constant as an integer; an integer as it is."""
    return const(how(x)) if isinstance(x, Fraction) else x


def _exact(word: Expr) -> Number | None:
    """The number that a word of f32 is."""
    name, arguments = call_of(word)
    if name in CONVERSIONS and arguments[0].lo >= 0 and arguments[0].hi <= WHOLE:
        return arguments[0]
    return exact_constant(word)


def exact_constant(word: Expr) -> Fraction | None:
    """The number of a word of f32 that is made of constants, where it is 0 or a normal one all the way.

    >>> from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
    >>> apply = UninterpretedFunctions().apply
    >>> exact_constant(apply("mul_f32", apply("f32_of_u32", const(10)), const(0x3F000000)))
    Fraction(5, 1)
    """
    name, arguments = call_of(word)
    if name in CONVERSIONS:
        (x,) = arguments
        return Fraction(int(x.value)) if x.op == "const" and 0 <= x.value <= WHOLE else None
    if name == "mul_f32":
        one, other = map(exact_constant, arguments)
        product = None if one is None or other is None else one * other
        return product if product and _is_normal(product) else None  # 0 has a sign, by which others of it differ
    if word.op != "const":
        return None
    held = float(np.uint32(int(word.value) % (1 << 32)).view(np.float32))
    return Fraction(held) if math.isfinite(held) and (held == 0 or _is_normal(Fraction(held))) else None


def _is_normal(x: Fraction) -> bool:
    """Whether a number is a normal one of f32: no mode of rounding changes it, and none of denormals."""
    limits = np.finfo(np.float32)
    return float(limits.tiny) <= abs(x) <= float(limits.max) and Fraction(float(np.float32(float(x)))) == x
