"""Each access of LDS lies in what the kernel and the launch ask for."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import ends, followed
from layoutalg.audit.followed import Followed
from layoutalg.index import all_of

NAME = "lds_in_bounds"
SAYS = "the bytes of an access lie in the LDS that the kernel and the launch ask for"
OF = "access of LDS"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME)
FAULTS: frozenset[str] | None = frozenset({"address"})


def subjects(kernel: Followed) -> Sequence[TracedAccess]:
    """Each access of LDS."""
    return kernel.of_lds


def decided(kernel: Followed, access: TracedAccess) -> Answer:
    """That all of its bytes are inside."""
    within = access.offset + access.width <= kernel.launched.lds_bytes
    return kernel.decide(NAME, access, all_of(access.offset >= 0, within))
