"""The symbolic reading of `Values`: a word is an index expression, equal to the machine's word modulo 2ⁿ.

Sums, differences, products and left shifts of representatives represent the results, so they cost nothing and lose
nothing. Where the machine looks at a word's value (a comparison, a right shift, an extension) a representative in
range is needed: ranges and the normal form give most, the prover the rest (under the instruction's condition), and
what is not in range is cut explicitly, `e mod 2ⁿ`.

| operation | reading |
|---|---|
| `a + b`, `a − b`, `a · b`, `a << k` | on representatives |
| `a >> k`, extension, order | on the unsigned or signed value |
| `a & (2ᵏ − 1)` | `a mod 2ᵏ`, of any representative |
| `a \\| b` | `a + b` where no bit can be in both, else `a + b − (a & b)` |
| the halves of a 64-bit word | remembered as such, so that a pair of halves is the word again |

What it cannot represent: what shifts by an amount that is not constant make, but that a shift to the right makes no
more of a word; and whether any *other* lane has a bit.
"""

from __future__ import annotations

from typing import Any

from layoutalg.index import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    as_expr,
    const,
    div,
    eq,
    mod,
    negation,
    simplify,
)
from layoutalg.index.bounds import in_range
from layoutalg.index.conditions import assuming
from layoutalg.index.orders import less
from layoutalg.isa.semantics.values import width
from layoutalg.symex.idioms import reciprocal, short_division
from layoutalg.symex.idioms.division import shifted
from layoutalg.symex.idioms.floats import choice
from layoutalg.symex.idioms.rules import first
from layoutalg.symex.idioms.table import RULES
from layoutalg.symex.machine.orders import KnownOrder, OrderWatch
from layoutalg.symex.machine.uniform import UniformUnknowns
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.values.modular import cut, representative, same_word, without_unwritten_multiples
from layoutalg.symex.values.ranges import Decide, Ranges
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.unknowns import Kind, arguments_of, function_of
from layoutalg.symex.values.word import (
    Bit,
    Carry,
    High,
    Low,
    Mask,
    NotReadable,
    Pair,
    Product,
    Sign,
    Word,
    ZeroExtended,
    as_mask,
    own_bit,
)  # fmt: skip

#: What the errors of estimated quotients are called, and what is assumed of them.
ESTIMATES = {
    reciprocal.ERROR: reciprocal.ASSUMPTION,
    short_division.SHORT_ERROR: short_division.ASSUMPTION,
}

#: A wave of which nothing is said.
UNSAID = Wave()


