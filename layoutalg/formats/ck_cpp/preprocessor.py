"""`#define`, `#if` and their like: which part of a file counts.

A macro is what the file or `-D` says: `-D FAST=1`, or `-D FAST=undefined`.  Of one that neither speaks of, the
compiler, its target, a flag or another header decides: the parts of its `#ifdef`, `defined()` or `#if FAST` are left
out, what they declare is not known, and the macro is asked for.  `-D __gfx942__=1` says of every `__gfx…__` whether it
is defined.

`#ifndef X` right before `#define X` guards an include or gives a default: it is read, and a default is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from tree_sitter import Node

from layoutalg.formats.ck_cpp.calls import Returned
from layoutalg.formats.ck_cpp.convert import truth
from layoutalg.formats.ck_cpp.effects import Effects
from layoutalg.formats.ck_cpp.macros import Macros, directed
from layoutalg.formats.ck_cpp.nodes import below, declared_within, of_part, shown, text
from layoutalg.formats.ck_cpp.scope import Scope
from layoutalg.formats.ck_cpp.values import Broken, Open, Unreadable, Value
from layoutalg.index import TRUE, as_expr

DIRECTIVES = frozenset({"preproc_def", "preproc_function_def", "preproc_call", "preproc_include"})
"""Those that stand alone."""
PARTS = frozenset({"preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "preproc_elifdef"})
"""Those that choose what is compiled."""
PASSED = frozenset({"#pragma", "#warning"})
"""Directives that say nothing of the text."""
UNDEFINED = "undefined"
"""What `-D` gives a macro that is not defined."""
_FAMILY = re.compile(r"__gfx([0-9a-f]+)__")
_PROCESSOR = re.compile(r"__gfx(9[0-9][0-9a-f]|1[0-9]{3})__")
"""clang defines one `__gfx<number>__` for the processor that it compiles for (clang, AMDGPU target macros); CK's
`include/ck_tile/core/config.hpp` defines those of families (`__gfx9__`, `__gfx94__`, `__gfx103__`) by it."""


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
    compiled_ids: set[int] = field(default_factory=set)
    """The parts that are compiled."""
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
        last = self.macros.at(name, node)
        if last is not None:
            return last.defined
        if name in self.defines:
            given = self.defines[name]
            return not (isinstance(given, Open) and given.path == UNDEFINED)
        family = _FAMILY.fullmatch(name)
        processors = [(macro, found[1]) for macro in self.defines if (found := _PROCESSOR.fullmatch(macro))]
        if family is not None and processors:
            return any(self.defined_at(macro, node) and number.startswith(family[1]) for macro, number in processors)
        raise Unreadable(
            f"whether {name} is defined is up to the compiler, its target or another header; give -D {name}=1, "
            f"or -D {name}={UNDEFINED}"
        )

    def conditional_part(self, node: Node, scope: Scope) -> Returned | None:
        """`#if` and `#ifdef`: the part that is compiled; both are left out where the condition is open."""
        part = self.chosen(node)
        inside = () if part is None else of_part(part)
        if self.depth == 0:
            self.each(inside, scope)
            return None
        return next((r for child in inside if (r := self.statement(child, scope)) is not None), None)

    def chosen(self, node: Node) -> Node | None:
        """The part that counts; where that is open, what any of them declares is not known."""
        try:
            part = self.compiled_part(node)
            self.compiled_ids.update(() if part is None else {part.id})
            return part
        except Unreadable as error:
            for child in below(node):
                if child.type in ("preproc_def", "preproc_function_def", "preproc_call") and directed(child):
                    self.macros.unsettled[directed(child)] = f"is defined or undefined where {error.reason}"
            for name in declared_within(node):
                self.doubtful.setdefault(name, f"{name} is declared where {error.reason}")
            raise

    def told_default(self, name: str, node: Node) -> None:
        """Called where a macro's default is read; the reader of a file lists it."""

    def compiled(self, node: Node) -> bool:
        """Whether the part after a `#if` counts; Unreadable where a macro that it asks for has no value here."""
        name = node.child_by_field_name("name")
        if name is not None and _is_default(node, text(name)) and not self.is_mentioned(text(name), node):
            self.told_default(text(name), node)
            return True
        if name is not None:
            return self.defined_at(text(name), node) != (node.children[0].type in ("#ifndef", "#elifndef"))
        condition = node.child_by_field_name("condition")
        if condition is None:
            return True
        for child in below(condition):
            if child.type != "identifier" or (child.parent or child).type == "preproc_defined":
                continue
            if self.is_mentioned(text(child), child) and not self.defined_at(text(child), child):
                raise Unreadable(f"the macro {text(child)} is asked for its value where it is undefined")
        found = truth(self.evaluate(condition, Scope(None, self.defines)))
        if found.op != "const":
            raise Unreadable(f"whether {found} holds depends on a symbol")
        return found is TRUE

    def aside(self, node: Node) -> Node | None:
        """The part of a `#if` around a node that is not compiled, or of which that is not known; None where none is."""
        at: Node | None = node
        while at is not None:
            if at.type in PARTS:
                if at.id not in self.compiled_ids:
                    return at
                while at.parent is not None and at == at.parent.child_by_field_name("alternative"):
                    at = at.parent
            at = at.parent
        return None

    def is_mentioned(self, name: str, node: Node) -> bool:
        """Whether the file or `-D` says anything of a macro before a node."""
        return self.macros.at(name, node) is not None or name in self.defines

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
            part = self.attempt(partial(self.chosen, child))
            if isinstance(part, Broken):
                self.left_out("members under #if", part.error, text(child))
            elif part is not None:
                yield from self.members_of(part, scope)


def _is_default(node: Node, name: str) -> bool:
    """Whether a part is `#ifndef X` with `#define X` as its first line: a guard of an include, or a default."""
    first = next((child for child in of_part(node) if child.type != "comment"), None)
    defines = first is not None and first.type in ("preproc_def", "preproc_function_def") and directed(first) == name
    return defines and node.children[0].type == "#ifndef"
