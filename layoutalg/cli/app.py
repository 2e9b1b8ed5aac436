"""The application: its commands, and how every error of the library becomes one line."""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import sys
import traceback
from typing import Annotated

import typer

from layoutalg import __version__
from layoutalg.cli.errors import BAD_INPUT, DEFECT, is_told, words
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg.cli import (
        auditing,
        benching,
        binaries,
        checking,
        ck,
        comparing,
        converting,
        counting,
        demo,
        drawing,
        executing,
        explaining,
        hardware,
        hazards,
        judging,
        kernels,
        lsp,
        mcp,
        rechecking,
        starting,
        surveying,
        synthesis,
    )

COMMANDS = {
    "init": starting, "schema": starting,
    "check": checking, "lsp": lsp, "mcp": mcp, "diff": comparing, "offsets": checking, "recheck": rechecking,
    "explain": explaining, "draw": drawing, "synth": synthesis,
    "run": kernels, "emit": kernels, "compile": kernels, "binary": binaries,
    "execute": executing, "counters": counting,
    "audit": auditing, "judge": judging, "survey": surveying, "hazards": hazards, "ck": ck, "convert": converting,
    "banks": hardware, "targets": hardware, "devices": hardware, "bench": benching, "demo": demo,
}  # fmt: skip
"""The module of each command, which has a function or a group of that name (`compile_file` for `compile`)."""


NO_PRODUCTS = ("audit", "binary", "check")
"""Commands in which numpy multiplies no matrices: threads for that, one a core, take long to start."""
COLLECTED = 100_000
"""Objects made since the last look for cycles: expressions have none, and looking at all of them takes a tenth."""


def application(command: str = "") -> typer.Typer:
    """All commands; where one is named, that one alone, and for `--version` none: no other's module is imported."""
    app = typer.Typer(
        help="Prove tensor layouts, audit compiled AMD kernels, and emit kernels of proved layouts: for every size.",
        invoke_without_command=True,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for name in [command] if command in COMMANDS else [] if command == "--version" else COMMANDS:
        made = getattr(COMMANDS[name], "compile_file" if name == "compile" else name)
        if isinstance(made, typer.Typer):
            app.add_typer(made, name=name)
        else:
            app.command(name)(made)
    return app


def _options(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Say the version.")] = False
) -> None:
    if version:
        print(f"layoutalg {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Runs the command line and exits with its code."""
    gc.set_threshold(COLLECTED, 20, 20)
    if sys.argv[1:2] and sys.argv[1] in NO_PRODUCTS:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    atexit.register(gc.freeze)  # the process ends: looking through all that it held for cycles takes a tenth as well
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a file's name may be no text; in JSON the escape is one
    try:
        code = application(*sys.argv[1:2])(standalone_mode=False)
    except typer.TyperException as error:
        code = _told(f"{error.format_message()} (see layoutalg --help)", BAD_INPUT)
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except Exception as error:
        if is_told(error):
            code = _told(words(error), BAD_INPUT, *getattr(error, "shown", ()))
        else:
            traceback.print_exc()
            code = _told("this is a defect of layoutalg, not of its input; please report it", DEFECT)
    sys.exit(code if isinstance(code, int) else 0)


def _told(error: str, code: int, *below: str) -> int:
    """The error as a line on stderr, and what is shown below it; with --json also as the one document of stdout."""
    print(f"layoutalg: {error}", *below, sep="\n", file=sys.stderr)
    asked = " ".join(sys.argv[1:]).replace("=", " ")
    if "--json" in sys.argv[1:] or "--format json" in asked:
        print(json.dumps({"error": error, "exit": code}))
    return code
