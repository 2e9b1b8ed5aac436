"""Reciprocals, roots, powers and waves: entries as in `semantics`.

The machine computes them to within an error that its manuals state (CDNA 3 ISA, RDNA 3 ISA, RDNA 4 ISA, notes of each
instruction), here they are rounded correctly or nearly so: what is computed with them is right to that error, and
exact where a compiler corrects it (divisions and roots, which end in a fused step).

| function | f16 | f32 | f64 |
|---|---|---|---|
| `rcp` | 1 ulp | 1 ulp, denormals flushed | 2²⁹ ulp |
| `rsq`, `sqrt` | 1 ulp | 1 ulp, denormals flushed | 2²⁹ ulp |
| `exp`, `log`, to the base 2 | 1 ulp | 1 ulp, denormals flushed | – |
| `sin`, `cos`, of turns; `tanh` | not stated | not stated | – |

So denormals, as argument and as result, are zeros to the f32 functions of the first three lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from layoutalg.isa.semantics.entries import Alu, Row, function, table


def _rows() -> Iterator[Row]:
    for kind in ("f16", "f32", "f64"):
        bits, name = kind[1:], kind.upper()
        one, both = f"d{bits} <- a{bits}", ("rcp", "rsq", "sqrt")
        for operation in both if kind == "f64" else (*both, "exp", "log"):
            names = f"V_{operation.upper()}_{name}" + ("" if kind == "f64" else f" V_S_{operation.upper()}_{name}")
            yield names, one, function(f"{operation}_{kind}")
        for operation in () if kind == "f64" else ("sin", "cos"):
            yield f"V_{operation.upper()}_{name}", one, function(f"{operation}_{kind}")
    for name in ("F16", "F32"):
        yield f"V_TANH_{name}", f"d{name[1:]} <- a{name[1:]}", function(f"tanh_{name.lower()}")
    yield "V_RCP_IFLAG_F32", "d32 <- a32", function("rcp_f32")


TRANSCENDENTAL: Mapping[str, Alu] = table(*_rows(), floats=True)
