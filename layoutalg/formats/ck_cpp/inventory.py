"""What a file builds, counted by its calls alone: so that what the reader passes by is named too.

Each call of a function that makes a layout, a view, a tile window or an access of one belongs to the innermost function
whose body it stands in, or to the statement outside functions.  A place that gave an item is checked, one that could
not be read is told with its reason; every other place is listed here with what it holds.  Nothing is evaluated: the
syntax tree says all, so that the list does not depend on how far the reading came.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from layoutalg.formats.ck_cpp.nodes import below, declared_name, names_of, parts_of, shown, text

KINDS: Mapping[str, re.Pattern[str]] = {
    "tile window": re.compile(r"make_\w*tile_window\w*"),
    "tensor view": re.compile(r"make_\w*tensor_view\w*|transform_tensor_view"),
    "access": re.compile(r"(?:async_)?(?:load|store|update)_tile(?:_\w+)?|shuffle_tile|transpose_tile\w*"),
    "layout": re.compile(
        r"make_\w*(?:descriptor|distribution|adaptor|_transform)\w*|transform_tensor_\w+|chain_tensor_adaptors\w*|"
        r"tile_distribution_encoding"
    ),
}
"""The functions of CK and CK Tile that make each kind, the first that fits; `access` moves a tile through a window."""
UNCLAIMED = ("tile window", "access")
"""Kinds of which nothing is claimed, wherever they stand."""
_NAMES = frozenset({
    "template_function", "template_method", "qualified_identifier", "field_expression", "dependent_name",
    "template_type", "compound_literal_expression",
})  # fmt: skip
_STATEMENTS = frozenset({"declaration", "field_declaration", "alias_declaration", "expression_statement"})


@dataclass
class Place:
    """A function, or a statement outside functions: its name, its lines, and the calls in it by kind, with lines."""

    name: str
    node: Node
    first: int
    last: int
    calls: dict[str, list[int]] = field(default_factory=dict)

    def described(self, kinds: tuple[str, ...] = tuple(KINDS)) -> str:
        """What it makes: `2 layouts (lines 3, 4), 1 tile window (line 9)`."""
        parts = []
        for kind in (k for k in kinds if k in self.calls):
            lines = Counter(self.calls[kind])
            plural = "" if lines.total() == 1 else "es" if kind == "access" else "s"
            at = ", ".join(map(str, lines))
            parts.append(f"{lines.total()} {kind}{plural} (line{'' if len(lines) == 1 else 's'} {at})")
        return ", ".join(parts)


def makes_something(source: str) -> bool:
    """Whether a text names a function of any kind: for one that has no syntax tree."""
    return any(pattern.fullmatch(word) for word in set(re.findall(r"\w+", source)) for pattern in KINDS.values())


def inventory(root: Node, first_line: int) -> list[Place]:
    """Every place in a syntax tree that makes a layout, a view, a window or an access, in order."""
    found: dict[int, Place] = {}
    for node in below(root):
        kind = _kind(node)
        at = _place(node) if kind is not None else None
        if kind is None or at is None:
            continue
        lines = first_line + at.start_point[0], first_line + at.end_point[0]
        if at.id not in found:
            found[at.id] = Place(_name(at), at, *lines)
        found[at.id].calls.setdefault(kind, []).append(first_line + node.start_point[0])
    return list(found.values())


def _kind(node: Node) -> str | None:
    """Which kind a name makes where it is called, None for any other node."""
    if not node.type.endswith("identifier") or node.named_child_count:
        return None
    name = text(node)
    kind = next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(name)), None)
    if kind is None:
        return None
    whole = node
    while whole.parent is not None and whole.parent.type in _NAMES and _last(whole.parent, whole):
        whole = whole.parent
    around = whole.parent
    called = around is not None and around.type == "call_expression" and around.child_by_field_name("function") == whole
    broken = around is not None and around.type == "ERROR"
    return kind if called or broken or whole.type in ("compound_literal_expression", "template_type") else None


def _last(parent: Node, child: Node) -> bool:
    """Whether a part of a name is the one that is called: not an argument of its template, nor its owner."""
    names = [parent.child_by_field_name(f) for f in ("name", "field", "type")]
    return child in names or child == next(iter(reversed(parent.named_children)), None)


def _place(node: Node) -> Node | None:
    """The function in whose body a node stands, else its statement, else the part of the file that is broken."""
    at, outermost = node, None
    while at.parent is not None:
        body = at.parent.child_by_field_name("body") if at.parent.type == "function_definition" else None
        if body is not None and body == at:
            return at.parent
        at = at.parent
        if at.type in _STATEMENTS or at.type == "ERROR":
            outermost = at
        if at.type == "function_definition":  # a type or a default: no body of it
            return outermost
    return outermost


def _name(node: Node) -> str:
    if node.type == "function_definition":
        name = declared_name(node)
        parts = list(parts_of(name)) if name is not None else []
        return parts[-1][0] if parts else shown(node)
    if node.type == "alias_declaration":
        return text(node.child_by_field_name("name"))
    names: Iterator[str] = (n for d in node.children_by_field_name("declarator") for n in names_of(d))
    return next(names, "") or shown(node)
