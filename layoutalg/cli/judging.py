"""`judge`: a kernel that nobody trusts, held against a reference: compiled, given a contract, audited, tried."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg import __version__
from layoutalg.cli.auditing import UNKNOWN, Told
from layoutalg.cli.errors import InputError
from layoutalg.cli.executing import chosen_kernel
from layoutalg.cli.files import SOURCES, defines_of, load
from layoutalg.cli.output import placed, time_limit
from layoutalg.disk import write_whole
from layoutalg.lazy import lazy_imports
from layoutalg.target import DEFAULT

with lazy_imports():
    from layoutalg import device
    from layoutalg.audit.figures import figures as measured
    from layoutalg.audit.figures import template
    from layoutalg.isa.container import chosen, lines, names, signature
    from layoutalg.isa.decode import code as codes
    from layoutalg.judge import contract as contracts
    from layoutalg.judge import function, graph, source, verdict

#: The part of the time that a template may take.
TEMPLATE_SHARE = 1 / 4


def judge(
    kernel_file: Annotated[
        Path, typer.Argument(metavar="KERNEL", help="A HIP source, a torch extension's, or a code object.")
    ],
    reference: Annotated[
        list[str],
        typer.Option(
            help="An equation, o\\[i] = 2.0 * x\\[i]; a Python file with a function of numpy or torch. May repeat."
        ),
    ],
    shape: Annotated[list[str] | None, typer.Option(help="How large a tensor is: x=M,K.")] = None,
    given: Annotated[list[str] | None, typer.Option(help="What holds of sizes: K % 8 == 0.")] = None,
    grid: Annotated[str | None, typer.Option(help="Blocks, where the source does not say: (n + 255) // 256.")] = None,
    block: Annotated[str | None, typer.Option(help="Threads of a block, where the source does not say: 32,8.")] = None,
    launch_file: Annotated[
        Path | None, typer.Option("--launch", help="A launch file, in place of shapes, grid and block.")
    ] = None,
    kernel: Annotated[str | None, typer.Option(help="The kernel, where there are several.")] = None,
    target: Annotated[str, typer.Option(help="The GPU, e.g. gfx942.")] = DEFAULT,
    include: Annotated[list[Path] | None, typer.Option("-I", "--include", help="A folder of headers.")] = None,
    seconds: Annotated[float, time_limit("all of it", least=0.1)] = 60.0,
    contract: Annotated[
        Path | None, typer.Option(callback=placed, help="Where the launch file goes that it was held against (.json).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    r"""Judge a kernel that nobody trusts: is it safe, and what the reference says, for all sizes?

    Exit 0 where all is proved, 1 where a run shows that something is wrong, 2 where something is unknown or only tried.

    \b
    layoutalg judge scale.hip --reference "o\[i] = alpha * x\[i]" --shape x=n --shape o=n
    """
    functions = [text for text in reference if text.endswith(".py")]
    if functions and len(reference) > 1:
        raise InputError("--reference: one Python file, or equations")
    wanted = function.ReferenceFunction.of(Path(functions[0])) if functions else None
    asked = contracts.Reference((), ()) if wanted else contracts.Reference.of(reference)
    payload, text = _compiled(kernel_file, target, include)
    spec = load(launch_file) if launch_file is not None else None
    name = kernel or (spec.launch.kernel if spec is not None and spec.launch else None)
    payload, found = chosen.chosen_kernel(payload, name, "" if text else target) if text else chosen_kernel(
        kernel_file, name, "")  # fmt: skip
    code, where = codes.decode_kernel(found), lines.SourceLines.read(payload).of
    said = contracts.StatedLaunch(
        defines_of(shape), tuple(given or ()), tuple(source.split(grid)) if grid else (), _block(block)
    )
    parameters = template.named(found.metadata.visible, signature.parameters(payload, found.entry))
    data = _template(code, parameters, seconds) if launch_file is None else _data(launch_file)
    tensors = [one["name"] for one in data.get("descriptor", [])]
    asked = contracts.Reference((), wanted.writes(tensors)) if wanted else asked
    if launch_file is not None:
        made = contracts.of_file(data, asked, str(launch_file))
    else:
        made = contracts.proposed(data, parameters, asked, said, text)
    if wanted:
        try:
            equations = wanted.equations(contracts.tensors(made), asked.writes, made.file)
            made = contracts.claiming(made, contracts.Reference(equations, asked.writes))
        except graph.UnsaidError as why:
            made = replace(made, notes=(*made.notes, f"the reference is only tried: {why}"))
    if contract is not None:
        write_whole(contract, json.dumps(made.data, indent=1).encode())
    compare = wanted.compare(made.file, asked.writes) if wanted else None
    judged = verdict.judge(code, made, compare, seconds * (1 if launch_file else 1 - TEMPLATE_SHARE))
    told = Told(judged.audit, where)
    if as_json:
        document = {"layoutalg": __version__, "kernel": code.kernel.name, "target": code.kernel.target,
                    "verdict": judged.verdict, "rows": [row.data for row in judged.rows], "contract": made.data,
                    "notes": [*made.notes], "not_judged": [*verdict.UNJUDGED], "audit": told.data}  # fmt: skip
        print(json.dumps(document))
    else:
        print(f"{names.spoken(code.kernel.name)} for {code.kernel.target}: {judged.verdict}")
        for row in judged.rows:
            print(f"  {row.name:12} {': '.join(part for part in (row.verdict, row.about, row.why) if part)}")
        print(*(f"  contract: {note}" for note in made.notes), sep="\n")
        print(*(f"  assumed: {text}" for text in judged.audit.assumptions), sep="\n")
        print(f"  not judged: {'; '.join(verdict.UNJUDGED)}")
    return {"proved": 0, "refuted": 1}.get(judged.verdict, UNKNOWN)


def _compiled(file: Path, target: str, include: list[Path] | None) -> tuple[bytes, str]:
    """The code object of a source, and its text; of what is a code object nothing yet."""
    if file.suffix not in (*SOURCES, ".cu"):
        return b"", ""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: no text: {error}") from None
    if why := source.depends(text):
        raise InputError(f"{file}: {why}")
    placed_at = f"#line 1 {json.dumps(str(file), ensure_ascii=False)}\n{source.of_device(text)}"
    folders = [file.resolve().parent, *(include or ())]
    return device.compile_source(placed_at, target, flags=("-g",), include=folders).payload, text


def _template(code: Any, parameters: Any, seconds: float) -> dict[str, Any]:
    return tomllib.loads(measured.figures(code, seconds * TEMPLATE_SHARE, parameters).template)


def _data(file: Path) -> dict[str, Any]:
    """A launch file as data, which was read before."""
    text = file.read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    if "launch" not in data:
        raise InputError(f"{file}: it has no [launch] table")
    return data


def _block(text: str | None) -> tuple[int, ...]:
    parts = text.split(",") if text else []
    if not all(part.strip().isdecimal() for part in parts):
        raise InputError(f"--block {text}: give numbers of threads, e.g. 32,8")
    return tuple(map(int, parts))
