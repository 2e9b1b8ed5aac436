"""Which loads bring what was there before the launch, of memory that the kernel stores to.

| a store stands in the code | it comes before the load, perhaps |
|---|---|
| before it, or in a loop with it | always |
| behind it | where its wave may have passed fewer barriers: the load's thread may find it done behind one |
| anywhere | where waves tell each other what they have stored, by flags or tickets |

Other threads' stores meet a load only where a barrier is between, or where one has told (`race_free`).
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import Expr, simplify
from layoutalg.launch.symbolic import LDS
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement


def tells(trace: Sequence[TracedElement], loops: LoopRecord) -> bool:
    """Whether waves may know by flags or tickets that others have stored."""
    return bool(loops.waits) or any(one.order is not None and one.order.found and one.buffer != LDS for one in trace)


def stays_behind(store: TracedElement, load: TracedElement) -> bool:
    """Whether a store behind a load in the code, in no loop with it, is behind it for all threads of a block."""
    in_step = store.in_step and load.in_step  # the order of the code is else none of time
    return in_step and simplify(store.barriers - load.barriers).lo >= 0


def behind_stores(trace: Sequence[TracedElement], loops: LoopRecord) -> set[Expr]:
    """What loads bring of tensors that may come behind a store to them."""
    #: Of each tensor the stores that a load cannot tell apart, the first of them in the code, with its place.
    stores: dict[str, dict[object, tuple[int, TracedElement]]] = {}
    for place, one in enumerate(trace):
        if one.store and one.buffer != LDS:
            stores.setdefault(one.buffer, {}).setdefault((one.loops, one.barriers, one.in_step), (place, one))
    told = tells(trace, loops)
    return {
        one.value
        for number, one in enumerate(trace)
        if not one.store
        and any(
            told or place < number or {*store.loops} & {*one.loops} or not stays_behind(store, one)
            for place, store in stores.get(one.buffer, {}).values()
        )
    }
