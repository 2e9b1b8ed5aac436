"""Whether a term is a multiple of a number, as its form shows.

| a multiple of n | is shown by |
|---|---|
| a + b | a and b, multiples of n |
| c·a | a, a multiple of n over the greatest common divisor of c and n |
| a ^ b, n a power of two | a and b, multiples of n |
| a choice of a and b | a and b, multiples of n |
| others | the normal form of the remainder, which is 0 |
"""

from __future__ import annotations

from math import gcd

from layoutalg.index.expr import ZERO, Expr, mod
from layoutalg.index.normal import simplify


def is_multiple(e: Expr, n: int) -> bool:
    """Whether it is seen that a number is a multiple of n ≥ 1.

    >>> from layoutalg.index import var
    >>> i = var("i", 64)
    >>> is_multiple((i * 32 ^ 32) * 2 + i // 4 * 16, 16), is_multiple(i * 8, 16)
    (True, False)
    """
    match e.op:
        case "select":
            return all(is_multiple(one, n) for one in e.args[1:])
        case "add" if all(is_multiple(one, n) for one in e.args):
            return True
        case "xor" if n & (n - 1) == 0 and all(is_multiple(one, n) for one in e.args):
            return True
        case "mul" if factors := [one for one in e.args if one.op == "const" and one.value]:
            common = gcd(int(factors[0].value), n)
            others = [one for one in e.args if one is not factors[0]]
            if common > 1 and any(is_multiple(one, n // common) for one in others):
                return True
    return simplify(mod(e, n)) is ZERO
