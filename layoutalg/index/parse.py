"""Expressions from a user's text: Python's syntax, a table of what is allowed, and nothing executed.

The text is parsed by Python's own parser and its tree is read bottom up through one table; what the table does not name
is refused with its column.  It reads back whatever `repr` prints.

| written                               | means                                                                  |
|---------------------------------------|------------------------------------------------------------------------|
| `+ - * // %`, `-a`                    | integer arithmetic; `//` and `%` round down; the divisor is at least 1  |
| `^ & | ~`, `a << 3`, `a >> 3`, `2**10` | bitwise, two's complement; shifts and powers by constants              |
| `< <= > >= == !=`, `and or not`       | truth values; comparisons chain                                        |
| `a if c else b`, `select(c, a, b)`    | choice                                                                 |
| `min(a, b)`, `max(a, b)`              | of two or more                                                         |
| `integer_divide_ceil(a, b)`           | division that rounds up (CK's name)                                    |
| `integer_least_multiple(a, b)`        | a rounded up to a multiple of b (CK's name)                            |
| `table[4, 7, 9][i]`                   | lookup                                                                 |
| `x[i + 1, j]`                         | an element, where there are any (`elements`)                           |

It has no floating point, no true division, no strings, attributes or calls of anything else; constants stay within 64
bits, what is computed within 192, and the text within 10 000 characters.

>>> from layoutalg.index import symbol, var
>>> m, i = symbol("M"), var("i", 64)
>>> parse("(M+1)*8 + i//8%4", {"M": m, "i": i})
(M + 1) * 8 + i // 8 % 4
>>> parse("(M+1)*8 + k", {"M": m, "i": i})
Traceback (most recent call last):
    ...
layoutalg.index.parse.ParseError: '(M+1)*8 + k', column 11: no symbol 'k'; known here: M, i
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from keyword import iskeyword
from typing import cast

from layoutalg.index.compound import maximum, minimum
from layoutalg.index.expr import Expr, add, bitand, const, div, le, lt, mod, mul, xor
from layoutalg.index.truth import all_of, any_of, eq, lookup, negation, select  # fmt: skip

LENGTH = 10_000
"""The most characters a text may have."""
OPERATORS = frozenset({"and", "or", "not", "if", "else"})
"""The words that no symbol can be called: they are operations."""
BITS = 64
"""Constants, and powers of constants, are less than 2 to this in magnitude."""
RESULT_BITS = 192
"""Whatever is computed is less than 2 to this in magnitude where it has limits, so that it can be printed."""


class ParseError(ValueError):
    """A text that is not an expression: one line with the text, the column (from 1) and what was expected.

    >>> parse("8 + M", {})
    Traceback (most recent call last):
        ...
    layoutalg.index.parse.ParseError: '8 + M', column 5: no symbol 'M'; known here: none
    """

    def __init__(self, text: str, column: int, problem: str) -> None:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        super().__init__(f"{shown!r}, column {column}: {problem}")
        self.column = column


Elements = Callable[[str, tuple[Expr, ...]], Expr]
"""What a name with subscripts stands for; ValueError where it has none."""


def parse(text: str, symbols: Mapping[str, Expr], elements: Elements | None = None) -> Expr:
    """The expression that a text means where each name stands for the expression in `symbols`.

    `elements` says what `x[i, j]` stands for; without it, only tables are indexed.

    ParseError (a ValueError) in one line for anything else: a name that is not there, what the grammar does not have, a
    divisor that could be 0, an index that leaves its table, a number where a truth value is needed.

    >>> from layoutalg.index import symbol
    >>> parse("(M + 63) // 64", {"M": symbol("M")})
    (M + 63) // 64
    """
    if len(text) > LENGTH:
        raise ParseError(text, LENGTH, f"an expression has at most {LENGTH} characters; this has {len(text)}")
    flat = text.replace("\n", " ")
    for mark in "#\\;":
        if mark in flat:
            raise ParseError(text, flat.index(mark) + 1, f"{mark!r} is not part of an expression")
    flat = _told_apart(flat, symbols)
    return _Reader(text, flat, symbols, elements).read(_tree(text, flat))


def _told_apart(flat: str, symbols: Mapping[str, Expr]) -> str:
    """The text with each symbol that is a keyword of Python's (`for`, `in`) in letters that Python reads as a name.

    Python compares keywords as they are written, and names in their normal form NFKC, where 𝐟or is for (PEP 3131).
    """
    words = [name for name in symbols if iskeyword(name) and name not in OPERATORS]
    return re.sub(rf"\b({'|'.join(words)})\b", lambda m: _bold(m[0]), flat) if words else flat


def _bold(word: str) -> str:
    """The word with its first letter in mathematical bold, one character as before."""
    return chr(ord(word[0]) - ord("a") + 0x1D41A if word[0].islower() else ord(word[0]) - ord("A") + 0x1D400) + word[1:]


def parts(text: str) -> list[str]:
    """The texts that a text joins by `and`; itself where it joins none, or is no expression.

    >>> parts("1 <= M and (lane < 4 or i == 0)")
    ['1 <= M', 'lane < 4 or i == 0']
    """
    try:
        tree = _tree(text, text.replace("\n", " "))
    except ParseError:
        return [text]
    joined = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else None
    return [text] if joined is None else [ast.unparse(part) for part in joined]


def subscripted(text: str) -> dict[str, list[str]]:
    """The names that stand in the subscripts of each name that is indexed, in their order.

    >>> subscripted("x[i + 1] - x[i] <= L and x[0] == y[j, k]")
    {'x': ['i'], 'y': ['j', 'k']}
    """
    found: dict[str, list[str]] = {}
    for node in ast.walk(_tree(text, text.replace("\n", " "))):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            inner = (one.id for one in ast.walk(node.slice) if isinstance(one, ast.Name))
            found[node.value.id] = [*dict.fromkeys((*found.get(node.value.id, ()), *inner))]
    return found


def _tree(text: str, flat: str) -> ast.expr:
    """Python's syntax tree of the text."""
    indent = len(flat) - len(flat.lstrip())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # it warns of `3[i]`, which the table refuses anyway
            return ast.parse(flat.strip(), mode="eval").body
    except SyntaxError as error:
        reason = (error.msg or "not an expression").split(";")[0]
        raise ParseError(text, indent + (error.offset or 1), f"{reason}; an expression such as (M + 1) * 8") from None
    except ValueError as error:
        raise ParseError(text, 1, str(error)) from None
    except (RecursionError, MemoryError):
        raise ParseError(text, 1, "nested too deeply to be read; give parts of it names") from None


