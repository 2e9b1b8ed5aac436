"""Integer maps of threads by their digits: an expression for a table, where each bit of a coordinate adds its own.

    f(x, y) = c + Σ c_b · bit b of x + Σ d_b · bit b of y

Strides, tiles, and permutations of bits are such maps; bits whose addends double are written as one digit:

| addends of the bits of x, lowest first | written |
|---|---|
| 4, 8, 16, 32 | 4 · x |
| 0, 0, 1, 2 | x // 4 |
| 3, 6, 0, 0 | 3 · (x mod 4) |

The expression is compared with every entry of the table, so it says no more than the table does.
What it cannot represent: maps in which bits meet, as in a swizzle by exclusive or.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from layoutalg.index import ZERO, Expr, const, div, mod, simplify

Table = NDArray[np.int64]


def digits(values: Table, numbers: Mapping[Expr, Table]) -> Expr | None:
    """The map from coordinates to these values, entry by entry; None where it is no sum over bits.

    >>> from layoutalg.index import var
    >>> x = var("x", 16)
    >>> digits(np.arange(16) // 4 + 7, {x: np.arange(16)})
    x // 4 + 7
    >>> digits(np.arange(16) ** 2, {x: np.arange(16)}) is None
    True
    """
    bits = [(v, b, held >> b & 1) for v, held in numbers.items() for b in range(int(held.max(initial=0)).bit_length())]
    varying = [one for one in bits if one[2].min() != one[2].max()]
    columns = np.stack([np.ones(len(values), np.int64), *(column for _, _, column in varying)], axis=1)
    found = np.rint(np.linalg.lstsq(columns.astype(float), values.astype(float), rcond=None)[0]).astype(np.int64)
    if not np.array_equal(columns @ found, values):
        return None
    each = {(v, b): int(c) for (v, b, _), c in zip(varying, found[1:], strict=True)}
    total = const(int(found[0]))
    for v, held in numbers.items():
        total += _written(v, held, {b: c for (u, b), c in each.items() if u is v})
    return simplify(total)


def _written(v: Expr, held: Table, each: Mapping[int, int]) -> Expr:
    """What the bits of one coordinate add; a bit that is the same everywhere joins the digit below it."""
    total, most = ZERO, max(1, int(held.max(initial=0)).bit_length())
    low = 0
    while low < most:
        step, high = each.get(low, 0), low + 1
        while high < most and each.get(high, step << high - low) == step << high - low:
            high += 1
        if step:
            digit = div(v, 1 << low) if high == most else mod(div(v, 1 << low), 1 << high - low)
            same = sum(int(held[0] >> b & 1) * (step << b - low) for b in range(low, high) if b not in each)
            total += digit * step - same
        low = high
    return total
