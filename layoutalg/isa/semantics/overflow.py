"""Numbers that overflow with FP16_OVFL set in the mode: the greatest number of their type.

"If set, an overflowed FP16 result is clamped to +/- MAX_FP16, regardless of round mode, while still preserving true INF
values" (ISA manuals, MODE).  Conversions to fp8 and bf8 make the greatest number of infinities too (CDNA 4 ISA, 7.3,
the table of FP16_OVFL; Triton's pull request 7337).  Such a function has the name of the plain one and `_held`.
What it cannot represent: reciprocals, powers and roots in 16 bits, of which sources differ (of 1 / 0).
"""

from __future__ import annotations

from typing import Any

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.semantics.values import Values, Word

#: What a held function's name ends with.
HELD = "_held"

#: Types whose numbers are held.
_NARROW = frozenset({"f16", "fp8", "bf8", "fp8fnuz", "bf8fnuz"})

#: Functions that may overflow, and those that never do.
OVERFLOWING = frozenset({
    "add_f16", "sub_f16", "mul_f16", "fma_f16", "f16_of_f32", "f16_of_u16",
    *(f"{kind}_of_{wide}_scaled" for kind in ("fp8", "bf8") for wide in ("f32", "f16", "bf16")),
    *(f"{kind}{suffix}_of_f32" for kind in ("fp8", "bf8") for suffix in ("", "fnuz")),
})  # fmt: skip
_NEVER = frozenset({
    *(f"{name}_f16" for name in (
        "max", "min", "maximum", "minimum", "med3", "trunc", "floor", "ceil", "rndne", "fract", "significand",
        "clamp")),
    "f16_of_f32_cut", "f16_of_i16", "exponent_of_f16",
})  # fmt: skip


def held(name: str) -> str:
    """The function that one of this name is where overflows are held.

    Raises `UnsupportedInstructionError` where it may overflow and is not known to be held.

    >>> held("add_f16"), held("add_f32"), held("f32_of_f16"), held("max_f16")
    ('add_f16_held', 'add_f32', 'f32_of_f16', 'max_f16')
    """
    result = name.partition("_of_")[0] if "_of_" in name else name.rpartition("_")[2]
    if result not in _NARROW or name in _NEVER:
        return name
    if name not in OVERFLOWING:
        raise UnsupportedInstructionError(f"{name} with overflows held to the greatest number")
    return name + HELD


class HeldValues:
    """The values of a machine, whose functions hold what overflows."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return getattr(self._values, name)

    def function(self, name: str, *words: Word) -> Word:
        """The function, held."""
        return self._values.function(held(name), *words)
