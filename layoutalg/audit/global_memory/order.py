"""What orders two threads' accesses of memory: that they are one thread, or a barrier of their block between.

Blocks run in any order, and waves of a block as they like: order is within a thread, and between threads of one block
where barriers stand between.  A barrier is between where the one access comes before its wave's signal, and the other
behind its wave's wait: what lies between these two, of RDNA 4's split barrier, is in no order.

| the block's waves | besides, there must be |
|---|---|
| share their first cache, which takes accesses in order | nothing |
| may have two: WGP mode, tgsplit | a wait for what is before; for a load, an invalidation of its cache behind |

LLVM's AMDGPUUsage, "Memory Model": only in these modes a release at the scope of a work-group waits for vmcnt or vscnt,
and an acquire invalidates the cache.  `isa.run.races` judges runs alike, but for the second.

A scalar load goes by another cache (the same document: it is for what does not change during the launch): it is in
order with a store that comes after a wait for it alone.  So is an asynchronous copy to LDS, of which nothing is said.
What it cannot represent: orders that atomic operations make; invalidations by CDNA's instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from layoutalg.audit.global_memory.units import TensorUnits, UnitAccess
from layoutalg.audit.tickets import Tickets
from layoutalg.index import FALSE, Expr, all_of, any_of
from layoutalg.index.primed import same
from layoutalg.symex.values.instances import moved

Accesses = Sequence[UnitAccess]


def in_program_order(tensor: TensorUnits, mine: Accesses, theirs: Accesses, there: Mapping[Expr, Expr]) -> Expr:
    """Whether what one thread does and the other are of one thread, in which they are in order."""
    for one, other in product(mine, theirs):
        for load, store in ((one, other), (other, one)):
            if load.goes_apart and store.changes and not _precedes(tensor, load, store):
                return FALSE
    return same(tensor.here, there)


def _precedes(tensor: TensorUnits, load: UnitAccess, store: UnitAccess) -> bool:
    """Whether a load is done before every store that an instruction makes."""
    order = [id(one) for one in tensor.accesses]
    before = order.index(id(load)) < order.index(id(store)) and not set(load.access.loops) & set(store.access.loops)
    return before and load.access.instruction.address not in store.access.late_loads


def barrier_between(tensor: TensorUnits, mine: Accesses, theirs: Accesses, there: Mapping[Expr, Expr]) -> Expr:
    """Whether a barrier stands between what one thread does and the other: both are of one block then."""
    # Scalar loads and copies to and from LDS go another way, and atomic operations by the cache.
    if any(one.access.atomic or one.goes_apart or one.access.goes_back for one in (*mine, *theirs)):
        return FALSE
    each = [{_between(one, tensor.launched.kernel.one_cache) for one in accesses} for accesses in (mine, theirs)]
    if any(len(found) != 1 for found in each):
        return FALSE
    ((since, until),), ((others_since, others_until),) = each
    others_since = moved(others_since, there)
    before = FALSE if until is None else until < others_since
    after = FALSE if others_until is None else moved(others_until, there) < since
    return all_of(same(tensor.launched.blocks, there), any_of(before, after))


def _between(one: UnitAccess, one_cache: bool) -> tuple[Expr, Expr | None]:
    """The barriers behind which an access finds all that came before, and those before which it is done, if it is."""
    if one_cache:
        return one.barriers, one.signals
    return one.barriers if one.access.store else one.invalidated, one.signals if one.access.complete else None


def last_behind_all(tickets: Tickets, mine: Accesses, theirs: Accesses, there: Mapping[Expr, Expr]) -> Iterator[Expr]:
    """By each ticket, whether the one thread took the last and came behind what the other did, or the other way."""
    for ticket in tickets.all:
        for before, after, at in ((mine, theirs, (None, there)), (theirs, mine, (there, None))):
            ways = [tickets.before_the_last(one.access, one.signals, ticket) for one in before]
            last = [tickets.behind_the_last(one.access, one.barriers, one.renewed, ticket) for one in after]
            yield all_of(*(_at(way, at[0]) for way in ways), *(_at(way, at[1]) for way in last))


def _at(e: Expr, there: Mapping[Expr, Expr] | None) -> Expr:
    return e if there is None else moved(e, there)
