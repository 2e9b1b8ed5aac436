"""What was found out about a descriptor: a sentence, how it was decided, and whether it is a risk.

Every number in a sentence comes from a verdict, or from counting every index (then the strategy is `enumeration`).
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from layoutalg.formats import DescriptorItem, SpecFile, StatedClaim
from layoutalg.formats.check import Result, check
from layoutalg.index import as_expr
from layoutalg.prove import Limits, Refuted, Verdict
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Remark:
    """A sentence about one side of a layout.

    `about`: bounds, index, overlap, memory, padding, vectors or banks.  `grade`: `fine`, `cost` (it works, and wastes
    time or memory), `fault` (it is wrong), `open` (nobody knows).  `how`: the strategy, or what was missing.

    >>> from layoutalg.explain import explain
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> one = explain(make_naive_tensor_descriptor((6, 6), (4, 1))).risks[0]
    >>> one.about, one.grade, one.how, one.verdict.name
    ('overlap', 'fault', 'enumeration', 'refuted')
    """

    about: str
    text: str
    grade: str
    how: str
    verdict: Verdict | None = None

    @property
    def risk(self) -> bool:
        """Whether it is anything but fine."""
        return self.grade != "fine"


@dataclass(frozen=True)
class Fix:
    """What would put risks right: a sentence, the verdicts on what it proposes, and the layout to take away.

    >>> from layoutalg.explain import explain
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> one = explain(make_naive_tensor_descriptor((6, 6), (4, 1))).fixes[0]
    >>> one.text[:47], [verdict.name for verdict in one.verdicts]
    ('Give (6, 6) the strides (6, 1) in place of (4, ', ['proved', 'proved'])
    """

    about: str
    text: str
    verdicts: tuple[Verdict, ...] = ()
    spec: str = ""
    ck: str = ""


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON data."""
    found: dict[str, Any] = {
        "claim": verdict.claim,
        "verdict": verdict.name,
        "strategy": verdict.strategy,
        "milliseconds": round(verdict.seconds * 1e3, 4),
        "reason": verdict.reason,
        "rests_on": list(verdict.assumptions),
    }
    if isinstance(verdict, Refuted):
        found["witness"] = [dict(p) for p in verdict.witness.points]
    return found


@dataclass(frozen=True)
class Prover:
    """Claims of a file's descriptor, decided as `layoutalg check` does (under what the file assumes), each once."""

    limits: Limits
    known: dict[tuple[object, ...], Verdict] = field(default_factory=dict, repr=False)

    def __call__(self, item: DescriptorItem, claim: str, *args: int) -> Verdict:
        """The verdict on a claim by its name in a file."""
        key = item.descriptor, item.given, claim, args
        if key not in self.known:
            stated = replace(item, claims=(StatedClaim(claim, tuple(map(as_expr, args))),), examples=())
            self.known[key] = self.results(stated)[0].verdict
        return self.known[key]

    def results(self, item: DescriptorItem) -> tuple[Result, ...]:
        """The results of all that the file claims of a descriptor."""
        return tuple(check(SpecFile("", {}, (item,)), limits=self.limits))
