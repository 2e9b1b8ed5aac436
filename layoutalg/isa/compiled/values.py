"""`Values` as C text; a floating-point function that `machine.h` has not is the numpy reading's, called back.

What the header has is found by its names: `f_add_f32` is the function `add_f32`, `r_lt_f32` the relation `lt_f32`.
"""

from __future__ import annotations

import re
from pathlib import Path

from layoutalg.isa.compiled.emission import TYPES, Emission, TextWord
from layoutalg.isa.semantics.values import width

HEADER = (Path(__file__).parent / "machine.h").read_text(encoding="utf-8")

_EACH = (*re.findall(r"\b(f_\w+)_##kind\(", HEADER), *(f"f_{one}" for one in re.findall(r"\bOF_\w+\((\w+)_##", HEADER)),
         *(f"r_{one}" for one in re.findall(r"\bRELATION\((\w+)_##", HEADER)))  # fmt: skip
_WRITTEN = frozenset({
    *re.findall(r"\b(f_\w+)\(", HEADER), *(f"{one}_{kind}" for one in _EACH for kind in ("f16", "f32", "f64"))
})  # fmt: skip

Call = tuple[str, tuple[int, ...]]
"""A function of the numpy reading (`f_` or `r_`, and its name), and the bits of its words."""


class TextValues:
    """Operations of words, as text; `calls` are the functions that are called back."""

    def __init__(self, emission: Emission, calls: list[Call]) -> None:
        self.emission, self.calls = emission, calls

    def const(self, value: int, bits: int) -> TextWord:
        """A literal."""
        return TextWord(self.emission, f"{value % (1 << bits)}{'ull' if bits == 64 else 'u'}", bits)

    def shl(self, word: TextWord, amount: TextWord) -> TextWord:
        """Left shift."""
        return self._shifted("{} << {}", word, amount)

    def lshr(self, word: TextWord, amount: TextWord) -> TextWord:
        """Right shift with zeros."""
        return self._shifted("{} >> {}", word, amount)

    def ashr(self, word: TextWord, amount: TextWord) -> TextWord:
        """Right shift with the sign."""
        return self._shifted(f"({TYPES[word.bits]})((s{word.bits}){{}} >> {{}})", word, amount)

    def _shifted(self, form: str, word: TextWord, amount: TextWord) -> TextWord:
        literal = amount.text[0].isdigit()
        place = "{}" if literal else f"({{}} & {word.bits - 1})"
        first, _, last = form.rpartition("{}")
        return self.emission.value(word.bits, f"{first}{place}{last}", word, amount)

    def eq(self, left: TextWord, right: TextWord) -> TextWord:
        """Equality."""
        return self.emission.value(1, "{} == {}", left, right)

    def ult(self, left: TextWord, right: TextWord) -> TextWord:
        """Unsigned order."""
        return self.emission.value(1, "{} < {}", left, right)

    def slt(self, left: TextWord, right: TextWord) -> TextWord:
        """Signed order."""
        return self.emission.value(1, f"(s{left.bits}){{}} < (s{left.bits}){{}}", left, right)

    def ite(self, condition: TextWord, then: TextWord, otherwise: TextWord) -> TextWord:
        """Choice."""
        return self.emission.value(then.bits, "{} ? {} : {}", condition, then, otherwise)

    def zext(self, word: TextWord) -> TextWord:
        """Zero extension."""
        return self.emission.value(64, "{}", word)

    def sext(self, word: TextWord) -> TextWord:
        """Sign extension."""
        return self.emission.value(64, "(uint64_t)(s64)(s32){}", word)

    def low(self, word: TextWord) -> TextWord:
        """Low half."""
        return self.emission.value(32, "(uint32_t){}", word)

    def high(self, word: TextWord) -> TextWord:
        """High half."""
        return self.emission.value(32, "(uint32_t)({} >> 32)", word)

    def pair(self, low: TextWord, high: TextWord) -> TextWord:
        """Both halves."""
        return self.emission.value(64, "{} | (uint64_t){} << 32", low, high)

    def overflows(self, a: TextWord, b: TextWord, result: TextWord, differ: bool) -> TextWord:
        """From the signs."""
        alike = "" if differ else "~"
        return self.emission.value(1, f"({alike}({{0}} ^ {{1}}) & ({{0}} ^ {{2}})) >> 31", a, b, result)

    def ones_below(self, word: TextWord, places: TextWord) -> TextWord:
        """The bits of the word and a mask."""
        return self.emission.value(
            32, "(uint32_t)__builtin_popcount({} & (uint32_t)((1ull << ({} & 63)) - 1))", word, places
        )

    def lowest_one(self, word: TextWord) -> TextWord:
        """How many bits are set below it."""
        count = f"__builtin_popcount{'ll' if word.bits == 64 else ''}"
        return self.emission.value(32, f"(uint32_t){count}(~{{0}} & ({{0}} - 1))", word)

    def reversed(self, word: TextWord) -> TextWord:
        """Its last bit first."""
        return self.emission.value(32, "__builtin_bitreverse32({})", word)

    def mul_high(self, a: TextWord, b: TextWord) -> TextWord:
        """Upper half of the product."""
        return self.emission.value(32, "(uint32_t)((uint64_t){} * {} >> 32)", a, b)

    def function(self, name: str, *words: TextWord) -> TextWord:
        """The header's, or a call."""
        return self._float(f"f_{name}", width(name), words)

    def relation(self, name: str, *words: TextWord) -> TextWord:
        """The header's, or a call."""
        return self._float(f"r_{name}", 1, words)

    def add_carry(self, a: TextWord, b: TextWord, carry: TextWord) -> tuple[TextWord, TextWord]:
        """The low half of a 64-bit sum, and whether the upper is not 0."""
        total = self.emission.value(64, "(uint64_t){} + {} + {}", a, b, carry)
        return self.low(total), self.emission.value(1, "{} >> 32 != 0", total)

    def _float(self, name: str, bits: int, words: tuple[TextWord, ...]) -> TextWord:
        if name in _WRITTEN:
            return self.emission.value(bits, f"{name}({', '.join(['{}'] * len(words))})", *words)
        call, emission = (name, tuple(word.bits for word in words)), self.emission
        if call not in self.calls:
            self.calls.append(call)
        number, given = self.calls.index(call), emission.name()
        lanes = any(word.lanes for word in words)
        emission.whole(f"uint64_t {given}[{len(words) + 1}][LANES];")
        for k, word in enumerate(words):
            if lanes:
                emission.in_lanes(f"{given}[{k}][l] = {{}};", word)
            else:
                emission.statement(f"{given}[{k}][0] = {emission.use(word)};")
        emission.whole(f"B->run->call({number}, {'LANES' if lanes else 1}, {given}[0], {given}[{len(words)}]);")
        return TextWord(emission, f"({TYPES[bits]}){given}[{len(words)}][{'l' if lanes else 0}]", bits, lanes)
