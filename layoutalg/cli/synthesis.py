"""`synth`: an LDS layout free of bank conflicts on every target named, the smallest of its families, with the proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import Includes, descriptor_of, sizes_of
from layoutalg.cli.files import read as layouts
from layoutalg.cli.output import placed
from layoutalg.disk import write_whole
from layoutalg.lazy import lazy_imports
from layoutalg.target import DEFAULT

with lazy_imports():
    from layoutalg.synth import command, report


def synth(
    file: Annotated[Path | None, typer.Argument(help="A spec file with accesses; or --tile.")] = None,
    include: Includes = None,
    descriptor: Annotated[str | None, typer.Option(help="The file's descriptor.")] = None,
    tile: Annotated[str | None, typer.Option(help="A GEMM tile, rows and columns, e.g. 128x64.")] = None,
    read: Annotated[str, typer.Option(help="What reads it: a matrix instruction[:a|b[:KPack]].")] = "",
    target: Annotated[str, typer.Option(help="One GPU or several, e.g. gfx942,gfx950.")] = DEFAULT,
    dtype: Annotated[str, typer.Option(help="The element type, where it is not the instruction's.")] = "",
    transposed: Annotated[
        bool, typer.Option("--transposed", help="The tile is K × M (or N), read by loads that transpose.")
    ] = False,
    direct: Annotated[int, typer.Option(help="Bytes a lane of loads that bring it straight to LDS.")] = 0,
    copy: Annotated[int, typer.Option(help="Bytes a lane of the stores that copy it to LDS; as many as fit.")] = 0,
    define: Annotated[list[str] | None, typer.Option("-D", help="A size of the file's descriptor: NAME=VALUE.")] = None,
    style: Annotated[str, typer.Option(help="any, swizzle, xor, cyclic, padding or both.")] = "any",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", callback=placed, help="A spec file, or C++ (.hpp).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Find an LDS layout that all accesses can use without bank conflicts, the smallest of the families it knows."""
    if (file is None) == (tile is None):
        raise InputError("synth: give either a spec file with accesses, or --tile ROWSxCOLUMNS --read INSTRUCTION")
    if file is not None and transposed:
        raise InputError("synth: --transposed is of --tile: in a file each access names its instruction")
    if file is not None and copy:
        raise InputError("synth: --copy is of --tile: in a file each access has its own width")
    if file is None and define:
        raise InputError("synth: -D is of a file: --tile has its sizes")
    if file is not None:
        spec = layouts(file, {}, include)
        of = descriptor_of(spec, descriptor).name
        found, code = command.from_spec(spec, of, style, direct=direct, sizes=sizes_of(define))
    else:
        targets = [name.strip() for name in target.split(",") if name.strip()]
        found, code = command.gemm(
            tile or "", dtype, read, targets, style, transposed=transposed, direct=direct, copy=copy
        )
    if output is not None:
        written = report.ck(found) if output.suffix in (".hpp", ".h", ".cpp") else report.toml(found)
        write_whole(output, written.encode())
    print(json.dumps(report.data(found), ensure_ascii=False) if as_json else report.text(found))
    return code
