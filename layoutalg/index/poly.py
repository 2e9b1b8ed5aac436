"""Polynomials with integer coefficients over opaque atoms: the arithmetic under the normal form.

A monomial is a sorted tuple of atoms (expressions that are not sums or products), a polynomial a map from monomials to
non-zero coefficients: `8·M·i + j + 3` is `{(M, i): 8, (j,): 1, (): 3}`.  Equal polynomials are equal dictionaries, so
terms cancel by themselves.

>>> from layoutalg.index import var
>>> i = var("i", 8)
>>> (Poly.atom(i) + Poly.of(1)) * (Poly.atom(i) - Poly.of(1)) == Poly.atom(i) * Poly.atom(i) - Poly.of(1)
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from math import gcd

from layoutalg.index import budget
from layoutalg.index.compound import prod
from layoutalg.index.expr import Expr, add, mul
from layoutalg.index.text import order

Monomial = tuple[Expr, ...]

_STEPS = 64
"""How many terms a division pulls out at most; what is left stays in the remainder, which is always right."""

MOST_TERMS = 1 << 12
"""A product that would have more terms when written out stays a product, as an atom."""


@dataclass(slots=True)  # never changed once made; not frozen, because a frozen one takes three times as long to make
class Poly:
    """A sum of integer multiples of products of atoms."""

    terms: Mapping[Monomial, int]

    @staticmethod
    def of(value: int) -> Poly:
        """The constant polynomial."""
        return Poly({(): value} if value else {})

    @staticmethod
    def atom(expr: Expr) -> Poly:
        """The polynomial that is one atom."""
        return Poly({(expr,): 1})

    def __add__(self, other: Poly) -> Poly:
        terms = dict(self.terms)
        for monomial, k in other.terms.items():
            total = terms.get(monomial, 0) + k
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return Poly(terms)

    def __neg__(self) -> Poly:
        return Poly({m: -k for m, k in self.terms.items()})

    def __sub__(self, other: Poly) -> Poly:
        return self + -other

    def __mul__(self, other: Poly) -> Poly:
        if len(other.terms) == 1:
            ((n, b),) = other.terms.items()
            if not n:
                return Poly({m: k * b for m, k in self.terms.items()})
            return Poly({_product(m, n): k * b for m, k in self.terms.items()})
        terms: dict[Monomial, int] = {}
        for m, a in self.terms.items():
            budget.check()
            for n, b in other.terms.items():
                key = _product(m, n)
                terms[key] = terms.get(key, 0) + a * b
        return Poly({m: k for m, k in terms.items() if k})

    @property
    def constant(self) -> int | None:
        """The integer that the polynomial is, None where it has an atom."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def atoms(self) -> dict[Expr, None]:
        """The atoms that occur, in order of first use."""
        return dict.fromkeys(chain.from_iterable(self.terms))

    def linear_in(self, atom: Expr) -> tuple[Poly, Poly] | None:
        """(p₀, p₁) with self = p₀ + p₁·atom, None where the atom occurs squared."""
        rest: dict[Monomial, int] = {}
        factor: dict[Monomial, int] = {}
        for m, k in self.terms.items():
            if atom not in m:
                rest[m] = k
                continue
            at = m.index(atom)
            if atom in m[at + 1 :]:
                return None
            factor[m[:at] + m[at + 1 :]] = k
        return Poly(rest), Poly(factor)

    def replace(self, atom: Expr, by: Poly) -> Poly:
        """The polynomial with `by` in the place of an atom, to any power."""
        result: dict[Monomial, int] = {}
        for m, k in self.terms.items():
            budget.check()
            term = Poly({tuple(a for a in m if a is not atom): k})
            for _ in range(m.count(atom)):
                term = term * by
            for n, b in term.terms.items():
                result[n] = result.get(n, 0) + b
        return Poly({m: k for m, k in result.items() if k})

    def split(self, divisor: Poly) -> tuple[Poly, Poly]:
        """(q, r) with self = q·divisor + r, r holding what no leading term divides (constants: |r| < divisor)."""
        c = divisor.constant
        if c is not None:
            return self._split_by_constant(c)
        lead, factor = max(divisor.terms.items(), key=lambda term: (len(term[0]), monomial_order(term[0])))
        quotient, rest = Poly({}), self
        for _ in range(_STEPS):
            budget.check()
            found = next(
                (
                    Poly({over: k // factor})
                    for m, k in rest.terms.items()
                    if (over := monomial_over(m, lead)) is not None and k % factor == 0
                ),
                None,
            )
            if found is None:
                break
            quotient, rest = quotient + found, rest - found * divisor
        return quotient, rest

    def _split_by_constant(self, c: int) -> tuple[Poly, Poly]:
        quotient: dict[Monomial, int] = {}
        rest: dict[Monomial, int] = {}
        for m, k in self.terms.items():
            q = k // c if not m or k >= 0 else -(-k // c)  # towards zero, but for the constant term: −x stays −x
            if q:
                quotient[m] = q
            if k - q * c:
                rest[m] = k - q * c
        return Poly(quotient), Poly(rest)

    def exactly_over(self, divisor: Poly) -> Poly | None:
        """The quotient where the divisor divides the polynomial, else None."""
        quotient, rest = self.split(divisor)
        return None if rest.terms else quotient

    def content(self) -> tuple[Monomial, int]:
        """The greatest term that divides every term of a polynomial that is not 0."""
        return reduce(common_term, self.terms.items())

    def expr(self) -> Expr:
        """The expression, terms of high degree and large coefficient first (the way an offset is written)."""
        ordered = list(self.terms.items())
        if len(ordered) > 1:
            ordered.sort(key=lambda term: (-len(term[0]), -abs(term[1]), monomial_order(term[0])))
        return add(*(mul(prod(m), k) for m, k in ordered))


def _product(m: Monomial, n: Monomial) -> Monomial:
    return tuple(sorted(m + n, key=order)) if m and n else m or n


def monomial_order(m: Monomial) -> list[str]:
    """What monomials are sorted by: their atoms' keys, in order."""
    return [order(a) for a in m]


def common_term(one: tuple[Monomial, int], other: tuple[Monomial, int]) -> tuple[Monomial, int]:
    """The greatest term that divides both terms (given and returned as monomial and coefficient)."""
    (m, a), (n, b) = one, other
    left, shared = list(n), []
    for atom in m:
        if atom in left:
            left.remove(atom)
            shared.append(atom)
    return tuple(shared), gcd(a, b)


def monomial_over(m: Monomial, divisor: Monomial) -> Monomial | None:
    """The monomial m / divisor, None where the divisor does not divide it."""
    left = list(m)
    for atom in divisor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)
