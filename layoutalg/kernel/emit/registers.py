"""Loops over the registers of a tile, and the name of one of them, as text."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from layoutalg.index import Expr
from layoutalg.index.c import c_expression
from layoutalg.kernel.program import Registers

UNROLL = "#pragma unroll\n"


def one_register(registers: Registers) -> str:
    """The register at a tile's Ys."""
    ys = "".join(f"[{y.value.name}]" for y in registers.distribution.y_index)
    return registers.name + (ys or "[0]")


def register_at(registers: Registers, index: Sequence[Expr]) -> str:
    """The register at other Ys."""
    return registers.name + ("".join(f"[{c_expression(y, bits=32, proved=True)}]" for y in index) or "[0]")


def each_register(registers: Registers, body: str, vector: tuple[int, ...] = (), first: tuple[int, ...] = ()) -> str:
    """The body for each Y index but the vector's, unrolled; the first ones outermost."""
    ys = list(enumerate(zip(registers.distribution.y_index, registers.distribution.ys, strict=True)))
    for number, (y, n) in reversed([*(y for y in ys if y[0] in first), *(y for y in ys if y[0] not in first)]):
        if number not in vector:
            name = y.value.name
            body = f"{UNROLL}for (int {name} = 0; {name} < {n}; ++{name}) {{\n{indent(body, '    ')}\n}}"
    return body if body.startswith("#pragma") else f"{{\n{indent(body, '    ')}\n}}"


def set_each(registers: Registers, value: str) -> str:
    """Each register of a tile is given a value."""
    return each_register(registers, f"{one_register(registers)} = {value};")


def guarded(conditions: Sequence[str], body: str) -> str:
    """The body where all conditions hold."""
    return f"if ({' && '.join(conditions)}) {{\n{indent(body, '    ')}\n}}" if conditions else body
