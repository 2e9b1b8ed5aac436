"""Digit variables: outputs that split a variable by divisions become sums over its digits.

Where x occurs as itself and as x div a, x div (a·b), …, it is written x = d₀ + a·d₁ + a·b·d₂ with 0 ≤ d₀ < a,
0 ≤ d₁ < b and so on: then x div a = d₁ + b·d₂, and every output is a polynomial without divisions.  The change of
variables is one to one; where the length is no multiple of the last divisor, the digits allow a few values that x does
not have.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from layoutalg.index import Expr, as_expr, unused, var, variables
from layoutalg.index.normal import normal, recover
from layoutalg.index.poly import Poly
from layoutalg.prove.obligation import InjectiveMap, names_of
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Digits:
    """The outputs over digit variables, each digit's length, and what each variable is in digits."""

    outputs: tuple[Poly, ...]
    lengths: Mapping[Expr, Expr]
    back: Mapping[Expr, Poly]
    parts: Mapping[Expr, Poly]  # what each variable and quotient of one is in digits

    def read(self, poly: Poly) -> Poly | None:
        """Another polynomial over the digits; None where it splits a variable in another way."""
        for a, part in self.parts.items():
            poly = poly.replace(a, part)
        split = [v for v, part in self.back.items() if part != Poly.atom(v)]
        return None if any(v in variables(a) for a in poly.atoms() for v in split) else poly


def in_digits(obligation: InjectiveMap) -> Digits | str:
    """The obligation over digits; text says why it has no such form."""
    outputs = [normal(o) for o in obligation.outputs]
    taken = names_of(obligation)
    lengths: dict[Expr, Expr] = {}
    back: dict[Expr, Poly] = {}
    parts: dict[Expr, Poly] = {}
    for v in obligation.over:
        length = count(v)
        if length is None:
            return f"{v} has no limit"
        atoms = [a for a in dict.fromkeys(a for o in outputs for a in o.atoms()) if v in variables(a)]
        if any(a is not v and (a.op != "div" or a.args[0] is not v) for a in atoms):
            return f"{v} stands in more than sums and divisions"
        divisors = chain([normal(a.args[1]) for a in atoms if a is not v])
        if divisors is None:
            return f"{v} is not split by divisors of one another"
        digits = digits_of(v, length, divisors, taken)
        if digits is None:
            return f"{v} is split unevenly"
        lengths |= dict(zip(digits, _lengths(length, divisors), strict=True))
        back[v] = whole(digits, divisors)
        for a in atoms:
            if a is not v:
                k = 1 + divisors.index(normal(a.args[1]))
                parts[a] = _value(digits[k:], [_over(d, divisors[k - 1]) for d in divisors[k - 1 :]])
                outputs = [o.replace(a, parts[a]) for o in outputs]
        parts[v] = back[v]  # behind its quotients, which it stands in
        outputs = [o.replace(v, back[v]) for o in outputs]
    return Digits(tuple(map(recover, outputs)), lengths, back, parts)


def chain(divisors: Sequence[Poly]) -> list[Poly] | None:
    """The divisors without repetition, each dividing the next; None where they do not."""
    unique: list[Poly] = []
    for d in divisors:
        if d not in unique:
            unique.append(d)
    unique = sorted(unique, key=lambda d: sum(d.exactly_over(e) is not None for e in unique))
    ordered = all(b.exactly_over(a) is not None for a, b in pairwise(unique))
    return unique if ordered else None


def _over(a: Poly, b: Poly) -> Poly:
    quotient = a.exactly_over(b)
    assert quotient is not None
    return quotient


def digits_of(v: Expr, length: Expr, divisors: Sequence[Poly], taken: Collection[str]) -> list[Expr] | None:
    """A variable for each digit, the fastest first (the variable itself where nothing divides it).

    Their names are none of those taken.
    """
    lengths = _lengths(length, divisors)
    if any(n is None or n.lo < 1 for n in lengths) or (divisors and v.lo != 0):
        return None
    if not divisors:
        return [v]
    return [var(unused(f"{v.value.name}.{k}", taken), n) for k, n in enumerate(lengths)]


def _lengths(length: Expr, divisors: Sequence[Poly]) -> list[Expr]:
    below = [Poly.of(1), *divisors]
    parts = [recover(_over(b, a)).expr() for a, b in zip(below, divisors, strict=False)]
    if not divisors:
        return [length]
    exact = normal(length).exactly_over(divisors[-1])
    last = recover(exact).expr() if exact is not None else (length - 1) // recover(divisors[-1]).expr() + 1
    return [*parts, last]


def whole(digits: Sequence[Expr], divisors: Sequence[Poly]) -> Poly:
    """The number with these digits."""
    return _value(digits, [Poly.of(1), *divisors])


def _value(digits: Sequence[Expr], weights: Sequence[Poly]) -> Poly:
    total = Poly.of(0)
    for d, w in zip(digits, weights, strict=True):
        total = total + Poly.atom(d) * w
    return total


def count(v: Expr) -> Expr | None:
    """The number of values of a variable, None where it has no limit."""
    if v.value.extent is not None:
        return as_expr(v.value.extent)
    return None if v.hi == math.inf or v.lo == -math.inf else as_expr(int(v.hi - v.lo) + 1)
