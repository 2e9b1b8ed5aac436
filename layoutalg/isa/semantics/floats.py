"""Floating-point arithmetic: entries as in `semantics`, each naming a function that the values know.

To the numpy machine the functions are IEEE's; to the symbolic machine they are unknown functions of their arguments, so
that addresses may stand beside sums without anything being said of the sums.

| rows of | are in |
|---|---|
| sums, products, orders, roundings to integers, significands and exponents | here |
| conversions | `conversions` |
| reciprocals, roots, powers, waves | `transcendental` |
| the steps of a division | `division` |
| conversions with a scale | `scaled` |
| two halves or two words at once, sums of products | `packed` |

| deviation from the machine | why it does not matter here |
|---|---|
| the payload of a NaN, and a signalling one is taken as quiet | no kernel looks at it |

Rounding is to nearest, and denormals are kept, or those of f32 flushed (`flushed`): what else a descriptor says is
refused.
What it cannot represent: output modifiers, clamping, V_MAD_F16 and its kin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from layoutalg.isa.semantics.conversions import CONVERSIONS
from layoutalg.isa.semantics.division import DIVISION
from layoutalg.isa.semantics.entries import Alu, Effect, Row, function, relation, table
from layoutalg.isa.semantics.packed import PACKED
from layoutalg.isa.semantics.scaled import SCALED
from layoutalg.isa.semantics.transcendental import TRANSCENDENTAL
from layoutalg.isa.semantics.values import Values, Word

#: V_MAD_F32 and its kin have no text in the decoder's tables: they round the product, then the sum, and flush denormals
#: (Vega ISA, V_MAD_F32 and V_MAC_F32; LLVM, FMAD_FTZ).
_MAD: tuple[Row, ...] = (
    ("V_MAD_F32 V_MADAK_F32", "d32 <- a32 b32 c32", function("mad_f32")),
    ("V_MADMK_F32", "d32 <- a32 b32 c32", function("mad_f32", (0, 2, 1))),
    ("V_MAC_F32", "d32 <- a32 b32 d32", function("mad_f32")),
)

#: The descriptor's FLOAT_MODE that compilers write: round to nearest even, denormals kept (AMDGPUUsage,
#: COMPUTE_PGM_RSRC1).
FLOAT_MODE = 0xF0

_RELATIONS = ("F", "LT", "EQ", "LE", "GT", "LG", "GE", "O", "U", "NGE", "NLG", "NGT", "NLE", "NEQ", "NLT")


def _then(first: str, second: str) -> Effect:
    """A function of two, and another of its result and a third."""
    return lambda w, a, b, c: w.function(second, w.function(first, a, b), c)


def _zero_wins(w: Values, a: Word, b: Word, product: Word, otherwise: Word) -> Word:
    """What is to be where a factor is zero, also beside an infinity or a NaN; else the product."""
    zero = w.const(0, 32)
    return w.ite(w.relation("eq_f32", a, zero) | w.relation("eq_f32", b, zero), otherwise, product)


def _of_each_type() -> Iterator[Row]:
    for kind in ("f16", "f32", "f64"):
        bits, name = kind[1:], kind.upper()
        two = f"d{bits} <- a{bits} b{bits}"
        yield f"V_ADD_{name}", two, function(f"add_{kind}")
        yield f"V_MUL_{name}", two, function(f"mul_{kind}")
        yield f"V_MAX_{name} V_MAX_NUM_{name}", two, function(f"max_{kind}")
        yield f"V_MIN_{name} V_MIN_NUM_{name}", two, function(f"min_{kind}")
        yield f"V_MAXIMUM_{name}", two, function(f"maximum_{kind}")
        yield f"V_MINIMUM_{name}", two, function(f"minimum_{kind}")
        yield f"V_FMA_{name}", f"d{bits} <- a{bits} b{bits} c{bits}", function(f"fma_{kind}")
        yield f"V_FMAC_{name}", f"d{bits} <- a{bits} b{bits} d{bits}", function(f"fma_{kind}")
        yield f"V_FRACT_{name}", f"d{bits} <- a{bits}", function(f"fract_{kind}")
        yield f"V_FREXP_MANT_{name}", f"d{bits} <- a{bits}", function(f"significand_{kind}")
        for operation in ("TRUNC", "CEIL", "RNDNE", "FLOOR"):
            yield f"V_{operation}_{name}", f"d{bits} <- a{bits}", function(f"{operation.lower()}_{kind}")
        for order in _RELATIONS:
            effect = relation(f"{order.lower()}_{kind}")
            yield f"V_CMP_{order}_{name} V_CMPX_{order}_{name}", f"m <- a{bits} b{bits}", effect


def _of_the_narrow_types() -> Iterator[Row]:
    for kind in ("f16", "f32"):
        bits, name = kind[1:], kind.upper()
        one, two, three = f"d{bits} <- a{bits}", f"d{bits} <- a{bits} b{bits}", f"d{bits} <- a{bits} b{bits} c{bits}"
        yield f"S_ADD_{name}", two, function(f"add_{kind}")
        yield f"S_MUL_{name}", two, function(f"mul_{kind}")
        yield f"V_SUB_{name} S_SUB_{name}", two, function(f"sub_{kind}")
        yield f"V_SUBREV_{name}", two, function(f"sub_{kind}", (1, 0))
        yield f"S_MAX_{name} S_MAX_NUM_{name}", two, function(f"max_{kind}")
        yield f"S_MIN_{name} S_MIN_NUM_{name}", two, function(f"min_{kind}")
        yield f"S_MAXIMUM_{name}", two, function(f"maximum_{kind}")
        yield f"S_MINIMUM_{name}", two, function(f"minimum_{kind}")
        yield f"S_FMAC_{name}", f"d{bits} <- a{bits} b{bits} d{bits}", function(f"fma_{kind}")
        yield f"V_FMAAK_{name}", three, function(f"fma_{kind}")
        yield f"V_FMAMK_{name}", three, function(f"fma_{kind}", (0, 2, 1))
        for operation in ("TRUNC", "CEIL", "RNDNE", "FLOOR"):
            yield f"S_{operation}_{name}", one, function(f"{operation.lower()}_{kind}")
        for which, other in (("max", "min"), ("min", "max")):
            upper, under = which.upper(), other.upper()
            yield f"V_{upper}3_{name} V_{upper}3_NUM_{name}", three, _then(f"{which}_{kind}", f"{which}_{kind}")
            names = f"V_{upper}{under}_{name} V_{upper}{under}_NUM_{name}"
            yield names, three, _then(f"{which}_{kind}", f"{other}_{kind}")
            first, second = f"{which}imum_{kind}", f"{other}imum_{kind}"
            yield f"V_{upper}IMUM3_{name}", three, _then(first, first)
            yield f"V_{upper}IMUM{under}IMUM_{name}", three, _then(first, second)
        yield f"V_MED3_{name} V_MED3_NUM_{name}", three, function(f"med3_{kind}")
        for order in _RELATIONS[1:]:
            yield f"S_CMP_{order}_{name}", f"scc <- a{bits} b{bits}", relation(f"{order.lower()}_{kind}")


_SINGLE: tuple[Row, ...] = (
    ("S_FMAAK_F32", "d32 <- a32 b32 c32", function("fma_f32")),
    ("S_FMAMK_F32", "d32 <- a32 b32 c32", function("fma_f32", (0, 2, 1))),
    (
        "V_MUL_LEGACY_F32 V_MUL_DX9_ZERO_F32",
        "d32 <- a32 b32",
        lambda w, a, b: _zero_wins(w, a, b, w.function("mul_f32", a, b), w.const(0, 32)),
    ),
    (
        "V_FMA_DX9_ZERO_F32",
        "d32 <- a32 b32 c32",
        lambda w, a, b, c: _zero_wins(w, a, b, w.function("fma_f32", a, b, c), c),
    ),
)


def _with_integers() -> Iterator[Row]:
    """Numbers beside integers, which have no signs to turn."""
    for kind, integer in (("f16", "I16"), ("f32", "I32"), ("f64", "I32")):
        bits, name = kind[1:], kind.upper()
        yield f"V_LDEXP_{name}", f"d{bits} <- a{bits} b{integer[1:]}", function(f"ldexp_{kind}")
        yield f"V_FREXP_EXP_{integer}_{name}", f"d{integer[1:]} <- a{bits}", function(f"exponent_of_{kind}")
        names = f"V_CMP_CLASS_{name} V_CMPX_CLASS_{name}"
        yield names, f"m <- a{bits} b{16 if kind == 'f16' else 32}", relation(f"class_{kind}")
    yield "V_TRIG_PREOP_F64", "d64 <- a64 b32", function("two_by_pi_f64")


FLOATS: Mapping[str, Alu] = {
    **table(*_of_each_type(), *_of_the_narrow_types(), *_SINGLE, *_MAD, floats=True),
    **table(*_with_integers(), floats=True, signs="a"),
    **CONVERSIONS,
    **DIVISION,
    **PACKED,
    **SCALED,
    **TRANSCENDENTAL,
}
