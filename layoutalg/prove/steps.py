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
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import reduce
from itertools import islice, product
from typing import Any

import z3

from layoutalg.index import Expr, all_of, conjuncts, symbol
from layoutalg.index.normal import simplify
from layoutalg.index.poly import Monomial, Poly, monomial_over
from layoutalg.prove.encodings import Integers, NotExpressible
from layoutalg.prove.lowering import NegatedObligation
from layoutalg.prove.obligation import ForAll, InjectiveMap, Obligation
from layoutalg.prove.polynomials import Names, comparisons, equalities, linear, poly, term, unknown
from layoutalg.prove.query import check_within
from layoutalg.records import dataclass

SECONDS = 1.0
"""What z3 gets to pick the steps of one statement."""
MOST = 3000
"""The most steps that are looked through."""
ONE = Poly.of(1)


@dataclass(frozen=True)
class Step:
    """A fact, or a distance, multiplied by factors that are not negative."""

    kind: str
    fact: Poly
    factors: tuple[Poly, ...]

    @property
    def data(self) -> list[Any]:
        """The same as JSON: a certificate tells its steps, so that its text can be made again without a search."""
        return [self.kind, _data(self.fact), [_data(factor) for factor in self.factors]]

    @classmethod
    def of(cls, data: Any, names: Set[str]) -> Step:
        """From JSON; ValueError where it is no step over unknowns of these names."""
        try:
            kind, fact, factors = data
            step = cls(kind, _poly(fact), tuple(map(_poly, factors)))
        except (TypeError, ValueError) as error:
            raise ValueError(f"no step: {error}") from None
        every = {a.value.name for part in (step.fact, *step.factors) for a in part.atoms()}
        if kind not in ("product", "multiple", "distance") or not factors or not every <= names:
            raise ValueError("no step: its kind, its factors or its names")
        return step


def _data(poly: Poly) -> list[Any]:
    return [[k, [atom.value.name for atom in m]] for m, k in poly.terms.items()]


def _poly(data: Any) -> Poly:
    if not all(type(k) is int and all(isinstance(name, str) for name in m) for k, m in data):
        raise ValueError("no polynomial")
    return Poly({tuple(map(symbol, m)): k for k, m in data})


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
        terms = poly(x).terms if n > 1 else {}
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


def search(obligation: Obligation) -> list[Step] | None:
    """The steps that make a statement's negation unsatisfiable by linear arithmetic alone; None where none are found.

    Which ones depends on what z3 did before.
    """
    try:
        return _Search(NegatedObligation(obligation, Quotients), obligation).found()
    except NotExpressible:
        return None


def assertions(obligation: Obligation, steps: Sequence[Step]) -> dict[str, Any]:
    """The negation of a statement and steps, by name; NotExpressible where it cannot be said."""
    problem = NegatedObligation(obligation, Quotients)
    named = {f"{step.kind}-{n}": _formula(step) for n, step in enumerate(steps)}
    return {**problem.given, **named, "negation": problem.negation}


