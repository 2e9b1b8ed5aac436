"""Words of 64 bits as two registers: what a pair of words is, and what the sum above a carry is.

| written | read | where |
|---|---|---|
| (x mod 2³², x div 2³²) | x | both are known to be halves of one word |
| (s, s >> 31) | s, its sign extended | the upper word is known to be the lower one's sign |
| (x, 0) | x with zeros above | always |
| (x mod 2³², x div 2³² mod 2ᵏ) | x mod 2³²⁺ᵏ (k = 16 makes a base of 48 bits) | always |
| (p ? l : l', p ? h : h') | p ? (l, h) : (l', h') | one of both is known |
| a' + b' + carry(a + b) | the upper half of (a, a') + (b, b') | the carry is known to be that sum's |
| s >> 31, (s ^ t) >> 31 | 0 | s and t are seen not to be negative |
"""

from __future__ import annotations

from functools import partial

from layoutalg.index import ZERO, Expr, all_of, const, div, lt, mod, nonnegative, select, simplify, variables, xor
from layoutalg.index.bounds import in_range
from layoutalg.symex.idioms.rules import Lemma, Rule, WordArithmetic, number
from layoutalg.symex.values.modular import same_word
from layoutalg.symex.values.unknowns import kind_of
from layoutalg.symex.values.word import Bit, High, Sign, Word, are_halves

_HALF = 1 << 32


def of_one_word(_: WordArithmetic, low: Word, high: Word) -> Word | None:
    """The word whose halves these are."""
    return high.origin.of if isinstance(high.origin, High) and are_halves(low, high) else None


def with_sign(w: WordArithmetic, low: Word, high: Word) -> Word | None:
    """The lower word, its sign extended."""
    return w.sext(low) if isinstance(high.origin, Sign) and high.origin.of is low else None


def with_zeros(w: WordArithmetic, low: Word, high: Word) -> Word | None:
    """The lower word, with zeros above."""
    return w.zext(low) if high.expr is ZERO else None


def by_value(_: WordArithmetic, low: Word, high: Word) -> Word | None:
    """The word of which the values say that these are its halves."""
    found = _whole(low.expr, high.expr)
    return None if found is None else Word(found, 64, low.arithmetic)


def _whole(low: Expr, high: Expr) -> Expr | None:
    """The number, modulo 2⁶⁴, of which the upper half is this quotient; of a choice of such a choice.

    >>> from layoutalg.index import symbol, var
    >>> x, p = symbol("x", max=(1 << 64) - 1), var("p", 2)
    >>> _whole(x, mod(div(x, 1 << 32), 1 << 16)), _whole(x, div(x + 1, 1 << 32))
    (x % 281474976710656, None)
    >>> a, b = symbol("a", max=9), symbol("b", max=9)
    >>> _whole(select(p < 1, x, a), select(p < 1, div(x, 1 << 32), b))
    select(p < 1, x, b * 4294967296 + a)
    """
    if high.op == "select":
        lows = low.args[1:] if low.op == "select" and low.args[0] is high.args[0] else (low, low)
        known = [*map(_whole, lows, high.args[1:])]
        if known == [None, None]:
            return None
        sums = (simplify(mod(a, _HALF) + b * _HALF) for a, b in zip(lows, high.args[1:], strict=True))
        return select(high.args[0], *(both if one is None else one for one, both in zip(known, sums, strict=True)))
    if low.op == high.op == "const":
        return const(low.value % _HALF + high.value * _HALF)
    size = int(high.args[1].value) if high.op == "mod" and high.args[1].op == "const" else 0  # of what is left of it
    upper = high.args[0] if size else high
    if size & size - 1 or upper.op != "div" or upper.args[1] is not const(_HALF):
        return None
    whole = upper.args[0]
    if not same_word(low, whole, 32):
        return None
    return simplify(mod(whole, size * _HALF)) if size else whole


def sum_above(w: WordArithmetic, a: Word, b: Word, carry: Bit) -> Word | None:
    """The upper half of the sum of two words of 64 bits, of which these are the upper halves."""
    if carry.carry is None:
        return None
    below = carry.carry
    if are_halves(below.a, b) or are_halves(below.b, a):  # a constant stands first, above and below
        a, b = b, a
    whole = w.pair(below.a, a) + w.pair(below.b, b)
    return a.with_expr(div(mod(whole.expr, 1 << 64), 1 << 32), High(whole, below.low))


def not_negative(w: WordArithmetic, word: Word) -> Expr | None:
    """0, the sign of what is not negative, and of such xor such (division with signs asks for that of both operands).

    A solver is asked only of what is given, or where a range alone is missing.
    """
    e = simplify(word.expr)
    for part in e.args if e.op == "xor" else (e,):
        plain = nonnegative(part) or all(kind_of(v) is None for v in variables(part))
        known = w.ranges.in_range if plain else partial(in_range, given=w.ranges.given)
        if not known(part, 0, 1 << word.bits - 1):
            return None
    return ZERO


_X, _S, _T = number("x", 64), number("s", 32, signed=True), number("t", 32, signed=True)
_A, _B, _C, _D = (number(name, 32) for name in "abcd")

PAIRS = (
    Rule("the halves of one word", of_one_word, Lemma(mod(_X, _HALF) + div(_X, _HALF) * _HALF, _X, bits=64)),
    Rule(
        "a word and its sign",
        with_sign,
        Lemma(mod(_S, _HALF) + select(lt(_S, 0), _HALF - 1, 0) * _HALF, _S, bits=64),
    ),
    Rule("a word and zeros", with_zeros, Lemma(_A + mod(_C * _HALF, _HALF) * _HALF, _A)),
    Rule(
        "the halves of a base of 48 bits",
        by_value,
        Lemma(mod(_X, _HALF) + mod(div(_X, _HALF), 1 << 16) * _HALF, mod(_X, 1 << 48)),
    ),
)
SUMS = (
    Rule(
        "the upper words of a sum",
        sum_above,
        Lemma(_C + _D + div(_A + _B, _HALF), div(_A + _C * _HALF + _B + _D * _HALF, _HALF), bits=32),
    ),
)
SIGNS = (
    Rule(
        "the sign of what is not negative",
        not_negative,
        Lemma(div(xor(_S, _T), 1 << 31), ZERO, all_of(_S >= 0, _T >= 0)),
    ),
)
