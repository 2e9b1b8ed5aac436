"""What is known of the range of an index expression under a condition, without a solver.

An offset such as n + N·(m + M·g) is below N·M·G where n < N, m < M and g < G, whatever these are made of.  So each of
them is replaced by any number below its limit, which gives the largest value as a polynomial in the sizes; and a kernel
requires of just such products that they are below 2³¹.

| given | hence |
|---|---|
| p < P | p in p + P·(…) is any number below P |
| p < P·Q | p div Q is any number below P, p mod Q any below Q |
| M·N < 2³¹ | what is below M·N fits a signed 32-bit word |

What it cannot represent: limits that come from several conditions together.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import FALSE, Expr, conjuncts, div, mod, nonnegative, simplify, var
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly

Bounds = tuple[tuple[Expr, Expr], ...]
"""Numbers and what they are below."""


def in_range(e: Expr, lowest: int, limit: int, given: Expr) -> bool:
    """Whether lowest ≤ e < limit by a bound on a product of sizes that is given; false means that it was not shown.

    >>> from layoutalg.index import all_of, symbol
    >>> m, n = symbol("M"), symbol("N")
    >>> i, j = symbol("i", min=0), symbol("j", min=0)
    >>> in_range(i * n + j, 0, 1000, all_of(i < m, j < n, m * n < 1000))
    True
    """
    largest = [part.args[0] for part in conjuncts(given) if _limits(part, limit)]
    if not largest:
        return False
    forms = (*generalised(e, given), e)
    return any(nonnegative(one - lowest) and any(nonnegative(most - one) for most in largest) for one in forms)


def _limits(part: Expr, limit: int) -> bool:
    """Whether the condition says that something is below the limit."""
    return part.op in ("lt", "le") and part.args[1].op == "const" and part.args[1].value + (part.op == "le") <= limit


def generalised(e: Expr, given: Expr) -> Iterator[Expr]:
    """The expression over any p' < P, q' < Q, …, where it is p + P·(q + Q·(… )) and `p < P`, `q < Q`, … are given.

    What holds of it holds of the expression; and a solver need not know what p and q are made of.
    """
    yield from (found for found in _nested(e, _bounds(given)) if found is not e)


def _bounds(given: Expr) -> Bounds:
    found: dict[tuple[Expr, Expr], None] = {}
    for part in conjuncts(given):
        if part.op == "lt" and part.args[0].lo >= 0 and part.args[1].op != "const" and part.args[1].lo >= 1:
            p, limit = part.args
            found[p, limit] = None
            for one, other in (limit.args, limit.args[::-1]) if limit.op == "mul" else ():
                if one.op != "const" and other.op != "const" and other.lo >= 1:
                    found |= {(simplify(div(p, other)), one): None, (simplify(mod(p, other)), other): None}
    return tuple(found)


def _nested(e: Expr, bounds: Bounds) -> Iterator[Expr]:
    for k, (p, limit) in enumerate(bounds):
        quotient = simplify(div(e - p, limit))
        if simplify(e - p - limit * quotient) is FALSE and quotient.depth <= e.depth and quotient is not e:
            for inner in _nested(quotient, bounds[:k] + bounds[k + 1 :]):
                yield var(f"any_below_{k}_of_{len(bounds)}", limit) + limit * inner
    for k, (p, limit) in enumerate(bounds):
        if e is p:
            yield var(f"any_below_{k}_of_{len(bounds)}", limit)
    yield e


def magnitude(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """The greater of e and −e, chosen by their order, where the sign of e is known.

    >>> i = var("i", 9)
    >>> magnitude(-1 * i < i, i, -1 * i)
    i
    """
    if condition.op != "lt" or simplify(condition.args[0] + condition.args[1]) is not FALSE:
        return None
    greater = simplify(condition.args[1])
    if simplify(then) is not greater or simplify(then + otherwise) is not FALSE:
        return None
    return greater if greater.lo >= 0 else otherwise if greater.hi <= 0 else None


def representative(expr: Expr, bits: int) -> Expr:
    """A polynomial congruent modulo 2ⁿ whose coefficients are nearest to 0.

    >>> from layoutalg.index import var
    >>> representative(var("i", 64) * (2**32 - 4) + 2**33, 32)
    i * -4
    """
    size = 1 << bits
    terms = {m: (k + size // 2) % size - size // 2 for m, k in normal(expr).terms.items()}
    reduced: Expr = recover(Poly({m: k for m, k in terms.items() if k})).expr()
    return reduced


def same_word(one: Expr, other: Expr, bits: int) -> bool:
    """Whether the normal form shows two representatives to be of one word."""
    difference = representative(one - other, bits)
    return bool(difference.op == "const" and difference.value % (1 << bits) == 0)


def apart(low: Expr, high: Expr) -> bool:
    """Whether `high` is a multiple of a power of two that `low` stays below."""
    if not low.lo >= 0 or low.hi == float("inf"):
        return False
    return simplify(mod(high, 1 << int(low.hi).bit_length())) is FALSE
