"""Step two, on a device: every candidate checked for exactness, then timed beside what a user would use instead.

For each case, in one run on one device:

| figure      | is                                                                                             |
|-------------|------------------------------------------------------------------------------------------------|
| exact       | fresh random input, poisoned output; copies to the bit, arithmetic against higher precision    |
| time        | the median; GPU events, in a replayed graph or in a row, whichever is less (for all alike)      |
| rivals      | on a GPU torch, torch.compile, Triton's matmul; numpy on the CPU; `instead` is the fastest     |
| limit       | the case's bytes at a plain copy's bandwidth, or its operations at the vendor's best rate      |

Data that a cache could keep is rotated among several sets.  A candidate that is not exact is not timed.
"""

from __future__ import annotations

import datetime
import math
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Protocol

from layoutalg.bench.cases import Case, Rival
from layoutalg.bench.numpy_lab import NumpyLab
from layoutalg.bench.prepare import Prepared, PreparedCandidate, TimedLaunch
from layoutalg.bench.torch_lab import TorchLab
from layoutalg.device.codeobject import CodeObject
from layoutalg.device.runtime import BoxOf, Device, Module
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

TOLERANCE = {"f32": 1e-5, "f16": 2e-3, "bf16": 2e-2}
"""The error allowed of arithmetic: ‖found − wanted‖ / ‖wanted‖."""
COLD = 1 << 28
"""Bytes that no cache holds."""


class Lab(Protocol):
    """Arrays, references and a clock of one device."""

    name: str
    instead: str

    def random(self, shape: tuple[int, ...], dtype: str) -> Any:
        """Fresh random numbers."""

    def poisoned(self, shape: tuple[int, ...], dtype: str) -> Any:
        """An array of numbers that no kernel writes."""

    def wanted(self, case: Case, operands: list[Any]) -> Any:
        """The result, in higher precision where it is computed."""

    def rivals(self, case: Case) -> Mapping[str, Rival]:
        """What a user would call instead, by name; each, given operands and a target, makes the work to time."""

    def copy(self, source: Any, target: Any) -> Callable[[], object]:
        """A plain copy."""

    def error(self, found: Any, wanted: Any) -> float:
        """‖found − wanted‖ / ‖wanted‖; infinite where a number is not one."""

    def same(self, found: Any, wanted: Any) -> bool:
        """Whether two arrays are equal, bit for bit."""

    def microseconds(self, works: list[Callable[[], object]]) -> float:
        """The median time of one work; they are run in turns."""

    def rate(self, dtype: str) -> float:
        """The vendor's best rate of a matrix product, in operations a microsecond."""


@dataclass(frozen=True)
class Row:
    """One candidate's figures. Times in microseconds; None where it was not exact, or nothing is known."""

    case: str
    kind: str
    kernel: str
    obligations: int
    exact: bool
    error: float
    microseconds: float | None
    rivals: Mapping[str, float]
    limit: float

    @property
    def instead(self) -> float | None:
        """The time of the fastest rival."""
        return min(self.rivals.values(), default=None)

    @property
    def fastest_rival(self) -> str:
        """Its name; "" where there is none."""
        return min(self.rivals, key=lambda name: self.rivals[name], default="")

    @property
    def of_limit(self) -> float | None:
        """The limit's time as a part of ours."""
        return None if self.microseconds is None else self.limit / self.microseconds

    @property
    def over_instead(self) -> float | None:
        """How many times faster than the fastest rival."""
        return None if None in (self.microseconds, self.instead) else self.instead / self.microseconds  # type: ignore[operator]


@dataclass(frozen=True)
class Results:
    """All rows of one run."""

    device: str
    date: str
    instead: str
    rows: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        """One JSON object."""
        rows = [{**asdict(r), "of_limit": r.of_limit, "instead": r.instead, "over_instead": r.over_instead}
                for r in self.rows]  # fmt: skip
        return {"device": self.device, "date": self.date, "instead": self.instead, "results": rows}

    @property
    def best(self) -> list[Row]:
        """The fastest candidate of each case."""
        found: dict[str, Row] = {}
        for row in self.rows:
            if row.case not in found or (row.microseconds or math.inf) < (found[row.case].microseconds or math.inf):
                found[row.case] = row
        return list(found.values())


