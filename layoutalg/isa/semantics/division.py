"""The steps of a division of numbers: entries as in `semantics`.

A compiler divides n by d so (LLVM, SITargetLowering: LowerFDIV32, LowerFDIV64), the quotient rounded correctly:

    n', d' = scaled n, d;  r ≈ 1 / d';  q ≈ n' · r, bettered;  fmas: the last step, scaled back;  fixup

V_DIV_SCALE says in its mask whether V_DIV_FMAS, which reads VCC, must scale back.  What they do is said, with its
source, in `run.division`, since AMD's pseudocode of both is not what the machine does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from layoutalg.isa.semantics.entries import Alu, Effect, Row, function, table
from layoutalg.isa.semantics.values import Truth, Values, Word


def _scale(kind: str) -> Effect:
    return lambda w, a, b, c: (w.function(f"div_scale_{kind}", a, b, c), w.relation(f"scaled_{kind}", b, c))


def _last_step(kind: str) -> Effect:
    def effect(w: Values, a: Word, b: Word, c: Word, scaled: Truth) -> Word:
        return w.ite(scaled, w.function(f"div_fmas_{kind}", a, b, c), w.function(f"fma_{kind}", a, b, c))

    return effect


def _rows() -> Iterator[Row]:
    for kind in ("f16", "f32", "f64"):
        bits, name = kind[1:], kind.upper()
        three = f"d{bits} <- a{bits} b{bits} c{bits}"
        yield f"V_DIV_FIXUP_{name}", three, function(f"div_fixup_{kind}")
        if kind != "f16":
            yield f"V_DIV_FMAS_{name}", f"{three} n", _last_step(kind)
            yield f"V_DIV_SCALE_{name}", f"d{bits} m <- a{bits} b{bits} c{bits}", _scale(kind)


DIVISION: Mapping[str, Alu] = table(*_rows(), floats=True)
