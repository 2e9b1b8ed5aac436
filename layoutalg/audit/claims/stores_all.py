"""Every element of each tensor of `writes` is stored to (`meaning.coverage`)."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding, found
from layoutalg.audit.followed import Followed

NAME = "stores_all"
SAYS = "every element of each tensor of `writes` is stored to"
FAULTS: frozenset[str] | None = None


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each tensor that is written."""
    for tensor in kernel.case.launch.writes:
        yield found(NAME, tensor, kernel.computed.unstored(tensor), "coverage")
