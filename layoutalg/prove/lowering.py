"""Obligations as z3 formulas: satisfiable exactly when the obligation fails, and a model is the counterexample.

A statement for all is negated; of a map that is one to one, two points are sought that differ and meet.  The arithmetic
is one of `encodings`.

| reader     | what it does with a `NegatedObligation`                                                         |
|------------|-------------------------------------------------------------------------------------------------|
| `worker`   | asks z3, with a time limit; a model is a counterexample                                         |
| `smt`      | writes it as text, for a solver of another make to decide again                                 |
| `steps`    | adds facts to it that make it linear: z3 finds proofs over products by luck, others find none   |
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import z3

from layoutalg.index import Expr, postorder
from layoutalg.index.normal import normal
from layoutalg.prove.encodings import Encoding, Integers, NotExpressible, as_truth
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation, Point


def _nodes(obligation: Obligation) -> list[Expr]:
    extents = [v.value.extent for v in obligation.variables if v.value.extent is not None]
    return postorder(*obligation.roots, *obligation.variables, *extents)


class NegatedObligation:
    """An obligation's negation: named conditions, and how a model reads as points."""

    def __init__(self, obligation: Obligation, encoding: type[Encoding]) -> None:
        nodes = _nodes(obligation)
        self.encoding = encoding(nodes)
        self.copies: list[dict[Expr, Any]] = []
        if isinstance(obligation, ForAll):
            leaves = self.encoding.copy(obligation.variables, {}, "")
            if isinstance(self.encoding, Integers):
                self.encoding.bounds(obligation.goal, leaves)
            given, goal = self._truths([obligation.given, obligation.goal], leaves)
            self.assumptions = [given]
            self.negation = z3.Not(goal)
            self.copies = [leaves]
        elif isinstance(obligation, InjectiveMap):
            self._two_points(obligation)
        else:
            raise NotExpressible("an exists below a forall: the prover answers by what suffices, or by enumeration")

    @property
    def given(self) -> dict[str, Any]:
        """What is known, by name: the side conditions and the assumptions, but for what says nothing."""
        named = [*self.encoding.conditions, *((f"assumption-{n}", a) for n, a in enumerate(self.assumptions))]
        return {name: condition for name, condition in named if not z3.is_true(condition)}

    def _two_points(self, obligation: InjectiveMap) -> None:
        sizes = self.encoding.copy(obligation.shared, {}, "")
        over = [v for v in obligation.over if v not in sizes]
        strides = _strides(obligation)
        self.assumptions = []
        if strides is not None and isinstance(self.encoding, Integers):
            self._difference(over, strides, sizes)
            return
        outputs: list[list[Any]] = []
        for suffix in ("", "'"):
            leaves = self.encoding.copy(over, sizes, suffix)
            given, *out = self.encoding.read([obligation.given, *obligation.outputs], leaves)
            self.assumptions.append(_truth(obligation.given, given))
            outputs.append(out)
            self.copies.append(leaves)
        one, other = self.copies
        equal = [a == b for a, b in zip(*outputs, strict=True)]
        self.negation = z3.And(*equal, z3.Or(*(one[v] != other[v] for v in over)))

    def _difference(self, over: Sequence[Expr], strides: list[dict[Expr, int]], sizes: dict[Expr, Any]) -> None:
        """Affine outputs over a box: injective exactly when Σ sᵢ·dᵢ = 0, |dᵢ| < nᵢ has only d = 0."""
        one, other, moved = dict(sizes), dict(sizes), []
        for v in over:
            d = self.encoding.fresh(f"{v.value.name}.difference")
            reach = int(v.hi - v.lo)
            self.encoding.conditions.append((f"range-{d}", z3.And(-reach <= d, d <= reach)))
            one[v] = z3.If(d >= 0, d, 0) + int(v.lo)
            other[v] = z3.If(d >= 0, 0, -d) + int(v.lo)
            moved.append((v, d))
        sums = [z3.Sum(*(s[v] * d for v, d in moved if s.get(v))) == 0 for s in strides if s]
        self.copies = [one, other]
        self.negation = z3.And(*sums, z3.Or(*(d != 0 for _, d in moved)))

    def _truths(self, exprs: Sequence[Expr], leaves: dict[Expr, Any]) -> list[Any]:
        return [_truth(e, r) for e, r in zip(exprs, self.encoding.read(exprs, leaves), strict=True)]

    def points(self, model: Any) -> tuple[Point, ...]:
        """A model as values of the variables, one point for each copy."""
        return tuple({v: _integer(model, x) for v, x in copy.items() if v.op == "var"} for copy in self.copies)


def _truth(e: Expr, reading: Any) -> Any:
    """The truth constants are integers among the expressions, and booleans here."""
    return z3.BoolVal(bool(e.value)) if e.op == "const" else as_truth(reading)


def _integer(model: Any, x: Any) -> int:
    result = model.eval(x, model_completion=True)
    return int(result.as_signed_long() if z3.is_bv(result) else result.as_long())


def _strides(obligation: InjectiveMap) -> list[dict[Expr, int]] | None:
    """Each output's constant strides, where all are affine over a box of constant lengths; else None."""
    if obligation.given.op != "const" or any(v.value.extent is not None for v in obligation.over):
        return None
    if any(v.hi == math.inf or v.value.multiple_of > 1 or v.value.power_of_two for v in obligation.over):
        return None
    found = []
    for output in obligation.outputs:
        strides: dict[Expr, int] = {}
        for monomial, k in normal(output).terms.items():
            if not any(node in obligation.over for node in postorder(*monomial)):
                continue
            if len(monomial) != 1 or monomial[0] not in obligation.over:
                return None
            strides[monomial[0]] = k
        found.append(strides)
    return found
