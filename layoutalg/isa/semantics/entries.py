"""An entry of the semantics table: what an arithmetic instruction reads and writes, and the function between.

The signature language is that of `semantics`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from layoutalg.isa.semantics.values import Values, Word
from layoutalg.records import dataclass

Effect = Callable[..., Any]
Row = tuple[str, str, Effect]
"""Names, signature, function."""


@dataclass(frozen=True)
class Alu:
    """An arithmetic instruction: tokens written, tokens read, and the function from one to the other."""

    writes: tuple[str, ...]
    reads: tuple[str, ...]
    effect: Effect
    fields: frozenset[str] = (
        frozenset()
    )  # immediate fields that the effect takes, as keyword arguments; `fnuz`, `ftz`: target's
    floats: bool = False  # done in the float mode
    signs: frozenset[str] = frozenset()  # the sources that are numbers: the encoding may negate them
    element: int = 0  # bits of each number of a source that holds two; 0: it holds one
    picks: int = 0  # bits of `opsel` that pick a part of a source or of the result, instead of one of each source
    mixed: bool = False  # fields say of each source whether it is an f32 or an f16
    limits: Mapping[str, int] = field(default_factory=dict)  # what a source is at most, of a result of 64 bits

    def number(self, token: str) -> int:
        """The bits of the floating-point number that a source is, or of each that it holds; 0 of other sources."""
        return self.element or (int(token[1:]) if token[0] in self.signs else 0)

    @property
    def halves(self) -> frozenset[str]:
        """The roles that are halves of registers."""
        return frozenset(token[0] for token in (*self.writes, *self.reads) if token.endswith("16"))


def bits_of(roles: Iterable[str]) -> int:
    """The bits of these sources in a modifier (ISA manuals, VOP3: NEG, ABS, OP_SEL).

    >>> bits_of("ac")
    5
    """
    return sum({"a": 1, "b": 2, "c": 4, "d": 8}.get(role, 0) for role in roles)


def table(*entries: Row, floats: bool = False, signs: str | None = None) -> Mapping[str, Alu]:
    """Entries by name, from rows of names, signature and function; all sources of floats have signs, or `signs`."""
    found: dict[str, Alu] = {}
    for names, signature, effect in entries:
        writes, reads = (tuple(side.split()) for side in signature.split("<-"))
        sources = {token[0] for token in reads} & set("abc") if floats else set()
        numbers = frozenset(sources if signs is None else signs)
        for name in names.split():
            found[name] = Alu(writes, reads, effect, floats=floats, signs=numbers)
    return found


def function(name: str, order: tuple[int, ...] | None = None) -> Effect:
    """A floating-point function of the words read, or of those of these places."""

    def effect(w: Values, *words: Word) -> Word:
        return w.function(name, *(words if order is None else (words[k] for k in order)))

    return effect


def relation(name: str) -> Effect:
    """A floating-point comparison of the words read."""
    return lambda w, *words: w.relation(name, *words)
