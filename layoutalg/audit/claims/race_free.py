"""No two threads meet: in memory (`global_memory`), and in LDS (`lds`).

Where waves wait for what others store in memory, a race that would be refuted is open: what they wait for may order
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from layoutalg.audit.ask import Finding, Open, found
from layoutalg.audit.followed import Followed
from layoutalg.audit.global_memory.races import races
from layoutalg.audit.lds.races import LdsRaces
from layoutalg.prove import Refuted

NAME = "race_free"
SAYS = (
    "no two threads access one byte, one of them storing, with nothing between that orders them; a load of which "
    "nothing reaches a store or a branch is no access"
)
FAULTS: frozenset[str] | None = frozenset({"race", "collision"})


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of the accesses of each tensor that is stored to, then of those of LDS."""
    ask, waiting = kernel.ask, kernel.ask.waiting()
    for one in chain(races(kernel.accesses, ask), LdsRaces(kernel.lds).findings(ask)):
        if waiting is not None and isinstance(one.verdict, Refuted):
            waits = f"the loop at {waiting:#x} waits for what another wave stores, which may order them"
            yield found(NAME, one.about, Open(f"perhaps: {one.verdict.reason}; {waits}"), one.verdict.strategy)
        else:
            yield one