def measure(
    prepared: Prepared, device: Device, told: Callable[[Row], None] = lambda _: None, lab: Lab | None = None
) -> Results:
    """Measures what was prepared, case by case; a wrong result is a row that says so."""
    runner = Runner(prepared, device, lab or lab_of(device))
    rows = []
    for row in runner.rows():
        rows.append(row)
        told(row)
    return Results(runner.lab.name, str(datetime.date.today()), runner.lab.instead, tuple(rows))


def lab_of(device: Device) -> Lab:
    """torch on a GPU, numpy on the CPU. NoDeviceError where a GPU has no torch."""
    if device.kind == "cpu":
        return NumpyLab(platform.processor() or device.name)
    return TorchLab(device)


class Runner:
    """Loads what was prepared, and measures it case by case."""

    def __init__(self, prepared: Prepared, device: Device, lab: Lab) -> None:
        self.prepared, self.device, self.lab = prepared, device, lab
        self.modules: dict[str, Module] = {}

    def rows(self) -> Iterator[Row]:
        """Every candidate; those of one case share data, rival and limit."""
        cases: dict[str, list[PreparedCandidate]] = {}
        for candidate in self.prepared.candidates:
            cases.setdefault(candidate.case.name, []).append(candidate)
        for candidates in cases.values():
            yield from self.case(candidates[0].case, candidates)

    def case(self, case: Case, candidates: list[PreparedCandidate]) -> Iterator[Row]:
        lab = self.lab
        sets = max(1, min(256, COLD // case.bytes if case.bytes < COLD // 2 else 1))
        operands = [[lab.random(shape, case.dtype) for shape in case.shapes] for _ in range(sets)]
        wanted = lab.wanted(case, operands[0])
        targets = [lab.poisoned(case.result, case.dtype) for _ in range(sets)]
        limit = self.limit(case, operands, targets)
        rivals = {name: lab.microseconds([rival(o, t) for o, t in zip(operands, targets, strict=True)])
                  for name, rival in lab.rivals(case).items()}  # fmt: skip
        for candidate in candidates:
            targets[0] = lab.poisoned(case.result, case.dtype)
            works = [self.work(candidate, o, t) for o, t in zip(operands, targets, strict=True)]
            works[0]()
            self.device.synchronize()
            error = lab.error(targets[0], wanted)
            exact = lab.same(targets[0], wanted) if case.exact else error <= TOLERANCE[case.dtype]
            ours = lab.microseconds(works) if exact else None
            yield Row(case.name, case.kind, candidate.name, candidate.obligations, exact, error, ours, rivals, limit)

    def limit(self, case: Case, operands: list[list[Any]], targets: list[Any]) -> float:
        """The least time: of the bytes at a copy's bandwidth (of the larger tensor), or of the operations."""
        lab = self.lab
        largest = max((*case.shapes, case.result), key=math.prod)
        if largest == case.result:
            sources = [lab.random(largest, case.dtype) for _ in targets]
            pairs = list(zip(sources, targets, strict=True))
        else:
            place = case.shapes.index(largest)
            pairs = [(o[place], lab.poisoned(largest, case.dtype)) for o in operands]
        copied = lab.microseconds([lab.copy(source, target) for source, target in pairs])
        moved = copied * case.bytes / (2 * DTYPES[case.dtype].bytes * math.prod(largest))
        return max(moved, case.operations / lab.rate(case.dtype)) if case.operations else moved

    def work(self, candidate: PreparedCandidate, operands: list[Any], target: Any) -> Callable[[], object]:
        """The launches of a candidate; what is between them lies in arrays of its own."""
        between = [self.lab.poisoned(n.shape, n.dtype) for n in candidate.launches[:-1]]
        steps = []
        for number, launch in enumerate(candidate.launches):
            sources = operands if number == 0 else [between[number - 1]]
            out = target if number == len(candidate.launches) - 1 else between[number]
            boxes = [BoxOf((*sources, out)[n], *told) for n, told in launch.boxes]
            steps.append((self.module(launch), launch, (*sources, out, *launch.sizes, *boxes)))

        def work() -> None:
            for module, launch, arguments in steps:
                module.launch(launch.kernel, launch.grid, launch.block, arguments)

        return work

    def module(self, launch: TimedLaunch) -> Module:
        if launch.file not in self.modules:
            code = CodeObject.read((self.prepared.folder / launch.file).read_bytes())
            self.modules[launch.file] = self.device.load(code)
        return self.modules[launch.file]
