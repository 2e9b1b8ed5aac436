"""Matrix instructions as C text: a function for each, by the operand maps of `layoutalg.target`.

As in the numpy reading, elements are multiplied and summed in f64 (integers exactly), and C is added last.  Sums are
in the order of k, which cannot be seen where f64 holds them exactly, as it does each product of narrower numbers: so a
product and a sum may be rounded at once.

    4 rows and 8 columns at a time      sum[r] += a[row r][k] * b[k][columns]      in registers of this processor
    lanes that hold a row's columns     one loop of them, from a table of where such runs begin
What it cannot represent: products with scales, and elements of fewer than eight bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, isnan

import numpy as np

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.semantics.matrix import LEAST, LEAST_SUM, is_scaled
from layoutalg.isa.semantics.matrix import registers_of as matrix_registers
from layoutalg.target import CodeFormat
from layoutalg.target.eights import values
from layoutalg.target.operand import MatrixInstruction, OperandMap

#: The type of the arithmetic, by that of the elements.
_ARITHMETIC = {
    **dict.fromkeys(("f16", "bf16", "fp8", "bf8", "f32", "f64"), "double"),
    "i8": "int32_t",  # 2¹⁴ · k of a product
    "i32": "int64_t",
}

#: Rows and columns of a result that are summed at a time.
_ROWS, _COLUMNS = 4, 8

#: What lets a product and a sum be one operation.
_FUSED = '      _Pragma("clang fp contract(fast)")\n'

_NARROW_SUMS = ("f16", "bf16")


def registers_of(instruction: Instruction, matrix: MatrixInstruction) -> Iterator[tuple[Operand, bool]]:
    """The registers that an instruction reads, and then those that it writes, with whether it does."""
    counts = matrix_registers(matrix)
    for role in "abcd":
        operand = operand_of(instruction, role)
        if operand.kind in ("v", "a"):
            yield from ((Operand(operand.kind, operand.index + k), role == "d") for k in range(counts[role]))


class Products:
    """The functions that a kernel calls; `text` has them."""

    def __init__(self, machine: CodeFormat) -> None:
        self.fnuz, self._flushes, self._texts = machine.eights == "fnuz", machine.dots_flush, dict[str, str]()

    @property
    def text(self) -> str:
        """All functions, and the tables of narrow numbers that they read."""
        whole = "\n".join(self._texts.values())
        tables = [self._table(kind) for kind in ("fp8", "bf8") if f"element_{kind}" in whole]
        return "\n".join((*tables, whole))

    def call(self, instruction: Instruction, matrix: MatrixInstruction) -> str:
        """The statement that carries an instruction out."""
        types = {matrix.a_dtype, matrix.b_dtype, matrix.accumulator}
        if is_scaled(instruction.name) or not types <= _ARITHMETIC.keys() or matrix.accumulator in _NARROW_SUMS:
            raise UnsupportedInstructionError(f"{instruction.name} has no compiled text")
        name = f"product_{matrix.name}".replace(".", "_")  # formats stand behind dots
        if name not in self._texts:
            self._texts[name] = _function(name, matrix, LEAST.get(matrix.a_dtype, 0.0) if self._flushes else 0.0)
        given = []
        for role in "abcd":
            operand = operand_of(instruction, role)
            if operand.kind in ("v", "a"):
                given.append(f"W->{operand.kind} + {operand.index}")
            elif (operand.kind, operand.index) == ("int", 0):
                given.append("0")
            else:
                raise UnsupportedInstructionError(f"{instruction}: a matrix operand that is the constant {operand}")
        return f"if (!{name}(B, W, {', '.join(given)})) return FAULT;"

    def _table(self, kind: str) -> str:
        codes = ", ".join(_number(float(one)) for one in values(kind, self.fnuz))
        return (
            f"static const double numbers_{kind}[256] = {{{codes}}};\n"
            f"static inline double element_{kind}(uint32_t (*r)[LANES], unsigned l, unsigned e)"
            f" {{ return numbers_{kind}[r[e / 4][l] >> 8 * (e % 4) & 255]; }}"
        )


def _number(one: float) -> str:
    if isfinite(one):
        return repr(one)
    return '__builtin_nan("")' if isnan(one) else f"{'-' if one < 0 else ''}__builtin_inf()"


def _function(name: str, matrix: MatrixInstruction, least: float) -> str:
    """The text; `least`: what A and B have that is less is 0, as is then what the sum has less than its least."""
    m, n, k = matrix.m, matrix.n, matrix.k
    kind, out = _ARITHMETIC[matrix.a_dtype], _ARITHMETIC[matrix.accumulator]
    a, b = matrix.isa_a or matrix.a, matrix.isa_b or matrix.b
    across = _run(_flat(a, turned=True)) > _run(_flat(a))
    flat = {"a": _flat(a, turned=across), "b": _flat(b), "d": _flat(matrix.d)}
    run = {role: _run(places) for role, places in flat.items()}
    tables = (
        f"static const uint16_t {name}_{role}[] = {{{', '.join(map(str, places[:, :: run[role]].ravel()))}}};"
        for role, places in flat.items()
    )
    elements = {role: len(places) for role, places in flat.items()}
    words, rows, columns = matrix_registers(matrix)["d"], min(_ROWS, m), min(_COLUMNS, n)
    row = f"(i + r) + k * {m}" if across else f"(i + r) * {k} + k"
    return f"""{chr(10).join(tables)}
