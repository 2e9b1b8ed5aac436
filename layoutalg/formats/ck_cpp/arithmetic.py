"""In which integer type C++ computes an operation: what unsigned numbers and overflow make of its value.

| operands, promoted          | computed in                | example                                   |
|-----------------------------|----------------------------|-------------------------------------------|
| int, int                    | int; overflow is not read  | `65536 * 65536`                           |
| int, unsigned               | unsigned, modulo 2³²       | `-1 < 2u` is false                        |
| any, unsigned long          | the same, modulo 2⁶⁴       | `4 - sizeof(double)` is 2⁶⁴ − 4           |
| one whose type is not known | as it stands               |                                           |

A type is known of literals, `sizeof`, casts, and of variables and parameters that were declared with one; `auto`,
members and what `-D` gives have none.  Formulas in signed types are taken as they are: that sizes fit is a claim of its
own (`fits_index`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tree_sitter import Node

from layoutalg.formats.ck_cpp.integers import INTEGERS, converted, literal
from layoutalg.formats.ck_cpp.nodes import parts_of, shown, text
from layoutalg.formats.ck_cpp.scope import Scope
from layoutalg.formats.ck_cpp.values import Open, Unreadable
from layoutalg.index import Expr

RANKS = ("int", "unsigned", "long", "unsigned long")
"""The types that arithmetic is done in; of two, the later one is that of both."""
TRUTHS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})
SHIFTS = frozenset({"<<", ">>"})
INT = range(-(1 << 31), 1 << 31)


def computed(node: Node, op: str, operands: tuple[Expr, ...], apply: Callable[..., Expr], scope: Scope) -> Expr:
    """What an operation on integers is worth, in the type that it is computed in; Unreadable where an int overflows."""
    kind = _operation(node, scope)
    if kind is None or not kind.startswith("unsigned"):
        value = apply(*operands)
        if kind == "int" and value.op == "const" and int(value) not in INT:
            raise Unreadable(f"{shown(node)} overflows int")
        return value
    amounts = operands[1:] if op in SHIFTS else ()
    wrapped = [converted(e, Open(kind)) for e in operands[: len(operands) - len(amounts)]]
    value = apply(*wrapped, *amounts)
    return value if op in TRUTHS else converted(value, Open(kind))


def _operation(node: Node, scope: Scope) -> str | None:
    """The type in which an operation is computed, which of a comparison is not that of its result."""
    if node.type not in ("binary_expression", "assignment_expression"):
        return type_of(node, scope)
    left, right = (type_of(node.child_by_field_name(side), scope) for side in ("left", "right"))
    if text(node.child_by_field_name("operator")).removesuffix("=") in SHIFTS:
        return left
    return _common(left, right)


def _common(one: str | None, other: str | None) -> str | None:
    """The type of both; where one is not known, an unsigned one still is, unless a longer one may be meant."""
    if one is None or other is None:
        known = one or other
        return known if known == "unsigned long" else None
    return max(one, other, key=RANKS.index)


def type_of(node: Node | None, scope: Scope) -> str | None:
    """The type of an expression, promoted; None where its syntax does not say."""
    how = None if node is None else _TYPES.get(node.type)
    return None if node is None or how is None else how(node, scope)


def _literal(node: Node, scope: Scope) -> str | None:
    written = text(node).lower().lstrip("+-")  # the grammar takes a sign for a part of the literal
    suffix = written[len(written.rstrip("ulz")) :]
    value, decimal = int(literal(written)), written[:1] != "0"
    long = "l" in suffix or "z" in suffix or value not in range(1 << (31 if decimal and "u" not in suffix else 32))
    unsigned = "u" in suffix or (not decimal and value in range(1 << 31, 1 << 32)) or value >= 1 << 63
    return RANKS[2 * long + unsigned]


def _binary(node: Node, scope: Scope) -> str | None:
    return "int" if text(node.child_by_field_name("operator")) in TRUTHS else _operation(node, scope)


def _unary(node: Node, scope: Scope) -> str | None:
    logical = text(node.child_by_field_name("operator")) == "!"
    return "int" if logical else type_of(node.child_by_field_name("argument"), scope)


def _choice(node: Node, scope: Scope) -> str | None:
    return _common(*(type_of(node.child_by_field_name(part), scope) for part in ("consequence", "alternative")))


def _inside(node: Node, scope: Scope) -> str | None:
    inner = [child for child in node.named_children if child.type != "comment"]
    return type_of(inner[0], scope) if len(inner) == 1 else None


def _name(node: Node, scope: Scope) -> str | None:
    level = scope.find_level(text(node))
    return None if level is None else _named(level.kinds.get(text(node)))


def _call(node: Node, scope: Scope) -> str | None:
    """`static_cast<T>(…)` and `T(…)`."""
    callee = node.child_by_field_name("function")
    if callee is None:
        return None
    *_, (name, arguments) = parts_of(callee)
    if name != "static_cast":
        return _named(callee)
    inner = [] if arguments is None else [child for child in arguments.named_children if child.type != "comment"]
    return _named(inner[0]) if len(inner) == 1 else None


def _cast(node: Node, scope: Scope) -> str | None:
    return _named(node.child_by_field_name("type"))


def _named(kind: Node | None) -> str | None:
    """The type that a name means, promoted: what is narrower than an int is one."""
    if kind is None:
        return None
    words = [w for w in text(kind).removeprefix("std::").split() if w not in ("const", "constexpr", "static")]
    name = " ".join(words)
    if name == "bool":
        return "int"
    if name not in INTEGERS:
        return None
    bits, signed = INTEGERS[name]
    return RANKS[2 * (bits == 64) + (not signed and bits >= 32)]


_TYPES: Mapping[str, Callable[[Node, Scope], str | None]] = {
    "number_literal": _literal,
    "true": lambda *_: "int",
    "false": lambda *_: "int",
    "sizeof_expression": lambda *_: "unsigned long",
    "binary_expression": _binary,
    "unary_expression": _unary,
    "conditional_expression": _choice,
    "parenthesized_expression": _inside,
    "condition_clause": _inside,
    "identifier": _name,
    "call_expression": _call,
    "cast_expression": _cast,
    "compound_literal_expression": _cast,
}

__all__ = ["computed", "type_of"]
