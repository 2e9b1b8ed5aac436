"""Steps: what makes a statement about products of unknowns linear, so that any solver decides it at once.

Over products of unknowns solvers find proofs by luck.  But the proofs that layouts need are linear once a few products
of known facts are added, each true of all integers by its form:

| step     | what it says                                                        |
|----------|---------------------------------------------------------------------|
| product  | a ≥ 0, b ≥ 0 ⇒ a·b ≥ 0                                              |
| multiple | a = 0 ⇒ a·b = 0                                                     |
| distance | d ≥ 0 ⇒ (k ≥ 1 ⇒ k·d ≥ d), (k ≤ −1 ⇒ k·d ≤ −d), (k = 0 ⇒ k·d = 0)   |

`a` and `b` are facts of the statement itself (i < M gives M − 1 − i ≥ 0) and what its terms are multiplied by; `k` is
the distance of a quotient from its normal form.  z3 picks those that it needs, taking each product as one unknown.
Nothing rests on how they were found: a step that does not help proves nothing, and one that does is true.

(a div n) div d = a div (n·d), for all a, n, d:

    a = q·n + r, q = p·d + s, a = t·(n·d) + u
    multiple  (q − p·d − s = 0)·n                        a = p·n·d + s·n + r
    product   (d − 1 − s)·n ≥ 0, s·n ≥ 0                 0 ≤ s·n + r < n·d
    distance  p − t by n·d                               p = t

What it does not do: bitwise operations, and choices among values (`select`, `lookup`) below a product.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice, product
from typing import Any

import z3

from layoutalg.index import Expr, all_of, symbol
from layoutalg.index.normal import conjuncts, simplify
from layoutalg.index.poly import Monomial, Poly, monomial_over
from layoutalg.prove.lowering import Integers, NotExpressible, Problem
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation

SECONDS = 1.0
"""What z3 gets to pick the steps of one statement."""
MOST = 3000
"""The most steps that are looked through."""
BITWISE = ("xor", "and")
ONE = Poly.of(1)


@dataclass(frozen=True)
class Step:
    """A fact, or a distance, multiplied by factors that are not negative."""

    kind: str
    fact: Poly
    factors: tuple[Poly, ...]


class Quotients(Integers):
    """The integers, where what has one value is a number, and the normal form of each quotient is remembered."""

    def __init__(self, nodes: Sequence[Expr]) -> None:
        super().__init__(nodes)
        self._symbolic = True
        self.plain: list[tuple[Any, Any, Any]] = []
        self.divisors: list[Any] = []
        self.natural: list[tuple[Any, Any]] = []

    def copy(self, over: Sequence[Expr], known: Mapping[Expr, Any], suffix: str) -> dict[Expr, Any]:
        fixed = {v: self.number(int(v.lo)) for v in over if v.lo == v.hi}
        return super().copy([v for v in over if v not in fixed], {**known, **fixed}, suffix)

    def divide(self, x: Any, d: Any) -> tuple[Any, Any]:
        n = d.as_long() if z3.is_int_value(d) else 1
        terms = _poly(x).terms if n > 1 else {}
        if n > 1 and all(k % n == 0 for k in terms.values()):
            return term(Poly({m: k // n for m, k in terms.items()})), self.number(0)
        self.divisors.append(d)
        return super().divide(x, d)

    def bounds(self, goal: Expr, leaves: Mapping[Expr, Any]) -> None:
        """The steps say it."""

    def _distance(self, quotient: Any, d: Any, node: Expr, leaves: Mapping[Expr, Any]) -> None:
        if node.lo >= 0:
            self.natural.append((quotient, d))
        plain = simplify(node)
        if plain is not node:
            self.plain.append((quotient, self._without_lemmas(plain, leaves), d))


class AnyFunction(Quotients):
    """The integers, with any function in the place of a bitwise operation: what holds for all holds for that one."""

    def __init__(self, nodes: Sequence[Expr]) -> None:
        super().__init__([node for node in nodes if node.op not in BITWISE])

    def table(self) -> Mapping[str, Callable[..., Any]]:
        return {**super().table(), **{name: self._any(name) for name in BITWISE}}

    def _any(self, name: str) -> Callable[..., Any]:
        function = z3.Function(f"any-{name}", z3.IntSort(), z3.IntSort(), z3.IntSort())

        def value(one: Any, other: Any) -> Any:
            result = self.fresh("bits")
            self.conditions.append((f"value-{result}", result == function(one, other)))
            return result

        return value


def parts(obligation: Obligation) -> list[Obligation]:
    """Each part of a goal by itself, the equalities before it given: together they say the same."""
    if not isinstance(obligation, ForAll):
        return [obligation]
    found: list[Obligation] = []
    known = obligation.given
    for part in conjuncts(obligation.goal):
        found.append(ForAll(obligation.label, part, known))
        known = all_of(known, part) if part.op == "eq" else known
    return found


def assertions(obligation: Obligation) -> dict[str, Any] | None:
    """The negation of a statement, by name, with the steps that make it unsatisfiable by linear arithmetic alone.

    None where no steps were found that do.
    """
    try:
        return _Search(Problem(obligation, Quotients), obligation).found()
    except NotExpressible:
        return None


class _Search:
    """The facts of a statement, and the steps that are made of them."""

    def __init__(self, problem: Problem, obligation: Obligation) -> None:
        encoding = problem.encoding
        assert isinstance(encoding, Quotients)
        self.asserted = dict(encoding.conditions)
        self.asserted |= {f"assumption-{n}": a for n, a in enumerate(problem.assumptions) if not z3.is_true(a)}
        self.negation = problem.negation
        self.facts: list[Poly] = []
        self.equations: list[Poly] = []
        for formula in (*self.asserted.values(), self.negation):
            self._learn(formula, True)
        self.distances = [(_poly(q) - _poly(plain), _poly(d)) for q, plain, d in encoding.plain]
        self.distances += [(p, ONE) for p in _equalities(self.negation)]
        if isinstance(obligation, InjectiveMap) and len(problem.copies) == 2:
            one, other = problem.copies
            self.distances += [(_poly(one[v]) - _poly(other[v]), ONE) for v in obligation.over if v in one]
        divisors = [_poly(d) for d in encoding.divisors]
        self.divisors = [d for n, d in enumerate(divisors) if d.constant is None and d not in divisors[:n]]
        self.positive = {a for fact in self.facts for a in fact.atoms() if _bounds_below(fact, a)}
        self.positive |= {_atom(q) for q, _ in encoding.natural}
        self.distances += [(_poly(q), _poly(d)) for q, d in encoding.natural]

    def _learn(self, formula: Any, holds: bool) -> None:
        """The facts a ≥ 0 and equations a = 0 that a formula says outright."""
        kind = formula.decl().kind()
        if kind == z3.Z3_OP_NOT:
            self._learn(formula.arg(0), not holds)
        elif kind == (z3.Z3_OP_AND if holds else z3.Z3_OP_OR):
            for part in formula.children():
                self._learn(part, holds)
        elif kind == (z3.Z3_OP_EQ if holds else z3.Z3_OP_DISTINCT) and z3.is_int(formula.arg(0)):
            self.equations.append(_poly(formula.arg(0)) - _poly(formula.arg(1)))
        elif kind in _ORDER:
            more, strict = _ORDER[kind]
            a, b = (_poly(x) for x in formula.children())
            difference = a - b if more == holds else b - a
            self.facts.append(difference - ONE if strict == holds else difference)

    def found(self) -> dict[str, Any] | None:
        """The assertions with the steps that suffice; ever more steps are looked through.

        A quotient's distance from its normal form is always told: without it, solvers search for whole numbers.
        """
        own = [Step("distance", k, (d,)) for k, d in self.distances if d is not ONE]
        for rounds in range(4):
            steps = list(islice(self._steps(rounds), MOST + 1))
            chosen = self._chosen(steps)
            if chosen is not None:
                chosen = [step for step in steps if step in chosen or step in own]
                named = {f"{step.kind}-{n}": _formula(step, term) for n, step in enumerate(chosen)}
                return {**self.asserted, **named, "negation": self.negation}
            if len(steps) > MOST:
                break
        return None

    def _steps(self, rounds: int) -> Iterator[Step]:
        """Distances by divisors and products of two; facts times what their unknowns are multiplied by, and again."""
        yield from self._by_distance(rounds)
        rows = [*self.facts, *self.equations, *_comparisons(self.negation)]
        done: set[tuple[int, Monomial]] = set()
        for turn in range(rounds):
            monomials = dict.fromkeys(m for row in rows for m in row.terms if len(m) > 1)
            for n, (kind, fact) in enumerate(self._known()):
                factors = dict.fromkeys(_cofactors(fact, monomials, kind == "multiple"))
                if turn == 0 and rounds > 1:
                    factors |= dict.fromkeys(m for d in self.divisors for m in d.terms if m)
                for factor in factors:
                    if (n, factor) not in done and (kind == "multiple" or self.positive.issuperset(factor)):
                        done.add((n, factor))
                        step = Step(kind, fact, tuple(map(Poly.atom, factor)))
                        rows.append(fact * Poly({factor: 1}))
                        yield step

    def _known(self) -> Iterator[tuple[str, Poly]]:
        yield from (("product", fact) for fact in self.facts)
        yield from (("multiple", equation) for equation in self.equations)

    def _by_distance(self, rounds: int) -> Iterator[Step]:
        pairs = [(a, b) for n, a in enumerate(self.divisors) for b in self.divisors[:n]] if rounds else []
        for k, d in self.distances:
            if k.constant is not None:
                continue
            own = [(d,)] if d is not ONE else []
            others = [(other,) for other in self.divisors if other != d]
            cofactors = [(Poly({m: 1}),) for m in dict.fromkeys(self._strides(k))]
            for factors in [*own, *others, *cofactors, *pairs]:
                yield Step("distance", k, factors)

    def _strides(self, k: Poly) -> Iterator[Monomial]:
        """What the unknowns of a distance are multiplied by in equations."""
        for atom, equation in product(k.atoms(), self.equations):
            for m in equation.terms:
                if atom in m and (over := monomial_over(m, (atom,))) and self.positive.issuperset(over):
                    yield over

    def _chosen(self, steps: Sequence[Step]) -> list[Step] | None:
        """The steps with which the statement's negation has no solution in linear arithmetic; None where it has."""
        solver = z3.SolverFor("QF_LIA")
        solver.set("timeout", int(SECONDS * 1000))
        solver.set(unsat_core=True)
        solver.add(*(_abstract(fact) >= 0 for fact in self.facts), *(_abstract(a) == 0 for a in self.equations))
        if (negation := _linear(self.negation)) is None:
            return None
        solver.add(negation)
        for n, step in enumerate(steps):
            solver.assert_and_track(_formula(step, _abstract, known=True), f"step-{n}")
        if solver.check() != z3.unsat:
            return None
        return [steps[int(str(name).removeprefix("step-"))] for name in solver.unsat_core()]


