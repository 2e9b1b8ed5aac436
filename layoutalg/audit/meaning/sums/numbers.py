"""Numbers from their bits, as addends or candidates: what counts for nothing is none."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from fractions import Fraction

from layoutalg.audit.meaning.sums.addends import Addend, Addends
from layoutalg.symex.values.word import NotReadable

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


def constant(bits: int, dtype: str, how: str) -> Addends:
    """A constant's addends, or candidates.  Raises `NotReadable` where it is no number.

    >>> constant(0x3F000000, "f32", "add")[0].coefficient, constant(0, "f32", "add"), constant(0xFF800000, "f32", "max")
    (Fraction(1, 2), (), ())
    """
    if dtype in INTEGERS:
        signed = (bits + (1 << 31)) % (1 << 32) - (1 << 31)
        return (Addend(Fraction(signed)),) if signed or how != "add" else ()
    if dtype not in FORMATS:
        raise NotReadable(f"the constant {bits} as {dtype}")
    whole, number = FORMATS[dtype]
    bits = bits << 16 if dtype == "bf16" else bits
    size = 8 * struct.calcsize(whole)
    (x,) = struct.unpack(number, struct.pack(whole, bits % (1 << size)))
    if x in (float("inf"), float("-inf")) and (how, x < 0) in (("max", True), ("min", False)):
        return ()
    if x != x or x in (float("inf"), float("-inf")):
        raise NotReadable(f"the constant {x}")
    return (Addend(Fraction(x)),) if x or how != "add" else ()


def typed(name: str, found: str, wanted: str) -> None:
    """Raises `NotReadable` where a function's result is of another type than what is read."""
    if found != wanted:
        raise NotReadable(f"the result of {name} as {wanted}")
