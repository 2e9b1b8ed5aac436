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
asked.  What it cannot represent: sums over two indices, indices that fall.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np

from layoutalg.index import (
    FALSE,
    TRUE,
    Expr,
    all_of,
    any_of,
    div,
    eq,
    negation,
    simplify,
    substitute,
    symbol,
    var,
    variables,
)
from layoutalg.index.evaluate import values
from layoutalg.index.normal import normal
from layoutalg.prove import ForAll
from layoutalg.refine.audit.strides import magnitude
from layoutalg.refine.audit.sums.addends import Addend, Addends, Placed
from layoutalg.refine.audit.sums.digits import Table, digits
from layoutalg.refine.values.word import NotReadable

ProductKind = tuple[Fraction, tuple[tuple[str, str], ...]]
"""A coefficient, and the tensors and types of factors."""


@dataclass(frozen=True)
class Family:
    """One addend over bound indices, with what is known of them."""

    coefficient: Fraction
    factors: tuple[tuple[str, str, Expr], ...]  # tensor, type, byte
    guard: Expr
    bound: tuple[Expr, ...]


def families(addends: Addends) -> list[Family]:
    """Addends put together where they differ in numbers alone."""
    groups: dict[object, list[Addend]] = {}
    for one in addends:
        groups.setdefault(_shape(one), []).append(one)
    return [family for group in groups.values() for family in _families(group)]


def _parts(one: Addend) -> list[Placed]:
    return [*(f.place for f in one.factors), *one.guards]


def _templates(one: Addend) -> list[Expr]:
    """The expressions of the parts; of places without the number in them."""
    return [*(_without_number(f.place.expr) for f in one.factors), *(g.expr for g in one.guards)]


def _numbers(one: Addend) -> list[int]:
    """The numbers in which addends of one shape differ."""
    return [
        *(_number(f.place.expr) for f in one.factors),
        *(_number(e) for p in _parts(one) for _, e in p.at),
    ]


def _shape(one: Addend) -> object:
    """All but those numbers; bound indices by their order."""
    names = {v: symbol(f"bound {k}") for k, v in enumerate(one.bound)}
    places = tuple(
        (substitute(e, names), tuple((v, _without_number(substitute(at, names))) for v, at in p.at))
        for e, p in zip(_templates(one), _parts(one), strict=True)
    )
    return one.coefficient, tuple((f.tensor, f.dtype) for f in one.factors), places, len(one.bound)


def _least_place(one: Addend) -> tuple[int, ...]:
    """Where the factors are at the least of all that is left open: addends are numbered in that order."""
    places = [f.place.value for f in one.factors]
    return tuple(values(places, {v: int(v.lo) for v in variables(*places)}))


def _without_number(e: Expr) -> Expr:
    return simplify(e - _number(e))


def _number(e: Expr) -> int:
    return normal(e).terms.get((), 0)


def _families(group: Sequence[Addend]) -> Iterator[Family]:
    """One family of all, where the numbers in which they differ are maps of their place in some order."""
    first = group[0]
    if len(group) == 1:
        yield _family(first, [p.value for p in _parts(first)], first.bound)
        return
    group = sorted(group, key=_least_place)
    numbers = np.array([_numbers(one) for one in group], dtype=np.int64)
    here = _places(numbers)
    seen = [digits(column, here) for column in numbers.T]
    forms = [form for form in seen if form is not None]
    if len(forms) < len(seen):
        for one in group:
            yield _family(one, [p.value for p in _parts(one)], one.bound)
        return
    added, each = forms[: len(first.factors)], iter(forms[len(first.factors) :])
    parts = []
    for k, (e, p) in enumerate(zip(_templates(first), _parts(first), strict=True)):
        at = {v: simplify(_without_number(e) + next(each)) for v, e in p.at}
        parts.append(simplify(substitute(e, at) + (added[k] if k < len(added) else 0)))
    yield _family(first, parts, (*first.bound, *here))


def _places(numbers: Table) -> dict[Expr, Table]:
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
    count = len(one.factors)
    factors = tuple((f.tensor, f.dtype, e) for f, e in zip(one.factors, values[:count], strict=True))
    return Family(one.coefficient, factors, all_of(*values[count:]), bound)


