"""Expressions as Python text: what `repr` prints and the spec file reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from layoutalg.index.expr import Expr

_INFIX = {  # operation: (text, binding strength), as in Python
    "mul": (" * ", 12), "div": (" // ", 12), "mod": (" % ", 12), "add": (" + ", 11), "and": (" & ", 9),
    "xor": (" ^ ", 8), "lt": (" < ", 6), "le": (" <= ", 6), "eq": (" == ", 6), "all": (" and ", 4), "any": (" or ", 3),
}  # fmt: skip


def show(e: Expr) -> str:
    """The expression as Python text, fully parenthesised only where it must be."""
    if e.op == "const":
        return str(e.value)
    if e.op == "var":
        return str(e.value.name)
    if e.op not in _INFIX:
        inner = ", ".join(map(repr, e.args))
        return f"table{list(e.value)}[{inner}]" if e.op == "lookup" else f"{e.op}({inner})"
    text, strength = _INFIX[e.op]
    parts = [_operand(a, strength + (1 if i and e.op in ("div", "mod", "mul") else 0)) for i, a in enumerate(e.args)]
    return text.join(parts).replace("+ -", "- ") if e.op == "add" else text.join(parts)


def _operand(e: Expr, outer: int) -> str:
    weak = e.op in _INFIX and _INFIX[e.op][1] < outer
    return f"({e!r})" if weak or (e.op == "const" and e.value < 0 and outer == 13) else repr(e)
