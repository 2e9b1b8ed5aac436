"""The target has the LDS, and the runtime starts as many threads and blocks."""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.audit.ask import Finding
from layoutalg.audit.followed import LaunchedKernel
from layoutalg.index import all_of
from layoutalg.launch.symbolic import AXES, MOST_BLOCKS, MOST_THREADS
from layoutalg.prove import ForAll, Proved, Refuted, Witness
from layoutalg.target import target

NAME = "launchable"
SAYS = "the target has the LDS, and the runtime starts as many threads and blocks"
FAULTS: frozenset[str] | None = None


def decided(case: LaunchedKernel) -> Iterator[Finding]:
    """Of the threads of a block, of its LDS, and of each axis of the grid.

    AMDGPUUsage, "Code Object V3 Kernel Metadata": .max_flat_workgroup_size is the most work-items that the kernel
    supports, and of .reqd_workgroup_size "the dispatch work-group size X, Y, Z must correspond".
    """
    launched, kernel = case.launched, case.code.kernel
    refused = kernel.metadata.refuses((*launched.block, 1, 1)[:3])
    verdict = Refuted(NAME, "metadata", 0.0, (), Witness((), refused)) if refused else Proved(NAME, "metadata", 0.0)
    yield Finding(NAME, "threads", verdict)
    goals = {"LDS": launched.lds_bytes <= target(kernel.target).lds_bytes}
    for axis, count, size in zip(AXES, launched.grid, (*launched.block, 1, 1), strict=False):
        goals[f"grid {axis}"] = all_of(count >= 1, count <= MOST_BLOCKS, count * size <= MOST_THREADS)
    for about, goal in goals.items():
        yield case.ask.decide(NAME, about, ForAll(about, goal, launched.limits))
