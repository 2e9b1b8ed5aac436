"""Step one, where the prover and a compiler are: every candidate proved, compiled, and listed in a manifest.

    folder/manifest.json      target, of each case its candidates' launches (kernel, file, grid, block, sizes), and
                              the candidates that were left out, with why
    folder/KERNEL.bin         the code object of each kernel (PTX, an AMD ELF, a shared library)

The folder can be carried to a machine with a GPU and neither prover nor compiler: step two is `measure`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from layoutalg.bench.cases import Case
from layoutalg.bench.ways import candidates
from layoutalg.device.kernels import Told, build, launch_sizes, told_boxes
from layoutalg.disk import write_whole
from layoutalg.errors import CompileError
from layoutalg.index.evaluate import value
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.emit.kernel import NotProvedError
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.program import Program
from layoutalg.kernel.verify import verify
from layoutalg.records import dataclass
from layoutalg.target import is_target


@dataclass(frozen=True)
class TimedLaunch:
    """One launch of a prepared kernel: `sizes` are its integer arguments, after the tensors.

    `boxes`: the tensors' numbers, and what the device is told of them (`layoutalg.device.kernels.told_boxes`).
    `conflict_free`: whether every LDS access is proved free of bank conflicts on the target; None: not known.
    """

    kernel: str
    file: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    sizes: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    conflict_free: bool | None = None
    boxes: tuple[tuple[int, Told], ...] = ()


@dataclass(frozen=True)
class PreparedCandidate:
    """One way to do a case, and how many obligations were proved of it."""

    case: Case
    launches: tuple[TimedLaunch, ...]
    obligations: int

    @property
    def name(self) -> str:
        """Its kernels."""
        return " + ".join(dict.fromkeys(launch.kernel for launch in self.launches))


@dataclass(frozen=True)
class Prepared:
    """What was prepared for a target, and where it lies."""

    target: str
    folder: Path
    candidates: tuple[PreparedCandidate, ...]
    left_out: tuple[str, ...] = ()
    """Candidates that were not proved or not compiled, and why."""


def prepare(cases: Sequence[Case], target: str, folder: Path, told: Callable[[str], None] = lambda _: None) -> Prepared:
    """Proves and compiles every candidate; one that is not proved or not compiled is left out, and told with why.

    The manifest is written after each: what is there is kept, whatever comes of the next.
    """
    folder.mkdir(parents=True, exist_ok=True)
    maker = _Maker(target, folder)
    found, left_out = list[PreparedCandidate](), list[str]()
    for case in cases:
        for tasks in candidates(case, target):
            try:
                found.append(maker.candidate(case, tasks))
                told(f"{case.name}: {found[-1].name}, {found[-1].obligations} obligations proved")
            except (NotProvedError, CompileError) as error:
                left_out.append(f"{case.name}: {' + '.join(task.program.name for task in tasks)}: {error}")
                told(f"left out: {left_out[-1]}")
            manifest = {"target": target, "candidates": [_written(one) for one in found], "left_out": left_out}
            write_whole(folder / "manifest.json", json.dumps(manifest, indent=1).encode())
    return Prepared(target, folder, tuple(found), tuple(left_out))


def read_prepared(folder: Path) -> Prepared:
    """What `prepare` wrote."""
    manifest = json.loads((folder / "manifest.json").read_text())
    candidates = tuple(map(_read, manifest["candidates"]))
    return Prepared(manifest["target"], folder, candidates, tuple(manifest.get("left_out", ())))


def _written(one: PreparedCandidate) -> dict[str, Any]:
    return {"case": one.case.to_json(), "launches": [asdict(n) for n in one.launches], "obligations": one.obligations}


def _read(found: Mapping[str, Any]) -> PreparedCandidate:
    launches = tuple(map(_launch, found["launches"]))
    return PreparedCandidate(Case.of_json(found["case"]), launches, found["obligations"])


def _launch(found: Mapping[str, Any]) -> TimedLaunch:
    grid, block, sizes, shape = (tuple(found[name]) for name in ("grid", "block", "sizes", "shape"))
    boxes = tuple(map(_told, found.get("boxes", ())))
    free = found["conflict_free"]
    return TimedLaunch(found["kernel"], found["file"], grid, block, sizes, shape, found["dtype"], free, boxes)


def _told(found: Sequence[Any]) -> tuple[int, Told]:
    number, told = found
    return number, tuple(map(tuple, told))


class _Maker:
    """Verifies and compiles each program once."""

    def __init__(self, target: str, folder: Path) -> None:
        self.target, self.folder = target, folder
        self.obligations: dict[str, int] = {}
        self.free: dict[str, bool | None] = {}

    def candidate(self, case: Case, tasks: tuple[Task, ...]) -> PreparedCandidate:
        launches = tuple(map(self.launch, tasks))
        return PreparedCandidate(case, launches, sum(self.obligations[launch.kernel] for launch in launches))

    def launch(self, task: Task) -> TimedLaunch:

        program = task.program
        if program.name not in self.obligations:
            verified = verify(program)
            build(verified, self.target).save(self.folder / f"{program.name}.bin")
            self.obligations[program.name] = len(verified.verdicts)
            self.free[program.name] = conflict_free(program, self.target)
        at = launch_sizes(program, dict(task.sizes))
        return TimedLaunch(
            program.name, f"{program.name}.bin", tuple(value(n, at) for n in program.launch), program.block,
            tuple(at[s] for s in program.sizes), task.shape, program.target.dtype.name,
            self.free[program.name], tuple(told_boxes(program, at)),
        )  # fmt: skip


def conflict_free(program: Program, target: str) -> bool | None:
    """Whether every LDS access of a program is proved free of conflicts; None where the target prices none of them.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> conflict_free(lds_transpose(vector=4), "sm_90"), conflict_free(lds_transpose(), "cpu")
    (True, None)
    """

    if not is_target(target) or len(program.threads) != 1:
        return None
    cycles = [one.cycles for one in priced(program, target)]
    return None if None in cycles else all(n == 1 for n in cycles)
