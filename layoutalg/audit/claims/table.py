"""The claims on a launch, in the order in which they are decided: for all sizes, blocks, waves, lanes, iterations.

>>> asked_for(("coalesced",)), sorted(on_request())
(('coalesced',), ['bank_conflict_free', 'coalesced', 'stores_all'])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.audit.claims import bank_conflict_free, coalesced, computes, stores_all
from layoutalg.audit.claims.claim import KernelClaim
from layoutalg.audit.claims.safety import SAFETY
from layoutalg.errors import LaunchError
from layoutalg.formats.shape import nearest

#: Where the launch file asks, under `claims`.
ON_REQUEST: Sequence[KernelClaim] = (bank_conflict_free, coalesced, stores_all)

#: Of what comes out: claimed of kernels that cannot be followed, too, and proved only where all is that it rests on.
OUTCOMES: Sequence[KernelClaim] = (stores_all, computes)

#: What is found where runs fault, and no claim speaks of it; in words.
RUNS = "runs"
RUNS_SAYS = "only where one faults: a run did what no correct kernel does, and none of the claims above says so"


def rows() -> Sequence[KernelClaim]:
    """All claims that there are."""
    return (*SAFETY, *ON_REQUEST, computes)


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
