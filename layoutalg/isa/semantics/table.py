"""What each arithmetic instruction does: one table, an entry a line, read by every machine.

An entry is a signature and a function.  The signature names what is written, then what is read, by the roles of
`decode` with a width, or by a state bit; the function takes the operations of `Values` and the words read, and returns
the words written, in order.

| token | is |
|---|---|
| `d32` `d64` | the result |
| `a32` `b64` `c32` … | a source; `d32` on the right is the old value of the result |
| `a16` `d16` … | the half of a register that the instruction names; the result's other half is kept |
| `m`, `n` | a truth for each lane: a mask written, a mask read |
| `scc` | the scalar condition code |
| `exec32` `exec64` | the execution mask as a word |
| `k` | the 16-bit immediate, sign-extended to 32 |

Names are those of every generation: CDNA's, RDNA 3's and RDNA 4's name of one operation share an entry.
The test suite reads AMD's own pseudocode for each name and compares the two on random words: 281 of 289 names.  Eight
have no text of their own (the accumulation registers' moves, S_ADD_U64 and S_SUB_U64, older names of two save-exec
forms, V_PERM_B32's function) and are reviewed by hand; 51 are compared with LLVM's constant folding as well.
Floating point is in `floats`.  What it cannot represent: packed halves, and operations between lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.isa.semantics.entries import Alu, Effect, table
from layoutalg.isa.semantics.floats import FLOATS
from layoutalg.isa.semantics.values import Truth, Values, Word


def _nonzero(w: Values, word: Word, bits: int) -> tuple[Word, Truth]:
    return word, ~w.eq(word, w.const(0, bits))


def _one(w: Values, truth: Truth, bits: int = 32) -> Word:
    return w.ite(truth, w.const(1, bits), w.const(0, bits))


def _sub_borrow(w: Values, a: Word, b: Word, borrow: Truth) -> tuple[Word, Truth]:
    total = w.zext(a) - w.zext(b) - _one(w, borrow, 64)
    return w.low(total), ~w.eq(w.high(total), w.const(0, 32))


def _add_signed(w: Values, a: Word, b: Word) -> tuple[Word, Truth]:
    return a + b, w.overflows(a, b, a + b, False)


def _sub_signed(w: Values, a: Word, b: Word) -> tuple[Word, Truth]:
    return a - b, w.overflows(a, b, a - b, True)


def _mad_u64(w: Values, a: Word, b: Word, c: Word) -> tuple[Word, Truth]:
    total = w.zext(a) * w.zext(b) + c
    return total, w.ult(total, c)


def _mad_i64(w: Values, a: Word, b: Word, c: Word) -> tuple[Word, Truth]:
    product, zero = w.sext(a) * w.sext(b), w.const(0, 64)
    total = product + c
    return total, w.slt(product, zero) ^ w.slt(c, zero) ^ w.ult(total, c)  # bit 64 of the 65-bit sum


def _bits(w: Values, word: Word, count: int) -> Word:
    return word & w.const((1 << count) - 1, 32)


def _field(w: Values, width: Word) -> Word:
    """Ones in the low `width` bits, width < 32."""
    return w.shl(w.const(1, 32), width) - w.const(1, 32)


def _i24(w: Values, word: Word) -> Word:
    return w.ashr(w.shl(word, w.const(8, 32)), w.const(8, 32))


def _save_exec(operation: Callable[[Word, Word], Word], bits: int) -> Effect:
    """The result is the old mask; the new mask is the operation of the source and the old one."""

    def effect(w: Values, a: Word, mask: Word) -> tuple[Word, Word, Truth]:
        return mask, *_nonzero(w, operation(a, mask), bits)

    return effect


def _scalar_logic(bits: int) -> Mapping[str, Alu]:
    suffix, two = f"_B{bits}", f"d{bits} scc <- a{bits} b{bits}"
    save = f"d{bits} exec{bits} scc <- a{bits} exec{bits}"
    return table(
        (f"S_AND{suffix}", two, lambda w, a, b: _nonzero(w, a & b, bits)),
        (f"S_OR{suffix}", two, lambda w, a, b: _nonzero(w, a | b, bits)),
        (f"S_XOR{suffix}", two, lambda w, a, b: _nonzero(w, a ^ b, bits)),
        (f"S_ANDN2{suffix} S_AND_NOT1{suffix}", two, lambda w, a, b: _nonzero(w, a & ~b, bits)),
        (f"S_ORN2{suffix} S_OR_NOT1{suffix}", two, lambda w, a, b: _nonzero(w, a | ~b, bits)),
        (f"S_NAND{suffix}", two, lambda w, a, b: _nonzero(w, ~(a & b), bits)),
        (f"S_NOR{suffix}", two, lambda w, a, b: _nonzero(w, ~(a | b), bits)),
        (f"S_XNOR{suffix}", two, lambda w, a, b: _nonzero(w, ~(a ^ b), bits)),
        (f"S_NOT{suffix}", f"d{bits} scc <- a{bits}", lambda w, a: _nonzero(w, ~a, bits)),
        (f"S_MOV{suffix}", f"d{bits} <- a{bits}", lambda w, a: a),
        (f"S_CMOV{suffix}", f"d{bits} <- a{bits} d{bits} scc", lambda w, a, d, s: w.ite(s, a, d)),
        (f"S_CSELECT{suffix}", f"d{bits} <- a{bits} b{bits} scc", lambda w, a, b, s: w.ite(s, a, b)),
        (f"S_AND_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a & e, bits)),
        (f"S_OR_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a | e, bits)),
        (f"S_XOR_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a ^ e, bits)),
        (f"S_ANDN2_SAVEEXEC{suffix} S_AND_NOT1_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a & ~e, bits)),
        (f"S_ORN2_SAVEEXEC{suffix} S_OR_NOT1_SAVEEXEC{suffix}", save, _save_exec(lambda a, e: a | ~e, bits)),
    )


def _scalar_shifts(bits: int) -> Mapping[str, Alu]:
    amount = {32: 5, 64: 6}[bits]
    sig = f"d{bits} scc <- a{bits} b32"
    return table(
        (f"S_LSHL_B{bits}", sig, lambda w, a, b: _nonzero(w, w.shl(a, _bits(w, b, amount)), bits)),
        (f"S_LSHR_B{bits}", sig, lambda w, a, b: _nonzero(w, w.lshr(a, _bits(w, b, amount)), bits)),
        (f"S_ASHR_I{bits}", sig, lambda w, a, b: _nonzero(w, w.ashr(a, _bits(w, b, amount)), bits)),
    )


def _comparison(kind: str, letter: str) -> Effect:
    def effect(w: Values, a: Word, b: Word) -> Truth:
        less = w.slt if letter == "I" else w.ult
        match kind:
            case "LT":
                return less(a, b)
            case "GE":
                return ~less(a, b)
            case "GT":
                return less(b, a)
            case "LE":
                return ~less(b, a)
            case "EQ":
                return w.eq(a, b)
        return ~w.eq(a, b)  # LG of scalar, NE of vector comparisons

    return effect


def _comparisons() -> Mapping[str, Alu]:
    found: dict[str, Alu] = {}
    for kind in ("LT", "GE", "GT", "LE", "EQ", "LG"):
        for letter in "IU":
            effect = _comparison(kind, letter)
            vector = "NE" if kind == "LG" else kind
            found[f"S_CMP_{kind}_{letter}32"] = Alu(("scc",), ("a32", "b32"), effect)
            for bits in (32, 64):
                alu = Alu(("m",), (f"a{bits}", f"b{bits}"), effect)
                found |= {f"V_CMP_{vector}_{letter}{bits}": alu, f"V_CMPX_{vector}_{letter}{bits}": alu}
        found[f"S_CMPK_{kind}_I32"] = Alu(("scc",), ("d32", "k"), _comparison(kind, "I"))
    for kind in ("EQ", "LG"):
        found[f"S_CMP_{kind}_U64"] = Alu(("scc",), ("a64", "b64"), _comparison(kind, "U"))
    return found


_SCALAR = table(
    ("S_ADD_U32 S_ADD_CO_U32", "d32 scc <- a32 b32", lambda w, a, b: w.add_carry(a, b, _no(w, a))),
    ("S_ADDC_U32 S_ADD_CO_CI_U32", "d32 scc <- a32 b32 scc", lambda w, a, b, carry: w.add_carry(a, b, carry)),
    ("S_ADD_I32 S_ADD_CO_I32", "d32 scc <- a32 b32", _add_signed),
    ("S_SUB_U32 S_SUB_CO_U32", "d32 scc <- a32 b32", lambda w, a, b: (a - b, w.ult(a, b))),
    ("S_SUBB_U32 S_SUB_CO_CI_U32", "d32 scc <- a32 b32 scc", _sub_borrow),
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
    ("S_BFE_U32", "d32 scc <- a32 b32", lambda w, a, b: _scalar_bfe(w, a, b)),
    ("S_BFM_B32", "d32 <- a32 b32", lambda w, a, b: w.shl(_field(w, _bits(w, a, 5)), _bits(w, b, 5))),
    ("S_BFM_B64", "d64 <- a32 b32", lambda w, a, b: w.shl(_field64(w, _bits(w, a, 6)), _bits(w, b, 6))),
    ("S_PACK_LL_B32_B16", "d32 <- a32 b32", lambda w, a, b: _bits(w, a, 16) | w.shl(b, w.const(16, 32))),
    ("S_ABS_I32", "d32 scc <- a32", lambda w, a: _nonzero(w, _absolute(w, a), 32)),
    ("S_BITCMP0_B32", "scc <- a32 b32", lambda w, a, b: ~_bit_set(w, a, b)),
    ("S_BITCMP1_B32", "scc <- a32 b32", lambda w, a, b: _bit_set(w, a, b)),
    ("S_BITSET0_B32", "d32 <- a32 d32", lambda w, a, d: d & ~w.shl(w.const(1, 32), _bits(w, a, 5))),
    ("S_BITSET1_B32", "d32 <- a32 d32", lambda w, a, d: d | w.shl(w.const(1, 32), _bits(w, a, 5))),
    ("S_BFE_I32", "d32 scc <- a32 b32", lambda w, a, b: _scalar_bfe_signed(w, a, b)),
    ("S_MIN_I32", "d32 scc <- a32 b32", lambda w, a, b: (w.ite(w.slt(a, b), a, b), w.slt(a, b))),
    ("S_MIN_U32", "d32 scc <- a32 b32", lambda w, a, b: (w.ite(w.ult(a, b), a, b), w.ult(a, b))),
    ("S_MAX_I32", "d32 scc <- a32 b32", lambda w, a, b: (w.ite(w.slt(a, b), b, a), ~w.slt(a, b))),
    ("S_MAX_U32", "d32 scc <- a32 b32", lambda w, a, b: (w.ite(w.ult(a, b), b, a), ~w.ult(a, b))),
)


def _shift_add(w: Values, a: Word, b: Word, amount: int) -> tuple[Word, Truth]:
    total = w.shl(w.zext(a), w.const(amount, 32)) + w.zext(b)
    return w.low(total), ~w.eq(w.high(total), w.const(0, 32))


def _scalar_bfe(w: Values, a: Word, b: Word) -> tuple[Word, Truth]:
    """Offset in bits 0–4 of the second source, width in bits 16–22; widths of 32 and more keep all."""
    width = _bits(w, w.lshr(b, w.const(16, 32)), 7)
    mask = w.ite(w.ult(width, w.const(32, 32)), _field(w, _bits(w, width, 5)), w.const(0xFFFFFFFF, 32))
    return _nonzero(w, w.lshr(a, _bits(w, b, 5)) & mask, 32)


def _absolute(w: Values, a: Word) -> Word:
    return w.ite(w.slt(a, w.const(0, 32)), w.const(0, 32) - a, a)


def _bfe_signed(w: Values, a: Word, b: Word, c: Word) -> Word:
    return _sign_extended(w, w.ashr(a, _bits(w, b, 5)), _bits(w, c, 5))


def _bit_set(w: Values, a: Word, b: Word) -> Truth:
    return w.eq(_bits(w, w.lshr(a, _bits(w, b, 5)), 1), w.const(1, 32))


def _sign_extended(w: Values, word: Word, width: Word) -> Word:
    """The low `width` bits (0 to 31) as a signed number; 0 of none: up and down again, by at most 31 places at once."""
    places, one = w.const(31, 32) - width, w.const(1, 32)
    return w.ashr(w.ashr(w.shl(w.shl(word, places), one), places), one)


def _scalar_bfe_signed(w: Values, a: Word, b: Word) -> tuple[Word, Truth]:
    width, shifted = _bits(w, w.lshr(b, w.const(16, 32)), 7), w.ashr(a, _bits(w, b, 5))
    field = _sign_extended(w, shifted, _bits(w, width, 5))
    return _nonzero(w, w.ite(w.ult(width, w.const(32, 32)), field, shifted), 32)


def _field64(w: Values, width: Word) -> Word:
    return w.shl(w.const(1, 64), width) - w.const(1, 64)


def _no(w: Values, a: Word) -> Truth:
    """False, in the shape of the word."""
    return w.ult(a, a)


_VECTOR = table(
    ("V_MOV_B32", "d32 <- a32", lambda w, a: a),
    ("V_MOV_B64", "d64 <- a64", lambda w, a: a),
    ("V_MOV_B16", "d16 <- a16", lambda w, a: a),
    ("V_CNDMASK_B16", "d16 <- a16 b16 n", lambda w, a, b, n: w.ite(n, b, a)),
    ("V_NOT_B32", "d32 <- a32", lambda w, a: ~a),
    ("V_ACCVGPR_READ V_ACCVGPR_WRITE V_ACCVGPR_MOV_B32", "d32 <- a32", lambda w, a: a),
    ("V_ADD_U32 V_ADD_NC_U32", "d32 <- a32 b32", lambda w, a, b: a + b),
    ("V_SUB_U32 V_SUB_NC_U32", "d32 <- a32 b32", lambda w, a, b: a - b),
    ("V_SUBREV_U32 V_SUBREV_NC_U32", "d32 <- a32 b32", lambda w, a, b: b - a),
    ("V_ADD_CO_U32", "d32 m <- a32 b32", lambda w, a, b: w.add_carry(a, b, _no(w, a))),
    ("V_SUB_CO_U32", "d32 m <- a32 b32", lambda w, a, b: (a - b, w.ult(a, b))),
    ("V_SUBREV_CO_U32", "d32 m <- a32 b32", lambda w, a, b: (b - a, w.ult(b, a))),
    ("V_ADDC_CO_U32 V_ADD_CO_CI_U32", "d32 m <- a32 b32 n", lambda w, a, b, carry: w.add_carry(a, b, carry)),
    ("V_SUBB_CO_U32 V_SUB_CO_CI_U32", "d32 m <- a32 b32 n", _sub_borrow),
    ("V_SUBBREV_CO_U32 V_SUBREV_CO_CI_U32", "d32 m <- a32 b32 n", lambda w, a, b, n: _sub_borrow(w, b, a, n)),
    ("V_CNDMASK_B32", "d32 <- a32 b32 n", lambda w, a, b, n: w.ite(n, b, a)),
    ("V_AND_B32", "d32 <- a32 b32", lambda w, a, b: a & b),
    ("V_OR_B32", "d32 <- a32 b32", lambda w, a, b: a | b),
    ("V_XOR_B32", "d32 <- a32 b32", lambda w, a, b: a ^ b),
    ("V_XNOR_B32", "d32 <- a32 b32", lambda w, a, b: ~(a ^ b)),
    ("V_LSHLREV_B32", "d32 <- a32 b32", lambda w, a, b: w.shl(b, _bits(w, a, 5))),
    ("V_LSHRREV_B32", "d32 <- a32 b32", lambda w, a, b: w.lshr(b, _bits(w, a, 5))),
    ("V_ASHRREV_I32", "d32 <- a32 b32", lambda w, a, b: w.ashr(b, _bits(w, a, 5))),
    ("V_LSHLREV_B64", "d64 <- a32 b64", lambda w, a, b: w.shl(b, _bits(w, a, 6))),
    ("V_LSHRREV_B64", "d64 <- a32 b64", lambda w, a, b: w.lshr(b, _bits(w, a, 6))),
    ("V_ASHRREV_I64", "d64 <- a32 b64", lambda w, a, b: w.ashr(b, _bits(w, a, 6))),
    ("V_LSHL_ADD_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.shl(a, _bits(w, b, 5)) + c),
    ("V_ADD_LSHL_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.shl(a + b, _bits(w, c, 5))),
    ("V_LSHL_OR_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.shl(a, _bits(w, b, 5)) | c),
    ("V_LSHL_ADD_U64", "d64 <- a64 b32 c64", lambda w, a, b, c: w.shl(a, _bits(w, b, 3)) + c),
    ("V_ADD3_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: a + b + c),
    ("V_AND_OR_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: (a & b) | c),
    ("V_OR3_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: a | b | c),
    ("V_XOR3_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: a ^ b ^ c),
    ("V_XAD_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: (a ^ b) + c),
    ("V_BFI_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: (a & b) | (~a & c)),
    ("V_BFE_U32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.lshr(a, _bits(w, b, 5)) & _field(w, _bits(w, c, 5))),
    ("V_BFE_I32", "d32 <- a32 b32 c32", lambda w, a, b, c: _bfe_signed(w, a, b, c)),
    ("V_ADD_U16 V_ADD_NC_U16", "d16 <- a16 b16", lambda w, a, b: _bits(w, a + b, 16)),
    ("V_SUB_U16 V_SUB_NC_U16", "d16 <- a16 b16", lambda w, a, b: _bits(w, a - b, 16)),
    ("V_MUL_LO_U16", "d16 <- a16 b16", lambda w, a, b: _bits(w, a * b, 16)),
    ("V_LSHRREV_B16", "d16 <- a16 b16", lambda w, a, b: w.lshr(b, _bits(w, a, 4))),
    ("V_LSHLREV_B16", "d16 <- a16 b16", lambda w, a, b: _bits(w, w.shl(b, _bits(w, a, 4)), 16)),
    ("V_PACK_B32_F16", "d32 <- a16 b16", lambda w, a, b: a | w.shl(b, w.const(16, 32))),
    ("V_MUL_LO_U32", "d32 <- a32 b32", lambda w, a, b: a * b),
    ("V_MUL_HI_U32", "d32 <- a32 b32", lambda w, a, b: w.mul_high(a, b)),
    ("V_MUL_HI_I32", "d32 <- a32 b32", lambda w, a, b: w.high(w.sext(a) * w.sext(b))),
    ("V_MUL_U32_U24", "d32 <- a32 b32", lambda w, a, b: _bits(w, a, 24) * _bits(w, b, 24)),
    ("V_MUL_I32_I24", "d32 <- a32 b32", lambda w, a, b: _i24(w, a) * _i24(w, b)),
    ("V_MAD_U32_U24", "d32 <- a32 b32 c32", lambda w, a, b, c: _bits(w, a, 24) * _bits(w, b, 24) + c),
    ("V_MAD_I32_I24", "d32 <- a32 b32 c32", lambda w, a, b, c: _i24(w, a) * _i24(w, b) + c),
    ("V_MAD_U64_U32 V_MAD_CO_U64_U32", "d64 m <- a32 b32 c64", _mad_u64),
    ("V_MAD_I64_I32 V_MAD_CO_I64_I32", "d64 m <- a32 b32 c64", _mad_i64),
    ("V_MIN_U32", "d32 <- a32 b32", lambda w, a, b: w.ite(w.ult(a, b), a, b)),
    ("V_MAX_U32", "d32 <- a32 b32", lambda w, a, b: w.ite(w.ult(a, b), b, a)),
    ("V_MIN_I32", "d32 <- a32 b32", lambda w, a, b: w.ite(w.slt(a, b), a, b)),
    ("V_MAX_I32", "d32 <- a32 b32", lambda w, a, b: w.ite(w.slt(a, b), b, a)),
    ("V_PERM_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: _permute_bytes(w, a, b, c)),
    ("V_ALIGNBIT_B32", "d32 <- a32 b32 c32", lambda w, a, b, c: w.low(w.lshr(w.pair(b, a), _bits(w, c, 5)))),
)


def _pick_halves(w: Values, a: Word, b: Word, *, opsel: int = 0) -> Word:
    """V_PK_MOV_B32: bit 0 of `opsel` picks a half of the first source, bit 1 of the second."""
    return w.pair(w.high(a) if opsel & 1 else w.low(a), w.high(b) if opsel & 2 else w.low(b))


def _truth_table(w: Values, a: Word, b: Word, c: Word, *, neg: int = 0, abs: int = 0, omod: int = 0) -> Word:
    """V_BITOP3_B32: bit 4a + 2b + c of the table is the result; computed as the exclusive or of products of sources."""
    table = omod << 6 | abs << 3 | neg
    total = w.const(0, 32)
    for product in range(8):
        parts = [k for k in range(8) if k & ~product == 0]  # the product occurs when an odd number of these is set
        if sum(table >> k & 1 for k in parts) % 2:
            term = w.const(-1, 32)
            for bit, source in ((4, a), (2, b), (1, c)):
                term = term & source if product & bit else term
            total = total ^ term
    return total


_WITH_FIELDS = {
    "V_PK_MOV_B32": Alu(("d64",), ("a64", "b64"), _pick_halves, frozenset({"opsel"})),
    "V_BITOP3_B32": Alu(("d32",), ("a32", "b32", "c32"), _truth_table, frozenset({"neg", "abs", "omod"})),
}


def _permute_bytes(w: Values, a: Word, b: Word, c: Word) -> Word:
    """Each byte of the selector picks a byte of {a, b}: 0–3 of b, 4–7 of a, 8–11 a sign, 12 zero, above all ones."""
    both = w.pair(b, a)
    total = w.const(0, 32)
    for place in range(0, 32, 8):
        selector = _bits(w, w.lshr(c, w.const(place, 32)), 8)
        byte = w.const(0xFF, 32)
        for k, source in enumerate((*range(0, 64, 8), 15, 31, 47, 63)):
            shifted = w.low(w.lshr(both, w.const(source, 32)))
            value = _bits(w, shifted, 8) if k < 8 else w.const(0, 32) - _bits(w, shifted, 1) & w.const(0xFF, 32)
            byte = w.ite(w.eq(selector, w.const(k, 32)), value, byte)
        byte = w.ite(w.eq(selector, w.const(12, 32)), w.const(0, 32), byte)
        total = total + w.shl(byte, w.const(place, 32))  # bytes do not overlap
    return total


#: Every arithmetic instruction that is known, by the name any generation gives it.
ALU: Mapping[str, Alu] = {
    **_scalar_logic(32), **_scalar_logic(64), **_scalar_shifts(32), **_scalar_shifts(64),
    **_comparisons(), **_SCALAR, **_VECTOR, **_WITH_FIELDS, **FLOATS,
}  # fmt: skip
