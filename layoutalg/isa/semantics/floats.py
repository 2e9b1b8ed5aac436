"""Floating-point instructions: entries as in `semantics`, each naming a function that the values know.

To the numpy machine the functions are IEEE's; to the symbolic machine they are unknown functions of their arguments, so
that addresses may stand beside sums without anything being said of the sums.

| deviation from the machine | why it does not matter here |
|---|---|
| `rcp` is rounded correctly, the machine's is within 1 ulp | compilers correct the quotient they get from it |
| the payload of a NaN, and a signalling one is taken as quiet | no kernel looks at it |

Denormals are kept and rounding is to nearest, which is what the descriptor must say (`FLOAT_MODE`, refused otherwise).
A packed instruction does two operations, on register pairs; for each of them its modifiers pick a half of each source
(`opsel`, `opsel_hi`) and negate it (`neg`, `neg_hi`): CDNA 3 ISA, "VOP3P".
What it cannot represent: output modifiers, clamping, packed f16.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from layoutalg.isa.semantics.entries import Alu, Effect, table
from layoutalg.isa.semantics.values import Values, Word

#: The descriptor's FLOAT_MODE that is modelled: round to nearest even, denormals kept (AMDGPUUsage, COMPUTE_PGM_RSRC1).
FLOAT_MODE = 0xF0


def _function(name: str) -> Effect:
    return lambda w, *words: w.function(name, *words)


def _relation(name: str) -> Effect:
    return lambda w, *words: w.relation(name, *words)


def _packed_function(name: str) -> Effect:
    """The function of the halves that `opsel` picks in the low word, and of those of `opsel_hi` in the high one."""

    def effect(
        w: Values, *words: Word, opsel: int = 0, opsel_hi: int = 3, opsel_hi2: int = 1, neg: int = 0, neg_hi: int = 0
    ) -> Word:
        upper = opsel_hi | opsel_hi2 << 2
        return w.pair(*(w.function(name, *_halves(w, words, *how)) for how in ((opsel, neg), (upper, neg_hi))))

    return effect


def _halves(w: Values, words: Sequence[Word], high: int, negated: int) -> Iterator[Word]:
    sign = w.const(1 << 31, 32)
    for k, word in enumerate(words):
        half = w.high(word) if high >> k & 1 else w.low(word)
        yield half ^ sign if negated >> k & 1 else half


_PACKED_FIELDS = frozenset({"opsel", "opsel_hi", "opsel_hi2", "neg", "neg_hi"})

_PACKED = {
    f"V_PK_{name.upper()}": Alu(("d64",), reads, _packed_function(name), _PACKED_FIELDS, floats=True)
    for name, reads in (("add_f32", ("a64", "b64")), ("mul_f32", ("a64", "b64")), ("fma_f32", ("a64", "b64", "c64")))
}

_RELATIONS = ("F", "LT", "EQ", "LE", "GT", "LG", "GE", "O", "U", "NGE", "NLG", "NGT", "NLE", "NEQ", "NLT")

FLOATS: Mapping[str, Alu] = {
    **table(
        ("V_ADD_F32", "d32 <- a32 b32", _function("add_f32")),
        ("V_SUB_F32", "d32 <- a32 b32", _function("sub_f32")),
        ("V_SUBREV_F32", "d32 <- a32 b32", lambda w, a, b: w.function("sub_f32", b, a)),
        ("V_MUL_F32 S_MUL_F32", "d32 <- a32 b32", _function("mul_f32")),
        ("V_MAX_F32 V_MAX_NUM_F32", "d32 <- a32 b32", _function("max_f32")),
        ("V_MIN_F32 V_MIN_NUM_F32", "d32 <- a32 b32", _function("min_f32")),
        ("V_FMA_F32", "d32 <- a32 b32 c32", _function("fma_f32")),
        ("V_FMAC_F32", "d32 <- a32 b32 d32", _function("fma_f32")),
        ("V_RCP_IFLAG_F32 V_RCP_F32", "d32 <- a32", _function("rcp_f32")),
        ("V_CVT_U32_F32 S_CVT_U32_F32", "d32 <- a32", _function("u32_of_f32")),
        ("V_CVT_F32_F16", "d32 <- a16", _function("f32_of_f16")),
        ("V_CVT_F16_F32", "d16 <- a32", _function("f16_of_f32")),
        ("V_CVT_PK_F16_F32", "d32 <- a32 b32", lambda w, a, b: _packed(w, "f16_of_f32", a, b)),
        ("V_CVT_PK_BF16_F32", "d32 <- a32 b32", lambda w, a, b: _packed(w, "bf16_of_f32", a, b)),
        *((f"V_CMP_{name}_F32", "m <- a32 b32", _relation(f"{name.lower()}_f32")) for name in _RELATIONS),
        *((f"V_CMP_{name}_F16", "m <- a16 b16", _relation(f"{name.lower()}_f16")) for name in _RELATIONS),
        floats=True,
    ),
    **table(  # sources that are integers have no signs to turn
        ("V_CVT_F32_U32 S_CVT_F32_U32", "d32 <- a32", _function("f32_of_u32")),
        ("V_CVT_F32_I32 S_CVT_F32_I32", "d32 <- a32", _function("f32_of_i32")),
        floats=True,
        signs=False,
    ),
    **_PACKED,
}


def _packed(w: Values, name: str, a: Word, b: Word) -> Word:
    low, high = (w.function(name, word) for word in (a, b))
    return low | w.shl(high, w.const(16, 32))
