"""`bench`: kernels beside what a user would use instead, on one device, in one run."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.output import placed
from layoutalg.lazy import lazy_imports
from layoutalg.target import DEFAULT_MEASURED

with lazy_imports():
    from layoutalg import device as machines
    from layoutalg.bench import cases, measure, prepare, report
    from layoutalg.bench import static as estimate
    from layoutalg.device import static_report


def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Which: transpose, permute, im2col, reduce, …; or all.")]
    = None,
    device: Annotated[str, typer.Option(help="auto, amd, nvidia, cpu, or a target's machine: gfx942-isa.")] = "auto",
    json_file: Annotated[Path | None, typer.Option("--json", callback=placed, help="Write every figure here.")] = None,
    plot_file: Annotated[Path | None, typer.Option("--plot", callback=placed, help="Write a plot here (SVG).")] = None,
    prepare_folder: Annotated[
        Path | None, typer.Option("--prepare", help="Prove and compile for --target into this folder; measure nothing.")
    ] = None,
    prepared_folder: Annotated[
        Path | None, typer.Option("--prepared", help="Measure what --prepare wrote there.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help=f"What to prepare ({DEFAULT_MEASURED}) or report on (every AMD card).")
    ] = None,
    static: Annotated[
        bool, typer.Option("--static", help="Read the code compiled for AMD cards, run nothing: an estimate.")
    ] = False,
) -> int:  # fmt: skip
    """Measure kernels: exactness first, then medians beside torch (numpy on the CPU) and the device's limit."""
    if prepare_folder and prepared_folder:
        raise InputError("--prepare and --prepared: give one; prepare first, then measure what is there")
    if static:
        return _static(names, target, json_file)
    if prepare_folder:
        made = _prepared(names, target or DEFAULT_MEASURED, target == "cpu", prepare_folder)
        return 1 if made.left_out else 0
    with tempfile.TemporaryDirectory() as scratch:
        results = _measured(names, device, prepared_folder, Path(scratch))
    return _finish(results, json_file, plot_file)


def _static(names: list[str] | None, target: str | None, json_file: Path | None) -> int:
    gpus = [gpu.target for gpu in static_report.gpus()]
    if target is not None and target not in gpus:
        raise InputError(f"--static reads code for AMD cards: {', '.join(gpus)}; not {target}")
    found = list(estimate.reports(_cases(names, small=False), target))
    typer.echo(static_report.table(found))
    if json_file:
        json_file.write_text(json.dumps({"estimate": True, "reports": [asdict(one) for one in found]}, indent=1))
    return 0


def _cases(names: list[str] | None, small: bool) -> list[cases.Case]:
    unknown = [name for name in names or () if name not in (*cases.KINDS, "all")]
    if unknown:
        raise InputError(f"nothing to measure called {unknown[0]!r}; there are {', '.join(cases.KINDS)}; or all")
    return [c for c in (cases.small() if small else cases.full()) if not names or "all" in names or c.kind in names]


def _prepared(names: list[str] | None, target: str, small: bool, folder: Path) -> prepare.Prepared:
    return prepare.prepare(_cases(names, small), target, folder, told=lambda text: typer.echo(text, err=True))


def _measured(names: list[str] | None, kind: str, folder: Path | None, scratch: Path) -> measure.Results:
    device = machines.choose_device(kind)
    prepared = (
        prepare.read_prepared(folder) if folder else _prepared(names, device.target, device.kind == "cpu", scratch)
    )
    return measure.measure(prepared, device, told=lambda row: typer.echo(report.line(row), err=True))


def _finish(results: measure.Results, json_file: Path | None, plot_file: Path | None) -> int:
    typer.echo(report.table(results))
    if json_file:
        json_file.write_text(json.dumps(results.to_json(), indent=1))
    if plot_file:
        plot_file.write_text(report.plot(results))
    return 0 if all(row.exact for row in results.rows) else 1
