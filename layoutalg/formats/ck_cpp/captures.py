"""What a lambda sees of the names around it.

| captures            | its names are                                                    |
|---------------------|------------------------------------------------------------------|
| `[]`, `[&]`, `[&s]` | those around it, with the values of the time when it is called   |
| `[=]`, `[s]`        | copies, with the values of the time when it is made              |
| `[n = e]`           | n, with the value of e when it is made                           |
| `[=, &s]`, `[&n = e]` | not read                                                       |
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from layoutalg.formats.ck_cpp.nodes import required, shown, text
from layoutalg.formats.ck_cpp.scope import Scope
from layoutalg.formats.ck_cpp.values import Unreadable, Value


def captured(node: Node, scope: Scope, evaluate: Callable[[Node, Scope], Value]) -> Scope:
    """The names that a lambda sees: those that it captures by copy keep the value that they have now."""
    listed = node.child_by_field_name("captures")
    if listed is None or listed.has_error:
        raise Unreadable(f"the captures of {shown(node)} are not part of what is read")
    copies = any(text(child) == "=" for child in listed.named_children)
    inner = scope.frozen().inner() if copies else scope.inner()
    inner.closure, referring = True, False
    for child in listed.children:
        names = [text(child)] if child.type == "identifier" else []
        if child.type == "lambda_capture_initializer":
            inner.names[text(child.child_by_field_name("left"))] = evaluate(required(child, "right"), scope)
        elif names and not referring and (level := scope.find_level(names[0])) is not None:
            inner.names[names[0]] = level.names[names[0]]
        if referring and (copies or not names):
            raise Unreadable(f"{shown(child)} is captured by reference in {shown(listed)}")
        referring = text(child) == "&" and child.type == "&"
    return inner
