"""`binary`: a code object that anybody compiled, proved against the kernel program that it should be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.programs import program_of
from layoutalg.disk import read_whole
from layoutalg.lazy import lazy

if TYPE_CHECKING:
    import numpy as np

    from layoutalg.device import codeobject, isa, kernels
    from layoutalg.isa.container import binary as containers
    from layoutalg.isa.decode import code as decoding
    from layoutalg.kernel import verify as verifying
    from layoutalg.kernel.emit import kernel as emitted
    from layoutalg.kernel.program import Program
    from layoutalg.refine import listing as listings
    from layoutalg.refine import refinement, trial
else:
    np = lazy("numpy")
    codeobject = lazy("layoutalg.device.codeobject")
    isa = lazy("layoutalg.device.isa")
    kernels = lazy("layoutalg.device.kernels")
    containers = lazy("layoutalg.isa.container.binary")
    decoding = lazy("layoutalg.isa.decode.code")
    verifying = lazy("layoutalg.kernel.verify")
    emitted = lazy("layoutalg.kernel.emit.kernel")
    listings = lazy("layoutalg.refine.listing")
    refinement = lazy("layoutalg.refine.refinement")
    trial = lazy("layoutalg.refine.trial")


def binary(
    file: Annotated[Path, typer.Argument(help="An AMD code object (.co).")],
    against: Annotated[
        str, typer.Option(help="The kernel: its folder in kernels/, that folder's spec.toml, or a kernel's name.")
    ],
    kernel: Annotated[str | None, typer.Option(help="The kernel's name in the file; the program's otherwise.")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="The limit for all claims.")] = 60.0,
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
    found = decided(code, program, name, seconds)
    ran = _carried_out(code, program, name) if execute else {}
    again = found.replayed
    assumed = list(_assumed(program, found))
    if as_json:
        claims = [{"claim": about, "verdict": v.name, "reason": v.reason} for about, v in found.verdicts]
        executed = {"executed": ran} if ran else {}
        replayed = {"replayed": {"confirmed": again.confirmed, "text": str(again)}} if again else {}
        print(json.dumps({"kernel": name, "target": code.target, "program": program.name, "verdict": found.name,
                          "program_proved": verified.proved, "assumptions": assumed, "claims": claims, **replayed,
                          **executed}))  # fmt: skip
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
        for text in assumed:
            print(f"  assumed: {text}")
        if listing:
            print(*_listing(code, name, found, verified), sep="\n")
        if ran:
            print(*trial.lines(ran), sep="\n")
    if ran and ran["exact"] is False:
        return 1
    return {"proved": 0 if verified.proved else 2, "refuted": 1}.get(found.name, 2)


STANDING = (
    "buffers begin at multiples of 16 bytes, do not overlap, and lie beside the apertures of LDS and scratch",
    "the machine does what AMD's pseudocode says; time, wait states and cache policy are not modelled",
)
"""What every verdict on machine code assumes (`layoutalg.refine.refinement`)."""


def _assumed(program: Program, found: refinement.BinaryVerdict) -> Iterator[str]:
    """What a verdict rests on: the sizes that it speaks of, the launch, the model, and what reading the code took."""
    if program.sizes:
        yield emitted.conditions(program)
    yield from STANDING
    yield from found.assumptions


def _kernel(file: Path, code: codeobject.CodeObject, given: str | None, program: Program) -> str:
    """The name of the kernel to look at; InputError where the code object has none of it."""
    name = given or program.name
    if name in code.kernels:
        return name
    there = next(iter(code.kernels), None)
    what = "; it has no kernel at all" if there is None else f"; it has {', '.join(code.kernels)}"
    ways = f": give --kernel {there}, or the program of its own name with --against {there}"
    raise InputError(f"{file}: no kernel {name!r}{what}{ways if there and not given else ''}")


def decided(
    code: codeobject.CodeObject, program: Program, name: str, seconds: float = 60.0
) -> refinement.BinaryVerdict:
    """Every claim on the machine code of one kernel of a code object."""
    return refinement.prove_binary(_decoded(code, name), program, seconds=seconds)


def _decoded(code: codeobject.CodeObject, name: str) -> decoding.MachineCode:
    return decoding.decode_kernel(containers.read_kernels(code.payload)[name])


def _listing(
    code: codeobject.CodeObject, name: str, found: refinement.BinaryVerdict, verified: verifying.Verified
) -> Iterator[str]:
    return listings.listed(_decoded(code, name), found.verdicts, verified.verdicts)


def _carried_out(code: codeobject.CodeObject, program: Program, name: str) -> Mapping[str, Any]:
    return trial.report(_decoded(code, name), program)


def executed(
    code: codeobject.CodeObject,
    verified: verifying.Verified,
    free: tuple[int, int],
    device: isa.IsaDevice | None = None,
) -> bool:
    """Whether the machine code, carried out in numpy, transposes a matrix exactly; `free`: its sizes where they are."""
    program = verified.program
    rows, columns = free if program.sizes else (int(n) for n in program.source.descriptor.lengths)
    source = np.random.default_rng(7).standard_normal((rows, columns)).astype(program.source.dtype.numpy)
    sizes = {"M": rows, "N": columns} if program.sizes else {}
    result = kernels.run(verified, device or isa.IsaDevice(code.target), source, (columns, rows), **sizes)
    return bool(np.array_equal(result.output, source.T))
