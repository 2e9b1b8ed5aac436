"""No tensor is stored to that the launch does not name under `writes`."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import Followed
from layoutalg.index import FALSE
from layoutalg.launch.symbolic import LDS

NAME = "read_only"
SAYS = "no tensor is stored to that is not among `writes`"
FAULTS: frozenset[str] | None = frozenset({"read_only", "address"})


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each store to such a tensor, that it never happens."""
    for access in kernel.accesses:
        if access.store and access.memory != LDS and not kernel.launched.tensors[access.memory].written:
            yield kernel.decide(NAME, access, FALSE)
