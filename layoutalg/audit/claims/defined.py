"""What is stored, and whether and where it happens, is made of what was given, loaded or computed."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer, shown
from layoutalg.audit.claims import ends, followed, initialised
from layoutalg.audit.followed import Followed
from layoutalg.audit.lds.tables import TABLE
from layoutalg.index import FALSE, negation

NAME = "defined"
SAYS = "what is stored, and each address, is made of what was given, loaded or computed, of nothing that nobody wrote"
OF = "access"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME, initialised.NAME)
FAULTS: frozenset[str] | None = frozenset({"uninitialised"})


def subjects(kernel: Followed) -> Sequence[TracedAccess]:
    """Each access."""
    return kernel.accesses


def decided(kernel: Followed, access: TracedAccess) -> Answer:
    """That what may be made of nothing never happens."""
    if access.undefined is not FALSE and kernel.undefined.never(access):
        return shown(str(access), TABLE)
    return kernel.decide(NAME, access, negation(access.undefined))
