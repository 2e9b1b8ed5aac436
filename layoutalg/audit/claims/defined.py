"""What is stored, and whether and where it happens, is made of what was given, loaded or computed."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed
from layoutalg.index import FALSE, negation

NAME = "defined"
SAYS = "what is stored, and each address, is made of what was given, loaded or computed, of nothing that nobody wrote"
FAULTS: frozenset[str] | None = frozenset({"uninitialised"})


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each access of which that is not seen at once."""
    for access in kernel.accesses:
        if access.undefined is not FALSE:
            yield kernel.decide(NAME, access, negation(access.undefined))
