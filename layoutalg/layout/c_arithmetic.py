"""C's integer arithmetic in 32 bits, written exactly in index expressions over the integers.

CK computes in `index_t`, which is int32, and some of its transforms lean on what C does with the bits.  Each function
here is that operation as an expression, so that a proof about it is a proof about CK's own computation.  Where the
range of an argument shows that nothing wraps and nothing is negative, the expression is the plain one.

| function                | C                                | for a in −3…3     |
|-------------------------|----------------------------------|-------------------|
| `truncated_div(a, 2)`   | `a / 2`, towards zero            | −1 −1 0 0 0 1 1   |
| `truncated_mod(a, 2)`   | `a % 2`, with the sign of a      | −1 0 −1 0 1 0 1   |
| `unsigned32(a)`         | `(uint32_t)a`                    | 2³²−3 … 3         |
| `signed32(a)`           | `(int32_t)a`, two's complement   | −3 … 3            |
| `mulhi_u32(a, b)`       | high half of the 64-bit product  |                   |

Signed overflow is undefined in C++; `signed32` is what CK's targets do.
"""

from __future__ import annotations

from layoutalg.index import Expr, Term, as_expr, mod, select
from layoutalg.index.normal import nonnegative

BITS16 = 1 << 16
BITS32 = 1 << 32
HALF32 = 1 << 31


def truncated_div(left: Term, right: Term) -> Expr:
    """C's `left / right` for a positive divisor: rounded towards zero.

    >>> truncated_div(-7, 2), truncated_div(7, 2)
    (-3, 3)
    """
    a = as_expr(left)
    if nonnegative(a):
        return a // right
    return select(a >= 0, a // right, -((-a) // right))


def truncated_mod(left: Term, right: Term) -> Expr:
    """C's `left % right` for a positive divisor: with the sign of the dividend.

    >>> truncated_mod(-7, 2), truncated_mod(7, 2)
    (-1, 1)
    """
    a = as_expr(left)
    if nonnegative(a):
        return mod(a, right)
    return select(a >= 0, mod(a, right), -mod(-a, right))


def unsigned32(term: Term) -> Expr:
    """The value as uint32: modulo 2³².

    >>> unsigned32(-1)
    4294967295
    """
    return mod(term, BITS32)


def signed32(term: Term) -> Expr:
    """The value as int32, wrapped as two's complement hardware does.

    >>> signed32(2_799_999_999)
    -1494967297
    """
    return mod(as_expr(term) + HALF32, BITS32) - HALF32


def mulhi_u32(left: Term, right: Term) -> Expr:
    """The upper 32 bits of the 64-bit product of two uint32 numbers (`__umulhi`).

    A product that may reach 2⁶³ is taken in two halves of the second factor, so that every value fits int64.

    >>> mulhi_u32(1 << 31, 6)
    3
    """
    a, b = unsigned32(left), unsigned32(right)
    if a.hi * b.hi < 1 << 63:
        return a * b // BITS32
    return (a * (b // BITS16) + a * (b % BITS16) // BITS16) // BITS16
