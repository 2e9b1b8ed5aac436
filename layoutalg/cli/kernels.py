"""`run`, `emit`, `compile`: kernels from verified programs, and what they make of arrays.

Each kernel of the library is a command of both groups: `layoutalg run permute --help` says what it takes.  Its options
are those of its entry (`layoutalg.kernel.library.entry`), and those that all have; the library is imported when a
kernel is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import Includes, descriptor_of, read, sizes_of
from layoutalg.cli.output import placed
from layoutalg.cli.run_kernels import KernelRun
from layoutalg.disk import read_whole, write_whole
from layoutalg.lazy import lazy_imports
from layoutalg.target import DEFAULT

with lazy_imports():
    import layoutalg.device.targets as families
    from layoutalg import device
    from layoutalg.formats import ck_write
    from layoutalg.isa.container import names
    from layoutalg.kernel import emit as emission
    from layoutalg.kernel import library, verify
    from layoutalg.kernel.library import entry
    from layoutalg.target import known

TARGET = typer.Option(help="The GPU, e.g. gfx942.")
SOURCE = typer.Option("-o", "--output", callback=placed, help="The source file; stdout otherwise.")
RESULT = typer.Option("--output", callback=placed, help="The result, a .npy file.")
DEVICE = typer.Option("--device", help="auto, amd, nvidia, cpu, or a target's machine: gfx942-isa.")
JSON = typer.Option("--json", help="One JSON document on stdout.")


def integers(option: str, text: str) -> tuple[int, ...]:
    """Integers with commas; InputError otherwise.

    >>> integers("--axes", "0,2,1")
    (0, 2, 1)
    """
    parts = text.split(",")
    if not all(part.strip().removeprefix("-").isdecimal() for part in parts):
        raise InputError(f"{option} {text!r}: give integers with commas, e.g. 0,2,1")
    return tuple(map(int, parts))


# --- options of an entry ----------------------------------------------------------------------------------------------

TYPES: dict[str, type] = {"text": str, "integer": int, "integers": str, "flag": bool, "array": Path, "spec": Path,
                          "descriptor": str, "sizes": list[str]}  # fmt: skip
"""What the command line reads of each kind of option."""


def _flag(option: entry.Option) -> str:
    return option.flag or f"--{option.name}"


def _parameter(option: entry.Option) -> Parameter:
    """An option as typer has it."""
    kind: Any = TYPES[option.kind]
    kind = kind | None if option.default is None else kind
    default = Parameter.empty if option.default is ... else option.default
    return _keyword(option.name, kind, typer.Option(_flag(option), help=option.help), default)


def _keyword(name: str, kind: Any, option: Any, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def _values(options: tuple[entry.Option, ...], given: dict[str, Any], run: KernelRun | None) -> dict[str, Any]:
    """What a kernel's function takes, of what the command line read."""
    found: dict[str, Any] = {}
    for option in options:
        value = given[option.name]
        match option.kind:
            case "integers":
                value = integers(_flag(option), value)
            case "array" if value is not None and run is not None:
                value = run.read(value, option)
            case "spec":
                value = read(value, {})
            case "descriptor":
                value = descriptor_of(found["spec"], value).descriptor
            case "sizes":
                value = sizes_of(value)
        found[option.name] = value
    return found


def _command(parameters: list[Parameter], help: str, work: Callable[[dict[str, Any]], int]) -> Callable[..., int]:
    """A function with these parameters."""

    def command(**given: Any) -> int:
        return work(given)

    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = help
    return command


def emit_command(kernel: entry.Kernel) -> Callable[..., int]:
    """`emit NAME`: the HIP source of a verified kernel, for all sizes that the program is proved for."""
    options = kernel.emit.options
    parameters = list(map(_parameter, options))
    at = next(n for n, option in enumerate(options) if option.name == "dtype")
    parameters[at:at] = [_keyword("target", str, TARGET, DEFAULT), _keyword("output", Path | None, SOURCE, None)]

    def work(given: dict[str, Any]) -> int:
        gpu = given["target"]
        program = kernel.emit.made(target=gpu, **_values(options, given, None))
        families.family(gpu)
        return _put(emission.emit(verify.verify(program), gpu), given["output"])

    return _command(parameters, kernel.emit.help, work)


