"""Packed floating-point instructions: entries as in `semantics`.

A packed instruction does two operations, on halves of registers or of register pairs; for each of them its modifiers
pick a half of each source (`opsel`, `opsel_hi`) and negate it (`neg`, `neg_hi`): CDNA 3 ISA, "VOP3P".

A mixed one does one operation on f32, or on halves that are f16: of each source `opsel_hi` says whether it is one, and
`opsel` which; `neg_hi` makes it absolute (the same, V_FMA_MIX_F32).  CDNA's manuals call it V_MAD_MIX_F32; on gfx906
and later it is fused (LLVM, FeatureFmaMixInsts), and targets' files give it its name.

How the machine rounds within a sum of two products is in no manual (ROCm/rocm-systems, issue 12056): here it is
computed in f64 and rounded; an f32 of it that is denormal is zero.  CDNA's manuals say that halves are flushed too:
LLVM has seen it of gfx90a alone (llvm-project, pull request 205101), whose file says so.
Of bf16 each operation is exact and rounded once, to nearest, denormals kept (ROCm/rocm-systems, pull requests 11446 and
10913): a sum or a product of two bf16 that is rounded to f32 first comes out the same, since f32 has more than twice
their bits (S. A. Figueroa, "When is double rounding innocuous?", 1995), a fused sum does not.
What it cannot represent: V_PK_FMAC_F16, sums of products in 16 bits; bf16 where the mode flushes, or holds overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from layoutalg.isa.semantics.entries import Alu, Effect, function, table
from layoutalg.isa.semantics.values import Values, Word

_FIELDS = frozenset({"opsel", "opsel_hi", "opsel_hi2", "neg", "neg_hi"})


def _half(w: Values, word: Word, bits: int, high: bool) -> Word:
    if bits == 32:
        return w.high(word) if high else w.low(word)
    return w.lshr(word, w.const(16, 32)) if high else word & w.const(0xFFFF, 32)


def _together(w: Values, low: Word, high: Word, bits: int) -> Word:
    return w.pair(low, high) if bits == 32 else low | w.shl(high, w.const(16, 32))


def _halves(w: Values, words: Sequence[Word], bits: int, high: int, negated: int) -> Iterator[Word]:
    sign = w.const(1 << bits - 1, 32)
    for k, word in enumerate(words):
        half = _half(w, word, bits, bool(high >> k & 1))
        yield half ^ sign if negated >> k & 1 else half


def _packed(*names: str, bits: int) -> Effect:
    """The function of the halves that `opsel` picks in the low half, and of those of `opsel_hi` in the high one.

    Of two functions the second is of the first one's result and the third source.
    """

    def computed(w: Values, words: Sequence[Word]) -> Word:
        if len(names) == 1:
            return w.function(names[0], *words)
        return w.function(names[1], w.function(names[0], *words[:2]), words[2])

    def effect(
        w: Values, *words: Word, opsel: int = 0, opsel_hi: int = 3, opsel_hi2: int = 1, neg: int = 0, neg_hi: int = 0
    ) -> Word:
        upper = opsel_hi | opsel_hi2 << 2
        low, high = (list(_halves(w, words, bits, *how)) for how in ((opsel, neg), (upper, neg_hi)))
        return _together(w, computed(w, low), computed(w, high), bits)

    return effect


def _brain(w: Values, half: Word) -> Word:
    """A bf16 as f32."""
    return w.shl(half, w.const(16, 32))


def _packed_brain(name: str) -> Effect:
    """The same as `_packed`, of bf16."""

    def computed(w: Values, halves: Iterator[Word]) -> Word:
        numbers = [_brain(w, half) for half in halves]
        if name == "fma":
            return w.function("bf16_of_fma_f32", *numbers)
        return w.function("bf16_of_f32", w.function(f"{name}_f32", *numbers))

    def effect(
        w: Values, *words: Word, opsel: int = 0, opsel_hi: int = 3, opsel_hi2: int = 1, neg: int = 0, neg_hi: int = 0
    ) -> Word:
        upper = opsel_hi | opsel_hi2 << 2
        low, high = (computed(w, _halves(w, words, 16, *how)) for how in ((opsel, neg), (upper, neg_hi)))
        return _together(w, low, high, 16)

    return effect


def _numbers(
    kind: str, w: Values, *words: Word, opsel: int = 0, opsel_hi: int = 3, opsel_hi2: int = 1, neg: int = 0,
    neg_hi: int = 0,
) -> Sequence[Word]:  # fmt: skip
    """The sources of a mixed operation, which are f32 or halves, as f32."""
    narrow, sign, numbers = opsel_hi | opsel_hi2 << 2, w.const(1 << 31, 32), []
    for k, word in enumerate(words):
        number = word
        if narrow >> k & 1:
            half = _half(w, word, 16, bool(opsel >> k & 1))
            number = _brain(w, half) if kind == "bf16" else w.function("f32_of_f16", half)
        number = number & ~sign if neg_hi >> k & 1 else number
        numbers.append(number ^ sign if neg >> k & 1 else number)
    return numbers


def _mixed(kind: str) -> Effect:
    """The fused sum of sources that are f32 or halves."""
    return lambda w, *words, **fields: w.function("fma_f32", *_numbers(kind, w, *words, **fields))


def _mixed_half(kind: str, high: bool) -> Effect:
    """The same in one half of the result, whose other half is kept."""

    def effect(w: Values, a: Word, b: Word, c: Word, d: Word, **fields: int) -> Word:
        numbers = _numbers(kind, w, a, b, c, **fields)
        if kind == "bf16":
            half = w.function("bf16_of_fma_f32", *numbers)
        else:
            half = w.function("f16_of_f32", w.function("fma_f32", *numbers))
        kept = _half(w, d, 16, not high)
        return _together(w, *((kept, half) if high else (half, kept)), 16)

    return effect


def _wide(count: int) -> tuple[str, ...]:
    return tuple(f"{role}64" for role in "abc"[:count])


def _narrow(count: int) -> tuple[str, ...]:
    return tuple(f"{role}32" for role in "abc"[:count])


def _entries() -> Iterator[tuple[str, Alu]]:
    for name, count in (("add", 2), ("mul", 2), ("fma", 3)):
        effects = {bits: _packed(f"{name}_f{bits}", bits=bits) for bits in (16, 32)}
        yield f"V_PK_{name.upper()}_F32", Alu(("d64",), _wide(count), effects[32], _FIELDS, floats=True, element=32)
        yield f"V_PK_{name.upper()}_F16", Alu(("d32",), _narrow(count), effects[16], _FIELDS, floats=True, element=16)
    for which in ("max", "min"):
        upper, exact = which.upper(), f"{which}imum_f16"
        for names, functions in (
            ((f"{upper}_F16", f"{upper}_NUM_F16"), (f"{which}_f16",)),
            ((f"{upper}IMUM_F16",), (exact,)),
            ((f"{upper}IMUM3_F16",), (exact, exact)),
        ):
            effect, reads = _packed(*functions, bits=16), _narrow(1 + len(functions))
            for one in names:
                yield f"V_PK_{one}", Alu(("d32",), reads, effect, _FIELDS, floats=True, element=16)
    for kind, suffix in (("f16", ""), ("bf16", "_BF16")):
        yield f"V_FMA_MIX_F32{suffix}", Alu(("d32",), _narrow(3), _mixed(kind), _FIELDS, floats=True, mixed=True)
        for half in ("LO", "HI"):
            reads, effect = (*_narrow(3), "d32"), _mixed_half(kind, high=half == "HI")
            yield f"V_FMA_MIX{half}_{kind.upper()}", Alu(("d32",), reads, effect, _FIELDS, floats=True, mixed=True)
    for name, count in (("add", 2), ("mul", 2), ("fma", 3)):
        brain = Alu(("d32",), _narrow(count), _packed_brain(name), _FIELDS, floats=True, element=16)
        yield f"V_PK_{name.upper()}_BF16", brain


def _dot2(w: Values, a: Word, b: Word, c: Word, *, ftz: bool = False) -> Word:
    return w.function(f"f32_of_dot2_f16{'ftz' if ftz else ''}", a, b, c)


def _dot2_of_halves(*reads: str) -> Alu:
    return Alu(("d32",), reads, _dot2, frozenset({"ftz"}), floats=True)


#: Operations of bf16, which are described of one float mode.
BRAIN = frozenset(name for name, _ in _entries() if name.endswith("_BF16"))

PACKED: Mapping[str, Alu] = {
    **dict(_entries()),
    "V_DOT2_F32_F16": _dot2_of_halves("a32", "b32", "c32"),
    **dict.fromkeys(("V_DOT2C_F32_F16", "V_DOT2ACC_F32_F16"), _dot2_of_halves("a32", "b32", "d32")),
    **table(
        ("V_DOT2_F32_BF16", "d32 <- a32 b32 c32", function("f32_of_dot2_bf16")),
        ("V_DOT2C_F32_BF16", "d32 <- a32 b32 d32", function("f32_of_dot2_bf16")),
        floats=True,
        signs="",
    ),
}
