"""Expressions as Python text: what `repr` prints, and `parse` reads back.

| operation        | text              | operation          | text                       |
|------------------|-------------------|--------------------|----------------------------|
| add, mul         | `a + b`, `a * b`  | lt, le, eq         | `a < b`, `a <= b`, `a == b`|
| div, mod         | `a // b`, `a % b` | all, any, not      | `a and b`, `a or b`, `not a` |
| xor, and         | `a ^ b`, `a & b`  | select, lookup     | `select(c, a, b)` (or min, max), `table[4, 7][i]` |

Parentheses stand only where Python's precedence needs them.  Shared parts are written out each time; what would be
longer than 20 000 characters is shown as `…` and does not read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from layoutalg.index.node import Node

PRIMARY = 99
"""The binding strength of text that never needs parentheses."""

_INFIX = {  # operation: (text, binding strength, the strength that the left and that the right operand needs)
    "mul": (" * ", 12, 12, 13), "div": (" // ", 12, 12, 13), "mod": (" % ", 12, 12, 13), "add": (" + ", 11, 11, 12),
    "and": (" & ", 9, 9, 9), "xor": (" ^ ", 8, 8, 8), "lt": (" < ", 6, 7, 7), "le": (" <= ", 6, 7, 7),
    "eq": (" == ", 6, 7, 7), "all": (" and ", 4, 5, 5), "any": (" or ", 3, 4, 4),
}  # fmt: skip
_NOT = 5
_LENGTH = 20_000
_KEY_LENGTH = 200


class Piece(NamedTuple):
    """Text of an expression in some language, with the binding strength of its outermost operator."""

    text: str
    strength: int = PRIMARY

    def within(self, strength: int) -> str:
        """The text as an operand that must bind at least this strongly."""
        return self.text if self.strength >= strength else f"({self.text})"


def signed_sum(first: str, rest: Sequence[tuple[bool, Piece]], plus: int, times: int) -> Piece:
    """A sum of a first term and others, each given as (is it subtracted, magnitude); + binds as strongly as `plus`."""
    return Piece(first + "".join(f" {'-' if minus else '+'} {p.within(times)}" for minus, p in rest), plus)


def show(e: Node) -> str:
    """The expression as Python text (kept with each node; no recursion, so that depth is not limited)."""
    stack = [e]
    while stack:
        waiting = [a for a in stack[-1].args if a._repr is None]
        if waiting:
            stack += waiting
        else:
            node = stack.pop()
            text = _text(node)
            node._repr = text if len(text) <= _LENGTH else "…"
    assert e._repr is not None
    return e._repr


def order(e: Node) -> str:
    """A sort key that depends on the expression alone: its text while that is short, then a digest of its parts.

    (The text of a deep expression with shared parts can be exponentially long.)
    """
    if e._order is None:
        stack = [e]
        while stack:
            waiting = [a for a in stack[-1].args if a._order is None]
            if waiting:
                stack += waiting
            else:
                node = stack.pop()
                node._order = _key(node)
    assert e._order is not None
    return e._order


def _key(e: Node) -> str:
    parts = [a._order or "" for a in e.args]
    if sum(map(len, parts)) < _KEY_LENGTH:
        return show(e)
    text = "|".join([e.op, str(e.value), *parts])
    return f"~{blake2b(text.encode(), digest_size=16).hexdigest()}"


def _text(e: Node) -> str:
    if e.op == "const":
        return str(e.value)
    if e.op == "var":
        return str(e.value.name)
    if e.op == "not":
        return f"not {_operand(e.args[0], _NOT)}"
    if e.op == "lookup":
        return f"table[{', '.join(map(str, e.value))}][{e.args[0]}]"
    if e.op == "select":
        return _choice(*e.args)
    text, _, left, right = _INFIX[e.op]
    result = _operand(e.args[0], left)
    for a in e.args[1:]:
        minus = e.op == "add" and a.op == "const" and a.value < 0
        result += f" - {-a.value}" if minus else text + _operand(a, right)
    return result


def _choice(condition: Node, left: Node, right: Node) -> str:
    if condition.op == "le" and condition.args == (left, right):
        return f"min({left}, {right})"
    if condition.op == "le" and condition.args == (right, left):
        return f"max({right}, {left})"
    return f"select({condition}, {left}, {right})"


def _operand(e: Node, needed: int) -> str:
    strength = _NOT if e.op == "not" else _INFIX[e.op][1] if e.op in _INFIX else PRIMARY
    return Piece(e._repr or "", strength).within(needed)
