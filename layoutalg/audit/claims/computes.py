"""Each equation of the launch: the kernel stores what it says, to every element of its tensor (`meaning.computed`)."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.ask import Answer, Open, shown, unseen
from layoutalg.audit.claims.safety import SAFETY
from layoutalg.audit.followed import Followed
from layoutalg.audit.meaning.sums.compared import ROUNDING
from layoutalg.formats.equation import Equation
from layoutalg.symex.values.uninterpreted import ASSUMPTION

NAME = "computes"
SAYS = "the kernel stores what an equation of the launch says, to every element of its tensor"
OF = "equation"
RESTS_ON: tuple[str, ...] = tuple(one.NAME for one in SAFETY)
FAULTS: frozenset[str] | None = None


def subjects(kernel: Followed) -> Sequence[Equation]:
    """Each equation."""
    return kernel.case.launch.computes


def decided(kernel: Followed, equation: Equation) -> Answer:
    """That it follows where the other claims hold."""
    assumed = kernel.computed.compared(equation)
    if isinstance(assumed, Open):
        return unseen(equation.text, assumed, "terms")
    over_reals = any(one.startswith(ROUNDING) for one in assumed)
    return shown(equation.text, "terms over the reals" if over_reals else "terms", (ASSUMPTION, *assumed))
