"""What is proved: three kinds of statement, which every claim comes down to.

    ForAll        ∀ variables: given ⇒ goal
    InjectiveMap  ∀ two points that satisfy given: outputs equal ⇒ the points are equal
    Onto          ∀ targets (and sizes that satisfy where) ∃ a point that satisfies given: outputs = targets

A variable carries its own range (`0 ≤ i < extent`, a size's limits), so a statement needs no others.  Every variable
below the expressions counts, listed or not; in `InjectiveMap` and `Onto`, the listed ones are the point's, and the
others (sizes, and what both points share) are given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.index import TRUE, Expr, all_of, names, postorder, substitute, symbol, unused, variables
from layoutalg.index.evaluate import admits, value
from layoutalg.records import dataclass

Point = Mapping[Expr, int]
"""A value for each variable."""


@dataclass(frozen=True)
class Shown:
    """What a witness is told with: a name, and expressions to evaluate at it.

    >>> from layoutalg.index import var
    >>> from layoutalg.prove import prove
    >>> i = var("i", 8)
    >>> prove(ForAll("the double", i * 2 < 14, show=(Shown("i and 2i", (i, i * 2)),))).reason
    'the double: not at i and 2i (7, 14)'
    """

    name: str
    exprs: tuple[Expr, ...]

    def at(self, point: Point) -> str:
        """The text, e.g. `index (2, 4)`."""
        return f"{self.name} {self.value_at(point)}"

    def value_at(self, point: Point) -> int | tuple[int, ...]:
        """The number, or the numbers."""
        values = [value(e, point) for e in self.exprs]
        return values[0] if len(values) == 1 else tuple(values)


@dataclass(frozen=True)
class ForAll:
    """For all values of the variables: given ⇒ goal; `label` says it in words.

    `told`: what a witness says in place of the label and all that is shown, with `{name}` for what is shown so.

    >>> from layoutalg.index import var
    >>> from layoutalg.prove import prove
    >>> i = var("i", 64)
    >>> prove(ForAll("halves", i // 2 <= 30)).reason
    'halves: not at i = 62'
    """

    label: str
    goal: Expr
    given: Expr = TRUE
    show: tuple[Shown, ...] = ()
    told: str = ""

    @cached_property
    def variables(self) -> tuple[Expr, ...]:
        """Every variable, those of extents too."""
        return variables(self.goal, self.given, *(e for s in self.show for e in s.exprs))

    def assuming(self, condition: Expr) -> ForAll:
        """The same where a condition on the sizes holds; of other sizes it says nothing."""
        return replace(self, given=all_of(self.given, apart(condition, self)))

    @property
    def roots(self) -> tuple[Expr, ...]:
        """The expressions that the statement is made of."""
        return self.given, self.goal


@dataclass(frozen=True)
class InjectiveMap:
    """Two different points (over `over`) that satisfy `given` have different outputs.

    >>> from layoutalg.index import var
    >>> from layoutalg.prove import prove
    >>> i = var("i", 64)
    >>> prove(InjectiveMap("pairs", (i,), (i // 2, i % 2))).name
    'proved'
    """

    label: str
    over: tuple[Expr, ...]
    outputs: tuple[Expr, ...]
    given: Expr = TRUE
    show: tuple[Shown, ...] = ()

    @cached_property
    def variables(self) -> tuple[Expr, ...]:
        """Every variable, those of extents too."""
        return variables(*self.over, *self.outputs, self.given)

    @property
    def shared(self) -> tuple[Expr, ...]:
        """The variables that both points have in common: sizes."""
        return tuple(v for v in self.variables if v not in self.over)

    def assuming(self, condition: Expr) -> InjectiveMap:
        """The same where a condition on the sizes holds; of other sizes it says nothing."""
        return replace(self, given=all_of(self.given, apart(condition, self)))

    @property
    def roots(self) -> tuple[Expr, ...]:
        """The expressions that the statement is made of."""
        return self.given, *self.outputs


@dataclass(frozen=True)
class Onto:
    """Every value of the targets is the outputs' at some point (over `over`) that satisfies `given`.

    Only sizes that satisfy `where` count.  Each of `suffices` is a list of statements that together imply it: a right
    inverse, as many points as targets.

    >>> from layoutalg.index import var
    >>> from layoutalg.prove import prove
    >>> i, residue = var("i", 8), var("residue", 8)
    >>> prove(Onto("every residue", (i,), (i * 3 % 8,), (residue,))).name
    'proved'
    >>> prove(Onto("every residue", (i,), (i * 2 % 8,), (residue,))).reason
    'every residue: not at residue = 1'
    """

    label: str
    over: tuple[Expr, ...]
    outputs: tuple[Expr, ...]
    targets: tuple[Expr, ...]
    given: Expr = TRUE
    suffices: tuple[tuple[ForAll | InjectiveMap, ...], ...] = ()
    show: tuple[Shown, ...] = ()
    where: Expr = TRUE

    @cached_property
    def variables(self) -> tuple[Expr, ...]:
        """The variables of a counterexample: the targets, and the sizes."""
        return tuple(v for v in variables(*self.targets, *self.roots, *self.over, self.where) if v not in self.over)

    def assuming(self, condition: Expr) -> Onto:
        """The same where a condition on the sizes holds; of other sizes it says nothing."""
        ways = tuple(tuple(part.assuming(condition) for part in way) for way in self.suffices)
        return replace(self, where=all_of(self.where, apart(condition, self)), suffices=ways)

    @property
    def roots(self) -> tuple[Expr, ...]:
        """The expressions that the statement is made of."""
        return self.given, *self.outputs


Obligation = ForAll | InjectiveMap | Onto


def admitted(obligation: Obligation) -> Expr:
    """What a point of the obligation satisfies: what is given, and that every variable has a value."""
    every = (*obligation.variables, *(() if isinstance(obligation, ForAll) else obligation.over))
    extents = dict.fromkeys(v.value.extent for v in every if v.value.extent is not None)
    where = obligation.where if isinstance(obligation, Onto) else TRUE
    return all_of(obligation.given, where, *(n >= 1 for n in extents if n.lo < 1))


def names_of(obligation: Obligation) -> set[str]:
    """The names that an obligation's variables have."""
    over = () if isinstance(obligation, ForAll) else obligation.over
    return names(*obligation.roots, *over, *obligation.variables)


def apart(condition: Expr, obligation: Obligation) -> Expr:
    """A condition to be assumed; a size that the obligation does not know gets another name where an index has its own.

    >>> from layoutalg.index import symbol, var
    >>> apart(symbol("i") < 9, ForAll("it is small", var("i", 4) < symbol("N")))
    i_ < 9
    """
    over = () if isinstance(obligation, ForAll) else obligation.over
    own = {*over, *obligation.variables}
    indices = {v.value.name for v in own if v.value.index}
    strange = [v for v in variables(condition) if v not in own and v.value.name in indices]
    return substitute(condition, {v: _renamed(v, names(condition, *own)) for v in strange})


def _renamed(v: Expr, taken: set[str]) -> Expr:
    s = v.value
    if s.extent is not None:
        raise LayoutError(f"an assumption speaks of sizes, not of the index {v}")
    new = unused(s.name, taken)
    top = None if s.hi == math.inf else int(s.hi)
    return symbol(new, min=int(s.lo), max=top, multiple_of=s.multiple_of, power_of_two=s.power_of_two)


def ordered(obligation: Obligation) -> tuple[Expr, ...]:
    """The variables of a counterexample, in an order that the content fixes."""
    over = obligation.over if isinstance(obligation, InjectiveMap) else ()
    return tuple(dict.fromkeys((*over, *obligation.variables)))


def values_at(obligation: Obligation, points: Sequence[Point]) -> list[list[int]]:
    """The values of a counterexample's points, to be kept."""
    return [[point[v] for v in ordered(obligation)] for point in points]


def points_of(obligation: Obligation, values: Any) -> tuple[Point, ...]:
    """The points of values that were kept; none where they are no such values.

    >>> from layoutalg.index import var
    >>> small = ForAll("it is small", var("i", 9) < 4)
    >>> points_of(small, [[8]]), points_of(small, [[8, 8]]), points_of(small, None)
    (({i: 8},), (), ())
    """
    over = ordered(obligation)
    needed = 2 if isinstance(obligation, InjectiveMap) else 1
    if not isinstance(values, list) or len(values) != needed:
        return ()
    if not all(isinstance(p, list) and len(p) == len(over) and all(type(n) is int for n in p) for p in values):
        return ()
    return tuple(dict(zip(over, p, strict=True)) for p in values)


class SharedNameError(ValueError):
    """Two variables of one name in one statement: strategies name what they make after variables."""


def told_apart(obligation: Obligation) -> None:
    """SharedNameError where two variables of a statement have one name."""
    over = () if isinstance(obligation, ForAll) else obligation.over
    seen: dict[str, Expr] = {}
    for v in variables(*obligation.roots, *over):
        if seen.setdefault(v.value.name, v) is not v:
            raise SharedNameError(f"{obligation.label}: two variables are named {v}; give one of them another name")


def needs_bits(obligation: Obligation) -> bool:
    """Whether an operation is bitwise: the class of problem that bit-vectors win."""
    return bitwise(*obligation.roots)


def bitwise(*exprs: Expr) -> bool:
    """Whether there is a bitwise operation in an expression."""
    return any(node.op in ("xor", "and") for node in postorder(*exprs))


def in_domain(point: Point, over: tuple[Expr, ...]) -> bool:
    """Whether each variable's value is one that the variable can have."""
    return all(admits(v, point) for v in over)
