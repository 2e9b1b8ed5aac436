"""`explain`: what a file's descriptors do, what holds of them, where the risk is, and what would fix it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import (
    SOURCES,
    Includes,
    accesses_of,
    defines_of,
    descriptor_of,
    missing,
    read,
    sizes_of,
    unread_reason,
)
from layoutalg.cli.output import time_limit
from layoutalg.lazy import lazy_imports
from layoutalg.target import DEFAULT_EXPLAINED

with lazy_imports():
    import layoutalg.explain as explaining
    import layoutalg.prove as prove
    from layoutalg.formats import sized


def explain(
    file: Annotated[Path, typer.Argument(help="A spec file, or CK Tile C++.")],
    descriptor: Annotated[str | None, typer.Option(help="The descriptor's name; all of them otherwise.")] = None,
    target: Annotated[
        list[str] | None, typer.Option(help=f"A GPU whose LDS is told of; {' and '.join(DEFAULT_EXPLAINED)} otherwise.")
    ] = None,
    define: Annotated[list[str] | None, typer.Option("-D", help="A size: NAME=VALUE.")] = None,
    include: Includes = None,
    fix: Annotated[bool, typer.Option("--fix", help="Show the proposed LDS layout as a spec file.")] = False,
    seconds: Annotated[float, time_limit("each claim")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="A section of a LaTeX document for each.")] = False,
) -> int:
    """Explain each descriptor of a file: what it does, what holds, where the risk is, what would fix it."""
    if as_json and as_latex:
        raise InputError("--json and --latex: give one of them")
    defines = defines_of(define)
    spec = read(file, defines, include, partly=True)
    items = spec.descriptors if descriptor is None else (descriptor_of(spec, descriptor),)
    why = f"{unread_reason(spec)}{missing(file, defines)}" if descriptor is None and spec.unread else ""
    if not items:
        kinds = ", ".join(item.name for item in spec.items)
        told = f"; it has {kinds}, which are no descriptors" if kinds else ""
        raise InputError(f"{file}: no descriptor to explain{told}{f'; {why}' if why else ''}")
    if why:
        print(f"note: {file}: {why}", file=sys.stderr)
    sizes = {} if file.suffix in SOURCES else sizes_of(define)
    limits = prove.Limits(seconds=seconds)
    found = []
    for item in items:
        own = accesses_of(spec, item.name)
        at_sizes = [sized.sized_access(one, sizes) for one in own]
        at = sized.sized(item, sizes, own)
        found.append(explaining.explain(at, tuple(target or DEFAULT_EXPLAINED), limits, at_sizes))
    if as_json:
        document = {"file": spec.path, "descriptors": [explaining.data(one) for one in found]}
        print(json.dumps(document, indent=1, ensure_ascii=False))
    else:
        print("\n\n".join(explaining.latex(one) if as_latex else explaining.text(one, with_spec=fix) for one in found))
    return 0
