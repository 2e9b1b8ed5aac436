"""Addends that differ in numbers alone are one family; and whether families make up a wanted sum, each term once.

Of 16 addends a[…, 16·s + 0] · b[…] … a[…, 16·s + 15] · b[…] one family is made, over n < 16.  A family's term is that
of the wanted Σ_k at the k that its factors' places say: κ(s, n) = 16·s + n.  Then

| is to be shown | for all |
|---|---|
| κ is in the wanted range, its guard holds, the other factors are those at κ | bound indices, where the guard holds |
| κ determines the indices: digits(κ) are they | the same |
| exactly one family has digits(k) among its indices, its guard holds there, and κ(digits(k)) = k | wanted k |

so that each wanted term is there exactly once and there is no other: a bijection, by its inverse.  `digits` are those
of the mixed radix that κ's coefficients are.  Of a greatest, the last line says `at least one`, and the second is not
asked.  Of several wanted indices each has a κ of its own, in bound indices of its own.  Functions of elements are one
where their terms are (`Functions`).  What it cannot represent: indices that fall.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from math import gcd
from typing import Protocol

import numpy as np

from layoutalg.audit.ask import Open
from layoutalg.audit.lds.digits import Table, digits
from layoutalg.audit.meaning.sums.addends import Addend, Addends, collected
from layoutalg.audit.meaning.sums.shapes import apart, least_place, numbers_of, parts_of, places_of, shape, templates
from layoutalg.audit.meaning.sums.tabulated import cases, settled, tabulated
from layoutalg.audit.meaning.terms import memory_of
from layoutalg.index import (
    FALSE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    any_of,
    conjuncts,
    eq,
    negation,
    simplify,
    substitute,
    var,
    variables,
)
from layoutalg.index.normal import normal
from layoutalg.index.radix import affine, digits_by, largest_first, multiples_of
from layoutalg.prove import ForAll
from layoutalg.records import dataclass

ProductKind = tuple[Fraction, tuple[tuple[str, str], ...]]
"""A coefficient, and the tensors and types of factors."""


@dataclass(frozen=True)
class FamilyFactor:
    """A factor over a family's indices: the byte of an element; or a term, which is a function of elements."""

    tensor: str
    dtype: str
    value: Expr
    applied: bool = False

    @property
    def kind(self) -> tuple[str, str]:
        """What is a factor of the same kind: two of different kinds are not compared."""
        return self.tensor, self.dtype


@dataclass(frozen=True)
class Family:
    """One addend over bound indices, with what is known of them."""

    coefficient: Fraction
    factors: tuple[FamilyFactor, ...]
    guard: Expr
    bound: tuple[Expr, ...]


FamiliesByKind = Mapping[ProductKind, Sequence[Family]]


class Functions(Protocol):
    """What compares functions of elements."""

    def moved(self, term: Expr, env: Mapping[Expr, Expr]) -> Expr:
        """A term with other numbers for indices."""

    def same(self, one: FamilyFactor, want: FamilyFactor, given: Expr) -> bool:
        """Whether two terms are one where something is given."""

    def may_hold(self, condition: Expr) -> bool:
        """Whether it is worth asking if a condition always holds."""

    def holds(self, condition: Expr, given: Expr) -> bool:
        """Whether a condition is seen to hold where something is given."""


def families(found: Addends, exactly: bool) -> FamiliesByKind:
    """Addends of a sum (or, not `exactly`, greatest) put together where they differ in numbers alone."""
    groups: dict[object, list[Addend]] = {}
    for one in collected(found) if exactly else found:
        groups.setdefault(shape(one), []).append(one)
    return _by_kind(family for group in groups.values() for family in _families(group))


