"""A thread's copies from LDS beside what else it does in their tensor: in no order with that, but behind a wait.

| a copy, and | are in order where |
|---|---|
| what may come behind it | no copy by its instruction is under way there, on any path |
| another copy that may come before it | the same, the other way round |
| anything else that may come before it | never: they must be of no common byte |

What stands in one loop with a copy, and itself in another turn, may come before and behind.
CDNA 5 ISA, 10.8: copies from LDS are reported done in order, of what they write nothing is said, nor of other accesses.
What it cannot represent: that an access before a copy is done by a wait of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Answer, Ask
from layoutalg.audit.global_memory.units import TensorUnits, UnitAccess
from layoutalg.index import all_of, any_of
from layoutalg.index.primed import same
from layoutalg.prove import ForAll, Shown
from layoutalg.symex.values.instances import moved, others, own_coordinates


@dataclass(frozen=True)
class OwnCopy:
    """A thread's copy from LDS, and another access of its own, or the same in another turn, that no wait orders."""

    tensor: TensorUnits
    ask: Ask
    copy: UnitAccess
    other: UnitAccess

    def __str__(self) -> str:
        beside = self.other.access.instruction
        return f"{self.copy.access}; its own thread's {beside.address:#x} {beside.name.lower()}"

    def decided(self) -> Answer:
        """Whether they are of no common byte, of one copy in different turns."""
        copy, other, here = self.copy.access, self.other.access, self.tensor.here
        own = own_coordinates(other.offset, other.guard, alike={*here, *self.tensor.sizes})
        there = others(tuple(dict.fromkeys((*other.loops, *own))))
        offset, guard = moved(other.offset, there), moved(other.guard, there)
        apart = any_of(copy.offset + copy.width <= offset, offset + other.width <= copy.offset)
        goal = any_of(same(copy.loops, there), apart) if copy is other else apart
        given = all_of(self.tensor.launched.given, copy.guard, guard)
        told = (Shown("block and thread", here), Shown("and iteration", tuple(there.values())))
        return self.ask.decide(str(self), ForAll("no copy from LDS meets what its thread does", goal, given, told))


def own_copies(tensor: TensorUnits, ask: Ask) -> Iterator[OwnCopy]:
    """Each copy from LDS beside each access of its thread that is in no order with it."""
    for n, copy in enumerate(tensor.accesses):
        for m, other in enumerate(tensor.accesses) if copy.access.goes_back else ():
            asked = other.access.goes_back and m < n  # from the other's side
            shared = not set(copy.access.loops).isdisjoint(other.access.loops)
            behind, before = n < m or shared, m < n or shared
            if not asked and not _in_order(copy.access, other.access, behind=behind, before=before):
                yield OwnCopy(tensor, ask, copy, other)


def _in_order(copy: TracedAccess, other: TracedAccess, *, behind: bool, before: bool) -> bool:
    """Whether waits order a copy and an access that may come behind it, or before it."""
    if behind and copy.instruction.address in other.late_copies:
        return False
    return not before or (other.goes_back and other.instruction.address not in copy.late_copies)
