"""Machine words as numbers modulo 2ⁿ: which expressions are of one word, and which of them is in a range.

| expression, n = 32 | representative | in 0 … 2³² − 1 |
|---|---|---|
| i · (2³² − 4) + 2³³ | i · −4 | is not seen |
| −8 | −8 | 4294967288 |
| select(c, i, −8) | the same | select(c, i, 4294967288) |

A number that is cut to a word is `x mod 2³²`; the normal form may write it as `4·(y mod 2³⁰)`, where x is 4·y, or as
`x − 2³²·(x div 2³²)`; with its sign extended it is `x − 2³²·((x + 2³¹) div 2³²)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from layoutalg.index import Expr, const, postorder, select, variables
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.symex.values.unknowns import Kind, kind_of

#: Coefficients of a number that may be negative, of which each reading is tried.
MOST_UNSURE = 4


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


@lru_cache(maxsize=1 << 14)
def without_unwritten_multiples(expr: Expr, bits: int) -> Expr:
    """The expression without multiples of 2ⁿ of what nothing wrote, chosen or not: no bit of the word is made of these.

    >>> from layoutalg.index import var
    >>> from layoutalg.symex.values.unknowns import Kind, unknown_value
    >>> half, above = var("half", 1 << 16), unknown_value("above", 1 << 32, Kind.UNDEFINED)
    >>> without_unwritten_multiples((above // 2**16 * 2**16 + half) * 2**16, 32)
    half * 65536
    >>> without_unwritten_multiples(select(var("i", 8) < 3, half, above // 2**16 * 2**16) * 2**16, 32)
    select(i < 3, half, 0) * 65536
    """
    if not _of_unwritten(expr):
        return expr
    before = normal(expr)
    after = Poly({m: k for m, k in before.terms.items() if k % (1 << bits) or not _of_unwritten(*m)})
    for atom in before.atoms():
        if atom.op == "select" and _of_unwritten(atom):
            zeros = min((_zeros(k) for m, k in after.terms.items() if atom in m), default=bits)
            condition, *ways = atom.args
            ways = [without_unwritten_multiples(way, max(0, bits - zeros)) for way in ways]
            after = after.replace(atom, normal(select(condition, *ways)))
    return expr if after.terms == before.terms else recover(after).expr()


def _of_unwritten(*parts: Expr) -> bool:
    return any(kind_of(v) is Kind.UNDEFINED for v in variables(*parts))


def _zeros(factor: int) -> int:
    """How often 2 divides a number."""
    return (factor & -factor).bit_length() - 1


def readings(expr: Expr, size: int) -> tuple[Expr, ...]:
    """The numbers that a word may stand for: as written first, last with no coefficient in a word's upper half.

    Each coefficient that is there may mean a negative one. None where these are more than `MOST_UNSURE`.

    >>> from layoutalg.index import var
    >>> readings(var("i", 64) + 2**32 - 1, 2**32), readings(var("i", 64) * 4 - 8, 2**32)
    ((i + 4294967295, i - 1), (i * 4 - 8,))
    """
    terms = {m: k if -size < k < size else k % size for m, k in normal(expr).terms.items()}
    unsure = [m for m, k in terms.items() if 2 * k >= size]
    if len(unsure) > MOST_UNSURE:
        return ()
    found = {expr: None}
    for negative in product((0, size), repeat=len(unsure)):
        less = dict(zip(unsure, negative, strict=True))
        read = {m: k - less.get(m, 0) for m, k in terms.items()}
        found[recover(Poly({m: k for m, k in read.items() if k})).expr()] = None
    return tuple(found)


def same_word(one: Expr, other: Expr, bits: int) -> bool:
    """Whether the normal form shows two representatives to be of one word."""
    difference = representative(one - other, bits)
    return bool(difference.op == "const" and difference.value % (1 << bits) == 0)


@lru_cache(maxsize=1 << 14)
def cut(e: Expr, lowest: int, size: int) -> Expr | None:
    """The number in lowest … lowest + size − 1 that is e modulo the size, where each way of a choice shows it at once.

    >>> from layoutalg.index import select, var
    >>> cut(select(var("c", 2) < 1, var("i", 9), -8), 0, 1 << 32)
    select(c < 1, i, 4294967288)
    """
    if e.op == "select":
        then, otherwise = (cut(way, lowest, size) for way in e.args[1:])
        return None if then is None or otherwise is None else select(e.args[0], then, otherwise)
    if e.op == "const":
        return const((e.value - lowest) % size + lowest)
    return e if lowest <= e.lo and e.hi < lowest + size else None


def outermost(e: Expr) -> Iterator[tuple[Expr, int]]:
    """The terms of a sum as it is written, each with its constant factor.

    >>> from layoutalg.index import var
    >>> list(outermost(var("i", 64) // 8 * 4 + var("j", 9)))
    [(i // 8, 4), (j, 1)]
    """
    stack = [(e, 1)]
    while stack:
        node, factor = stack.pop()
        constant = next((a for a in node.args if a.op == "const"), None) if node.op == "mul" else None
        if node.op == "add":
            stack += [(a, factor) for a in reversed(node.args)]
        elif constant is not None and len(node.args) == 2:
            stack += [(a, factor * int(constant.value)) for a in node.args if a is not constant]
        else:
            yield node, factor


def remainders(e: Expr) -> Iterator[tuple[Expr, int, int]]:
    """Each part c·(x mod n) of an expression, c and n constant, as x, c and n; also of −c·n·(x div n).

    >>> from layoutalg.index import simplify, var
    >>> i = var("i", 1 << 40)
    >>> list(remainders(simplify(i * 12 % 2**32))), list(remainders(i - i // 2**32 * 2**32))
    ([(i * 3, 4, 1073741824)], [(i, 1, 4294967296)])
    """
    for node, factor in outermost(e):
        if node.op == "div" and node.args[1].op == "const":
            size = int(node.args[1].value)
            if factor < 0 and factor % size == 0:
                yield node.args[0], -factor // size, size
    factors: dict[Expr, Expr] = {}
    for node in postorder(e):
        if node.op == "mul":
            factors |= {one: other for one, other in (node.args, node.args[::-1]) if other.op == "const"}
    for node in postorder(e):
        if node.op == "mod" and node.args[1].op == "const":
            yield node.args[0], int(factors[node].value) if node in factors else 1, int(node.args[1].value)
