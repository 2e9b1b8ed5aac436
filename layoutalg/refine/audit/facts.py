"""What memory accesses cost a wave, thread by thread: LDS cycles and segments of global memory, beside the least.

An address is a part that all lanes have alike and a part that depends on the lane; the second is enumerated.

| fact | counts | the part that is alike |
|---|---|---|
| `bank_conflict_free` | cycles of the phases (`memory.banks`); least: one each | turns the banks: no matter |
| `coalesced` | segments touched (`memory.coalescing`); least: what holds the bytes | any place its factors leave |

Lanes that the thread alone switches off take no part; what else a guard says is taken as holding.  Tensors are taken
to begin at a segment (HIP allocates at multiples of 256 bytes).
What it cannot represent: lanes that lie apart by sizes, or by what was loaded; these costs are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from layoutalg.index import FALSE, TRUE, Expr, all_of, array, conjuncts, simplify
from layoutalg.index.normal import normal
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.semantics.accesses import ACCESSES, access_of
from layoutalg.memory.coalescing import fewest, segments
from layoutalg.prove import Proved, Refuted, Unknown, Verdict, Witness
from layoutalg.refine.audit.accesses import LDS, TracedAccess
from layoutalg.refine.audit.intervals import own_variables
from layoutalg.refine.audit.launched import KernelLaunch
from layoutalg.refine.audit.tables import BlockThreads, Ints
from layoutalg.refine.values.instances import moved
from layoutalg.refine.values.unknowns import kind_of
from layoutalg.target import target

BANKS, COALESCED = "bank_conflict_free", "coalesced"


@dataclass(frozen=True)
class Fact:
    """What an access costs all waves of a block, at best and at worst, beside the least that could do."""

    claim: str
    about: str
    unit: str
    best: int = 0
    worst: int = 0
    least: int = 0
    why: str = ""  # it is not known
    doubts: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The claim that the access costs the least."""
        if self.why:
            return Unknown(self.claim, "table", 0.0, (), self.why)
        if self.worst == self.least:
            return Proved(self.claim, "table", 0.0, self.doubts)
        if self.best == self.least:
            return Unknown(self.claim, "table", 0.0, (), str(self))
        return Refuted(self.claim, "table", 0.0, self.doubts, Witness((), str(self)))

    def __str__(self) -> str:
        if self.why:
            return f"{self.about}: not known: {self.why}"
        cost = f"{self.best}" if self.best == self.worst else f"{self.best} to {self.worst}"
        return f"{self.about}: {cost} {self.unit} of all waves of a block, the least are {self.least}"


def facts(found: Sequence[TracedAccess], launched: KernelLaunch) -> Iterator[Fact]:
    """The cost of each access, as far as it depends on the lane alone; each once."""
    block = BlockThreads(launched)
    yield from dict.fromkeys(_fact(block, access) for access in found)


def _fact(block: BlockThreads, access: TracedAccess) -> Fact:
    claim, about = BANKS if access.memory == LDS else COALESCED, str(access)
    unit = "cycles" if claim == BANKS else "segments"
    how = access_of(access.instruction.name, access.instruction.fields)
    if claim == BANKS and (how.transposed or how.to_lds):
        what = "loads that transpose" if how.transposed else "loads to LDS"
        return Fact(claim, about, unit, why=f"no source says what {what} cost in LDS")
    alike = simplify(moved(access.offset, dict.fromkeys(block.threads, FALSE)))
    lanes = simplify(access.offset - alike)
    if not own_variables(lanes) <= set(block.threads):
        return Fact(claim, about, unit, why=f"its lanes lie {lanes} bytes apart")
    if any(kind_of(v) is not None for v in own_variables(alike)):
        return Fact(claim, about, unit, why="what was loaded says where its lanes are")
    known = all_of(TRUE, *(part for part in conjuncts(access.guard) if own_variables(part) <= set(block.threads)))
    apart, active = _waves(block, lanes), _waves(block, known).astype(np.bool_)
    if not active.any():
        return Fact(claim, about, unit)
    return _cycles(block, access, apart, active) if claim == BANKS else _segments(block, access, apart, active, alike)


def _waves(block: BlockThreads, e: Expr) -> Ints:
    """A value for each lane of each wave; 0 of lanes beyond the block."""
    values = np.zeros(-(-block.count // block.wave_size) * block.wave_size, np.int64)
    values[: block.count] = np.broadcast_to(array([e], block.indices)[0], (block.count,))
    return values.reshape(-1, block.wave_size)


def _cycles(block: BlockThreads, access: TracedAccess, apart: Ints, active: NDArray[np.bool_]) -> Fact:
    about, meter = str(access), LdsMeter(block.launched.kernel.target)
    lowest = np.where(active, apart, apart[active].min()).min()
    meter.count(about, ACCESSES[access.instruction.name], np.where(active, apart - lowest, 0), active)
    (one,) = meter.found.values()
    doubts = tuple(one.doubts)
    return Fact(BANKS, about, "cycles", one.cycles, one.cycles, one.least, one.unpriced, doubts)


def _segments(block: BlockThreads, access: TracedAccess, apart: Ints, active: NDArray[np.bool_], alike: Expr) -> Fact:
    """The cost in the smallest and in the largest segments, in the worse of them, wherever the wave may begin."""
    gpu, found = target(block.launched.kernel.target), []
    terms = dict(normal(alike).terms)
    first = terms.pop((), 0)
    lowest = int(apart[active].min())
    for segment in gpu.segments:
        step = gcd(segment, *terms.values())
        least = int(fewest(apart - lowest, access.width, segment, active).sum())
        begins = range((first + lowest) % step, segment, step)
        costs = [int(segments(apart - lowest + at, access.width, segment, active).sum()) for at in begins]
        found.append((max(costs) / max(least, 1), segment, min(costs), max(costs), least))
    _, segment, best, worst, least = max(found)
    doubts = (gpu.evidence["segments"].doubt,) if gpu.evidence["segments"].doubt else ()
    return Fact(COALESCED, str(access), f"segments of {segment} bytes", best, worst, least, doubts=doubts)
