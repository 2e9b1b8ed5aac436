"""`execute`: a kernel that anybody compiled, carried out on this processor as a launch file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg.cli.arrays import read_elements, write_array
from layoutalg.cli.errors import InputError
from layoutalg.cli.files import Includes, defines_of, load, sizes_of
from layoutalg.cli.output import placed
from layoutalg.disk import write_whole
from layoutalg.errors import STEP_LIMIT, CodeObjectError, Fault
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg.counters import call as counting
    from layoutalg.device import plain
    from layoutalg.isa.container import binary, chosen, lines, names, places
    from layoutalg.isa.decode import code as codes
    from layoutalg.isa.run import launch, observer
    from layoutalg.launch import concrete, report

FAULT = 1
"""Exit code of a run that does what no correct kernel does."""


def execute(
    file: Annotated[Path, typer.Argument(help="A code object, a bundle, or a library or executable with kernels.")],
    launch_file: Annotated[Path, typer.Option("--launch", help="The launch file (.toml, .json).")],
    define: Annotated[list[str] | None, typer.Option("-D", "--define", help="A size: M=100.")] = None,
    inputs: Annotated[list[str] | None, typer.Option("--input", help="What a tensor holds: x=x.npy.")] = None,
    outputs: Annotated[list[str] | None, typer.Option("--output", help="Where a tensor goes: o=o.npy.")] = None,
    argument: Annotated[list[str] | None, typer.Option(help="A value: alpha=0.5; by its place: 3=7.")] = None,
    kernel: Annotated[str | None, typer.Option(help="The kernel, where the launch file names none.")] = None,
    target: Annotated[str, typer.Option(help="Which code objects of a bundle: gfx942, gfx90a:xnack-.")] = "",
    seed: Annotated[int, typer.Option(help="Of tensors that are not given.")] = 0,
    steps: Annotated[int, typer.Option(min=1, help="Instructions after which a kernel hangs.")] = STEP_LIMIT,
    unaligned: Annotated[bool, typer.Option("--unaligned", help="Unaligned accesses are no fault.")] = False,
    order: Annotated[int | None, typer.Option(help="Waves take turns at random, by this seed.")] = None,
    ahead: Annotated[str, typer.Option(help="Waves of a block that go as far as they can before others: 3,1.")] = "",
    trace: Annotated[bool, typer.Option("--trace", help="Each instruction of a wave, and what it wrote.")] = False,
    trace_block: Annotated[str, typer.Option(help="The block of the trace.")] = "0,0,0",
    trace_wave: Annotated[int, typer.Option(min=0, help="The wave in that block.")] = 0,
    trace_file: Annotated[Path | None, typer.Option(callback=placed, help="Where the trace goes.")] = None,
    counters: Annotated[bool, typer.Option("--counters", help="What rocprofv3 would count of it, too.")] = False,
    unchecked: Annotated[bool, typer.Option("--unchecked", help="Results alone, compiled: large launches.")] = False,
    include: Includes = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Carry out a kernel that anybody compiled, as a launch file says; exit 1 for what no correct kernel does.

    \b
    layoutalg execute transpose.co --launch transpose.toml -D M=100 -D N=70 --input x=x.npy --output o=o.npy
    """
    spec = load(launch_file, include)
    payload, found = chosen_kernel(file, kernel or (spec.launch.kernel if spec.launch else None), target)
    code = codes.decode_kernel(found)
    values = {name: value_of(text) for name, text in defines_of(argument).items()}
    given = {name: read_elements(Path(path)) for name, path in defines_of(inputs).items()}
    wanted = {name: placed(Path(path)) for name, path in defines_of(outputs).items()}
    made = concrete.bound(spec, code.kernel.metadata, sizes_of(define), given, values, seed)
    for name in wanted:
        if name not in made.tensors:
            raise InputError(f"--output {name}: the launch has no tensor {name!r}; it has {', '.join(made.tensors)}")
    if unchecked and (ahead or trace or trace_file or counters or order is not None):
        raise InputError("--unchecked is for results alone: give no order of waves, trace or counters with it")
    watch = observer.Observer(_triple(trace_block), trace_wave, trace or trace_file is not None, counters)
    where = lines.SourceLines.read(payload).of
    head = {"kernel": code.kernel.name, "target": code.kernel.target, "grid": made.grid, "block": made.block}
    try:
        if unchecked:
            run = plain.execute_plainly(code, made.grid, made.block, made.arguments, steps, not unaligned, made.lds)
        else:
            run = launch.execute(code, made.grid, made.block, made.arguments, steps, order, not unaligned, made.lds,
                                 watch, _waves(ahead))  # fmt: skip
    except Fault as fault:
        _tell_trace(watch, where, trace_file, as_json)
        _tell_fault(head, report.fault_data(fault, made, where), as_json, watch if trace else None)
        return FAULT
    for tensor, memory in zip(made.passed, run.outputs, strict=True):
        path = wanted.get(tensor.name)
        if path:
            write_array(path, tensor.read(memory))
    _tell_trace(watch, where, trace_file, as_json)
    told = report.unchecked(made, run) if unchecked else report.report(code, made, run, watch, where)
    counted = counting.of_run(code, made, run, watch) if counters else None
    if as_json:
        also = {"counters": counted.report} if counted else {}
        print(json.dumps({**head, **told, **_traced(watch, trace), **also}))
        return 0
    print(headline(head))
    print(*report.text(told), sep="\n")
    if counted:
        print(*counting.text(counted), sep="\n")
    return 0


