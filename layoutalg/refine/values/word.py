"""What the symbolic machine computes with: words, truths and lane masks, as one lane sees them.

A *word* is an index expression equal to the machine's word modulo 2ⁿ; its operations are those of `IndexValues`.  A
*truth* is a condition.  A *mask* is a register with one bit for each lane, of which only the own one is known:

| mask             | own bit        |
|------------------|----------------|
| `a & b`, `a | b` | both, either   |
| `~a`             | not            |
| all ones, zero   | true, false    |

A register of a wave of 64 lanes holds a half of a mask, and which: the bit is the own one in one of the halves only.

What it cannot represent: arithmetic on masks that mixes lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.index import FALSE, TRUE, Expr, all_of, any_of, conjuncts, negation, select
from layoutalg.index.conditions import said, settled
from layoutalg.refine.values.unknowns import is_unknown

if TYPE_CHECKING:
    from layoutalg.refine.symbolic.arithmetic import IndexValues


class NotReadable(UnsupportedInstructionError):
    """A word that the symbolic reading cannot follow."""


@dataclass(frozen=True, eq=False)
class Bit:
    """A truth."""

    expr: Expr
    carry_of: tuple[Word, Word] | None = None  # the carry out of this sum of low halves

    def __and__(self, other: Bit) -> Bit:
        return Bit(all_of(self.expr, other.expr))

    def __or__(self, other: Bit) -> Bit:
        return Bit(any_of(self.expr, other.expr))

    def __xor__(self, other: Bit) -> Bit:
        a, b = self.expr, other.expr
        return Bit(any_of(all_of(a, negation(b)), all_of(negation(a), b)))

    def __invert__(self) -> Bit:
        return Bit(negation(self.expr))


@dataclass(frozen=True, eq=False)
class Mask:
    """A lane mask, as the one lane sees it."""

    own: Expr
    carry_of: tuple[Word, Word] | None = None  # where `guard` holds, the bit is the carry of this sum
    guard: Expr = TRUE
    half: int | None = None  # 0 or 1: only that half of the lanes' bits

    def having(self, own: Expr, *others: Mask) -> Mask:
        """A mask with this bit, made of this one and of others: all of one half, if they are halves."""
        halves = {mask.half for mask in (self, *others) if mask.half is not None}
        if len(halves) > 1:
            raise NotReadable("the lower half of a mask with an upper half")
        return Mask(own, half=next(iter(halves), None))

    @property
    def halves(self) -> tuple[Mask, Mask]:
        """The lower and the upper half of a mask of 64 lanes."""
        if self.half is not None:
            raise NotReadable("half a mask as a whole one")
        lower, upper = (Mask(self.own, self.carry_of, self.guard, half) for half in (0, 1))
        return lower, upper

    def __and__(self, other: Word | Mask) -> Mask:
        other = as_mask(other)
        return self.having(settled(both(self.own, other.own)), other)

    def __or__(self, other: Word | Mask) -> Mask:
        other = as_mask(other)
        return self.having(either(self.own, other.own), other)

    def __xor__(self, other: Word | Mask) -> Mask:
        other = as_mask(other)
        a, b = self.own, other.own
        for whole, part in ((a, b), (b, a)):
            if implies(part, whole):  # what the part has more, not
                more = all_of(*(p for p in conjuncts(part) if p not in conjuncts(whole)))
                return self.having(all_of(whole, negation(more)), other)
        return self.having((Bit(a) ^ Bit(b)).expr, other)

    def __invert__(self) -> Mask:
        return self.having(negation(self.own))

    @property
    def expr(self) -> Expr:
        """A mask has no value that one lane knows."""
        raise NotReadable("a lane mask used as a number")

    bits = whole = sign_of = low_half = with_expr = expr

    def __add__(self, other: object) -> Mask:
        raise NotReadable("arithmetic on a lane mask")

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __add__


@dataclass(frozen=True, eq=False)
class Word:
    """A representative of a word of 32 or 64 bits; and, of a half, the whole that it is a half of."""

    w: IndexValues
    expr: Expr
    bits: int
    whole: Word | None = None
    low_half: Word | None = None  # of an upper half: the lower half that belongs to it
    sign_of: Word | None = None  # all bits are this word's sign
    extends: Word | None = None  # the 32-bit word that this is, with zeros above
    factors: tuple[Word, Word] | None = None  # this is the whole product of two 32-bit words

    def with_expr(self, expr: Expr) -> Word:
        """Another word of this width."""
        return Word(self.w, expr, self.bits)

    def alike(self, other: Word) -> bool:
        """Whether the same is known of both: their value, and how it came about."""
        mine, others = ((w.whole, w.low_half, w.sign_of, w.extends, *(w.factors or ())) for w in (self, other))
        return self is other or (
            (self.expr is other.expr and self.bits == other.bits and len(mine) == len(others))
            and all(a is b or (a and b and a.alike(b)) for a, b in zip(mine, others, strict=True))
        )

    def either(self, other: Word) -> Word:
        """The word, where another of the same value may be there instead: how it came about is known of both or lost.

        What is known under one condition (that all bits are another word's sign, say) need not hold of the other.
        """
        return self if self.alike(other) else self.with_expr(self.expr)

    def __add__(self, other: Word) -> Word:
        """The sum; with 0 added a word is itself, and stays what it is known to be: a whole product, say."""
        if FALSE in (self.expr, other.expr):
            return self if other.expr is FALSE else other
        return self.with_expr(self.expr + other.expr)

    def __sub__(self, other: Word) -> Word:
        return self.with_expr(self.expr - other.expr)

    def __mul__(self, other: Word) -> Word:
        factors = (self.extends, other.extends) if self.extends and other.extends else None
        return Word(self.w, self.expr * other.expr, self.bits, factors=factors)

    def __invert__(self) -> Word:
        if self.expr.op == "select":  # a mask written as a word stays a choice of all ones and zero
            condition, *ways = self.expr.args
            return self.with_expr(select(condition, *(-1 - way for way in ways)))
        return self.with_expr(-1 - self.expr)

    def __and__(self, other: Word | Mask) -> Word | Mask:
        return other & self if isinstance(other, Mask) else self.with_expr(self.w.conjunction(self, other))

    def __or__(self, other: Word | Mask) -> Word | Mask:
        return other.__or__(self) if isinstance(other, Mask) else self.with_expr(self.w.disjunction(self, other))

    def __xor__(self, other: Word | Mask) -> Word | Mask:
        if isinstance(other, Mask):
            return other ^ self
        for one, flipped in ((self, other), (other, self)):
            if one.expr.op == "const" and one.expr.value in (-1, (1 << self.bits) - 1):
                return ~flipped
        return self.with_expr(self.w.exclusive(self, other))


def are_halves(low: Word, high: Word) -> bool:
    """Whether these are known to be the halves of one word, `high.whole`."""
    if high.whole is None or high.low_half is None:
        return False
    return low is high.low_half or (low.whole is high.whole and low.low_half is None)


def as_mask(word: Word | Mask) -> Mask:
    """A mask; of a number that is not seen to be one, the own bit is an unknown."""
    if isinstance(word, Mask):
        return word
    own = own_bit(word)
    return Mask(word.w.fresh_bit() if own is None else own)


def own_bit(word: Word) -> Expr | None:
    """The bit of a mask that is written as a word: all ones, zero, or a choice of the two; None of other words."""
    return _bit_of(word.expr, word.bits)


@lru_cache(maxsize=1 << 14)
def _bit_of(e: Expr, bits: int) -> Expr | None:
    if e.op == "const" and e.value in (0, -1, (1 << bits) - 1):
        return TRUE if e.value else FALSE
    if e.op == "select":
        then, otherwise = (_bit_of(part, bits) for part in e.args[1:])
        if then is not None and otherwise is not None:
            return any_of(all_of(e.args[0], then), all_of(negation(e.args[0]), otherwise))
    return None


def is_mask(word: Word | Mask) -> bool:
    """Whether the word can be read as a mask whose bit is known, or need not be: nobody knows what it is."""
    if isinstance(word, Mask) or own_bit(word) is not None:
        return True
    return is_unknown(word.expr)


def both(one: Expr, other: Expr) -> Expr:
    """Both conditions, without choices of which a part is known, and false where one denies the other."""
    if excludes(one, other):
        return FALSE
    other = _absorbed(other, one)
    return all_of(_absorbed(one, other), other)


def either(one: Expr, other: Expr) -> Expr:
    """One of two conditions: the weaker where the other implies it; what they share where else one denies the other."""
    if implies(one, other):
        return other
    if implies(other, one):
        return one
    shared = [part for part in conjuncts(one) if part in conjuncts(other)]
    mine, others = (all_of(*(part for part in conjuncts(e) if part not in shared)) for e in (one, other))
    return all_of(*shared) if negation(mine) is others or negation(others) is mine else any_of(one, other)


def _absorbed(e: Expr, given: Expr) -> Expr:
    """The condition without `p or q` where p is given: `p and (p or q)` is p."""
    rest = (part for part in conjuncts(e) if not (part.op == "any" and any(implies(given, p) for p in part.args)))
    return all_of(*rest)


def implies(stronger: Expr, weaker: Expr) -> bool:
    """Whether every part of the weaker condition is one of the stronger."""
    return weaker is TRUE or stronger is FALSE or weaker is stronger or said(weaker) <= said(stronger)


def excludes(one: Expr, other: Expr) -> bool:
    """Whether a part of one condition is the negation of parts of the other."""
    return any(
        any(implies(a, negation(part)) for part in conjuncts(b) if part is not TRUE)
        for a, b in ((one, other), (other, one))
    )
