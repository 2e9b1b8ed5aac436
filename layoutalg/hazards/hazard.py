"""A hazard that was found in a kernel: of which kind, where, between which two instructions, and what is missing.

| field | is |
|---|---|
| `kind` | the rule: `wait`, `undefined`, … (`analyses.ANALYSES` has them all) |
| `consumer` | the instruction at which it shows |
| `producer` | the one that it has to do with, where there is one: the load that is under way |
| `missing` | what would make it right: `s_waitcnt vmcnt(2)` |
| `condition` | empty: whenever the producer is carried out (or the consumer, where there is none), it happens |
| `states` | of two instructions that are too near: the wait states that are missing |
| `also` | other instructions at which the same shows, each with what is missing there |
| `undecided` | whether it is not known that any wave takes a way on which it happens: then it is told as not analysed |

A finding with a condition is *possible*: it says which branches have to go which way, or what else has to hold.
"""

from __future__ import annotations

from layoutalg.records import dataclass


@dataclass(frozen=True)
class Hazard:
    """One hazard."""

    kind: str
    consumer: int  # an address, as is the producer
    what: str
    missing: str = ""
    producer: int | None = None
    condition: str = ""
    undecided: bool = False
    states: int = 0
    also: tuple[tuple[int, str], ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether it happens on whatever way control goes on from the producer."""
        return not self.condition
