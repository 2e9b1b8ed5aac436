"""Conversions with a scale, of gfx950 (CDNA 4 ISA, V_CVT_SCALEF32_…): entries as in `semantics`.

The scale is a power of two, that of the exponent of an f32; with all bits of its exponent set it is no number.

| of | to | is |
|---|---|---|
| f32, f16, bf16 | fp8, bf8, fp4 | the number divided by the scale, to nearest even |
| fp8, bf8, fp4 | f32, f16, bf16 | the number times the scale |

(AMD's pseudocode; LLVM's MLIR, arith.scaling_truncf and arith.scaling_extf, which ArithToAMDGPU lowers to them.)  Which
byte, or half, of a register holds the narrow numbers bits of `opsel` say: two fp4 lie in one byte.
What it cannot represent: numbers of six bits, stochastic rounding, and single numbers but to f32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from layoutalg.isa.semantics.entries import Alu, Effect
from layoutalg.isa.semantics.values import Values, Word
from layoutalg.isa.semantics.words import low_bits

#: Narrow type → its bits; the bits of two fill a half or a byte.
NARROW_BITS: Mapping[str, int] = {"fp8": 8, "bf8": 8, "fp4": 4}

_FIELDS = frozenset({"opsel"})


def _two(w: Values, first: Word, second: Word, bits: int) -> Word:
    return first | w.shl(second, w.const(bits, 32))


def _narrowed(kind: str, source: str) -> Effect:
    """Two numbers in the part of the result that `opsel` picks, whose other parts are kept."""
    bits = NARROW_BITS[kind]
    name = f"{kind}_of_{source}_scaled"

    def effect(w: Values, *words: Word, opsel: int = 0) -> Word:
        *numbers, scale, old = words
        if source != "f32":
            numbers = [low_bits(w, numbers[0], 16), w.lshr(numbers[0], w.const(16, 32))]
        first, second = (w.function(name, number, scale) for number in numbers)
        both = _two(w, first, second, bits)
        start = 16 * (opsel >> 3) if bits == 8 else 8 * (opsel >> 2)
        others = w.const(~((1 << 2 * bits) - 1 << start), 32)
        return w.shl(both, w.const(start, 32)) | old & others

    return effect


def _widened(kind: str, target: str) -> Effect:
    """The two numbers in the part of the source that `opsel` picks."""
    bits = NARROW_BITS[kind]
    name = f"{target}_of_{kind}_scaled"

    def effect(w: Values, a: Word, scale: Word, *, opsel: int = 0) -> Word:
        start = 2 * bits * opsel
        held = (low_bits(w, w.lshr(a, w.const(start + bits * k, 32)), bits) for k in (0, 1))
        low, high = (w.function(name, one, scale) for one in held)
        return w.pair(low, high) if target == "f32" else _two(w, low, high, 16)

    return effect


def _single(kind: str) -> Effect:
    """One byte as f32."""
    return lambda w, a, scale, *, opsel=0: w.function(
        f"f32_of_{kind}_scaled", low_bits(w, w.lshr(a, w.const(8 * opsel, 32)), 8), scale
    )


def _entries() -> Iterator[tuple[str, Alu]]:
    for kind, bits in NARROW_BITS.items():
        part = 0b1000 if bits == 8 else 0b1100
        for wide in ("f32", "f16", "bf16"):
            reads = ("a32", "b32", "c32", "d32") if wide == "f32" else ("a32", "b32", "d32")
            to = Alu(("d32",), reads, _narrowed(kind, wide), _FIELDS, floats=True, picks=part)
            yield f"V_CVT_SCALEF32_PK_{kind.upper()}_{wide.upper()}", to
            part_of_source = 0b1 if bits == 8 else 0b11
            of = Alu(("d64" if wide == "f32" else "d32",), ("a32", "b32"), _widened(kind, wide), _FIELDS, floats=True,
                     picks=part_of_source)  # fmt: skip
            yield f"V_CVT_SCALEF32_PK_{wide.upper()}_{kind.upper()}", of
        if bits == 8:
            single = Alu(("d32",), ("a32", "b32"), _single(kind), _FIELDS, floats=True, picks=0b11)
            yield f"V_CVT_SCALEF32_F32_{kind.upper()}", single


SCALED: Mapping[str, Alu] = dict(_entries())
