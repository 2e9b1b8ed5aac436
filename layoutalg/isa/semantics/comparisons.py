"""Comparisons of integers, of scalar registers and of each lane: entries as `semantics.table` has them."""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.isa.semantics.entries import Alu, Effect
from layoutalg.isa.semantics.values import Truth, Values, Word


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


def _all() -> Mapping[str, Alu]:
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


COMPARISONS: Mapping[str, Alu] = _all()
