"""Each loop leaves in the iteration that its count says, and in none before; or when another wave has stored.

Of a loop that waits it is shown that what it waits for is stored (`audit.global_memory.flags`).
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import followed
from layoutalg.audit.followed import Followed
from layoutalg.index import Expr, all_of
from layoutalg.prove import ForAll

NAME = "ends"
SAYS = "each loop leaves in the turn that its count says, and in none before; what others wait for is stored"
OF = "loop"
RESTS_ON: tuple[str, ...] = (followed.NAME,)
FAULTS: frozenset[str] | None = frozenset({"livelock"})


def subjects(kernel: Followed) -> Sequence[ForAll | Expr]:
    """What following has left to be shown of each loop; and the loops that wait, each by its variable."""
    loops = kernel.trace.loops
    return (*loops.claims, *(t for t in loops.waits if t in loops.exits))


def decided(kernel: Followed, left: ForAll | Expr) -> Answer:
    """That it is so at the launch."""
    if isinstance(left, Expr):
        return kernel.flags.served(left)
    return kernel.ask.decide(left.label, left.assuming(all_of(kernel.launched.given, kernel.launched.exists)))