class _Reader:
    """Reads one tree, children before what uses them (no recursion: depth is limited by the length alone)."""

    def __init__(self, text: str, flat: str, symbols: Mapping[str, Expr], elements: Elements | None) -> None:
        self.text, self.flat, self.symbols, self.elements = text, flat.strip(), symbols, elements
        self.indent = len(flat) - len(flat.lstrip())

    def read(self, root: ast.expr) -> Expr:
        done: dict[int, Expr] = {}
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            kids = self.kids(node)
            if not ready:
                stack.append((node, True))
                stack += [(kid, False) for kid in reversed(kids)]
            else:
                done[id(node)] = self.build(node, [done[id(kid)] for kid in kids])
        return done[id(root)]

    def kids(self, node: ast.expr) -> Sequence[ast.expr]:
        if isinstance(node, ast.Subscript) and self.is_element(node):
            return [*(node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])]
        if type(node) not in _KIDS:
            raise self.error(node, f"{_thing(node)} is not part of an expression; {_ALLOWED}")
        return _KIDS[type(node)](node)

    def is_element(self, node: ast.Subscript) -> bool:
        return self.elements is not None and isinstance(node.value, ast.Name) and not _is_table(node)

    def build(self, node: ast.expr, args: list[Expr]) -> Expr:
        try:
            return _printable(_BUILD[type(node)](self, node, args))
        except ParseError:
            raise
        except (ValueError, TypeError) as problem:
            raise self.error(node, str(problem)) from None

    def error(self, node: ast.expr, problem: str) -> ParseError:
        before = self.flat.encode()[: node.col_offset]
        return ParseError(self.text, self.indent + len(before.decode()) + 1, problem)

    # --- one reader a kind of node ---

    def constant(self, node: ast.Constant, _: list[Expr]) -> Expr:
        if type(node.value) is not int:
            raise ValueError(f"{node.value!r} is not an integer; {_ALLOWED}")
        return const(_bounded(node.value))

    def name(self, node: ast.Name, _: list[Expr]) -> Expr:
        if node.id not in self.symbols:
            known = ", ".join(self.symbols) or "none"
            raise ValueError(f"no symbol {node.id!r}; known here: {known}")
        return self.symbols[node.id]

    def unary(self, node: ast.UnaryOp, args: list[Expr]) -> Expr:
        return _UNARY[type(node.op)](*args)

    def binary(self, node: ast.BinOp, args: list[Expr]) -> Expr:
        if type(node.op) not in _BINARY:
            hint = "; write // (it rounds down)" if isinstance(node.op, ast.Div) else ""
            raise ValueError(f"{_thing(node.op)} is not an integer operation{hint}")
        return _BINARY[type(node.op)](*args)

    def compare(self, node: ast.Compare, args: list[Expr]) -> Expr:
        for op in node.ops:
            if type(op) not in _COMPARE:
                raise ValueError(f"{_thing(op)} is not a comparison of integers; < <= > >= == != are")
        return all_of(*(_COMPARE[type(op)](a, b) for op, a, b in zip(node.ops, args, args[1:], strict=False)))

    def boolean(self, node: ast.BoolOp, args: list[Expr]) -> Expr:
        return (all_of if isinstance(node.op, ast.And) else any_of)(*args)

    def choice(self, _: ast.IfExp, args: list[Expr]) -> Expr:
        return select(*args)

    def call(self, node: ast.Call, args: list[Expr]) -> Expr:
        name = node.func.id if isinstance(node.func, ast.Name) else "what stands before ("
        if name not in _CALLS or node.keywords:
            raise ValueError(f"{name} cannot be called; " + ", ".join(_CALLS) + " can, without keywords")
        function, low, high = _CALLS[name]
        if not low <= len(args) <= high:
            raise ValueError(f"{name} takes {low if low == high else f'{low} or more'} arguments, here {len(args)}")
        return function(*args)

    def subscript(self, node: ast.Subscript, args: list[Expr]) -> Expr:
        if self.elements is not None and self.is_element(node):
            return self.elements(cast(ast.Name, node.value).id, tuple(args))
        if not args:
            raise ValueError("only a table is indexed: table[4, 7, 9][i]")
        *entries, index = args
        if any(entry.op != "const" for entry in entries):
            raise ValueError("the entries of a table are constants: table[4, 7, 9][i]")
        return lookup([entry.value for entry in entries], index)


