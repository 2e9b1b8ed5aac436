"""Every element of each tensor of `writes` is stored to (`meaning.coverage`)."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.ask import Answer, Open, shown, unseen
from layoutalg.audit.claims.safety import SAFETY
from layoutalg.audit.followed import Followed

NAME = "stores_all"
SAYS = "every element of each tensor of `writes` is stored to"
OF = "tensor that is written"
RESTS_ON: tuple[str, ...] = tuple(one.NAME for one in SAFETY)
FAULTS: frozenset[str] | None = None


def subjects(kernel: Followed) -> Sequence[str]:
    """Each such tensor."""
    launch = kernel.case.launch
    return [name for name in launch.writes if name not in launch.pointees]


def decided(kernel: Followed, tensor: str) -> Answer:
    """That the stores to it reach every element."""
    assumed = kernel.computed.covered(tensor)
    return unseen(tensor, assumed, "coverage") if isinstance(assumed, Open) else shown(tensor, "coverage", assumed)
