"""No two threads meet: in memory (`global_memory`), and in LDS (`lds`).

Where waves wait for what others store in memory, a race that would be refuted is open: what they wait for may order
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from layoutalg.audit.ask import WHOLE, Ask, Finding, Open, found
from layoutalg.audit.followed import Followed
from layoutalg.audit.global_memory.races import Meeting, meetings
from layoutalg.audit.lds.races import LdsRaces
from layoutalg.prove import Proved, Refuted

NAME = "race_free"
SAYS = (
    "no two threads access one byte, one of them storing, with nothing between that orders them; a load of which "
    "nothing reaches a store or a branch is no access"
)
FAULTS: frozenset[str] | None = frozenset({"race", "collision"})

#: How many open parts of a question say that it is open.
MOST_OPEN = 4


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of the accesses of each tensor that is stored to, then of those of LDS."""
    ask, waiting = kernel.ask, kernel.ask.waiting()
    memory = (_decided(ask, one) for one in meetings(kernel.accesses, kernel.launched, ask.distinct))
    for one in chain(memory, LdsRaces(kernel.lds).findings(ask)):
        if waiting is not None and isinstance(one.verdict, Refuted):
            waits = f"the loop at {waiting:#x} waits for what another wave stores, which may order them"
            yield found(NAME, one.about, Open(f"perhaps: {one.verdict.reason}; {waits}"), one.verdict.strategy)
        else:
            yield one


def _decided(ask: Ask, meeting: Meeting) -> Finding:
    """Whether two threads never meet; by the parts of the question where the whole is not shown."""
    if meeting.instead is None:
        return ask.decide(NAME, meeting.about, meeting.obligation)
    whole = ask.decide(NAME, meeting.about, meeting.obligation, WHOLE)
    if isinstance(whole.verdict, Proved):
        return whole
    left: list[Finding] = []
    for part in (_decided(ask, one) for one in meeting.instead()):
        if isinstance(part.verdict, Refuted):
            return part
        left += [] if isinstance(part.verdict, Proved) else [part]
        if len(left) == MOST_OPEN:
            break
    return left[0] if left else found(NAME, meeting.about, None, "two by two")
