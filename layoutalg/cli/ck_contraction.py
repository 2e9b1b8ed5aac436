"""`ck contraction`: the tuning parameters of CK's contractions, checked, and as tiles of our own generator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.disk import write_whole
from layoutalg.errors import LayoutError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg import target as targets
    from layoutalg.ck import contraction as tunings
    from layoutalg.formats import spec
    from layoutalg.kernel import emit as emission
    from layoutalg.kernel import verify
    from layoutalg.kernel.library import contraction as products
    from layoutalg.kernel.library import einsum as einsums
    from layoutalg.kernel.library import epilogues
    from layoutalg.target import dtypes


def contraction(
    file: Annotated[Path, typer.Argument(help="C++ that names instances: using X = …Xdl_CShuffle<…>.")],
    target: Annotated[str, typer.Option(help="The GPU.")] = "gfx942",
    dtype: Annotated[str, typer.Option(help="Elements that are multiplied: f64, f32, f16 or bf16.")] = "f32",
    instance: Annotated[str, typer.Option(help="Only this one, by its alias.")] = "",
    einsum: Annotated[str, typer.Option(help="Emit our own kernel of the instance's tile for this einsum.")] = "",
    epilogue: Annotated[str, typer.Option(help="What that does with the sums, by CK's name.")] = "PassThrough",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where the source goes; else stdout.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Say of each instance of DeviceContractionMultipleD_Xdl_CShuffle whether its parameters are valid, and why not.

    The first reason is told, with the place in CK's source that says so. Exit 1 where an instance is not valid.
    With --einsum, the tile of --instance becomes a kernel of our own, proved for all sizes, or nothing is written.

    \b
    layoutalg ck contraction common_instances.hpp --target gfx942 --dtype f32
    """
    targets.target(target)
    found = tunings.instances(spec.read_text(file))
    if instance:
        if instance not in found:
            raise InputError(f"{file}: no instance {instance!r}; there are {', '.join(found) or 'none'}")
        found = {instance: found[instance]}
    if not found:
        raise InputError(f"{file}: no {tunings.OPERATION} is named by a using declaration")
    dtype = dtypes.element_type(dtype).name
    if einsum:
        if len(found) != 1:
            raise InputError(f"{file}: {len(found)} instances; --instance says which becomes a kernel")
        return _emitted(next(iter(found.values())), target, dtype, einsum, epilogue, output)
    why = {name: next(tunings.reasons(tuning, dtype, target), None) for name, tuning in found.items()}
    if as_json:
        print(json.dumps({name: {"valid": reason is None, "reason": reason} for name, reason in why.items()}))
    else:
        for name, reason in why.items():
            print(f"{name} for {target}, {dtype}: {reason or 'valid'}")
    return 1 if any(why.values()) else 0


def _emitted(
    tuning: tunings.ContractionTuning, target: str, dtype: str, einsum: str, epilogue: str, output: Path | None
) -> int:
    letters = einsums.merged(einsums.parse_einsum(einsum))
    ds = epilogues.d_tensors(letters.result, epilogue, dtype)
    plan = tunings.plan_of(tuning, dtype, target)
    program = products.contraction(letters, dtype, target=target, plan=plan, epilogue=epilogues.Epilogue(epilogue, ds))
    proved = verify.verify(program)
    if not proved.proved:
        raise LayoutError(f"{program.name}: {proved.failures[0][0]} is not proved")
    text = emission.emit(proved, target)
    if output is None:
        print(text)
    else:
        write_whole(output, text.encode())
    return 0
