"""Which names a piece of C++ may change, told from its text; a name too many is harmless, one too few is not.

| text                                   | changes                                                      |
|----------------------------------------|--------------------------------------------------------------|
| `s = 1`, `t[0] += 2`, `this->n++`      | s, t, n                                                      |
| `f(s);`, `t.push_back(1);`             | s, t: a call whose result nobody reads is made for something |
| `auto x = f(s);`                       | s where f is the file's and takes a reference                |
| `auto& r = s;` where r or s is changed | both, from then on                                           |
| `[&] { s = 1; }`, `&s`, `std::ref(s)`  | s, from then on: whenever somebody uses what was made        |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from layoutalg.formats.ck_cpp.library import entry
from layoutalg.formats.ck_cpp.nodes import INDIRECT, below, parts_of, text

HARMLESS = frozenset({"printf", "print", "assert", "ignore", "std::ignore", "fprintf"})
REFERRING = frozenset({"ref", "tie", "forward_as_tuple"})
"""Functions whose result refers to their arguments."""
_MAKING = frozenset({"binary_expression", "number_literal", "initializer_list", "compound_literal_expression"})
"""Expressions whose value is a new object."""

_TELLING = frozenset({
    "assignment_expression", "update_expression", "call_expression", "expression_statement", "binary_expression",
    "lambda_expression", "pointer_expression", "init_declarator", "for_range_loop", "field_initializer",
})  # fmt: skip

Handed = Callable[[Node], Iterable[Node]]
"""The arguments of a call that the function may change."""


@dataclass(frozen=True)
class Changes:
    """Names changed; `lasting`: those that may change again at any later time."""

    names: frozenset[str]
    lasting: frozenset[str]


def changes(node: Node, handed: Handed, *, discarded: bool) -> Changes:
    """What a node changes; `discarded`: nobody reads its value, so that each of its calls may change its arguments."""
    lasting = {name for part in _deferred(node) for name in _at_once(part, handed, discarded=discarded)}
    lasting |= set(_referred(node))
    names = set(_at_once(node, handed, discarded=discarded)) | lasting
    shared = [{*ours, *theirs} for ours, theirs in bindings(node)]
    for _ in shared:
        for group in shared:
            if not names.isdisjoint(group):
                lasting |= group
                names |= group
    return Changes(frozenset(names), frozenset(lasting))


@lru_cache(maxsize=2000)
def _telling(node: Node) -> tuple[Node, ...]:
    """The parts of a node that may say what it changes; a function that is called often is looked at once."""
    return tuple(child for child in below(node) if child.type in _TELLING)


def _at_once(node: Node, handed: Handed, *, discarded: bool) -> Iterator[str]:
    """The names that are changed when the node is run, or when a lambda in it is."""
    yield from assigned(node)
    for child in _telling(node):
        if child.type == "call_expression":
            for argument in handed(child):
                yield from identifiers(argument)
        if child.type == "expression_statement" and not discarded:
            inner = child.named_children[0] if child.named_children else child
            left = inner.child_by_field_name("left") if inner.type == "assignment_expression" else None
            yield from _discarded(left or inner)
    if discarded:
        yield from _discarded(node)


def _discarded(node: Node) -> Iterator[str]:
    """The names that a call or a shift may change which is made for its effect alone."""
    for child in _telling(node):
        if child.type == "call_expression" and text(child.child_by_field_name("function")) not in HARMLESS:
            owner = child.child_by_field_name("function")
            if owner is not None and owner.type == "field_expression":
                yield from identifiers(owner.child_by_field_name("argument"))
            yield from identifiers(child.child_by_field_name("arguments"))
        elif child.type == "binary_expression" and text(child.child_by_field_name("operator")) in ("<<", ">>"):
            yield from identifiers(child)


def _deferred(node: Node) -> Iterator[Node]:
    """The bodies of the lambdas in a node, which may be run later."""
    for child in _telling(node):
        body = child.child_by_field_name("body") if child.type == "lambda_expression" else None
        if body is not None:
            yield body


def _referred(node: Node) -> Iterator[str]:
    """The names whose address is taken, or that an object refers to."""
    for child in _telling(node):
        if child.type == "pointer_expression" and text(child).startswith("&"):
            yield from identifiers(child.child_by_field_name("argument"))
        elif child.type == "call_expression" and called_name(child) in REFERRING:
            yield from identifiers(child.child_by_field_name("arguments"))


def bindings(node: Node) -> Iterator[tuple[list[str], list[str]]]:
    """The references that a node declares: their names, and the names that they may stand for."""
    for child in _telling(node):
        kind = {"init_declarator": "value", "for_range_loop": "right"}.get(child.type)
        declarator, source = child.child_by_field_name("declarator"), child.child_by_field_name(kind) if kind else None
        if declarator is not None and source is not None and declarator.type in INDIRECT:
            yield list(identifiers(declarator)), [] if _makes(source) else list(identifiers(source))


def _makes(source: Node) -> bool:
    """Whether an expression makes a new object, which shares nothing with the names in it."""
    name = called_name(source) if source.type == "call_expression" else ""
    return source.type in _MAKING or (name.startswith("make_") and entry(name, "ck_tile") is not None)


def assigned(node: Node) -> Iterator[str]:
    """The names on the left of each assignment in a node, those of subscripts too, and members that are initialized."""
    for child in _telling(node):
        field = {"assignment_expression": "left", "update_expression": "argument"}.get(child.type)
        target = child.child_by_field_name(field) if field else None
        yield from identifiers(target)
        if child.type == "field_initializer":
            yield from (text(n) for n in child.named_children[:1])
        elif target is not None and any(n.type == "this" for n in below(target)):
            yield from (text(n) for n in below(target) if n.type == "field_identifier")


def identifiers(node: Node | None) -> Iterator[str]:
    """The names of variables and functions in a node."""
    yield from (text(n) for n in (below(node) if node is not None else ()) if n.type == "identifier")


def called_name(call: Node) -> str:
    """The last name of what a call calls; empty where it has none."""
    function = call.child_by_field_name("function")
    named = (
        function.child_by_field_name("field")
        if function is not None and function.type == "field_expression"
        else function
    )
    parts = list(parts_of(named)) if named is not None and named.type != "lambda_expression" else []
    return parts[-1][0] if parts else ""