def _cofactors(fact: Poly, monomials: Mapping[Monomial, None], alone: bool) -> Iterator[Monomial]:
    """What the unknowns of a fact are multiplied by elsewhere (`alone`: those that it has as they are)."""
    for atom in fact.atoms():
        if alone and (atom,) not in fact.terms:
            continue
        for m in monomials:
            if atom in m and (over := monomial_over(m, (atom,))):
                yield over


_ORDER: Mapping[int, tuple[bool, bool]] = {
    z3.Z3_OP_GE: (True, False),
    z3.Z3_OP_GT: (True, True),
    z3.Z3_OP_LE: (False, False),
    z3.Z3_OP_LT: (False, True),
}
"""Each order: whether the first side is the greater one, and strictly."""


def _bounds_below(fact: Poly, atom: Expr) -> bool:
    """Whether a fact says that an unknown is at least 0."""
    return (
        len(fact.terms) <= 2
        and fact.terms.get((atom,), 0) > 0
        and set(fact.terms) <= {(atom,), ()}
        and fact.terms.get((), 0) <= 0
    )


def _formula(step: Step, said: Callable[[Poly], Any], known: bool = False) -> Any:
    """A step, with its polynomials read by `said`; `known`: without its conditions, which the facts say anyway."""
    by = reduce(operator.mul, step.factors)
    fact, times = said(step.fact), said(step.fact * by)
    given = [] if known else [said(factor) >= 0 for factor in step.factors]
    if step.kind == "product":
        return z3.Implies(z3.And(fact >= 0, *given), times >= 0) if given else times >= 0
    if step.kind == "multiple":
        return times == 0 if known else z3.Implies(fact == 0, times == 0)
    d = said(by)
    far = z3.And(z3.Implies(fact >= 1, times >= d), z3.Implies(fact <= -1, times <= -d))
    return z3.And(z3.Implies(z3.And(given), far), z3.Implies(fact == 0, times == 0))


