"""`ck`: Composable Kernel's own configurations, through its compiler; its whole kernels are in `ck_auditing`."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg.cli import checking, ck_auditing, ck_contraction
from layoutalg.cli.errors import InputError
from layoutalg.cli.output import console_for
from layoutalg.errors import LayoutError, shortened
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from rich import progress
    from rich import table as tables

    from layoutalg.ck import space
    from layoutalg.ck import sweep as sweeping
    from layoutalg.ck import validation as validations
    from layoutalg.formats import cpp

ck = typer.Typer(help="Composable Kernel itself, by its own headers.", no_args_is_help=True)
ck.callback()(lambda: None)
ck.command("audit")(ck_auditing.audit)
ck.command("contraction")(ck_contraction.contraction)

MANY = 20
"""Configurations that are shown without --json, of each outcome."""
CONFLICTS = "conflicts"
FAILING = ("unknown", "refused", "too large", "no tile", CONFLICTS)
"""What may fail a sweep besides what is wrong: outcomes, and valid configurations with bank conflicts."""


@ck.command("sweep")
def sweep(
    what: Annotated[list[str], typer.Argument(help="Tile Engine's JSON files, instances' names, or tiles.")],
    include: Annotated[list[Path], typer.Option("-I", "--include", help="CK's folder of headers.")],
    target: Annotated[str, typer.Option(help="Targets, with commas between.")] = "gfx942",
    dtype: Annotated[str, typer.Option(help="The element type: fp16 or f16, fp8 or f8 …")] = "fp16",
    layout: Annotated[str, typer.Option(help="Of A, B and C: r or c each.")] = "rcr",
    pipeline: Annotated[str, typer.Option(help="Only these pipelines, with commas between.")] = "",
    beside: Annotated[
        Path | None, typer.Option(help="Tile Engine's validation_utils.py: where what it admits is another.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Compilers at once.")] = os.cpu_count() or 1,
    executor: checking.Executing = None,
    fail_on: Annotated[
        str, typer.Option(help=f"Exit 1 for these too, with commas between: {', '.join(FAILING)}.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Say of every configuration of the universal GEMM whether CK compiles it, and whether its layouts are right.

    Of each: every LDS descriptor in bounds, injective and packed in vectors, every distribution of the tile's lengths
    and covering it, windows as long as the distributions used with them, what a thread loads the same as what it hands
    on, accumulators that are the products' elements of C and are stored as these, LDS bytes; and what storing to LDS
    and reading from it costs beside the least. Exit 1 where a configuration compiles and is wrong, 2 where something
    is unknown. What was compiled is kept: a sweep that was interrupted goes on.

    \b
    layoutalg ck sweep 192x128x64_4x1x1_16x16x16 --include composable_kernel/include
    layoutalg ck sweep default_config.json --include composable_kernel/include --target gfx942,gfx950
    """
    failing = {name.strip() for name in fail_on.split(",") if name.strip()}
    if others := failing - {*FAILING}:
        raise InputError(f"--fail-on {', '.join(sorted(others))}: give some of {', '.join(FAILING)}")
    validation = None if beside is None else validations.Validation.read(beside)
    chosen = [*dict.fromkeys(_chosen(what, dtype, layout, pipeline))]
    names = [name.strip() for name in target.split(",")]
    found: list[sweeping.Swept] = []
    try:
        with checking.cluster(executor, jobs) as workers:
            for name in names:
                swept = sweeping.sweep(chosen, name, include, jobs, workers)
                found += _tracked(swept, len(chosen), name, as_json)
    except cpp.CppUnitError as error:
        raise InputError(f"CK's headers do not compile: {shortened(str(error))}") from error
    counts = Counter(one.outcome for one in found)
    if as_json:
        listed = [one.data() for one in found if one.outcome != "no tile"]
        told = {"counts": counts, "rules": _rules(sweeping.rules(found)), "configurations": listed}
        if validation is not None:
            told["differences"] = _rules(sweeping.differences(found, validation))
        print(json.dumps(told))
    else:
        _show(found, counts)
        if validation is not None:
            _table("Where Tile Engine's own check differs", sweeping.differences(found, validation))
    failed = {one.outcome for one in found} | {CONFLICTS for one in _dear(found)}
    return 1 if failed & {"wrong", *failing} else 2 if counts["unknown"] else 0