def matched(found: Addends, wanted: Addends, given: Expr, exactly: bool = True) -> Iterator[ForAll]:
    """What is to be shown for two sums (or, not `exactly`, greatests) to be one.

    Raises `NotReadable` where they are seen to differ, or it is not seen which of their terms belong together.
    """
    groups: dict[ProductKind, list[Family]] = {}
    for family in families(found):
        groups.setdefault(_kind(family), []).append(family)
    targets: dict[ProductKind, list[Family]] = {}
    for one in wanted:
        target = _family(one, [p.value for p in _parts(one)], one.bound)
        targets.setdefault(_kind(target), []).append(target)
    for kind in {**groups, **targets}:
        mine, theirs = groups.get(kind, []), targets.get(kind, [])
        if mine and theirs:
            if len(theirs) > 1:
                raise NotReadable(f"terms of {_named(kind)}: {len(mine)} found, {len(theirs)} wanted")
            yield from _matched(mine, theirs[0], given, exactly)
            continue
        for family in (*mine, *theirs):  # what the other sum has not: where it is, nothing is
            if family.guard is TRUE:
                raise NotReadable(f"terms of {_named(kind)}: {len(mine)} found, {len(theirs)} wanted")
            known = all_of(given, *(part for v in family.bound for part in _range(v)))
            yield ForAll(f"there is no term of {_named(kind)}", negation(family.guard), known)


def _kind(family: Family) -> ProductKind:
    return family.coefficient, tuple(sorted((tensor, dtype) for tensor, dtype, _ in family.factors))


def _named(kind: ProductKind) -> str:
    coefficient, factors = kind
    return " · ".join(
        [*([str(coefficient)] if coefficient != 1 or not factors else []), *(name or dtype for name, dtype in factors)]
    )


def _matched(found: Sequence[Family], target: Family, given: Expr, exactly: bool) -> Iterator[ForAll]:
    if len(target.bound) > 1:
        raise NotReadable("a sum over two indices")
    k = target.bound[0] if target.bound else FALSE
    here = []
    for family in found:
        place, other = _placed(family, target, k)
        known = all_of(given, family.guard)
        inside = all_of(substitute(target.guard, {k: place}), *_range(k, place)) if target.bound else target.guard
        yield ForAll("each term is one of the sum's", simplify(inside), known)
        for one, want in other:
            yield ForAll("factors of one term belong together", eq(one, want), known)
        inverse = _digits(family, place, k)
        if exactly:
            for v, form in inverse.items():
                yield ForAll("no term is there twice", eq(v, simplify(substitute(form, {k: place}))), known)
        among = [one for v, form in inverse.items() for one in _range(v, form)]
        again = eq(substitute(place, inverse), k) if target.bound else TRUE
        here.append(simplify(all_of(substitute(family.guard, inverse), *among, again)))
    known = all_of(given, target.guard, *_range(k))
    yield ForAll("each term is there", any_of(*here), known)
    if exactly:
        for number, one in enumerate(here):
            for other_one in here[number + 1 :]:
                yield ForAll("no term is there twice", negation(all_of(one, other_one)), known)


def _range(v: Expr, value: Expr | None = None) -> tuple[Expr, ...]:
    """That a value is one of a variable's; of the variable itself its own limits may say so already."""
    value = v if value is None else value
    if v.op != "var":
        return ()
    most = v.value.extent
    return (value >= 0, value < (most if most is not None else int(v.hi) + 1))


def _placed(family: Family, target: Family, k: Expr) -> tuple[Expr, list[tuple[Expr, Expr]]]:
    """The wanted index of a family's term, and what then must be equal."""
    for order in permutations(family.factors):
        if [f[:2] for f in order] != [f[:2] for f in target.factors]:
            continue
        pairs = [(one, want) for (_, _, one), (_, _, want) in zip(order, target.factors, strict=True)]
        if not target.bound:
            return FALSE, pairs
        for one, want in pairs:
            line = normal(want).linear_in(k)
            if line is None:
                continue
            base, step = line
            if not step.terms:
                continue
            over = (normal(one) - base).exactly_over(step)
            if over is None:
                continue
            place = simplify(over.expr())
            rest = [(a, simplify(substitute(b, {k: place}))) for a, b in pairs]
            return place, [(a, b) for a, b in rest if simplify(a - b) is not FALSE]
    raise NotReadable("which term of the sum a product is, is not seen")


def _digits(family: Family, place: Expr, k: Expr) -> Mapping[Expr, Expr]:
    """Each bound index as a digit of κ less its start, in the mixed radix of its coefficients."""
    start, steps = normal(place), dict[Expr, Expr]()
    for v in family.bound:
        line = start.linear_in(v)
        if line is None or not line[1].terms:
            raise NotReadable(f"{place} is no sum of multiples of {', '.join(map(str, family.bound))}")
        start, steps[v] = line[0], line[1].expr()
    if set(family.bound) & set(variables(start.expr(), *steps.values())) or any(step.lo < 1 for step in steps.values()):
        raise NotReadable(f"a term's index {place} is no mixed radix of {', '.join(map(str, family.bound))}")
    left, found = simplify(k - start.expr()), {}
    for v in sorted(steps, key=lambda v: -magnitude(steps[v])):
        found[v] = simplify(div(left, steps[v]))
        left = simplify(left - found[v] * steps[v])
    return found
