"""Edits of kernels that an audit proves: none that changes what they do may be proved.

    python -m benchmarks.foreign.proved_mutants [--targets gfx942 …] [--corpora …] [--kernels …]
                                                [--count 2000] [--seed 1] [--seconds 10]

An edit turns one bit of the code, or makes one instruction do nothing (`s_nop`).  It is carried out at each of the
kernel's sizes with two draws of contents; where that faults, or leaves something else, the edited kernel is audited:

| a run | safe | `computes` |
|---|---|---|
| faults | may not be proved | may not be proved |
| leaves something else | nothing is said | may not be proved, where an equation speaks of that tensor |
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from benchmarks.foreign.audit import COMPUTES, NONE, PROVED, verdict
from benchmarks.foreign.cases import Case, cases
from layoutalg.audit.audit import audit
from layoutalg.errors import DeviceError, Fault
from layoutalg.formats.launch import Pointer
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from tests.foreign.corpus import Sizes

SEEDS = (0, 1)

#: `s_nop 0` on all targets (ISA manuals, SOPP).
S_NOP = (0xBF800000).to_bytes(4, "little")

FAULT, OTHER, UNSTATED = "a fault", "another result", "another result, of which nothing is said"
SAME, REFUSED, CRASH = "the same result", "refused", "a crash"


@dataclass(frozen=True)
class Base:
    """A kernel that is proved, and what its runs leave."""

    case: Case
    code: MachineCode
    wanted: tuple[tuple[Sizes, int, list[bytes]], ...]

    @cached_property
    def stated(self) -> Sequence[bool]:
        """Of each tensor that is passed, whether its launch file says what it holds afterwards."""
        launch = self.case.file.launch
        assert launch is not None
        stated = {one.tensor for one in launch.computes}
        return [one.descriptor in stated for one in launch.passed if isinstance(one, Pointer)]


def bases(target: str, corpora: Sequence[str], kernels: Sequence[str], seconds: float) -> Iterator[Base]:
    """The kernels that are proved safe."""
    for case in cases(target, corpora, edits=False):
        if kernels and case.kernel not in kernels:
            continue
        try:
            code = decode_kernel(case.binary())
            if verdict(audit(code, case.file, seconds), lambda claim: claim != COMPUTES) != PROVED:
                continue
            runs = ((sizes, seed, case.outputs(code, sizes, seed)) for sizes in case.sizes for seed in SEEDS)
            yield Base(case, code, tuple(run for run in runs if run[2]))
        except DeviceError as error:
            print(f"{case.name}: {error}", file=sys.stderr)


def edited(kernel: KernelBinary, code: MachineCode, draw: random.Random) -> tuple[str, KernelBinary]:
    """A kernel with one edit, and which one."""
    data = bytearray(kernel.code)
    if draw.random() < 0.5:
        place, bit = draw.randrange(len(data)), draw.randrange(8)
        data[place] ^= 1 << bit
        return f"byte {place} bit {bit}", replace(kernel, code=bytes(data))
    first = code.instructions[0].address
    one = draw.choice(code.instructions)
    start = one.address - first
    following = [other.address - first for other in code.instructions if other.address > one.address]
    end = min(following, default=start + 4)
    data[start:end] = S_NOP * ((end - start) // 4)
    return f"{one.address:#x} {one.name} does nothing", replace(kernel, code=bytes(data))


def came(base: Base, code: MachineCode) -> tuple[str, str]:
    """What came of an edit's runs, and where it shows; what is stated before what is not."""
    differs = ""
    for sizes, seed, wanted in base.wanted:
        try:
            found = base.case.outputs(code, sizes, seed)
        except Fault as fault:
            return FAULT, f"at {dict(sizes)}: {fault}"
        if any(stated and a != b for stated, a, b in zip(base.stated, found, wanted, strict=True)):
            return OTHER, f"at {dict(sizes)}"
        differs = differs or (f"at {dict(sizes)}" if found != wanted else "")
    return (UNSTATED, differs) if differs else (SAME, "")


def tried(base: Base, mutant: KernelBinary, seconds: float) -> tuple[str, str, str]:
    """What came of an edit, the audit's verdict on what it may not prove, and where the edit shows."""
    try:
        code = decode_kernel(mutant)
        outcome, where = came(base, code)
        if outcome in (SAME, UNSTATED):
            return outcome, NONE, where
        found = audit(code, base.case.file, seconds)
    except DeviceError:
        return REFUSED, NONE, ""
    # What the time did not suffice for stands under `followed`: an equation that was not come to is not proved.
    return outcome, verdict(found, lambda claim: outcome == FAULT or claim in (COMPUTES, "followed")), where


def main() -> int:
    """Edits and counts; 1 where an edit that changes something is proved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", nargs="+", default=["gfx942"])
    parser.add_argument("--corpora", nargs="+", default=["corpus", "kernelbench", "triton"])
    parser.add_argument("--kernels", nargs="+", default=[])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    every = [base for target in given.targets for base in bases(target, given.corpora, given.kernels, given.seconds)]
    print(f"{len(every)} kernels are proved", flush=True)
    draw, counted = random.Random(given.seed), Counter[tuple[str, str]]()
    for number in range(given.count):
        base = draw.choice(every)
        about, mutant = edited(base.code.kernel, base.code, draw)
        try:
            outcome, said, where = tried(base, mutant, given.seconds)
        except Exception:
            outcome, said, where = CRASH, NONE, ""
            print(f"a crash: {base.case.name} {about}", flush=True)
            traceback.print_exc()
        counted[outcome, said] += 1
        if said == PROVED:
            print(f"wrong: {base.case.name} {about}: {outcome} {where}", flush=True)
        if number % 200 == 199:
            print(f"{number + 1}: {dict(counted)}; {time.process_time():.0f} s of CPU", flush=True)
    print(*(f"| {outcome} | {said} | {n} |" for (outcome, said), n in sorted(counted.items())), sep="\n")
    return int(any(said == PROVED for _, said in counted))


if __name__ == "__main__":
    sys.exit(main())
