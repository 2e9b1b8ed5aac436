"""Counts, searches and reversals of bits, of scalar registers and of each lane: entries as `semantics.table` has them.

All are made of three operations of the values: how many of a word's lowest bits are set (`ones_below`), which is the
lowest (`lowest_one`), and the word with its last bit first (`reversed`):

| wanted | is |
|---|---|
| zeros above the highest one | the place of the lowest one, the word reversed |
| lanes below this one whose bit is set (V_MBCNT) | the ones below the lane's number |

A search that finds nothing gives −1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.isa.semantics.entries import Alu, table
from layoutalg.isa.semantics.values import Truth, Values, Word
from layoutalg.isa.semantics.words import low_bits, repeated, with_nonzero


def count(w: Values, word: Word, bits: int = 32) -> Word:
    """How many bits are set."""
    if bits == 64:
        return count(w, w.low(word)) + count(w, w.high(word))
    return w.ones_below(word, w.const(32, 32))


def backwards(w: Values, word: Word, bits: int = 32) -> Word:
    """The word with its last bit first."""
    if bits == 64:
        return w.pair(backwards(w, w.high(word)), backwards(w, w.low(word)))
    return w.reversed(word)


def first_one(w: Values, word: Word, bits: int = 32) -> Word:
    """The place of the lowest bit that is set, −1 of none."""
    return w.ite(w.eq(word, w.const(0, bits)), w.const(-1, 32), w.lowest_one(word))


def leading_zeros(w: Values, word: Word, bits: int = 32) -> Word:
    """Zeros above the highest bit that is set, −1 of none."""
    return first_one(w, backwards(w, word, bits), bits)


def leading_signs(w: Values, word: Word, bits: int = 32) -> Word:
    """How many of the highest bits are as the sign is, −1 where all are."""
    return leading_zeros(w, word ^ w.ashr(word, w.const(bits - 1, 32)), bits)


def _ones_before(w: Values, a: Word, b: Word, lane: Word, first: int) -> Word:
    """b and the bits of a, which are of the 32 lanes from `first` on, that are set of lanes below this one."""
    half, here = w.const(32, 32), lane - w.const(first, 32)
    if first == 0:
        return w.ite(w.ult(lane, half), b + w.ones_below(a, here), b + w.ones_below(a, half))
    return w.ite(w.ult(lane, half), b, b + w.ones_below(a, here))


def _quads(w: Values, word: Word, bits: int) -> Word:
    """Of each four bits the lowest: whether any of them is set."""
    pairs = word | w.lshr(word, w.const(1, 32))
    return (pairs | w.lshr(pairs, w.const(2, 32))) & w.const(repeated(1, 4, bits), bits)


def _whole_quads(w: Values, word: Word, bits: int) -> tuple[Word, Truth]:
    return with_nonzero(w, _quads(w, word, bits) * w.const(15, bits), bits)


def _quad_mask(w: Values, word: Word, bits: int) -> tuple[Word, Truth]:
    quads, total = _quads(w, word, bits), w.const(0, bits)
    for k in range(bits // 4):
        total = total | w.lshr(quads, w.const(3 * k, 32)) & w.const(1 << k, bits)
    return with_nonzero(w, total, bits)


def _twice(w: Values, a: Word) -> Word:
    """Each bit two times."""
    word = w.zext(a)
    for places in (16, 8, 4, 2, 1):
        word = (word | w.shl(word, w.const(places, 32))) & w.const(repeated((1 << places) - 1, 2 * places, 64), 64)
    return word | w.shl(word, w.const(1, 32))


def _bit_of(w: Values, a: Word, b: Word) -> Truth:
    """The bit of a 64-bit word that the second source names."""
    return ~w.eq(w.lshr(a, low_bits(w, b, 6)) & w.const(1, 64), w.const(0, 64))


def _one_at(w: Values, a: Word) -> Word:
    return w.shl(w.const(1, 64), low_bits(w, a, 6))


def _counted(bits: int, ones: bool) -> Callable[[Values, Word], tuple[Word, Truth]]:
    return lambda w, a: with_nonzero(w, count(w, a if ones else ~a, bits), 32)


def _scalar(bits: int) -> Mapping[str, Alu]:
    one, with_scc = f"d{bits} <- a{bits}", f"d{bits} scc <- a{bits}"
    return table(
        (f"S_BREV_B{bits}", one, lambda w, a: backwards(w, a, bits)),
        (f"S_BCNT0_I32_B{bits}", f"d32 scc <- a{bits}", _counted(bits, ones=False)),
        (f"S_BCNT1_I32_B{bits}", f"d32 scc <- a{bits}", _counted(bits, ones=True)),
        (f"S_FF0_I32_B{bits}", f"d32 <- a{bits}", lambda w, a: first_one(w, ~a, bits)),
        (f"S_FF1_I32_B{bits} S_CTZ_I32_B{bits}", f"d32 <- a{bits}", lambda w, a: first_one(w, a, bits)),
        (f"S_FLBIT_I32_B{bits} S_CLZ_I32_U{bits}", f"d32 <- a{bits}", lambda w, a: leading_zeros(w, a, bits)),
        (f"S_WQM_B{bits}", with_scc, lambda w, a: _whole_quads(w, a, bits)),
        (f"S_QUADMASK_B{bits}", with_scc, lambda w, a: _quad_mask(w, a, bits)),
    )


BITS: Mapping[str, Alu] = {
    **_scalar(32),
    **_scalar(64),
    **table(
        ("S_FLBIT_I32 S_CLS_I32", "d32 <- a32", leading_signs),
        ("S_FLBIT_I32_I64 S_CLS_I32_I64", "d32 <- a64", lambda w, a: leading_signs(w, a, 64)),
        ("S_BITREPLICATE_B64_B32", "d64 <- a32", _twice),
        ("S_BITCMP0_B64", "scc <- a64 b32", lambda w, a, b: ~_bit_of(w, a, b)),
        ("S_BITCMP1_B64", "scc <- a64 b32", _bit_of),
        ("S_BITSET0_B64", "d64 <- a32 d64", lambda w, a, d: d & ~_one_at(w, a)),
        ("S_BITSET1_B64", "d64 <- a32 d64", lambda w, a, d: d | _one_at(w, a)),
        ("V_BFREV_B32", "d32 <- a32", backwards),
        ("V_FFBL_B32 V_CTZ_I32_B32", "d32 <- a32", first_one),
        ("V_FFBH_U32 V_CLZ_I32_U32", "d32 <- a32", leading_zeros),
        ("V_FFBH_I32 V_CLS_I32", "d32 <- a32", leading_signs),
        ("V_BCNT_U32_B32", "d32 <- a32 b32", lambda w, a, b: count(w, a) + b),
        ("V_MBCNT_LO_U32_B32", "d32 <- a32 b32 lane", lambda w, a, b, lane: _ones_before(w, a, b, lane, 0)),
        ("V_MBCNT_HI_U32_B32", "d32 <- a32 b32 lane", lambda w, a, b, lane: _ones_before(w, a, b, lane, 32)),
    ),
}
