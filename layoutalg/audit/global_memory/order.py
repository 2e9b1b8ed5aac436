"""What orders two threads' accesses of memory: that they are one thread, or a barrier of their block between.

Blocks run in any order, and waves of a block as they like: order is within a thread, and between threads of one block
where barriers stand between and the block's waves share their first cache, which takes accesses in order (LLVM's
AMDGPUUsage, "Memory Model": a release at the scope of a work-group waits for vmcnt or vscnt only in WGP mode, or where
tgsplit is on; `isa.run.races` judges runs alike).  A barrier is between where the one access comes before its wave's
signal, and the other behind its wave's wait: what lies between these two, of RDNA 4's split barrier, is in no order.

A scalar load goes by another cache (the same document: it is for what does not change during the launch): it is in
order with a store that comes after it alone.
What it cannot represent: orders that barriers make where waves have caches of their own, or that atomic operations do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from layoutalg.audit.global_memory.units import TensorUnits, UnitAccess
from layoutalg.index import FALSE, Expr, all_of, any_of
from layoutalg.index.primed import same
from layoutalg.symex.values.instances import moved

Accesses = Sequence[UnitAccess]


def in_program_order(tensor: TensorUnits, mine: Accesses, theirs: Accesses, there: Mapping[Expr, Expr]) -> Expr:
    """Whether what one thread does and the other are of one thread, in which they are in order."""
    for one, other in product(mine, theirs):
        for load, store in ((one, other), (other, one)):
            if load.is_scalar and store.changes and not _precedes(tensor, load, store):
                return FALSE
    return same(tensor.here, there)


def _precedes(tensor: TensorUnits, load: UnitAccess, store: UnitAccess) -> bool:
    """Whether a load comes before every store that an instruction makes."""
    order = [id(one) for one in tensor.accesses]
    return order.index(id(load)) < order.index(id(store)) and not set(load.access.loops) & set(store.access.loops)


def barrier_between(tensor: TensorUnits, mine: Accesses, theirs: Accesses, there: Mapping[Expr, Expr]) -> Expr:
    """Whether a barrier stands between what one thread does and the other: both are of one block then."""
    counts = [{(one.barriers, one.signals) for one in accesses} for accesses in (mine, theirs)]
    # The cache of scalar loads is another, and atomic operations go by it.
    beside = any(one.access.atomic or one.is_scalar for one in (*mine, *theirs))
    if not tensor.launched.kernel.one_cache or beside or any(len(count) != 1 for count in counts):
        return FALSE
    ((passed, signals),), ((others_passed, others_signals),) = counts
    others_passed, others_signals = moved(others_passed, there), moved(others_signals, there)
    return all_of(same(tensor.launched.blocks, there), any_of(signals < others_passed, others_signals < passed))
