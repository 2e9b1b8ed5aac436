"""Waits taken out of kernels that others compiled or wrote, one by one: which of them does `layoutalg hazards` miss?

    python -m benchmarks.foreign.hazards PATH… [--kernels 100] [--waits 5] [--seed 1] [--jobs 2]

A wait that is taken out is *harmful* where a run shows it: the wave's scalar unit goes one way through the kernel
(`layoutalg.hazards.runs`), and the wait counters of the run on numbers (`layoutalg.isa.run.wait_counters`, which know
nothing of the analysis) meet a register that is under way, and do not with the wait in its place.  Of these the
analysis has to find each; and it finds nothing in the kernels as they are, or else that is listed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from layoutalg.errors import CodeObjectError, Fault, UnsupportedInstructionError
from layoutalg.hazards import waits
from layoutalg.hazards.flow import ControlFlow
from layoutalg.hazards.runs import visits
from layoutalg.hazards.waits import left_by
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.places import HeldCode, held_at
from layoutalg.isa.effects import registers
from layoutalg.isa.run.spaces import Thread
from layoutalg.isa.run.wait_counters import WaitCounters
from layoutalg.isa.semantics.counted import counted

SEEDS, STEPS = 8, 6000
"""Runs by which a wait is judged, and instructions of each."""

_LIVE = np.ones(1, np.bool_)


@dataclass(frozen=True)
class Judged:
    """A wait that was taken out of a kernel."""

    kernel: str
    wait: str
    harmful: bool
    found: bool
    certain: bool


def without(flow: ControlFlow, address: int) -> ControlFlow:
    """The graph with nothing in a wait's place."""
    blocks = dict(flow.blocks)
    for start, block in flow.blocks.items():
        steps = tuple(
            replace(s, instruction=replace(s.instruction, name="S_NOP")) if s.address == address else s
            for s in block.steps
        )
        blocks[start] = replace(block, steps=steps)
    return ControlFlow(flow.kernel, flow.starts, blocks)


def faults(flow: ControlFlow, seed: int) -> bool:
    """Whether a run meets a register that is under way, by the counters of the run on numbers."""
    architecture = flow.kernel.architecture
    names = sorted(architecture.most_counted)
    track = WaitCounters(names, 1, lambda _: Thread((0, 0, 0), 0))
    try:
        done = 0
        for visit in visits(flow, seed):
            done += len(visit.block.steps)
            if done > STEPS:
                break
            for step in visit.steps:
                one = step.instruction
                wait = architecture.waits.get(one.name)
                if wait is not None:
                    track.wait(left_by(wait, one.fields.get("simm16", 0)), _LIVE)
                    continue
                how = counted(one.name, one.fields, architecture)
                for does, some in (("read", step.effects.reads), ("written", 0 if how else step.effects.writes)):
                    for key in _keys(some, track):
                        track.check(key, _LIVE, one.place, does)
                if how is not None:
                    full = {name: architecture.most_counted[name] - 1 for name in how.counters}
                    track.wait(full, _LIVE)  # nothing is issued on a counter that is full
                    track.issue(how.counters, _LIVE, how.unordered)
                    track.load(_all_keys(step.effects.writes), how.counters, _LIVE, not how.overtakes, one.place)
    except Fault:
        return True
    return False


def _keys(some: int, track: WaitCounters) -> Iterator[tuple[str, int]]:
    """Those of a set of registers that are due."""
    yield from (key for key in [*track.due] if some & registers(*key))


def _all_keys(some: int) -> list[tuple[str, int]]:
    return [
        (kind, k) for kind in ("v", "a", "s") for k in range(256 if kind != "s" else 128) if some & registers(kind, k)
    ]


def judge(held: HeldCode, most: int, seed: int) -> tuple[int, list[Judged], list[str]]:
    """Kernels that were looked at, waits that were taken out of them, and what is found in them as they are."""
    dice, told = random.Random(f"{seed} {held.path}"), list[Judged]()
    try:
        kernels = read_kernels(held.payload)
        name = dice.choice(sorted(kernels))
        flow = ControlFlow.of(kernels[name])
    except (CodeObjectError, UnsupportedInstructionError, IndexError):
        return 0, [], []
    places = [a for a, s in sorted(flow.steps.items()) if s.instruction.name in flow.kernel.architecture.waits]
    before = {(one.producer, one.consumer) for one in waits.find(flow)}
    wrong = [seed for seed in range(SEEDS) if faults(flow, seed)]
    right = [seed for seed in range(SEEDS) if seed not in wrong]
    for address in sorted(dice.sample(places, min(most, len(places)))):
        changed = without(flow, address)
        new = [one for one in waits.find(changed) if (one.producer, one.consumer) not in before]
        harmful = any(faults(changed, seed) for seed in right)
        found = [one for one in new if not one.undecided]
        told.append(Judged(name, flow.steps[address].instruction.place, harmful, bool(found),
                           any(one.is_certain for one in found)))  # fmt: skip
    return 1, told, [f"{name}: {producer:#x} {consumer:#x}" for producer, consumer in sorted(before)]


def main(arguments: Sequence[str]) -> None:
    """Prints the measure, and each harmful removal that is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--waits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args(arguments)
    held = [one for one in held_at(asked.paths) if not one.error]
    random.Random(asked.seed).shuffle(held)
    begun, looked, told, before = time.monotonic(), 0, list[Judged](), list[str]()
    with ProcessPoolExecutor(asked.jobs) as pool:
        for count, some, found in pool.map(
            partial(judge, most=asked.waits, seed=asked.seed), held[: 2 * asked.kernels]
        ):
            looked, told, before = looked + count, told + some, before + found
            if looked == asked.kernels:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    counts = Counter((one.harmful, one.found) for one in told)
    harmful = counts[True, True] + counts[True, False]
    print(f"{looked} kernels, {len(told)} waits taken out: {harmful} harmful, {counts[True, True]} of them found "
          f"({sum(one.certain for one in told if one.harmful)} certain); "
          f"{counts[False, True]} found that no run shows; "
          f"{len(before)} found in the kernels as they are; {time.monotonic() - begun:.0f} s")  # fmt: skip
    for one in told:
        if one.harmful and not one.found:
            print(f"missed: {one.kernel}: {one.wait}")
    print(*before, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
