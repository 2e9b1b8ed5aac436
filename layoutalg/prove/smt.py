"""Obligations as SMT-LIB 2 text, which any solver reads: every condition a named assertion, the answer in the header.

The formula is the obligation's negation, so `unsat` says that the obligation holds.  The text of a counterexample adds
its values as assertions, and `sat` confirms it; the text of assumptions alone must be `sat`, else a proof says nothing.

| an obligation that holds        | its forms                                                                          |
|---------------------------------|------------------------------------------------------------------------------------|
| linear, or of bounded bits      | one text: its negation                                                             |
| shown with any function         | one text: its negation with any function for a bitwise one                         |
| with products of unknowns       | one for each part of the goal, with the steps that make it linear (`steps`)        |
| with bits of unbounded sizes    | one for each part: bit-vectors of what has a maximum, or any function for the bits |

Where these need other variables, the form says which change was made (`strategies.changes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any

import z3

from layoutalg.index import TRUE, budget, unused
from layoutalg.prove.decide import decide_quickly
from layoutalg.prove.encodings import AnyFunction, BitVectors, Encoding, Integers, NotExpressible
from layoutalg.prove.lowering import NegatedObligation
from layoutalg.prove.obligation import Obligation, Onto, Point, needs_bits
from layoutalg.prove.outcome import Holds
from layoutalg.prove.query import check_within
from layoutalg.prove.solver import ANY_FUNCTION
from layoutalg.prove.steps import Quotients, Step, assertions, parts, search
from layoutalg.prove.strategies.changes import changed
from layoutalg.records import dataclass

SECONDS = 2.0
"""What z3 gets to confirm a form that says more than the obligation."""
SEARCH = 20.0
"""The seconds, as `budget` counts them, after which an obligation is written as it stands."""


AS_IT_STANDS = "as it stands"
ANY_BITS = "any function for a bitwise one"


@dataclass(frozen=True)
class Form:
    """A text that says an obligation, or a part of it: its arithmetic, and in words how it says it.

    `steps`, `points`: those that it says besides.
    """

    text: str
    arithmetic: str
    how: str = AS_IT_STANDS
    steps: tuple[Step, ...] = ()
    points: tuple[Point, ...] = ()


@lru_cache(maxsize=1 << 12)
def forms(obligation: Obligation, strategy: str = "") -> tuple[Form, ...]:
    """Texts that are all `unsat` only where the obligation holds; of one that a strategy proved.  Kept: many recur.

    NotExpressible where it cannot be said.
    """
    if strategy == ANY_FUNCTION:
        return (_said(obligation, AnyFunction, ANY_BITS, ()),)
    bits = needs_bits(obligation)
    whole: tuple[Form, ...]
    reason: NotExpressible | None
    try:
        whole, reason = (Form(smt_text(obligation, bits), _arithmetic(bits)),), None
    except NotExpressible as error:
        whole, reason = (), error
    if whole and (bits or "(set-logic QF_LIA)" in whole[0].text):
        return whole
    found = budget.in_time(SEARCH, lambda: _searched(obligation), lambda _: None)
    if found:
        return found
    if reason:
        raise reason
    return whole


def _searched(obligation: Obligation) -> tuple[Form, ...] | None:
    """A form for each part of a goal, by the first way to say it that has them; None where none has."""
    for words, same in sorted(_ways(obligation), key=_undecided):
        found = list(takewhile(bool, (_form(part, words) for part in parts(same))))
        if len(found) == len(parts(same)):
            return tuple(form for form in found if form)
    return None


def said_again(obligation: Obligation, how: Sequence[tuple[str, Any]]) -> tuple[Form, ...] | None:
    """The forms that are told in words, with their steps as JSON; None where the obligation has no such forms.

    Each says the obligation, whoever tells it: a way is one of its own, and a step is true by its form.
    """
    bits = needs_bits(obligation)
    try:
        if [words for words, _ in how] == [AS_IT_STANDS]:
            return (Form(smt_text(obligation, bits), _arithmetic(bits)),)
        if [words for words, _ in how] == [ANY_BITS]:
            return (_said(obligation, AnyFunction, ANY_BITS, ()),)
        for words, same in _ways(obligation):
            if len(parts(same)) == len(how) and all(told in _sayings(words) for told, _ in how):
                said = zip(parts(same), how, strict=True)
                return tuple(_said(part, _sayings(words)[told], told, steps) for part, (told, steps) in said)
    except (NotExpressible, ValueError):
        pass
    return None


def _ways(obligation: Obligation) -> Iterator[tuple[str, Obligation]]:
    """The obligation, and all that it follows from by changes of variables, with their words."""
    yield "", obligation
    yield from changed(obligation)


def _sayings(words: str) -> dict[str, type[Encoding]]:
    """In which arithmetics a part of a goal is said after changes of variables, by what is told of it."""
    made = "; ".join(filter(None, ["a part of its goal", words]))
    return {
        f"{made}; with steps": Quotients,
        made: BitVectors,
        f"{made}; {ANY_BITS}": AnyFunction,
    }


def _said(part: Obligation, encoding: type[Encoding], how: str, steps: Any) -> Form:
    """One part in one arithmetic, with steps as JSON; NotExpressible, or ValueError where these are none."""
    if encoding is Quotients:
        return _stepwise(part, how, [Step.of(step, _names(part)) for step in steps])
    problem = NegatedObligation(part, encoding)
    return Form(_script({**problem.given, "negation": problem.negation}), _arithmetic(encoding is BitVectors), how)


def _names(part: Obligation) -> set[str]:
    return {d.name() for e in assertions(part, ()).values() for d in _unknowns(e)}


def _stepwise(part: Obligation, how: str, steps: Sequence[Step]) -> Form:
    return Form(_script(assertions(part, steps)), "integers", how, tuple(steps))


def _undecided(way: tuple[str, Obligation]) -> bool:
    """Whether algebra alone leaves a way to say an obligation open: those that it decides are tried first."""
    return not isinstance(decide_quickly(way[1], ()), Holds)


def _form(part: Obligation, words: str) -> Form | None:
    """A text of one part of a goal that z3 finds unsatisfiable; None where there is none."""
    budget.check()
    stepwise, *others = _sayings(words).items()
    if not needs_bits(part):
        steps = search(part)
        return None if steps is None else _stepwise(part, stepwise[0], steps)
    for how, encoding in others:
        try:
            problem = NegatedObligation(part, encoding)
        except NotExpressible:
            continue
        asserted = {**problem.given, "negation": problem.negation}
        if _unsatisfiable(asserted):
            return Form(_script(asserted), _arithmetic(encoding is BitVectors), how)
    return None


def _arithmetic(bits: bool) -> str:
    return "bit-vectors" if bits else "integers"


def _unsatisfiable(asserted: Mapping[str, Any]) -> bool:
    solver = z3.Solver()
    solver.add(*asserted.values())
    return bool(check_within(SECONDS, solver) == z3.unsat)


def smt_text(obligation: Obligation, bits: bool, *, points: Sequence[Point] = ()) -> str:
    """The negation of an obligation; with points, that it is met there.  NotExpressible where it cannot be said."""
    problem = _problem(obligation, bits)
    asserted = {**problem.given, "negation": problem.negation}
    for n, (copy, point) in enumerate(zip(problem.copies, points, strict=False)):
        for v, x in copy.items():
            if v in point and z3.is_const(x):
                asserted[f"witness-{n}-{x}"] = x == problem.encoding.number(point[v])
    return _script(asserted)


def assumptions_text(obligation: Obligation, bits: bool) -> str | None:
    """The assumptions alone; None where nothing is assumed."""
    if obligation.given is TRUE:
        return None
    return _script(_problem(obligation, bits).given)


def _problem(obligation: Obligation, bits: bool) -> NegatedObligation:
    if isinstance(obligation, Onto):
        raise NotExpressible("an exists below a forall")
    encoding: type[Encoding] = BitVectors if bits else Integers
    return NegatedObligation(obligation, encoding)


def _script(asserted: Mapping[str, Any]) -> str:
    unknowns = dict.fromkeys(d for e in asserted.values() for d in _unknowns(e))
    taken = {d.name() for d in unknowns}  # a name of an assertion is a constant beside them
    lines = [f"(set-logic {_logic(list(asserted.values()))})", *(d.sexpr() for d in unknowns)]
    lines += [f"(assert (! {e.sexpr()} :named |{unused(name, taken)}|))" for name, e in asserted.items()]
    return "\n".join([*lines, "(check-sat)", ""])


def _logic(formulas: Sequence[Any]) -> str:
    """The least logic that a text needs: solvers for linear arithmetic are many times faster."""
    terms = [e for formula in formulas for e in _below(formula)]
    if any(z3.is_bv(e) for e in terms):
        return "QF_BV"
    functions = any(z3.is_app(e) and e.num_args() and e.decl().kind() == z3.Z3_OP_UNINTERPRETED for e in terms)
    products = any(z3.is_mul(e) and sum(not z3.is_int_value(a) for a in e.children()) > 1 for e in terms)
    return f"QF_{'UF' if functions else ''}{'NIA' if products else 'LIA'}"


def _unknowns(formula: Any) -> list[Any]:
    """The unknowns of a formula, functions too, each once."""
    declared = [e.decl() for e in _below(formula) if z3.is_app(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED]
    return list(dict.fromkeys(declared))


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
