"""Exchanges between lanes: which lane each lane reads, of instructions that do nothing else.

| instruction | lane n reads lane | of one that is not active |
|---|---|---|
| DS_BPERMUTE_B32 | (address + offset) / 4 | 0; DS_BPERMUTE_FI_B32: its register |
| DS_PERMUTE_B32 | the one that is active and names n so | – (0 where none does) |
| DS_SWIZZLE_B32 | by its offset: `swizzled` | 0 |
| V_PERMLANE16_B32, V_PERMLANEX16_B32 | of its row, or the other, that two words name, four bits each | as DPP16 |
| the same with _VAR | that the second source names | as DPP16 |
| V_PERMLANE64_B32 | of the other half of 64 | its register |

(AMD's pseudocode for each; CDNA 3 and RDNA 3 ISA, DS_SWIZZLE_B32.)  Where several lanes name one by DS_PERMUTE_B32 the
highest wins by the pseudocode, any by RDNA's text, and one by "standard LDS arbitration rules" by CDNA 4's.
"""

from __future__ import annotations

from layoutalg.isa.semantics.bits import backwards, count
from layoutalg.isa.semantics.values import Values, Word
from layoutalg.isa.semantics.words import low_bits

#: From these offsets on, DS_SWIZZLE_B32 rotates lanes, and orders them for a Fourier transform.
_ROTATE, _FOURIER, _QUADS = 0xC000, 0xE000, 0x8000


def of_its_quad(w: Values, n: Word, picks: int) -> Word:
    """The lane of lane n's quad that the bits 2(n mod 4) and on of `picks` name.

    Where it is n with some bits masked and some flipped, as in butterflies, that is said, and nothing looked up.
    """
    named = [picks >> 2 * k & 3 for k in range(4)]
    for mask in range(4):
        if all(one == k & mask ^ named[0] for k, one in enumerate(named)):
            return n & w.const(mask - 4, 32) ^ w.const(named[0], 32)
    pick = w.lshr(w.const(picks, 32), w.shl(low_bits(w, n, 2), w.const(1, 32)))
    return n & w.const(-4, 32) | low_bits(w, pick, 2)


def swizzled(w: Values, n: Word, offset: int) -> Word:
    """The lane that lane n reads by DS_SWIZZLE_B32; always one of its 32.

    | offset | j, the lane's number among its 32 being i |
    |---|---|
    | below 0x8000 | (i & bits 0–4 \\| bits 5–9) ^ bits 10–14 |
    | below 0xC000 | of its quad that which the bits 2(i mod 4) and on name |
    | below 0xE000 | i + bits 5–9 (− where bit 10 is set), but bits that are set in bits 0–4 stay |
    | others | the bits of i backwards, shifted by how many of bits 0–4 are set, and those of i that are |
    """
    i, mask = low_bits(w, n, 5), w.const(offset & 31, 32)
    middle = w.const(offset >> 5 & 31, 32)
    if offset >= _FOURIER:
        turned = w.lshr(backwards(w, i), w.const(27, 32))
        j = w.lshr(turned, count(w, mask)) | i & mask
    elif offset >= _ROTATE:
        far = i - middle if offset >> 10 & 1 else i + middle
        j = i & mask | far & ~mask
    elif offset >= _QUADS:
        j = of_its_quad(w, i, offset)
    else:
        j = (i & mask | middle) ^ w.const(offset >> 10 & 31, 32)
    return low_bits(w, j, 5) | n & w.const(32, 32)


def of_the_row(w: Values, n: Word, pick: Word, across: bool) -> Word:
    """The lane of lane n's row, or of the other row of its 32, whose number among 16 is in the low bits of `pick`."""
    row = n & w.const(~15, 32)
    return (row ^ w.const(16, 32) if across else row) | low_bits(w, pick, 4)


def picked(w: Values, n: Word, low: Word, high: Word) -> Word:
    """The n-th of 16 numbers of four bits, whose first eight are in one word and the others in another."""
    place = w.shl(low_bits(w, n, 4), w.const(2, 32))
    return w.low(w.lshr(w.pair(low, high), place))
