"""Where no layout is free of conflicts: what was asked of it that would have to give way.

One thing at a time is taken from the problem, and the search is made again: a narrower copy to LDS, one target alone,
an access left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from layoutalg.prove import Limits
from layoutalg.synth.problem import Problem, rowwise
from layoutalg.synth.search import synthesize


def ways_out(problem: Problem, style: str = "any", limits: Limits | None = None) -> tuple[str, ...]:
    """A sentence on each change by which a layout is free; none where no single one helps.

    >>> from layoutalg.synth.problem import gemm_problem
    >>> for way in ways_out(gemm_problem(64, 16, "f32", "mfma_f32_32x32x2f32", ("gfx942",))):
    ...     print(way)
    with a copy of 4 bytes a lane (--copy 4)
    without the copy to LDS
    without a of mfma_f32_32x32x2f32
    """
    return tuple(words for words, other in _changes(problem) if synthesize(other, style, limits).conflict_free)


def _changes(problem: Problem) -> Iterator[tuple[str, Problem]]:
    for n, use in enumerate(problem.uses):
        if use.way == "write" and use.instruction is None:  # what is assumed where only a tile is named
            width = use.lanes.width // 2
            while width * problem.bits >= 32:
                lanes = rowwise(*problem.lengths, width, use.lanes.lanes)
                uses = (*problem.uses[:n], replace(use, lanes=lanes), *problem.uses[n + 1 :])
                size = width * problem.bits // 8
                yield f"with a copy of {size} bytes a lane (--copy {size})", replace(problem, uses=uses)
                width //= 2
    if len(problem.targets) > 1:
        for name in problem.targets:
            uses = tuple(use for use in problem.uses if use.targets is None or name in use.targets)
            if uses:
                yield f"on {name} alone", replace(problem, targets=(name,), uses=uses)
    if len(problem.uses) > 1:
        for n, use in enumerate(problem.uses):
            yield f"without {use.lanes.name}", replace(problem, uses=problem.uses[:n] + problem.uses[n + 1 :])
