"""`run`, `emit`, `compile`: kernels from verified programs, and what they make of an array."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from layoutalg.cli.errors import InputError

if TYPE_CHECKING:
    from layoutalg.kernel.program import Program
    from layoutalg.kernel.verify import Verified

NAMES = ("transpose",)


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command()(run)
    app.command()(emit)
    app.command("compile")(compile_file)


Name = Annotated[str, typer.Argument(help=f"The kernel: {', '.join(NAMES)}.")]
Kernel = Annotated[str, typer.Option(help="Which transposition: lds or register.")]


def run(
    name: Name,
    input_file: Annotated[Path, typer.Option("--input", help="The source, a .npy file.")],
    output_file: Annotated[Path, typer.Option("--output", help="The result, a .npy file.")],
    device: Annotated[str, typer.Option(help="auto, amd, nvidia or cpu.")] = "auto",
    kernel: Kernel = "lds",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Run a verified kernel on an array."""
    _known(name)
    from layoutalg.cli.arrays import dtype_of, read_array, write_array
    from layoutalg.device import choose_device
    from layoutalg.device.kernels import run as launch
    from layoutalg.kernel.library.choose import transpose_for

    source = read_array(input_file, rank=2)
    rows, columns = source.shape
    chosen = choose_device(device)
    program = transpose_for(rows, columns, dtype_of(source, input_file), kernel)
    verified = _verified(program)
    sizes = {"M": rows, "N": columns} if program.sizes else {}
    result = launch(verified, chosen, source, (columns, rows), **sizes)
    exact = bool((result.output.view("u1") == source.T.copy().view("u1")).all())
    write_array(output_file, result.output)
    report = {"kernel": program.name, "device": chosen.name, "milliseconds": round(result.milliseconds, 4),
              "obligations": len(verified.verdicts), "max_error": 0.0 if exact else None, "exact": exact}  # fmt: skip
    if as_json:
        print(json.dumps(report))
    else:
        print(f"{program.name} on {chosen.name}: {len(verified.verdicts)} obligations proved, "
              f"{result.milliseconds:.3f} ms, {'exact' if exact else 'WRONG'} against numpy")  # fmt: skip
    return 0 if exact else 1


def emit(
    name: Name,
    target: Annotated[str, typer.Option(help="The GPU, e.g. gfx942.")] = "gfx942",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The source file; stdout otherwise.")] = None,
    dtype: Annotated[str, typer.Option(help="f32 or f16.")] = "f32",
    kernel: Kernel = "lds",
    swizzle: Annotated[str, typer.Option(help="LDS layout: xor or pad.")] = "xor",
    vector: Annotated[int, typer.Option(help="Elements a global access moves; sizes are multiples of it.")] = 1,
    ck: Annotated[bool, typer.Option("--ck", help="NAME is a layout file: its descriptor as CK Tile C++.")] = False,
    descriptor: Annotated[str | None, typer.Option(help="With --ck: the descriptor's name.")] = None,
) -> int:
    """Write the HIP source of a verified kernel; or, with --ck, a descriptor as CK Tile C++."""
    if ck:
        return _emit_ck(Path(name), descriptor, output)
    _known(name)
    from layoutalg.device.cache import write_atomically
    from layoutalg.device.targets import family
    from layoutalg.kernel.emit import emit as source_of
    from layoutalg.kernel.library.choose import KERNELS
    from layoutalg.kernel.library.transpose import lds_transpose, register_transpose

    family(target)
    if kernel not in KERNELS:
        raise InputError(f"no transposition kernel {kernel!r}: give one of {', '.join(KERNELS)}")
    program = register_transpose(dtype=dtype) if kernel == "register" else lds_transpose(dtype, swizzle, vector)
    text = source_of(_verified(program), target)
    if output is None:
        print(text, end="")
    else:
        write_atomically(output, text.encode())
    return 0


def _emit_ck(file: Path, descriptor: str | None, output: Path | None) -> int:
    from layoutalg.cli.files import descriptor_of, read
    from layoutalg.device.cache import write_atomically
    from layoutalg.formats.ck_cpp import to_ck

    item = descriptor_of(read(file, {}), descriptor)
    text = to_ck(item.descriptor, item.name)
    if output is None:
        print(text, end="")
    else:
        write_atomically(output, text.encode())
    return 0


def compile_file(
    source: Annotated[Path, typer.Argument(help="A HIP source file.")],
    target: Annotated[str, typer.Option(help="The GPU, e.g. gfx942.")] = "gfx942",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The code object.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Compile a source to a code object, and report its registers, LDS and spills."""
    from layoutalg.device import compile_source

    try:
        text = source.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{source}: cannot be read as text ({error})") from None
    code = compile_source(text, target)
    code.save(output or source.with_suffix(".co"))
    kernels = {k.name: {"vgprs": k.vgprs, "agprs": k.agprs, "sgprs": k.sgprs, "lds_bytes": k.lds_bytes,
                        "spills": k.spills, "code_bytes": k.code_size} for k in code.kernels.values()}  # fmt: skip
    if as_json:
        print(json.dumps({"target": target, "kernels": kernels}))
    else:
        for kernel, found in kernels.items():
            print(f"{kernel} for {target}: " + ", ".join(f"{k} {v}" for k, v in found.items()))
    return 0


def _known(name: str) -> None:
    if name not in NAMES:
        raise InputError(f"no kernel {name!r}: give one of {', '.join(NAMES)}")


def _verified(program: Program) -> Verified:
    from layoutalg.kernel.verify import verify

    return verify(program)
