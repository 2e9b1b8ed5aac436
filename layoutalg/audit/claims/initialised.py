"""What is read of LDS was stored there before (`lds`)."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import ends, followed, lds_in_bounds
from layoutalg.audit.followed import Followed
from layoutalg.audit.lds.initialised import LdsRead

NAME = "initialised"
SAYS = "what is read of LDS was stored there before; a read of which nothing reaches a store or a branch is none"
OF = "access that reads LDS"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME, lds_in_bounds.NAME)
FAULTS: frozenset[str] | None = frozenset({"uninitialised"})


def subjects(kernel: Followed) -> Iterator[LdsRead]:
    """Each such access."""
    return kernel.lds_reads.reads


def decided(kernel: Followed, read: LdsRead) -> Answer:
    """That each byte was stored before, in order."""
    return kernel.lds_reads.decided(read)
