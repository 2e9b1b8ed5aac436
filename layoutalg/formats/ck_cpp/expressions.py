"""Evaluating C++ expressions of the subset: one entry a kind of syntax node, nothing executed but arithmetic.

Work is counted: each node costs one step of a budget, each call one of a depth, each list an entry of a limit, so that
no input runs long.  What is not in the table is Unreadable, with the kind of thing that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from layoutalg.formats.ck_cpp import methods
from layoutalg.formats.ck_cpp.arithmetic import computed
from layoutalg.formats.ck_cpp.captures import captured
from layoutalg.formats.ck_cpp.convert import MOST_ENTRIES, ask, constant, entries, kind_of, number, truth
from layoutalg.formats.ck_cpp.integers import converted, literal, number_type
from layoutalg.formats.ck_cpp.library import Entry, entry
from layoutalg.formats.ck_cpp.names import NameLookup
from layoutalg.formats.ck_cpp.nodes import Part, parameters, parts_of, required, shown, text
from layoutalg.formats.ck_cpp.objects import class_of
from layoutalg.formats.ck_cpp.operators import BINARY, UNARY
from layoutalg.formats.ck_cpp.scope import CppFunction, Scope, Struct, defined
from layoutalg.formats.ck_cpp.source import LISTS, cleaned, parsed
from layoutalg.formats.ck_cpp.templates import same, sized, template
from layoutalg.formats.ck_cpp.values import Method, Open, Unreadable, Value
from layoutalg.index import FALSE, TRUE, Expr, all_of, any_of, as_expr, const, negation, postorder, select, unlimited
from layoutalg.layout import Functor, LayoutError, TensorDescriptor, TileDistribution, TileDistributionEncoding

MOST_STEPS = 60_000
DEEPEST_CALL = 40
WIDEST = 1 << 64
HEAVIEST = 5000
MOST_TRANSFORMS = 500


@dataclass
class Evaluator(NameLookup):
    """Evaluates expressions; `call` of functions is given by the statements' reader."""

    steps: int = MOST_STEPS
    depth: int = 0
    line: int = 1
    weights: dict[Expr, int] = field(default_factory=dict)
    """The formulas seen, with the number of their parts written out."""

    def evaluate(self, node: Node, scope: Scope) -> Value:
        """The value of an expression; Unreadable with the reason where it has none here."""
        self.steps -= 1
        if self.steps < 0:
            raise Unreadable(f"more than {MOST_STEPS} steps of evaluation")
        how = EXPRESSIONS.get(node.type)
        if how is None:
            raise Unreadable(f"{WORDS.get(node.type, node.type.replace('_', ' '))} is not part of what is read")
        value = how(self, node, scope)
        if isinstance(value, Expr):
            self.refuse_large(value)
        elif isinstance(value, TensorDescriptor) and len(value.adaptor.transforms) > MOST_TRANSFORMS:
            raise Unreadable(f"a descriptor of more than {MOST_TRANSFORMS} transforms")
        return value

    def refuse_large(self, value: Expr) -> None:
        """Unreadable for an integer or a formula that no size of a tensor needs."""
        if value.op == "const" and abs(int(value)) >= WIDEST:
            raise Unreadable("an integer of more than 64 bits")
        for node in postorder(value) if value not in self.weights else ():
            self.weights[node] = 1 + sum(self.weights[arg] for arg in node.args)
        if self.weights[value] > HEAVIEST:
            raise Unreadable(f"a formula of more than {HEAVIEST} parts")

    def arguments(self, node: Node, scope: Scope) -> Iterator[Value]:
        """The values of an argument list, of a call or a template; `xs...` gives all of a tuple."""
        for count, child in enumerate(c for c in node.named_children if c.type != "comment"):
            if count >= MOST_ENTRIES:
                raise Unreadable(f"more than {MOST_ENTRIES} arguments")
            if child.type == "parameter_pack_expansion":
                yield from entries(self.evaluate(child.named_children[0], scope))
            elif child.type == "type_descriptor":
                yield self.type_argument(child, scope)
            else:
                yield self.evaluate(child, scope)

    def type_argument(self, node: Node, scope: Scope) -> Value:
        """A template argument that the grammar takes for a type: a name, or an expression such as `N * (M + 1)`."""
        simple = [c for c in node.named_children if c.type not in ("type_qualifier", "comment")]
        if len(simple) == 1 and not node.has_error:
            return self.evaluate(simple[0], scope)
        again = parsed(f"auto _ = {cleaned(text(node))};").named_children
        declared = again[0].child_by_field_name("declarator") if again else None
        value = declared.child_by_field_name("value") if declared is not None else None
        if value is None or value.has_error:
            raise Unreadable(f"the template argument {shown(node)} is not part of what is read")
        return self.evaluate(value, scope)

    # --- literals and lists ---

    def listed(self, node: Node, scope: Scope) -> Value:
        return tuple(self.arguments(node, scope))

    def construct(self, node: Node, scope: Scope) -> Value:
        """`Type{…}`: an integer, an array, or an object of a type that is its own value (`sequence<1>{}`)."""
        kind, args = node.child_by_field_name("type"), node.child_by_field_name("value")
        if kind is None or args is None:
            raise Unreadable(f"{shown(node)} is not part of what is read")
        name, types = list(parts_of(kind))[-1]
        count = 0 if types is None else sum(child.type != "comment" for child in types.named_children)
        if types is not None and (of_ck := class_of(name, count)) is not None and scope.find(name) is None:
            return self.object(of_ck, types, args, scope)
        return self.made(self.evaluate(kind, scope), tuple(self.arguments(args, scope)))

    def object(self, of_ck: Callable[..., Value], types: Node, args: Node, scope: Scope) -> Value:
        """An object of one of CK's own class templates."""
        try:
            return of_ck(tuple(self.arguments(types, scope)), tuple(self.arguments(args, scope)))
        except LayoutError as error:
            raise Unreadable(str(error), refused=True) from error

    def made(self, kind: Value, args: tuple[Value, ...]) -> Value:
        if isinstance(kind, Open) and args:
            if len(args) == 1 and number_type(kind):
                return converted(args[0], kind)
            return args if kind.last in ("array", "tuple", "multi_index", "MultiIndex", "Array") else kind
        if isinstance(kind, Struct) and args:
            raise Unreadable(f"an object of {kind.name} made of {len(args)} arguments is not part of what is read")
        return kind

    # --- operators ---

    def binary(self, node: Node, scope: Scope) -> Value:
        op = text(node.child_by_field_name("operator"))
        left = self.evaluate(required(node, "left"), scope)
        if op in ("&&", "||"):
            first = truth(left)
            if first is (FALSE if op == "&&" else TRUE):
                return first
            second = truth(self.evaluate(required(node, "right"), scope))
            return (all_of if op == "&&" else any_of)(first, second)
        right = self.evaluate(required(node, "right"), scope)
        if op in ("==", "!=") and isinstance(left, Open) and isinstance(right, Open):
            alike = same((left, right))  # enumerators are names too
            return alike if op == "==" else negation(alike)
        if op not in BINARY:
            raise Unreadable(f"the operator {op} is not part of what is read")
        try:
            return computed(node, op, (number(left), number(right)), BINARY[op], scope)
        except ValueError as error:
            raise Unreadable(str(error)) from error

    def unary(self, node: Node, scope: Scope) -> Value:
        op, value = text(node.child_by_field_name("operator")), self.evaluate(required(node, "argument"), scope)
        if op == "!":
            return negation(truth(value))
        if op not in UNARY:
            raise Unreadable(f"the operator {op} is not part of what is read")
        return computed(node, op, (number(value),), UNARY[op], scope)

    def conditional(self, node: Node, scope: Scope) -> Value:
        condition = truth(self.evaluate(required(node, "condition"), scope))
        first, second = required(node, "consequence"), required(node, "alternative")
        if condition.op == "const":
            return self.evaluate(first if int(condition) else second, scope)
        return select(condition, *(number(self.evaluate(n, scope)) for n in (first, second)))

    def inside(self, node: Node, scope: Scope) -> Value:
        inner = [child for child in node.named_children if child.type != "comment"]
        if len(inner) != 1:
            raise Unreadable(f"{shown(node)} is not part of what is read")
        return self.evaluate(inner[0], scope)

    def cast(self, node: Node, scope: Scope) -> Value:
        return self.as_type(self.evaluate(required(node, "value"), scope), node.child_by_field_name("type"), scope)

    def as_type(self, value: Value, kind: Node | None, scope: Scope) -> Value:
        """A value converted to the type that is written; one that is not read is no number's."""
        if kind is None or not isinstance(value, Expr) or kind.type == "placeholder_type_specifier":
            return value
        try:
            made = self.evaluate(kind, scope)
        except Unreadable:
            return value
        return converted(value, made)

    def size(self, node: Node, scope: Scope) -> Value:
        inner = node.child_by_field_name("type") or required(node, "value")
        kind = self.evaluate(inner, scope)
        if any(child.type == "..." for child in node.children):
            return as_expr(len(entries(kind)))
        known = sized(kind)
        if known is None:
            if isinstance(kind, Open):
                raise ask(kind, "half_t")
            raise Unreadable(f"sizeof({shown(inner)}), which is {kind_of(kind)}")
        return as_expr(known)

    # --- members, subscripts, calls ---

    def field(self, node: Node, scope: Scope) -> Value:
        owner = self.evaluate(required(node, "argument"), scope)
        field_node = required(node, "field")
        parts = list(parts_of(field_node))
        value = self.member(owner, parts[0][0])
        return value if parts[0][1] is None else self.applied(value, parts[0][0], parts[0][1], scope)

    def subscript(self, node: Node, scope: Scope) -> Value:
        listed = entries(self.evaluate(required(node, "argument"), scope))
        indices = tuple(self.arguments(required(node, "indices"), scope))
        if len(indices) != 1:
            raise Unreadable(f"{len(indices)} subscripts")
        return methods.at(listed, indices)

    def call(self, node: Node, scope: Scope) -> Value:
        callee_node, args_node = required(node, "function"), required(node, "arguments")
        parts = list(parts_of(callee_node)) if callee_node.type in NAMES else []
        name = parts[-1][0] if parts else ""
        self.refuse_macro(name, callee_node)
        if name == "static_cast":
            kind = next(self.arguments(parts[-1][1], scope), None) if parts[-1][1] is not None else None
            return converted(next(self.arguments(args_node, scope), TRUE), kind)
        if name == "to_number":
            return next(self.arguments(args_node, scope), TRUE)
        if name == "generate_tuple" or name.startswith("generate_sequence"):
            return self.generated(list(self.arguments(args_node, scope)))
        if name == "make_functor_transform":
            return self.apply_entry(name, Entry(2, 2, self.functor), tuple(self.arguments(args_node, scope)))
        if name in LISTS and (known := template(name)) is not None:
            return known(tuple(self.arguments(args_node, scope)))
        built_in = entry(name, self.dialect)
        if built_in is not None and scope.find(name) is None:
            return self.apply_entry(name, built_in, tuple(self.arguments(args_node, scope)))
        callee = self.evaluate(callee_node, scope)
        if isinstance(callee, Open):
            callee = self.function_of(callee, parts, scope)
        return self.called(callee, tuple(self.arguments(args_node, scope)))

    def apply_entry(self, name: str, built_in: Entry, args: tuple[Value, ...]) -> Value:
        if not built_in.least <= len(args) <= built_in.most:
            wanted = sorted({built_in.least, built_in.most})
            raise Unreadable(f"{name} takes {'…'.join(map(str, wanted))} arguments, not {len(args)}")
        try:
            return built_in.call(args)
        except LayoutError as error:
            raise Unreadable(str(error), refused=True) from error
        except ValueError as error:
            raise Unreadable(f"{name}: {error}") from error

    def function_of(self, callee: Open, parts: Sequence[Part], scope: Scope) -> Value:
        """A function that another struct of the file has (`Policy::F`, a base's F), by its last name."""
        known = self.functions.get(callee.last, [])
        if len(known) == 1:
            args = parts[-1][1] if parts else None
            return known[0] if args is None else self.bound(known[0], list(self.arguments(args, scope)))
        if known:
            raise Unreadable(f"{callee.path}: this file has {len(known)} functions of that name")
        found = defined(self.defines, callee.path)
        return callee if found is None else found

    def called(self, callee: Value, args: tuple[Value, ...]) -> Value:
        if isinstance(callee, CppFunction):
            return self.run(callee, args)
        if isinstance(callee, Method):
            return callee.call(args)
        if isinstance(callee, Open):
            if len(args) == 1 and number_type(callee):
                return converted(args[0], callee)
            return Open(f"{callee.path}()", variable=True)
        if not args and isinstance(callee, Expr | tuple | TileDistribution | TileDistributionEncoding):
            return callee
        raise Unreadable(f"{kind_of(callee)} is called")

    def generated(self, args: list[Value]) -> Value:
        """generate_tuple(f, n): (f(0), …, f(n − 1))."""
        if len(args) != 2 or not isinstance(args[0], CppFunction):
            raise Unreadable("generate_tuple takes a lambda and a number")
        count = constant(args[1])
        if not 0 <= count <= MOST_ENTRIES:
            raise Unreadable(f"generate_tuple of {count} entries")
        return tuple(self.run(args[0], [const(n)]) for n in range(count))

    def functor(self, args: tuple[Value, ...]) -> Value:
        """make_functor_transform(f, n): f of the index that f's parameter names."""
        function, length = args[0], number(args[1])
        if not isinstance(function, CppFunction) or len(function.parameters) != 1:
            raise Unreadable("make_functor_transform takes a lambda of one index and a length")
        u = unlimited(function.parameters[0].name)
        return Functor(u, number(self.run(function, [u])), length)

    def closure(self, node: Node, scope: Scope) -> Value:
        declarator, body = node.child_by_field_name("declarator"), required(node, "body")
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        return CppFunction(
            "a lambda", captured(node, scope, self.evaluate), (), parameters(listed), body, node.start_point[0] + 1
        )

    def of_expression(self, node: Node, scope: Scope) -> Value:
        """decltype(e): the value stands for its type."""
        return self.inside(node, scope)


