"""Arithmetic of scalar registers: entries as `semantics.table` has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.isa.semantics.entries import Alu, Effect, table
from layoutalg.isa.semantics.values import Truth, Values, Word
from layoutalg.isa.semantics.words import low_bits, never, ones, sign_extended, sub_borrow, with_nonzero


def _add_signed(w: Values, a: Word, b: Word) -> tuple[Word, Truth]:
    return a + b, w.overflows(a, b, a + b, False)


def _sub_signed(w: Values, a: Word, b: Word) -> tuple[Word, Truth]:
    return a - b, w.overflows(a, b, a - b, True)


def _shift_add(w: Values, a: Word, b: Word, amount: int) -> tuple[Word, Truth]:
    total = w.shl(w.zext(a), w.const(amount, 32)) + w.zext(b)
    return w.low(total), ~w.eq(w.high(total), w.const(0, 32))


def _absolute(w: Values, a: Word) -> Word:
    return w.ite(w.slt(a, w.const(0, 32)), w.const(0, 32) - a, a)


def _bit_set(w: Values, a: Word, b: Word) -> Truth:
    return w.eq(low_bits(w, w.lshr(a, low_bits(w, b, 5)), 1), w.const(1, 32))


def _field64(w: Values, width: Word) -> Word:
    return w.shl(w.const(1, 64), width) - w.const(1, 64)


def _bfe(bits: int, signed: bool) -> Effect:
    """A field: where it begins is in the lowest bits of the second source, as many as count those of the first.

    Its width is in bits 16–22, where that of the whole word and more keeps all.
    """
    count = bits.bit_length() - 1

    def effect(w: Values, a: Word, b: Word) -> tuple[Word, Truth]:
        width, first = low_bits(w, w.lshr(b, w.const(16, 32)), 7), low_bits(w, b, count)
        inside, few = w.ult(width, w.const(bits, 32)), low_bits(w, width, count)
        if signed:
            shifted = w.ashr(a, first)
            return with_nonzero(w, w.ite(inside, sign_extended(w, shifted, few, bits), shifted), bits)
        mask = w.ite(inside, w.shl(w.const(1, bits), few) - w.const(1, bits), w.const(-1, bits))
        return with_nonzero(w, w.lshr(a, first) & mask, bits)

    return effect


def _save_exec(operation: Callable[[Word, Word], Word], bits: int) -> Effect:
    """The result is the old mask; the new mask is the operation of the source and the old one."""

    def effect(w: Values, a: Word, mask: Word) -> tuple[Word, Word, Truth]:
        return mask, *with_nonzero(w, operation(a, mask), bits)

    return effect


def _write_exec(operation: Callable[[Word, Word], Word], bits: int) -> Effect:
    """The new mask is the operation of the source and the old one; the result too."""

    def effect(w: Values, a: Word, mask: Word) -> tuple[Word, Word, Truth]:
        new = operation(a, mask)
        return new, *with_nonzero(w, new, bits)

    return effect


def _distance(w: Values, a: Word, b: Word) -> tuple[Word, Truth]:
    return with_nonzero(w, _absolute(w, a - b), 32)


def _halves(w: Values, low: Word, high: Word) -> Word:
    return low_bits(w, low, 16) | w.shl(high, w.const(16, 32))


def _upper(w: Values, a: Word) -> Word:
    return w.lshr(a, w.const(16, 32))


def _logic(bits: int) -> Mapping[str, Alu]:
    suffix, two = f"_B{bits}", f"d{bits} scc <- a{bits} b{bits}"
    save = f"d{bits} exec{bits} scc <- a{bits} exec{bits}"
    return table(
        (f"S_AND{suffix}", two, lambda w, a, b: with_nonzero(w, a & b, bits)),
        (f"S_OR{suffix}", two, lambda w, a, b: with_nonzero(w, a | b, bits)),
        (f"S_XOR{suffix}", two, lambda w, a, b: with_nonzero(w, a ^ b, bits)),
        (f"S_ANDN2{suffix} S_AND_NOT1{suffix}", two, lambda w, a, b: with_nonzero(w, a & ~b, bits)),
        (f"S_ORN2{suffix} S_OR_NOT1{suffix}", two, lambda w, a, b: with_nonzero(w, a | ~b, bits)),
        (f"S_NAND{suffix}", two, lambda w, a, b: with_nonzero(w, ~(a & b), bits)),
        (f"S_NOR{suffix}", two, lambda w, a, b: with_nonzero(w, ~(a | b), bits)),
        (f"S_XNOR{suffix}", two, lambda w, a, b: with_nonzero(w, ~(a ^ b), bits)),
        (f"S_NOT{suffix}", f"d{bits} scc <- a{bits}", lambda w, a: with_nonzero(w, ~a, bits)),
        (f"S_MOV{suffix}", f"d{bits} <- a{bits}", lambda w, a: a),
        (f"S_CMOV{suffix}", f"d{bits} <- a{bits} d{bits} scc", lambda w, a, d, s: w.ite(s, a, d)),
        (f"S_CSELECT{suffix}", f"d{bits} <- a{bits} b{bits} scc", lambda w, a, b, s: w.ite(s, a, b)),
        (f"S_AND_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a & e, bits)),
        (f"S_OR_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a | e, bits)),
        (f"S_XOR_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a ^ e, bits)),
        (f"S_ANDN2_SAVEEXEC{suffix} S_AND_NOT1_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a & ~e, bits)),
        (f"S_ORN2_SAVEEXEC{suffix} S_OR_NOT1_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a | ~e, bits)),
        (f"S_AND_NOT0_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: ~a & e, bits)),
        (f"S_OR_NOT0_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: ~a | e, bits)),
        (f"S_NAND_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: ~(a & e), bits)),
        (f"S_NOR_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: ~(a | e), bits)),
        (f"S_XNOR_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: ~(a ^ e), bits)),
        (f"S_AND_NOT0_WREXEC{suffix}", save, _write_exec(lambda a, e: ~a & e, bits)),
        (f"S_AND_NOT1_WREXEC{suffix}", save, _write_exec(lambda a, e: a & ~e, bits)),
    )


def _shifts(bits: int) -> Mapping[str, Alu]:
    amount = {32: 5, 64: 6}[bits]
    sig = f"d{bits} scc <- a{bits} b32"
    return table(
        (f"S_LSHL_B{bits}", sig, lambda w, a, b: with_nonzero(w, w.shl(a, low_bits(w, b, amount)), bits)),
        (f"S_LSHR_B{bits}", sig, lambda w, a, b: with_nonzero(w, w.lshr(a, low_bits(w, b, amount)), bits)),
        (f"S_ASHR_I{bits}", sig, lambda w, a, b: with_nonzero(w, w.ashr(a, low_bits(w, b, amount)), bits)),
    )


_ARITHMETIC = table(
    ("S_ADD_U32 S_ADD_CO_U32", "d32 scc <- a32 b32", lambda w, a, b: w.add_carry(a, b, never(w, a))),
    ("S_ADDC_U32 S_ADD_CO_CI_U32", "d32 scc <- a32 b32 scc", lambda w, a, b, carry: w.add_carry(a, b, carry)),
    ("S_ADD_I32 S_ADD_CO_I32", "d32 scc <- a32 b32", _add_signed),
    ("S_SUB_U32 S_SUB_CO_U32", "d32 scc <- a32 b32", lambda w, a, b: (a - b, w.ult(a, b))),
    ("S_SUBB_U32 S_SUB_CO_CI_U32", "d32 scc <- a32 b32 scc", sub_borrow),
    ("S_SUB_I32 S_SUB_CO_I32", "d32 scc <- a32 b32", _sub_signed),
    ("S_ADD_NC_U64 S_ADD_U64", "d64 <- a64 b64", lambda w, a, b: a + b),
    ("S_SUB_NC_U64 S_SUB_U64", "d64 <- a64 b64", lambda w, a, b: a - b),
    ("S_MUL_U64", "d64 <- a64 b64", lambda w, a, b: a * b),
    ("S_MUL_I32", "d32 <- a32 b32", lambda w, a, b: a * b),
    ("S_MUL_HI_U32", "d32 <- a32 b32", lambda w, a, b: w.mul_high(a, b)),
    ("S_MUL_HI_I32", "d32 <- a32 b32", lambda w, a, b: w.high(w.sext(a) * w.sext(b))),
    ("S_ADDK_I32 S_ADDK_CO_I32", "d32 scc <- d32 k", _add_signed),
    ("S_MULK_I32", "d32 <- d32 k", lambda w, d, k: d * k),
    ("S_MOVK_I32", "d32 <- k", lambda w, k: k),
    ("S_SEXT_I32_I16", "d32 <- a32", lambda w, a: w.ashr(w.shl(a, w.const(16, 32)), w.const(16, 32))),
    ("S_SEXT_I32_I8", "d32 <- a32", lambda w, a: w.ashr(w.shl(a, w.const(24, 32)), w.const(24, 32))),
    ("S_LSHL1_ADD_U32", "d32 scc <- a32 b32", lambda w, a, b: _shift_add(w, a, b, 1)),
    ("S_LSHL2_ADD_U32", "d32 scc <- a32 b32", lambda w, a, b: _shift_add(w, a, b, 2)),
    ("S_LSHL3_ADD_U32", "d32 scc <- a32 b32", lambda w, a, b: _shift_add(w, a, b, 3)),
    ("S_LSHL4_ADD_U32", "d32 scc <- a32 b32", lambda w, a, b: _shift_add(w, a, b, 4)),
    ("S_BFE_U32", "d32 scc <- a32 b32", _bfe(32, signed=False)),
    ("S_BFE_I32", "d32 scc <- a32 b32", _bfe(32, signed=True)),
    ("S_BFE_U64", "d64 scc <- a64 b32", _bfe(64, signed=False)),
    ("S_BFE_I64", "d64 scc <- a64 b32", _bfe(64, signed=True)),
    ("S_BFM_B32 V_BFM_B32", "d32 <- a32 b32", lambda w, a, b: w.shl(ones(w, low_bits(w, a, 5)), low_bits(w, b, 5))),
    ("S_BFM_B64", "d64 <- a32 b32", lambda w, a, b: w.shl(_field64(w, low_bits(w, a, 6)), low_bits(w, b, 6))),
    ("S_PACK_LL_B32_B16", "d32 <- a32 b32", _halves),
    ("S_PACK_LH_B32_B16", "d32 <- a32 b32", lambda w, a, b: _halves(w, a, _upper(w, b))),
    ("S_PACK_HL_B32_B16", "d32 <- a32 b32", lambda w, a, b: _halves(w, _upper(w, a), b)),
    ("S_PACK_HH_B32_B16", "d32 <- a32 b32", lambda w, a, b: _halves(w, _upper(w, a), _upper(w, b))),
    ("S_ABSDIFF_I32", "d32 scc <- a32 b32", _distance),
    ("S_CMOVK_I32", "d32 <- k d32 scc", lambda w, k, d, s: w.ite(s, k, d)),
    ("S_ABS_I32", "d32 scc <- a32", lambda w, a: with_nonzero(w, _absolute(w, a), 32)),
    ("S_BITCMP0_B32", "scc <- a32 b32", lambda w, a, b: ~_bit_set(w, a, b)),
    ("S_BITCMP1_B32", "scc <- a32 b32", lambda w, a, b: _bit_set(w, a, b)),
    ("S_BITSET0_B32", "d32 <- a32 d32", lambda w, a, d: d & ~w.shl(w.const(1, 32), low_bits(w, a, 5))),
    ("S_BITSET1_B32", "d32 <- a32 d32", lambda w, a, d: d | w.shl(w.const(1, 32), low_bits(w, a, 5))),
    ("S_MIN_I32", "d32 scc <- a32 b32", lambda w, a, b: (w.ite(w.slt(a, b), a, b), w.slt(a, b))),
    ("S_MIN_U32", "d32 scc <- a32 b32", lambda w, a, b: (w.ite(w.ult(a, b), a, b), w.ult(a, b))),
    ("S_MAX_I32", "d32 scc <- a32 b32", lambda w, a, b: (w.ite(w.slt(a, b), b, a), ~w.slt(a, b))),
    ("S_MAX_U32", "d32 scc <- a32 b32", lambda w, a, b: (w.ite(w.ult(a, b), b, a), ~w.ult(a, b))),
)

#: CDNA's name of an operation on masks → RDNA's.
_CDNA = {
    "S_ANDN1_SAVEEXEC_B64": "S_AND_NOT0_SAVEEXEC_B64",
    "S_ORN1_SAVEEXEC_B64": "S_OR_NOT0_SAVEEXEC_B64",
    "S_ANDN1_WREXEC_B64": "S_AND_NOT0_WREXEC_B64",
    "S_ANDN2_WREXEC_B64": "S_AND_NOT1_WREXEC_B64",
}

_OF_64 = _logic(64)

#: Lanes of a wave → what is done bit by bit with a bit for each of them.
MASKS: Mapping[int, Mapping[str, Alu]] = {
    32: _logic(32),
    64: {**_OF_64, **{name: _OF_64[other] for name, other in _CDNA.items()}},
}

SCALAR: Mapping[str, Alu] = {**MASKS[32], **MASKS[64], **_shifts(32), **_shifts(64), **_ARITHMETIC}
