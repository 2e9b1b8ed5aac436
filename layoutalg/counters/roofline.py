"""How long a launch's counts take on a card by each limit alone: an estimate, which knows neither latency nor caches.

| limit | time |
|---|---|
| memory | bytes that lanes ask for, at the card's bandwidth; no lower bound, since caches keep some |
| matrix | cycles of matrix products, spread over all SIMDs |
| LDS | cycles of LDS, spread over all units |
| issue | vector and memory instructions of all waves, as many a cycle as units begin; RDNA's counters overlap: none |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.counters.count import CounterFigure
from layoutalg.counters.definitions import MOPS, lds_counters
from layoutalg.records import dataclass
from layoutalg.target import Card, Target

_ISSUED = ("SQ_INSTS_VALU", "SQ_INSTS_LDS", "SQ_INSTS_VMEM_RD", "SQ_INSTS_VMEM_WR")


@dataclass(frozen=True)
class Roofline:
    """Microseconds by each limit whose counts are known, and operations of matrix products for each byte."""

    card: Card
    microseconds: Mapping[str, float | None]
    intensity: float | None

    @property
    def bound(self) -> str:
        """The limit that is the greatest; empty where one is not known, which may be greater."""
        known = {name: time for name, time in self.microseconds.items() if time is not None}
        return max(known, key=lambda name: known[name]) if len(known) == len(self.microseconds) else ""


def roofline(target: Target, found: Sequence[CounterFigure]) -> Roofline | None:
    """The estimate for the target's first card; None where nobody describes one."""
    if not target.cards or target.unit is None:
        return None
    card, most = target.cards[0], {one.name: one.most for one in found}
    cycles = card.units * card.clock  # of all units in a microsecond
    moved = _sum(most, "bytes read", "bytes written")
    busy = _sum(most, "SQ_VALU_MFMA_BUSY_CYCLES") if "SQ_VALU_MFMA_BUSY_CYCLES" in most else 0
    _, (used, _, _) = lds_counters(target.name)
    limits = {
        "memory": _over(moved, card.bandwidth * 1e3),
        "matrix": _over(busy, cycles * target.unit.simds),
        "LDS": _over(_sum(most, used), cycles),
        "issue": _over(_sum(most, *_ISSUED), cycles * card.issue),
    }
    operations = _sum(most, *(name for name in most if "_MOPS_" in name))
    return Roofline(card, limits, MOPS * operations / moved if moved and operations else None)


def _sum(most: Mapping[str, int | None], *names: str) -> int | None:
    """Their sum; None where one is not known."""
    found = [number for name in names if (number := most.get(name)) is not None]
    return sum(found) if len(found) == len(names) else None


def _over(number: int | None, rate: float) -> float | None:
    return None if number is None else number / rate
