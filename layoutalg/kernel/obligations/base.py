"""One obligation of a program, and what several kinds of it have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from layoutalg.index import TRUE, Expr, all_of, extent_of, internal, substitute
from layoutalg.index.c import intermediates
from layoutalg.index.conditions import with_limits_as_sizes
from layoutalg.layout import TileDistribution
from layoutalg.prove import Claim, ForAll, Obligation, Shown
from layoutalg.records import dataclass
from layoutalg.target.operand import OperandMap


@dataclass(frozen=True)
class Requirement:
    """One obligation of a program: what it is about, and what the prover is asked."""

    about: str
    claim: Claim | Obligation


def inside(index: Sequence[Expr], lengths: Sequence[Expr]) -> Expr:
    """Each index is in range."""
    return all_of(*(all_of(i >= 0, i < n) for i, n in zip(index, lengths, strict=True)))


def lanes_of(tile: TileDistribution) -> tuple[Expr, ...]:
    """Any lane: a variable for each P of a distribution."""
    return tuple(internal(f"p{n}", length) for n, length in enumerate(tile.ps))


def counted(operand: OperandMap) -> OperandMap:
    """The same operand map over a lane and an element that no program has."""
    at: dict[Expr, Expr | int] = {v: internal(v.value.name, extent_of(v)) for v in (operand.lane, operand.element)}
    lane, element, row, column = (
        substitute(e, at) for e in (operand.lane, operand.element, operand.row, operand.column)
    )
    return replace(operand, lane=lane, element=element, row=row, column=column)


def fits(about: str, exprs: Sequence[Expr], bits: int, given: Expr = TRUE) -> Iterator[Requirement]:
    """Every value that the text of the expressions computes fits the index type.

    Where something is assumed to be at most a number (`N·H·W ≤ 1000`), it is first taken for any such number, which is
    a stronger statement, and one that ranges decide.
    """
    limit = 1 << (bits - 1)

    def fit(e: Expr) -> bool:
        return -limit <= e.lo <= e.hi < limit

    wide = [e for e in intermediates(exprs) if not fit(e) and not fit(with_limits_as_sizes(e, given))]
    goal = all_of(*(all_of(e >= -limit, e < limit) for e in wide))
    shown = tuple(Shown(repr(e), (e,)) for e in wide)
    yield Requirement(about, ForAll(f"values fit {bits} bits", goal, given, shown))