def chosen_kernel(file: Path, name: str | None, target: str) -> tuple[bytes, binary.KernelBinary]:
    """The kernel of that name, or the only one, and the code object that holds it."""
    try:
        return chosen.chosen_kernel(places.content_of(file), name, target)
    except CodeObjectError as error:
        raise InputError(f"{file}: {error}") from error


def value_of(text: str) -> Any:
    """A number that is given as text: an integer in any base, or a fraction."""
    for read in (lambda: int(text, 0), lambda: float(text)):
        try:
            return read()
        except ValueError:
            continue
    raise InputError(f"--argument …={text}: give a number, 2 for an integer or 2.0 for a fraction")


def _triple(text: str) -> tuple[int, int, int]:
    parts = text.split(",")
    if len(parts) > 3 or not all(part.strip().isdigit() for part in parts):
        raise InputError(f"--trace-block {text}: give the block's x,y,z, e.g. 1,0,0")
    x, y, z = (*map(int, parts), 0, 0)[:3]
    return x, y, z


def _waves(text: str) -> tuple[int, ...]:
    parts = text.split(",") if text else []
    if not all(part.strip().isdigit() for part in parts):
        raise InputError(f"--ahead {text}: give numbers of a block's waves, e.g. 3,1")
    return tuple(map(int, parts))


def headline(head: dict[str, Any]) -> str:
    grid, block = (" × ".join(map(str, head[key])) for key in ("grid", "block"))
    return f"{names.spoken(head['kernel'])} for {head['target']}: {grid} blocks of {block} threads"


def _traced(watch: observer.Observer, wanted: bool) -> dict[str, Any]:
    return {"trace": [vars(one) for one in watch.trace]} if wanted else {}


def _tell_trace(watch: observer.Observer, where: report.Lines, file: Path | None, as_json: bool) -> None:
    """The trace as text, to its file or to stdout; in a JSON document it has its own place."""
    if not watch.tracing or (as_json and file is None):
        return
    parts = []
    for one in watch.trace:
        source = where(report.address_of(one.where))
        instruction, *wrote = str(one).split("\n")
        parts.append("\n".join([f"{instruction}  ; {source}" if source else instruction, *wrote]))
    if len(parts) == observer.LONGEST_TRACE:
        parts.append(f"the trace ends here, after {len(parts)} instructions")
    text = "\n".join(parts) or f"block {watch.block} wave {watch.wave} carried out nothing"
    if file is None:
        print(text)
    else:
        write_whole(file, f"{text}\n".encode())


def _tell_fault(head: dict[str, Any], found: dict[str, Any], as_json: bool, traced: observer.Observer | None) -> None:
    if as_json:
        print(json.dumps({**head, "fault": found, **(_traced(traced, True) if traced else {})}))
        return
    print(f"{headline(head)}: fault")
    source = f" ({found['source']})" if "source" in found else ""
    print(f"  {found['kind']}: {found['what']}")
    print(f"  at {found['where']}{source}")
    if "hint" in found:
        print(f"  {found['hint']}")
