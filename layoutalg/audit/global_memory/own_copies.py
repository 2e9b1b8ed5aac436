"""A thread's copies from LDS beside what else it does in their tensor: in no order with that, but behind a wait.

| a copy, and | are in order |
|---|---|
| what stands behind it in the code, where no copy by its instruction is under way on any path | yes |
| what stands before it, or with it in a loop, itself in another turn | no: they must be of no common byte |

CDNA 5 ISA, 10.8: copies from LDS are reported done in order, of what they write nothing is said, nor of other accesses.
What it cannot represent: that an access before a copy is done by a wait of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from layoutalg.audit.ask import Answer, Ask, shown
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
        """Whether they are of no common byte."""
        copy, other, here = self.copy, self.other, self.tensor.here
        there = others(own_coordinates(other.offset, other.guard, alike={*here, *self.tensor.sizes}))
        if copy is other and not there:
            return shown(str(self), "once in a thread")
        offset, guard = moved(other.offset, there), moved(other.guard, there)
        apart = any_of(copy.offset + copy.access.width <= offset, offset + other.access.width <= copy.offset)
        goal = any_of(same(tuple(there), there), apart) if copy is other else apart
        given = all_of(self.tensor.launched.given, copy.guard, guard)
        told = (Shown("block and thread", here), Shown("and iteration", tuple(there.values())))
        return self.ask.decide(str(self), ForAll("no copy from LDS meets what its thread does", goal, given, told))


def own_copies(tensor: TensorUnits, ask: Ask) -> Iterator[OwnCopy]:
    """Each copy from LDS beside each access of its thread that is in no order with it."""
    for n, copy in enumerate(tensor.accesses):
        if copy.access.goes_back:
            for m, other in enumerate(tensor.accesses):
                twice = other.access.goes_back and m < n  # asked from the other's side
                if not twice and not (n < m and _waited_for(copy, other)):
                    yield OwnCopy(tensor, ask, copy, other)


def _waited_for(copy: UnitAccess, other: UnitAccess) -> bool:
    """Whether a copy is done before an access behind it in the code."""
    shared = set(copy.access.loops) & set(other.access.loops)
    return not shared and copy.access.instruction.address not in other.access.late_copies
