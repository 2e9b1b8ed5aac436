"""The claims on a launch, in the order in which they are decided: for all sizes, blocks, waves, lanes, iterations.

>>> asked_for(("coalesced",)), sorted(ASKED)
(('coalesced',), ['bank_conflict_free', 'coalesced', 'stores_all'])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from layoutalg.audit.ask import Finding
from layoutalg.audit.claims import (
    aligned,
    bank_conflict_free,
    coalesced,
    computes,
    defined,
    ends,
    followed,
    in_bounds,
    initialised,
    launchable,
    lds_in_bounds,
    no_overflow,
    race_free,
    read_only,
    stores_all,
)
from layoutalg.audit.followed import Followed
from layoutalg.errors import LaunchError
from layoutalg.formats.shape import nearest


class KernelClaim(Protocol):
    """A claim: a module of this room.

    `FAULTS` are the kinds of faults of a run that show that it fails; None where a run shows nothing of it.
    """

    NAME: str
    SAYS: str
    FAULTS: frozenset[str] | None

    def decided(self, kernel: Followed) -> Iterator[Finding]:
        """What was found of it."""


#: Of every kernel that was followed.
EACH: Sequence[KernelClaim] = (
    followed, ends, in_bounds, lds_in_bounds, aligned, no_overflow, read_only, defined, race_free, initialised,
)  # fmt: skip

#: Where the launch file asks, under `claims`.
ON_REQUEST: Sequence[KernelClaim] = (bank_conflict_free, coalesced, stores_all)

#: The kinds of faults that each claim speaks of, by its name.
FAULTS: Mapping[str, frozenset[str] | None] = {
    launchable.NAME: launchable.FAULTS,
    **{one.NAME: one.FAULTS for one in (*EACH, *ON_REQUEST, computes)},
}

#: What is claimed of every launch, in words.
USUAL: Mapping[str, str] = {
    launchable.NAME: launchable.SAYS,
    **{one.NAME: one.SAYS for one in (*EACH, computes)},
    "runs": "only where one faults: a run did what no correct kernel does, and none of the claims above says so",
}

#: What is claimed where the launch file asks, in words.
ASKED: Mapping[str, str] = {one.NAME: one.SAYS for one in ON_REQUEST}


def asked_for(claims: Sequence[str]) -> tuple[str, ...]:
    """The claims that a launch asks for beyond the usual ones; LaunchError where one is none."""
    for name in claims:
        if name not in ASKED and name not in USUAL:
            raise LaunchError(f"{name!r} is no claim{nearest(name, (*ASKED, *USUAL))}; to ask for: {', '.join(ASKED)}")
    return tuple(dict.fromkeys(name for name in claims if name in ASKED))
