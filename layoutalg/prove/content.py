"""An obligation as text that depends on nothing but its content: what caches and certificates are named by.

Every node is a line that names its operation, its arguments by line number, and its value; a variable's line says its
limits.  Two obligations with one text are the same statement (labels and what a witness shows are left out).
"""

from __future__ import annotations

import hashlib

from layoutalg.index import Expr, postorder
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Onto


def content(obligation: Obligation) -> str:
    """The text of an obligation.

    >>> from layoutalg.index import var
    >>> print(content(ForAll("small", var("i", 9) < 4)))
    0 const 1
    1 var i 0 8 None 1 False
    2 const 4
    3 lt 1 2
    forall given 0 goal 3
    """
    variables = obligation.variables
    extents = [v.value.extent for v in variables if v.value.extent is not None]
    where = (obligation.where,) if isinstance(obligation, Onto) else ()
    numbers: dict[Expr, int] = {}
    lines: list[str] = []
    for node in postorder(*extents, *obligation.roots, *where, *variables):
        numbers[node] = len(lines)
        lines.append(f"{len(lines)} {node.op} {_value(node, numbers)}".rstrip())
    named = " ".join(str(numbers[r]) for r in obligation.roots[1:])
    given = numbers[obligation.given]
    if isinstance(obligation, ForAll):
        return "\n".join([*lines, f"forall given {given} goal {named}"])
    over = " ".join(str(numbers[v]) for v in obligation.over)
    if isinstance(obligation, InjectiveMap):
        return "\n".join([*lines, f"injective given {given} over {over} outputs {named}"])
    targets = " ".join(str(numbers[v]) for v in obligation.targets)
    counts = numbers[obligation.where]
    return "\n".join([*lines, f"onto given {given} over {over} outputs {named} targets {targets} where {counts}"])


def _value(node: Expr, numbers: dict[Expr, int]) -> str:
    if node.op == "var":
        s = node.value
        extent = None if s.extent is None else numbers.get(s.extent, s.extent)
        return f"{s.name} {s.lo} {s.hi} {extent} {s.multiple_of} {s.power_of_two}"
    args = " ".join(str(numbers[a]) for a in node.args)
    return args if node.value is None else f"{args} {node.value}".strip()


def digest(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
