"""The target has the LDS, and the runtime starts as many threads and blocks."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.ask import Answer, shown
from layoutalg.audit.followed import Followed
from layoutalg.index import ONE, Expr, all_of
from layoutalg.launch.symbolic import AXES, MOST_BLOCKS, MOST_THREADS
from layoutalg.prove import ForAll, Refuted, Witness
from layoutalg.target import target

NAME = "launchable"
SAYS = "the target has the LDS, and the runtime starts as many threads and blocks"
OF = "limit"
RESTS_ON: tuple[str, ...] = ()
FAULTS: frozenset[str] | None = None

THREADS, MEMORY = "threads", "LDS"


def subjects(kernel: Followed) -> Sequence[str]:
    """The threads of a block, its LDS, and each axis of the grid."""
    return (THREADS, MEMORY, *(f"grid {axis}" for axis, _ in zip(AXES, kernel.launched.grid, strict=False)))


def decided(kernel: Followed, limit: str) -> Answer:
    """That the launch keeps to it."""
    if limit == THREADS:
        return _threads(kernel)
    return kernel.ask.decide(limit, ForAll(limit, _goal(kernel, limit), kernel.launched.limits))


def _threads(kernel: Followed) -> Answer:
    """That the kernel takes the block.

    AMDGPUUsage, "Code Object V3 Kernel Metadata": .max_flat_workgroup_size is the most work-items that the kernel
    supports, and of .reqd_workgroup_size "the dispatch work-group size X, Y, Z must correspond".
    """
    refused = kernel.case.code.kernel.metadata.refuses((*kernel.launched.most, 1, 1)[:3])
    if refused:
        return Answer(THREADS, Refuted(NAME, "metadata", 0.0, (), Witness((), refused)))
    return shown(THREADS, "metadata")


def _goal(kernel: Followed, limit: str) -> Expr:
    """What of the launch has to hold for all sizes."""
    launched = kernel.launched
    if limit == MEMORY:
        return launched.lds_bytes <= target(kernel.case.code.kernel.target).lds_bytes
    axis = AXES.index(limit.removeprefix("grid "))
    count, size = launched.grid[axis], (*launched.block, ONE, ONE)[axis]
    return all_of(count <= MOST_BLOCKS, count * size <= MOST_THREADS)
