"""C++'s integers: what a literal is worth, and what becomes of a value that is converted to a type.

| conversion                       | value                                                          |
|----------------------------------|----------------------------------------------------------------|
| a constant to n bits             | the one of its residues mod 2ⁿ that the type holds             |
| anything to `bool`               | 1 where it is not 0                                            |
| a formula to a type that holds it | itself                                                        |
| a formula to another narrow or unsigned type | not read                                           |
| an integer to a floating type    | not read: its arithmetic is another one                        |

Formulas in `int` and wider signed types are taken as they are: that sizes fit is a claim of its own (`fits_index`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from layoutalg.formats.ck_cpp.convert import truth
from layoutalg.formats.ck_cpp.library import SIZES
from layoutalg.formats.ck_cpp.values import Open, Unreadable, Value
from layoutalg.index import Expr, const

INTEGERS: Mapping[str, tuple[int, bool]] = {
    **dict.fromkeys(("char", "signed char", "int8_t"), (8, True)),
    **dict.fromkeys(("unsigned char", "uint8_t", "byte"), (8, False)),
    **dict.fromkeys(("short", "short int", "int16_t"), (16, True)),
    **dict.fromkeys(("unsigned short", "unsigned short int", "uint16_t", "ushort"), (16, False)),
    **dict.fromkeys(("int", "signed", "signed int", "int32_t", "index_t"), (32, True)),
    **dict.fromkeys(("unsigned", "unsigned int", "uint32_t", "uint"), (32, False)),
    **dict.fromkeys(("long", "long int", "long long", "long long int", "int64_t", "long_index_t"), (64, True)),
    **dict.fromkeys(("ptrdiff_t", "intptr_t", "ssize_t"), (64, True)),
    **dict.fromkeys(("unsigned long", "unsigned long int", "unsigned long long", "uint64_t", "size_t"), (64, False)),
}
"""Bits, and whether the type is signed, as on AMD GPUs and their hosts (`char` is signed there, `long` has 64 bits)."""

_INTEGER = re.compile(r"([+-]?)(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*")


def literal(written: str) -> Expr:
    """The value of an integer literal.

    >>> literal("0x10"), literal("010"), literal("1'000u")
    (16, 8, 1000)
    """
    match = _INTEGER.fullmatch(written)
    if match is None:
        raise Unreadable(f"{written} is no integer")
    digits = match[2].replace("'", "")
    if len(digits) > 40:
        raise Unreadable("an integer of more than 64 bits")
    try:
        value = int(digits, 0) if not digits.isdecimal() else int(digits, 8 if digits[0] == "0" else 10)
    except ValueError:
        raise Unreadable(f"{written} is no integer") from None
    return const(-value if match[1] == "-" else value)


def number_type(kind: Value) -> bool:
    """Whether a value is the name of a number's type."""
    return isinstance(kind, Open) and (kind.last in SIZES or " ".join(kind.last.split()) in INTEGERS)


def converted(value: Value, kind: Value) -> Value:
    """A value converted to a type; any value but an integer, and any type but a number's, is left as it is.

    >>> converted(const(264), Open("uint8_t")), converted(const(4), Open("bool")), converted(const(200), Open("int8_t"))
    (8, 1, -56)
    """
    if not isinstance(value, Expr) or not isinstance(kind, Open):
        return value
    name = " ".join(kind.last.split())
    if name == "bool":
        return truth(value)
    if name not in INTEGERS:
        if name in SIZES:
            raise Unreadable(f"{value} as {name}: floating numbers are not part of what is read")
        return value
    bits, signed = INTEGERS[name]
    low = -(1 << bits - 1) if signed else 0
    if value.op == "const":
        return const((int(value) - low) % (1 << bits) + low)
    wide = bits >= 32
    if (value.lo < low and not (wide and signed)) or (value.hi >= low + (1 << bits) and not wide):
        raise Unreadable(f"{value} as {name}: it is converted where the type does not hold it")
    return value
