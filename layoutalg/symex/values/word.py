"""What the symbolic machine computes with: words, truths and lane masks, as one lane sees them.

A *word* is one value of three fields; that nothing wrote it is said by the `unknowns` in its expression:

| field | says |
|---|---|
| `expr` | an index expression equal to the machine's word modulo 2ⁿ |
| `bits` | n: 32 or 64 |
| `origin` | how it came about, where that says more than the expression does |

| origin | the word is | so that |
|---|---|---|
| `Low(of)`, `High(of, low)` | a half of a word of 64 bits; `low` is the other | the pair of both is that word |
| `Pair(low, high)` | the word of 64 bits of two | its halves are those words |
| `Sign(of)` | 32 times this word's sign | the pair of both is the word, its sign extended |
| `ZeroExtended(of)` | a word of 32 bits with zeros above | a product of two is a `Product` |
| `Product(a, b)` | the whole product of two words of 32 bits | its upper half may be a step of a division |
| `Carry(a, b, low)` (of a truth) | the carry of a + b, whose 32 bits are `low` | the sum above is the upper half |

A *truth* is a condition.  A *mask* is a register with one bit for each lane, of which only the own one is known:

| mask             | own bit        |
|------------------|----------------|
| `a & b`, `a | b` | both, either   |
| `~a`             | not            |
| all ones, zero   | true, false    |

A register of a wave of 64 lanes holds a half of a mask, and which: the bit is the own one in one of the halves only.
A block that does not fill its waves leaves lanes without a thread.  The own lane has one; but a mask has bits of the
others too, and they count where the wave asks whether any lane has a bit.  So of such a wave a bit is a function of
OCCUPIED: of the own lane where that is true, and where it is false of some lane that has no thread.

| mask | lane with a thread | without |
|---|---|---|
| EXEC at entry: OCCUPIED | true | false |
| what is compared where EXEC says so: OCCUPIED and c | c | false |
| `~EXEC` | false | true |

As a number a mask is one unknown, which all lanes of the wave have alike (`WaveUnknowns.bits_as_number`).
What it cannot represent: which lanes' bits are in such a number.
"""

from __future__ import annotations

import math
from dataclasses import field, replace
from functools import lru_cache
from typing import Protocol

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, any_of, eq, negation, simplify, substitute, var, variables
from layoutalg.index.conditions import conjunction, disjunction, implies
from layoutalg.records import dataclass
from layoutalg.symex.values.unknowns import Kind, is_unknown, kind_of

#: Binary digits of a product's numbers at most: those of 13 squares of squares of a word of 32.
_MOST_DIGITS = 1 << 18

#: Whether the lane that a bit is of has a thread, and the variable that says so.
HAS_THREAD = var("has thread", 2)
OCCUPIED = eq(HAS_THREAD, 1)


class NotReadable(UnsupportedInstructionError):
    """A word that the symbolic reading cannot follow."""


@dataclass(frozen=True, eq=False)
class Bit:
    """A truth."""

    expr: Expr
    carry: Carry | None = None

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
    carry: Carry | None = None  # where `guard` holds
    guard: Expr = TRUE
    half: int | None = None  # 0 or 1: only that half of the lanes' bits

    @property
    def threads(self) -> Expr:
        """The bit, of a lane that has a thread."""
        return _of_lanes(self.own, 1)

    @property
    def vacant(self) -> Expr:
        """The bit, of a lane that has none."""
        return _of_lanes(self.own, 0)

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
        lower, upper = (Mask(self.own, self.carry, self.guard, half) for half in (0, 1))
        return lower, upper

    def __and__(self, other: Word | Mask) -> Mask:
        other = as_mask(other)
        return self.having(conjunction(self.own, other.own), other)

    def __or__(self, other: Word | Mask) -> Mask:
        other = as_mask(other)
        return self.having(disjunction(self.own, other.own), other)

    def __xor__(self, other: Word | Mask) -> Mask:
        other = as_mask(other)
        a, b = self.own, other.own
        for whole, part in ((a, b), (b, a)):
            if implies(part, whole):
                return self.having(conjunction(whole, negation(part)), other)
        return self.having((Bit(a) ^ Bit(b)).expr, other)

    def __invert__(self) -> Mask:
        return self.having(negation(self.own))

    @property
    def expr(self) -> Expr:
        """A mask has no value that one lane knows."""
        raise NotReadable("a lane mask used as a number")

    bits = origin = with_expr = expr

    def __add__(self, other: Word) -> Word:
        return _arithmetic(other).number(self) + other

    def __sub__(self, other: Word) -> Word:
        return _arithmetic(other).number(self) - other

    def __mul__(self, other: Word) -> Word:
        return _arithmetic(other).number(self) * other


def _arithmetic(other: Word | Mask) -> Bitwise:
    """Who knows what number a mask beside this word is."""
    if isinstance(other, Mask):
        raise NotReadable("arithmetic on two lane masks")
    return other.arithmetic


@lru_cache(maxsize=1 << 14)
def _of_lanes(own: Expr, has_thread: int) -> Expr:
    return simplify(substitute(own, {HAS_THREAD: has_thread})) if HAS_THREAD in variables(own) else own


class Bitwise(Protocol):
    """The operations of words that need to know of their values."""

    def bitwise(self, operation: str, *words: Word) -> Expr:
        """`and`, `or`, `xor` of two words, `not` of one."""

    def bit_of(self, word: Word) -> Expr | None:
        """The own lane's bit of a word that is a mask of few lanes; None where that is not seen."""

    def lane_bit(self, *held: Expr, kind: Kind = ...) -> Expr:
        """A new unknown bit of a mask."""

    def number(self, word: Word | Mask) -> Word:
        """A word, or the number that a mask is."""


