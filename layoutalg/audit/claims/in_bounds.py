"""Each access lies in its tensor: its bytes in the memory, and those of a store in elements."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer
from layoutalg.audit.claims import ends, followed
from layoutalg.audit.followed import Followed

NAME = "in_bounds"
SAYS = "the bytes of an access lie in its tensor"
OF = "access of a tensor"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME)
FAULTS: frozenset[str] | None = frozenset({"address"})


def subjects(kernel: Followed) -> Sequence[TracedAccess]:
    """Each access of a tensor."""
    return kernel.of_tensors


def decided(kernel: Followed, access: TracedAccess) -> Answer:
    """That all of its bytes are inside."""
    tensor = kernel.launched.tensors[access.memory]
    return kernel.decide(NAME, access, tensor.inside(access.own_offset, access.width, access.store))