def _dear(found: list[sweeping.Swept]) -> list[sweeping.Swept]:
    """The valid ones with bank conflicts."""
    return [one for one in found if one.outcome == "valid" and one.conflicts]


def _chosen(what: list[str], dtype: str, layout: str, pipeline: str) -> Iterator[space.Configuration]:
    """The configurations of files, and those that are named."""
    only = [name for name in pipeline.split(",") if name]
    for text in what:
        path = Path(text)
        if path.suffix == ".json":
            if not path.is_file():
                raise InputError(f"{path}: no such file")
            if other := space.other_operation(path):
                raise InputError(f"{path}: is of {other}; what is swept is the universal GEMM")
            try:
                data = json.loads(path.read_text())
            except ValueError as error:
                raise InputError(f"{path}: {error}") from error
            try:
                every = [*space.space(data, dtype, layout)]
            except LayoutError as error:
                raise InputError(f"{path}: {error}") from error
            yield from (one for one in every if not only or one.pipeline in only)
        else:
            yield space.named(text, dtype, layout)


def _tracked(found: Iterable[sweeping.Swept], count: int, target: str, quiet: bool) -> Iterator[sweeping.Swept]:
    if quiet or count < MANY:
        yield from found
    else:
        yield from progress.track(found, target, total=count, console=console_for(sys.stderr), transient=True)


def _show(found: list[sweeping.Swept], counts: Counter[str]) -> None:
    """The rule, then the configurations that are wrong or unknown, and those that pay for LDS."""
    _table("", sweeping.rules(found))
    for outcome in ("wrong", "unknown"):
        some = sorted((one for one in found if one.outcome == outcome), key=lambda one: one.configuration)
        for one in some[:MANY]:
            print(f"{one.configuration} for {one.target}: {outcome}: {shortened('; '.join(one.reasons))}")
        if some[MANY:]:
            print(f"and {len(some) - MANY} more that are {outcome}; --json has them all")
    dear = len(_dear(found))
    _costs([one for one in found if one.costs])
    said: dict[str, Any] = {name: counts[name] for name in sweeping.OUTCOMES if counts[name]}
    told = ", ".join(f"{count} {name}" for name, count in said.items())
    print(f"{len(found)} configurations of the universal GEMM: {told}; of the valid ones {dear} have bank conflicts")


def _table(title: str, rules: list[sweeping.SweepRule]) -> None:
    table = tables.Table("outcome", "count", "because", "the least such", title=title or None)
    for rule in rules:
        table.add_row(rule.outcome, str(rule.count), shortened(rule.reason), str(rule.first))
    console_for(sys.stdout).print(table)


def _rules(rules: list[sweeping.SweepRule]) -> list[dict[str, Any]]:
    return [{**vars(rule), "first": str(rule.first)} for rule in rules]


def _costs(found: list[sweeping.Swept]) -> None:
    """A line for each configuration: what a wave's accesses of LDS cost, the dearest first; what is dear stands out."""
    about = [*dict.fromkeys(cost.about for one in found for cost in one.costs)]
    if not about:
        return
    table = tables.Table(caption="cycles of a wave; 16 > 8: the least are 8")
    table.add_column("configuration", min_width=max(len(str(one.configuration)) for one in found))
    for name in ("GPU", "LDS bytes", *about):
        table.add_column(name)
    for one in sorted(found, key=lambda one: (-_excess(one), one.configuration))[:MANY]:
        cells = {cost.about: _cost(cost) for cost in one.costs}
        row = [str(one.configuration), one.target, str(one.lds_bytes or ""), *(cells.get(name, "") for name in about)]
        table.add_row(*row, style="bold yellow" if one.conflicts else "")
    console_for(sys.stdout).print(table)
    if found[MANY:]:
        print(f"and {len(found) - MANY} more that cost no more than these; --json has them all")


def _excess(one: sweeping.Swept) -> float:
    """How many times the least a configuration's accesses cost."""
    return sum(cost.cycles for cost in one.costs) / max(sum(cost.least for cost in one.costs), 1)


def _cost(cost: Any) -> str:
    dear = f" > {cost.least}" if cost.cycles > cost.least else ""
    return f"{cost.cycles}{dear}"
