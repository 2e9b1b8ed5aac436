"""Obligations as SMT-LIB 2 text, which any solver reads: every condition a named assertion, the answer in the header.

The formula is the obligation's negation, so `unsat` says that the obligation holds.  The text of a counterexample adds
its values as assertions, and `sat` confirms it; the text of assumptions alone must be `sat`, else a proof says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import z3

from layoutalg.index import TRUE
from layoutalg.prove.lowering import NotExpressible, Problem
from layoutalg.prove.obligation import Obligation, Onto, Point


def smt_text(obligation: Obligation, bits: bool, *, points: Sequence[Point] = ()) -> str:
    """The negation of an obligation; with points, that it is met there.  NotExpressible where it cannot be said."""
    problem = _problem(obligation, bits)
    asserted = _assumed(problem) | {"negation": problem.negation}
    for n, (copy, point) in enumerate(zip(problem.copies, points, strict=False)):
        for v, x in copy.items():
            if v in point and z3.is_const(x):
                asserted[f"witness-{n}-{v.value.name}"] = x == problem.encoding.number(point[v])
    return _script(asserted, bits)


def assumptions_text(obligation: Obligation, bits: bool) -> str | None:
    """The assumptions alone; None where nothing is assumed."""
    if obligation.given is TRUE:
        return None
    return _script(_assumed(_problem(obligation, bits)), bits)


def _assumed(problem: Problem) -> dict[str, Any]:
    named = [*problem.encoding.conditions, *((f"assumption-{n}", a) for n, a in enumerate(problem.assumptions))]
    return {name: condition for name, condition in named if not z3.is_true(condition)}


def _problem(obligation: Obligation, bits: bool) -> Problem:
    if isinstance(obligation, Onto):
        raise NotExpressible("an exists below a forall")
    return Problem(obligation, bits)


def _script(asserted: Mapping[str, Any], bits: bool) -> str:
    declared = dict.fromkeys(c.decl().sexpr() for e in asserted.values() for c in _constants(e))
    linear = not any(_is_product(e) for formula in asserted.values() for e in _below(formula))
    lines = [f"(set-logic {'QF_BV' if bits else 'QF_LIA' if linear else 'QF_NIA'})", *declared]
    lines += [f"(assert (! {e.sexpr()} :named |{name}|))" for name, e in asserted.items()]
    return "\n".join([*lines, "(check-sat)", ""])


def _constants(formula: Any) -> list[Any]:
    """The unknowns of a formula, each once."""
    return [e for e in _below(formula) if z3.is_const(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED]


def _is_product(e: Any) -> bool:
    """Whether it multiplies unknowns (solvers for linear arithmetic are many times faster)."""
    return bool(z3.is_mul(e)) and sum(not z3.is_int_value(a) for a in e.children()) > 1


def _below(formula: Any) -> list[Any]:
    """Every term of a formula, each once."""
    found: dict[int, Any] = {}
    stack = [formula]
    while stack:
        e = stack.pop()
        if e.get_id() not in found:
            found[e.get_id()] = e
            stack.extend(e.children())
    return list(found.values())
