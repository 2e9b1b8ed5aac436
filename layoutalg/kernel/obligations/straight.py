"""Copies straight to LDS: which maps a wave's loads can write, and what else they need.

One instruction of a wave writes lane n's elements n places behind its first lane's: an element's word is that of the
wave's first thread, and n vectors more.  So of a tile's map to LDS

| map                                  | a wave of 64 lanes, one word each      | can be written so            |
|--------------------------------------|----------------------------------------|------------------------------|
| rows of 64, packed                   | a row                                  | yes                          |
| rows of 64, 65 words apart           | a row                                  | yes: gaps between its waves  |
| rows of 32, 33 words apart           | two rows                               | no: a gap within a wave      |
| columns xor-ed with the row          | a row in another order                 | no, unless lanes load in it  |

(CDNA 3 and 4 ISA, "Memory Buffer Load to LDS"; triton-lang/triton#7929, #8365: swizzles and padding of such copies.)
What it cannot represent: blocks of several dimensions of threads.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, Expr, eq, substitute
from layoutalg.kernel.access.address import address_of
from layoutalg.kernel.access.places import bounds, starts, vector_start, word_of
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.program import Program, SharedAccess, StraightCopy
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown

#: Bytes of a lane: 4 on CDNA 3, 4 and 16 on CDNA 4 (of 12 lanes lie 16 apart, which no map here has).
BYTES = (4, 16)

#: Lanes of a wave on the targets that have such loads.
WAVE = 64


def straight(program: Program, number: int, s: StraightCopy) -> Iterator[Requirement]:
    """A wave's lanes land one after the other, and all of them load.

    LayoutError where a lane may be off, or threads have several dimensions.
    """
    load, what = s.load, f"{program.name}: a straight copy to {s.store.shared.name}"
    if len(program.threads) != 1:
        raise LayoutError(f"{what} needs a block whose threads have one dimension")
    guarded = any(test is not TRUE for test in bounds(load, starts(program, load)))
    if guarded or address_of(load.tensor).valid is not TRUE:
        raise LayoutError(f"{what} leaves what is there where nothing is loaded; make its tiles whole")
    (thread,) = program.threads
    word, lane = first_word(program, s.store), thread % WAVE
    first = substitute(word, {thread: thread - lane})
    shown = (Shown("thread", (thread,)), Shown("word, and that of the wave's first", (word, first)))
    claim = ForAll("a wave's lanes land one after the other", eq(word, first + lane * s.store.width), TRUE, shown)
    yield Requirement(f"{number}: {s.store.shared.name} can be written straight", claim)


def first_word(program: Program, store: SharedAccess) -> Expr:
    """The word of a vector's first element."""
    x = vector_start(store, program.coordinates(store, store.registers.distribution.y_index))
    return word_of(store, x)


__all__ = ["BYTES", "WAVE", "straight"]
