"""The machine code is followed, and what following it takes for granted is so."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed
from layoutalg.prove import Proved

NAME = "followed"
SAYS = (
    "every instruction is described and has one meaning; data are waited for before they are used; no LDS access is "
    "under way at a barrier, and all waves of a block meet there"
)
FAULTS: frozenset[str] | None = frozenset()


def decided(kernel: Followed) -> Iterator[Finding]:
    """Proved, since it was (`layoutalg.audit.audit` says why another one was not)."""
    yield Finding(NAME, "", Proved("the machine code is followed", "reading", 0.0))
