"""LDS of one block: what is found of its races and of reads of what nobody stored.

A claim is shown by tables of all threads (`tables`, `races`, `initialised`); a finding that they leave open is asked of
the prover.  What it cannot represent: LDS that several blocks share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.audit.lds.initialised import Initialised
from layoutalg.audit.lds.races import LdsRaces
from layoutalg.audit.lds.tables import LdsFinding, LdsRow
from layoutalg.launch.symbolic import LDS, KernelLaunch


def lds_findings(found: Sequence[TracedAccess], launched: KernelLaunch) -> Iterator[LdsFinding]:
    """Of each access of LDS: whether it races, and whether what it reads was stored before."""
    block, here = BlockThreads(launched), [one for one in found if one.memory == LDS]
    rows = [LdsRow.of(block, one) for one in here]
    races = LdsRaces(block, here, rows)
    yield from races.findings()
    yield from Initialised(block, here, rows, races.size).findings()
