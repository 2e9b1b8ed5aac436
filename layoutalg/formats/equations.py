"""Equations from text: what `computes` says in the `[launch]` table.

    o[j, i] = x[i, j]
    o[i] = where(i < N - 1, x[i + 1], 0.0)
    o[i, j] = sum[k] f32(a[i, k]) * f32(b[k, j])
    o[i] = x[index[i]] * f32(N)

| written | means |
|---|---|
| `o[i, j] =` | for every index of o; `i` and `j` are names of its dimensions, and new |
| `x[i + 1, N - j]` | an element before the launch; in brackets integers of indices and sizes, or an integer term |
| `alpha` | a value that the launch names |
| `2`, `0.5`, `1e-6`, `inf` | numbers, of the type that stands beside them, rounded to it |
| `+ - * /`, `-x` | arithmetic of one type, rounded in each step; `/` of floats |
| `// %` | of indices and sizes, and of unsigned integers |
| `& \\| ^ ~ << >>` | of integers, as in C |
| `< <= > >= == !=`, `and or not` | truths, for `where(condition, then, otherwise)` |
| `exp(x)`, `fma(a, b, c)`, … | the functions of `layoutalg.formats.equation.FUNCTIONS`, of one type |
| `f32(x)`, `i8(x)`, … | conversion: to nearest even of a float, towards zero and cut to the range of an integer |
| `bits_f32(x)`, `bits_u16(x)`, … | the same bits as another type |
| `sum[k] …`, `prod[k]`, `max[k]`, `min[k]`, `sum[k < K // 2]`, `sum[k, l]` | over an index |

An operator binds as in Python; `sum[k]` takes the product behind it, `a[k] * b[k]` of `sum[k] a[k] * b[k] + c[i]`. How
far k goes is the length of a dimension in whose place it stands alone. A size beside a float is written `f32(N)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from layoutalg.formats.equation import (
    FUNCTIONS,
    INDEX,
    NUMBERS,
    SIGNED,
    UNSIGNED,
    UNTYPED,
    Contents,
    Equation,
    EquationTerm,
    IndexTerm,
    Literal,
    Passed,
    Reduction,
)
from layoutalg.formats.equation_types import applied, chosen, converted, renamed, same_bits, typed
from layoutalg.formats.shape import nearest
from layoutalg.index import ZERO, Expr, const, simplify, var
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

#: Characters of an equation, and parts within parts, at most.
LENGTH, DEEPEST = 10_000, 200

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|(<<|>>|<=|>=|==|!=|//|[-+*/%&|^~<>=()\[\],]))"
)

#: Operators of two operands: how tightly each binds, and the operation.
_BINARY: Mapping[str, tuple[int, str]] = {
    "or": (1, "or"), "and": (2, "and"), "<": (4, "lt"), "<=": (4, "le"), ">": (4, "gt"), ">=": (4, "ge"),
    "==": (4, "eq"), "!=": (4, "ne"), "|": (5, "or"), "^": (6, "xor"), "&": (7, "and"), "<<": (8, "shl"),
    ">>": (8, "shr"), "+": (9, "add"), "-": (9, "sub"), "*": (10, "mul"), "/": (10, "div"), "//": (10, "floordiv"),
    "%": (10, "mod"),
}  # fmt: skip
_NOT, _PRODUCT, _UNARY = 3, 10, 11


class EquationError(ValueError):
    """A text that is no equation: one line with the text, the column (from 1) and what is wrong."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        super().__init__(f"{shown!r}, column {column}: {problem}")


@dataclass(frozen=True)
class EquationNames:
    """What the names of an equation stand for: tensors with their types and lengths, sizes, values of the launch."""

    tensors: Mapping[str, tuple[str, tuple[Expr, ...]]]
    sizes: Mapping[str, Expr]
    passed: Mapping[str, str]  # each value's type; empty where the launch does not say


def equation(text: str, named: EquationNames) -> Equation:
    """The equation that a text says; EquationError in one line where it says none.

    >>> from layoutalg.index import symbol
    >>> m, n = symbol("M", min=1, max=99), symbol("N", min=1, max=99)
    >>> known = EquationNames({"x": ("f32", (m, n)), "o": ("f32", (n, m))}, {"M": m, "N": n}, {})
    >>> found = equation("o[j, i] = x[i, j] * 2", known)
    >>> found.tensor, found.indices, found.term.name, found.term.dtype
    ('o', (j, i), 'mul', 'f32')
    >>> equation("o[j, i] = x[i]", known)
    Traceback (most recent call last):
        ...
    layoutalg.formats.equations.EquationError: 'o[j, i] = x[i]', column 11: x has 2 dimensions, here 1
    """
    return _Reader(text, named).equation()