NAMES = frozenset({
    "identifier", "type_identifier", "namespace_identifier", "field_identifier", "qualified_identifier",
    "template_function", "template_type", "dependent_name", "dependent_type",
})  # fmt: skip

EXPRESSIONS: Mapping[str, Callable[[Evaluator, Node, Scope], Value]] = {
    "number_literal": lambda self, node, scope: literal(text(node)),
    "true": lambda *_: TRUE,
    "false": lambda *_: FALSE,
    **dict.fromkeys(("identifier", "type_identifier", "namespace_identifier", "primitive_type"), Evaluator.name),
    **dict.fromkeys(("qualified_identifier", "template_function", "template_type"), Evaluator.qualified),
    **dict.fromkeys(("dependent_type", "dependent_name"), Evaluator.qualified),
    "sized_type_specifier": Evaluator.name,
    "preproc_defined": lambda self, node, scope: self.is_defined(node),
    "type_descriptor": Evaluator.type_argument,
    "decltype": Evaluator.of_expression,
    "initializer_list": Evaluator.listed,
    "compound_literal_expression": Evaluator.construct,
    "binary_expression": Evaluator.binary,
    "unary_expression": Evaluator.unary,
    "conditional_expression": Evaluator.conditional,
    "parenthesized_expression": Evaluator.inside,
    "condition_clause": Evaluator.inside,
    "cast_expression": Evaluator.cast,
    "sizeof_expression": Evaluator.size,
    "field_expression": Evaluator.field,
    "subscript_expression": Evaluator.subscript,
    "call_expression": Evaluator.call,
    "lambda_expression": Evaluator.closure,
}

WORDS: Mapping[str, str] = {
    "string_literal": "a string",
    "char_literal": "a character",
    "ERROR": "what the grammar cannot parse",
    "pointer_expression": "a pointer",
    "new_expression": "new",
}
