"""Each access of global memory touches the fewest segments that can hold its bytes (`costs`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import ends, followed
from layoutalg.audit.costs import Fact
from layoutalg.audit.followed import Followed
from layoutalg.launch.symbolic import LDS

NAME = "coalesced"
SAYS = "each access of global memory touches the fewest segments that can hold its bytes"
OF = "access of global memory by lanes"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME)
FAULTS: frozenset[str] | None = None


def subjects(kernel: Followed) -> Sequence[Fact]:
    """What each such instruction costs."""
    return [one for one in kernel.costs if one.memory != LDS]


def decided(_: Followed, cost: Fact) -> Answer:
    """That it is the least."""
    verdict = cost.verdict
    return Answer(cost.about, replace(verdict, assumptions=tuple(f"{NAME}: {text}" for text in verdict.assumptions)))
