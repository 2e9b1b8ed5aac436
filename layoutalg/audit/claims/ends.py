"""Each loop leaves in the iteration that its count says, and in none before."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import followed
from layoutalg.audit.followed import Followed
from layoutalg.index import all_of
from layoutalg.prove import ForAll

NAME = "ends"
SAYS = "each loop leaves in the turn that its count says, and in none before"
OF = "loop"
RESTS_ON: tuple[str, ...] = (followed.NAME,)
FAULTS: frozenset[str] | None = frozenset()


def subjects(kernel: Followed) -> Sequence[ForAll]:
    """What following has left to be shown of each loop."""
    return kernel.trace.loops.claims


def decided(kernel: Followed, left: ForAll) -> Answer:
    """That it is so at the launch."""
    return kernel.ask.decide(left.label, left.assuming(all_of(kernel.launched.given, kernel.launched.exists)))
