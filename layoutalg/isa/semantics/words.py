"""Small functions of words that entries of several tables are made of, over any `Values`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations, product
from operator import and_, or_, xor
from typing import Any

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.semantics.entries import Effect
from layoutalg.isa.semantics.values import Truth, Values, Word

Order = Callable[[Word, Word], Truth]
"""Whether one word is less than another, with signs or without."""


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


def sign_extended(w: Values, word: Word, width: Word, bits: int = 32) -> Word:
    """The low `width` bits, less than all, as a signed number; 0 of none: up and down again, never by all at once."""
    places, one = w.const(bits - 1, 32) - width, w.const(1, 32)
    return w.ashr(w.ashr(w.shl(w.shl(word, places), one), places), one)


def sub_borrow(w: Values, a: Word, b: Word, borrow: Truth) -> tuple[Word, Truth]:
    """a − b − borrow, and whether that is less than 0."""
    total = w.zext(a) - w.zext(b) - w.ite(borrow, w.const(1, 64), w.const(0, 64))
    return w.low(total), ~w.eq(w.high(total), w.const(0, 32))


def signed16(w: Values, word: Word) -> Word:
    """The low 16 bits as a signed number."""
    return w.ashr(w.shl(word, w.const(16, 32)), w.const(16, 32))


def repeated(pattern: int, step: int, bits: int) -> int:
    """A constant that has a pattern every so many bits.

    >>> hex(repeated(1, 4, 32))
    '0x11111111'
    """
    return sum(pattern << k for k in range(0, bits, step))


def lesser(w: Values, a: Word, b: Word, less: Order) -> Word:
    """The smaller of two."""
    return w.ite(less(a, b), a, b)


def greater(w: Values, a: Word, b: Word, less: Order) -> Word:
    """The larger of two."""
    return w.ite(less(a, b), b, a)


def least(w: Values, a: Word, b: Word, c: Word, less: Order) -> Word:
    """The smallest of three."""
    return lesser(w, lesser(w, a, b, less), c, less)


def greatest(w: Values, a: Word, b: Word, c: Word, less: Order) -> Word:
    """The largest of three."""
    return greater(w, greater(w, a, b, less), c, less)


def median(w: Values, a: Word, b: Word, c: Word, less: Order) -> Word:
    """The middle one of three."""
    return greater(w, lesser(w, a, b, less), lesser(w, greater(w, a, b, less), c, less), less)


def truth_table(w: Values, a: Word, b: Word, c: Word, *, neg: int = 0, abs: int = 0, omod: int = 0) -> Word:
    """V_BITOP3: bit 4a + 2b + c of the table is the result.

    One of two operations is computed so, which compilers made it of; others as the exclusive or of products of sources.
    """
    table = omod << 6 | abs << 3 | neg
    if table in _OF_OPERATIONS:
        outer, first, inner, *others = _OF_OPERATIONS[table]
        x, (y, z) = (a, b, c)[first], ((a, b, c)[k] for k in others)
        return outer(x, inner(y, z))
    total = w.const(0, 32)
    for term_of in range(8):
        parts = [k for k in range(8) if k & ~term_of == 0]  # the product occurs when an odd number of these is set
        if sum(table >> k & 1 for k in parts) % 2:
            term = w.const(-1, 32)
            for bit, source in ((4, a), (2, b), (1, c)):
                term = term & source if term_of & bit else term
            total = total ^ term
    return total


def _of_operations() -> Mapping[int, tuple[Any, int, Any, int, int]]:
    """Table → the operations that it is: which, of the source of which number, and what which makes of which two.

    >>> [name.__name__ for name in _of_operations()[0x36] if callable(name)]
    ['xor', 'or_']
    """
    sources = 0xF0, 0xCC, 0xAA
    found: dict[int, tuple[Any, int, Any, int, int]] = {}
    for outer, inner, (first, second, third) in product((and_, or_, xor), (or_, and_, xor), permutations(range(3))):
        table = outer(sources[first], inner(sources[second], sources[third]))
        found.setdefault(table, (outer, first, inner, second, third))
        of_two = outer(sources[first], sources[second])
        found[of_two] = outer, first, and_, second, second  # what is of two alone is told so
    return found


_OF_OPERATIONS = _of_operations()


def truth_table_of_two(w: Values, a: Word, b: Word, *, bitop3: int = 0) -> Word:
    """V_DUAL_BITOP2_B32: the table of V_BITOP3 whose third source is 0 (LLVM, getBitOp2: 0x40 for V_AND_B32).

    UnsupportedInstructionError for a table with places where the third source is 1: of those no source speaks.
    """
    if bitop3 & 0xAA:
        raise UnsupportedInstructionError(f"V_BITOP2_B32 with the table {bitop3:#x}, which asks a third source")
    table = bitop3 | bitop3 << 1  # whatever the third source is
    return truth_table(w, a, b, w.const(0, 32), neg=table & 7, abs=table >> 3 & 7, omod=table >> 6)


def clamped_or_not(plain: Effect, clamped: Effect) -> Effect:
    """A function that the bit for clamping chooses: of integers it keeps a result at the ends of their range.

    (ISA manuals, VOP3, CLMP; LLVM selects them for sums and differences that saturate.)
    """
    return lambda w, *words, clmp=0: (clamped if clmp else plain)(w, *words)


def sum_at_most(w: Values, a: Word, b: Word) -> Word:
    """The sum of unsigned words, all ones where it is too large."""
    return w.ite(w.ult(a + b, a), w.const(-1, 32), a + b)


def difference_at_least(w: Values, a: Word, b: Word) -> Word:
    """The difference of unsigned words, 0 where it is less."""
    return w.ite(w.ult(a, b), w.const(0, 32), a - b)


def kept_in_range(w: Values, a: Word, result: Word, over: Truth) -> Word:
    """A signed result; where it is over the range, the end of it that is on the side of a."""
    end = w.ite(w.slt(a, w.const(0, 32)), w.const(1 << 31, 32), w.const((1 << 31) - 1, 32))
    return w.ite(over, end, result)
