"""Numbers from their bits, as addends or candidates: what counts for nothing is none."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from fractions import Fraction

from layoutalg.audit.ask import Open
from layoutalg.audit.meaning.sums.addends import Addend, Sum, Value

#: Floating-point types: how `struct` reads their bits.
FORMATS: Mapping[str, tuple[str, str]] = {
    "bf16": ("<I", "<f"),
    "f16": ("<H", "<e"),
    "f32": ("<I", "<f"),
    "f64": ("<Q", "<d"),
}

#: Types whose sums and products wrap: of these, all is said modulo 2³².
INTEGERS = ("i32", "u32")

#: Functions that give one of their operands.
EXTREMES = ("max", "min")


def number(value: float, how: str) -> Value:
    """A number as a sum, or as a candidate; an infinity is one of which every number is greater, or less.

    >>> number(0.5, "add") == Sum((Addend(Fraction(1, 2)),)), number(0, "add") == number(float("-inf"), "max") == Sum()
    (True, True)
    """
    if abs(value) == float("inf") and (how, value < 0) in (("max", True), ("min", False)):
        return Sum()
    if value != value or abs(value) == float("inf"):
        return Open(f"the constant {value}")
    return Sum((Addend(Fraction(value)),) if value or how != "add" else ())


def constant(bits: int, dtype: str, how: str) -> Value:
    """The number that bits are of a type."""
    if dtype in INTEGERS:
        return number((bits + (1 << 31)) % (1 << 32) - (1 << 31), how)
    if dtype not in FORMATS:
        return Open(f"the constant {bits} as {dtype}")
    whole, number_format = FORMATS[dtype]
    bits = bits << 16 if dtype == "bf16" else bits
    size = 8 * struct.calcsize(whole)
    (x,) = struct.unpack(number_format, struct.pack(whole, bits % (1 << size)))
    return number(x, how)
