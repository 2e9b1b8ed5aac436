"""A value over the reals as a set of addends: guarded products of elements, each over bound indices.

    value = Σ over addends of  Σ over bound indices, where the guard holds, of  coefficient · Π factors

`Σ_{s < n} [16·s + t < K] · 1 · a[16·s + t] · b[…]` is one addend, with the factors a[…] and b[…], the bound index s and
the guards s < n and 16·s + t < K.  The same form stands for the greatest of a set: the factors' product under each
guard and index is then a candidate, and where there is none the value is −∞.  The two differ where a guard fails (a sum
is then 0, which is a candidate too) and over an index: of sums only one product, always there, is one (`candidate`).

An expression is kept beside what its variables are (`Placed`): addends of many threads differ in that alone, so that
they are found to be one family (`families`).  A factor that is no element is a function of elements (`Applied`).
A reading gives a `Sum`: the addends, with what must hold for a word to be these and what is taken for granted; or says
why none is seen, which every sum and product with it then is.
What it cannot represent: products of two sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction

from layoutalg.audit.ask import Open
from layoutalg.audit.meaning.terms import Terms, memory_of
from layoutalg.index import TRUE, Expr, all_of, negation, simplify, substitute, variables
from layoutalg.index.radix import affine
from layoutalg.prove import ForAll
from layoutalg.records import dataclass
from layoutalg.symex.values.unknowns import Kind, dependencies, kind_of


@dataclass(frozen=True)
class Placed:
    """An expression, and what some of its variables are."""

    expr: Expr
    at: tuple[tuple[Expr, Expr], ...] = ()

    @property
    def value(self) -> Expr:
        """The expression there."""
        return simplify(substitute(self.expr, dict(self.at))) if self.at else self.expr

    def under(self, names: Mapping[Expr, Expr]) -> Placed:
        """With others in the place of variables: of what the variables are, and of those of which nothing is said."""
        own = {v: e for v, e in names.items() if all(v is not u for u, _ in self.at)}
        return Placed(simplify(substitute(self.expr, own)), tuple((v, substitute(e, dict(names))) for v, e in self.at))

    def says(self, v: Expr) -> Expr | None:
        """What a condition says that a variable is; None where it says nothing, or more.

        >>> from layoutalg.index import eq, symbol
        >>> s, n = symbol("s"), symbol("n")
        >>> Placed(eq(s - 1, n)).says(s), Placed(s < n).says(s), Placed(eq(s % 2, n)).says(s)
        (n + 1, None, None)
        """
        if self.expr.op != "eq" or v not in variables(self.expr, *(e for _, e in self.at)):
            return None
        value = self.value
        form = affine(value.args[0] - value.args[1], [v]) if value.op == "eq" else None
        step = None if form is None else form.strides[v]
        if form is None or step is None or step.op != "const" or abs(step.value) != 1:
            return None
        return simplify(form.start * -int(step.value))


@dataclass(frozen=True)
class Factor:
    """An element of a tensor (by its byte), read as a type; or a value that the launch gives (of no tensor)."""

    tensor: str
    dtype: str
    place: Placed
    there: Expr = TRUE  # of an element that an equation takes: that there is one

    @property
    def places(self) -> tuple[Placed, ...]:
        """Where what it is of lies."""
        return (self.place,)

    @property
    def form(self) -> Expr | None:
        """What it is of what lies there; None of an element."""
        return None

    def placed(self, places: Sequence[Placed]) -> Factor:
        """The same of what lies elsewhere."""
        return replace(self, place=places[0])

    def at(self, places: Sequence[Expr]) -> Expr:
        """The byte, where that is there."""
        return places[0]


@dataclass(frozen=True)
class Applied:
    """A function of elements that is no sum or product: a term, in which a hole stands for each offset."""

    terms: Terms = field(compare=False, repr=False)
    tensor: str  # what it is a function of, in words
    dtype: str
    form: Expr
    holes: tuple[Expr, ...]
    places: tuple[Placed, ...]  # of the holes
    there: Expr = TRUE  # that an equation's elements are

    def placed(self, places: Sequence[Placed]) -> Applied:
        """The same of what lies elsewhere."""
        return replace(self, places=tuple(places))

    def at(self, places: Sequence[Expr]) -> Expr:
        """The term, with these offsets."""
        return self.terms.rewritten(self.form, dict(zip(self.holes, places, strict=True)), {}, simplify)


def applied(terms: Terms, form: Expr, dtype: str, holes: Sequence[Expr] = (), places: Sequence[Placed] = ()) -> Applied:
    """A function of elements and reductions, as a factor."""
    made = {name.partition("]")[2] for name, _ in memory_of(form)}
    made |= {str(v) for v in dependencies(form) if kind_of(v) is Kind.DATA}
    words = f"a function of {', '.join(sorted(made))}" if made else "a function of sizes"
    return Applied(terms, words, dtype, form, tuple(holes), tuple(places))


@dataclass(frozen=True)
class Addend:
    """A guarded product over bound indices."""

    coefficient: Fraction = Fraction(1)
    factors: tuple[Factor | Applied, ...] = ()
    guards: tuple[Placed, ...] = ()
    bound: tuple[Expr, ...] = ()

    def where(self, *guards: Placed) -> Addend:
        """Under further guards."""
        return replace(self, guards=tuple(dict.fromkeys((*self.guards, *guards))))

    def over(self, index: Expr) -> Addend:
        """Summed over an index too."""
        return replace(self, bound=(*self.bound, index))

    def over_turns(self, turn: Expr) -> Addend:
        """Summed over all turns, from 0 on, too; where a guard says which turn it is, of that turn alone."""
        said = next((e for e in (one.says(turn) for one in self.guards) if e is not None), None)
        if said is None:
            return self.over(turn)
        found, known = self.under({turn: said}), Placed(said >= 0)
        return found if known.expr is TRUE else found.where(known)

    def under(self, names: Mapping[Expr, Expr]) -> Addend:
        """With others in the place of variables that are not bound."""
        guards = dict.fromkeys(one.under(names) for one in self.guards)
        factors = tuple(one.placed([place.under(names) for place in one.places]) for one in self.factors)
        return replace(self, factors=factors, guards=tuple(one for one in guards if one.expr is not TRUE))

    def times(self, other: Addend) -> Addend:
        """The product, of one that is over no index: (Σ x)² is no Σ x²."""
        return Addend(
            self.coefficient * other.coefficient,
            (*self.factors, *other.factors),
            tuple(dict.fromkeys((*self.guards, *other.guards))),
            (*self.bound, *other.bound),
        )

    @property
    def guard(self) -> Expr:
        """All guards."""
        return all_of(*(one.value for one in self.guards))


Addends = tuple[Addend, ...]


@dataclass(frozen=True)
class Sum:
    """What was read: addends, what must hold for them to be it, and what is taken for granted of functions."""

    addends: Addends = ()
    obligations: tuple[ForAll, ...] = ()
    assumed: tuple[str, ...] = ()

    def asking(self, obligations: Sequence[ForAll], assumed: Sequence[str] = ()) -> Sum:
        """With more that must hold, and is taken for granted."""
        if not obligations and not assumed:
            return self
        asked, granted = (*self.obligations, *obligations), (*self.assumed, *assumed)
        return Sum(self.addends, tuple(dict.fromkeys(asked)), tuple(dict.fromkeys(granted)))


Value = Sum | Open
"""What was read, or why it is not seen."""


def combined(function: Callable[..., Addends | Open], *values: Value) -> Value:
    """What a function makes of addends; where one of them is not seen, nor is that."""
    sums: list[Sum] = []
    for one in values:
        if isinstance(one, Open):
            return one
        sums.append(one)
    made = function(*(one.addends for one in sums))
    if isinstance(made, Open):
        return made
    asked = dict.fromkeys(part for one in sums for part in one.obligations)
    return Sum(made, tuple(asked), tuple(dict.fromkeys(part for one in sums for part in one.assumed)))


def total(*values: Value) -> Value:
    """The sum; or all candidates."""
    return combined(lambda *each: tuple(a for one in each for a in one), *values)


def scaled(value: Value, by: Fraction) -> Value:
    """Each that many times."""
    return combined(lambda one: tuple(replace(a, coefficient=a.coefficient * by) for a in one), value)


def product(one: Value, other: Value) -> Value:
    """Each of the one times each of the other, of which one is over no index."""
    return combined(_product, one, other)


def _product(one: Addends, other: Addends) -> Addends | Open:
    if any(a.bound and b.bound for a in one for b in other):
        return Open("a product of two sums")
    return tuple(a.times(b) for a in one for b in other)


def guarded(value: Value, guard: Placed) -> Value:
    """Where something holds."""
    return combined(lambda one: tuple(a.where(guard) for a in one), value)


def candidate(value: Value) -> Value:
    """A sum as one candidate of a greatest, which is one product that is always there."""
    return combined(_candidate, value)


def _candidate(one: Addends) -> Addends | Open:
    if len(one) != 1 or one[0].guards or one[0].bound:
        return Open("a greatest or least of sums")
    return one


def put_together(value: Value) -> Value:
    """A sum in which two that differ in one guard and its negation are one: x where c, and x where not c, is x."""
    return combined(_put_together, value)


def _put_together(addends: Addends) -> Addends:
    found: dict[int, Addend] = {}  # by when it came
    alike: dict[object, list[int]] = {}  # those under guards, by all but these
    for number, one in enumerate(addends):
        while (other := next((k for k in alike.get(_but_guards(one), ()) if _beside(found[k], one)), None)) is not None:
            alike[_but_guards(one)].remove(other)
            both = found.pop(other).guards
            one = replace(one, guards=tuple(g for g in one.guards if g in both))
        found[number] = one
        if one.guards:
            alike.setdefault(_but_guards(one), []).append(number)
    return tuple(found.values())


def elements_there(addends: Addends, given: Expr) -> tuple[ForAll, ...]:
    """That every element that an equation takes is one: of others it says nothing."""
    each = ((factor.there, one) for one in addends for factor in one.factors if factor.there is not TRUE)
    return tuple(
        ForAll("the equation takes elements that there are", there, all_of(given, one.guard)) for there, one in each
    )


def collected(addends: Iterable[Addend]) -> Addends:
    """A sum in which products of the same factors, under the same guards over the same indices, are one.

    >>> from layoutalg.index import symbol
    >>> i = Placed(symbol("i"))
    >>> a, b = (Factor(name, "f32", i) for name in "ab")
    >>> [one.coefficient for one in collected((Addend(factors=(a, b)), Addend(factors=(b, a)), Addend(factors=(a,))))]
    [Fraction(2, 1), Fraction(1, 1)]
    """
    found: dict[object, Addend] = {}
    for one in addends:
        key = frozenset(Counter(one.factors).items()), frozenset(one.guards), one.bound
        like = found.get(key)
        found[key] = one if like is None else replace(like, coefficient=like.coefficient + one.coefficient)
    return tuple(one for one in found.values() if one.coefficient)


def _but_guards(one: Addend) -> object:
    """What two have alike that may differ in one guard; of none that has no guard."""
    return (one.coefficient, one.factors, one.bound, len(one.guards)) if one.guards else None


def _beside(one: Addend, other: Addend) -> bool:
    """Whether two that have all else alike differ in one guard, which is negated in one of them."""
    mine, theirs = ([g for g in a.guards if g not in b.guards] for a, b in ((one, other), (other, one)))
    if len(mine) != 1 or len(theirs) != 1 or mine[0].at != theirs[0].at:
        return False
    return negation(mine[0].expr) is theirs[0].expr or negation(theirs[0].expr) is mine[0].expr
