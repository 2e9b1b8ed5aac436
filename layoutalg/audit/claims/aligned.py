"""Each address is a multiple of what its instruction needs."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import ends, followed
from layoutalg.audit.followed import Followed
from layoutalg.index import eq, mod
from layoutalg.isa.semantics.accesses import needed_alignment

NAME = "aligned"
SAYS = "an address is a multiple of its width, or of a dword; of an atomic operation's, of its width"
OF = "access"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME)
FAULTS: frozenset[str] | None = frozenset({"alignment"})


def subjects(kernel: Followed) -> Sequence[TracedAccess]:
    """Each access."""
    return kernel.accesses


def decided(kernel: Followed, access: TracedAccess) -> Answer:
    """That its offset is a multiple of what it needs: tensors and LDS begin at one."""
    needed = needed_alignment(access.width, whole=access.atomic)
    return kernel.decide(NAME, access, eq(mod(access.offset, needed), 0))
