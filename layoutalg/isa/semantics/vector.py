"""Arithmetic of integers in vector registers: entries as `semantics.table` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from layoutalg.isa.semantics.entries import Alu, Effect, table
from layoutalg.isa.semantics.values import Truth, Values, Word
from layoutalg.isa.semantics.words import (
    Order,
    clamped_or_not,
    difference_at_least,
    greater,
    greatest,
    kept_in_range,
    least,
    lesser,
    low_bits,
    median,
    never,
    ones,
    sign_extended,
    sub_borrow,
    sum_at_most,
    truth_table,
    truth_table_of_two,
)


def _mad_u64(w: Values, a: Word, b: Word, c: Word) -> tuple[Word, Truth]:
    total = w.zext(a) * w.zext(b) + c
    return total, w.ult(total, c)


def _mad_i64(w: Values, a: Word, b: Word, c: Word) -> tuple[Word, Truth]:
    product, zero = w.sext(a) * w.sext(b), w.const(0, 64)
    total = product + c
    return total, w.slt(product, zero) ^ w.slt(c, zero) ^ w.ult(total, c)  # bit 64 of the 65-bit sum


def _i24(w: Values, word: Word) -> Word:
    return w.ashr(w.shl(word, w.const(8, 32)), w.const(8, 32))


def _bfe_signed(w: Values, a: Word, b: Word, c: Word) -> Word:
    return sign_extended(w, w.ashr(a, low_bits(w, b, 5)), low_bits(w, c, 5))


def _bytes(w: Values, word: Word) -> Word:
    """The bits of 0 to 3 bytes."""
    return w.shl(low_bits(w, word, 2), w.const(3, 32))


def _next_random(w: Values, a: Word) -> Word:
    return w.shl(a, w.const(1, 32)) ^ w.ite(w.slt(a, w.const(0, 32)), w.const(197, 32), w.const(0, 32))


def _of_three(kind: str, order: Callable[[Values], Order]) -> Iterator[tuple[str, str, Effect]]:
    """The least, the greatest, the middle of three, and a number held between two."""
    three = "d32 <- a32 b32 c32"
    yield f"V_MIN3_{kind}", three, lambda w, a, b, c: least(w, a, b, c, order(w))
    yield f"V_MAX3_{kind}", three, lambda w, a, b, c: greatest(w, a, b, c, order(w))
    yield f"V_MED3_{kind}", three, lambda w, a, b, c: median(w, a, b, c, order(w))
    yield f"V_MAXMIN_{kind}", three, lambda w, a, b, c: lesser(w, greater(w, a, b, order(w)), c, order(w))
    yield f"V_MINMAX_{kind}", three, lambda w, a, b, c: greater(w, lesser(w, a, b, order(w)), c, order(w))


def _permute_bytes(w: Values, a: Word, b: Word, c: Word) -> Word:
    """Each byte of the selector picks a byte of {a, b}: 0–3 of b, 4–7 of a, 8–11 a sign, 12 zero, above all ones."""
    both = w.pair(b, a)
    total = w.const(0, 32)
    for place in range(0, 32, 8):
        selector = low_bits(w, w.lshr(c, w.const(place, 32)), 8)
        byte = w.const(0xFF, 32)
        for k, source in enumerate((*range(0, 64, 8), 15, 31, 47, 63)):
            shifted = w.low(w.lshr(both, w.const(source, 32)))
            value = low_bits(w, shifted, 8) if k < 8 else w.const(0, 32) - low_bits(w, shifted, 1) & w.const(0xFF, 32)
            byte = w.ite(w.eq(selector, w.const(k, 32)), value, byte)
        byte = w.ite(w.eq(selector, w.const(12, 32)), w.const(0, 32), byte)
        total = total + w.shl(byte, w.const(place, 32))  # bytes do not overlap
    return total


def _pick_halves(w: Values, a: Word, b: Word, *, opsel: int = 0) -> Word:
    """V_PK_MOV_B32: bit 0 of `opsel` picks a half of the first source, bit 1 of the second."""
    return w.pair(w.high(a) if opsel & 1 else w.low(a), w.high(b) if opsel & 2 else w.low(b))


_ARITHMETIC = table(
    ("V_MOV_B32", "d32 <- a32", lambda w, a: a),
    ("V_MOV_B64", "d64 <- a64", lambda w, a: a),
    ("V_MOV_B16", "d16 <- a16", lambda w, a: a),
    ("V_CNDMASK_B16", "d16 <- a16 b16 n", lambda w, a, b, n: w.ite(n, b, a)),
    ("V_NOT_B32", "d32 <- a32", lambda w, a: ~a),
    ("V_ACCVGPR_READ V_ACCVGPR_WRITE V_ACCVGPR_MOV_B32", "d32 <- a32", lambda w, a: a),
    ("V_ADD_CO_U32", "d32 m <- a32 b32", lambda w, a, b: w.add_carry(a, b, never(w, a))),
    ("V_SUB_CO_U32", "d32 m <- a32 b32", lambda w, a, b: (a - b, w.ult(a, b))),
    ("V_SUBREV_CO_U32", "d32 m <- a32 b32", lambda w, a, b: (b - a, w.ult(b, a))),
    ("V_ADDC_CO_U32 V_ADD_CO_CI_U32", "d32 m <- a32 b32 n", lambda w, a, b, carry: w.add_carry(a, b, carry)),
    ("V_SUBB_CO_U32 V_SUB_CO_CI_U32", "d32 m <- a32 b32 n", sub_borrow),
    ("V_SUBBREV_CO_U32 V_SUBREV_CO_CI_U32", "d32 m <- a32 b32 n", lambda w, a, b, n: sub_borrow(w, b, a, n)),
    ("V_AND_B32", "d32 <- a32 b32", lambda w, a, b: a & b),
    ("V_OR_B32", "d32 <- a32 b32", lambda w, a, b: a | b),
    ("V_XOR_B32", "d32 <- a32 b32", lambda w, a, b: a ^ b),
    ("V_XNOR_B32", "d32 <- a32 b32", lambda w, a, b: ~(a ^ b)),
    ("V_LSHLREV_B32", "d32 <- a32 b32", lambda w, a, b: w.shl(b, low_bits(w, a, 5))),
    ("V_LSHRREV_B32", "d32 <- a32 b32", lambda w, a, b: w.lshr(b, low_bits(w, a, 5))),
    ("V_ASHRREV_I32", "d32 <- a32 b32", lambda w, a, b: w.ashr(b, low_bits(w, a, 5))),
    ("V_LSHLREV_B64", "d64 <- a32 b64", lambda w, a, b: w.shl(b, low_bits(w, a, 6))),
    ("V_LSHRREV_B64", "d64 <- a32 b64", lambda w, a, b: w.lshr(b, low_bits(w, a, 6))),
    ("V_ASHRREV_I64", "d64 <- a32 b64", lambda w, a, b: w.ashr(b, low_bits(w, a, 6))),
    ("V_LSHL_ADD_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.shl(a, low_bits(w, b, 5)) + c),
    ("V_ADD_LSHL_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.shl(a + b, low_bits(w, c, 5))),
    ("V_LSHL_OR_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.shl(a, low_bits(w, b, 5)) | c),
    ("V_ADD3_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: a + b + c),
    ("V_AND_OR_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: (a & b) | c),
    ("V_OR3_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: a | b | c),
    ("V_XOR3_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: a ^ b ^ c),
    ("V_XAD_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: (a ^ b) + c),
    ("V_BFI_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: (a & b) | (~a & c)),
    ("V_BFE_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.lshr(a, low_bits(w, b, 5)) & ones(w, low_bits(w, c, 5))),
    ("V_BFE_I32", "d32 <- a32 b32 c32", lambda w, a, b, c: _bfe_signed(w, a, b, c)),
    ("V_PACK_B32_F16", "d32 <- a16 b16", lambda w, a, b: a | w.shl(b, w.const(16, 32))),
    ("V_MUL_LO_U32", "d32 <- a32 b32", lambda w, a, b: a * b),
    ("V_MAD_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: a * b + c),
    ("V_ADD_NC_U64", "d64 <- a64 b64", lambda w, a, b: a + b),
    ("V_SUB_NC_U64", "d64 <- a64 b64", lambda w, a, b: a - b),
    ("V_MUL_U64", "d64 <- a64 b64", lambda w, a, b: a * b),
    ("V_MIN_U64", "d64 <- a64 b64", lambda w, a, b: lesser(w, a, b, w.ult)),
    ("V_MAX_U64", "d64 <- a64 b64", lambda w, a, b: greater(w, a, b, w.ult)),
    ("V_MIN_I64", "d64 <- a64 b64", lambda w, a, b: lesser(w, a, b, w.slt)),
    ("V_MAX_I64", "d64 <- a64 b64", lambda w, a, b: greater(w, a, b, w.slt)),
    ("V_MAD_NC_U64_U32", "d64 <- a32 b32 c64", lambda w, a, b, c: w.zext(a) * w.zext(b) + c),
    ("V_MAD_NC_I64_I32", "d64 <- a32 b32 c64", lambda w, a, b, c: w.sext(a) * w.sext(b) + c),
    ("V_MUL_HI_U32", "d32 <- a32 b32", lambda w, a, b: w.mul_high(a, b)),
    ("V_MUL_HI_I32", "d32 <- a32 b32", lambda w, a, b: w.high(w.sext(a) * w.sext(b))),
    ("V_MUL_U32_U24", "d32 <- a32 b32", lambda w, a, b: low_bits(w, a, 24) * low_bits(w, b, 24)),
    ("V_MUL_I32_I24", "d32 <- a32 b32", lambda w, a, b: _i24(w, a) * _i24(w, b)),
    ("V_MAD_U32_U24", "d32 <- a32 b32 c32", lambda w, a, b, c: low_bits(w, a, 24) * low_bits(w, b, 24) + c),
    ("V_MAD_I32_I24", "d32 <- a32 b32 c32", lambda w, a, b, c: _i24(w, a) * _i24(w, b) + c),
    ("V_MAD_U64_U32 V_MAD_CO_U64_U32", "d64 m <- a32 b32 c64", _mad_u64),
    ("V_MAD_I64_I32 V_MAD_CO_I64_I32", "d64 m <- a32 b32 c64", _mad_i64),
    ("V_MIN_U32", "d32 <- a32 b32", lambda w, a, b: lesser(w, a, b, w.ult)),
    ("V_MAX_U32", "d32 <- a32 b32", lambda w, a, b: greater(w, a, b, w.ult)),
    ("V_MIN_I32", "d32 <- a32 b32", lambda w, a, b: lesser(w, a, b, w.slt)),
    ("V_MAX_I32", "d32 <- a32 b32", lambda w, a, b: greater(w, a, b, w.slt)),
    *_of_three("U32", lambda w: w.ult),
    *_of_three("I32", lambda w: w.slt),
    ("V_MUL_HI_U32_U24", "d32 <- a32 b32", lambda w, a, b: w.mul_high(low_bits(w, a, 24), low_bits(w, b, 24))),
    ("V_MUL_HI_I32_I24", "d32 <- a32 b32", lambda w, a, b: w.high(w.sext(_i24(w, a)) * w.sext(_i24(w, b)))),
    ("V_SWAP_B32", "d32 a32 <- a32 d32", lambda w, a, d: (a, d)),
    ("V_SWAP_B16", "d16 a16 <- a16 d16", lambda w, a, d: (a, d)),
    ("V_ALIGNBYTE_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.low(w.lshr(w.pair(b, a), _bytes(w, c)))),
    ("V_PRNG_B32", "d32 <- a32", _next_random),
    ("V_PERM_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: _permute_bytes(w, a, b, c)),
    ("V_ALIGNBIT_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.low(w.lshr(w.pair(b, a), low_bits(w, c, 5)))),
)


_WITH_FIELDS = {
    "V_PK_MOV_B32": Alu(("d64",), ("a64", "b64"), _pick_halves, frozenset({"opsel"})),
    "V_BITOP3_B32": Alu(("d32",), ("a32", "b32", "c32"), truth_table, frozenset({"neg", "abs", "omod"})),
    "V_BITOP2_B32": Alu(("d32",), ("a32", "b32"), truth_table_of_two, frozenset({"bitop3"})),
}


def _signed_sum(w: Values, a: Word, b: Word) -> Word:
    return kept_in_range(w, a, a + b, w.overflows(a, b, a + b, False))


def _signed_difference(w: Values, a: Word, b: Word) -> Word:
    return kept_in_range(w, a, a - b, w.overflows(a, b, a - b, True))


#: Names of sums and differences → what they are, and what they are where they are clamped.
_SUMS: Mapping[str, tuple[Effect, Effect]] = {
    "V_ADD_U32 V_ADD_NC_U32": (lambda w, a, b: a + b, sum_at_most),
    "V_SUB_U32 V_SUB_NC_U32": (lambda w, a, b: a - b, difference_at_least),
    "V_SUBREV_U32 V_SUBREV_NC_U32": (lambda w, a, b: b - a, lambda w, a, b: difference_at_least(w, b, a)),
    "V_ADD_I32 V_ADD_NC_I32": (lambda w, a, b: a + b, _signed_sum),
    "V_SUB_I32 V_SUB_NC_I32": (lambda w, a, b: a - b, _signed_difference),
}

_CLAMPED = {
    name: Alu(("d32",), ("a32", "b32"), clamped_or_not(*functions), frozenset({"clmp"}))
    for names, functions in _SUMS.items()
    for name in names.split()
}

#: A choice may be one of numbers, which the encoding negates (ISA manuals, V_CNDMASK_B32: "floating-point modifiers").
_CHOICE = table(("V_CNDMASK_B32", "d32 <- a32 b32 n", lambda w, a, b, n: w.ite(n, b, a)), signs="ab")

#: It shifts by 0 to 4, "a real limitation" (LLVM's review D121401); of more AMD's pseudocode takes three bits, and the
#: text beside it says that it shifts by nothing (CDNA 4 ISA).
_SHIFT_AND_ADD = {
    "V_LSHL_ADD_U64": Alu(
        ("d64",), ("a64", "b32", "c64"), lambda w, a, b, c: w.shl(a, low_bits(w, b, 3)) + c, limits={"b": 4}
    ),
}

VECTOR: Mapping[str, Alu] = {**_ARITHMETIC, **_SHIFT_AND_ADD, **_CHOICE, **_CLAMPED, **_WITH_FIELDS}
