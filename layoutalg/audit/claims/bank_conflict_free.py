"""Each LDS instruction takes the fewest cycles that its width can take (`costs`)."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import aligned, ends, followed
from layoutalg.audit.costs import Fact
from layoutalg.audit.followed import Followed
from layoutalg.launch.symbolic import LDS

NAME = "bank_conflict_free"
SAYS = "each LDS instruction takes the fewest cycles that its width can take"
OF = "instruction of LDS"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME, aligned.NAME)
FAULTS: frozenset[str] | None = None


def subjects(kernel: Followed) -> Sequence[Fact]:
    """What each such instruction costs."""
    return [one for one in kernel.costs if one.memory == LDS]


def decided(_: Followed, cost: Fact) -> Answer:
    """That it is the least."""
    return Answer(cost.about, cost.verdict)
