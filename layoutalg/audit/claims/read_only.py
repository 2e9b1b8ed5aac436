"""No tensor is stored to that the launch does not name under `writes`."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer, shown
from layoutalg.audit.claims import ends, followed
from layoutalg.audit.followed import Followed
from layoutalg.index import FALSE

NAME = "read_only"
SAYS = "no tensor is stored to that is not among `writes`"
OF = "store to a tensor"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME)
FAULTS: frozenset[str] | None = frozenset({"read_only", "address"})


def subjects(kernel: Followed) -> Sequence[TracedAccess]:
    """Each store to a tensor."""
    return [one for one in kernel.of_tensors if one.store]


def decided(kernel: Followed, access: TracedAccess) -> Answer:
    """That the launch names its tensor, or it never happens."""
    if kernel.launched.tensors[access.memory].written:
        return shown(str(access), "launch")
    return kernel.decide(NAME, access, FALSE)
