"""What the semantics need to know of a value: the operations of machine words, whoever stands behind them.

A word has 32 or 64 bits and wraps around; a truth is one bit.  Both may hold one value for each lane, or one for all.
`+ - * & | ^ ~` on words and `& | ^ ~` on truths are Python's operators, so an entry of the table reads as AMD's
pseudocode does; what Python's operators would leave open (signedness, widths) is a method here.

| reading | word | truth |
|---|---|---|
| `isa.run.arrays` | numpy uint32 or uint64 array | numpy bool array |
| `symex.machine.arithmetic` | index expression, modulo 2ⁿ | index condition |

What it cannot represent: matrix instructions, which have their own module.
"""

from __future__ import annotations

from typing import Any, Protocol

Word = Any
Truth = Any


def width(function: str) -> int:
    """The bits of the word that a floating-point function gives: 64 of f64, else 32, with a narrow result in the low.

    A name ends with the type of arguments and result, `fma_f64`, or has both, the result's first: `f64_of_f32`.

    >>> [width(name) for name in ("fma_f64", "f64_of_i32", "i32_of_f64", "f16_of_f32", "mfma_f64_16x16x4f64[0]")]
    [64, 64, 32, 32, 32]
    """
    result = function.split("_of_")[0]
    return 64 if result == "f64" or (result == function and function.endswith("_f64")) else 32


class Values(Protocol):
    """Operations of words and truths that have no operator of their own."""

    def const(self, value: int, bits: int) -> Word:
        """A constant, taken modulo 2**bits."""

    def shl(self, word: Word, amount: Word) -> Word:
        """`word << amount`; amount is a 32-bit word less than the width."""

    def lshr(self, word: Word, amount: Word) -> Word:
        """`word >> amount`, zeros from above."""

    def ashr(self, word: Word, amount: Word) -> Word:
        """`word >> amount`, the sign from above."""

    def eq(self, left: Word, right: Word) -> Truth:
        """Equality of two words of one width."""

    def ult(self, left: Word, right: Word) -> Truth:
        """Unsigned less-than."""

    def slt(self, left: Word, right: Word) -> Truth:
        """Signed less-than."""

    def ite(self, condition: Truth, then: Word, otherwise: Word) -> Word:
        """`then` where the condition holds, else `otherwise`."""

    def zext(self, word: Word) -> Word:
        """32 bits to 64, with zeros."""

    def sext(self, word: Word) -> Word:
        """32 bits to 64, with the sign."""

    def low(self, word: Word) -> Word:
        """The low 32 of 64 bits."""

    def high(self, word: Word) -> Word:
        """The high 32 of 64 bits."""

    def pair(self, low: Word, high: Word) -> Word:
        """64 bits of two 32-bit words."""

    def overflows(self, a: Word, b: Word, result: Word, differ: bool) -> Truth:
        """Signed overflow: the result's sign is not a's, though those of a and b are alike (or `differ`)."""

    def ones_below(self, word: Word, places: Word) -> Word:
        """How many of the lowest `places` bits of a 32-bit word are set; of more than 32 places any number."""

    def lowest_one(self, word: Word) -> Word:
        """The place of the lowest bit of a word that is set, as a word of 32 bits; of 0 any number."""

    def reversed(self, word: Word) -> Word:
        """A 32-bit word with its last bit first."""

    def mul_high(self, a: Word, b: Word) -> Word:
        """The upper half of the unsigned product: one operation, so that a reading can see a division by reciprocal."""

    def function(self, name: str, *words: Word) -> Word:
        """A floating-point function of `floats`; the result is a word of `width` bits."""

    def relation(self, name: str, *words: Word) -> Truth:
        """A floating-point comparison of `floats`."""

    def add_carry(self, a: Word, b: Word, carry: Truth) -> tuple[Word, Truth]:
        """The 32-bit sum and its carry out: one operation, so that a reading can see the 64-bit sum of two."""
