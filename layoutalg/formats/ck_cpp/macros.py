"""Macros: what a name is replaced by, and from where to where in a file it is.

A macro's text is put in place of its name, so that `#define A 4 + 4` makes `A * 2` 12.  Here the text is read as one
expression: inside a larger one only where the text is of one piece (a literal, a name, a call, something in
parentheses), else only where it stands alone.  Macros with parameters, and texts that are no expression, have no value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from layoutalg.formats.ck_cpp.nodes import below, shown, text
from layoutalg.formats.ck_cpp.source import cleaned, parsed
from layoutalg.formats.ck_cpp.values import Unreadable

WHOLE = frozenset({
    "number_literal", "identifier", "qualified_identifier", "parenthesized_expression", "call_expression", "true",
    "false", "template_function", "compound_literal_expression",
})  # fmt: skip
"""Expressions of one piece."""
ALONE = frozenset({
    "init_declarator", "argument_list", "parenthesized_expression", "return_statement", "initializer_list",
    "preproc_if", "preproc_elif", "type_descriptor",
})  # fmt: skip
"""Where an expression stands alone."""
ACTING = frozenset({"assignment_expression", "update_expression", "lambda_expression"})
"""Expressions that do something."""
_COMMENT = re.compile(r"//.*|/\*.*?\*/|\\\n", re.DOTALL)

_ACTS = re.compile(r"(?<![=!<>])=(?!=)|<<=|>>=|\+\+|--|[;{}#]|\b(?:return|goto|break|continue|throw)\b")


@dataclass(frozen=True)
class Macro:
    """What a directive says of a name: `value` is None where the text is no expression or `defined` is false."""

    place: tuple[int, int]
    defined: bool
    value: Node | None = None
    acts: bool = False
    """Whether its text may do something beside having a value: assign, declare, return."""


@dataclass
class Macros:
    """The macros of a file's blocks, in the order of their directives."""

    found: dict[str, dict[tuple[int, int], Macro]] = field(default_factory=dict)
    roots: dict[Node, int] = field(default_factory=dict)
    unsettled: dict[str, str] = field(default_factory=dict)
    """Macros of which it is not known where they are defined or undefined, and why."""

    def begin(self, root: Node) -> None:
        """A block of the file, from which directives and uses come."""
        self.roots[root] = len(self.roots)
        self.unsettled |= dict.fromkeys(_inside_functions(root), "is defined or undefined inside a function")

    def say(self, node: Node, name: str, *, defined: bool) -> None:
        """A directive at its place."""
        place = self.place(node)
        if place is not None:
            written = _COMMENT.sub(" ", text(node.child_by_field_name("value")))
            value = _expression(written) if node.type == "preproc_def" else None
            kinds = () if value is None else (child.type for child in below(value))
            acts = not ACTING.isdisjoint(kinds) if value is not None else _ACTS.search(written) is not None
            self.found.setdefault(name, {})[place] = Macro(place, defined, value, acts)

    def place(self, node: Node) -> tuple[int, int] | None:
        """The block and the byte at which a node stands, None for one of a text that was put together here."""
        root = node
        while root.parent is not None:
            root = root.parent
        return (self.roots[root], node.start_byte) if root in self.roots else None

    def at(self, name: str, node: Node) -> Macro | None:
        """What was last said of a name before a node, None where nothing was."""
        found = self.found.get(name)
        if name in self.unsettled:
            raise Unreadable(f"the macro {name} {self.unsettled[name]}")
        if found is None:
            return None
        place = self.place(node)
        if place is None:
            if len(found) > 1:
                raise Unreadable(f"the macro {name} is defined or undefined {len(found)} times")
            return next(iter(found.values()))
        return found[max(before)] if (before := [at for at in found if at < place]) else None

    def refuse_acting(self, node: Node | None) -> None:
        """Unreadable for a statement in which a macro may do what is not seen."""
        for child in below(node) if self.found and node is not None else ():
            macro = self.at(text(child), child) if child.type.endswith("identifier") else None
            if macro is not None and macro.defined and macro.acts:
                raise Unreadable(f"what the macro {text(child)} does is not read")

    def replaced(self, name: str, node: Node) -> Node | None:
        """The expression that a name at a node stands for, None where it is no macro there."""
        macro = self.at(name, node)
        if macro is None or not macro.defined:
            return None
        if macro.value is None:
            raise Unreadable(f"the macro {name} is no expression that is read")
        around = "" if node.parent is None else node.parent.type
        alone = around in ALONE and (around != "init_declarator" or self.place(node) is not None)
        if macro.value.type not in WHOLE and not alone:
            raise Unreadable(f"the macro {name} is {shown(macro.value)!r}, which is not of one piece in a larger text")
        return macro.value


def _expression(written: str) -> Node | None:
    """The expression that a macro's text is, None where it is no single one."""
    try:
        declared = parsed(f"auto _ = {cleaned(written)};").named_children
    except Unreadable:  # nested too deep
        return None
    initial = declared[0].child_by_field_name("declarator") if len(declared) == 1 else None
    value = initial.child_by_field_name("value") if initial is not None else None
    whole = (
        value is not None and not declared[0].has_error and len(declared[0].children_by_field_name("declarator")) == 1
    )
    return value if whole else None


def _inside_functions(root: Node) -> Iterator[str]:
    """The names of which directives inside functions speak."""
    for function in (n for n in below(root) if n.type in ("function_definition", "lambda_expression")):
        for child in below(function):
            if child.type in ("preproc_def", "preproc_function_def", "preproc_call"):
                yield directed(child)


def directed(node: Node) -> str:
    """The name that a directive defines or undefines; empty where it does neither."""
    if node.type != "preproc_call":
        return text(node.child_by_field_name("name"))
    undefines = text(node.child_by_field_name("directive")) == "#undef"
    return _COMMENT.sub(" ", text(node.child_by_field_name("argument"))).strip() if undefines else ""
