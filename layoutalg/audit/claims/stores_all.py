"""Every element of each tensor of `writes` is stored to (`meaning.coverage`)."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding, Open, found
from layoutalg.audit.followed import Followed

NAME = "stores_all"
SAYS = "every element of each tensor of `writes` is stored to"
FAULTS: frozenset[str] | None = None


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each tensor that is written."""
    for tensor in kernel.case.launch.writes:
        why = kernel.computed.unstored(tensor)
        yield found(NAME, tensor, Open(why) if why else None, "coverage")
