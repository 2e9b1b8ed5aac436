"""Looking at syntax nodes: their text, the parts of names, parameters, what a statement declares."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from layoutalg.formats.ck_cpp.scope import CppFunction
from layoutalg.formats.ck_cpp.values import CppParameter, Unreadable

INDIRECT = frozenset({
    "reference_declarator", "pointer_declarator", "abstract_reference_declarator", "abstract_pointer_declarator",
})  # fmt: skip
"""Declarators of what stands for something else."""

Part = tuple[str, Node | None]
"""One part of a qualified name, with its template arguments."""


def required(node: Node, name: str) -> Node:
    """A field of a node; Unreadable where the text was too broken for one."""
    child = node.child_by_field_name(name)
    if child is None:
        raise Unreadable(f"{shown(node)} is not part of what is read")
    return child


def text(node: Node | None) -> str:
    """The node's source."""
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def shown(node: Node) -> str:
    """The node's source on one line, shortened."""
    line = " ".join(text(node).split())
    return line if len(line) <= 60 else line[:57] + "…"


def parts_of(node: Node) -> Iterator[Part]:
    """The parts of a name: `A::B<3>::c` has A, B with arguments, c."""
    if node.type in ("qualified_identifier", "dependent_type", "dependent_name"):
        for child in node.named_children:
            yield from parts_of(child)
    elif node.type in ("template_function", "template_type", "template_method"):
        yield text(node.child_by_field_name("name")), node.child_by_field_name("arguments")
    else:
        yield text(node), None


def parameters(node: Node | None) -> tuple[CppParameter, ...]:
    """The parameters of a function or template; one without a name is named by its place."""
    found: list[CppParameter] = []
    for child in node.named_children if node is not None else ():
        if child.type == "comment":
            continue
        default = child.child_by_field_name("default_value") or child.child_by_field_name("default_type")
        names = [n for n in _identifiers(child, default) if n.type in ("identifier", "type_identifier")]
        named = child.child_by_field_name("declarator") or child.child_by_field_name("name")
        if named is not None:
            names = [n for n in _identifiers(named, None) if n.type in ("identifier", "type_identifier")]
        elif child.type not in ("type_parameter_declaration", "variadic_type_parameter_declaration"):
            names = []
        name = text(names[0]) if names else f"#{len(found)}"
        fixed = any(n.type == "type_qualifier" and text(n) == "const" for n in child.named_children)
        indirect = not fixed and any(n.type in (*INDIRECT, "array_declarator") for n in below(child))
        kind = None if points(child) else child.child_by_field_name("type")
        found.append(CppParameter(name, default, child.type.startswith("variadic"), indirect, kind))
    return tuple(found)


def _identifiers(node: Node, stop: Node | None) -> Iterator[Node]:
    """The node and what is below it, but for its default."""
    queue = [node]
    while queue:
        child = queue.pop(0)
        if stop is None or child.id != stop.id:
            yield child
            queue += child.named_children


def takes(function: CppFunction, count: int) -> bool:
    """Whether a call with that many arguments can be of this function."""
    needed = sum(p.default is None and not p.pack for p in function.parameters)
    return needed <= count and (count <= len(function.parameters) or any(p.pack for p in function.parameters))


def of_part(node: Node) -> Iterator[Node]:
    """What stands in a block, or between `#if` and the next `#`."""
    skipped = {n.id for f in ("name", "condition", "alternative") if (n := node.child_by_field_name(f)) is not None}
    yield from (child for child in node.named_children if child.id not in skipped)


DECLARED_TYPES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_INNER = frozenset({"reference_declarator", "parenthesized_declarator", "attributed_declarator"})


def declared_name(node: Node) -> Node | None:
    """The name that a definition or declaration gives: a path, with template arguments where it has them."""
    if node.type in DECLARED_TYPES:
        return node.child_by_field_name("name")
    at = node.child_by_field_name("declarator")
    while at is not None:
        below_it = at.child_by_field_name("declarator")
        inner = below_it or (at.named_children[-1] if at.type in _INNER and at.named_children else None)
        if inner is None:
            return at
        at = inner
    return None


def called(node: Node) -> str:
    """What a statement without a name is called: a directive by its line."""
    if node.type.startswith("preproc_"):
        return " ".join(text(node).split("\n", 1)[0].split())
    return f"the {node.type.replace('_', ' ')}"


def declared_within(node: Node) -> Iterator[str]:
    """The names that a part of a file or of a struct declares, in namespaces and further parts too."""
    for child in node.named_children:
        if child.type in ("declaration", "field_declaration"):
            for declarator in child.children_by_field_name("declarator"):
                yield from names_of(declarator)
        elif child.type in (*DECLARED_TYPES, "function_definition"):
            name = declared_name(child)
            yield from (part for part, _ in [*parts_of(name)][-1:]) if name is not None else ()
        elif child.type == "alias_declaration":
            yield text(child.child_by_field_name("name"))
        elif child.type in _AROUND or child.type.startswith("preproc_"):
            yield from declared_within(child)


_AROUND = frozenset({"namespace_definition", "declaration_list", "template_declaration", "linkage_specification"})


def specialized(node: Node, child: Node) -> str | None:
    """The template that a part of `template <…>` specializes, None where it specializes none.

    With `template <>` it is the first one in the name that has arguments, else the name itself (`template <> f(int)`,
    whose arguments are deduced); with parameters, the last one if it has arguments (`struct S<T*>`).
    """
    name = declared_name(child) if child.type in (*DECLARED_TYPES, "function_definition", "declaration") else None
    if name is None:
        return None
    parts = list(parts_of(name))
    listings = [node]
    while listings[-1].parent is not None and listings[-1].parent.type == "template_declaration":
        listings.append(listings[-1].parent)
    listed = [listing.child_by_field_name("parameters") for listing in listings]
    if any(given is not None and not given.named_children for given in listed):
        return next((part for part, args in parts if args is not None), parts[-1][0])
    return parts[-1][0] if parts[-1][1] is not None else None


def points(node: Node) -> bool:
    """Whether a declarator, or the one of a declaration, is a pointer's: it is not of the type that stands before."""
    declarator = node.child_by_field_name("declarator")
    return "pointer_declarator" in node.type or (declarator is not None and "pointer_declarator" in declarator.type)


def is_constant(declaration: Node) -> bool:
    """Whether a declaration says const or constexpr."""
    return any(c.type == "type_qualifier" and text(c) in ("const", "constexpr") for c in declaration.named_children)


def names_of(node: Node) -> Iterator[str]:
    """The names that a declarator declares."""
    for child in below(node):
        if child.type in ("identifier", "field_identifier"):
            yield text(child)
            if node.type != "structured_binding_declarator":
                return


def below(node: Node) -> Iterator[Node]:
    """The node and everything below it, in order."""
    stack = [node]
    while stack:
        child = stack.pop()
        yield child
        stack += reversed(child.named_children)


def returns(node: Node) -> bool:
    """Whether a body returns something, in other places than a lambda within it."""
    stack = [node]
    while stack:
        child = stack.pop()
        if child.type == "return_statement" and child.named_children:
            return True
        stack += [inner for inner in child.named_children if inner.type != "lambda_expression"]
    return False
