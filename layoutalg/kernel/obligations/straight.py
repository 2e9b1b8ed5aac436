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

from collections.abc import Iterator, Sequence

from layoutalg.index import TRUE, Expr, all_of, eq, substitute, variables
from layoutalg.index.c import intermediates
from layoutalg.kernel.access.address import address_of, written
from layoutalg.kernel.access.places import bounds, starts, vector_start, word_of
from layoutalg.kernel.obligations.base import Requirement, fits
from layoutalg.kernel.program import Load, Program, SharedAccess, StraightCopy
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown

#: Bytes of a lane: 4 on CDNA 3, 4 and 16 on CDNA 4 (of 12 lanes lie 16 apart, which no map here has).
BYTES = (4, 16)

REACH = 1 << 31
"""Bytes that such a load can reach where it is ranged (`emit.straight`)."""

#: Lanes of a wave on the targets that have such loads.
WAVE = 64


def straight(program: Program, number: int, s: StraightCopy) -> Iterator[Requirement]:
    """A wave's lanes land one after the other, and all of them load.

    LayoutError where a lane may be off, or threads have several dimensions.
    """
    load, what = s.load, f"{program.name}: a straight copy to {s.store.shared.name}"
    if len(program.threads) != 1:
        raise LayoutError(f"{what} needs a block whose threads have one dimension")
    tests = bounds(load, starts(program, load))
    guarded = any(test is not TRUE for test in tests)
    if load.ranged:
        yield from _in_parts(program, number, load, all_of(*tests))
    elif guarded or address_of(load.tensor).valid is not TRUE:
        raise LayoutError(f"{what} leaves what is there where nothing is loaded; make its tiles whole")
    (thread,) = program.threads
    word, lane = first_word(program, s.store), thread % WAVE
    first = substitute(word, {thread: thread - lane})
    shown = (Shown("thread", (thread,)), Shown("word, and that of the wave's first", (word, first)))
    claim = ForAll("a wave's lanes land one after the other", eq(word, first + lane * s.store.width), TRUE, shown)
    yield Requirement(f"{number}: {s.store.shared.name} can be written straight", claim)


def lane_part(program: Program, load: Load) -> tuple[Expr, ...]:
    """The coordinates of a vector's first element, from the tile's first one on."""
    inner = program.coordinates(load, load.registers.distribution.y_index)
    return tuple(map(written, vector_start(load, inner)))


def _in_parts(program: Program, number: int, load: Load, given: Expr) -> Iterator[Requirement]:
    """The address is the tile's, which all lanes share and which a load can reach, and what is a lane's own.

    So a lane that is told to be out of range is, by every reading of a buffer's scalar offset
    (`isa.semantics.buffers`), wherever the tile begins, be it behind the tensor's last element; LDS gets its zeros
    (ROCm/rocm-systems#10928, AMD's emulator after a gfx950; triton-lang/triton#11435: masked lanes are told so).
    """
    address = address_of(load.tensor)
    what = f"{number}: {load.tensor.name} straight to LDS"

    def offset(x: Sequence[Expr]) -> Expr:
        return substitute(address.offset, dict(zip(address.coordinates, x, strict=True)))

    tile, lane, whole = map(offset, (load.origin, lane_part(program, load), starts(program, load)))
    if set(program.threads) & set(variables(tile)):
        raise LayoutError(f"{what}: its tile begins where lanes say")
    shown = (Shown("block", program.grid), Shown("thread", program.threads), Shown("offsets", (tile, lane, whole)))
    yield Requirement(f"{what}: its address is in two parts", ForAll("their sum", eq(tile + lane, whole), TRUE, shown))
    reach = REACH // load.tensor.dtype.bytes
    begins = ForAll("its tile begins within it", all_of(tile >= 0, tile < reach), program.requires, shown)
    yield Requirement(f"{what}: its tile is in the range that a load can reach", begins)
    at, bits = dict(zip(address.coordinates, load.origin, strict=True)), program.index_bits
    computed = [*load.origin, *(substitute(e, at) for e in intermediates([address.offset]))]
    yield from fits(f"{what}: its tile's offset fits {bits} bits", computed, bits, program.requires)
    positive = ForAll("what is a lane's own is not less", lane >= 0, given, shown)
    yield Requirement(f"{what}: lanes are behind the tile's beginning", positive)


def first_word(program: Program, store: SharedAccess) -> Expr:
    """The word of a vector's first element."""
    x = vector_start(store, program.coordinates(store, store.registers.distribution.y_index))
    return word_of(store, x)


__all__ = ["BYTES", "WAVE", "straight"]
