"""The machine code is followed, and what following it takes for granted is so."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.ask import LATE, Answer, Open, shown, unseen
from layoutalg.audit.followed import Followed
from layoutalg.index import budget

NAME = "followed"
SAYS = (
    "every instruction is described and has one meaning; data are waited for before they are used; no LDS access is "
    "under way at a barrier, and all waves of a block meet there"
)
OF = "code"
RESTS_ON: tuple[str, ...] = ()
FAULTS: frozenset[str] | None = frozenset()


def subjects(_: Followed) -> Sequence[str]:
    """The code, which needs no words."""
    return ("",)


def decided(kernel: Followed, code: str) -> Answer:
    """That nothing has stopped it."""
    if kernel.stopped is None:
        return shown(code, "reading")
    if isinstance(kernel.stopped, budget.OutOfTimeError):
        return unseen(code, Open(f"{LATE} {str(kernel.stopped) or 'while its accesses are put together'}"))
    return unseen(code, Open.by(kernel.stopped), "reading")