class _Search:
    """The facts of a statement, and the steps that are made of them."""

    def __init__(self, problem: NegatedObligation, obligation: Obligation) -> None:
        encoding = problem.encoding
        assert isinstance(encoding, Quotients)
        self.asserted = problem.given
        self.negation = problem.negation
        self.facts: list[Poly] = []
        self.equations: list[Poly] = []
        for formula in (*self.asserted.values(), self.negation):
            self._learn(formula, True)
        self.distances = [(poly(q) - poly(plain), poly(d)) for q, plain, d in encoding.plain]
        self.distances += [(p, ONE) for p in equalities(self.negation)]
        if isinstance(obligation, InjectiveMap) and len(problem.copies) == 2:
            one, other = problem.copies
            self.distances += [(poly(one[v]) - poly(other[v]), ONE) for v in obligation.over if v in one]
        divisors = [poly(d) for d in encoding.divisors]
        self.divisors = [d for n, d in enumerate(divisors) if d.constant is None and d not in divisors[:n]]
        self.positive = {a for fact in self.facts for a in fact.atoms() if _bounds_below(fact, a)}
        self.positive |= {unknown(q) for q, _ in encoding.natural}
        self.distances += [(poly(q), poly(d)) for q, d in encoding.natural]

    def _learn(self, formula: Any, holds: bool) -> None:
        """The facts a ≥ 0 and equations a = 0 that a formula says outright."""
        kind = formula.decl().kind()
        if kind == z3.Z3_OP_NOT:
            self._learn(formula.arg(0), not holds)
        elif kind == (z3.Z3_OP_AND if holds else z3.Z3_OP_OR):
            for part in formula.children():
                self._learn(part, holds)
        elif kind == (z3.Z3_OP_EQ if holds else z3.Z3_OP_DISTINCT) and z3.is_int(formula.arg(0)):
            self.equations.append(poly(formula.arg(0)) - poly(formula.arg(1)))
        elif kind in _ORDER:
            more, strict = _ORDER[kind]
            a, b = (poly(x) for x in formula.children())
            difference = a - b if more == holds else b - a
            self.facts.append(difference - ONE if strict == holds else difference)

    def found(self) -> list[Step] | None:
        """The steps that suffice; ever more are looked through.

        A quotient's distance from its normal form is always told: without it, solvers search for whole numbers.
        """
        own = [Step("distance", k, (d,)) for k, d in self.distances if d is not ONE]
        for rounds in range(4):
            steps = list(islice(self._steps(rounds), MOST + 1))
            chosen = self._chosen(steps)
            if chosen is not None:
                return chosen + [s for s in steps if s.kind == "distance" and s in own and s not in chosen]
            if len(steps) > MOST:
                break
        return None

    def _steps(self, rounds: int) -> Iterator[Step]:
        """Distances by divisors and products of two; facts times what their unknowns are multiplied by, and again."""
        yield from self._by_distance(rounds)
        rows = [*self.facts, *self.equations, *comparisons(self.negation)]
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
        if (negation := linear(self.negation)) is None:
            return None
        solver = z3.SolverFor("QF_LIA")
        solver.set(unsat_core=True)
        solver.add(negation)
        names = Names()
        known = [f"(>= {names.sum(fact)} 0)" for fact in self.facts]
        known += [f"(= {names.sum(equation)} 0)" for equation in self.equations]
        lines = [f"(assert {text})" for text in (*known, *(_text(step, names) for step in steps))]
        formulas = z3.parse_smt2_string("\n".join([*names.declared(), *lines]))
        solver.add(*formulas[: len(known)])
        for n in range(len(steps)):
            solver.assert_and_track(formulas[len(known) + n], f"step-{n}")
        if check_within(SECONDS, solver) != z3.unsat:
            return None
        return [steps[int(str(name).removeprefix("step-"))] for name in solver.unsat_core()]


def _text(step: Step, names: Names) -> str:
    """A step without its conditions, which the facts say anyway."""
    by = reduce(operator.mul, step.factors)
    times = names.sum(step.fact * by)
    if step.kind == "product":
        return f"(>= {times} 0)"
    if step.kind == "multiple":
        return f"(= {times} 0)"
    k, d = names.sum(step.fact), names.sum(by)
    return (
        f"(and (=> (>= {k} 1) (>= {times} {d})) (=> (<= {k} (- 1)) (<= {times} (- {d}))) (=> (= {k} 0) (= {times} 0)))"
    )


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


def _formula(step: Step) -> Any:
    """A step, with the conditions under which it is true of all integers."""
    by = reduce(operator.mul, step.factors)
    fact, times, d = term(step.fact), term(step.fact * by), term(by)
    given = [term(factor) >= 0 for factor in step.factors]
    if step.kind == "product":
        return z3.Implies(z3.And(fact >= 0, *given), times >= 0)
    if step.kind == "multiple":
        return z3.Implies(fact == 0, times == 0)
    far = z3.And(z3.Implies(fact >= 1, times >= d), z3.Implies(fact <= -1, times <= -d))
    return z3.And(z3.Implies(z3.And(given), far), z3.Implies(fact == 0, times == 0))
