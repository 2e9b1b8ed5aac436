"""Which counter counts an instruction up until it is done, and whether what it counts comes back in order.

| instruction | counter | comes back |
|---|---|---|
| an access of memory | as `architecture.Counters.of` has it | in any order: `Architecture.unordered` |
| GLOBAL_LOAD_ASYNC_TO_LDS_B32 and its kind | that of copies | in order, but stores and loads in none |
| TENSOR_LOAD_TO_LDS | a counter of its own | in order |
| exchanges by the LDS unit, DS_BPERMUTE_B32 and its kind | that of LDS | in order |
| S_MEMTIME, S_DCACHE_INV, S_DCACHE_WB, messages, S_STORE_DWORD and its kind | that of scalar loads | in any order |
| BUFFER_WBL2, GLOBAL_WB, GLOBAL_WBINV | that of stores | in order |
| GLOBAL_INV, BUFFER_INV | that of loads | in order |

(LLVM, SIInsertWaitcnts: updateEventWaitcntAfter, getVmemWaitEventType; its pull requests 135340 of GLOBAL_*, 178316
of BUFFER_WBL2, 220694 of BUFFER_INV; ISA manuals, S_WAITCNT, S_SENDMSG, S_DCACHE_INV.)  Other invalidations of vector
caches before gfx12 are not counted there.
Asynchronous copies to LDS are reported done in order, and those from LDS, but not the ones with the others (CDNA 5 ISA,
10.8); so one counter is taken as two here, of which its wait asks the same: at most n of all are at most n of each.
LLVM's pull request 185813, Triton's 8510 and rocKE count so.  rocjitsu counts the former as loads, too, by
which waits for loads would say more.
A run and an audit count none of these cache controls: a wait then says less to them than to the machine, never more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from layoutalg.isa.architecture import Architecture
from layoutalg.isa.semantics.accesses import ACCESSES, CLOCKS, access_of
from layoutalg.isa.semantics.tensor import TENSOR_COPIES


class CountedAs(NamedTuple):
    """The counters that an instruction counts up, and how what it asked for comes back."""

    counters: tuple[str, ...]
    unordered: bool = False  # so that of its counters only a wait for 0 says anything
    overtakes: bool = False  # loads of its kind may write one register in another order than they were issued


#: What brings data from other lanes by the LDS unit.
BY_LDS_UNIT = frozenset({"DS_BPERMUTE_B32", "DS_BPERMUTE_FI_B32", "DS_PERMUTE_B32", "DS_SWIZZLE_B32"})

#: What is counted as scalar loads are.
_AS_CONSTANT = CLOCKS | {"S_DCACHE_INV", "S_DCACHE_WB", "S_SENDMSG", "S_SENDMSGHALT"}

#: What the names of stores and atomic operations begin with that go by the cache of scalars.
SCALAR_STORES = ("S_STORE_", "S_BUFFER_STORE_", "S_SCRATCH_STORE_", "S_ATOMIC_", "S_BUFFER_ATOMIC_")

#: What is counted as stores are, and as loads.
_AS_STORE, _AS_LOAD = frozenset({"BUFFER_WBL2", "GLOBAL_WB", "GLOBAL_WBINV"}), frozenset({"GLOBAL_INV", "BUFFER_INV"})


def counted(name: str, fields: Mapping[str, int], architecture: Architecture) -> CountedAs | None:
    """How an instruction is counted; None of one that is not.

    >>> from layoutalg.isa.architecture import ARCHITECTURES
    >>> counted("DS_READ_B32", {}, ARCHITECTURES["cdna"])
    CountedAs(counters=('lgkm',), unordered=False, overtakes=False)
    >>> counted("V_MOV_B32", {}, ARCHITECTURES["cdna"])
    """
    counters = architecture.counters
    if name in ACCESSES:
        access = access_of(name, fields)
        names = counters.of(access.space, access.is_counted_as_store(fields), access.by_lane)
        return CountedAs(names, access.space in architecture.unordered, access.space in architecture.overtaking)
    if name in TENSOR_COPIES:
        return CountedAs((counters.tensors,))
    if name in BY_LDS_UNIT:
        return CountedAs((counters.lds,))
    if name in _AS_CONSTANT or name.startswith(SCALAR_STORES):
        return CountedAs((counters.constant,), unordered=True, overtakes=True)
    if name in _AS_STORE:
        return CountedAs((counters.store,))
    if name in _AS_LOAD:
        return CountedAs((counters.load,))
    return None
