"""One counter of all launches of a kernel: a term of their sizes, or from one to another, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.counters.count import Certainty
from layoutalg.index import Expr
from layoutalg.index.evaluate import value
from layoutalg.records import dataclass

FEW = 3
"""Reasons that are told of one counter, at most."""


@dataclass(frozen=True)
class CounterFormula:
    """What a counter comes to, from `least` to `most`, as terms of the sizes; None where that is not seen, and why.

    Of one that has a `least` alone no more is known than that it is not less.
    """

    name: str
    least: Expr | None
    most: Expr | None
    what: str
    source: str
    notes: tuple[str, ...] = ()

    @property
    def certainty(self) -> Certainty:
        """How surely it is known."""
        if self.least is None:
            return "not known"
        if self.least is not self.most:
            return "bounded"
        return "in doubt" if self.notes else "exact"

    @property
    def text(self) -> str:
        """The formula, or both."""
        if self.least is None:
            return "no formula"
        if self.most is None:
            return f"{self.least} or more"
        return f"{self.least}" if self.least is self.most else f"{self.least} … {self.most}"

    def at(self, sizes: Mapping[Expr, int]) -> tuple[int, int | None] | None:
        """What it comes to at sizes, least and most; None of one without a formula."""
        if self.least is None:
            return None
        return value(self.least, sizes), None if self.most is None else value(self.most, sizes)


def few(found: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Of places and reasons each reason once, with the first place, and no more of them than one reads."""
    by_reason: dict[str, dict[str, None]] = {}
    for place, why in found:
        by_reason.setdefault(why, {})[place] = None
    each = [
        f"{why}: {next(iter(places))}{f' and {len(places) - 1} more' if len(places) > 1 else ''}"
        for why, places in by_reason.items()
    ]
    return tuple(each) if len(each) <= FEW else (*each[: FEW - 1], f"and {len(each) - FEW + 1} more reasons")
