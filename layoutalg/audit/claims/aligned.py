"""Each address is a multiple of what its instruction needs."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed
from layoutalg.index import eq, mod
from layoutalg.isa.semantics.accesses import needed_alignment

NAME = "aligned"
SAYS = "an address is a multiple of its width, or of a dword; of an atomic operation's, of its width"
FAULTS: frozenset[str] | None = frozenset({"alignment"})


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each access that may be anything but aligned."""
    for access in kernel.accesses:
        needed = needed_alignment(access.width, whole=access.atomic)
        if needed > 1:
            yield kernel.decide(NAME, access, eq(mod(access.offset, needed), 0))
