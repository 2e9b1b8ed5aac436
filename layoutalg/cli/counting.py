"""`counters`: what rocprofv3 would count of a launch, without a GPU: at given sizes, or as formulas in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli import executing
from layoutalg.cli.arrays import read_elements
from layoutalg.cli.errors import InputError
from layoutalg.cli.files import Includes, defines_of, load, sizes_of
from layoutalg.errors import STEP_LIMIT, Fault
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg.counters import call
    from layoutalg.counters.formulas import call as formulas
    from layoutalg.isa.decode import code as codes
    from layoutalg.launch import concrete


class CounterFormat(StrEnum):
    """How counters are told."""

    TEXT = "text"
    JSON = "json"


def counters(
    file: Annotated[Path, typer.Argument(help="A code object, a bundle, or a library or executable with kernels.")],
    launch_file: Annotated[Path, typer.Option("--launch", help="The launch file (.toml, .json).")],
    define: Annotated[list[str] | None, typer.Option("-D", "--define", help="A size: M=100.")] = None,
    inputs: Annotated[list[str] | None, typer.Option("--input", help="What a tensor holds: x=x.npy.")] = None,
    argument: Annotated[list[str] | None, typer.Option(help="A value: alpha=0.5; by its place: 3=7.")] = None,
    kernel: Annotated[str | None, typer.Option(help="The kernel, where the launch file names none.")] = None,
    target: Annotated[str, typer.Option(help="Which code objects of a bundle: gfx942, gfx90a:xnack-.")] = "",
    compare: Annotated[Path | None, typer.Option(help="Another build, launched the same: side by side.")] = None,
    seed: Annotated[int, typer.Option(help="Of tensors that are not given.")] = 0,
    steps: Annotated[int, typer.Option(min=1, help="Instructions after which a kernel hangs.")] = STEP_LIMIT,
    seconds: Annotated[float, typer.Option(min=0, help="For formulas: following, and what they rest on.")] = 60.0,
    include: Includes = None,
    form: Annotated[CounterFormat, typer.Option("--format", help="How they are told.")] = CounterFormat.TEXT,
) -> int:
    """What rocprofv3 would count of a launch, by a run of its machine code over the whole grid; exit 1 for a fault.

    Where sizes are not given, what it would count at any of them: formulas.

    \b
    layoutalg counters gemm.co --launch gemm.toml -D M=1024 -D N=1024 -D K=1024
    layoutalg counters gemm.co --launch gemm.toml
    """
    spec = load(launch_file, include)
    wanted = kernel or (spec.launch.kernel if spec.launch else None)
    values = {name: executing.value_of(text) for name, text in defines_of(argument).items()}
    given = {name: read_elements(Path(path)) for name, path in defines_of(inputs).items()}
    sizes = sizes_of(define)
    if strange := sizes.keys() - spec.symbols.keys():
        raise InputError(
            f"-D {min(strange)}: {launch_file} has no such size; it has {', '.join(spec.symbols) or 'none'}"
        )
    if spec.symbols.keys() - sizes.keys():
        both = (file, compare) if compare else (file,)
        codes_of = [codes.decode_kernel(executing.chosen_kernel(one, wanted, target)[1]) for one in both]
        _tell_formulas(both, [formulas.formulas_of(one, spec, sizes, seconds) for one in codes_of], form)
        return 0
    found = []
    for one in (file, compare) if compare else (file,):
        code = codes.decode_kernel(executing.chosen_kernel(one, wanted, target)[1])
        made = concrete.bound(spec, code.kernel.metadata, sizes, given, values, seed)
        try:
            found.append(call.counters_of(code, made, steps))
        except Fault as fault:
            told = {"kernel": code.kernel.name, "fault": {"kind": fault.kind, "what": fault.what, "where": fault.where}}
            print(json.dumps(told) if form is CounterFormat.JSON else f"{one}: {fault.kind}: {fault}")
            return executing.FAULT
    if form is CounterFormat.JSON:
        print(json.dumps(found[0].report if len(found) == 1 else [each.report for each in found]))
        return 0
    for path, each in zip((file, compare), found, strict=False):
        head = {"kernel": each.kernel, "target": each.target, "grid": each.grid, "block": each.block}
        print(f"{path}: {executing.headline(head)}")
    print(*call.text(*found), sep="\n")
    return 0


def _tell_formulas(files: Sequence[Path], found: Sequence[formulas.CounterFormulas], form: CounterFormat) -> None:
    """Formulas of one kernel, or of two builds one after the other."""
    if form is CounterFormat.JSON:
        print(json.dumps(found[0].report if len(found) == 1 else [each.report for each in found]))
        return
    for path, each in zip(files, found, strict=True):
        print(f"{path}: {each.kernel} for {each.target}")
        print(*formulas.text(each), sep="\n")
