"""What a rule on machine code's idioms is: what compilers write, what it comes to, where, and why.

As in LLVM's InstCombine, each operation has its rules in one order, of which the first that matches is taken; `table`
has all of them.  A rule's lemma is an equation of index expressions, which the tests have z3 prove:

    written     x · 715827883 div 2³²
    read        x div 6
    where       x < 2³¹

What no solver can show has a source instead, and is tried on many numbers.
What it cannot represent: rules that look at more than one operation's operands; these are the normal form's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from layoutalg.index import TRUE, Expr, mod, symbol
from layoutalg.records import dataclass
from layoutalg.symex.values.ranges import Ranges
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.unknowns import Kind
from layoutalg.symex.values.word import Word


@dataclass(frozen=True)
class Lemma:
    """`written` is `read` where `where` holds: as integers, or as words of so many bits."""

    written: Expr
    read: Expr
    where: Expr = TRUE
    bits: int | None = None


@dataclass(frozen=True)
class Rule:
    """What an operation comes to: `matches` gives it, or None of operands that the rule is not for."""

    name: str
    matches: Callable[..., Any]
    lemma: Lemma | None
    source: str = ""  # who says so, where there is no lemma

    def __post_init__(self) -> None:
        if (self.lemma is None) != bool(self.source):
            raise ValueError(f"the rule {self.name} has a lemma or a source")


def first(rules: Sequence[Rule], *operands: Any) -> Any:
    """What the first rule that matches makes of the operands; None where none does."""
    return next((found for rule in rules if (found := rule.matches(*operands)) is not None), None)


class WordArithmetic(Protocol):
    """What rules ask of the arithmetic whose operation they read."""

    @property
    def ranges(self) -> Ranges:
        """What is assumed, and which numbers are in range then."""

    @property
    def functions(self) -> UninterpretedFunctions:
        """The results of functions, and what is known of them."""

    def word(self, expr: Expr | int, bits: int = 32) -> Word:
        """A word with this representative."""

    def unsigned(self, word: Word) -> Expr:
        """Its value in 0 … 2ⁿ − 1."""

    def signed(self, word: Word) -> Expr:
        """Its value in −2ⁿ⁻¹ … 2ⁿ⁻¹ − 1."""

    def zext(self, word: Word) -> Word:
        """The unsigned value in 64 bits."""

    def sext(self, word: Word) -> Word:
        """The signed value in 64 bits."""

    def pair(self, low: Word, high: Word) -> Word:
        """The word of 64 bits of two."""

    def unknown_of(self, name: str, limit: int, *of: Expr, kind: Kind = ...) -> Expr:
        """The one unknown of this name that belongs to these expressions."""


def at_least_one(d: Expr) -> Expr:
    """A divisor that is in 1 … 2³² where it matters, as one that always is.

    >>> at_least_one(number("d", 8)), at_least_one(symbol("N"))
    ((d - 1) % 4294967296 + 1, N)
    """
    return d if d.lo >= 1 else mod(d - 1, 1 << 32) + 1


def number(name: str, bits: int, *, signed: bool = False) -> Expr:
    """Any number of so many bits, for lemmas.

    >>> number("x", 8).hi, number("s", 8, signed=True).lo
    (255, -128)
    """
    return symbol(name, min=-(1 << bits - 1) if signed else 0, max=(1 << bits - signed) - 1)
