"""Each access of global memory moves 16 bytes of a lane: a claim as one adds it, which a kernel is held to in tests."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer, Open, shown, unseen
from layoutalg.audit.claims import followed
from layoutalg.audit.followed import Followed

NAME = "wide"
SAYS = "each access of global memory moves 16 bytes of a lane"
OF = "access of a tensor"
RESTS_ON: tuple[str, ...] = (followed.NAME,)
FAULTS: frozenset[str] | None = None


def subjects(kernel: Followed) -> Sequence[TracedAccess]:
    """Each access of a tensor."""
    return kernel.of_tensors


def decided(_: Followed, access: TracedAccess) -> Answer:
    """That it moves as much as one instruction can."""
    if access.width == 16:
        return shown(str(access), "reading")
    return unseen(str(access), Open(f"it moves {access.width} bytes"))