class _Reader:
    """Reads one text, from left to right; an operator's operands before what stands behind it."""

    def __init__(self, text: str, named: EquationNames) -> None:
        self.text, self.named, self.at, self.depth = text, named, 0, 0
        self.indices: dict[str, Expr] = {}
        self.ranges: dict[str, tuple[int, Expr | None]] = {}  # of reductions: where it is named, how far it goes
        self.tokens = self._tokens()

    def _tokens(self) -> list[tuple[str, int]]:
        if len(self.text) > LENGTH:
            raise EquationError(self.text, LENGTH, f"an equation has at most {LENGTH} characters")
        found, at = [], 0
        while self.text[at:].strip():
            match = _TOKEN.match(self.text, at)
            if match is None:
                column = at + len(self.text[at:]) - len(self.text[at:].lstrip()) + 1
                raise EquationError(self.text, column, f"{self.text[column - 1]!r} is not part of an equation")
            found.append((match[0].strip(), match.end() - len(match[0].strip()) + 1))
            at = match.end()
        return [*found, ("", len(self.text) + 1)]

    @property
    def next(self) -> str:
        return self.tokens[self.at][0]

    @property
    def column(self) -> int:
        return self.tokens[self.at][1]

    def take(self, wanted: str = "") -> str:
        if wanted and self.next != wanted:
            self.fail(self.column, f"{wanted!r} is wanted here, in place of {self.next or 'the end'!r}")
        token, self.at = self.next, min(self.at + 1, len(self.tokens) - 1)  # the end stays the next
        return token

    def fail(self, column: int, problem: str) -> NoReturn:
        raise EquationError(self.text, column, problem)

    # --- the whole ---

    def equation(self) -> Equation:
        column, name = self.column, self.take()
        if name not in self.named.tensors:
            self.fail(column, f"an equation begins with a tensor of the launch, o[i, j] = …; {self._hint(name)}")
        dtype, lengths = self.named.tensors[name]
        indices = self._new_indices(lengths)
        if len(indices) != len(lengths):
            self.fail(column, f"{name} has {len(lengths)} dimensions, here {len(indices)}")
        self.indices |= dict(zip((v.value.name for v in indices), indices, strict=True))
        self.take("=")
        column = self.column
        term = self.term(0)
        if self.next:
            self.fail(self.column, f"{self.next!r} stands behind the term; an operator is wanted")
        with self.meaning(column):
            term = typed(term, dtype)
        if term.dtype != dtype:
            self.fail(column, f"this is {term.dtype}, and {name} has {dtype}: write {dtype}(…)")
        return Equation(name, tuple(indices), term, self.text)

    def _new_indices(self, lengths: Sequence[Expr]) -> list[Expr]:
        """Names in brackets, each a variable below a length."""
        found: list[Expr] = []
        self.take("[")
        while self.next != "]":
            column, name = self.column, self.new_name([v.value.name for v in found])
            if len(found) >= len(lengths):
                self.fail(column, f"a tensor of {len(lengths)} dimensions has no more indices")
            found.append(var(name, lengths[len(found)]))
            if self.next != "]":
                self.take(",")
        self.take("]")
        return found

    def new_name(self, others: Sequence[str]) -> str:
        column, name = self.column, self.take()
        known = (*self.named.tensors, *self.named.sizes, *self.named.passed, *self.indices, *others)
        if not name.isidentifier() or name in _BINARY or name in known:
            self.fail(column, f"an index has a new name; {name!r} is {'taken' if name in known else 'none'}")
        return name

    # --- terms ---

    def term(self, least: int) -> EquationTerm:
        """What stands here, up to an operator that binds less tightly."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(self.column, f"more than {DEEPEST} parts within each other")
        left = self.prefixed()
        while self.next in _BINARY and _BINARY[self.next][0] >= least:
            column, (binds, name) = self.column, _BINARY[self.take()]
            right = self.term(binds + 1)
            left = self.operation(column, name, (left, right))
            if binds == _BINARY["<"][0] and self.next in _BINARY and _BINARY[self.next][0] == binds:
                self.fail(self.column, "comparisons are joined by and: a < b and b < c")
        self.depth -= 1
        return left

    def prefixed(self) -> EquationTerm:
        column = self.column
        if self.next in ("-", "~"):
            name = "neg" if self.take() == "-" else "not"
            return self.operation(column, name, (self.term(_UNARY),))
        if self.next == "not":
            self.take()
            return self.operation(column, "not", (self.term(_NOT),))
        return self.primary()

    def primary(self) -> EquationTerm:
        column, token = self.column, self.take()
        if token == "(":
            inside = self.term(0)
            self.take(")")
            return inside
        if token[:1].isdigit() or token[:1] == ".":
            return IndexTerm(const(int(token))) if token.isdigit() else Literal(float(token), UNTYPED)
        if token in Reduction.NAMES and self.next == "[":
            return self.reduction(column, Reduction.NAMES[token])
        if self.next == "(":
            return self.call(column, token)
        if self.next == "[" and token in self.named.tensors:
            return self.contents(column, token)
        if token in self.indices or token in self.named.sizes:
            return IndexTerm(self.indices.get(token, self.named.sizes.get(token, ZERO)))
        if token in self.named.passed:
            if not self.named.passed[token]:
                self.fail(column, f"the launch does not say what {token} is: give its dtype in place of its bytes")
            return Passed(token, self.named.passed[token])
        if token == "inf":
            return Literal(float("inf"), UNTYPED)
        self.fail(column, f"a term is wanted here; {self._hint(token)}")

    def _hint(self, name: str) -> str:
        if not name:
            return "the text ends"
        known = (*self.named.tensors, *self.named.sizes, *self.named.passed, *self.indices, *FUNCTIONS)
        return f"{name!r} is none" + (nearest(name, known) or f"; the names here are {', '.join(known)}")

    def contents(self, column: int, name: str) -> Contents:
        dtype, lengths = self.named.tensors[name]
        places = self.listed("[", "]")
        if len(places) != len(lengths):
            self.fail(column, f"{name} has {len(lengths)} dimensions, here {len(places)}")
        for (place, at), length in zip(places, lengths, strict=True):
            if place.dtype not in (INDEX, *SIGNED, *UNSIGNED):
                self.fail(at, "a subscript is an integer")
            self._ranged(place, at, length)
        return Contents(name, tuple(place for place, _ in places), dtype)

    def _ranged(self, place: EquationTerm, column: int, length: Expr) -> None:
        """An index of a reduction that stands alone goes as far as the dimension."""
        if not isinstance(place, IndexTerm) or place.expr.op != "var" or place.expr.value.name not in self.ranges:
            return
        name = place.expr.value.name
        start, known = self.ranges[name]
        if known is not None and simplify(known - length) is not ZERO:
            self.fail(column, f"{name} goes to {known} elsewhere, and to {length} here: write [{name} < {known}]")
        self.ranges[name] = start, length

    def listed(self, first: str, last: str) -> list[tuple[EquationTerm, int]]:
        self.take(first)
        found = []
        while self.next != last:
            found.append((self.term(0), self.column))
            if self.next != last:
                self.take(",")
        self.take(last)
        return found

    def reduction(self, column: int, name: str) -> EquationTerm:
        self.take("[")
        new: list[str] = []
        limits: dict[str, Expr] = {}
        while self.next != "]":
            new.append(self.new_name(new))
            self.ranges[new[-1]] = column, None
            if self.next == "<":
                self.take()
                at, most = self.column, self.term(_BINARY["<"][0] + 1)
                if not isinstance(most, IndexTerm):
                    self.fail(at, "how far an index goes is a number of sizes and indices")
                limits[new[-1]] = most.expr
            if self.next != "]":
                self.take(",")
        self.take("]")
        around, alone = dict(self.indices), {one: var(one, 1 << 62) for one in new}
        self.indices |= alone
        for one in limits:
            self.ranges.pop(one)
        body = self.term(_PRODUCT)
        self.indices = around
        if isinstance(body, IndexTerm) or body.dtype not in NUMBERS:
            self.fail(column, "what is put together is of an element type: write f32(…)")
        for one in reversed(new):
            length = limits[one] if one in limits else self.ranges.pop(one)[1]
            if length is None:
                self.fail(column, f"{one} stands alone in no subscript, so how far it goes is to be said: [{one} < N]")
            index = var(one, length)
            body = Reduction(name, index, length, renamed(body, {alone[one]: index}))
        return body

    def call(self, column: int, name: str) -> EquationTerm:
        operands = [term for term, _ in self.listed("(", ")")]
        if name == "where":
            with self.meaning(column):
                return chosen(operands)
        wanted = name.removeprefix("bits_")
        if wanted in DTYPES and DTYPES[wanted].bytes:
            if len(operands) != 1:
                self.fail(column, f"{name} takes one operand, here {len(operands)}")
            with self.meaning(column):
                return same_bits(operands[0], wanted) if name != wanted else converted(operands[0], wanted)
        if name not in FUNCTIONS:
            known = (*FUNCTIONS, "where", *(one for one in DTYPES if DTYPES[one].bytes))
            self.fail(column, f"{name!r} is no function{nearest(name, known) or '; ' + ', '.join(known) + ' are'}")
        if len(operands) != FUNCTIONS[name][0]:
            self.fail(column, f"{name} takes {FUNCTIONS[name][0]} operands, here {len(operands)}")
        return self.operation(column, name, operands)

    def operation(self, column: int, name: str, operands: Sequence[EquationTerm]) -> EquationTerm:
        with self.meaning(column):
            return applied(name, operands)

    @contextmanager
    def meaning(self, column: int) -> Iterator[None]:
        """Operands that do not fit are told at this column."""
        try:
            yield
        except EquationError:
            raise
        except (ValueError, TypeError) as problem:
            raise EquationError(self.text, column, str(problem)) from None
