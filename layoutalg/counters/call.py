"""A launch's counters in one call: the kernel is carried out over its whole grid, and what that counts is told.

    found = la.counters("gemm.co", "gemm.toml", {"M": 1024, "N": 1024, "K": 1024})
    found["SQ_LDS_BANK_CONFLICT"].least

What it cannot represent: contents of tensors that decide what a kernel does, where they are not given: they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from layoutalg.counters.alike import AlikeBlocks, alike
from layoutalg.counters.count import CounterFigure, GridCounts, figures
from layoutalg.counters.occupancy import Occupancy, occupancy
from layoutalg.counters.roofline import Roofline, roofline
from layoutalg.errors import STEP_LIMIT
from layoutalg.formats.model import SpecFile
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.target import target as gpu

with lazy_imports():
    from layoutalg.formats import spec
    from layoutalg.isa.container import chosen, places
    from layoutalg.isa.decode import code as codes
    from layoutalg.isa.run import launch as runs
    from layoutalg.isa.run import observer
    from layoutalg.launch import concrete

Data = dict[str, Any]

FEW = 64
"""Blocks of a grid that are run, all of them, though they be alike: then what they reach of memory is counted too."""


@dataclass(frozen=True)
class LaunchCounters:
    """The counters of one launch, its occupancy and a roofline; by its name, a counter."""

    kernel: str
    target: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    figures: tuple[CounterFigure, ...]
    occupancy: Occupancy | None
    roofline: Roofline | None
    drawn: tuple[str, ...] = ()  # tensors that are read, whose contents are drawn at random
    run: int = 1  # blocks that were run; all others are alike

    def __getitem__(self, name: str) -> CounterFigure:
        return next(one for one in self.figures if one.name == name)

    @property
    def report(self) -> Data:
        """Everything, as JSON has it."""
        held, roof = self.occupancy, self.roofline
        return {
            "kernel": self.kernel, "target": self.target, "grid": self.grid, "block": self.block,
            "drawn": self.drawn, "blocks_run": self.run,
            "counters": [{**vars(one), "certainty": one.certainty} for one in self.figures],
            "occupancy": {**vars(held), "by_resource": dict(held.by_resource)} if held else None,
            "roofline": {"estimate": True, "card": roof.card.name, "microseconds": dict(roof.microseconds),
                         "bound": roof.bound, "intensity": roof.intensity} if roof else None,
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(text(self))


def counters(
    kernel: Any, launch: SpecFile | str | Path, sizes: Mapping[str, int] | None = None, *,
    inputs: Mapping[str, Any] | None = None, values: Mapping[str, Any] | None = None, name: str | None = None,
    target: str = "", seed: int = 0, steps: int = STEP_LIMIT,
) -> LaunchCounters:  # fmt: skip
    """What rocprofv3 would count of a launch at these sizes.

    `kernel`: the path of a code object, or its bytes; `launch`: a launch file, or its path; `inputs`: what tensors
    hold; `values`: arguments that the launch file leaves open.  Raises `Fault` for a run that does what no correct
    kernel does, `LaunchError` for what does not fit the launch.
    """
    file = launch if isinstance(launch, SpecFile) else spec.load(Path(launch))
    wanted = name or (file.launch.kernel if file.launch else None)
    content = places.content_of(Path(kernel)) if isinstance(kernel, str | Path) else kernel
    code = codes.decode_kernel(chosen.chosen_kernel(content, wanted, target)[1])
    made = concrete.bound(file, code.kernel.metadata, sizes or {}, inputs or {}, values or {}, seed)
    return counters_of(code, made, steps)


def counters_of(code: codes.MachineCode, made: concrete.BoundLaunch, steps: int = STEP_LIMIT) -> LaunchCounters:
    """The counters of a bound launch: of all its blocks, of which one is run where there are many and all are alike."""
    watch = observer.Observer(counting_idle=True)
    blocks = prod(made.grid)
    same = alike(code.kernel, made.grid, prod(made.block)) if blocks > FEW else AlikeBlocks("few blocks")
    one = [(0, 0, 0)] if not same.differ else []
    run = runs.execute(code, made.grid, made.block, made.arguments, steps, None, False, made.lds, watch, blocks=one)
    return _told(code, made, run, watch, GridCounts.of(code, watch, blocks if one else 1, same), len(one) or blocks)


def of_run(
    code: codes.MachineCode, made: concrete.BoundLaunch, run: runs.Execution, watch: observer.Observer
) -> LaunchCounters:
    """The counters of a run of all blocks, whose observer counted idle waves."""
    return _told(code, made, run, watch, GridCounts.of(code, watch), prod(made.grid))


def _told(
    code: codes.MachineCode, made: concrete.BoundLaunch, run: runs.Execution, watch: observer.Observer,
    ran: GridCounts, blocks: int,
) -> LaunchCounters:  # fmt: skip
    kernel, machine = code.kernel, gpu(code.kernel.target)
    found = figures(code, made.grid, made.block, run.lds, watch, ran)
    held = occupancy(machine, prod(made.block), kernel.lds_bytes + made.lds, kernel.metadata.vgprs)
    drawn = tuple(name for name, one in made.tensors.items() if one.drawn and not one.written)
    roof = roofline(machine, found)
    return LaunchCounters(kernel.name, kernel.target, made.grid, made.block, found, held, roof, drawn, blocks)


def text(found: LaunchCounters, other: LaunchCounters | None = None) -> Iterator[str]:
    """Counters as a table; of two kernels side by side."""
    both = [found, *([other] if other else [])]
    names = list(dict.fromkeys(one.name for each in both for one in each.figures))
    rows = [_row(name, both) for name in names]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    for each in both:
        yield from _about(each, f"{each.kernel}: " if other else "")


def _row(name: str, both: Sequence[LaunchCounters]) -> list[str]:
    found = [next((one for one in each.figures if one.name == name), None) for each in both]
    said = next(one for one in found if one)
    cells = [cell for one in found for cell in (one.text if one else "0", one.certainty if one else "exact")]
    return [name, *cells, said.what]


def _about(found: LaunchCounters, whose: str) -> Iterator[str]:
    """What figures rest on, occupancy, and the roofline."""
    held, roof = found.occupancy, found.roofline
    if held:
        by = ", ".join(held.limited_by)
        yield f"{whose}occupancy: {held.waves} waves of a unit, limited by {by}"
    if roof:
        limits = roof.microseconds.items()
        times = ", ".join(f"{name} {'not known' if time is None else f'{time:.3g} µs'}" for name, time in limits)
        ratio = f"; {roof.intensity:.3g} operations a byte asked for" if roof.intensity else ""
        bound = f"bound by {roof.bound or 'what is not known'}"
        yield f"{whose}roofline on {roof.card.name}, an estimate: {times}; {bound}{ratio}"
    if found.run < prod(found.grid):
        yield f"{whose}one of {prod(found.grid)} blocks was run: its code says that they are alike in what is counted"
    if found.drawn:
        yield f"{whose}contents drawn at random: {', '.join(found.drawn)}; give those that decide what the kernel does"
    for source in dict.fromkeys(one.source for one in found.figures if one.source):
        of = ", ".join(one.name for one in found.figures if one.source == source)
        yield f"{whose}by {source}: {of}"
    for note in dict.fromkeys(note for one in found.figures for note in one.notes):
        of = ", ".join(one.name for one in found.figures if note in one.notes)
        yield f"{whose}{of}: {note}"
