"""An entry of the semantics table: what an arithmetic instruction reads and writes, and the function between.

The signature language is that of `semantics`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Effect = Callable[..., Any]


@dataclass(frozen=True)
class Alu:
    """An arithmetic instruction: tokens written, tokens read, and the function from one to the other."""

    writes: tuple[str, ...]
    reads: tuple[str, ...]
    effect: Effect
    fields: frozenset[str] = frozenset()  # immediate fields that the effect takes, as keyword arguments
    floats: bool = False  # done in the float mode
    signs: bool = False  # sources may be negated or made absolute by the encoding

    @property
    def halves(self) -> frozenset[str]:
        """The roles that are halves of registers."""
        return frozenset(token[0] for token in (*self.writes, *self.reads) if token.endswith("16"))


def table(*entries: tuple[str, str, Effect], floats: bool = False, signs: bool | None = None) -> Mapping[str, Alu]:
    """Entries by name, from rows of names, signature and function; numbers have signs where nothing else is said."""
    found: dict[str, Alu] = {}
    for names, signature, effect in entries:
        writes, reads = (tuple(side.split()) for side in signature.split("<-"))
        for name in names.split():
            found[name] = Alu(writes, reads, effect, floats=floats, signs=floats if signs is None else signs)
    return found
