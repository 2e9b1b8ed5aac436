"""A compiled kernel run with checks: what the numpy machine would find no fault in, or None where it may find one.

The grid is run once: the text notes whether anything is read that nothing defines (`defined`, and of LDS and memory
each place), and of each place of memory the wave that wrote it.  Where no such thing is read, what is undefined cannot
be seen, and one run is enough; one more has the waves that read each place, where a region is both read and written.

Else the grid is run twice, with other noise where nothing is defined, and each time the text notes of each wave what
must not depend on it; the second of these has the waves that write and read each place.  So what is found is that there
may be a fault, and the numpy machine says which.  What is noted here more strictly than there:

| | is a doubt here, and there |
|---|---|
| waves that touch a place of global memory, one to write | one only where no barrier is between, or other values |
| two waves that write one place of LDS between barriers | one only of other values |
| a barrier that waves pass where others have ended | told |
| an unaligned access that is allowed | told |

Waves run one after another here and in turns there.  Where no two of them touch a place in no order, one of them to
write, each loads the same in every order; so what is faultless here is so there, by whichever turns.
What it cannot represent: atomic operations, loads to LDS, clocks (`KernelText.unchecked`); nor does it see, as
numpy does not, a use of what is undefined of which both noises make the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from layoutalg.index import budget
from layoutalg.isa.compiled.kernel import KernelText
from layoutalg.isa.compiled.launch import LaunchState
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.laid_out import LaidOut
from layoutalg.isa.run.launch import Execution, at_once
from layoutalg.isa.run.spaces import UndefinedBytes
from layoutalg.records import dataclass

#: Words of noise: twice those that are looked at from one place on (machine.h).
_NOISE = 1 << 16

#: Instructions of waves that are carried out in a second, and how long a run goes on at most.
_A_SECOND, _LONGEST = 4_000_000, 1_000

#: How a region was touched.
_READ, _WRITTEN = 1, 2

#: Notes that are compared at once.
_CHUNK = 1 << 16


def run_checked(
    text: KernelText, library: ctypes.CDLL, laid_out: LaidOut, step_limit: int, strict: bool, blocks: Array,
    workers: int = 2,
) -> Execution | None:  # fmt: skip
    """Runs these blocks, a row (x, y, z) each; None where there may be a fault, or something to be told.

    `library` is of `KernelText.checked`.
    """
    memory = laid_out.memory
    if memory.unheld or any(one.points for _, one in laid_out.buffers):
        return None  # memory that comes when it is touched; tables of addresses, which are written where they lie
    defined = memory.bytes.defined.copy() if isinstance(memory.bytes, UndefinedBytes) else None
    runs = _Runs(text, library, laid_out, step_limit, strict, blocks, workers, defined)
    last = runs.run(0, [_WRITTEN] * len(memory.regions), text.wide)
    if last and not last.noisy and _READ | _WRITTEN in last.touched:
        runs.restore(last.touched)
        last = runs.run(0, last.touched, text.places)
    if last and last.noisy:
        traces = np.zeros((2, len(blocks), last.waves), np.uint64)
        runs.restore(last.touched)
        last = runs.run(0, (), text.places, traces[0])
        if last:
            runs.restore([how if how & _READ else 0 for how in last.touched])
            last = runs.run(1, last.touched, text.places, traces[1])
        if not np.array_equal(*traces):
            return None
    if not last:
        return None
    batches = -(-len(blocks) // at_once(laid_out.kernel, last.waves))
    return Execution(laid_out.outputs(), last.most * batches, undefined=laid_out.undefined())


@dataclass(frozen=True)
class _Run:
    """What a run without doubts says."""

    touched: list[int]  # of each region
    noisy: bool  # what nothing defines was read, and the run ended
    waves: int  # of a block
    most: int  # instructions of the wave that took most


@dataclass(frozen=True)
class _Runs:
    """Runs of one launch, each with memory as the one before has left it."""

    text: KernelText
    library: ctypes.CDLL
    laid_out: LaidOut
    step_limit: int
    strict: bool
    blocks: Array
    workers: int
    defined: Array | None  # which bytes of memory are, where some are not

    def restore(self, touched: Sequence[int]) -> None:
        """Regions that were written as they were."""
        memory = self.laid_out.memory
        for number, how in enumerate(touched):
            if how & _WRITTEN:
                memory.contents(number)[:] = memory.regions[number].data
        if isinstance(memory.bytes, UndefinedBytes):
            memory.bytes.defined[:] = self.defined

    def run(
        self, noise: int, touched: Sequence[int], places: tuple[int, int], traces: Array | None = None
    ) -> _Run | None:
        """Runs the grid; None where there may be a fault.

        `touched`: how regions will be, of which (and of LDS) who touches each of the `places` is noted, of so many
        bytes in memory and in LDS; empty: of none.
        `traces`: gets of each wave what must not depend on the noise, which may be read.
        """
        launched = LaunchState(self.text, self.laid_out, self.step_limit, self.strict, self.blocks, noise)
        state, memory, several = launched.state, self.laid_out.memory, len(self.blocks) > 1
        if self.text.lone and state.waves > 1:
            return None
        state.noise = launched.pointer(np.random.default_rng(noise).integers(0, 1 << 32, _NOISE, np.uint32))
        state.kind, state.orders, (state.place, state.place_in_lds) = noise, bool(touched), places
        state.traces = None if traces is None else traces.ctypes.data
        if isinstance(memory.bytes, UndefinedBytes):
            for number, start in enumerate(memory.starts.tolist()):
                if not memory.bytes.defined[start : start + memory.held[number]].all():
                    launched.regions[number].defined = memory.bytes.defined.ctypes.data + start
        notes = _noted(launched, touched, self.workers) if several or state.waves > 1 else []
        state.work = int(min(budget.left(), _LONGEST) * _A_SECOND)
        launched.run(self.library, self.workers)
        budget.check(int(state.steps * budget.STEPS / _A_SECOND))
        found = [int(one.touched) for one in launched.regions]
        if state.fault or state.unaligned or any(found[n] & _WRITTEN and _meet(a, b) for n, a, b in notes):
            return None
        return _Run(found, bool(state.noisy), int(state.waves), int(state.most))


def _noted(launched: LaunchState, touched: Sequence[int], workers: int) -> list[tuple[int, Array, Array | None]]:
    """Of each region that will be written: who writes each place, and who reads it if it is read, for each worker."""
    notes: list[tuple[int, Array, Array | None]] = []
    for number, how in enumerate(touched):
        if how & _WRITTEN:
            region = launched.regions[number]
            region.places = int(region.size) // int(launched.state.place) + 2
            writer, reader = (np.zeros((workers, region.places), np.uint32) for _ in range(2))
            region.writer = writer.ctypes.data
            region.reader = reader.ctypes.data if how & _READ else None
            notes.append((number, writer, reader if how & _READ else None))
    return notes


def _meet(writers: Array, readers: Array | None) -> bool:
    """Whether what one worker's waves wrote others' touched; of one worker's waves it was looked at."""
    others = [(one, other) for one in range(len(writers)) for other in range(len(writers)) if one != other]
    for start in range(0, writers.shape[1], _CHUNK):
        wrote = writers[:, start : start + _CHUNK]
        touched = wrote if readers is None else np.maximum(wrote, readers[:, start : start + _CHUNK])
        if any(np.minimum(wrote[one], touched[other]).any() for one, other in others):
            return True
    return False