def run_command(kernel: entry.Kernel) -> Callable[..., int]:
    """`run NAME`: arrays in, a verified kernel on a device, the result out, compared with numpy."""
    options = kernel.run.options
    parameters = list(map(_parameter, options))
    at = max(n for n, option in enumerate(options) if option.kind == "array" and option.default is ...)
    parameters.insert(at + 1, _keyword("output", Path, RESULT))
    parameters += [_keyword("device", str, DEVICE, "auto"), _keyword("as_json", bool, JSON, False)]

    def work(given: dict[str, Any]) -> int:
        run = KernelRun(given["device"], given["output"], given["as_json"])
        values = _values(options, given, run)
        return run.report(kernel.run.made(target=run.device.target, dtype=run.dtype, **values))

    return _command(parameters, kernel.run.help, work)


def ck_command(
    file: Annotated[Path, typer.Argument(help="A layout file.")],
    ck: Annotated[bool, typer.Option("--ck", help="As CK Tile C++.")] = True,
    descriptor: Annotated[str | None, typer.Option(help="The descriptor's name.")] = None,
    include: Includes = None,
    output: Annotated[Path | None, SOURCE] = None,
) -> int:
    """A descriptor of a file as CK Tile C++."""
    item = descriptor_of(read(file, {}, include), descriptor)
    return _put(ck_write.to_ck(item.descriptor, item.name), output)


def _put(text: str, output: Path | None) -> int:
    if output is None:
        print(text, end="")
    else:
        write_whole(output, text.encode())
    return 0


# --- groups -----------------------------------------------------------------------------------------------------------


class KernelCommands(TyperGroup):
    """A command for each kernel, made when one is asked for; another name is refused with those that there are."""

    made: Callable[[entry.Kernel], Callable[..., int]]

    def others(self) -> Iterator[tuple[str, Callable[..., int]]]:
        """Hidden commands besides."""
        return iter(())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        group = typer.Typer()
        for name, kernel in library.kernels().items():
            group.command(name)(type(self).made(kernel))
        for name, command in self.others():
            group.command(name, hidden=True)(command)
        self.commands = get_group(group).commands
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name = args[0]
        if name not in self.commands:
            known = ", ".join(n for n, command in self.commands.items() if not command.hidden)
            raise InputError(f"no kernel {name!r}: give one of {known}")
        return name, self.commands[name], args[1:]


