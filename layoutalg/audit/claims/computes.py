"""Each equation of the launch: the kernel stores what it says, to every element of its tensor (`meaning.computed`)."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding, Open, found
from layoutalg.audit.followed import Followed
from layoutalg.prove import Proved
from layoutalg.symex.values.uninterpreted import ASSUMPTION

NAME = "computes"
SAYS = "the kernel stores what an equation of the launch says, to every element of its tensor"
FAULTS: frozenset[str] | None = None


def decided(kernel: Followed) -> Iterator[Finding]:
    """Of each equation, as far as it follows where the other claims hold."""
    for equation, shown in kernel.computed.compared() if kernel.case.launch.computes else ():
        if isinstance(shown, Open):
            yield found(NAME, equation.text, shown, "terms")
        else:
            yield Finding(NAME, equation.text, Proved(NAME, "terms", 0.0, (ASSUMPTION, *shown)))