static WHOLE bool {name}(Block *B, Wave *W, uint32_t (*ra)[LANES], uint32_t (*rb)[LANES], uint32_t (*rc)[LANES],
                   uint32_t (*rd)[LANES]) {{
  typedef {kind} Columns __attribute__((vector_size({columns} * sizeof({kind}))));
  {kind} a[{m} * {k}], b[{k} * {n}];
  {out} d[{m} * {n}];
  if (!W->full) return refuse(B, "a matrix instruction with inactive lanes"), false;
  if (!{_spread("a", matrix.a_dtype, a, elements["a"], run["a"], name)}
   || !{_spread("b", matrix.b_dtype, b, elements["b"], run["b"], name)}) return alike(B);
{_flush("a", m * k, least)}{_flush("b", k * n, least)}  for (unsigned i = 0; i < {m}; i += {rows})
    for (unsigned j = 0; j < {n}; j += {columns}) {{
{_FUSED if matrix.a_dtype != "f64" else ""}      Columns sum[{rows}] = {{}};
      for (unsigned k = 0; k < {k}; k++) {{
        Columns other;
        __builtin_memcpy(&other, b + k * {n} + j, sizeof other);
        for (unsigned r = 0; r < {rows}; r++) sum[r] += a[{row}] * other;
      }}
      for (unsigned r = 0; r < {rows}; r++)
        for (unsigned c = 0; c < {columns}; c++) d[(i + r) * {n} + j + c] = sum[r][c];
    }}
  uint32_t result[{words}][LANES];
  for (unsigned e = 0; e < {elements["d"]}; e++)
    for (unsigned l = 0; l < LANES; l += {run["d"]})
      for (unsigned t = 0; t < {run["d"]}; t++) {{
        {out} c = rc ? element_{matrix.accumulator}(rc, l + t, e) : 0;
        c += d[{name}_d[(e * LANES + l) / {run["d"]}] + t];
{_flush_sum(least)}        put_{matrix.accumulator}(result, l + t, e, c);
      }}
  __builtin_memcpy(rd, result, sizeof result);
  return true;
}}"""


def _flush(array: str, count: int, least: float) -> str:
    number = f"{array}[i]"
    text = f"  for (unsigned i = 0; i < {count}; i++) {_zeroed(number, least)}\n"
    return text if least else ""


def _flush_sum(least: float) -> str:
    return f"        {_zeroed('c', LEAST_SUM)}\n" if least else ""


def _zeroed(number: str, least: float) -> str:
    return f"if (__builtin_fabs({number}) < {least!r}) {number} = __builtin_copysign(0.0, {number});"


def _spread(role: str, dtype: str, places: OperandMap, elements: int, run: int, name: str) -> str:
    """Whether a matrix could be made of registers: where several lanes hold an element, all must hold the same."""
    form = "spread_copies" if places.copies > 1 else "spread"
    return f"({form}<{elements}, {run}, element_{dtype}>(r{role}, {name}_{role}, {role}))"


def _flat(places: OperandMap, turned: bool = False) -> Array:
    """Where each element (first axis) of each lane lies in the matrix, row by row, or column by column."""
    rows, columns = places.places
    flat: Array = (columns * places.shape[0] + rows if turned else rows * places.shape[1] + columns).T
    return flat


def _run(flat: Array) -> int:
    """Lanes, a power of two of them, whose places follow each other, whichever the element."""
    run, lanes = 1, flat.shape[1]
    while 2 * run <= lanes and (flat.reshape(len(flat), -1, 2 * run) - flat[:, :: 2 * run, None]
                                == np.arange(2 * run)).all():  # fmt: skip
        run *= 2
    return run
