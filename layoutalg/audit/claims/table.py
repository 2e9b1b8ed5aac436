"""The claims on a launch, in the order in which they are decided: for all sizes, blocks, waves, lanes, iterations.

>>> asked_for(("coalesced",)), sorted(on_request())
(('coalesced',), ['bank_conflict_free', 'coalesced', 'stores_all'])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from layoutalg.audit.claims.claim import KernelClaim
from layoutalg.errors import LaunchError
from layoutalg.formats.shape import nearest

#: Of every kernel, whether it can be followed or not.
FIRST: Sequence[KernelClaim] = (launchable, followed)

#: Of every kernel that was followed.
EACH: Sequence[KernelClaim] = (
    ends, in_bounds, lds_in_bounds, aligned, no_overflow, read_only, defined, race_free, initialised,
)  # fmt: skip

#: Where the launch file asks, under `claims`.
ON_REQUEST: Sequence[KernelClaim] = (bank_conflict_free, coalesced, stores_all)

#: Of what comes out, which is claimed of kernels that cannot be followed too, and proved where all that is not is.
OUTCOMES: Sequence[KernelClaim] = (stores_all, computes)

#: What is found where runs fault, and no claim speaks of it; in words.
RUNS = "runs"
RUNS_SAYS = "only where one faults: a run did what no correct kernel does, and none of the claims above says so"


def rows() -> Sequence[KernelClaim]:
    """All claims that there are."""
    return (*FIRST, *EACH, *ON_REQUEST, computes)


def claimed(asked: Sequence[str]) -> Sequence[KernelClaim]:
    """Those of a launch that asks for some."""
    return [one for one in rows() if one not in ON_REQUEST or one.NAME in asked]


def named(name: str) -> KernelClaim:
    """The claim of a name."""
    return next(one for one in rows() if name == one.NAME)


def usual() -> Mapping[str, str]:
    """What is claimed of every launch, in words."""
    return {one.NAME: one.SAYS for one in claimed(())} | {RUNS: RUNS_SAYS}


def on_request() -> Mapping[str, str]:
    """What is claimed where the launch file asks, in words."""
    return {one.NAME: one.SAYS for one in ON_REQUEST}


def asked_for(claims: Sequence[str]) -> tuple[str, ...]:
    """The claims that a launch asks for beyond the usual ones; LaunchError where one is none."""
    ours, more = usual(), on_request()
    for name in claims:
        if name not in more and name not in ours:
            raise LaunchError(f"{name!r} is no claim{nearest(name, (*more, *ours))}; to ask for: {', '.join(more)}")
    return tuple(dict.fromkeys(name for name in claims if name in more))