def _is_table(node: ast.Subscript) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "table"


def _table_kids(node: ast.Subscript) -> list[ast.expr]:
    """The entries of `table[…][index]`, then the index; nothing where it is something else (`subscript` says so)."""
    if not (isinstance(node.value, ast.Subscript) and _is_table(node.value)):
        return []
    inner = node.value.slice
    return [*(inner.elts if isinstance(inner, ast.Tuple) else [inner]), node.slice]


def _bounded(value: int) -> int:
    if abs(value) >> BITS:
        raise ValueError(f"a constant of more than {BITS} bits")
    return value


def _printable(e: Expr) -> Expr:
    if any(abs(end) != math.inf and abs(int(end)) >> RESULT_BITS for end in (e.lo, e.hi)):
        raise ValueError(f"its value can have more than {RESULT_BITS} bits")
    return e


def _integer(e: Expr, what: str, limit: int) -> int:
    if e.op != "const" or not 0 <= e.value <= limit:
        raise ValueError(f"{what} is a constant in 0…{limit}, here it is {e}")
    return int(e.value)


def _power(base: Expr, exponent: Expr) -> Expr:
    if base.op != "const":
        raise ValueError(f"** takes constants, here the base is {base}; write a product")
    return const(_bounded(base.value ** _integer(exponent, "an exponent", BITS)))