def _families(group: Sequence[Addend]) -> Iterator[Family]:
    """One family of all, where the numbers in which they differ are maps of their place in some order."""
    first = group[0]
    if len(group) == 1:
        yield _family(first, [p.value for p in parts_of(first)], first.bound)
        return
    group = sorted(group, key=least_place)
    numbers = np.array([numbers_of(one) for one in group], dtype=np.int64)
    here = _digits_of(numbers)
    seen = [digits(column, here) for column in numbers.T]
    forms = [form for form in seen if form is not None]
    if len(forms) < len(seen):
        for one in group:
            yield _family(one, [p.value for p in parts_of(one)], one.bound)
        return
    count = len(places_of(first))
    added, each = forms[:count], iter(forms[count:])
    parts = []
    for k, (e, p) in enumerate(zip(templates(first), parts_of(first), strict=True)):
        at = {v: simplify(apart(e)[0] + next(each)) for v, e in p.at}
        parts.append(simplify(substitute(e, at) + (added[k] if k < count else 0)))
    yield _family(first, parts, (*first.bound, *here))


def _digits_of(numbers: Table) -> dict[Expr, Table]:
    """Digits of the place in the group: where bits add no double of the one below, another begins."""
    count = len(numbers)
    bits, powers = count.bit_length() - 1, count & (count - 1) == 0
    each = [numbers[1 << b] - numbers[0] for b in range(bits)]
    cuts = [b for b in range(1, bits) if powers and (each[b] != 2 * each[b - 1]).any()]
    place = np.arange(count, dtype=np.int64)
    found = {}
    for low, high in zip([0, *cuts], [*cuts, None], strict=True):
        size = (count if high is None else 1 << high) >> low
        found[var(f"term {count} {low}", size)] = place >> low if high is None else (place >> low) % size
    return found


def _family(one: Addend, values: Sequence[Expr], bound: tuple[Expr, ...]) -> Family:
    left, factors = iter(values), []
    for f in one.factors:
        value = f.at([next(left) for _ in f.places])
        factors.append(FamilyFactor(f.tensor, f.dtype, value, f.form is not None))
    return Family(one.coefficient, tuple(factors), all_of(*left), bound)


def matched(
    groups: FamiliesByKind, wanted: Addends, given: Expr, functions: Functions, exactly: bool = True
) -> tuple[ForAll, ...] | Open:
    """What is to be shown for what was found to be a sum (or, not `exactly`, greatest).

    Open where they are seen to differ, or it is not seen which of their terms belong together.
    """
    wanted = collected(wanted) if exactly else wanted
    targets = _by_kind(_family(one, [p.value for p in parts_of(one)], one.bound) for one in wanted)
    asked: list[ForAll] = []
    for kind in {**groups, **targets}:
        mine, theirs = groups.get(kind, ()), targets.get(kind, ())
        if mine and theirs:
            each = None if len(theirs) > 1 else _matched(mine, theirs[0], given, functions, exactly)
        else:
            each = _absent(kind, (*mine, *theirs), given)
        if each is None:
            return Open(f"terms of {_named(kind)}: {len(mine)} found, {len(theirs)} wanted")
        if isinstance(each, Open):
            return each
        asked += each
    return tuple(asked)


def _by_kind(each: Iterable[Family]) -> FamiliesByKind:
    groups: dict[ProductKind, list[Family]] = {}
    for family in each:
        groups.setdefault(_kind(family), []).append(family)
    return groups


def _absent(kind: ProductKind, each: Sequence[Family], given: Expr) -> list[ForAll] | None:
    """That there is no term of what the other sum has not; None where there surely is."""
    if any(family.guard is TRUE for family in each):
        return None
    return [
        ForAll(
            f"there is no term of {_named(kind)}",
            negation(family.guard),
            all_of(given, *(part for v in family.bound for part in _range(v))),
        )
        for family in each
    ]


def _kind(family: Family) -> ProductKind:
    return family.coefficient, tuple(sorted(f.kind for f in family.factors))


def _named(kind: ProductKind) -> str:
    coefficient, factors = kind
    return " · ".join(
        [*([str(coefficient)] if coefficient != 1 or not factors else []), *(name or dtype for name, dtype in factors)]
    )


