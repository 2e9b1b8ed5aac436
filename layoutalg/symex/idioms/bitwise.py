"""Bitwise operations that are arithmetic, by the bits that a number may have.

| written | read | where |
|---|---|---|
| `x & 0xff00` | x mod 2¹⁶ − x mod 2⁸: a difference for each run of ones | always, of any representative |
| `x & 0x55555555` | one function, 0 to 0x55555555 | of more than four runs, with unknowns in x |
| `s & x` | s < 0 ? x : 0 | s is seen to be −1 or 0: all ones, or none |
| `x \\| m` | x − (x & m) + m | m is constant |
| `a \\| b`, `a ^ b` | a + b | no bit is in both |
| `a \\| b` | a + b − (a & b) | always |
| `a & b`, `a \\| b`, `a ^ b` | one function of both | of large words, with data in them |
| `2ᵏ·a ^ 2ᵏ·b` | 2ᵏ·(a ^ b) | always, of multiples that are seen |
| `x ^ −1`, `~x` | −1 − x; of a choice, a choice of those | always |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from layoutalg.index import ZERO, Expr, bitand, const, div, eq, mod, postorder, select, simplify, variables, xor
from layoutalg.index.multiples import is_multiple
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.symex.idioms.rules import Lemma, Rule, WordArithmetic, first, number
from layoutalg.symex.values.modular import without_unwritten_multiples
from layoutalg.symex.values.unknowns import Kind, kind_of
from layoutalg.symex.values.word import Word

#: Nodes of two words with data from which on their bits are no longer looked at.
MOST_NODES = 64

#: Powers of two that are taken out of what is xor-ed.
STEPS = (64, 32, 16, 8, 4, 2)

#: Powers of two below which what was shifted down stays: where a word's bytes begin.
BYTES = (1 << 8, 1 << 16, 1 << 24)

#: Runs of ones in a constant, up to which each is a difference of two remainders.
MOST_RUNS = 4


def with_mask(_: WordArithmetic, a: Word, b: Word) -> Expr | None:
    """`a & b`, where one is constant."""
    return next((masked(x, m) for x, m in ((a, b), (b, a)) if m.expr.op == "const"), None)


def masked(word: Word, constant: Word) -> Expr:
    """Each run of ones in the mask is a difference of two remainders, taken of any representative.

    Of an xor, or a multiple of one, it is the remainder of a quotient, which goes to both sides.
    """
    mask = int(constant.expr.value) % (1 << word.bits)
    if mask == (1 << word.bits) - 1:
        return word.expr
    total: Expr = ZERO
    while mask:
        start = (mask & -mask).bit_length() - 1
        end = (~(mask >> start) & (mask >> start) + 1).bit_length() - 1 + start
        upto = without_unwritten_multiples(word.expr, end)
        if start and [[a.op for a in m] for m in normal(upto).terms] == [["xor"]]:
            above = div(upto, 1 << start)
            total = total + simplify(mod(above, 1 << end - start) if end < word.bits else above) * (1 << start)
        else:
            part = mod(upto, 1 << end) if end < word.bits else upto
            total = total + simplify(part - (mod(upto, 1 << start) if start else 0))
        mask &= -1 << end
    return total


def all_or_nothing(w: WordArithmetic, a: Word, b: Word) -> Expr | None:
    """`a & b`, where one is all ones or zero, and is written as the number that it is with a sign."""
    for ones, word in ((a, b), (b, a)):
        e = simplify(ones.expr)
        if e.op != "const" and e.lo < 0 and w.ranges.in_range(e, -1, 2):
            return select(eq(e, 0), 0, word.expr)
    return None


def function_of_large(name: str) -> Callable[[WordArithmetic, Word, Word], Expr | None]:
    """The operation of words whose bits nobody needs, since data are in them; to look at them takes long."""

    def found(w: WordArithmetic, a: Word, b: Word) -> Expr | None:
        if nodes(a.expr) + nodes(b.expr) <= MOST_NODES or ZERO in (simplify(a.expr), simplify(b.expr)):
            return None
        data = any(kind_of(v) is Kind.DATA for v in variables(a.expr, b.expr))
        return w.unknown_of(name, 1 << a.bits, a.expr, b.expr, const(a.bits)) if data else None

    return found


def picked_by_many(w: WordArithmetic, a: Word, b: Word) -> Expr | None:
    """`a & b`, where one is a constant of many runs of ones, as counts of bits have them, and the other is not known.

    Some number, no more than the constant is: written as remainders the bits of one word would be very many.
    """
    for word, m in ((a, b), (b, a)):
        mask = int(m.expr.value) % (1 << word.bits) if m.expr.op == "const" else 0
        if (mask & ~(mask << 1)).bit_count() > MOST_RUNS and any(map(kind_of, variables(word.expr))):
            return w.unknown_of("and", mask + 1, simplify(word.expr), const(mask), kind=Kind.ANY)
    return None


@lru_cache(maxsize=1 << 14)
def nodes(e: Expr) -> int:
    """How large an expression is."""
    return sum(1 for _ in postorder(e))


def and_otherwise(w: WordArithmetic, a: Word, b: Word) -> Expr:
    """`a & b`, of the unsigned values."""
    return bitand(w.unsigned(a), w.unsigned(b))


def or_constant(_: WordArithmetic, a: Word, b: Word) -> Expr | None:
    """`a | b`, where one is constant."""
    for word, m in ((a, b), (b, a)):
        if m.expr.op == "const":
            return word.expr - masked(word, m) + int(m.expr.value) % (1 << word.bits)
    return None


def or_disjoint(w: WordArithmetic, a: Word, b: Word) -> Expr | None:
    """`a | b`, of any representatives, where no bit can be in both."""
    left, right = simplify(a.expr), simplify(b.expr)
    apart = disjoint(left, right) or _limited_below(w, left, right) or _limited_below(w, right, left)
    return left + right if apart else None


def _limited_below(w: WordArithmetic, low: Expr, high: Expr) -> bool:
    """Whether `high` is a multiple of a power of two that `low` was noted to stay below."""
    return any(w.ranges.limited(low, n) and simplify(mod(high, n)) is ZERO for n in BYTES)


def or_otherwise(w: WordArithmetic, a: Word, b: Word) -> Expr:
    """`a | b`, where a solver may see that no bit is in both; it has no bit above those of both."""
    x, y = w.unsigned(a), w.unsigned(b)
    both = bitand(x, y)
    if w.ranges.in_range(both, 0, 1):
        return x + y
    found = x + y - both
    if max(x.hi, y.hi) < math.inf:
        w.ranges.limit(found, 1 << int(max(x.hi, y.hi)).bit_length())
    return found


def not_of_choice(_: WordArithmetic, a: Word) -> Expr | None:
    """`~a`, where a mask that is written as a word stays a choice of all ones and zero."""
    return _complement(a.expr) if a.expr.op == "select" else None


def _complement(e: Expr) -> Expr:
    return select(e.args[0], *map(_complement, e.args[1:])) if e.op == "select" else -1 - e


def not_otherwise(_: WordArithmetic, a: Word) -> Expr:
    """`~a`."""
    return -1 - a.expr


def with_all_ones(w: WordArithmetic, a: Word, b: Word) -> Expr | None:
    """`a ^ b`, where one is all ones."""
    for word, ones in ((b, a), (a, b)):
        if ones.expr.op == "const" and ones.expr.value in (-1, (1 << word.bits) - 1):
            complement: Expr = first(COMPLEMENTS, w, word)
            return complement
    return None


def xor_of_multiples(w: WordArithmetic, a: Word, b: Word) -> Expr | None:
    """`a ^ b`, where both are multiples of a power of two: that many times the one of what is left."""
    one, other = w.unsigned(a), w.unsigned(b)
    step = next((n for n in STEPS if is_multiple(one, n) and is_multiple(other, n)), 1)
    if step == 1 or "const" in (one.op, other.op):
        return None
    return xor(*(simplify(div(e, step)) for e in (one, other))) * step


def xor_otherwise(w: WordArithmetic, a: Word, b: Word) -> Expr:
    """`a ^ b`, which is a sum with a constant of which the other has no bit."""
    return exclusive(w.unsigned(a), w.unsigned(b))


def disjoint(one: Expr, other: Expr) -> bool:
    """Whether no bit can be in both.

    >>> from layoutalg.index import symbol, var
    >>> i, j, k = var("i", 2), var("j", 8), symbol("K", min=0)
    >>> [disjoint(i * 16, k * 128 + one) for one in (j * 2, j * 4, j // 2 % 2)]
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
    return simplify(mod(high, 1 << int(low.hi).bit_length())) is ZERO


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


def _large(name: str) -> Rule:
    return Rule(f"large words, {name}", function_of_large(name), None, "an operation is a function of its operands")


_A, _B, _C = number("a", 32), number("b", 32), number("c", 1)
_S, _T = number("s", 32, signed=True), number("t", 32, signed=True)
_WORDS = 1 << 32


def _disjunction(a: Expr, b: Expr) -> Expr:
    """`a | b`, for lemmas: index expressions have no operation for it."""
    return xor(xor(a, b), bitand(a, b))


CONJUNCTIONS = (
    Rule("a mask with many runs of ones", picked_by_many, None, "an operation is a function of its operands"),
    Rule(
        "a mask with a run of ones",
        with_mask,
        Lemma(bitand(_A, 0xFFFF00), mod(_A, 1 << 24) - mod(_A, 1 << 8)),
    ),
    Rule("all bits or none", all_or_nothing, Lemma(bitand(-1 * _C, _T), select(eq(-1 * _C, 0), 0, _T), bits=32)),
    _large("and"),
    Rule("the bits of both", and_otherwise, Lemma(bitand(_S, _T), bitand(mod(_S, _WORDS), mod(_T, _WORDS)), bits=32)),
)
DISJUNCTIONS = (
    Rule("a constant's bits are set", or_constant, Lemma(_disjunction(_A, _B), _A - bitand(_A, _B) + _B)),
    Rule("no bit can be in both", or_disjoint, Lemma(_disjunction(_A, _B), _A + _B, eq(bitand(_A, _B), 0))),
    _large("or"),
    Rule("a sum, less what is in both", or_otherwise, Lemma(_disjunction(_A, _B), _A + _B - bitand(_A, _B))),
)
EXCLUSIVES = (
    Rule("all ones", with_all_ones, Lemma(xor(_S, -1), -1 - _S)),
    _large("xor"),
    Rule("multiples of one power of two", xor_of_multiples, Lemma(xor(_A * 16, _B * 16), xor(_A, _B) * 16)),
    Rule("no bit is the constant's", xor_otherwise, Lemma(xor(_A, _B), _A + _B, eq(bitand(_A, _B), 0))),
)
COMPLEMENTS = (
    Rule(
        "the complement of a choice",
        not_of_choice,
        Lemma(-1 - select(eq(_C, 1), _A, _B), select(eq(_C, 1), -1 - _A, -1 - _B)),
    ),
    Rule("the complement of a number", not_otherwise, Lemma(xor(_A, _WORDS - 1), -1 - _A, bits=32)),
)
