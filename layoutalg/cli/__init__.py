"""The command line: `layoutalg check`, `offsets`, `demo`, `run`, `emit`, `compile` …

Exit codes: 0 all proved, 1 something refuted, 2 something unknown, 3 bad input (one line on stderr says what), 130
interrupted.  Of the commands' modules only that of the one named is imported, and it imports what it needs when it
runs, so that a check starts fast; the version and the list of commands are said before any is.
"""

from __future__ import annotations

import os
import sys

from layoutalg import __version__
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg.cli import app

__all__ = ["main"]

HELP = "help.txt"
"""What `--help` says in 80 columns, kept (docs/generate/help.py makes it)."""


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        if sys.argv[1:] == ["--version"]:
            print(f"layoutalg {__version__}")
            sys.exit()
        if sys.argv[1:] == ["--help"] and _columns() >= 80:
            with open(os.path.join(os.path.dirname(__file__), "templates", HELP), encoding="utf-8") as kept:
                print(kept.read(), end="")
        else:
            app.main()
    except KeyboardInterrupt:  # also while modules are imported
        sys.exit(130)


def _columns() -> int:
    """The terminal's columns; 80 where the output is no terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 80
