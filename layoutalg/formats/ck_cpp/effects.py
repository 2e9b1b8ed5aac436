"""Breaking the names that are changed out of sight: whoever asks for one of them hears what may have set it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from tree_sitter import Node

from layoutalg.formats.ck_cpp.calls import Caller
from layoutalg.formats.ck_cpp.changes import HARMLESS, Changes, bindings, called_name, changes, identifiers
from layoutalg.formats.ck_cpp.library import SIZES, entry
from layoutalg.formats.ck_cpp.methods import FIELDS, TYPES
from layoutalg.formats.ck_cpp.nodes import INDIRECT, below, parameters, shown, text
from layoutalg.formats.ck_cpp.scope import CppFunction, Scope, Struct
from layoutalg.formats.ck_cpp.source import LISTS
from layoutalg.formats.ck_cpp.templates import template
from layoutalg.formats.ck_cpp.values import Broken, CppParameter, TemplatePattern, Unreadable

CASTS = frozenset(
    {"static_cast", "to_number", "generate_tuple", "make_functor_transform", "type_convert", "bit_cast", "get"}
)
"""Further functions that change nothing."""


@dataclass
class Effects(Caller):
    """Keeps values that may have changed from being read."""

    indirect: set[str] = field(default_factory=set)
    """Names of types that are references or pointers."""

    def unparsed(self, node: Node, scope: Scope) -> None:
        """What is no C++ to the grammar: a function with it is not read; in a file, the names in it are broken."""
        if self.depth:
            raise Unreadable(f"{shown(node)!r} is not what the grammar can parse")
        for name in {text(n) for n in below(node) if n.type == "identifier"}:
            if scope.find_level(name) is not None:
                reason = f"{name} is not known: it stands in {shown(node)!r}, which the grammar cannot parse"
                scope.assigned(name, Broken(Unreadable(reason, self.line), changed=True))

    def spoil(self, node: Node, scope: Scope, reason: str) -> None:
        """Breaks every name that a statement which is not run would set."""
        self.broken_by(changes(node, partial(self.handed, scope), discarded=True), scope, reason)

    def effects(self, node: Node, scope: Scope, *, after: bool = False) -> None:
        """Breaks every name that an expression sets beside giving a value.

        Before it is evaluated, those that the file's own text sets; after, those that foreign functions may set too.
        """
        found = changes(node, partial(self.handed if after else self.taken, scope), discarded=False)
        if found.names:
            self.broken_by(found, scope, f"it may be set in {shown(node)!r}")

    def broken_by(self, found: Changes, scope: Scope, reason: str) -> None:
        """Breaks the names that are changed, but for constants and functions."""
        for name in found.names:
            level = scope.find_level(name)
            if (
                level is None
                or name in level.constant
                or isinstance(level.names[name], CppFunction | Struct | TemplatePattern)
            ):
                continue
            error = Unreadable(f"{name} is not known: {reason}", self.line)
            scope.assigned(name, Broken(error, changed=True, lasting=name in found.lasting))

    def handed(self, scope: Scope, call: Node) -> Iterator[Node]:
        """The arguments of a call that a function may take by reference, of this file or of another."""
        yield from self.taken(scope, call)
        name, given = called_name(call), call.child_by_field_name("arguments")
        if given is not None and name and not (known(name) or self.takers(name, scope)):
            yield from (argument for argument in given.named_children if argument.type == "identifier")

    def taken(self, scope: Scope, call: Node) -> Iterator[Node]:
        """The arguments of a call that a function of the file takes by reference."""
        takers, callee = self.takers(called_name(call), scope), call.child_by_field_name("function")
        if callee is not None and callee.type == "lambda_expression":
            declarator = callee.child_by_field_name("declarator")
            takers = [parameters(declarator.child_by_field_name("parameters") if declarator is not None else None)]
        given = call.child_by_field_name("arguments")
        for n, argument in enumerate(c for c in (given.named_children if given else ()) if c.type != "comment"):
            if any(taken[min(n, len(taken) - 1)].by_reference for taken in takers if taken):
                yield argument

    def takers(self, name: str, scope: Scope) -> list[tuple[CppParameter, ...]]:
        """The parameters of each function of the file that a name may mean."""
        level = scope.find_level(name)
        local = [level.names[name]] if level is not None and isinstance(level.names[name], CppFunction) else []
        return [function.parameters for function in (*local, *self.functions.get(name, ()))]

    def set_by(self, function: CppFunction) -> None:
        """Breaks the names outside a function that it sets: when it is called is not followed."""
        found = changes(function.body.parent or function.body, partial(self.handed, function.scope), discarded=False)
        names = found.names - {parameter.name for parameter in function.parameters}
        self.broken_by(Changes(names, names), function.scope, f"{function.name} may set it")

    def shares(self, declarator: Node, value: Node, kind: Node | None, scope: Scope) -> frozenset[str]:
        """The names of a reference and of what it stands for, where one of them is changed in the function."""
        target = declarator.child_by_field_name("declarator")
        if text(kind) not in self.indirect and (target is None or target.type not in INDIRECT):
            return frozenset()
        whole = declarator
        while whole.parent is not None and whole.type != "function_definition":
            whole = whole.parent
        group = frozenset((*identifiers(target), *(name for _, names in bindings(declarator) for name in names)))
        group |= frozenset(identifiers(value)) if text(kind) in self.indirect else frozenset()
        changed = changes(whole, partial(self.handed, scope), discarded=False).names
        return frozenset() if group.isdisjoint(changed) else group


def known(name: str) -> bool:
    """Whether a function, a method or a type of that name is known to change nothing."""
    tables = (SIZES, CASTS, HARMLESS, LISTS, FIELDS, *(members for _, members in TYPES))
    return entry(name, "ck_tile") is not None or template(name) is not None or any(name in table for table in tables)
