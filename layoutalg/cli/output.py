"""Where text goes: as wide as the terminal, or wide enough for any table where there is none."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 120
"""Columns where the output is no terminal."""


def console_for(stream: IO[str]) -> Console:
    """A console on a stream."""
    from rich.console import Console

    return Console(file=stream, highlight=False, width=None if stream.isatty() else WIDTH)
