"""Each LDS instruction takes the fewest cycles that its width can take (`costs`)."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed

NAME = "bank_conflict_free"
SAYS = "each LDS instruction takes the fewest cycles that its width can take"
FAULTS: frozenset[str] | None = None


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each instruction of lanes."""
    yield from (Finding(NAME, fact.about, fact.verdict) for fact in kernel.costs if fact.claim == NAME)
