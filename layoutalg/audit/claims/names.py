"""The claims on a launch by their names, and what each says exactly: for all sizes, blocks, waves, lanes, iterations.

>>> asked(("coalesced",)), sorted(ASKED)
(('coalesced',), ['bank_conflict_free', 'coalesced', 'stores_all'])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.errors import LaunchError
from layoutalg.formats.shape import nearest

#: What is claimed of every launch.
USUAL: Mapping[str, str] = {
    "launchable": "the target has the LDS, and the runtime starts as many threads and blocks",
    "followed": "every instruction is described and has one meaning; data are waited for before they are used; no LDS "
    "access is under way at a barrier, and all waves of a block meet there",
    "ends": "each loop leaves in the turn that its count says, and in none before",
    "in_bounds": "the bytes of an access lie in its tensor",
    "lds_in_bounds": "the bytes of an access lie in the LDS that the kernel and the launch ask for",
    "aligned": "an address is a multiple of its width, or of a dword; of an atomic operation's, of its width",
    "read_only": "no tensor is stored to that is not among `writes`",
    "defined": "what is stored, and each address, is made of what was given, loaded or computed, of nothing that "
    "nobody wrote",
    "race_free": "no two threads access one byte, one of them storing, with nothing between that orders them; a load "
    "of which nothing reaches a store or a branch is no access",
    "initialised": "what is read of LDS was stored there before",
    "no_overflow": "no address, and no index that becomes one, wraps",
    "computes": "the kernel stores what an equation of the launch says, to every element of its tensor",
    "runs": "only where one faults: a run did what no correct kernel does, and none of the claims above says so",
}  # fmt: skip

#: What is claimed where the launch file asks, under `claims`.
ASKED: Mapping[str, str] = {
    "bank_conflict_free": "each LDS instruction takes the fewest cycles that its width can take",
    "coalesced": "each access of global memory touches the fewest segments that can hold its bytes",
    "stores_all": "every element of each tensor of `writes` is stored to",
}


def asked(claims: Sequence[str]) -> tuple[str, ...]:
    """The claims that a launch asks for beyond the usual ones; LaunchError where one is none."""
    for name in claims:
        if name not in ASKED and name not in USUAL:
            raise LaunchError(f"{name!r} is no claim{nearest(name, (*ASKED, *USUAL))}; to ask for: {', '.join(ASKED)}")
    return tuple(dict.fromkeys(name for name in claims if name in ASKED))
