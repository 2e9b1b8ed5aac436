"""`#define`, `#if` and their like: which part of a file counts.

A macro is what the file or `-D` defines.  One that neither does is "not defined" to `#ifdef` and `defined()`; where its
value is asked for (`#if FAST`), the part is left out and the macro asked for: another header may define it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from tree_sitter import Node

from layoutalg.formats.ck_cpp.calls import Returned
from layoutalg.formats.ck_cpp.convert import truth
from layoutalg.formats.ck_cpp.effects import Effects
from layoutalg.formats.ck_cpp.nodes import below, of_part, text
from layoutalg.formats.ck_cpp.scope import Scope
from layoutalg.formats.ck_cpp.source import parsed
from layoutalg.formats.ck_cpp.values import Broken, Unreadable
from layoutalg.index import TRUE


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

    def define(self, node: Node, scope: Scope) -> None:
        """`#define NAME value`: an integer, where it is one."""
        name, value = text(node.child_by_field_name("name")), text(node.child_by_field_name("value"))
        if name in self.defines or not value:
            return
        declared = parsed(f"auto _ = {value};").named_children
        initial = next((n for n in below(declared[0]) if n.type == "init_declarator"), None) if declared else None
        expression = initial.child_by_field_name("value") if initial is not None else None
        if expression is not None and not declared[0].has_error:
            scope.names[name] = self.attempt(lambda: self.evaluate(expression, scope))

    def conditional_part(self, node: Node, scope: Scope) -> Returned | None:
        """`#if` and `#ifdef`: the part that is compiled; both are left out where the condition is open."""
        part = self.compiled_part(node, scope)
        inside = () if part is None else of_part(part)
        if self.depth == 0:
            self.each(inside, scope)
            return None
        return next((r for child in inside if (r := self.statement(child, scope)) is not None), None)

    def compiled(self, node: Node, scope: Scope) -> bool:
        """Whether the part after a `#if` counts; Unreadable where a macro that it asks for has no value here."""
        name = node.child_by_field_name("name")
        if name is not None:
            known = scope.find(text(name)) is not None
            return known != text(node).startswith("#ifndef")
        condition = node.child_by_field_name("condition")
        if condition is None:
            return True
        found = truth(self.evaluate(condition, scope))
        if found.op != "const":
            raise Unreadable(f"whether {found} holds depends on a symbol")
        return found is TRUE

    def compiled_part(self, node: Node | None, scope: Scope) -> Node | None:
        """The part of `#if … #elif … #else` that counts, None where none does."""
        while node is not None and not self.compiled(node, scope):
            node = node.child_by_field_name("alternative")
        return node

    def members_of(self, body: Node, scope: Scope) -> Iterator[Node]:
        """The members of a struct; of `#if` and `#else` those that are compiled."""
        for child in of_part(body):
            if not child.type.startswith("preproc_"):
                yield child
                continue
            part = self.attempt(partial(self.compiled_part, child, scope))
            if isinstance(part, Broken):
                self.left_out("members under #if", part.error, text(child))
            elif part is not None:
                yield from self.members_of(part, scope)
