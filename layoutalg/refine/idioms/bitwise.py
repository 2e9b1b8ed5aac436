"""Bitwise operations that are arithmetic, by the bits that a number may have."""

from __future__ import annotations

import math

from layoutalg.index import FALSE, Expr, mod, simplify, xor
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly


def apart(one: Expr, other: Expr) -> bool:
    """Whether no bit can be in both.

    >>> from layoutalg.index import symbol, var
    >>> i, j, k = var("i", 2), var("j", 8), symbol("K", min=0)
    >>> [apart(i * 16, k * 128 + one) for one in (j * 2, j * 4, j // 2 % 2)]
    [True, False, True]
    """
    return possible_bits(one) & possible_bits(other) == 0 or _below_multiple(one, other) or _below_multiple(other, one)


def exclusive(one: Expr, other: Expr) -> Expr:
    """one xor other; with a constant of which the other has no bit, the sum (signs are extended so: `(x ^ 128) − 128`).

    >>> from layoutalg.index import as_expr, var
    >>> exclusive(var("i", 7), as_expr(128)), exclusive(var("i", 200), as_expr(128))
    (i + 128, i ^ 128)
    """
    constant = "const" in (one.op, other.op)
    return one + other if constant and possible_bits(one) & possible_bits(other) == 0 else xor(one, other)


def _below_multiple(low: Expr, high: Expr) -> bool:
    """Whether `high` is a multiple of a power of two that `low` stays below."""
    if not low.lo >= 0 or low.hi == math.inf:
        return False
    return simplify(mod(high, 1 << int(low.hi).bit_length())) is FALSE


def possible_bits(e: Expr) -> int:
    """The bits that the number may have, in two's complement: a negative mask has all above some bit.

    A term k·m is a multiple of the greatest power of two in k; where it is not negative, it has no bits above those of
    its greatest value.  Terms that share no bit are added without a carry; else a carry begins at the lowest shared bit
    and may go up all the way.
    """
    bits = 0
    for monomial, k in recover(normal(e)).terms.items():
        term = Poly({monomial: k}).expr()
        here = -(k & -k)
        if term.lo >= 0 and term.hi < math.inf:
            here &= (1 << int(term.hi).bit_length()) - 1
        shared = bits & here
        bits |= here | (-(shared & -shared) if shared else 0)
    return bits & (1 << int(e.hi).bit_length()) - 1 if e.lo >= 0 and e.hi < math.inf else bits
