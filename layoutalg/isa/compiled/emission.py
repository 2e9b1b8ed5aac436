"""Statements of C as they are written: those of a wave, and those of each lane, in loops over the lanes.

    s_add_u32 s2, s2, 4          W->s[2] = …;                      of the wave: before the loop that is open
    v_add_u32 v1, v1, s2         for (l …) { … }                   of each lane: in the loop that is open
    v_mul_lo_u32 v2, v1, v1      for (l …) { … … }                 in the same loop
    ds_write_b32 v2, v1          the loop ends; a call             looks at all lanes

A lane's statement reads no register of the wave by its name, only what a statement before the loop has read of it; so
the wave's statements may stand before an open loop, though they come after its first instructions.
A word that was computed in a loop that has ended is kept in an array there, if something else uses it.
"""

from __future__ import annotations

from dataclasses import field

from layoutalg.records import dataclass

TYPES = {1: "bool", 32: "uint32_t", 64: "uint64_t"}
"""The C type of a word of so many bits; a truth has one."""

#: A loop whose lanes do not depend on each other, and one whose lanes come in their order.
_PRAGMAS = {True: '_Pragma("clang loop vectorize(assume_safety) unroll(disable)")', False: ""}


@dataclass(eq=False)
class LaneLoop:
    """Statements of each lane, and what is declared before them."""

    before: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    parallel: bool = True

    def keep(self, name: str, bits: int) -> None:
        """Has a value of each lane stay when the loop has ended."""
        declared = f"{TYPES[bits]} k{name}[LANES];"
        if declared not in self.before:
            self.before.append(declared)
            self.body.append(f"k{name}[l] = {name};")

    @property
    def text(self) -> str:
        """The loop, and the declarations."""
        head = f"{{ unsigned l = 0; {_PRAGMAS[self.parallel]}\ndo {{"
        return "\n".join((*self.before, head, *self.body, "} while (++l < LANES); }"))


class TextWord:
    """A word, or a truth, as C text; the operators write statements."""

    def __init__(
        self, emission: Emission, text: str, bits: int, lanes: bool = False, loop: LaneLoop | None = None
    ) -> None:
        """`lanes`: of each lane; `loop` is where it is computed, or what a word of the wave is the sum of."""
        self.emission, self.text, self.bits, self.lanes, self.loop = emission, text, bits, lanes, loop

    def _with(self, operator: str, other: TextWord) -> TextWord:
        return self.emission.value(self.bits, f"{{}} {operator} {{}}", self, other)

    def __add__(self, other: TextWord) -> TextWord:
        return self._with("+", other)

    def __sub__(self, other: TextWord) -> TextWord:
        return self._with("-", other)

    def __mul__(self, other: TextWord) -> TextWord:
        return self._with("*", other)

    def __and__(self, other: TextWord) -> TextWord:
        return self._with("&", other)

    def __or__(self, other: TextWord) -> TextWord:
        return self._with("|", other)

    def __xor__(self, other: TextWord) -> TextWord:
        return self._with("^", other)

    def __invert__(self) -> TextWord:
        return self.emission.value(self.bits, "!{}" if self.bits == 1 else "~{}", self)


class Emission:
    """The statements of one stretch of code that is run from its beginning to its end."""

    def __init__(self) -> None:
        self.done: list[str | LaneLoop] = []
        self._open: LaneLoop | None = None
        self._names = 0

    def name(self) -> str:
        """A name that is new."""
        self._names += 1
        return f"t{self._names}"

    @property
    def loop(self) -> LaneLoop:
        """The loop that is open."""
        if self._open is None:
            self._open = LaneLoop()
        return self._open

    def open(self, loop: LaneLoop) -> None:
        """Goes on in this loop, after what is there."""
        self.close()
        self._open = loop

    def close(self) -> None:
        """Ends the loop: what comes looks at all lanes of what it has written."""
        if self._open is not None:
            self.done.append(self._open)
            self._open = None

    def value(self, bits: int, form: str, *words: TextWord, lanes: bool = False) -> TextWord:
        """A word that an expression has: of each lane, where one of its words is (or `lanes` says so)."""
        name = self.name()
        if lanes or any(word.lanes for word in words):
            text = form.format(*map(self.use, words))
            self.loop.body.append(f"const {TYPES[bits]} {name} = {text};")
            return TextWord(self, name, bits, True, self.loop)
        self.statement(f"const {TYPES[bits]} {name} = {form.format(*map(self.use, words))};")
        return TextWord(self, name, bits)

    def use(self, word: TextWord) -> str:
        """The text of a word where statements are written now."""
        if word.loop is None or word.loop is self._open:
            if not word.lanes and word.loop is not None:
                self.close()
            return word.text
        if not word.lanes:
            return word.text
        word.loop.keep(word.text, word.bits)
        return f"k{word.text}[l]"

    def statement(self, text: str) -> None:
        """A statement of the wave, before the loop that is open."""
        self.done.append(text)

    def whole(self, text: str) -> None:
        """A statement that looks at all lanes, or changes what lanes look at."""
        self.close()
        self.done.append(text)

    def in_lanes(self, form: str, *words: TextWord) -> None:
        """A statement of each lane."""
        text = form.format(*map(self.use, words))
        self.loop.body.append(text)

    def array(self, word: TextWord) -> str:
        """An array that holds a word of each lane, after the loop that is open."""
        if not word.lanes or word.loop is None:
            word = self.value(word.bits, "{}", word, lanes=True)
        assert word.loop is not None
        word.loop.keep(word.text, word.bits)
        self.close()
        return f"k{word.text}"

    def sum_of_lanes(self, form: str, word: TextWord) -> TextWord:
        """The bits of all lanes together: a word of 64 bits for the wave, after the loop that is open."""
        name, text = self.name(), form.format(self.use(word))
        self.loop.before.append(f"uint64_t {name} = 0;")
        self.loop.body.append(f"{name} |= {text};")
        return TextWord(self, name, 64, False, self.loop)

    @property
    def text(self) -> str:
        """All statements."""
        self.close()
        return "\n".join(one if isinstance(one, str) else one.text for one in self.done)
