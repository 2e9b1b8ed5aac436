"""Conversions between numbers: entries as in `semantics`.

| of | to | rounds |
|---|---|---|
| integers | numbers | to nearest even |
| numbers | integers | towards 0, to the range of the integers; 0 of a NaN |
| numbers | narrower numbers | to nearest even; `PKRTZ` towards 0, whatever the mode |

Numbers of eight bits are of one format or another, which the target says (`fnuz`).
What it cannot represent: stochastic rounding, and normalised integers.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.isa.semantics.entries import Alu, Effect, function, table
from layoutalg.isa.semantics.values import Values, Word


def _pair(name: str) -> Effect:
    """The same function of both sources, in the halves of a register."""
    return lambda w, a, b: w.function(name, a) | w.shl(w.function(name, b), w.const(16, 32))


def _byte(number: int) -> Effect:
    return lambda w, a: w.function("f32_of_u32", w.lshr(a, w.const(8 * number, 32)) & w.const(0xFF, 32))


def _sixteenths(w: Values, a: Word) -> Word:
    """Four bits with a sign, in sixteenths (GCN 3 ISA, V_CVT_OFF_F32_I4; LLVM's folding of amdgcn.cvt.off.f32.i4)."""
    signed = w.ashr(w.shl(a, w.const(28, 32)), w.const(28, 32))
    return w.function("mul_f32", w.function("f32_of_i32", signed), w.const(0x3D800000, 32))


def _below(w: Values, a: Word) -> Word:
    return w.function("i32_of_f32", w.function("floor_f32", a))


def _of_eight(kind: str) -> Effect:
    """One byte as f32; the two bits of `opsel` are its number, the lower bit first (RDNA 4 ISA, V_CVT_F32_FP8)."""

    def effect(w: Values, a: Word, *, opsel: int = 0, fnuz: bool = False) -> Word:
        byte = opsel << 1 & 2 | opsel >> 1 & 1
        held = w.lshr(a, w.const(8 * byte, 32)) & w.const(0xFF, 32)
        return w.function(f"f32_of_{kind}{'fnuz' if fnuz else ''}", held)

    return effect


def _of_two_eights(kind: str) -> Effect:
    """Two bytes of one half."""

    def effect(w: Values, a: Word, *, fnuz: bool = False) -> Word:
        name, mask = f"f32_of_{kind}{'fnuz' if fnuz else ''}", w.const(0xFF, 32)
        low, high = (w.function(name, w.lshr(a, w.const(8 * k, 32)) & mask) for k in (0, 1))
        return w.pair(low, high)

    return effect


def _to_eights(kind: str) -> Effect:
    """Two numbers in one half of the result, which bit 3 of `opsel` picks; the other half is kept."""

    def effect(w: Values, a: Word, b: Word, d: Word, *, opsel: int = 0, fnuz: bool = False) -> Word:
        name = f"{kind}{'fnuz' if fnuz else ''}_of_f32"
        half = w.function(name, a) | w.shl(w.function(name, b), w.const(8, 32))
        if opsel >> 3:
            return w.shl(half, w.const(16, 32)) | d & w.const(0xFFFF, 32)
        return half | d & w.const(0xFFFF0000, 32)

    return effect


def _eights(kind: str) -> Mapping[str, Alu]:
    name, fields = kind.upper(), frozenset({"opsel", "fnuz"})
    to = Alu(("d32",), ("a32", "b32", "d32"), _to_eights(kind), fields, floats=True,
             signs=frozenset("ab"), picks=0b1000)  # fmt: skip
    return {
        f"V_CVT_F32_{name}": Alu(("d32",), ("a32",), _of_eight(kind), fields, floats=True, picks=0b11),
        f"V_CVT_PK_F32_{name}": Alu(("d64",), ("a16",), _of_two_eights(kind), frozenset({"fnuz"}), floats=True),
        f"V_CVT_PK_{name}_F32": to,
    }


CONVERSIONS: Mapping[str, Alu] = {
    **_eights("fp8"),
    **_eights("bf8"),
    **table(
        ("V_CVT_U32_F32 S_CVT_U32_F32", "d32 <- a32", function("u32_of_f32")),
        ("V_CVT_I32_F32 S_CVT_I32_F32", "d32 <- a32", function("i32_of_f32")),
        ("V_CVT_U32_F64", "d32 <- a64", function("u32_of_f64")),
        ("V_CVT_I32_F64", "d32 <- a64", function("i32_of_f64")),
        ("V_CVT_U16_F16", "d16 <- a16", function("u16_of_f16")),
        ("V_CVT_I16_F16", "d16 <- a16", function("i16_of_f16")),
        ("V_CVT_FLR_I32_F32 V_CVT_FLOOR_I32_F32", "d32 <- a32", _below),
        ("V_CVT_F64_F32", "d64 <- a32", function("f64_of_f32")),
        ("V_CVT_F32_F64", "d32 <- a64", function("f32_of_f64")),
        ("V_CVT_F32_F16 S_CVT_F32_F16", "d32 <- a16", function("f32_of_f16")),
        ("V_CVT_F16_F32 S_CVT_F16_F32", "d16 <- a32", function("f16_of_f32")),
        ("V_CVT_PK_F16_F32", "d32 <- a32 b32", _pair("f16_of_f32")),
        ("V_CVT_PK_BF16_F32", "d32 <- a32 b32", _pair("bf16_of_f32")),
        ("V_CVT_PKRTZ_F16_F32 V_CVT_PK_RTZ_F16_F32 S_CVT_PK_RTZ_F16_F32", "d32 <- a32 b32", _pair("f16_of_f32_cut")),
        floats=True,
    ),
    **table(  # sources that are integers, or bits, have no signs to turn
        ("V_CVT_F32_U32 S_CVT_F32_U32", "d32 <- a32", function("f32_of_u32")),
        ("V_CVT_OFF_F32_I4", "d32 <- a32", _sixteenths),
        ("V_CVT_F32_I32 S_CVT_F32_I32", "d32 <- a32", function("f32_of_i32")),
        ("V_CVT_F64_U32", "d64 <- a32", function("f64_of_u32")),
        ("V_CVT_F64_I32", "d64 <- a32", function("f64_of_i32")),
        ("V_CVT_F16_U16", "d16 <- a16", function("f16_of_u16")),
        ("V_CVT_F16_I16", "d16 <- a16", function("f16_of_i16")),
        ("S_CVT_HI_F32_F16", "d32 <- a32", lambda w, a: w.function("f32_of_f16", w.lshr(a, w.const(16, 32)))),
        ("V_CVT_F32_BF16", "d32 <- a16", lambda w, a: w.shl(a, w.const(16, 32))),
        *((f"V_CVT_F32_UBYTE{k}", "d32 <- a32", _byte(k)) for k in range(4)),
        floats=True,
        signs="",
    ),
}
