"""Each access of LDS lies in what the kernel and the launch ask for."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed
from layoutalg.index import all_of
from layoutalg.launch.symbolic import LDS

NAME = "lds_in_bounds"
SAYS = "the bytes of an access lie in the LDS that the kernel and the launch ask for"
FAULTS: frozenset[str] | None = frozenset({"address"})


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each access of LDS."""
    for access in kernel.accesses:
        if access.memory == LDS:
            within = access.offset + access.width <= kernel.launched.lds_bytes
            yield kernel.decide(NAME, access, all_of(access.offset >= 0, within))
