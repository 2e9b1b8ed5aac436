"""Where a value may be made of what nothing wrote.

What a loop hands from turn to turn is an unknown at its head.  It is defined where what the register held before the
loop is, and what each turn leaves there; of this, what a thread's lasting conditions (its place, sizes) choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from layoutalg.index import TRUE, Expr, all_of, any_of, budget, conjuncts, negation, postorder
from layoutalg.symex.values.unknowns import Kind, arguments_of, kind_of


def unwritten_by_loops(handed: Mapping[Expr, Sequence[Expr]], given: frozenset[Expr]) -> frozenset[Expr]:
    """What loops hand on in such threads that is, before a loop or behind a turn, made of what nothing wrote."""
    found: frozenset[Expr] = frozenset()
    while True:
        more = {v for v, held in handed.items() if v not in found and is_undefined(held, found, given)}
        if not more:
            return found
        found |= more


def is_undefined(values: Sequence[Expr], unwritten: frozenset[Expr], given: frozenset[Expr]) -> bool:
    """Whether values may be made of what nothing wrote; of a choice counts what is chosen, where that is seen."""

    def here(e: Expr) -> bool:
        return e.op == "var" and (kind_of(e) is Kind.UNDEFINED or e in unwritten)

    inside: dict[Expr, bool] = {}  # what is made of it whatever is chosen: of nothing else are choices looked at
    stack = [*values]
    while stack:
        parts = (*stack[-1].args, *arguments_of(stack[-1]))
        waiting = [part for part in parts if part not in inside]
        stack += waiting
        if not waiting:
            e = stack.pop()
            inside[e] = here(e) or any(inside[part] for part in parts)
    seen: set[tuple[Expr, frozenset[Expr]]] = set()
    left = [(e, given) for e in values]
    while left:
        e, known = left.pop()
        if inside[e] and (e, known) not in seen:
            budget.check()
            if here(e):
                return True
            seen.add((e, known))
            left += _parts(e, known)
    return False


def where_undefined(value: Expr, unwritten: frozenset[Expr]) -> Expr:
    """Where a value may be made of what nothing wrote: where its choices choose such, or depend on it."""
    seen: dict[Expr, Expr] = {}
    for e in postorder(value):
        if e.op == "select":
            condition, chosen, other = e.args
            ways = all_of(condition, seen[chosen]), all_of(negation(condition), seen[other])
            seen[e] = any_of(seen[condition], *ways)
        else:
            made_of = any(is_undefined((part,), unwritten, frozenset()) for part in arguments_of(e))
            here = e.op == "var" and (kind_of(e) is Kind.UNDEFINED or e in unwritten or made_of)
            seen[e] = TRUE if here else any_of(*(seen[part] for part in e.args))
    return seen[value]


def where_guard_undefined(guard: Expr, unwritten: frozenset[Expr]) -> Expr:
    """Where a guard may be made of what nothing wrote: where what is not made of it holds, which else decides it."""
    settled: list[Expr] = []
    left = list(conjuncts(guard))
    while defined := [part for part in left if not is_undefined((part,), unwritten, frozenset(settled))]:
        settled += defined
        left = [part for part in left if part not in defined]
    return all_of(*settled, any_of(*(where_undefined(part, unwritten) for part in left)))


def _parts(e: Expr, known: frozenset[Expr]) -> Iterator[tuple[Expr, frozenset[Expr]]]:
    """What a value is made of where these conditions hold, each part with what holds where it counts."""
    if e.op != "select":
        yield from ((part, known) for part in (*e.args, *arguments_of(e)))
        return
    condition, chosen, other = e.args
    holds, fails = set(conjuncts(condition)) <= known, negation(condition) in known
    if not (holds or fails):
        yield condition, known
    if not fails:
        yield chosen, known | set(conjuncts(condition))
    if not holds:
        yield other, known | {negation(condition)}
