"""What memory holds when a kernel is launched, from text: `assume` and `initially` of the `[launch]` table.

    0 <= index[i] < V                            of each element
    label[i] == -100 or 0 <= label[i] < V        one of two ranges
    start[i] <= start[j] for i <= j              sorted; with < for i < j: strictly
    index[i] != index[j] for i != j              no two are equal
    slot[i] != slot[j] for i != j and slot[i] < T    no two, but for padding from T on
    start[i + 1] - start[i] <= L                 of neighbours
    offset[i] + length[i] <= T                   of two tensors, at one index
    start[0] == 0
    1 <= k <= 8                                  of a value that the launch names

An entry is a condition in the language of expressions (`index.parse`), of sizes, named values and elements, and holds
for all values of its indices at which all its elements are in their tensors; behind `for` stands where it holds.  An
index is any name that stands in a subscript and is nothing else; a subscript is an index and a number, `i + 1`, or a
number.  That neighbours are in order (`start[i] <= start[i + 1]`) says that all are (`ordered`).

What it cannot represent: an element whose subscript is an element, sums over elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field

from layoutalg.formats.launch import AssumedElement, Assumption
from layoutalg.formats.shape import nearest
from layoutalg.index import (
    FALSE,
    TRUE,
    Expr,
    all_of,
    any_of,
    as_expr,
    conjuncts,
    eq,
    lt,
    negation,
    substitute,
    symbol,
    variables,
)
from layoutalg.index.conditions import normal_form
from layoutalg.index.parse import parse, subscripted
from layoutalg.index.radix import affine
from layoutalg.index.ranges import BOOLEAN
from layoutalg.index.variable import unlimited
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES


@dataclass(frozen=True)
class Known:
    """What the names of an assumption stand for: tensors with types and numbers of dimensions, sizes, named values."""

    tensors: Mapping[str, tuple[str, int]]
    sizes: Mapping[str, Expr]
    values: Mapping[str, str]  # each value's type; empty where the launch does not say


def assumption(text: str, known: Known) -> Assumption:
    """The assumption that a text says; ValueError in one line where it says none.

    >>> from layoutalg.index import symbol
    >>> made = assumption("s[i + 1] - s[i] <= L", Known({"s": ("i32", 1)}, {"L": symbol("L")}, {}))
    >>> [(str(one.variable), one.tensor, one.subscripts) for one in made.elements]
    [('s[i + 1]', 's', (i + 1,)), ('s[i]', 's', (i,))]
    """
    return _Reader(text, known).assumption()


@dataclass
class _Reader:
    text: str
    known: Known
    elements: dict[Expr, AssumedElement] = field(default_factory=dict)
    indices: dict[str, Expr] = field(default_factory=dict)

    def assumption(self) -> Assumption:
        said, *where = [self.text] if "for" in self.names else re.split(r"\bfor\b", self.text)
        if len(where) > 1:
            raise ValueError(f"{self.text!r}: one `for` says where it holds; join conditions by `and`")
        inner = (subscripted(part) for part in (said, *where))
        new = (name for one in inner for tensor, names in one.items() if tensor in self.known.tensors for name in names)
        self.indices = {name: unlimited(name, 0) for name in new if name not in self.names}
        holds = any_of(self.read(said), *(negation(self.read(condition)) for condition in where))
        values = tuple((v, name) for name, v in self.values.items() if v in variables(holds))
        made = Assumption(self.text, holds, tuple(self.elements.values()), values)
        self.refuse(made)
        return made

    @property
    def names(self) -> set[str]:
        return {*self.known.sizes, *self.known.values, *self.known.tensors}

    @property
    def values(self) -> Mapping[str, Expr]:
        """A variable for each named value."""
        return {name: _number(name, dtype) for name, dtype in self.known.values.items()}

    def read(self, text: str) -> Expr:
        """A condition."""
        made = parse(text, {**self.known.sizes, **self.values, **self.indices}, self.element)
        if made.op not in BOOLEAN and made not in (TRUE, FALSE):
            raise ValueError(f"{text.strip()!r} is a number; a condition is wanted, such as 0 <= {text.strip()}")
        return made

    def element(self, name: str, subscripts: tuple[Expr, ...]) -> Expr:
        if name not in self.known.tensors:
            known = [*self.known.tensors]
            raise ValueError(f"{name} is no tensor of the launch{nearest(name, known) or f'; {known} are'}")
        dtype, rank = self.known.tensors[name]
        if len(subscripts) != rank:
            raise ValueError(f"{name} has {rank} dimensions, here {len(subscripts)}")
        for one in subscripts:
            self.refuse_subscript(name, one)
        made = _number(f"{name}[{', '.join(map(str, subscripts))}]", dtype)
        self.elements[made] = AssumedElement(made, name, subscripts)
        return made

    def refuse_subscript(self, name: str, one: Expr) -> None:
        """ValueError where a subscript is no index and a number."""
        indices = tuple(self.indices.values())
        within = [v for v in variables(one) if v in indices]
        form = affine(one, within)
        if any(v in self.elements or v in self.values.values() for v in variables(one)):
            raise ValueError(f"{name}[{one}]: in a subscript stand indices, sizes and numbers, no element and no value")
        if len(within) > 1 or form is None or any(stride != as_expr(1) for stride in form.strides.values()):
            raise ValueError(f"{name}[{one}]: a subscript is an index and a number, such as i + 1")

    def refuse(self, made: Assumption) -> None:
        """ValueError where nothing is assumed, or more of fractions than of one at a time."""
        if not (made.elements or made.values):
            raise ValueError(f"{self.text!r} speaks of no element x[i] and of no named value")
        fractions = [one for one in made.elements if not is_whole(self.known.tensors[one.tensor][0])]
        if fractions and (len(made.elements) > 1 or made.values):
            dtype = self.known.tensors[fractions[0].tensor][0]
            raise ValueError(f"{fractions[0].variable} is of {dtype}: of fractions one by itself is assumed")


def is_whole(dtype: str) -> bool:
    """Whether a type is one of integers."""
    return dtype.startswith(("i", "u"))


def _number(name: str, dtype: str) -> Expr:
    """A variable for a number of a type; any integer where it is none of integers, or not known."""
    if not is_whole(dtype):
        return unlimited(name)
    bits = DTYPES[dtype].bits
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.startswith("i") else (0, (1 << bits) - 1)
    return symbol(name, min=low, max=high)


def ordered(one: Assumption) -> Iterator[Assumption]:
    """What follows of all pairs where neighbours are in order: x[i] ≤ x[i + 1] for all i, so x[i] ≤ x[j] for i < j.

    >>> made = assumption("0 <= s[i] < s[i + 1]", Known({"s": ("i32", 1)}, {}, {}))
    >>> [str(one.holds) for one in ordered(made)]
    ['s[i] < s[j] or j <= i']
    """
    at = {element.variable: element for element in one.elements}
    if len(at) != 2:
        return  # it holds where all its elements are in their tensors, those of other parts too
    for part in conjuncts(one.holds):
        sides = [at[side] for side in part.args if side in at] if part.op in ("lt", "le") else []
        if len(sides) == 2 and sides[0].tensor == sides[1].tensor and _follows(sides[0], sides[1]):
            (i,) = sides[0].subscripts
            j = unlimited("j" if i.value.name != "j" else "k", 0)
            low, high = (
                AssumedElement(unlimited(f"{e.tensor}[{v}]"), e.tensor, (v,))
                for e, v in zip(sides, (i, j), strict=True)
            )
            order = substitute(part, {sides[0].variable: low.variable, sides[1].variable: high.variable})
            yield Assumption(one.text, any_of(order, negation(lt(i, j))), (low, high))


def _follows(one: AssumedElement, other: AssumedElement) -> bool:
    """Whether one is x[i], and the other x[i + 1]."""
    if len(one.subscripts) != 1:
        return False
    (i,), (then,) = one.subscripts, other.subscripts
    return bool(i.op == "var" and i.value.index and then is i + 1)


def is_symmetric(one: Assumption) -> bool:
    """Whether two elements of one tensor may change places: what is said of them is the same then."""
    if len(one.elements) != 2 or len(one.tensors) != 1:
        return False
    first, second = one.elements
    if any(v.op != "var" or not v.value.index for e in one.elements for v in e.subscripts):
        return False
    turned = dict(zip((first.variable, *first.subscripts), (second.variable, *second.subscripts), strict=True))
    both = turned | {new: old for old, new in turned.items()}
    return len(both) == 2 * len(turned) and normal_form(substitute(one.holds, both)) is normal_form(one.holds)


def says_distinct(one: Assumption) -> bool:
    """Whether an assumption says that no two elements of a tensor are equal.

    >>> from layoutalg.index import TRUE
    >>> from dataclasses import replace
    >>> said = assumption("x[i] != x[j] for i != j", Known({"x": ("i32", 1)}, {}, {}))
    >>> says_distinct(said), says_distinct(replace(said, holds=TRUE))
    (True, False)
    """
    if not is_symmetric(one):
        return False
    first, second = one.elements
    same = all_of(*(eq(a, b) for a, b in zip(first.subscripts, second.subscripts, strict=True)))
    differ = any_of(same, negation(eq(first.variable, second.variable)))
    return normal_form(one.holds) is normal_form(differ)
