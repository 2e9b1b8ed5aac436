"""Many drawn kernels, compiled some at a time, audited and run; what contradicts itself is made smaller and written."""

from __future__ import annotations

import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from layoutalg.errors import CompileError
from layoutalg.isa.decode.code import MachineCode
from tests.audit.generated.drawing import drawn
from tests.audit.generated.judging import (
    BUILDS,
    SECONDS,
    Build,
    audited,
    claiming,
    compiled,
    contradictions,
)
from tests.audit.generated.language import HEAD, Kernel, launch, text
from tests.audit.generated.reducing import smallest

#: Kernels in one source, those of one build: a seed is always built in one way.
TOGETHER = 16


@dataclass
class Found:
    """A kernel of which something that is proved is not so, or that an audit does not survive."""

    seed: int
    build: Build
    kernel: Kernel
    claim: str
    shown: str

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.build}: {self.shown}\n{HEAD}{text(self.kernel)}\n\n{launch(self.kernel)}"


@dataclass
class Campaign:
    """Counts, and what was found."""

    into: Path | None = None
    counts: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)
    most_reduced: int = 6  # of one claim

    def run(self, first: int, many: int, seconds: float = 0.0) -> None:
        """Judges so many kernels from a seed on, as far as the processor's time allows."""
        for start in range(first - first % TOGETHER, first + many, TOGETHER):
            if seconds and time.process_time() > seconds:
                break
            build = BUILDS[start // TOGETHER % len(BUILDS)]
            seeds = range(max(start, first), min(start + TOGETHER, first + many))
            kernels = [drawn(Random(seed), build.target.startswith("gfx12")) for seed in seeds]
            self.counts["generated"] += len(kernels)
            for seed, kernel, code in zip(seeds, kernels, self._compiled(kernels, build), strict=True):
                if code is not None:
                    self.counts["compiled"] += 1
                    self._judged(seed, kernel, code, f"k{seed - seeds[0]}", build)
            self._write("counts", "\n".join(f"{name}: {count}" for name, count in sorted(self.counts.items())))

    def _write(self, name: str, content: str) -> None:
        """Kept, where something is."""
        if self.into is not None:
            self.into.mkdir(parents=True, exist_ok=True)
            (self.into / f"{name}.txt").write_text(f"{content}\n")

    def _compiled(self, kernels: list[Kernel], build: Build) -> Iterator[MachineCode | None]:
        """Together; one by one where some of them does not compile."""
        try:
            yield from compiled(kernels, build)
        except CompileError:
            for one in kernels:
                try:
                    yield compiled([one], build)[0]
                except CompileError as error:
                    self.counts["not compiled"] += 1
                    print("not compiled:", str(error)[:200].replace("\n", " "))
                    yield None

    def _judged(self, seed: int, kernel: Kernel, code: MachineCode, name: str, build: Build) -> None:
        claim, shown = judged(kernel, code, name, seed, self.counts)
        if not claim:
            return
        self.counts[f"contradicted: {claim}"] += 1
        print(f"{self.counts['compiled']}. seed {seed} {build}: {shown[:200]}", flush=True)
        if self.counts[f"contradicted: {claim}"] <= (1 if claim.startswith("crash") else self.most_reduced):
            kernel = smallest(kernel, lambda one: again(one, build, seed) == claim)
            _, shown = judged(kernel, compiled([kernel], build)[0], "k0", seed)
        one = Found(seed, build, kernel, claim, shown)
        self.found.append(one)
        self._write(f"{claim}_{seed}", str(one))


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """TimeoutError where the processor's time is up: an audit that does not keep its own limit is found too."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judged(
    kernel: Kernel, code: MachineCode, name: str, seed: int, counts: Counter[str] | None = None
) -> tuple[str, str]:
    """The claim that is contradicted, and how; empty where none is."""
    try:
        file = claiming(kernel, name)
        with limited(3 * SECONDS):
            found = audited(code, file)
        for claim, _, verdict in found.claims if counts is not None else ():
            assert counts is not None
            counts[f"{claim} {verdict.name}"] += 1
        one = contradictions(kernel, code, file, found, seed)
        return (one.claim, str(one)) if one else ("", "")
    except Exception as error:  # an audit that ends so is found too
        at = traceback.extract_tb(error.__traceback__)[-1]
        last = next(
            (one for one in reversed(traceback.extract_tb(error.__traceback__)) if "/index/" not in one.filename), at
        )
        return f"crash {type(error).__name__} {Path(last.filename).stem}", "".join(traceback.format_exception(error))[
            -1500:
        ]


def again(kernel: Kernel, build: Build, seed: int) -> str:
    """The claim that is contradicted of a kernel alone."""
    try:
        (code,) = compiled([kernel], build)
    except CompileError:
        return ""
    return judged(kernel, code, "k0", seed)[0]
