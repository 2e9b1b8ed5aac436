"""Where the two ways of a branch meet again: immediate post-dominators of basic blocks.

A block post-dominates another when every path from there to the end comes through it; the immediate one is the nearest.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.device.amdgcn.program import Block

#: Stands for the end of the kernel.
EXIT = -1


def meeting_points(blocks: Mapping[int, Block]) -> Mapping[int, int]:
    """For each block the nearest block that every path from its end comes through; `EXIT` when it is the end."""
    after = {
        start: tuple(s if s in blocks else EXIT for s in block.successors) or (EXIT,) for start, block in blocks.items()
    }
    every = {EXIT, *blocks}
    found = {start: set(every) for start in blocks} | {EXIT: {EXIT}}
    changed = True
    while changed:
        changed = False
        for start in sorted(blocks, reverse=True):
            new = {start} | set.intersection(*(found[s] for s in after[start]))
            if new != found[start]:
                found[start], changed = new, True
    return {start: _nearest(found, start) for start in blocks}


def _nearest(found: Mapping[int, set[int]], start: int) -> int:
    """Of the proper post-dominators, the one that all others post-dominate."""
    proper = found[start] - {start}
    return max(proper, key=lambda block: len(found[block]))
