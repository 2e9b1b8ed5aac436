"""Sums that were added in several statements: parts that go on where the one before ends are one part.

    Σ over k … k + l  and  Σ over k + l … k + l + l′   are   Σ over k … k + l + l′

That the second begins where the first ends, in both operands, is an obligation; `simplify` only proposes it.
"""

from __future__ import annotations

from dataclasses import replace

from layoutalg.index import TRUE, ZERO, Expr, all_equal
from layoutalg.index.normal import simplify
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.obligations.held import Element, Term, Total, Value
from layoutalg.kernel.program import Tile
from layoutalg.prove import ForAll, Shown


def joined(number: int, tile: Tile, value: Value) -> tuple[Value, list[Requirement]]:
    """The value with its parts joined, and what must hold for that."""
    if not isinstance(value, Total):
        return value, []
    found: list[Term] = []
    asked: list[Requirement] = []
    for term in value.terms:
        if not (found and _seems_to_go_on(found[-1], term)):
            found.append(term)
            continue
        ends, begins = _end(found[-1]), _begin(term)
        shown = (Shown("ends", ends), Shown("begins", begins))
        goal = ForAll("the next part begins where the last one ends", all_equal(ends, begins), TRUE, shown)
        asked.append(Requirement(f"{number}: parts of {tile.name} follow one another ({len(asked) + 1})", goal))
        found[-1] = replace(found[-1], length=found[-1].length + term.length)
    return replace(value, terms=tuple(found)), asked


def _seems_to_go_on(one: Term, other: Term) -> bool:
    ends, begins = _elements(one), _elements(other)
    if len(ends) != 2 or len(begins) != 2 or one.over != other.over:
        return False
    if any((a.tensor, a.fill) != (b.tensor, b.fill) for a, b in zip(ends, begins, strict=True)):
        return False
    return all(simplify(x - y) is ZERO for x, y in zip(_end(one), _begin(other), strict=True))


def _elements(term: Term) -> tuple[Element, ...]:
    """The tensors' elements that a term multiplies."""
    return tuple(e for e in (term.a, term.b) if isinstance(e, Element))


def _end(term: Term) -> tuple[Expr, ...]:
    """Where a part of a product ends, in both operands."""
    return tuple(i for e in _elements(term) for i in (*e.origin[:-1], e.origin[-1] + term.length))


def _begin(term: Term) -> tuple[Expr, ...]:
    return tuple(i for e in _elements(term) for i in e.origin)


__all__ = ["joined"]
