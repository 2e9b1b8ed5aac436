"""Each access of global memory touches the fewest segments that can hold its bytes (`costs`)."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed

NAME = "coalesced"
SAYS = "each access of global memory touches the fewest segments that can hold its bytes"
FAULTS: frozenset[str] | None = None


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each instruction of lanes."""
    yield from (Finding(NAME, fact.about, fact.verdict) for fact in kernel.costs if fact.claim == NAME)
