"""The application: its commands, and how every error of the library becomes one line."""

from __future__ import annotations

import sys
import traceback

import typer

from layoutalg.cli import benching, binaries, checking, demo, drawing, explaining, hardware, kernels, synthesis
from layoutalg.cli.errors import BAD_INPUT, DEFECT, InputError

app = typer.Typer(
    help="Prove a tensor layout of AMD's Composable Kernel, then emit the HIP kernel.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for module in (checking, explaining, drawing, synthesis, kernels, binaries, hardware, benching, demo):
    module.register(app)


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        print(f"layoutalg: {error.format_message()} (see layoutalg --help)", file=sys.stderr)
        code = BAD_INPUT
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except Exception as error:
        if _is_ours(error):
            print(f"layoutalg: {error}", file=sys.stderr)
            code = BAD_INPUT
        else:
            traceback.print_exc()
            print("layoutalg: this is a defect of layoutalg, not of its input; please report it", file=sys.stderr)
            code = DEFECT
    sys.exit(code if isinstance(code, int) else 0)


def _is_ours(error: Exception) -> bool:
    """Whether the message of an error is for the user: the library's own kinds, and files that cannot be used."""
    own = any(kind.__module__.startswith("layoutalg.") for kind in type(error).__mro__)
    return own or isinstance(error, InputError | OSError)