class IndexValues(UniformUnknowns):
    """Words as index expressions, which `ranges` says to be in range or not."""

    def __init__(
        self, decide: Decide, always: Expr = TRUE, functions: UninterpretedFunctions | None = None, wave: Wave = UNSAID
    ) -> None:
        """`always` may be assumed of every instruction."""
        super().__init__(wave)
        self.ranges = Ranges(decide, always)
        self.functions = UninterpretedFunctions() if functions is None else functions
        self.orders: OrderWatch | KnownOrder | None = None  # who looks at scalars of blocks

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was seen rests on these: divisions by reciprocals."""
        return tuple(said for name, said in ESTIMATES.items() if name in self.names)

    def congruent(self, one: Expr, other: Expr, bits: int) -> bool:
        """Whether two representatives are of one word, as far as can be shown."""
        return same_word(one, other, bits) or self.ranges.decide(eq(mod(one - other, 1 << bits), 0), self.ranges.always)

    def fresh_word(self) -> Word:
        """A word that nothing wrote."""
        return self.word(self.undefined())

    def unknown_word(self, *of: Expr, bits: int = 32) -> Word:
        """A word of which no more is known than what it is made of; nothing is refuted by a value that it may have."""
        return self.word(self.fresh("any", 1 << bits, Kind.ANY, "", *of), bits)

    def bit_of(self, word: Word) -> Expr | None:
        """The own lane's bit of a word that is a whole mask: of `1 << n`, whether it is lane n; of its complement."""
        e = simplify(word.expr)
        flipped = simplify(-1 - e) if e.op != "var" else e
        function, made_of = function_of(flipped), arguments_of(flipped)
        if word.bits != self.wave.size or function != "shl" or made_of[0] is not ONE:
            return None
        own: Expr = eq(self.wave.lane, made_of[1])
        if self.wave.occupied is not TRUE:
            own = any_of(all_of(self.wave.occupied, own), all_of(negation(self.wave.occupied), self.fresh_bit()))
        return own if flipped is e else negation(own)

    def word(self, expr: Expr | int, bits: int = 32) -> Word:
        """A word with this representative."""
        return Word(as_expr(expr), bits, self)

    def scalar(self, word: Word) -> Word:
        """A scalar word, which an index of its own stands for where it tells the blocks in another order."""
        e = word.expr if self.orders is None or word.bits != 32 else self.orders.named(word.expr)
        return word if e is word.expr else self.word(e)

    def number(self, word: Word | Mask) -> Word:
        """The word, or the number that a mask is."""
        if isinstance(word, Word):
            return word
        return self.word(self.bits_as_number(word), 32 if word.half is not None else self.wave.size)

    # Values in range

    def unsigned(self, word: Word) -> Expr:
        """The word's value in 0 … 2ⁿ − 1."""
        return self.ranges.cut(word.expr, word.bits, 0)

    def signed(self, word: Word) -> Expr:
        """The word's value in −2ⁿ⁻¹ … 2ⁿ⁻¹ − 1."""
        return self.ranges.cut(word.expr, word.bits, -(1 << word.bits - 1))

    # The operations of `Values`

    def const(self, value: int, bits: int) -> Word:
        """The representative nearest to 0."""
        value %= 1 << bits
        return self.word(value - (1 << bits) if value >> bits - 1 else value, bits)

    def shl(self, word: Word | Mask, amount: Word | Mask) -> Word:
        """A product; of what nothing wrote only what is not shifted out."""
        word, amount = self.number(word), self.number(amount)
        if simplify(amount.expr).op != "const":
            return self._shifted("shl", word, amount, (1 << word.bits) - 1)
        return word.with_expr(without_unwritten_multiples(word.expr * (1 << self._constant(amount)), word.bits))

    def lshr(self, word: Word | Mask, amount: Word | Mask) -> Word:
        """A quotient of the unsigned value."""
        word, amount = self.number(word), self.number(amount)
        if simplify(amount.expr).op != "const":
            return self._shifted("lshr", word, amount, self.unsigned(word).hi)
        places = self._constant(amount)
        found = simplify(shifted(self.unsigned(word), places, self.ranges.given))
        below = 1 << max(word.bits - places, 0)
        if not 0 <= found.lo <= found.hi < below:  # as a difference of remainders its range is not seen
            self.ranges.limit(found, below)
        return word.with_expr(found)

    def ashr(self, word: Word | Mask, amount: Word | Mask) -> Word:
        """A quotient of the signed value; of the last bit, the sign."""
        word, amount = self.number(word), self.number(amount)
        if simplify(amount.expr).op != "const":
            return self._shifted_signed(word, amount)
        places = self._constant(amount)
        if places < word.bits - 1:
            return word.with_expr(shifted(self.signed(word), places, self.ranges.given))
        sign: Expr | None = first(RULES["sign"], self, word)
        sign = shifted(self.signed(word), places, self.ranges.given) if sign is None else sign
        return word.with_expr(sign, Sign(word))

    def _shifted(self, name: str, word: Word, amount: Word, most: Any) -> Word:
        """A shift by an amount that is not constant: an unknown for each word and amount, 0 ≤ unknown ≤ most."""
        whole = (1 << word.bits) - 1
        limit = 1 + (int(most) if 0 <= most <= whole else whole)
        return word.with_expr(self.unknown_of(name, limit, word.expr, simplify(amount.expr), const(limit)))

    def _shifted_signed(self, word: Word, amount: Word) -> Word:
        """The same of a signed value: any with a sign, where it may be negative."""
        value = self.signed(word)
        if value.lo >= 0:
            return self._shifted("lshr", word, amount, value.hi)
        limit = 1 << word.bits
        found = self.unknown_of("ashr", limit, word.expr, simplify(amount.expr), const(word.bits))
        return word.with_expr(found - limit // 2)

    def eq(self, left: Word | Mask, right: Word | Mask) -> Bit:
        """Equality; of a mask with 0 others may decide, and of half a mask nobody that is known."""
        if isinstance(right, Mask):
            left, right = right, self.number(left)
        if isinstance(left, Mask) and right.expr is ZERO:
            return Bit(self.fresh_bit(left.own, self.wave.lane) if left.half is not None else self.none_of(left))
        left = self.number(left)
        difference = simplify(left.expr - right.expr)
        if difference.op == "const":
            return Bit(TRUE if difference.value % (1 << left.bits) == 0 else FALSE)
        return Bit(eq(self.unsigned(left), self.unsigned(right)))

    def ult(self, left: Word | Mask, right: Word | Mask) -> Bit:
        """Unsigned order."""
        if left is right:
            return Bit(FALSE)
        left, right = self.number(left), self.number(right)
        if left.bits == 64:
            return self._less(left, right, 0)
        a, b = self.unsigned(left), self.unsigned(right)
        known: Expr | None = first(RULES["order"], self, a, b)
        return Bit(assuming(less(a, b), self.ranges.given) if known is None else known)

    def slt(self, left: Word | Mask, right: Word | Mask) -> Bit:
        """Signed order."""
        left, right = self.number(left), self.number(right)
        if left.bits == 64:
            return self._less(left, right, -(1 << 63))
        return Bit(assuming(less(self.signed(left), self.signed(right)), self.ranges.given))

    def _less(self, left: Word, right: Word, lowest: int) -> Bit:
        """The order of 64-bit words, of which no solver is asked whether they are in range: often nobody wants it."""
        size = 1 << 64
        values = (
            e if lowest <= e.lo and e.hi < lowest + size else simplify(mod(e - lowest, size) + lowest)
            for e in (representative(word.expr, 64) for word in (left, right))
        )
        return Bit(assuming(less(*values), self.ranges.given))

    def ite(self, condition: Bit, then: Word | Mask, otherwise: Word | Mask) -> Word | Mask:
        """Choice."""
        unsure = assuming(condition.expr, self.ranges.given)
        if unsure.op == "const":
            return then if unsure is TRUE else otherwise
        if isinstance(then, Mask) or isinstance(otherwise, Mask):
            a, b = as_mask(then), as_mask(otherwise)
            return a.having(any_of(all_of(condition.expr, a.own), all_of(negation(condition.expr), b.own)), b)
        known: Expr | None = first(RULES["choice"], self, unsure, then.expr, otherwise.expr)
        return then.with_expr(known) if known is not None else self.choice(unsure, then, otherwise)

    def choice(self, condition: Expr, then: Word, otherwise: Word) -> Word:
        """The choice, or the floating-point number that it is."""
        return then.with_expr(choice(self.functions, condition, then.expr, otherwise.expr, then.bits))

    def zext(self, word: Word | Mask) -> Word:
        """The unsigned value."""
        word = self.number(word)
        return Word(self.unsigned(word), 64, self, ZeroExtended(word))

    def sext(self, word: Word | Mask) -> Word:
        """The signed value."""
        return self.word(self.signed(self.number(word)), 64)

    def low(self, word: Word | Mask) -> Any:
        """Any representative of the whole is one of its low half; a mask has halves of its own."""
        if isinstance(word, Mask):
            return word.halves[0]
        if isinstance(word.origin, Pair):
            return word.origin.low
        return Word(representative(word.expr, 32), 32, self, Low(word))

    def high(self, word: Word | Mask) -> Any:
        """The upper half; it remembers the whole."""
        if isinstance(word, Mask):
            return word.halves[1]
        if isinstance(word.origin, Pair):
            return word.origin.high
        product = word.origin
        step: Expr | None = None
        if isinstance(product, Product):
            step = first(RULES["upper half"], self, product.a, product.b)
        return Word(self._upper_half(word.expr) if step is None else step, 32, self, High(word, self.low(word)))

    def _upper_half(self, e: Expr) -> Expr:
        if (e.lo >= 0 and e.hi < 1 << 32) or self.ranges.limited(e, 1 << 32):
            return ZERO
        if e.op == "select" and own_bit(Word(e, 64, self)) is not None:  # of all ones or none a half is the same
            return e
        if e.op == "mul" and in_range(e, 0, 1 << 63, self.ranges.given):
            return shifted(e, 32, self.ranges.given)
        return div(mod(e, 1 << 64), 1 << 32)

    def pair(self, low: Word | Mask, high: Word | Mask) -> Word:
        """The whole whose halves these are, else the sum of both."""
        low, high = self.number(low), self.number(high)
        whole: Word | None = first(RULES["pair"], self, low, high)
        if whole is not None:
            return whole
        return Word(self.unsigned(low) + high.expr * (1 << 32), 64, self, Pair(low, high))

    def function(self, name: str, *words: Word | Mask) -> Word:
        """A function of `functions`."""
        numbers = [self.number(word) for word in words]
        arguments = [simplify(word.expr) for word in numbers]
        known: Expr | None = first(RULES["conversion"], self, name, arguments[0])
        if known is not None:
            return self.word(known)
        if name == "bf16_of_f32":
            return self.word(self.functions.rounded_to_bf16(self.unsigned(numbers[0])))
        return self.word(self.functions.apply(name, *arguments), width(name))

    def overflows(self, a: Word | Mask, b: Word | Mask, result: Word, differ: bool) -> Bit:
        """An unknown truth: it is seldom looked at, and costly to say."""
        a, b = self.number(a), self.number(b)
        return Bit(self.fresh_bit(a.expr, b.expr))

    def ones_below(self, word: Word | Mask, places: Word) -> Word:
        """Of a number whose bits are all set all of them; of a mask what is not known; of data one function."""
        if isinstance(word, Mask):
            return places if word.own is TRUE else self.word(self.lanes_below(word, simplify(places.expr)))
        number, count = (simplify(part.expr) for part in (word, places))
        if number.op == "const" and number.value % (1 << 32) == (1 << 32) - 1:
            return places
        if number.op != "const" or (number.value and count.op != "const"):
            return self.word(self.unknown_of("ones", 33, number, count))
        below = (1 << int(count.value)) - 1 if number.value else 0
        return self.const((int(number.value) & below & 0xFFFFFFFF).bit_count(), 32)

    def lowest_one(self, word: Word | Mask) -> Word:
        """Of a mask, a lane; of constants a constant, and of data one function, but for 0 a place in the word."""
        if isinstance(word, Mask):
            if word.half is not None:
                raise NotReadable("the first lane of half a mask")
            return self.word(self.first_of(word))
        e = simplify(word.expr)
        if e.op == "const":
            number = int(e.value) % (1 << word.bits)
            return self.const((number & -number).bit_length() - 1, 32)
        return self.word(self.unknown_of("lowest_one", word.bits, e, const(word.bits)))

    def reversed(self, word: Word | Mask) -> Word:
        """Of a constant a constant, of data one function."""
        e = simplify(self.number(word).expr)
        if e.op == "const":
            return self.const(int(f"{int(e.value) % (1 << 32):032b}"[::-1], 2), 32)
        return self.word(self.unknown_of("reversed", 1 << 32, e))

    def mul_high(self, a: Word | Mask, b: Word | Mask) -> Word:
        """The upper half of a product; the steps of a division are seen as such."""
        a, b = self.number(a), self.number(b)
        step: Expr | None = first(RULES["upper half"], self, a, b)
        return self.high(self.zext(a) * self.zext(b)) if step is None else self.word(step)

    def relation(self, name: str, *words: Word | Mask) -> Bit:
        """A comparison of `functions`."""
        if name.startswith(("f_", "tru_")):
            return Bit(TRUE if name.startswith("tru_") else FALSE)
        operands = [self.unsigned(self.number(word)) for word in words]
        known: Expr | None = first(RULES["comparison"], self, name, *operands)
        return Bit(self.functions.relation(name, *operands) if known is None else known)

    def add_carry(self, a: Word | Mask, b: Word | Mask, carry: Bit) -> tuple[Word, Bit]:
        """A sum and its carry; of upper halves with the carry of the lower ones, the upper half of the whole sum.

        The carry of a constant, by which compilers count up to 0, is a condition; else it is an unknown truth: what
        matters is whose it is.
        """
        a, b = self.number(a), self.number(b)
        upper: Word | None = first(RULES["sum"], self, a, b, carry)
        if upper is not None:
            return upper, Bit(self.fresh_bit(a.expr, b.expr, carry.expr))
        above = self.ite(Bit(carry.expr), self.word(ONE), self.word(ZERO)).expr
        total = a.with_expr(a.expr + b.expr + above)
        if carry.expr is not FALSE:
            return total, Bit(self.fresh_bit(a.expr, b.expr, carry.expr))
        return total, Bit(self._carried(a, b), Carry(a, b, total))

    def _carried(self, a: Word, b: Word) -> Expr:
        """Whether a sum of words has a carry; of a constant k < 2³¹, where the other one is in −k … −1, with a sign."""
        number, word = (a.expr, b) if a.expr.op == "const" else (b.expr, a)
        if number.op != "const" or not 0 < number.value < 1 << 31:
            return self.fresh_bit(a.expr, b.expr)
        e, most = representative(word.expr, 32), 1 << 31
        known = cut(e, -most, 2 * most)
        value = simplify(mod(e + most, 2 * most) - most) if known is None else known
        return all_of(value >= -number, value < 0)

    def bitwise(self, operation: str, *words: Word) -> Expr:
        """`and`, `or`, `xor` of two words, `not` of one."""
        found: Expr = first(RULES[operation], self, *words)
        return found

    def _constant(self, word: Word) -> int:
        e = simplify(word.expr)
        if e.op != "const":
            raise NotReadable(f"a shift by {e}")
        return int(e.value % (1 << word.bits))
