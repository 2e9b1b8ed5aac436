"""Each access lies in its tensor: its bytes in the memory, and those of a store in elements."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed
from layoutalg.launch.symbolic import LDS

NAME = "in_bounds"
SAYS = "the bytes of an access lie in its tensor"
FAULTS: frozenset[str] | None = frozenset({"address"})


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each access of a tensor."""
    for access in kernel.accesses:
        if access.memory != LDS:
            inside = kernel.launched.tensors[access.memory].inside(access.offset, access.width, access.store)
            yield kernel.decide(NAME, access, inside)