# --- formulas and polynomials -----------------------------------------------------------------------------------------


def _poly(e: Any) -> Poly:
    """An integer term as a polynomial over its unknowns; a choice is an unknown of its own."""
    if z3.is_int_value(e):
        return Poly.of(e.as_long())
    parts = [_poly(a) for a in e.children()] if e.decl().kind() in _ARITHMETIC else []
    if not parts:
        return Poly.atom(_atom(e))
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


def _atom(e: Any) -> Expr:
    """An unknown by its name."""
    if not (z3.is_const(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED):
        raise NotExpressible(f"{e} is no polynomial")
    return symbol(e.decl().name())


def term(poly: Poly) -> Any:
    """The polynomial as an integer term."""
    return _sum_of(poly, lambda m: reduce(operator.mul, (z3.Int(a.value.name) for a in m)))


def _abstract(poly: Poly) -> Any:
    """The polynomial with each of its products as one unknown."""
    return _sum_of(poly, lambda m: z3.Int("*".join(a.value.name for a in m)))


def _sum_of(poly: Poly, said: Any) -> Any:
    parts = [z3.IntVal(k) if not m else said(m) if k == 1 else k * said(m) for m, k in poly.terms.items()]
    return reduce(operator.add, parts) if parts else z3.IntVal(0)


def _linear(formula: Any) -> Any:
    """A formula with each product as one unknown; None where it is more than comparisons of polynomials."""
    kind = formula.decl().kind()
    if kind in _LOGICAL:
        parts = [_linear(a) for a in formula.children()]
        return None if any(p is None for p in parts) else _LOGICAL[kind](parts)
    if kind not in _COMPARED or not z3.is_int(formula.arg(0)):
        return None
    difference = _abstract(_poly(formula.arg(0)) - _poly(formula.arg(1)))
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


def _comparisons(formula: Any) -> list[Poly]:
    """The difference of the two sides of each comparison below a formula."""
    kind = formula.decl().kind()
    if kind in _LOGICAL:
        return [p for a in formula.children() for p in _comparisons(a)]
    return [_poly(formula.arg(0)) - _poly(formula.arg(1))] if kind in _COMPARED and z3.is_int(formula.arg(0)) else []


def _equalities(formula: Any) -> list[Poly]:
    """The differences that a formula compares with 0."""
    kind = formula.decl().kind()
    if kind in _LOGICAL:
        return [p for a in formula.children() for p in _equalities(a)]
    equal = kind in (z3.Z3_OP_EQ, z3.Z3_OP_DISTINCT) and z3.is_int(formula.arg(0))
    return [_poly(formula.arg(0)) - _poly(formula.arg(1))] if equal else []
