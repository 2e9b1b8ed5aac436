"""Byte addresses as affine maps over F₂: where nothing carries, a sum is an xor, and each lane bit adds a column.

    address = constant ⊕ Σ (column of each bit that is set)

Read off the expression, bottom up: each node has the bits that it may set, its value at 0, and a column for each bit of
each variable.  A sum whose parts share no bit is an xor; a product by a power of two, a division and a remainder move
and mask columns.  A variable whose length is no power of two is taken with all its bits: what holds of all holds of
fewer.  None where something carries.  What it cannot represent: padding that is no power of two, cyclic shifts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from layoutalg.index import Expr, postorder

Columns = tuple[int, ...]


@dataclass(frozen=True)
class Affine:
    """A number over F₂: which bits may be set, the value where all variables are 0, and a column for each input bit."""

    mask: int
    constant: int
    columns: Columns


@dataclass(frozen=True)
class Reading:
    """An expression read over F₂, with the place of each variable's first bit."""

    value: Affine
    places: dict[Expr, int]

    def columns(self, variable: Expr) -> Columns:
        """What each bit of a variable contributes; none where the expression does not depend on it."""
        if variable not in self.places:
            return (0,) * int(variable.hi).bit_length()
        first = self.places[variable]
        return self.value.columns[first : first + int(variable.hi).bit_length()]


def read_linear(root: Expr) -> Reading | None:
    """The expression over F₂, None where it is not affine.

    >>> from layoutalg.index import var
    >>> row, k = var("row", 8), var("k", 8)
    >>> reading = read_linear(row * 128 + (k ^ row % 4) * 16)
    >>> reading.columns(row), reading.columns(k)
    ((144, 288, 512), (16, 32, 64))
    >>> read_linear(row * 24) is None
    True
    """
    nodes = postorder(root)
    places: dict[Expr, int] = {}
    count = 0
    for v in nodes:
        if v.op == "var":
            if v.lo < 0 or v.hi == math.inf:
                return None
            places[v] = count
            count += int(v.hi).bit_length()
    seen: dict[Expr, Affine] = {}
    for node in nodes:
        made = _variable(node, places[node], count) if node.op == "var" else _node(node, seen, count)
        if made is None:
            return None
        seen[node] = made
    return Reading(seen[root], places)


def _variable(node: Expr, first: int, count: int) -> Affine:
    bits = int(node.hi).bit_length()
    columns = (0,) * first + tuple(1 << n for n in range(bits)) + (0,) * (count - first - bits)
    return Affine((1 << bits) - 1, 0, columns)


def _node(node: Expr, seen: dict[Expr, Affine], count: int) -> Affine | None:
    if node.op == "const":
        return Affine(node.value, node.value, (0,) * count) if node.value >= 0 else None
    args = [seen[a] for a in node.args]
    if node.op == "add":
        return _sum(args)
    if node.op == "xor":
        return _together(args)
    if node.op not in ("mul", "div", "mod", "and"):
        return None
    by = node.args[1]
    if by.op != "const" or by.value < 0:
        return None
    if node.op == "and":
        return _masked(args[0], by.value)
    if node.op == "mul":
        return _sum([_shifted(args[0], n) for n in range(by.value.bit_length()) if by.value >> n & 1])
    if by.value & (by.value - 1):
        return None
    power = by.value.bit_length() - 1
    return _shifted(args[0], -power) if node.op == "div" else _masked(args[0], by.value - 1)


def _sum(parts: list[Affine]) -> Affine | None:
    """A sum, where no two parts may set one bit."""
    taken = 0
    for part in parts:
        if taken & part.mask:
            return None
        taken |= part.mask
    return _together(parts)


def _together(parts: list[Affine]) -> Affine:
    total = parts[0]
    for part in parts[1:]:
        columns = tuple(a ^ b for a, b in zip(total.columns, part.columns, strict=True))
        total = Affine(total.mask | part.mask, total.constant ^ part.constant, columns)
    return total


def _shifted(a: Affine, by: int) -> Affine:
    if by >= 0:
        return Affine(a.mask << by, a.constant << by, tuple(c << by for c in a.columns))
    return Affine(a.mask >> -by, a.constant >> -by, tuple(c >> -by for c in a.columns))


def _masked(a: Affine, mask: int) -> Affine:
    return Affine(a.mask & mask, a.constant & mask, tuple(c & mask for c in a.columns))
