"""What names mean: qualified ones, with template arguments, members, macros."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from layoutalg.formats.ck_cpp import methods
from layoutalg.formats.ck_cpp.nodes import Part, parts_of, shown, text
from layoutalg.formats.ck_cpp.scope import CppFunction, Scope, Struct, defined, member
from layoutalg.formats.ck_cpp.templates import template
from layoutalg.formats.ck_cpp.values import Method, Open, TemplatePattern, Unreadable, Value

NAMESPACES = frozenset({"ck", "ck_tile", "std", "math", "detail", "impl", "core"})


@dataclass
class NameLookup:
    """Looks names up; what an expression is worth is the evaluator's."""

    defines: Mapping[str, Value]
    dialect: str
    functions: dict[str, list[CppFunction]] = field(default_factory=dict)
    doubtful: dict[str, str] = field(default_factory=dict)
    """Names of which it is not known what they are: templates with specializations, parts of an open `#if`; and why."""

    def evaluate(self, node: Node, scope: Scope) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    def arguments(self, node: Node, scope: Scope) -> Iterator[Value]:
        """The values of an argument list."""
        raise NotImplementedError

    def run(self, function: CppFunction, args: Sequence[Value]) -> Value:
        """The value that a function returns."""
        raise NotImplementedError

    def instance_of(self, struct: Struct, given: Sequence[Value]) -> Struct:
        """The struct with template arguments."""
        raise NotImplementedError

    def name(self, node: Node, scope: Scope) -> Value:
        replaced = self.replaced(text(node), node)
        return self.resolve([(text(node), None)], scope) if replaced is None else self.expanded(node, replaced, scope)

    def qualified(self, node: Node, scope: Scope) -> Value:
        parts = list(parts_of(node))
        self.refuse_macro(parts[0][0], node)
        return self.resolve(parts, scope)

    def replaced(self, name: str, node: Node) -> Node | None:
        """The expression that a name stands for as a macro; None here, where no directive is known."""
        return None

    def expanded(self, node: Node, replaced: Node, scope: Scope) -> Value:
        """The value of a macro's expression in the place of a name."""
        raise NotImplementedError

    def is_defined(self, node: Node) -> Value:
        """`defined(X)`."""
        raise NotImplementedError

    def refuse_macro(self, name: str, node: Node) -> None:
        """Unreadable for a macro where only a name can stand."""
        if self.replaced(name, node) is not None:
            raise Unreadable(f"the macro {name} as a part of {shown(node)!r} is not part of what is read")

    def resolve(self, parts: list[Part], scope: Scope) -> Value:
        """The value of a qualified name: the first part is looked up, the others are its members."""
        whole = defined(self.defines, "::".join(name for name, _ in parts)) if len(parts) > 1 else None
        while len(parts) > 1 and parts[0][0] in NAMESPACES and scope.find(parts[0][0]) is None:
            parts = parts[1:]
        (first, args), *rest = parts
        value = self.instance(first, args, scope)
        for name, arguments in rest:
            value = self.member(value, name)
            value = value if arguments is None else self.applied(value, name, arguments, scope)
        return whole if isinstance(value, Open) and whole is not None else value

    def refuse_doubtful(self, name: str) -> None:
        """Unreadable for a name that may be another thing than what was read."""
        if name in self.doubtful:
            raise Unreadable(self.doubtful[name])

    def instance(self, name: str, args: Node | None, scope: Scope) -> Value:
        self.refuse_doubtful(name)
        found = scope.find(name)
        if args is None:
            return Open(name) if found is None else found
        if found is None and (known := template(name)) is not None:
            return known(tuple(self.arguments(args, scope)))
        return self.applied(Open(name) if found is None else found, name, args, scope)

    def applied(self, value: Value, name: str, args: Node, scope: Scope) -> Value:
        """A template with its arguments: `F<P, 3>`."""
        if isinstance(value, CppFunction):
            return self.bound(value, list(self.arguments(args, scope)))
        if isinstance(value, Struct):
            return self.instance_of(value, list(self.arguments(args, scope)))
        if isinstance(value, TemplatePattern):
            return value.read(list(self.arguments(args, scope)))
        if isinstance(value, Method):
            return Method(value.name, lambda more: value.call((*self.arguments(args, scope), *more)))
        if isinstance(value, Open) and (known := template(name)) is not None:
            return known(tuple(self.arguments(args, scope)))
        return value

    def bound(self, function: CppFunction, given: Sequence[Value]) -> CppFunction:
        names = [p.name for p in function.template]
        packs = [p.pack for p in function.template]
        if len(given) > len(names) and not any(packs):
            raise Unreadable(f"{len(given)} template arguments for the {len(names)} of {function.name}")
        bound = {**function.bound, **dict(zip(names, given, strict=False))}
        if packs and packs[-1]:
            bound[names[-1]] = tuple(given[len(names) - 1 :])
        return replace(function, bound=bound)

    def member(self, value: Value, name: str) -> Value:
        """`value::name` and `value.name`."""
        self.refuse_doubtful(name)
        if isinstance(value, Open):
            return member(self.defines, value, name)
        if isinstance(value, Struct):
            found = value.scope.names.get(name)
            if found is not None:
                return value.scope.own(name)
            return member(self.defines, Open(value.name), name)
        return methods.member(value, name)
