"""Matrix instructions as C text: a function for each, by the operand maps of `layoutalg.target`.

As in the numpy reading, elements are multiplied and summed in f64 (integers in 64 bits), and C is added last.  Sums are
in the order of k, which cannot be seen where f64 holds them exactly.
What it cannot represent: products with scales, and elements of fewer than eight bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, isnan

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
    **dict.fromkeys(("i8", "i32"), "int64_t"),
}

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
    places = {"a": a, "b": b, "d": matrix.d}
    tables = (f"static const uint16_t {name}_{role}[] = {{{_flat(one)}}};" for role, one in places.items())
    elements = {role: one.places[0].shape[1] for role, one in places.items()}
    words = matrix_registers(matrix)["d"]
    return f"""{chr(10).join(tables)}
static WHOLE bool {name}(Block *B, Wave *W, uint32_t (*ra)[LANES], uint32_t (*rb)[LANES], uint32_t (*rc)[LANES],
                   uint32_t (*rd)[LANES]) {{
  {kind} a[{m} * {k}], b[{k} * {n}];
  {out} d[{m} * {n}];
  if (!W->full) return refuse(B, "a matrix instruction with inactive lanes"), false;
  if (!{_spread("a", matrix.a_dtype, a, elements["a"], name)}
   || !{_spread("b", matrix.b_dtype, b, elements["b"], name)}) return alike(B);
{_flush("a", m * k, least)}{_flush("b", k * n, least)}  for (unsigned i = 0; i < {m}; i++) {{
    {kind} sum[{n}] = {{0}};
    for (unsigned k = 0; k < {k}; k++)
      for (unsigned j = 0; j < {n}; j++) sum[j] += a[i * {k} + k] * b[k * {n} + j];
    for (unsigned j = 0; j < {n}; j++) d[i * {n} + j] = sum[j];
  }}
  uint32_t result[{words}][LANES] = {{{{0}}}};
  for (unsigned e = 0; e < {elements["d"]}; e++)
    for (unsigned l = 0; l < LANES; l++) {{
      {out} c = rc ? element_{matrix.accumulator}(rc, l, e) : 0;
      c += d[{name}_d[e * LANES + l]];
{_flush_sum(least)}      put_{matrix.accumulator}(result, l, e, c);
    }}
  __builtin_memcpy(rd, result, sizeof result);
  return true;
}}"""


def _flush(array: str, count: int, least: float) -> str:
    number = f"{array}[i]"
    text = f"  for (unsigned i = 0; i < {count}; i++) {_zeroed(number, least)}\n"
    return text if least else ""


def _flush_sum(least: float) -> str:
    return f"      {_zeroed('c', LEAST_SUM)}\n" if least else ""


def _zeroed(number: str, least: float) -> str:
    return f"if (__builtin_fabs({number}) < {least!r}) {number} = __builtin_copysign(0.0, {number});"


def _spread(role: str, dtype: str, places: OperandMap, elements: int, name: str) -> str:
    """Whether a matrix could be made of registers: where several lanes hold an element, all must hold the same."""
    form = "spread_copies" if places.copies > 1 else "spread"
    return f"({form}<{elements}, element_{dtype}>(r{role}, {name}_{role}, {role}))"


def _flat(places: OperandMap) -> str:
    """Where each element of each lane lies in the matrix, row by row."""
    rows, columns = places.places
    flat: Array = (rows * places.shape[1] + columns).T
    return ", ".join(map(str, flat.ravel().tolist()))
