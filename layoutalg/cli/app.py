"""The application: its commands, and how every error of the library becomes one line."""

from __future__ import annotations

import io
import json
import sys
import traceback
from importlib import import_module

import typer

from layoutalg.cli.errors import BAD_INPUT, DEFECT, InputError

COMMANDS = {
    "check": "checking", "offsets": "checking", "recheck": "checking", "explain": "explaining", "draw": "drawing",
    "synth": "synthesis", "run": "kernels", "emit": "kernels", "compile": "kernels", "binary": "binaries",
    "execute": "executing", "audit": "auditing", "survey": "surveying", "ck": "ck",
    "banks": "hardware", "targets": "hardware", "devices": "hardware", "bench": "benching", "demo": "demo",
}  # fmt: skip
"""The module of each command, which has a function or a group of that name (`compile_file` for `compile`)."""


def application(command: str = "") -> typer.Typer:
    """All commands; where one is named, that one alone, so that no other's module is imported."""
    app = typer.Typer(
        help="Prove a tensor layout of AMD's Composable Kernel, then emit the HIP kernel.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(lambda: None)
    for name in [command] if command in COMMANDS else COMMANDS:
        module = import_module(f"layoutalg.cli.{COMMANDS[name]}")
        made = getattr(module, "compile_file" if name == "compile" else name)
        if isinstance(made, typer.Typer):
            app.add_typer(made, name=name)
        else:
            app.command(name)(made)
    return app


def main() -> None:
    """Runs the command line and exits with its code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a file's name may be no text; in JSON the escape is one
    try:
        code = application(*sys.argv[1:2])(standalone_mode=False)
    except typer.TyperException as error:
        code = _told(f"{error.format_message()} (see layoutalg --help)", BAD_INPUT)
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except Exception as error:
        if _is_ours(error):
            code = _told(str(error), BAD_INPUT)
        else:
            traceback.print_exc()
            code = _told("this is a defect of layoutalg, not of its input; please report it", DEFECT)
    sys.exit(code if isinstance(code, int) else 0)


def _told(error: str, code: int) -> int:
    """The error as a line on stderr; with --json also as the one document that stdout has."""
    print(f"layoutalg: {error}", file=sys.stderr)
    if "--json" in sys.argv[1:]:
        print(json.dumps({"error": error, "exit": code}))
    return code


def _is_ours(error: Exception) -> bool:
    """Whether the message of an error is for the user: the library's own kinds, and files that cannot be used."""
    own = any(kind.__module__.startswith("layoutalg.") for kind in type(error).__mro__)
    return own or isinstance(error, InputError | OSError)
