"""What the symbolic machine computes with: words, truths and lane masks, as one lane sees them.

A *word* is an index expression equal to the machine's word modulo 2ⁿ; its operations are those of `IndexValues`.  A
*truth* is a condition.  A *mask* is a register with one bit for each lane, of which only the own one is known:

| mask             | own bit        |
|------------------|----------------|
| `a & b`, `a | b` | both, either   |
| `~a`             | not            |
| all ones, zero   | true, false    |

What it cannot represent: arithmetic on masks that mixes lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from layoutalg.device.amdgcn.conditions import settled
from layoutalg.device.amdgcn.errors import UnsupportedInstructionError
from layoutalg.index import FALSE, TRUE, Expr, all_of, any_of, conjuncts, negation, select, xor

if TYPE_CHECKING:
    from layoutalg.device.amdgcn.words import IndexValues


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

    def __and__(self, other: Word | Mask) -> Mask:
        return Mask(settled(all_of(self.own, as_mask(other).own)))

    def __or__(self, other: Word | Mask) -> Mask:
        a, b = self.own, as_mask(other).own
        return Mask(b if implies(a, b) else a if implies(b, a) else any_of(a, b))

    def __xor__(self, other: Word | Mask) -> Mask:
        a, b = self.own, as_mask(other).own
        for whole, part in ((a, b), (b, a)):
            if implies(part, whole):  # what the part has more, not
                more = all_of(*(p for p in conjuncts(part) if p not in conjuncts(whole)))
                return Mask(all_of(whole, negation(more)))
        return Mask((Bit(a) ^ Bit(b)).expr)

    def __invert__(self) -> Mask:
        return Mask(negation(self.own))

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

    def __add__(self, other: Word) -> Word:
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
        return self.with_expr(xor(self.w.unsigned(self), self.w.unsigned(other)))


def are_halves(low: Word, high: Word) -> bool:
    """Whether these are known to be the halves of one word, `high.whole`."""
    if high.whole is None or high.low_half is None:
        return False
    return low is high.low_half or (low.whole is high.whole and low.low_half is None)


def as_mask(word: Word | Mask) -> Mask:
    """A mask, also where it is written as a word: all ones, zero, or a choice of the two."""
    if isinstance(word, Mask):
        return word
    e = word.expr
    if e.op == "const" and e.value in (0, -1, (1 << word.bits) - 1):
        return Mask(TRUE if e.value else FALSE)
    if e.op == "select":
        then, otherwise = (as_mask(word.with_expr(part)).own for part in e.args[1:])
        return Mask(any_of(all_of(e.args[0], then), all_of(negation(e.args[0]), otherwise)))
    raise NotReadable(f"{e} as a lane mask")


def is_mask(word: Word | Mask) -> bool:
    """Whether the word can be read as a mask."""
    try:
        as_mask(word)
    except NotReadable:
        return False
    return True


def implies(stronger: Expr, weaker: Expr) -> bool:
    """Whether every part of the weaker condition is one of the stronger."""
    return weaker is TRUE or stronger is FALSE or set(conjuncts(weaker)) <= set(conjuncts(stronger))


def excludes(one: Expr, other: Expr) -> bool:
    """Whether a part of one condition is the negation of parts of the other."""
    return any(
        any(implies(a, negation(part)) for part in conjuncts(b) if part is not TRUE)
        for a, b in ((one, other), (other, one))
    )
