"""Small functions of words that entries of several tables are made of, over any `Values`."""

from __future__ import annotations

from layoutalg.isa.semantics.values import Truth, Values, Word


def with_nonzero(w: Values, word: Word, bits: int) -> tuple[Word, Truth]:
    """A word of so many bits, and whether it is not 0: what most scalar operations write."""
    return word, ~w.eq(word, w.const(0, bits))


def never(w: Values, a: Word) -> Truth:
    """False, in the shape of the word."""
    return w.ult(a, a)


def low_bits(w: Values, word: Word, count: int) -> Word:
    """The low `count` bits of a word of 32."""
    return word & w.const((1 << count) - 1, 32)


def ones(w: Values, width: Word) -> Word:
    """Ones in the low `width` bits, width < 32."""
    return w.shl(w.const(1, 32), width) - w.const(1, 32)


def sign_extended(w: Values, word: Word, width: Word) -> Word:
    """The low `width` bits (0 to 31) as a signed number; 0 of none: up and down again, by at most 31 places at once."""
    places, one = w.const(31, 32) - width, w.const(1, 32)
    return w.ashr(w.ashr(w.shl(w.shl(word, places), one), places), one)


def sub_borrow(w: Values, a: Word, b: Word, borrow: Truth) -> tuple[Word, Truth]:
    """a − b − borrow, and whether that is less than 0."""
    total = w.zext(a) - w.zext(b) - w.ite(borrow, w.const(1, 64), w.const(0, 64))
    return w.low(total), ~w.eq(w.high(total), w.const(0, 32))
