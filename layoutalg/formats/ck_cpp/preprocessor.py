"""`#define`, `#if` and their like: which part of a file counts.

A macro is what the file or `-D` defines.  One that neither does is "not defined" to `#ifdef` and `defined()`; where its
value is asked for (`#if FAST`), the part is left out and the macro asked for: another header may define it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from tree_sitter import Node

from layoutalg.formats.ck_cpp.calls import Returned
from layoutalg.formats.ck_cpp.convert import truth
from layoutalg.formats.ck_cpp.effects import Effects
from layoutalg.formats.ck_cpp.macros import Macros, directed
from layoutalg.formats.ck_cpp.nodes import below, of_part, shown, text
from layoutalg.formats.ck_cpp.scope import Scope
from layoutalg.formats.ck_cpp.values import Broken, Unreadable, Value
from layoutalg.index import TRUE, as_expr

DIRECTIVES = frozenset({"preproc_def", "preproc_function_def", "preproc_call", "preproc_include"})
"""Those that stand alone."""
PARTS = frozenset({"preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "preproc_elifdef"})
"""Those that choose what is compiled."""
PASSED = frozenset({"#pragma", "#warning"})
"""Directives that say nothing of the text."""


@dataclass
class Preprocessor(Effects):
    """The preprocessor's directives as statements."""

    def statement(self, node: Node, scope: Scope) -> Returned | None:
        """One statement."""
        raise NotImplementedError

    def each(self, nodes: Iterable[Node], scope: Scope) -> None:
        """Statements of which each stands for itself."""
        raise NotImplementedError

    def left_out(self, name: str, error: Unreadable, source: str) -> None:
        """Called for what was not read; the reader of a file lists it."""

    macros: Macros = field(default_factory=Macros)
    expanding: list[str] = field(default_factory=list)
    """The macros that are being replaced: within its own text a macro is an ordinary name."""

    def define(self, node: Node, scope: Scope) -> None:
        """`#define`, `#undef` and others; in a function, only those are passed by that change no text."""
        name = directed(node)
        if self.depth and (name or text(node.child_by_field_name("directive")) not in PASSED):
            raise Unreadable(f"the directive {shown(node)!r} in a function is not part of what is read")
        if name:
            self.macros.say(node, name, defined=node.type != "preproc_call")

    def replaced(self, name: str, node: Node) -> Node | None:
        """The expression that a name stands for as a macro of this file, None where it is none there."""
        return None if name in self.expanding else self.macros.replaced(name, node)

    def expanded(self, node: Node, replaced: Node, scope: Scope) -> Value:
        """The value of a macro's expression in the place of a name."""
        self.expanding.append(text(node))
        try:
            self.effects(replaced, scope)
            return self.evaluate(replaced, scope)
        finally:
            self.expanding.pop()

    def is_defined(self, node: Node) -> Value:
        """`defined(X)`: whether the file or `-D` defines it."""
        return as_expr(int(self.defined_at(text(node.named_children[0]) if node.named_children else "", node)))

    def defined_at(self, name: str, node: Node) -> bool:
        """Whether a macro is defined at a node."""
        said = self.macros.at(name, node)
        return name in self.defines if said is None else said.defined

    def conditional_part(self, node: Node, scope: Scope) -> Returned | None:
        """`#if` and `#ifdef`: the part that is compiled; both are left out where the condition is open."""
        part = self.compiled_part(node)
        inside = () if part is None else of_part(part)
        if self.depth == 0:
            self.each(inside, scope)
            return None
        return next((r for child in inside if (r := self.statement(child, scope)) is not None), None)

    def compiled(self, node: Node) -> bool:
        """Whether the part after a `#if` counts; Unreadable where a macro that it asks for has no value here."""
        name = node.child_by_field_name("name")
        if name is not None:
            return self.defined_at(text(name), node) != (node.children[0].type in ("#ifndef", "#elifndef"))
        condition = node.child_by_field_name("condition")
        if condition is None:
            return True
        for child in below(condition):
            said = self.macros.at(text(child), child) if child.type == "identifier" else None
            if said is not None and not said.defined and (child.parent or child).type != "preproc_defined":
                raise Unreadable(f"the macro {text(child)} is asked for its value where it is undefined")
        found = truth(self.evaluate(condition, Scope(None, self.defines)))
        if found.op != "const":
            raise Unreadable(f"whether {found} holds depends on a symbol")
        return found is TRUE

    def compiled_part(self, node: Node | None) -> Node | None:
        """The part of `#if … #elif … #else` that counts, None where none does."""
        while node is not None and not self.compiled(node):
            node = node.child_by_field_name("alternative")
        return node

    def members_of(self, body: Node, scope: Scope) -> Iterator[Node]:
        """The members of a struct; of `#if` and `#else` those that are compiled."""
        for child in of_part(body):
            if child.type in DIRECTIVES:
                self.define(child, scope)
            if not child.type.startswith("preproc_"):
                yield child
            if not child.type.startswith(("preproc_if", "preproc_el")):
                continue
            part = self.attempt(partial(self.compiled_part, child))
            if isinstance(part, Broken):
                self.left_out("members under #if", part.error, text(child))
            elif part is not None:
                yield from self.members_of(part, scope)
