"""`init` and `schema`: the files that one begins with."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.output import placed
from layoutalg.disk import write_whole


class Template(StrEnum):
    """What `init` writes."""

    SPEC = "spec"
    LAUNCH = "launch"
    PYTEST = "pytest"


Output = Annotated[
    Path | None, typer.Option("-o", "--output", callback=placed, help="A new file; without it, the standard output.")
]


def init(
    what: Annotated[
        Template, typer.Argument(help="A spec file of layouts, a kernel's launch file, or an entry for pyproject.toml.")
    ] = Template.SPEC,
    output: Output = None,
) -> int:
    """Write a commented file to begin with; every line of it works as it is."""
    text = files("layoutalg.cli").joinpath("templates", f"{what}.toml").read_text(encoding="utf-8")
    return _written(text, output)


class Schema(StrEnum):
    """What `schema` describes."""

    SPEC = "spec"
    CHECK = "check"
    DIFF = "diff"
    AUDIT = "audit"


def schema(
    what: Annotated[
        Schema, typer.Argument(help="Spec and launch files, or what a command prints with --format json.")
    ] = Schema.SPEC,
    output: Output = None,
) -> int:
    """Write the JSON Schema of spec and launch files, by which editors complete them, or of what a command prints."""
    folder = files("layoutalg.formats") if what is Schema.SPEC else files("layoutalg.cli").joinpath("templates")
    return _written(folder.joinpath(f"{what}.schema.json").read_text(encoding="utf-8"), output)


def _written(text: str, output: Path | None) -> int:
    if output is None:
        print(text, end="")
        return 0
    if output.exists():
        raise InputError(f"{output}: is there already; nothing was written")
    write_whole(output, text.encode())
    return 0
