"""The static report of every case's first candidate, for each AMD card: proved, compiled, read; never run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.bench.cases import Case
from layoutalg.bench.ways import candidates
from layoutalg.device.compile import compile_to_assembly
from layoutalg.device.kernels import build
from layoutalg.device.static_report import StaticReport, gpus, static_report
from layoutalg.kernel.emit import emit
from layoutalg.kernel.verify import Verified, verify
from layoutalg.target import Card
from layoutalg.target.dtypes import DTYPES


def reports(cases: Sequence[Case], target: str | None = None) -> Iterator[StaticReport]:
    """The report of each case on each card, or on those of one target; of several launches, the first."""

    known: dict[str, Verified] = {}
    for case in cases:
        for gpu in gpus():
            if target in (None, gpu.target):
                program = next(candidates(case, gpu.target))[0].program
                key = f"{program.name} {gpu.target}" if case.operations else program.name
                if key not in known:
                    known[key] = verify(program)
                yield _report(known[key], case, gpu)


def _report(verified: Verified, case: Case, gpu: Card) -> StaticReport:

    program = verified.program
    resources = build(verified, gpu.target).kernels[program.name]
    x, y, z = program.block
    return static_report(
        compile_to_assembly(emit(verified, gpu.target), gpu.target), resources, gpu,
        bytes_moved=case.bytes, bytes_loaded=case.largest * DTYPES[case.dtype].bytes, operations=case.operations,
        threads=x * y * z,
    )  # fmt: skip
