"""Denormal numbers of f32 that the mode takes for zeros of their sign, as sources and as results.

FP_DENORM has two bits for f32, 4 and 5 of the mode: 0 flushes what instructions read and what they give, 3 keeps both
(ISA manuals, MODE).  Hand-written kernels leave them 0, as no descriptor that a compiler writes does.

| functions | denormals |
|---|---|
| of f32, or to f32 | flushed: here, around the function |
| reciprocals, roots, powers to the base 2, V_MAD_F32, V_DOT2 | flushed whatever the mode says, in the function itself |
| f32 to integers and to types whose least number is greater; f32 of integers and of such types | no matter |
| the class of a number | kept: it is asked of any (LLVM selects V_CMP_CLASS in each mode for is.fpclass) |

| deviation from the machine | why it does not matter here |
|---|---|
| a result less than the least normal number which is rounded to that is none | one unit of the last place of it |

What it cannot represent: modes that flush sources or results alone, significands and exponents, steps of divisions and
f32 of bf16 (`UNSAID`), of which no source says what they make of the mode.
"""

from __future__ import annotations

from typing import Any

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.semantics.overflow import HELD
from layoutalg.isa.semantics.values import Truth, Values, Word

#: The bits of the mode, all or none of which are set.
KEPT = 0x30

#: Instructions that are no function here, and might flush what they give.
UNSAID = frozenset({"V_CVT_F32_BF16"})

#: The function of one f32 that is a zero for a denormal, else the number.
FLUSHED = "flushed_f32"

_FLUSHED = frozenset({
    *(f"{name}_f32" for name in (
        "add", "sub", "mul", "fma", "max", "min", "maximum", "minimum", "med3", "trunc", "floor", "ceil", "rndne",
        "fract", "sin", "cos", "ldexp", "clamp")),
    "f64_of_f32", "f32_of_f64", "bf16_of_f32",
    *(f"{kind}_of_f32_scaled" for kind in ("fp8", "bf8", "fp4")),
    *(f"f32_of_{kind}_scaled" for kind in ("fp8", "bf8", "fp4")),
})  # fmt: skip
_AS_THEY_ARE = frozenset({
    *(f"{name}_f32" for name in ("rcp", "sqrt", "rsq", "exp", "log", "mad")),
    *(f"{kind}_of_f32" for kind in ("i32", "u32", "f16", "fp8", "bf8", "fp8fnuz", "bf8fnuz")), "f16_of_f32_cut",
    *(f"f32_of_{kind}" for kind in (
        "i32", "u32", "f16", "fp8", "bf8", "fp8fnuz", "bf8fnuz", "dot2_f16", "dot2_f16ftz", "dot2_bf16")),
})  # fmt: skip

#: Functions of which a number is the first word alone.
_OF_ONE = ("ldexp_", "fp8_", "bf8_", "fp4_")


class FlushedValues:
    """The values of a machine, whose functions and comparisons of f32 flush denormals."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return getattr(self._values, name)

    def function(self, name: str, *words: Word) -> Word:
        """The function, of flushed sources, and flushed.

        Raises `UnsupportedInstructionError` where it is not known what it makes of denormals.
        """
        plain = name.removesuffix(HELD)
        if "f32" not in plain or plain in _AS_THEY_ARE:
            return self._values.function(name, *words)
        if plain not in _FLUSHED:
            raise UnsupportedInstructionError(f"{plain} where denormals are flushed")
        result, _, source = plain.removesuffix("_scaled").partition("_of_")
        if not source or source == "f32":
            read = 1 if plain.startswith(_OF_ONE) else len(words)
            words = (*map(self._flushed, words[:read]), *words[read:])
        word = self._values.function(name, *words)
        return self._flushed(word) if result.endswith("f32") else word

    def relation(self, name: str, *words: Word) -> Truth:
        """The comparison, of flushed sources."""
        if name.startswith("class_") or not name.endswith("_f32"):
            return self._values.relation(name, *words)
        if name.startswith("scaled_"):
            raise UnsupportedInstructionError(f"{name} where denormals are flushed")
        return self._values.relation(name, *map(self._flushed, words))

    def _flushed(self, word: Word) -> Word:
        return self._values.function(FLUSHED, word)
