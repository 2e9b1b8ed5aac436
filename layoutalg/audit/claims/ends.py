"""Each loop leaves in the iteration that its count says, and in none before."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed

NAME = "ends"
SAYS = "each loop leaves in the turn that its count says, and in none before"
FAULTS: frozenset[str] | None = frozenset()


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each loop."""
    for claim in kernel.trace.loops.claims:
        yield kernel.ask.decide(NAME, claim.label, claim.assuming(kernel.launched.given))
