"""`synth`: an LDS layout for a GEMM tile, free of bank conflicts on every target named, with the proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli.errors import InputError


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(synth)


def synth(
    tile: Annotated[str, typer.Option(help="Rows and columns, e.g. 128x64.")],
    read: Annotated[str, typer.Option(help="The matrix instruction that reads it, e.g. mfma_f32_32x32x8_f16.")],
    target: Annotated[str, typer.Option(help="One GPU or several, e.g. gfx942,gfx950.")] = "gfx942",
    dtype: Annotated[str, typer.Option(help="The element type.")] = "f16",
    style: Annotated[str, typer.Option(help="any, xor, cyclic, padding …")] = "any",
    which: Annotated[str, typer.Option(help="The operand: a (rows are M) or b (rows are N).")] = "a",
    k_pack: Annotated[int | None, typer.Option(help="CK's KPack: consecutive k a lane.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A spec file, or C++ (.hpp).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Find the smallest LDS layout that all accesses can use without bank conflicts."""
    from layoutalg.device.cache import write_atomically
    from layoutalg.synth.problem import gemm_problem
    from layoutalg.synth.report import ck, data, text, toml
    from layoutalg.synth.search import synthesize

    rows, columns = _tile(tile)
    targets = tuple(name.strip() for name in target.split(",") if name.strip())
    found = synthesize(gemm_problem(rows, columns, dtype, read, targets, which, k_pack), style)
    if output is not None:
        written = ck(found) if output.suffix in (".hpp", ".h", ".cpp") else toml(found)
        write_atomically(output, written.encode())
    print(json.dumps(data(found), ensure_ascii=False) if as_json else text(found))
    return 0 if found.conflict_free else 1


def _tile(given: str) -> tuple[int, int]:
    rows, _, columns = given.partition("x")
    if not (rows.isdigit() and columns.isdigit()):
        raise InputError(f"--tile {given}: give rows and columns, e.g. 128x64")
    return int(rows), int(columns)
