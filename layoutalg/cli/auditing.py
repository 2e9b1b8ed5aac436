"""`audit`: a kernel that anybody compiled, proved safe as a launch file says it is launched."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from layoutalg.cli.executing import chosen_kernel
from layoutalg.lazy import lazy

if TYPE_CHECKING:
    from layoutalg import formats
    from layoutalg.isa.container import lines
    from layoutalg.isa.decode import code as codes
    from layoutalg.isa.run import report
    from layoutalg.refine.audit import audit as auditing
else:
    formats = lazy("layoutalg.formats")
    lines = lazy("layoutalg.isa.container.lines")
    codes = lazy("layoutalg.isa.decode.code")
    report = lazy("layoutalg.isa.run.report")
    auditing = lazy("layoutalg.refine.audit.audit")


def audit(
    file: Annotated[Path, typer.Argument(help="A code object, a bundle of them, or a library that holds some.")],
    launch_file: Annotated[Path, typer.Option("--launch", help="A spec file with a [launch] table (.toml, .json).")],
    kernel: Annotated[str | None, typer.Option(help="The kernel, where the launch file names none.")] = None,
    target: Annotated[str, typer.Option(help="Whose code object, where a file holds several.")] = "",
    seconds: Annotated[float, typer.Option(min=0.1, help="The limit for all claims.")] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Prove that a kernel is safe as it is launched, for all sizes; exit 1 where a run shows that it is not, 2 unknown.

    \b
    layoutalg audit transpose.co --launch transpose.toml
    """
    spec = formats.load(launch_file)
    payload, chosen = chosen_kernel(file, kernel or (spec.launch.kernel if spec.launch else None), target)
    found = auditing.audit(codes.decode_kernel(chosen), spec, seconds)
    where = lines.SourceLines.read(payload).of
    claims = [
        {"claim": claim, "about": about, "verdict": one.name, "by": one.strategy, "reason": one.reason}
        | _source(about, where)
        for claim, about, one in found.claims
    ]
    if as_json:
        print(json.dumps({"kernel": found.kernel, "target": found.target, "verdict": found.name, "claims": claims,
                          "assumptions": found.assumptions}))  # fmt: skip
    else:
        print(f"{found.kernel} for {found.target}: {found.name} ({len(claims)} claims)")
        for claim, each in Counter(one["claim"] for one in claims).items():
            proved = sum(one["claim"] == claim and one["verdict"] == "proved" for one in claims)
            print(f"  {claim}: {'proved' if proved == each else f'{proved} of {each} proved'}")
        for one in claims:
            if one["verdict"] != "proved":
                source = f" ({one['source']})" if "source" in one else ""
                print(f"  {one['claim']}, {one['about']}{source}: {one['verdict']}: {one['reason']}")
        for text in found.assumptions:
            print(f"  assumed: {text}")
    return {"proved": 0, "refuted": 1}.get(found.name, 2)


def _source(about: str, where: report.Lines) -> dict[str, str]:
    """The source line of the instruction that a claim is about."""
    found = where(report.address_of(about))
    return {"source": found} if found else {}
