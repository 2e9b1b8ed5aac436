"""What is read of LDS was stored there before (`lds`)."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed

NAME = "initialised"
SAYS = "what is read of LDS was stored there before"
FAULTS: frozenset[str] | None = frozenset({"uninitialised"})


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each access that reads LDS."""
    yield from (one.decided(kernel.ask) for one in kernel.lds if one.claim == NAME)