def _matched(
    found: Sequence[Family], target: Family, given: Expr, functions: Functions, exactly: bool
) -> list[ForAll] | Open:
    here: list[Expr] = []
    asked: list[ForAll] = []
    for family in found:
        known = all_of(given, family.guard)
        if known is FALSE or _impossible(conjuncts(family.guard)):
            continue
        placed = _placed(family, target, functions, known)
        if isinstance(placed, Open):
            return placed
        places, other = placed
        inverse = _inverse(family, places)
        if isinstance(inverse, Open):
            return inverse
        among = [one for k in target.bound for one in _range(k, places[k], places)]
        goal = simplify(all_of(substitute(target.guard, places), *among))
        asked.append(ForAll("each term is one of the sum's", goal, known))
        asked += (ForAll("factors of one term belong together", eq(one, want), known) for one, want in other)
        if exactly:
            each = ((v, simplify(substitute(form, places))) for v, form in inverse.items())
            asked += (ForAll("no term is there twice", eq(v, form), known) for v, form in each)
        among = [one for v, form in inverse.items() for one in _range(v, form)]
        again = [eq(substitute(place, inverse), k) for k, place in places.items()]
        here.append(simplify(all_of(substitute(_selecting(family, given, functions), inverse), *among, *again)))
    known = all_of(given, target.guard, *(one for k in target.bound for one in _range(k)))
    for case in cases(here, known):
        where = all_of(known, case.where)
        asked.append(ForAll("each term is there", any_of(*case.left.values()), where))
        if exactly:
            both = (negation(all_of(*pair)) for pair in combinations(case.left.values(), 2))
            asked += (ForAll("no term is there twice", goal, where) for goal in both)
    return asked


def _selecting(family: Family, given: Expr, functions: Functions) -> Expr:
    """What of a family's guard is not seen to hold wherever the rest does."""
    parts = conjuncts(family.guard)
    perhaps = [one for one in parts if functions.may_hold(one)]
    others = all_of(*(one for one in parts if one not in perhaps))
    where = all_of(given, others, *(one for v in family.bound for one in _range(v)))
    return all_of(others, *(one for one in perhaps if not functions.holds(settled(one, where), where)))


def _impossible(parts: Sequence[Expr]) -> bool:
    """Whether conditions never hold together: one never does, or is another's negation."""
    return any(map(_never, parts)) or any(negation(one) in parts for one in parts)


def _never(condition: Expr) -> bool:
    """Whether two sides of an equation are never one: their difference is a multiple of a number, and one more.

    >>> x = var("x", 64)
    >>> _never(eq(x % 2 * 4, 1)), _never(eq(x % 2 * 4, 4))
    (True, False)
    """
    if condition.op != "eq":
        return False
    left, right = condition.args
    terms = dict(normal(left - right).terms)
    constant = terms.pop((), 0)
    return constant % gcd(*terms.values()) != 0 if terms else constant != 0


def _range(v: Expr, value: Expr | None = None, places: Mapping[Expr, Expr] | None = None) -> tuple[Expr, ...]:
    """That a value is one of a variable's; of the variable itself its own limits may say so already."""
    value, most = v if value is None else value, v.value.extent
    return (value >= 0, value < (int(v.hi) + 1 if most is None else substitute(most, dict(places or {}))))


def _placed(
    family: Family, target: Family, functions: Functions, given: Expr
) -> tuple[Mapping[Expr, Expr], list[tuple[Expr, Expr]]] | Open:
    """The wanted indices of a family's term, and what then must be equal; functions of elements are seen to be one.

    Places that are one for some threads alone, as a family's may be, are tried last, by the digits that both have.
    """
    for order, whole in product(permutations(family.factors), (True, False)):
        if [f.kind for f in order] != [f.kind for f in target.factors]:
            continue
        pairs = list(zip(order, target.factors, strict=True))
        plain = [(one.value, want.value) for one, want in pairs if not one.applied]
        applied = [(one, want) for one, want in pairs if one.applied]
        for lines in product(*(_lines(one, want) for one, want in applied)):
            pairs_of_places = [*plain, *(line for each in lines for line in each)]
            places = _solved(pairs_of_places, target.bound, family.bound, given, whole)
            if places is None:
                continue
            moved = ((one, replace(want, value=functions.moved(want.value, places))) for one, want in applied)
            if all(functions.same(one, want, given) for one, want in moved):
                rest = [(a, simplify(substitute(b, places))) for a, b in plain]
                return places, [(a, b) for a, b in rest if tabulated(a - b, given) is not ZERO]
    return Open("which term of the sum a product is, is not seen")


