"""Each access of global memory moves 16 bytes of a lane: a claim as one adds it, which a kernel is held to in tests."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding, Open, found
from layoutalg.audit.followed import Followed
from layoutalg.launch.symbolic import LDS

NAME = "wide"
SAYS = "each access of global memory moves 16 bytes of a lane"
FAULTS: frozenset[str] | None = None


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each access of a tensor."""
    for access in kernel.accesses:
        if access.memory != LDS:
            yield found(NAME, str(access), None if access.width == 16 else Open(f"it moves {access.width} bytes"))
