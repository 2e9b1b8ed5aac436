"""Comparisons of integers, of scalar registers and of each lane: entries as `semantics.table` has them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from layoutalg.isa.semantics.entries import Alu, Effect
from layoutalg.isa.semantics.values import Truth, Values, Word
from layoutalg.isa.semantics.words import low_bits, never, signed16


def _comparison(kind: str, letter: str, bits: int = 32) -> Effect:
    def effect(w: Values, a: Word, b: Word) -> Truth:
        less = w.slt if letter == "I" else w.ult
        if bits == 16 and letter == "I":
            a, b = signed16(w, a), signed16(w, b)
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
            case "F":
                return never(w, a)
            case "T":
                return ~never(w, a)
        return ~w.eq(a, b)  # LG of scalar, NE of vector comparisons

    return effect


def _with_constant(kind: str) -> Effect:
    """Of a register with 16 bits of the instruction, which are extended with zeros."""
    compare = _comparison(kind, "U")
    return lambda w, d, k: compare(w, d, low_bits(w, k, 16))


def _all() -> Mapping[str, Alu]:
    found: dict[str, Alu] = {}
    for kind in ("LT", "GE", "GT", "LE", "EQ", "LG"):
        for letter in "IU":
            found[f"S_CMP_{kind}_{letter}32"] = Alu(("scc",), ("a32", "b32"), _comparison(kind, letter))
        found[f"S_CMPK_{kind}_I32"] = Alu(("scc",), ("d32", "k"), _comparison(kind, "I"))
        found[f"S_CMPK_{kind}_U32"] = Alu(("scc",), ("d32", "k"), _with_constant(kind))
    for kind in ("F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"):
        for letter, bits in product("IU", (16, 32, 64)):
            alu = Alu(("m",), (f"a{bits}", f"b{bits}"), _comparison(kind, letter, bits))
            found |= {f"V_CMP_{kind}_{letter}{bits}": alu, f"V_CMPX_{kind}_{letter}{bits}": alu}
    for kind in ("EQ", "LG"):
        found[f"S_CMP_{kind}_U64"] = Alu(("scc",), ("a64", "b64"), _comparison(kind, "U"))
    return found


COMPARISONS: Mapping[str, Alu] = _all()
