"""Each address is a multiple of what its instruction needs."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import ends, followed
from layoutalg.audit.followed import Followed
from layoutalg.index import eq, mod

NAME = "aligned"
SAYS = "an address is a multiple of a dword, or of its width or an element of its tensor; an atomic's, of its width"
OF = "access"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME)
FAULTS: frozenset[str] | None = frozenset({"alignment"})


def subjects(kernel: Followed) -> Sequence[TracedAccess]:
    """Each access."""
    return kernel.accesses


def decided(kernel: Followed, access: TracedAccess) -> Answer:
    """That its offset is a multiple of what it needs: tensors and LDS begin at one."""
    return kernel.decide(NAME, access, eq(mod(access.offset, access.needed_alignment), 0))
