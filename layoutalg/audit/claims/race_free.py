"""No two threads meet: in memory (`global_memory`), and in LDS (`lds`).

Where waves wait for what others store in memory, a race that would be refuted is open: what they wait for may order
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from layoutalg.audit.ask import Answer, Open, unseen
from layoutalg.audit.claims import aligned, ends, followed, in_bounds, lds_in_bounds
from layoutalg.audit.followed import Followed
from layoutalg.audit.global_memory.own_copies import OwnBox, OwnCopy
from layoutalg.audit.global_memory.own_rows import OwnRows
from layoutalg.audit.global_memory.races import UnitMeeting, meetings
from layoutalg.audit.lds.races import LdsMeeting
from layoutalg.prove import Refuted

NAME = "race_free"
SAYS = (
    "no two threads access one byte, one of them storing, with nothing between that orders them; a load of which "
    "nothing reaches a store or a branch is no access"
)
OF = "access that a store may meet"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME, in_bounds.NAME, lds_in_bounds.NAME, aligned.NAME)
FAULTS: frozenset[str] | None = frozenset({"race", "collision"})


def subjects(kernel: Followed) -> Iterator[UnitMeeting | OwnRows | OwnBox | OwnCopy | LdsMeeting]:
    """Those of each tensor that is stored to, and those of LDS, with what they may meet."""
    return chain(meetings(kernel.accesses, kernel.ask), kernel.lds_races.meetings())


def decided(kernel: Followed, meeting: UnitMeeting | OwnRows | OwnBox | OwnCopy | LdsMeeting) -> Answer:
    """That no two threads meet there."""
    answer = meeting.decided()
    waiting = kernel.ask.waiting() if isinstance(answer.verdict, Refuted) else None
    if waiting is None:
        return answer
    waits = f"the loop at {waiting:#x} waits for what another wave stores, which may order them"
    return unseen(answer.about, Open(f"perhaps: {answer.verdict.reason}; {waits}"), answer.verdict.strategy)
