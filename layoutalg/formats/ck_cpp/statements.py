"""Statements of the subset: declarations, aliases, returns, `if`, and what is only looked at for the names it changes.

A declaration that cannot be read does not stop the reading: its name is `Broken`, and whoever asks for it hears why.
A loop, or an `if` whose condition is open, is not run: every name that it assigns is broken by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tree_sitter import Node

from layoutalg.formats.ck_cpp.arithmetic import computed
from layoutalg.formats.ck_cpp.calls import Returned
from layoutalg.formats.ck_cpp.changes import Changes
from layoutalg.formats.ck_cpp.convert import entry_of, number, truth
from layoutalg.formats.ck_cpp.expressions import DEEPEST_CALL
from layoutalg.formats.ck_cpp.integers import converted
from layoutalg.formats.ck_cpp.kinds import BUILDS, LISTED, SKIPPED, WITH_PARTS
from layoutalg.formats.ck_cpp.nodes import (
    INDIRECT,
    below,
    called,
    is_constant,
    names_of,
    parameters,
    points,
    required,
    returns,
    shown,
    specialized,
    text,
)
from layoutalg.formats.ck_cpp.operators import BINARY
from layoutalg.formats.ck_cpp.preprocessor import DIRECTIVES, PARTS, Preprocessor
from layoutalg.formats.ck_cpp.scope import CppFunction, Lazy, Scope, Struct, defined
from layoutalg.formats.ck_cpp.templates import known_alias
from layoutalg.formats.ck_cpp.values import Broken, CppParameter, Open, TemplatePattern, Unreadable, Value
from layoutalg.index import FALSE


@dataclass
class StatementRunner(Preprocessor):
    """Runs statements in a scope and returns what a `return` gives, None where there is none."""

    def statement(self, node: Node, scope: Scope) -> Returned | None:
        """One statement."""
        self.line = self.first_line + node.start_point[0]
        if node.type == "ERROR":
            self.unparsed(node, scope)
            return None
        self.macros.refuse_acting(node.child_by_field_name("condition") if node.type in WITH_PARTS else node)
        how = STATEMENTS.get(node.type)
        if how is not None:
            return how(self, node, scope)
        if node.type not in SKIPPED:
            if returns(node):
                raise Unreadable(f"a return in {shown(node)!r}, which is not read")
            self.spoil(node, scope, f"it is set in {shown(node)!r}, which is not read")
        return None

    first_line: int = 1
    registering: bool = True
    """Whether functions and members that are met are the file's own, not those of an instance of a template."""
    members: list[tuple[str, Scope, Node]] = field(default_factory=list)
    """Static members whose text builds a layout."""

    def block(self, node: Node, scope: Scope) -> Returned | None:
        """The statements of a block, up to the first return."""
        for child in node.named_children:
            returned = self.statement(child, scope)
            if returned is not None:
                return returned
        return None

    def level(self, node: Node, scope: Scope) -> None:
        """The statements of a file or a namespace: one that cannot be read does not stop the others."""
        self.each(node.named_children, scope)

    def each(self, nodes: Iterable[Node], scope: Scope) -> None:
        """Statements of which each stands for itself."""
        for child in nodes:
            value = self.attempt(partial(self.statement, child, scope))
            if isinstance(value, Broken):
                self.left_out(called(child), value.error, text(child))

    def inner_block(self, node: Node, scope: Scope) -> Returned | None:
        return self.block(node, scope.inner())

    def declaration(self, node: Node, scope: Scope) -> None:
        """`T a = x, b{y};`: each declarator; a `constexpr auto [a, b] = t;` too."""
        kind = node.child_by_field_name("type")
        fixed = is_constant(node)
        for declarator in node.children_by_field_name("declarator"):
            line = self.line
            for name, value in self.declared(declarator, kind, scope):
                scope.names[name], scope.kinds[name] = value, kind
                scope.constant.update({name} if fixed else ())
                self.noted(name, value, declarator, line)

    def declared(self, declarator: Node, kind: Node | None, scope: Scope) -> Iterator[tuple[str, Value]]:
        target = declarator.child_by_field_name("declarator") or declarator
        kind = None if points(declarator) else kind
        value_node = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
        if target.type == "function_declarator":
            return
        if value_node is None:
            yield from ((name, Open(name, variable=True)) for name in names_of(target))
            return
        broken = any(n.type == "ERROR" for n in (*declarator.children, *(declarator.parent or declarator).children))
        shared = self.shares(declarator, value_node, kind, scope)
        self.effects(value_node, scope)
        value = self.attempt(lambda: self.initial(value_node, kind, scope, broken=broken))
        self.effects(value_node, scope, after=True)
        if shared:
            reason = f"it shares its value with others in {shown(declarator)!r}, where one of them is changed"
            self.broken_by(Changes(shared, shared), scope, reason)
            for name in names_of(target):
                yield name, Broken(Unreadable(f"{name} is not known: {reason}", self.line), changed=True, lasting=True)
            return
        names = list(names_of(target))
        if isinstance(value, Open) and "(" in value.path and "::" not in (entry_of(value.path) or "") and names:
            value = self.renamed(names[0])
        if target.type != "structured_binding_declarator":
            yield from ((name, value) for name in names_of(target))
            return
        for n, name in enumerate(names_of(target)):
            known = isinstance(value, tuple) and n < len(value)
            yield name, value[n] if known else Broken(Unreadable(f"{name} is bound to what is not read", self.line))

    def renamed(self, name: str) -> Value:
        """What `-D` says of a variable whose value comes from another file, else left open under its own name."""
        found = defined(self.defines, name)
        return Open(name, variable=True) if found is None else found

    def initial(self, node: Node, kind: Node | None, scope: Scope, *, broken: bool = False) -> Value:
        """The value of an initializer: `= x`, `{x}` or `(x)`; a lone number in braces is that number."""
        if broken:
            raise Unreadable(f"{shown(node.parent or node)!r} is not what the grammar can parse")
        if node.type not in ("initializer_list", "argument_list"):
            return self.as_type(self.evaluate(node, scope), kind, scope)
        args = tuple(self.arguments(node, scope))
        made = self.attempt(lambda: self.evaluate(kind, scope)) if kind is not None else None
        if isinstance(made, Open | Broken) or made is None:
            is_list = isinstance(made, Open) and made.last in ("multi_index", "MultiIndex", "array", "Array", "tuple")
            made_of = tuple(converted(arg, made) for arg in args)
            return made_of[0] if len(args) == 1 and not is_list else made_of
        return made

    def noted(self, name: str, value: Value, node: Node, line: int) -> None:
        """Called for each declared name; the reader of a file collects layouts here."""

    def alias(self, node: Node, scope: Scope) -> None:
        """`using T = …;`: a template that is not known takes the alias's name, by which `-D` can speak of it."""
        self.line = self.first_line + node.start_point[0]
        name = text(node.child_by_field_name("name"))
        kind = required(node, "type")
        self.indirect.update({name} if any(n.type in INDIRECT for n in below(kind)) else ())
        inner = kind.child_by_field_name("type") or kind

        def evaluate() -> Value:
            value = self.type_argument(kind, scope) if kind.type == "type_descriptor" else self.evaluate(kind, scope)
            foreign = isinstance(value, Open) and inner.type == "template_type" and not known_alias(inner)
            return Open(name, variable=True) if foreign or (isinstance(value, Open) and "(" in value.path) else value

        line, value = self.line, self.attempt(evaluate)
        given = defined(self.defines, name) if isinstance(value, Open | Broken) else None
        if isinstance(value, Broken) and not (BUILDS.search(text(kind)) or LISTED.match(text(kind))):
            value = Open(name, variable=True)  # a type that is not read: -D says what it holds
        scope.names[name] = value if given is None else given
        if self.registering:
            self.noted(name, scope.names[name], node, line)

    def returned(self, node: Node, scope: Scope) -> Returned:
        inner = [child for child in node.named_children if child.type != "comment"]
        self.effects(node, scope)
        return Returned(self.evaluate(inner[0], scope) if inner else None)

    def expression(self, node: Node, scope: Scope) -> None:
        """An assignment to a name is run; of anything else only the names that it changes are broken."""
        for child in node.named_children:
            left = child.child_by_field_name("left") if child.type == "assignment_expression" else None
            if left is None or left.type != "identifier":
                self.spoil(child, scope, f"it is set in {shown(child)!r}, which is not read")
                continue
            self.effects(required(child, "right"), scope)
            value = self.attempt(partial(self.assignment, child, left, scope))
            self.effects(required(child, "right"), scope, after=True)
            scope.assigned(text(left), replace(value, changed=True) if isinstance(value, Broken) else value)

    def assignment(self, node: Node, left: Node, scope: Scope) -> Value:
        op, right = text(node.child_by_field_name("operator")), self.evaluate(required(node, "right"), scope)
        level = scope.find_level(text(left))
        kind = level.kinds.get(text(left)) if level is not None else None
        if op == "=":
            return self.as_type(right, kind, scope)
        plain = op.removesuffix("=")
        if plain not in BINARY:
            raise Unreadable(f"the operator {op} is not part of what is read")
        operands = number(self.evaluate(left, scope)), number(right)
        value = computed(node, plain, operands, BINARY[plain], scope)
        return self.as_type(value, kind, scope)

    def choice(self, node: Node, scope: Scope) -> Returned | None:
        """`if` and `if constexpr`: the branch that is taken; where that is open, a return in one is Unreadable."""
        taken = required(node, "consequence")
        other = node.child_by_field_name("alternative")
        self.effects(required(node, "condition"), scope)
        try:
            condition = truth(self.evaluate(required(node, "condition"), scope))
            self.effects(required(node, "condition"), scope, after=True)
            if condition.op != "const":
                raise Unreadable(f"whether {condition} holds depends on a symbol")
        except Unreadable as error:
            if any(child.type == "return_statement" for child in below(node)):
                raise
            self.spoil(node, scope, f"it is set under a condition that is not known: {error.reason}")
            return None
        branch = taken if int(condition) else other
        return None if branch is None else self.statement(branch, scope)

    def asserted(self, node: Node, scope: Scope) -> None:
        """`static_assert`: a compiler stops where it fails, so no layout comes out of it; an open one is passed by."""
        condition = self.attempt(lambda: truth(self.evaluate(required(node, "condition"), scope)))
        if condition is FALSE:
            raise Unreadable(f"{shown(node)!r} fails", self.line, refused=True)

    def otherwise(self, node: Node, scope: Scope) -> Returned | None:
        return self.block(node, scope)

    def function(self, node: Node, scope: Scope, template: Node | None = None) -> None:
        """A function definition: kept, and known by its last name everywhere in the file."""
        declarator = next((n for n in below(node) if n.type == "function_declarator"), None)
        body = node.child_by_field_name("body")
        if declarator is None or body is None:
            return
        parts = text(declarator.child_by_field_name("declarator")).rsplit("::", 1)
        made = CppFunction(
            parts[-1], scope, parameters(template), parameters(declarator.child_by_field_name("parameters")), body,
            self.first_line + node.start_point[0], kind=None if points(node) else node.child_by_field_name("type"),
        )  # fmt: skip
        scope.names.setdefault(made.name, made)
        self.set_by(made)
        if self.registering:
            self.functions.setdefault(made.name, []).append(made)

    def namespace(self, node: Node, scope: Scope) -> None:
        """A namespace: a scope of its own, whose names are known outside too unless another one has them."""
        name = text(node.child_by_field_name("name"))
        known = scope.names.get(name)
        inner = known.scope if isinstance(known, Struct) else scope.inner()
        self.level(required(node, "body"), inner)
        if name:
            scope.names[name] = Struct(name, inner)
        for each, value in inner.names.items():
            if scope.exported.get(each, value) is not value and not isinstance(value, Broken):
                value = Broken(Unreadable(f"{each} is defined in several namespaces"), changed=True)
            if each not in scope.names or each in scope.exported:
                scope.exported[each] = scope.names[each] = value

    def templated(self, node: Node, scope: Scope) -> None:
        """`template <…>` of a function, a struct, a constant or an alias; a specialized one is not read any more."""
        listed = node.child_by_field_name("parameters")
        for child in node.named_children:
            special = specialized(node, child)
            if special is not None:
                self.doubtful[special] = f"{special} is specialized; which specialization is meant is not read"
            if child.type == "function_definition":
                self.function(child, scope, listed)
            elif child.type in ("struct_specifier", "class_specifier"):
                self.struct(child, scope, listed)
            elif child.type in PATTERNS and special is None:
                self.pattern(child, scope, parameters(listed))

    def pattern(self, node: Node, scope: Scope, listed: tuple[CppParameter, ...]) -> None:
        """A template of an alias or a constant: read once as it stands, and again for each list of arguments."""
        inner = self.with_arguments(scope, listed, ())
        PATTERNS[node.type](self, node, inner)

        def read(name: str, given: Sequence[Value]) -> Value:
            if self.depth >= DEEPEST_CALL:
                raise Unreadable(f"more than {DEEPEST_CALL} templates within one another")
            again = self.with_arguments(scope, listed, given)
            outer, self.registering, self.depth = self.registering, False, self.depth + 1
            PATTERNS[node.type](self, node, again)
            self.registering, self.depth = outer, self.depth - 1
            return again.own(name)

        for name in inner.names.keys() - {parameter.name for parameter in listed}:
            scope.names[name] = TemplatePattern(name, partial(read, name))

    def struct(self, node: Node, scope: Scope, template: Node | None = None) -> None:
        """A struct: its constants are evaluated when they are asked for, its functions kept."""
        name, body = text(node.child_by_field_name("name")), node.child_by_field_name("body")
        if body is None:
            return
        listed = parameters(template)
        inner = self.with_arguments(scope, listed, ())
        scope.names[name] = Struct(name, inner, listed, node)
        self.members_into(body, inner)

    def instance_of(self, struct: Struct, given: Sequence[Value]) -> Struct:
        """The struct with template arguments: its members anew, in a scope where the parameters have these values."""
        body = struct.node.child_by_field_name("body") if struct.node is not None else None
        if body is None or struct.scope.parent is None:
            return struct
        inner = self.with_arguments(struct.scope.parent, struct.template, given)
        outer, self.registering = self.registering, False
        self.members_into(body, inner)
        self.registering = outer
        return Struct(struct.name, inner)

    def with_arguments(self, scope: Scope, listed: Sequence[CppParameter], given: Sequence[Value]) -> Scope:
        """A scope in which template parameters have these values; those without one are opened."""
        inner = scope.inner()
        for n, parameter in enumerate(listed):
            whole = parameter.pack and given
            inner.names[parameter.name] = (
                tuple(given[n:])
                if whole
                else given[n]
                if n < len(given)
                else self.opened(parameter, inner, called=bool(given))
            )
        if len(given) > len(listed) and not any(parameter.pack for parameter in listed):
            raise Unreadable(f"{len(given)} template arguments for {len(listed)}")
        return inner

    def members_into(self, body: Node, inner: Scope) -> None:
        """The members of a struct, into its scope."""
        for child in self.members_of(body, inner):
            if child.type == "field_declaration":
                self.fields(child, inner)
            elif child.type == "template_declaration":
                self.templated(child, inner)
            elif child.type in STRUCT_PARTS:
                STRUCT_PARTS[child.type](self, child, inner)

    def field_value(self, node: Node, kind: Node | None, scope: Scope) -> Value:
        return self.as_type(self.evaluate(node, scope), kind, scope)

    def fields(self, node: Node, scope: Scope) -> None:
        """Static members: a name, and a value that waits until it is asked for."""
        declarators, kind = node.children_by_field_name("declarator"), node.child_by_field_name("type")
        for value in node.children_by_field_name("default_value"):
            declarator = max((d for d in declarators if d.end_byte <= value.start_byte), key=lambda d: d.end_byte)
            for name in names_of(declarator):
                scope.constant.update({name} if is_constant(node) else ())
                scope.names[name] = Lazy(partial(self.field_value, value, kind, scope))
                if self.registering and BUILDS.search(text(value)):
                    self.members.append((name, scope, value))


