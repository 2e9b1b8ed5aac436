"""`binary`: a code object that anybody compiled, proved against the kernel program that it should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.output import time_limit
from layoutalg.cli.programs import program_of
from layoutalg.disk import read_whole
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg.device import codeobject, isa
    from layoutalg.kernel import program as statements
    from layoutalg.kernel import verify as verifying
    from layoutalg.refine import listing as listings
    from layoutalg.refine import refinement, trial


def binary(
    file: Annotated[Path, typer.Argument(help="An AMD code object (.co).")],
    against: Annotated[
        str, typer.Option(help="The kernel: its folder in kernels/, that folder's spec.toml, or a kernel's name.")
    ],
    kernel: Annotated[str | None, typer.Option(help="The kernel's name in the file; the program's otherwise.")] = None,
    seconds: Annotated[float, time_limit("all claims", least=0.1)] = 60.0,
    execute: Annotated[bool, typer.Option("--execute", help="Run it too: small sizes; LDS cycles.")] = False,
    listing: Annotated[bool, typer.Option("--listing", help="Print every instruction, with its claims.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Prove that machine code does to memory what a verified kernel program says, for all sizes."""
    if not file.is_file():
        raise InputError(f"{file}: no such file; give an AMD code object")
    code = codeobject.CodeObject.read(read_whole(file))
    program = program_of(against, code.target)
    name = _kernel(file, code, kernel, program)
    verified = verifying.verify(program)
    decoded = isa.machine_code(code, name)
    found = refinement.prove_binary(decoded, program, seconds=seconds)
    ran = trial.report(decoded, program) if execute else {}
    again = found.replayed
    if as_json:
        claims = [{"claim": about, "verdict": v.name, "reason": v.reason} for about, v in found.verdicts]
        executed = {"executed": ran} if ran else {}
        replayed = {"replayed": {"confirmed": again.confirmed, "text": str(again)}} if again else {}
        print(json.dumps({"kernel": name, "target": code.target, "program": program.name, "verdict": found.name,
                          "program_proved": verified.proved, "assumptions": found.assumptions, "claims": claims,
                          **replayed, **executed}))  # fmt: skip
    else:
        print(
            f"{name} for {code.target} against {program.name}: machine code {found.name} ({len(found.verdicts)} claims)"
        )
        for about, verdict in found.failures:
            print(f"  {about}: {verdict.name}: {verdict.reason}")
        if again:
            print(f"  {again}")
        for about, verdict in verified.failures:
            print(f"  of the program itself, {about}: {verdict.name}: {verdict.reason}")
        for text in found.assumptions:
            print(f"  assumed: {text}")
        if listing:
            print(*listings.listed(decoded, found.verdicts, verified.verdicts), sep="\n")
        if ran:
            print(*trial.lines(ran), sep="\n")
    if ran and ran["exact"] is False:
        return 1
    return {"proved": 0 if verified.proved else 2, "refuted": 1}.get(found.name, 2)


def _kernel(file: Path, code: codeobject.CodeObject, given: str | None, program: statements.Program) -> str:
    """The name of the kernel to look at; InputError where the code object has none of it."""
    name = given or program.name
    if name in code.kernels:
        return name
    there = next(iter(code.kernels), None)
    what = "; it has no kernel at all" if there is None else f"; it has {', '.join(code.kernels)}"
    ways = f": give --kernel {there}, or the program of its own name with --against {there}"
    raise InputError(f"{file}: no kernel {name!r}{what}{ways if there and not given else ''}")
