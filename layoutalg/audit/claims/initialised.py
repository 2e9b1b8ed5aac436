"""What is read of LDS was stored there before (`lds`)."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed
from layoutalg.audit.lds.initialised import Initialised

NAME = "initialised"
SAYS = "what is read of LDS was stored there before"
FAULTS: frozenset[str] | None = frozenset({"uninitialised"})


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each access that reads LDS."""
    yield from Initialised(kernel.lds).findings(kernel.ask)
