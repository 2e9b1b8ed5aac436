"""What `followed` rests on in time, as these rest on it: the claims that keep alike what all waves of a block load.

Each claim says of every moment what follows if all held up to there, and so all are proved together: the first moment
at which one failed would be in the trace.  But where what was loaded decides to how many barriers a wave comes, and one
of these claims is not proved, `followed` says nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from layoutalg.audit.ask import Open, unseen
from layoutalg.audit.claims import aligned, ends, followed, in_bounds, lds_in_bounds, race_free, read_only
from layoutalg.audit.claims.claim import Finding
from layoutalg.audit.followed import Followed
from layoutalg.index import ZERO
from layoutalg.launch.symbolic import LDS
from layoutalg.symex.values.unknowns import owner_of

#: What keeps LDS alike, and what tensors that are only read.
OF_LDS: Sequence[str] = (ends.NAME, lds_in_bounds.NAME, aligned.NAME, race_free.NAME)
OF_TENSORS: Sequence[str] = (ends.NAME, in_bounds.NAME, read_only.NAME)


def rests(kernel: Followed) -> Iterator[str]:
    """The claims that `followed` rests on in time, by their names."""
    trace, threads = kernel.trace, kernel.launched.threads
    barriers = [end.barriers for end in trace.loops.ends]
    if all(one is ZERO for one in barriers):
        return
    conditions = (*(end.condition for end in trace.loops.ends), *(leaves for _, leaves in trace.loops.exits.values()))
    decides = trace.loops.made_of(*barriers, *conditions, *trace.loops.counts.values())
    alike = {trace.loaded[v] for v in decides if v in trace.loaded and not {*owner_of(v)}.intersection(threads)}
    for buffer in sorted(alike):
        yield from OF_LDS if buffer == LDS else OF_TENSORS


def told(kernel: Followed, decided: Mapping[str, tuple[Finding, ...] | None]) -> tuple[Finding, ...]:
    """What was found of `followed`: open where a claim is that it rests on."""
    found = decided[followed.NAME] or ()
    names = [*dict.fromkeys(rests(kernel))]
    unproved = next((one for name in names for one in decided[name] or () if not one.verdict), None)
    if unproved is None:
        return found
    left = Open(f"what waves load alike rests on {unproved.claim}: {unproved.about}, which is not proved")
    return tuple(Finding(one.claim, *unseen(one.about, left)) if one.verdict else one for one in found)