STRUCT_PARTS: Mapping[str, Callable[[StatementRunner, Node, Scope], None]] = {
    "function_definition": StatementRunner.function,
    "alias_declaration": StatementRunner.alias,
    "struct_specifier": StatementRunner.struct,
    "class_specifier": StatementRunner.struct,
    "declaration": StatementRunner.declaration,
}

PATTERNS: Mapping[str, Callable[[StatementRunner, Node, Scope], None]] = {
    "alias_declaration": StatementRunner.alias,
    "declaration": StatementRunner.declaration,
}
"""What becomes a `TemplatePattern` as a template."""

STATEMENTS: Mapping[str, Callable[[StatementRunner, Node, Scope], Returned | None]] = {
    "declaration": StatementRunner.declaration,
    "alias_declaration": StatementRunner.alias,
    "return_statement": StatementRunner.returned,
    "expression_statement": StatementRunner.expression,
    "if_statement": StatementRunner.choice,
    "static_assert_declaration": StatementRunner.asserted,
    "else_clause": StatementRunner.otherwise,
    "compound_statement": StatementRunner.inner_block,
    "function_definition": StatementRunner.function,
    "template_declaration": StatementRunner.templated,
    "struct_specifier": StatementRunner.struct,
    "class_specifier": StatementRunner.struct,
    "namespace_definition": StatementRunner.namespace,
    "declaration_list": StatementRunner.level,
    "linkage_specification": lambda self, node, scope: self.level(required(node, "body"), scope),
    **dict.fromkeys(DIRECTIVES, StatementRunner.define),
    **dict.fromkeys(PARTS, StatementRunner.conditional_part),
}
