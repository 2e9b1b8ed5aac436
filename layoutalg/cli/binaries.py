"""`binary`: a code object that anybody compiled, proved against the kernel program that it should be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from layoutalg.cli.errors import InputError

if TYPE_CHECKING:
    from layoutalg.device.amdgcn.against import BinaryVerdict
    from layoutalg.device.codeobject import CodeObject
    from layoutalg.device.isa import IsaDevice
    from layoutalg.kernel.program import Program
    from layoutalg.kernel.verify import Verified


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(binary)


def binary(
    file: Annotated[Path, typer.Argument(help="An AMD code object (.co).")],
    against: Annotated[str, typer.Option(help="The kernel: its folder in kernels/ or that folder's spec.toml.")],
    kernel: Annotated[str | None, typer.Option(help="The kernel's name in the file; the program's otherwise.")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="The limit for all claims.")] = 60.0,
    execute: Annotated[bool, typer.Option("--execute", help="Run it too: small sizes; LDS cycles.")] = False,
    listing: Annotated[bool, typer.Option("--listing", help="Print every instruction, with its claims.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Prove that machine code does to memory what a verified kernel program says, for all sizes."""
    from layoutalg.device.amdgcn.trial import lines
    from layoutalg.device.codeobject import CodeObject
    from layoutalg.kernel.verify import verify

    if not file.is_file():
        raise InputError(f"{file}: no such file; give an AMD code object")
    code = CodeObject.read(file.read_bytes())
    program = _program(against, code)
    name = kernel or program.name
    if name not in code.kernels:
        raise InputError(f"{file}: no kernel {name!r}; it has {', '.join(code.kernels) or 'none'}")
    verified = verify(program)
    found = decided(code, program, name, seconds)
    ran = _carried_out(code, program, name) if execute else {}
    if as_json:
        claims = [{"claim": about, "verdict": v.name, "reason": v.reason} for about, v in found.verdicts]
        executed = {"executed": ran} if ran else {}
        print(json.dumps({"kernel": name, "target": code.target, "program": program.name, "verdict": found.name,
                          "program_proved": verified.proved, "claims": claims, **executed}))  # fmt: skip
    else:
        print(
            f"{name} for {code.target} against {program.name}: machine code {found.name} ({len(found.verdicts)} claims)"
        )
        for about, verdict in found.failures:
            print(f"  {about}: {verdict.name}: {verdict.reason}")
        for text in found.assumptions:
            print(f"  assumed: {text}")
        if listing:
            print(*_listing(code, name, found, verified), sep="\n")
        if ran:
            print(*lines(ran), sep="\n")
    if ran and not ran["exact"]:
        return 1
    return {"proved": 0, "refuted": 1}.get(found.name, 2)


def _program(against: str, code: CodeObject) -> Program:
    """The library's program of a folder in kernels/, for the code's target.

    A transposition through LDS has many forms (element type, vectors, tile); the code's own kernel name tells which.
    """
    from layoutalg.cli.golden import programs
    from layoutalg.kernel.library.choose import transpose_named

    target = code.target
    path = Path(against)
    name = path.parent.name if path.suffix == ".toml" else path.name
    folders = programs()
    if name not in folders:
        raise InputError(f"no kernel {name!r} to prove against; there are {', '.join(folders)}")
    if name == "transpose_lds":
        named = next((p for p in map(transpose_named, code.kernels) if p is not None), None)
        if named is not None:
            return named
    folder = folders[name]
    if target not in folder and "" not in folder:
        raise InputError(f"{name} has no program for {target}; it has {', '.join(folder)}")
    return folder.get(target) or folder[""]


def decided(code: CodeObject, program: Program, name: str, seconds: float = 60.0) -> BinaryVerdict:
    """Every claim on the machine code of one kernel of a code object."""
    from layoutalg.device.amdgcn.against import prove_binary
    from layoutalg.device.amdgcn.binary import read_kernels
    from layoutalg.device.amdgcn.program import decode_kernel

    return prove_binary(decode_kernel(read_kernels(code.payload)[name]), program, seconds=seconds)


def _listing(code: CodeObject, name: str, found: BinaryVerdict, verified: Verified) -> Iterator[str]:
    from layoutalg.device.amdgcn.binary import read_kernels
    from layoutalg.device.amdgcn.listing import listed
    from layoutalg.device.amdgcn.program import decode_kernel

    return listed(decode_kernel(read_kernels(code.payload)[name]), found.verdicts, verified.verdicts)


def _carried_out(code: CodeObject, program: Program, name: str) -> Mapping[str, Any]:
    from layoutalg.device.amdgcn.binary import read_kernels
    from layoutalg.device.amdgcn.program import decode_kernel
    from layoutalg.device.amdgcn.trial import report

    return report(decode_kernel(read_kernels(code.payload)[name]), program)


def executed(code: CodeObject, verified: Verified, free: tuple[int, int], device: IsaDevice | None = None) -> bool:
    """Whether the machine code, carried out in numpy, transposes a matrix exactly; `free`: its sizes where they are."""
    import numpy as np

    from layoutalg.device.isa import IsaDevice
    from layoutalg.device.kernels import run

    program = verified.program
    rows, columns = free if program.sizes else (int(n) for n in program.source.descriptor.lengths)
    source = np.random.default_rng(7).standard_normal((rows, columns)).astype(program.source.dtype.numpy)
    sizes = {"M": rows, "N": columns} if program.sizes else {}
    result = run(verified, device or IsaDevice(code.target), source, (columns, rows), **sizes)
    return bool(np.array_equal(result.output, source.T))
