"""C++'s integers: what a literal is worth."""

from __future__ import annotations

import re

from layoutalg.formats.ck_cpp.values import Unreadable
from layoutalg.index import Expr, const

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