def _lines(one: FamilyFactor, want: FamilyFactor) -> list[list[tuple[Expr, Expr]]]:
    """Which offsets in two functions may belong together, one guess after another."""
    mine, theirs = (memory_of(f.value) for f in (one, want))
    pairs = [(a, b) for name, a in mine for other, b in theirs if name == other]
    return [[], *([pair] for pair in pairs)] if pairs else [[]]


def _solved(
    pairs: Sequence[tuple[Expr, Expr]], bound: Sequence[Expr], own: Sequence[Expr], given: Expr, whole: bool = True
) -> Mapping[Expr, Expr] | None:
    """Indices at which wanted places are those that are found, by the pair with the fewest unknown ones first.

    Unless that is wanted on the `whole`, places may differ by what no index is part of: to be shown to be none.

    One of which no place speaks is perhaps the one of the family's own that is left.
    """
    places: dict[Expr, Expr] = {}
    while len(places) < len(bound):
        left = [(one, simplify(substitute(want, places))) for one, want in pairs]
        each = [(one, want, [k for k in bound if k not in places and k in variables(want)]) for one, want in left]
        found = (_peeled(one, want, ks, given, whole) for one, want, ks in sorted(each, key=lambda e: len(e[2])) if ks)
        new = next((one for one in found if one), None)
        if new is None:
            left_over = [v for v in own if v not in variables(*places.values())]
            if len(left_over) != 1 or len(places) != len(bound) - 1:
                return None
            new = {k: left_over[0] for k in bound if k not in places}
        places |= new
    return places


def _peeled(one: Expr, want: Expr, ks: Sequence[Expr], given: Expr, whole: bool) -> dict[Expr, Expr] | None:
    """What indices are where two places are one, each by its own step, the largest first."""
    form = affine(want, ks)
    if form is None or ZERO in form.strides.values():
        return None
    order = largest_first(form.strides)
    places, rest = multiples_of(tabulated(one - form.start, given), [form.strides[k] for k in order])
    return None if whole and rest is not ZERO else dict(zip(order, places, strict=True))


def _inverse(family: Family, places: Mapping[Expr, Expr]) -> Mapping[Expr, Expr] | Open:
    """Each bound index by the wanted ones, of which each has some as the digits of its place."""
    found: dict[Expr, Expr] = {}
    for k, place in places.items():
        own = [v for v in family.bound if v in variables(place)]
        if set(own) & set(found):
            return Open(f"{', '.join(map(str, own))} is part of two indices")
        digits_of_place = _digits(own, place, k)
        if isinstance(digits_of_place, Open):
            return digits_of_place
        found |= digits_of_place
    if len(found) < len(family.bound):
        return Open("a term of a sum is there for several values of an index")
    return found


def _digits(bound: Sequence[Expr], place: Expr, k: Expr) -> Mapping[Expr, Expr] | Open:
    """Each bound index as a digit of κ less its start, in the mixed radix of its coefficients."""
    form = affine(place, bound)
    if form is None or ZERO in form.strides.values():
        return Open(f"{place} is no sum of multiples of {', '.join(map(str, bound))}")
    if any(stride.lo < 1 for stride in form.strides.values()):
        return Open(f"a term's index {place} is no mixed radix of {', '.join(map(str, bound))}")
    order = largest_first(form.strides)
    found, _ = digits_by(k - form.start, [form.strides[v] for v in order])
    return dict(zip(order, map(simplify, found), strict=True))