def _bitor(a: Expr, b: Expr) -> Expr:
    return a + b - bitand(a, b)


def _divide_ceil(a: Expr, b: Expr) -> Expr:
    return div(a + b - 1, b)


def _thing(node: ast.AST) -> str:
    return _NAMES.get(type(node), type(node).__name__)


_NAMES: Mapping[type, str] = {
    ast.Div: "/", ast.MatMult: "@", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Attribute: "an attribute (.)", ast.Lambda: "a lambda", ast.NamedExpr: ":=", ast.Tuple: "a tuple (,)",
    ast.List: "a list", ast.Dict: "a dictionary", ast.Set: "a set", ast.JoinedStr: "a string", ast.Starred: "*",
    ast.Slice: "a slice (:)", ast.Await: "await", ast.ListComp: "a comprehension", ast.GeneratorExp: "a generator",
}  # fmt: skip
_ALLOWED = "integers, names, + - * // % ^ & | << >>, comparisons, and/or/not, min, max, select are"

_KIDS: Mapping[type, Callable[..., Sequence[ast.expr]]] = {
    ast.Constant: lambda n: [],
    ast.Name: lambda n: [],
    ast.UnaryOp: lambda n: [n.operand],
    ast.BinOp: lambda n: [n.left, n.right],
    ast.Compare: lambda n: [n.left, *n.comparators],
    ast.BoolOp: lambda n: n.values,
    ast.IfExp: lambda n: [n.test, n.body, n.orelse],
    ast.Call: lambda n: n.args,
    ast.Subscript: _table_kids,
}
_BUILD: Mapping[type, Callable[..., Expr]] = {
    ast.Constant: _Reader.constant,
    ast.Name: _Reader.name,
    ast.UnaryOp: _Reader.unary,
    ast.BinOp: _Reader.binary,
    ast.Compare: _Reader.compare,
    ast.BoolOp: _Reader.boolean,
    ast.IfExp: _Reader.choice,
    ast.Call: _Reader.call,
    ast.Subscript: _Reader.subscript,
}
_UNARY: Mapping[type, Callable[[Expr], Expr]] = {
    ast.USub: lambda a: -a,
    ast.UAdd: lambda a: a,
    ast.Invert: lambda a: -a - 1,
    ast.Not: negation,
}
_BINARY: Mapping[type, Callable[[Expr, Expr], Expr]] = {
    ast.Add: add,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: mul,
    ast.FloorDiv: div,
    ast.Mod: mod,
    ast.BitXor: xor,
    ast.BitAnd: bitand,
    ast.BitOr: _bitor,  # a | b = a + b − (a & b), for two's complement of any width
    ast.LShift: lambda a, b: a << _integer(b, "the amount of a shift", BITS - 1),
    ast.RShift: lambda a, b: a >> _integer(b, "the amount of a shift", BITS - 1),
    ast.Pow: _power,
}
_COMPARE: Mapping[type, Callable[[Expr, Expr], Expr]] = {
    ast.Lt: lt,
    ast.LtE: le,
    ast.Gt: lambda a, b: lt(b, a),
    ast.GtE: lambda a, b: le(b, a),
    ast.Eq: eq,
    ast.NotEq: lambda a, b: negation(eq(a, b)),
}
_MANY = 64
_CALLS: Mapping[str, tuple[Callable[..., Expr], int, int]] = {
    "min": (lambda *xs: reduce(minimum, xs), 2, _MANY),
    "max": (lambda *xs: reduce(maximum, xs), 2, _MANY),
    "select": (select, 3, 3),
    "integer_divide_ceil": (_divide_ceil, 2, 2),
    "integer_least_multiple": (lambda a, b: _divide_ceil(a, b) * b, 2, 2),
}
