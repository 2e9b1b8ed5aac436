"""z3's formulas over integers as comparisons of polynomials, and back: with products, or each product as one unknown.

| reading    | of 2·M·i + j ≥ 3                                        |
|------------|---------------------------------------------------------|
| `poly`     | {(M, i): 2, (j,): 1}, a polynomial over the unknowns    |
| `term`     | 2*(M*i) + j, in z3's arithmetic                         |
| `abstract` | 2*|M*i| + j, where |M*i| is one unknown                 |
| `linear`   | the formula, every polynomial in it as `abstract` has it |

What is no polynomial (a choice among values, a table) raises NotExpressible.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import z3

from layoutalg.index import Expr, symbol
from layoutalg.index.poly import Monomial, Poly
from layoutalg.prove.encodings import NotExpressible


def poly(e: Any) -> Poly:
    """An integer term as a polynomial over its unknowns."""
    if z3.is_int_value(e):
        return Poly.of(e.as_long())
    parts = [poly(a) for a in e.children()] if e.decl().kind() in _ARITHMETIC else []
    if not parts:
        return Poly.atom(unknown(e))
    return _ARITHMETIC[e.decl().kind()](parts)


def _sum(parts: Sequence[Poly]) -> Poly:
    return reduce(operator.add, parts)


def _product(parts: Sequence[Poly]) -> Poly:
    return reduce(operator.mul, parts)


_ARITHMETIC: Mapping[int, Callable[[Sequence[Poly]], Poly]] = {
    z3.Z3_OP_ADD: _sum,
    z3.Z3_OP_MUL: _product,
    z3.Z3_OP_SUB: lambda parts: _sum([parts[0], *(-p for p in parts[1:])]),
    z3.Z3_OP_UMINUS: lambda parts: -parts[0],
}


def unknown(e: Any) -> Expr:
    """An unknown by its name."""
    if not (z3.is_const(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED):
        raise NotExpressible(f"{e} is no polynomial")
    return symbol(e.decl().name())


def term(poly: Poly) -> Any:
    """The polynomial as an integer term."""
    return _sum_of(poly, lambda m: reduce(operator.mul, (z3.Int(a.value.name) for a in m)))


def abstract(poly: Poly) -> Any:
    """The polynomial with each of its products as one unknown."""
    return _sum_of(poly, lambda m: z3.Int("*".join(a.value.name for a in m)))


def _sum_of(poly: Poly, said: Any) -> Any:
    parts = [z3.IntVal(k) if not m else said(m) if k == 1 else k * said(m) for m, k in poly.terms.items()]
    return reduce(operator.add, parts) if parts else z3.IntVal(0)


def linear(formula: Any) -> Any:
    """A formula with each product as one unknown; None where it is more than comparisons of polynomials."""
    kind = formula.decl().kind()
    if kind in _LOGICAL:
        parts = [linear(a) for a in formula.children()]
        return None if any(p is None for p in parts) else _LOGICAL[kind](parts)
    if kind not in _COMPARED or not z3.is_int(formula.arg(0)):
        return None
    difference = abstract(poly(formula.arg(0)) - poly(formula.arg(1)))
    return _COMPARED[kind](difference)


_LOGICAL: Mapping[int, Any] = {
    z3.Z3_OP_AND: z3.And,
    z3.Z3_OP_OR: z3.Or,
    z3.Z3_OP_NOT: lambda parts: z3.Not(parts[0]),
    z3.Z3_OP_TRUE: lambda parts: z3.BoolVal(True),
    z3.Z3_OP_FALSE: lambda parts: z3.BoolVal(False),
}

_COMPARED: Mapping[int, Any] = {
    z3.Z3_OP_EQ: lambda d: d == 0,
    z3.Z3_OP_DISTINCT: lambda d: d != 0,
    z3.Z3_OP_LE: lambda d: d <= 0,
    z3.Z3_OP_LT: lambda d: d < 0,
    z3.Z3_OP_GE: lambda d: d >= 0,
    z3.Z3_OP_GT: lambda d: d > 0,
}


def comparisons(formula: Any) -> list[Poly]:
    """The difference of the two sides of each comparison below a formula."""
    kind = formula.decl().kind()
    if kind in _LOGICAL:
        return [p for a in formula.children() for p in comparisons(a)]
    return [poly(formula.arg(0)) - poly(formula.arg(1))] if kind in _COMPARED and z3.is_int(formula.arg(0)) else []


def equalities(formula: Any) -> list[Poly]:
    """The differences that a formula compares with 0."""
    kind = formula.decl().kind()
    if kind in _LOGICAL:
        return [p for a in formula.children() for p in equalities(a)]
    equal = kind in (z3.Z3_OP_EQ, z3.Z3_OP_DISTINCT) and z3.is_int(formula.arg(0))
    return [poly(formula.arg(0)) - poly(formula.arg(1))] if equal else []


class Names:
    """Polynomials as text, each product as one unknown: z3 reads text much faster than it is built in Python."""

    def __init__(self) -> None:
        self._names: dict[Monomial, str] = {}

    def sum(self, poly: Poly) -> str:
        """The polynomial."""
        parts = [f"(* {signed(k)} {self._name(m)})" if m else signed(k) for m, k in poly.terms.items()]
        return f"(+ 0 {' '.join(parts)})" if parts else "0"

    def _name(self, monomial: Monomial) -> str:
        if monomial not in self._names:
            self._names[monomial] = abstract(Poly({monomial: 1})).sexpr()
        return self._names[monomial]

    def declared(self) -> list[str]:
        """A declaration for each unknown."""
        return [f"(declare-const {name} Int)" for name in self._names.values()]


def signed(k: int) -> str:
    return str(k) if k >= 0 else f"(- {-k})"
