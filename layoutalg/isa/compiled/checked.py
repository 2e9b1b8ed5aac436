"""A compiled kernel run with checks: what the numpy machine would find no fault in, or None where it may find one.

The grid is run twice, with other noise where nothing is defined, and each time the text notes of each wave what must
not depend on it.  The first run says which regions of memory are read and which written; in the second each place of
these has the wave that wrote it and the one that read it.  So what is found is that there may be a fault, and the
numpy machine says which.  What is noted here more strictly than there:

| | is a doubt here, and there |
|---|---|
| waves that touch a place of global memory, one to write | one only where no barrier is between, or other values |
| two waves that write one place of LDS between barriers | one only of other values |
| a barrier that waves pass where others have ended | told |
| an unaligned access that is allowed | told |

Waves run one after another here and in turns there.  Where no two of them touch a place in no order, one of them to
write, each loads the same in every order; so what is faultless here is so there, by whichever turns.
What it cannot represent: atomic operations, loads to LDS, clocks (`KernelText.unchecked`).
"""

from __future__ import annotations

import ctypes

import numpy as np

from layoutalg.index import budget
from layoutalg.isa.compiled.kernel import KernelText
from layoutalg.isa.compiled.launch import LaunchState
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.laid_out import LaidOut
from layoutalg.isa.run.launch import Execution, at_once
from layoutalg.isa.run.spaces import UndefinedBytes

#: Words of noise: twice those that are looked at from one place on (machine.h).
_NOISE = 1 << 16

#: Instructions of waves that are carried out in a second, and how long a run goes on at most.
_A_SECOND, _LONGEST = 4_000_000, 1_000

#: How a region was touched.
_READ, _WRITTEN = 1, 2


def run_checked(
    text: KernelText, library: ctypes.CDLL, laid_out: LaidOut, step_limit: int, strict: bool, blocks: Array,
    workers: int = 2,
) -> Execution | None:  # fmt: skip
    """Runs these blocks, a row (x, y, z) each; None where there may be a fault, or something to be told.

    `library` is of `KernelText.checked`.
    """
    memory, traces, touched = laid_out.memory, list[Array](), list[int]()
    if memory.unheld or any(one.points for _, one in laid_out.buffers):
        return None  # memory that comes when it is touched; tables of addresses, which are written where they lie
    defined = memory.bytes.defined.copy() if isinstance(memory.bytes, UndefinedBytes) else None
    for copy in (0, 1):
        for number, how in enumerate(touched):
            if how == _READ | _WRITTEN:
                memory.contents(number)[:] = memory.regions[number].data
        if isinstance(memory.bytes, UndefinedBytes):
            memory.bytes.defined[:] = defined
        launched = LaunchState(text, laid_out, step_limit, strict, blocks, copy)
        state = launched.state
        if text.lone and state.waves > 1:
            return None
        traces.append(np.zeros((state.blocks, state.waves), np.uint64))
        noise = np.random.default_rng(copy).integers(0, 1 << 32, _NOISE, np.uint32)
        state.noise, state.traces, state.orders = launched.pointer(noise), traces[copy].ctypes.data, copy
        if isinstance(memory.bytes, UndefinedBytes):
            for number, start in enumerate(memory.starts.tolist()):
                if not memory.bytes.defined[start : start + memory.held[number]].all():
                    launched.regions[number].defined = memory.bytes.defined.ctypes.data + start
        notes = _noted(launched, touched, text.place, workers) if state.blocks * state.waves > 1 else []
        state.work = int(min(budget.left(), _LONGEST) * _A_SECOND)
        launched.run(library, workers)
        budget.check(int(state.steps * budget.STEPS / _A_SECOND))
        if state.fault or state.unaligned or any(_meet(*one) for one in notes):
            return None
        touched = [one.touched for one in launched.regions]
    if not np.array_equal(traces[0], traces[1]):
        return None
    batches = -(-len(blocks) // at_once(laid_out.kernel, int(state.waves)))
    return Execution(laid_out.outputs(), int(state.most) * batches, undefined=laid_out.undefined())


def _noted(launched: LaunchState, touched: list[int], place: int, workers: int) -> list[tuple[Array, Array | None]]:
    """Of each region that was written: who writes each place, and who reads it if it is read, for each worker."""
    notes: list[tuple[Array, Array | None]] = []
    for region, how in zip(launched.regions, touched, strict=False):
        if how & _WRITTEN:
            region.places = int(region.size) // place + 2
            writer, reader = (np.zeros((workers, region.places), np.uint32) for _ in range(2))
            region.writer = writer.ctypes.data
            region.reader = reader.ctypes.data if how & _READ else None
            notes.append((writer, reader if how & _READ else None))
    return notes


def _meet(writers: Array, readers: Array | None) -> bool:
    """Whether what one worker's waves wrote others' touched; of one worker's waves it was looked at."""
    touched = writers if readers is None else np.maximum(writers, readers)
    others = ((one, other) for one in range(len(writers)) for other in range(len(writers)) if one != other)
    return any(bool(np.minimum(writers[one], touched[other]).any()) for one, other in others)
