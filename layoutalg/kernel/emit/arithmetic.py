"""Arithmetic as C, of operands that are text: how the functions of `program.functions` are written.

>>> from layoutalg.kernel.program import FOLDS, FUNCTIONS
>>> FUNCTIONS["relu"].of(Code(), "x[0]"), FOLDS["max"].of(Code(), "c", "x")
('x[0] < 0.0f ? 0.0f : x[0]', 'x > c || x != x ? x : c')
"""

from __future__ import annotations


class Code:
    """A reading of arithmetic (`program.functions.Arithmetic`)."""

    def number(self, value: float) -> str:
        return f"{value}f"

    def add(self, x: str, y: str) -> str:
        return f"{_operand(x)} + {_operand(y)}"

    def less(self, x: str, y: str) -> str:
        return f"{_operand(x)} < {_operand(y)}"

    def greater(self, x: str, y: str) -> str:
        return f"{_operand(x)} > {_operand(y)}"

    def unequal(self, x: str, y: str) -> str:
        return f"{_operand(x)} != {_operand(y)}"

    def either(self, p: str, q: str) -> str:
        return f"{p} || {q}"

    def choose(self, p: str, x: str, y: str) -> str:
        return f"{p} ? {_operand(x)} : {_operand(y)}"


def _operand(text: str) -> str:
    return f"({text})" if any(f" {sign} " in text for sign in ("+", "<", ">", "!=", "||", "?")) else text


def assigned(place: str, value: str) -> str:
    """A statement that gives a place a value.

    >>> assigned("c", "c + (x < y ? x : y)"), assigned("c", "x")
    ('c += (x < y ? x : y);', 'c = x;')
    """
    added = value.removeprefix(f"{place} + ")
    return f"{place} = {value};" if added == value else f"{place} += {added};"
