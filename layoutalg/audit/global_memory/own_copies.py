"""A thread's copies from LDS beside what else it does in their tensor: in no order with that, but behind a wait.

| a copy, and | are in order where |
|---|---|
| what may come behind it | no copy by its instruction is under way there, on any path |
| another copy that may come before it | the same, the other way round |
| anything else that may come before it | never: they must be of no common byte |
| an element of a box, and another of it | never, likewise: no source says which is first |

What stands in one loop with a copy, and itself in another turn, may come before and behind.
CDNA 5 ISA, 10.8: copies from LDS are reported done in order, of what they write nothing is said, nor of other accesses.
What it cannot represent: that an access before a copy is done by a wait of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import WHOLE, Answer, Ask, shown
from layoutalg.audit.global_memory.units import TensorUnits, UnitAccess
from layoutalg.audit.global_memory.unrolled import Part, rolled
from layoutalg.index import Expr, all_of, any_of, lt
from layoutalg.index.conditions import excludes
from layoutalg.index.primed import same
from layoutalg.isa.semantics.tensor import TENSOR_STORES
from layoutalg.prove import ForAll, Proved, Shown
from layoutalg.records import dataclass
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
        if set(copy.loops).isdisjoint(other.loops) and excludes(copy.guard, other.guard):
            return shown(str(self), "guards")
        own = own_coordinates(other.offset, other.guard, alike={*here, *self.tensor.sizes})
        there = others(tuple(dict.fromkeys((*other.loops, *own))))
        offset, guard = moved(other.offset, there), moved(other.guard, there)
        apart = _apart(copy, offset, other.width)
        goal = any_of(same(copy.loops, there), apart) if copy is other else apart
        given = all_of(self.tensor.launched.given, copy.guard, guard)
        told = (Shown("block and thread", here), Shown("and iteration", tuple(there.values())))
        return self.ask.decide(str(self), ForAll("no copy from LDS meets what its thread does", goal, given, told))


@dataclass(frozen=True)
class OwnBox:
    """What a thread is given of a box that is stored: elements of which none is in order with another."""

    tensor: TensorUnits
    ask: Ask
    elements: Sequence[TracedAccess]

    def __str__(self) -> str:
        return f"{self.elements[0]}; element by element"

    def decided(self) -> Answer:
        """Whether no two are of a common byte: they differ by whole elements, so that they differ is enough."""
        given, here = self.tensor.launched.given, Shown("block and thread", self.tensor.here)
        groups = [*rolled([Part(one.offset, one.guard) for one in self.elements], self.tensor.sizes)]
        if len(groups) == 1:
            (rolled_up,) = groups
            there = others(rolled_up.indices)
            offset, guard = moved(rolled_up.offset, there), moved(rolled_up.guard, there)
            differ = any_of(same(rolled_up.indices, there), lt(rolled_up.offset, offset), lt(offset, rolled_up.offset))
            known = all_of(given, rolled_up.guard, guard)
            whole = self.ask.decide(str(self), ForAll("no elements of a box meet", differ, known, (here,)), WHOLE)
            if isinstance(whole.verdict, Proved):
                return whole
        for one, other in combinations(self.elements, 2):
            goal, known = _apart(one, other.offset, other.width), all_of(given, one.guard, other.guard)
            answer = self.ask.decide(str(self), ForAll("no elements of a box meet", goal, known, (here,)))
            if not isinstance(answer.verdict, Proved):
                return answer
        return shown(str(self), "two by two")


def _apart(one: TracedAccess, offset: Expr, width: int) -> Expr:
    return any_of(one.offset + one.width <= offset, offset + width <= one.offset)


def own_copies(tensor: TensorUnits, ask: Ask) -> Iterator[OwnCopy | OwnBox]:
    """Each box that is stored, and each copy from LDS beside what its thread does in no order with it."""
    boxes: dict[int, list[TracedAccess]] = {}
    for one in tensor.accesses:
        if one.access.instruction.name in TENSOR_STORES:
            boxes.setdefault(one.access.instruction.address, []).append(one.access)
    yield from (OwnBox(tensor, ask, elements) for elements in boxes.values() if len(elements) > 1)
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
