"""Which loads bring what was there before the launch, of memory that the kernel stores to.

A load comes before all stores to what it reads, where for each store of its tensor, of

| | it is shown |
|---|---|
| its own thread | that it is made later, or goes elsewhere |
| other threads, which meet it behind a barrier alone (`race_free`) | that it is behind it, or in its epoch |
| any, where waves tell each other what they have stored, by flags or tickets | nothing: it may have come before |

What it cannot represent: a store that is behind a barrier and goes elsewhere for all threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.meaning.places import Decide
from layoutalg.index import TRUE, ZERO, Expr, all_of, any_of, simplify, variables
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.instances import moved, others

_Placed = tuple[int, TracedElement]
"""An element of the trace, and its place there."""


class FirstLoads:
    """Which loads of a trace come before all stores to what they read."""

    def __init__(
        self, launched: KernelLaunch, trace: Sequence[TracedElement], loops: LoopRecord, decide: Decide
    ) -> None:
        self.launched, self.decide = launched, decide
        self.told = _tells(trace, loops)
        self._loads: dict[Expr, list[_Placed]] = {}  # by what they bring
        self._stores: dict[str, list[_Placed]] = {}  # by their tensors
        self._found: dict[Expr, bool] = {}
        for number, one in enumerate(trace):
            group = self._stores.setdefault(one.buffer, []) if one.store else self._loads.setdefault(one.value, [])
            group.append((number, one))

    def all_of(self, tensor: str) -> bool:
        """Whether every load of a tensor does."""
        return all(self.has(value) for value, placed in self._loads.items() if placed[0][1].buffer == tensor)

    def has(self, value: Expr) -> bool:
        """Whether what was loaded was there before the launch."""
        if value not in self._found:
            self._found[value] = all(self._is_first(*load) for load in self._loads[value])
        return self._found[value]

    def _is_first(self, number: int, load: TracedElement) -> bool:
        stores = self._stores.get(load.buffer, [])
        if stores and (self.told or not all(one.in_step for one in (load, *(store for _, store in stores)))):
            return False  # the order of the code is none of time
        beside = [(place, store) for place, store in stores if place < number or _shared(load, store)]
        behind = {store.barriers for place, store in stores if place > number and not _shared(load, store)}
        if any(simplify(barriers - load.barriers).lo < 0 for barriers in behind):
            return False
        if not all(_in_one_epoch(load, store) for _, store in beside):
            return False  # behind a barrier other threads' stores are seen, and race with nothing
        return all(self._apart(load, store, place < number) for place, store in beside)

    def _apart(self, load: TracedElement, store: TracedElement, before: bool) -> bool:
        """Whether a store of an earlier moment goes elsewhere than a load of the same thread."""
        there = others(store.loops, "_before")
        offset, guard = (moved(e, there) for e in (store.offset, store.guard))
        goal = any_of(load.offset + load.size <= offset, offset + store.size <= load.offset)
        shared = _shared(load, store)
        earlier = TRUE if before or not shared else there[shared[0]] < shared[0]
        if not before and len(shared) > 1:
            earlier = any_of(*(there[t] < t for t in shared))
        return self.decide(goal, all_of(self.launched.given, load.guard, guard, earlier))


def _tells(trace: Sequence[TracedElement], loops: LoopRecord) -> bool:
    """Whether waves may know by flags or tickets that others have stored."""
    return bool(loops.waits) or any(one.order is not None and one.order.found and one.buffer != LDS for one in trace)


def _shared(load: TracedElement, store: TracedElement) -> list[Expr]:
    """The loops around both."""
    return [t for t in load.loops if t in store.loops]


def _in_one_epoch(load: TracedElement, store: TracedElement) -> bool:
    """Whether no barrier is between a load and a store, whatever the iterations of each."""
    gap = simplify(store.barriers - load.barriers)
    return gap is ZERO and not {*_shared(load, store)} & {*variables(store.barriers)}