class Emitted(KernelCommands):
    """`emit`: besides kernels, with --ck, a descriptor of a file as CK Tile C++."""

    made = staticmethod(emit_command)

    def others(self) -> Iterator[tuple[str, Callable[..., int]]]:
        yield "ck", ck_command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`emit --ck FILE` is `emit FILE --ck`."""
        return super().parse_args(ctx, ["ck", *args] if args[:1] == ["--ck"] else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if args[0] not in self.commands and "--ck" in args:
            return "ck", self.commands["ck"], args
        return super().resolve_command(ctx, args)


class Run(KernelCommands):
    """`run`."""

    made = staticmethod(run_command)


def _group(kind: type[KernelCommands], help: str) -> typer.Typer:
    return typer.Typer(cls=kind, help=help, no_args_is_help=True)


run = _group(Run, "Run a verified kernel on arrays (.npy files).")
emit = _group(Emitted, "Write the HIP source of a verified kernel; with --ck, a descriptor of a file as CK Tile C++.")


# --- compile ----------------------------------------------------------------------------------------------------------


def compile_file(
    source: Annotated[Path, typer.Argument(help="A HIP source file.")],
    target: Annotated[str, typer.Option(help="The GPU, e.g. gfx942.")] = DEFAULT,
    output: Annotated[Path | None, typer.Option("-o", "--output", callback=placed, help="The code object.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    include: Annotated[list[Path] | None, typer.Option("-I", "--include", help="A folder of headers: CK's.")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", "--define", help="A macro: NAME or NAME=VALUE.")] = None,
    standard: Annotated[str, typer.Option("--std", help="The C++ standard, as clang names it.")] = "c++17",
    opt_level: Annotated[int, typer.Option("-O", min=0, max=3, help="How far clang optimises.")] = 3,
    lines: Annotated[
        bool, typer.Option("-g", help="Keep lines of the source, and names and types of arguments.")
    ] = False,
    every: Annotated[bool, typer.Option("--all-errors", help="Show every error, not the first.")] = False,
) -> int:
    """Compile a source to a code object, and report its registers, LDS and spills."""
    missing = next((folder for folder in include or () if not folder.is_dir()), None)
    if missing:
        raise InputError(f"--include {missing}: no such folder; give one that holds headers")
    try:
        read_whole(source).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: no text: {error}") from None
    flags = (f"-std={standard}", *(f"-D{macro}" for macro in define or ()), *(("-g",) if lines else ()))
    try:
        compiler = device.choose_with_ocml(target)
        code = device.compile_file(
            _from_here(source), target, compiler=compiler, opt_level=opt_level, flags=flags, include=include or ()
        )
    except device.CompileError as error:
        raise _told(error, every) from error
    saved = output or source.with_suffix(".co")
    code.save(saved)
    kernels = {k.name: {"vgprs": k.vgprs, "agprs": k.agprs, "sgprs": k.sgprs, "lds_bytes": k.all_lds_bytes,
                        "spills": k.spills, "code_bytes": k.code_size,
                        "blocks_a_unit": blocks_a_unit(k, code.target)} for k in code.kernels.values()}  # fmt: skip
    mathematics = str(compiler.ocml or "layoutalg's own") if device.family(target) == "amd" else None
    if as_json:
        print(json.dumps({"target": target, "file": str(saved), "mathematics": mathematics, "kernels": kernels}))
    else:
        functions = f"; mathematical functions {mathematics}" if mathematics else ""
        for kernel, found in kernels.items():
            threads = code.kernels[kernel].max_threads
            said: dict[str, object] = {k: v for k, v in found.items() if v is not None}
            resident = (
                f"; a unit holds {n} blocks of {threads} threads" if (n := said.pop("blocks_a_unit", None)) else ""
            )
            needs = ", ".join(f"{k} {v}" for k, v in said.items())
            print(f"{names.spoken(kernel)} for {target}: {needs}{resident}{functions}; in {saved}")
            if unprinted := code.kernels[kernel].unprinted:
                print(f"  printf was called, and is left out of the code ({unprinted} call{'s' * (unprinted > 1)})")
    return 0


def _from_here(path: Path) -> Path:
    """The path as it is given; relative to the working folder where that holds it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_absolute() and path.is_relative_to(here) else path


def _told(error: device.CompileError, every: bool) -> device.CompileError:
    """The error with what is shown below it: every other one, or how many those are."""
    count = len(error.others)
    below = [line for other in error.others for line in other] if every else [
        f"{count} more error{'s' * (count > 1)}: --all-errors shows every one"][:count]  # fmt: skip
    return device.CompileError(str(error), error.output, (*error.shown, *below))


def blocks_a_unit(kernel: device.KernelResources, target: str) -> int | None:
    """Blocks that a unit of the target holds at once, by LDS, waves and registers; None where that is not known."""
    threads, unit = kernel.max_threads, known.builds()[target].unit if target in known.builds() else None
    if unit is None or threads is None or kernel.wave_size is None or kernel.vgprs is None:
        return None
    return unit.resident(-(-threads // kernel.wave_size), kernel.all_lds_bytes or 0, kernel.vgprs)
