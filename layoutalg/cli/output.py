"""Where output goes: text as wide as the terminal, or wide enough for any table; files into folders that are there."""

from __future__ import annotations

import math
import os
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from layoutalg.cli.errors import InputError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from rich import console

WIDTH = 120
"""Columns where the output is no terminal."""


class OutputFormat(StrEnum):
    """What a command that decides claims prints; `layoutalg.cli.reports` writes the last three."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


Format = Annotated[OutputFormat, typer.Option("--format", help="What is printed on stdout.")]


def time_limit(of: str, *, least: float = 0.001) -> Any:
    """An option of seconds: a number, of a day at most (nan is in every range, for click)."""
    return typer.Option(min=least, max=86400, callback=_number, help=f"The limit for {of}.")


def _number(seconds: float) -> float:
    if math.isnan(seconds):
        raise typer.BadParameter("nan is no number of seconds.")
    return seconds


def say(line: str) -> None:
    """Prints a line, its colours where the output is a terminal: always with `FORCE_COLOR`, never with `NO_COLOR`."""
    typer.echo(line, color=False if os.environ.get("NO_COLOR") else True if os.environ.get("FORCE_COLOR") else None)


def console_for(stream: IO[str]) -> console.Console:
    """A console on a stream."""
    return console.Console(file=stream, highlight=False, width=None if stream.isatty() else WIDTH)


def placed(path: Path | None) -> Path | None:
    """The place of an output, checked before any work is done for it; InputError where its folder is missing.

    A command makes no folders but the one it is asked for: a mistyped path is an error, not a new folder.
    """
    if path is not None and not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it, or write elsewhere")
    return path
