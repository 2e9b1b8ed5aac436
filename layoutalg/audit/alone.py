"""Runs of a few blocks of a launch alone, at any sizes: where a claim fails (`scenes`), and at the ends of large grids.

The other blocks have not started yet: so far a launch may have come on any machine, so what such a run does wrong is
wrong.  Of large tensors what the blocks touch is there (`isa.run.pages`).

| where | which blocks | the steps of a run |
|---|---|---|
| a claim fails | the witness's, with what it says that they load | `STEPS` |
| the ends | the first and the last of the grid, at the least sizes, and where all or one is the greatest | `OF_ENDS` |
| where 32 bits wrap | the same, at two sizes where a tensor has 3 · 2³⁰ elements | `OF_ENDS` |

What it cannot represent: what a launch leaves; a witness's contents of tensors of which more is assumed than limits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np

from layoutalg.audit.runs import FaultyRun, Runs, Sizes
from layoutalg.audit.scenes import Scene, triple
from layoutalg.device.checked import execute_checked
from layoutalg.errors import DeviceError, Fault, LayoutError, StepLimit
from layoutalg.index import Expr, InexpressibleError, budget
from layoutalg.isa.run.arguments import Triple
from layoutalg.isa.run.spaces import Buffer
from layoutalg.launch.concrete import BoundLaunch

#: Instructions of a run of a witness's blocks, of one at an end of the grid, where contents are drawn but once, and of
#: all; after so many in a run, other contents are not tried.
STEPS, OF_ENDS, ALL_STEPS, LONG = 60_000, 4_000, 120_000, 20_000

#: Bytes of a tensor that is held whole.
HELD = 1 << 16

#: A size that no symbol exceeds: buffers end below 2⁴⁷.
GREATEST = 1 << 47

#: Elements of which the last have an index that is negative in 32 bits.
NEGATIVE = 3 << 30

#: Contents that are tried.
SEEDS = range(2)


class Alone:
    """Runs of blocks of a kernel alone; each is made once."""

    def __init__(self, runs: Runs, seconds: float) -> None:
        """`runs` are those of whole grids; `seconds` of all runs of blocks at most."""
        self.runs, self.seconds, self.steps = runs, seconds, 0
        self._made: dict[tuple[object, ...], tuple[tuple[FaultyRun, ...], str]] = {}

    def faulty(self, scene: Scene, strict: bool = False, steps: int | None = None) -> tuple[FaultyRun, ...]:
        """The first run of a scene that faults; none where none does, or all of its grid ran, with any contents."""
        return self._ran(scene, strict, steps or STEPS)[0]

    def said(self, scene: Scene) -> str:
        """What came of its runs, where they show nothing; empty where none was made."""
        return self._ran(scene, False, STEPS)[1]

    def found(self) -> list[FaultyRun]:
        """All that fault of those that were made, but where an unaligned access is one."""
        return [run for (*_, strict), (runs, _) in self._made.items() for run in runs if not strict]

    def ends(self) -> Iterator[FaultyRun]:
        """The runs that fault of the first and the last block, where the whole is too large to run."""
        each = {tuple(sizes.items()): sizes for sizes in map(self.runs.nearest, (*self._ends(), *self._wraps()))}
        for sizes in each.values():
            grid = self.runs.grid(sizes)
            if grid and min(grid) > 0 and not self.runs.allowed(sizes):
                blocks: dict[Triple, None] = dict.fromkeys([(0, 0, 0), triple([n - 1 for n in grid])])
                yield from self.faulty(Scene(sizes, tuple(blocks)), steps=OF_ENDS)

    def _ends(self) -> Iterator[Sizes]:
        """The least sizes, the greatest ones, and one of them the greatest."""
        most = dict.fromkeys(self.runs.file.symbols, GREATEST)
        yield from ({}, most, *({name: n} for name, n in most.items()))

    def _wraps(self) -> Iterator[Sizes]:
        """Two sizes, one the greatest, at which a tensor has so many elements that an index of 32 bits is negative."""
        for one, other in permutations(self.runs.file.symbols, 2):
            for tensor in self.runs.launched.tensors.values():

                def elements(n: int, one: str = one, other: str = other, space: Expr = tensor.elements.space) -> int:
                    return self.runs.at(space, self.runs.nearest({one: GREATEST, other: n}))

                least = bisect_left(range(GREATEST), NEGATIVE, key=elements)
                if least and NEGATIVE <= elements(least) < NEGATIVE + (1 << 30):
                    yield {one: GREATEST, other: least}

    def _ran(self, scene: Scene, strict: bool, steps: int) -> tuple[tuple[FaultyRun, ...], str]:
        sizes = self.runs.nearest(scene.sizes)
        if any(sizes.get(name) != n for name, n in scene.sizes.items()):
            scene = replace(scene, values={}, loaded=())
        scene = replace(scene, sizes=sizes)
        key = (*scene.key, strict)
        if not scene.blocks or (sizes in self.runs.made_of and not scene.loaded):
            return (), ""
        if key not in self._made:
            if self.seconds <= 0 or self.steps >= ALL_STEPS:
                return (), "the time for runs is used up"
            start = budget.spent()
            run = partial(self._run, scene, strict, steps)
            self._made[key] = budget.in_time(self.seconds, run, lambda why: ((), f"a run of {scene} takes too long"))
            self.seconds -= budget.spent() - start
        return self._made[key]

    def _run(self, scene: Scene, strict: bool, steps: int) -> tuple[tuple[FaultyRun, ...], str]:
        for seed in SEEDS if steps > OF_ENDS else SEEDS[:1]:
            try:
                made, _ = self.runs.made(scene.sizes, seed, given=scene.values, held=HELD)
                self._put(made, scene)
                run = execute_checked(self.runs.code, made.grid, made.block, made.arguments, steps, strict=strict,
                                      lds=made.lds, blocks=scene.blocks)  # fmt: skip
                self.steps += run.steps
                if run.steps > LONG:
                    break
            except StepLimit as stopped:
                self.steps += stopped.steps
                return (), f"a run of {scene} takes more than {steps} instructions"
            except Fault as fault:
                if self.runs.shows(fault, strict):
                    return (FaultyRun(scene.sizes, seed, fault, self.runs.code.kernel.wave_size, scene.who),), ""
            except (DeviceError, LayoutError, InexpressibleError, ArithmeticError) as error:
                return (), f"{scene} cannot be run: {error}"
        return (), f"a run of {scene} does no wrong"

    def _put(self, made: BoundLaunch, scene: Scene) -> None:
        """What a witness loads stands where it loads it, as far as it may: within limits, if no more is assumed."""
        for name, place, data in scene.loaded:
            whole = data.ljust(self.runs.launched.tensors[name].element, b"\0")
            if self.runs.may_hold(name, whole, scene.sizes):
                _put(made.tensors[name].buffer, place, whole)


def _put(buffer: Buffer, place: int, data: bytes) -> None:
    """Bytes of a buffer, counted from its first element, that are there at first; none that it does not have."""
    first = buffer.first + place
    if buffer.unheld is not None:
        buffer.unheld.put(first, data)
    elif 0 <= first <= buffer.array.nbytes - len(data):
        buffer.array.reshape(-1).view(np.uint8)[first : first + len(data)] = np.frombuffer(data, np.uint8)
