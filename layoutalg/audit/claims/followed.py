"""The machine code is followed, and what following it takes for granted is so."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.ask import LATE, Answer, Open, shown, unseen
from layoutalg.audit.followed import Followed
from layoutalg.index import TRUE, budget
from layoutalg.prove import ForAll

NAME = "followed"
SAYS = (
    "every instruction is described and has one meaning; data are waited for before they are used; "
    "all waves of a block come to barriers as often"
)
OF = "code"
RESTS_ON: tuple[str, ...] = ()
FAULTS: frozenset[str] | None = frozenset()


def subjects(kernel: Followed) -> Sequence[str | ForAll]:
    """The code, which needs no words; and each two ways on which waves end, where there are barriers."""
    return ("", *kernel.trace.meetings)


def decided(kernel: Followed, subject: str | ForAll) -> Answer:
    """That nothing has stopped it, and that two waves of a block come to as many barriers."""
    if isinstance(subject, ForAll):
        if subject.goal is TRUE:
            return shown(subject.label, "reading")
        return kernel.ask.decide(subject.label, subject.assuming(kernel.launched.given))
    if kernel.stopped is None:
        return shown(subject, "reading")
    if isinstance(kernel.stopped, budget.OutOfTimeError):
        return unseen(subject, Open(f"{LATE} {str(kernel.stopped) or 'while its accesses are put together'}"))
    return unseen(subject, Open.by(kernel.stopped), "reading")