@dataclass(frozen=True, eq=False)
class Word:
    """A representative of a word of 32 or 64 bits, and how it came about."""

    expr: Expr
    bits: int
    arithmetic: Bitwise = field(repr=False)
    origin: Origin | None = None

    def with_expr(self, expr: Expr, origin: Origin | None = None) -> Word:
        """Another word of this width."""
        return replace(self, expr=expr, origin=origin)

    def alike(self, other: Word) -> bool:
        """Whether the same is known of both: their value, and how it came about."""
        if self is other or self.expr is not other.expr or self.bits != other.bits:
            return self is other
        mine, others = self.origin, other.origin
        return type(mine) is type(others) and all(a.alike(b) for a, b in zip(parts(mine), parts(others), strict=True))

    def join(self, other: Word) -> Word:
        """The word, where another of the same value may be there instead: how it came about is known of both or lost.

        What is known under one condition (that all bits are another word's sign, say) need not hold of the other.
        """
        return self if self.alike(other) else self.with_expr(self.expr)

    def __add__(self, other: Word | Mask) -> Word:
        """The sum; with 0 added a word is itself, and stays what it is known to be: a whole product, say."""
        other = self.arithmetic.number(other)
        if ZERO in (self.expr, other.expr):
            return self if other.expr is ZERO else other
        return self.with_expr(self.expr + other.expr)

    def __sub__(self, other: Word | Mask) -> Word:
        return self.with_expr(self.expr - self.arithmetic.number(other).expr)

    def __mul__(self, other: Word | Mask) -> Word:
        other = self.arithmetic.number(other)
        a, b = self.origin, other.origin
        product = Product(a.of, b.of) if isinstance(a, ZeroExtended) and isinstance(b, ZeroExtended) else None
        if _digits(self.expr) + _digits(other.expr) > _MOST_DIGITS:
            raise UnsupportedInstructionError("a product of products, whose numbers are too long to follow")
        return self.with_expr(self.expr * other.expr, product)

    def __invert__(self) -> Word:
        return self.with_expr(self.arithmetic.bitwise("not", self))

    def __and__(self, other: Word | Mask) -> Word | Mask:
        return other & self if isinstance(other, Mask) else self.with_expr(self.arithmetic.bitwise("and", self, other))

    def __or__(self, other: Word | Mask) -> Word | Mask:
        if isinstance(other, Mask):
            return other.__or__(self)
        return self.with_expr(self.arithmetic.bitwise("or", self, other))

    def __xor__(self, other: Word | Mask) -> Word | Mask:
        if isinstance(other, Mask):
            return other ^ self
        return self.with_expr(self.arithmetic.bitwise("xor", self, other))


def _digits(e: Expr) -> int:
    """The binary digits of an expression's greatest number; 0 where it has none."""
    most = max(abs(e.lo), abs(e.hi))
    return 0 if most == math.inf else int(most).bit_length()


@dataclass(frozen=True)
class Low:
    """The lower half of this word."""

    of: Word


@dataclass(frozen=True)
class High:
    """The upper half of this word, with a word that is its lower half."""

    of: Word
    low: Word


@dataclass(frozen=True)
class Pair:
    """The word whose halves these are."""

    low: Word
    high: Word


@dataclass(frozen=True)
class Sign:
    """This word's sign in all bits."""

    of: Word


@dataclass(frozen=True)
class ZeroExtended:
    """This word of 32 bits, with zeros above."""

    of: Word


@dataclass(frozen=True)
class Product:
    """The whole product of two words of 32 bits."""

    a: Word
    b: Word


@dataclass(frozen=True)
class Carry:
    """The carry out of a sum of two words of 32 bits; `low` is the sum."""

    a: Word
    b: Word
    low: Word


Origin = Low | High | Pair | Sign | ZeroExtended | Product


def parts(origin: Origin | None) -> tuple[Word, ...]:
    """The words of an origin, in order."""
    return tuple(vars(origin).values()) if origin is not None else ()


def are_halves(low: Word, high: Word) -> bool:
    """Whether these are known to be the halves of one word, `high.origin.of`."""
    if not isinstance(high.origin, High):
        return False
    return low is high.origin.low or (isinstance(low.origin, Low) and low.origin.of is high.origin.of)


def as_mask(word: Word | Mask) -> Mask:
    """A mask; of a number that is not seen to be one, the own bit is an unknown."""
    if isinstance(word, Mask):
        return word
    own = own_bit(word)
    own = word.arithmetic.bit_of(word) if own is None else own
    unwritten = any(kind_of(v) is Kind.UNDEFINED for v in variables(word.expr))
    return Mask(word.arithmetic.lane_bit(kind=Kind.UNDEFINED if unwritten else Kind.ANY) if own is None else own)


def own_bit(word: Word) -> Expr | None:
    """The bit of a mask that is written as a word: all ones, zero, or a choice of the two; None of other words."""
    return _bit_of(word.expr, word.bits)


@lru_cache(maxsize=1 << 14)
def _bit_of(e: Expr, bits: int) -> Expr | None:
    if e.op == "const" and (e.value + 1) % (1 << bits) < 2:
        return TRUE if e.value % (1 << bits) else FALSE
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
