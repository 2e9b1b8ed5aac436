"""A buffer that lies over the others in LDS (`Shared.again`): these are done with before it is touched.

    copy and multiply tiles in a_lds, b_lds  │  store results to target_lds  │  read them           │ is a barrier
    bytes 0 …                                   bytes 0 …

Two accesses of one byte through two buffers are seen by no other obligation, which compare accesses of one buffer.  So
they must lie apart: no barrier interval has accesses of both, copies under way included (`lds.intervals`), and nothing
touches the others later.
"""

from __future__ import annotations

from layoutalg.kernel.obligations.lds import intervals
from layoutalg.kernel.program import Program, SharedAccess, walk
from layoutalg.layout import LayoutError


def again(program: Program) -> None:
    """LayoutError unless a buffer that lies over the others is alone in time."""
    over = [s for s in program.shared if s.again]
    if not over:
        return
    what = f"{program.name}: {over[0].name} lies over the other buffers"
    if len(over) > 1:
        raise LayoutError(f"{what}, and so does {over[1].name}; one may")
    begun = False
    for s in program.body:
        touched = {p.shared.again for p in walk((s,)) if isinstance(p, SharedAccess)}
        begun |= True in touched
        if begun and False in touched:
            raise LayoutError(f"{what}, and they are touched after it")
    for interval in intervals(program):
        if len({one.access.shared.again for one in interval.accesses}) > 1:
            raise LayoutError(f"{what}, and there is no barrier between their accesses and its own")


__all__ = ["again"]
