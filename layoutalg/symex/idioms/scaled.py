"""Integers that are scaled in f32 and cut to integers again: `int(i * 0.37f)`, as resizing does.

    i div 2ᵏ                                            of a factor 2⁻ᵏ, since nothing is rounded
    ⌊i·m·(2²³ − 1) / 2ˢ⁺²³⌋ … ⌊i·m·(2²³ + 1) / 2ˢ⁺²³⌋      of another factor, m / 2ˢ

for 0 ≤ i < 2²⁴, which f32 has exactly; in any rounding mode a product is off by at most 2⁻²³ of itself.

What it cannot represent: numbers that may be negative, factors that are not constant, and what is added besides.
"""

from __future__ import annotations

import math
import struct

from layoutalg.index import Expr, all_of, any_of, div
from layoutalg.symex.idioms.rules import Rule, WordArithmetic
from layoutalg.symex.idioms.short_division import integer_of
from layoutalg.symex.values.unknowns import call_of

#: What is scaled is below this, which f32 has exactly; a factor is no greater than that, so that nothing saturates.
EXACT, MOST_FACTOR = 1 << 24, 64.0

#: What a product may be off by, of itself.
_PART = 1 << 23


def scaled(w: WordArithmetic, name: str, x: Expr) -> Expr | None:
    """The integer part of a product in f32; where it is rounded, a result of which is known what it is between."""
    if name not in ("u32_of_f32", "i32_of_f32"):
        return None
    whole, inner = call_of(x)
    times, factors = call_of(inner[0] if whole in ("trunc_f32", "floor_f32") else x)
    for number, factor in (factors, factors[::-1]) if times == "mul_f32" else ():
        ratio = _ratio(factor)
        i = integer_of(w, number) if ratio is not None and number.op != "const" else None
        if ratio is not None and i is not None and w.ranges.in_range(i, 0, EXACT):
            return _part(w, name, x, i, *ratio)
    return None


def _ratio(factor: Expr) -> tuple[int, int] | None:
    """m and 2ˢ of a positive constant m / 2ˢ of f32.

    >>> from layoutalg.index import const
    >>> [_ratio(const(bits)) for bits in (0x3F000000, 0x40400000, 0xBF000000, 0x7F800000, 0x43000000)]
    [(1, 2), (3, 1), None, None, None]
    """
    if factor.op != "const":
        return None
    (real,) = struct.unpack("<f", struct.pack("<I", int(factor.value) % (1 << 32)))
    return float(real).as_integer_ratio() if math.isfinite(real) and 2.0**-100 < real <= MOST_FACTOR else None


def _part(w: WordArithmetic, name: str, x: Expr, i: Expr, m: int, size: int) -> Expr:
    """The integer part of i·m / 2ˢ, rounded."""
    if m & (m - 1) == 0:  # a power of two
        return div(i * m, size)
    found = w.functions.apply(name, x)
    least, most = (div(i * (m * part), size * _PART) for part in (_PART - 1, _PART + 1))
    w.functions.know(found, any_of(i < 0, i >= EXACT, all_of(least <= found, found <= most)))
    return found


SCALED = (Rule("an integer scaled in f32", scaled, None, "IEEE 754: a product is off by less than 2⁻²³ of itself"),)
