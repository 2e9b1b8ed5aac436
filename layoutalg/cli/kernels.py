"""`run`, `emit`, `compile`: kernels from verified programs, and what they make of arrays.

Each kernel is a command of its own: `layoutalg run permute --help` says what it takes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from layoutalg.cli import emit_kernels, run_kernels
from layoutalg.cli.errors import InputError
from layoutalg.cli.output import placed
from layoutalg.disk import read_whole
from layoutalg.lazy import lazy

if TYPE_CHECKING:
    from layoutalg import device
    from layoutalg.target import known
else:
    device = lazy("layoutalg.device")
    known = lazy("layoutalg.target.known")


class Kernels(TyperGroup):
    """A command for each kernel; another name is refused with those that there are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`emit --ck FILE` is `emit FILE --ck`."""
        return super().parse_args(ctx, ["ck", *args] if "ck" in self.commands and args[:1] == ["--ck"] else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name = args[0]
        if name not in self.commands and "--ck" in args and "ck" in self.commands:
            return "ck", self.commands["ck"], args
        if name not in self.commands:
            known = ", ".join(n for n, command in self.commands.items() if not command.hidden)
            raise InputError(f"no kernel {name!r}: give one of {known}")
        return name, self.commands[name], args[1:]


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    for name, module in (("run", run_kernels), ("emit", emit_kernels)):
        group = typer.Typer(cls=Kernels, help=module.HELP, no_args_is_help=True)
        module.register(group)
        app.add_typer(group, name=name)
    app.command("compile")(compile_file)


def compile_file(
    source: Annotated[Path, typer.Argument(help="A HIP source file.")],
    target: Annotated[str, typer.Option(help="The GPU, e.g. gfx942.")] = "gfx942",
    output: Annotated[Path | None, typer.Option("-o", "--output", callback=placed, help="The code object.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Compile a source to a code object, and report its registers, LDS and spills."""
    try:
        text = read_whole(source).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{source}: cannot be read as text ({error})") from None
    code = device.compile_source(text, target)
    code.save(output or source.with_suffix(".co"))
    kernels = {k.name: {"vgprs": k.vgprs, "agprs": k.agprs, "sgprs": k.sgprs, "lds_bytes": k.lds_bytes,
                        "spills": k.spills, "code_bytes": k.code_size,
                        "blocks_a_unit": blocks_a_unit(k, code.target)} for k in code.kernels.values()}  # fmt: skip
    if as_json:
        print(json.dumps({"target": target, "kernels": kernels}))
    else:
        for kernel, found in kernels.items():
            print(f"{kernel} for {target}: " + ", ".join(f"{k} {v}" for k, v in found.items()))
    return 0


def blocks_a_unit(kernel: device.KernelResources, target: str) -> int | None:
    """Blocks that a unit of the target holds at once, by LDS, waves and registers; None where that is not known."""
    threads, unit = kernel.max_threads, known.builds()[target].unit if target in known.builds() else None
    if unit is None or threads is None or kernel.wave_size is None or kernel.vgprs is None:
        return None
    return unit.resident(-(-threads // kernel.wave_size), kernel.lds_bytes or 0, kernel.vgprs)
