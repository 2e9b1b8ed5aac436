"""The kernels of a code object analysed: what was found in each, or why it was not analysed, as plain data.

Plain data cross processes, are kept in the cache, and are printed as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import field
from typing import Any

from layoutalg.errors import CodeObjectError, UnsupportedInstructionError
from layoutalg.hazards.analyses import ANALYSES, left_out
from layoutalg.hazards.causes import joined
from layoutalg.hazards.flow import ControlFlow
from layoutalg.hazards.hazard import Hazard
from layoutalg.isa.container.binary import KernelBinary, Kernels, read_kernels
from layoutalg.isa.container.lines import SourceLines
from layoutalg.records import dataclass

Data = dict[str, Any]


@dataclass(frozen=True)
class Analysed:
    """One kernel: its findings as data, those that are undecided apart, or why it was not analysed.

    `left_out`: the kinds that are not looked for, since of its target the facts are not known.
    """

    kernel: str
    target: str
    instructions: int = 0
    findings: list[Data] = field(default_factory=list)
    undecided: list[Data] = field(default_factory=list)
    not_analysed: str = ""
    left_out: list[str] = field(default_factory=list)


def analyse(kernel: KernelBinary, where: SourceLines) -> Analysed:
    """Asks every analysis of a kernel."""
    try:
        flow = ControlFlow.of(kernel)
        found = [finding for analysis in ANALYSES.values() for finding in analysis.find(flow)]
    except UnsupportedInstructionError as error:
        return Analysed(kernel.name, kernel.target, not_analysed=str(error))
    told = joined(flow, found)
    some, others = ([_data(flow, one, where) for one in told if one.undecided is which] for which in (False, True))
    return Analysed(kernel.name, kernel.target, len(flow.steps), some, others, left_out=left_out(kernel.target))


def analyse_all(payload: bytes, chosen: Collection[str] | None = None) -> Iterator[Analysed]:
    """The kernels of a code object, or those of these names.

    Raises `CodeObjectError` where it cannot be read.
    """
    kernels = read_kernels(payload)
    where = SourceLines.read(payload)
    for name in names_of(kernels):
        if chosen is None or name in chosen:
            try:
                yield analyse(kernels[name], where)
            except CodeObjectError as error:
                yield Analysed(name, "", not_analysed=str(error))


def names_of(kernels: Kernels) -> list[str]:
    """All kernels, those too that are refused."""
    return [*kernels, *kernels.refused]


def _data(flow: ControlFlow, finding: Hazard, where: SourceLines) -> Data:
    places = {"consumer": finding.consumer, "producer": finding.producer}
    return {
        "kind": finding.kind, "certain": finding.is_certain, "what": finding.what, "missing": finding.missing,
        "condition": finding.condition,
        **{name: _place(flow, address, where) for name, address in places.items() if address is not None},
        "also": [{**_place(flow, address, where), "missing": missing} for address, missing in finding.also],
    }  # fmt: skip


def _place(flow: ControlFlow, address: int, where: SourceLines) -> Data:
    """An instruction, and its line in the source where that is known."""
    line = where.of(address)
    return {
        "address": address,
        "instruction": str(flow.steps[address].instruction),
        **({"source": line} if line else {}),
    }
