"""One obligation of a program, and what several kinds of it have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from layoutalg.index import TRUE, Expr, all_of, eq
from layoutalg.index.c import intermediates
from layoutalg.prove import Claim, ForAll, Obligation, Shown


@dataclass(frozen=True)
class Requirement:
    """One obligation of a program: what it is about, and what the prover is asked."""

    about: str
    claim: Claim | Obligation


def same(one: Sequence[Expr], other: Sequence[Expr]) -> Expr:
    """Each of one equals its partner."""
    return all_of(*(eq(a, b) for a, b in zip(one, other, strict=True)))


def inside(index: Sequence[Expr], lengths: Sequence[Expr]) -> Expr:
    """Each index is in range."""
    return all_of(*(all_of(i >= 0, i < n) for i, n in zip(index, lengths, strict=True)))


def fits(about: str, exprs: Sequence[Expr], bits: int, given: Expr = TRUE) -> Iterator[Requirement]:
    """Every value that the text of the expressions computes fits the index type."""
    limit = 1 << (bits - 1)
    wide = [e for e in intermediates(exprs) if not -limit <= e.lo <= e.hi < limit]
    goal = all_of(*(all_of(e >= -limit, e < limit) for e in wide))
    shown = tuple(Shown(repr(e), (e,)) for e in wide)
    yield Requirement(about, ForAll(f"values fit {bits} bits", goal, given, shown))
