"""`emit NAME`: the HIP source of a verified kernel, for all sizes that the program is proved for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import descriptor_of, read
from layoutalg.cli.output import placed
from layoutalg.cli.run_kernels import integers
from layoutalg.disk import write_whole

if TYPE_CHECKING:
    from layoutalg.kernel.program import Program

HELP = "Write the HIP source of a verified kernel; with --ck, a descriptor of a file as CK Tile C++."

Target = Annotated[str, typer.Option(help="The GPU, e.g. gfx942.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", callback=placed, help="The source file; stdout otherwise.")
]
Dtype = Annotated[str, typer.Option(help="f32, f16 or bf16.")]
Vector = Annotated[int, typer.Option(help="Elements a global access moves; sizes are multiples of it.")]
Result = Annotated[str | None, typer.Option("--result", help="Elements of the result, where they are others.")]
Numbers = Annotated[str, typer.Option(help="Integers with commas, one for each dimension.")]


def register(group: typer.Typer) -> None:
    """Adds a command for each kernel."""
    for name, command in COMMANDS.items():
        group.command(name)(command)
    group.command("ck", hidden=True)(ck_cpp)


def transpose(
    target: Target = "gfx942", output: Output = None, dtype: Dtype = "f32",
    kernel: Annotated[str, typer.Option(help="Which transposition: lds or register.")] = "lds",
    swizzle: Annotated[str, typer.Option(help="LDS layout: xor or pad.")] = "xor", vector: Vector = 1,
) -> int:  # fmt: skip
    """The transpose of a matrix."""
    from layoutalg.kernel.library.choose import KERNELS
    from layoutalg.kernel.library.transpose import lds_transpose, register_transpose

    if kernel not in KERNELS:
        raise InputError(f"no transposition kernel {kernel!r}: give one of {', '.join(KERNELS)}")
    program = register_transpose(dtype=dtype) if kernel == "register" else lds_transpose(dtype, swizzle, vector)
    return _write(program, target, output)


def permute(
    axes: Annotated[str, typer.Option(help="The order, e.g. 0,2,1.")], target: Target = "gfx942",
    output: Output = None, dtype: Dtype = "f32", vector: Vector = 1,
) -> int:  # fmt: skip
    """Any order of the dimensions."""
    from layoutalg.kernel.library.permute import permute as made

    return _write(made(integers("--axes", axes), dtype, (vector, vector)), target, output)


def batched_transpose(
    target: Target = "gfx942", output: Output = None, dtype: Dtype = "f32", vector: Vector = 1
) -> int:
    """The transpose of each matrix of a batch."""
    from layoutalg.kernel.library.permute import batched_transpose as made

    return _write(made(dtype, (vector, vector)), target, output)


def copy(
    spec: Annotated[Path, typer.Option(help="A spec file.")],
    source: Annotated[str, typer.Option("--from", help="The source's descriptor in it.")],
    to: Annotated[str, typer.Option("--to", help="The target's descriptor in it.")],
    target: Target = "gfx942", output: Output = None, dtype: Dtype = "f32",
) -> int:  # fmt: skip
    """target[x] = source[x] through two descriptors of one shape."""
    from layoutalg.kernel.library.views import copy as made

    file = read(spec, {})
    views = [descriptor_of(file, name).descriptor for name in (source, to)]
    return _write(made(views[0], views[1], (dtype, dtype)), target, output)


def pad(left: Numbers, right: Numbers, target: Target = "gfx942", output: Output = None, dtype: Dtype = "f32") -> int:
    """Zeros around a tensor."""
    from layoutalg.kernel.library.views import pad as made

    return _write(made(integers("--left", left), integers("--right", right), dtype), target, output)


def slices(begin: Numbers, target: Target = "gfx942", output: Output = None, dtype: Dtype = "f32") -> int:
    """The elements from `begin` on of each dimension, as many as the sizes say."""
    from layoutalg.kernel.library.views import slices as made

    return _write(made(integers("--begin", begin), dtype), target, output)


def cast(
    to: Annotated[str, typer.Option(help="f32, f16 or bf16.")], target: Target = "gfx942", output: Output = None,
    dtype: Dtype = "f32", vector: Vector = 1,
) -> int:  # fmt: skip
    """Another element type."""
    from layoutalg.kernel.library.views import cast as made

    return _write(made(dtype, to, vector), target, output)


def contraction(
    einsum: Annotated[str, typer.Option(help='e.g. "ijk,kjmn->imn"')], target: Target = "gfx942",
    output: Output = None, dtype: Dtype = "f32", result: Result = None, vector: Vector = 1,
) -> int:  # fmt: skip
    """An einsum of two tensors."""
    from layoutalg.kernel.library.contraction import contraction as made
    from layoutalg.kernel.library.contraction import merged, parse_einsum

    letters = merged(parse_einsum(einsum))
    return _write(made(letters, dtype, result, target=target, widths=(vector,) * 3), target, output)


def gemm(
    target: Target = "gfx942", output: Output = None, dtype: Dtype = "f32", result: Result = None, vector: Vector = 1,
    bias: Annotated[bool, typer.Option("--bias", help="Plus a number for each column.")] = False,
    relu: Annotated[bool, typer.Option("--relu", help="Negative results become 0.")] = False,
) -> int:  # fmt: skip
    """A matrix product."""
    from layoutalg.kernel.library.contraction import contraction as made
    from layoutalg.kernel.library.contraction import parse_einsum

    program = made(parse_einsum("mk,kn->mn"), dtype, result, target=target, widths=(vector,) * 3, bias=bias,
                   relu=relu, name="gemm")  # fmt: skip
    return _write(program, target, output)


def conv(
    filter: Annotated[str, typer.Option(help="Lengths of the filter: Y,X.")], stride: Numbers = "1",
    pad: Numbers = "0", dilation: Numbers = "1",
    groups: Annotated[int, typer.Option(help="Groups of channels.")] = 1, target: Target = "gfx942",
    output: Output = None, dtype: Dtype = "f32", result: Result = None, vector: Vector = 1,
) -> int:  # fmt: skip
    """Convolution forward of any image."""
    from layoutalg.kernel.library.convolution import Windows, convolution
    from layoutalg.kernel.library.tasks import each

    lengths = integers("--filter", filter)
    given = (("--stride", stride), ("--dilation", dilation), ("--pad", pad))
    around = [each("conv", name, integers(name, text), len(lengths)) for name, text in given]
    windows = Windows(lengths, around[0], around[1], around[2], groups)
    return _write(convolution(windows, dtype, result, target=target, widths=(vector, vector)), target, output)


def im2col(
    filter: Annotated[str, typer.Option(help="Lengths of a window: Y,X.")], stride: Numbers = "1",
    pad: Numbers = "0", dilation: Numbers = "1", target: Target = "gfx942", output: Output = None,
    dtype: Dtype = "f32", vector: Vector = 1,
) -> int:  # fmt: skip
    """All windows of any image, a row each."""
    from layoutalg.kernel.library.convolution import Windows
    from layoutalg.kernel.library.convolution import im2col as made
    from layoutalg.kernel.library.tasks import each

    lengths = integers("--filter", filter)
    given = (("--stride", stride), ("--dilation", dilation), ("--pad", pad))
    around = [each("im2col", name, integers(name, text), len(lengths)) for name, text in given]
    return _write(made(Windows(lengths, around[0], around[1], around[2]), dtype, vector), target, output)


def reduce(
    kinds: Annotated[str, typer.Option(help="Each dimension kept (k) or reduced (r): kr.")] = "kr",
    how: Annotated[str, typer.Option(help="sum or max.")] = "sum", target: Target = "gfx942", output: Output = None,
    dtype: Dtype = "f32", result: Result = None, vector: Vector = 1,
) -> int:  # fmt: skip
    """The sum or the greatest over dimensions."""
    from layoutalg.kernel.library.reduce import reduction, sharing_for

    if how not in ("sum", "max"):
        raise InputError(f"--how {how!r}: give sum or max")
    long = [4096] * (len(kinds) - 1) + [4097 * vector]  # rows long enough to be shared, whose vectors are no wider
    sharing = sharing_for(kinds, long, dtype) if set(kinds) <= {"k", "r"} and "r" in kinds and vector > 0 else None
    if vector != 1 and (sharing is None or sharing.vector != vector):
        raise InputError(f"--vector {vector}: give 1, 2, 4 or 8, up to 16 bytes")
    return _write(reduction(kinds, "sum" if how == "sum" else "max", dtype, result, sharing=sharing), target, output)


def ck_cpp(
    file: Annotated[Path, typer.Argument(help="A layout file.")],
    ck: Annotated[bool, typer.Option("--ck", help="As CK Tile C++.")] = True,
    descriptor: Annotated[str | None, typer.Option(help="The descriptor's name.")] = None, output: Output = None,
) -> int:  # fmt: skip
    """A descriptor of a file as CK Tile C++."""
    from layoutalg.formats.ck_cpp import to_ck

    item = descriptor_of(read(file, {}), descriptor)
    return _put(to_ck(item.descriptor, item.name), output)


def _write(program: Program, target: str, output: Path | None) -> int:
    from layoutalg.device.targets import family
    from layoutalg.kernel.emit import emit
    from layoutalg.kernel.verify import verify

    family(target)
    return _put(emit(verify(program), target), output)


def _put(text: str, output: Path | None) -> int:
    if output is None:
        print(text, end="")
    else:
        write_whole(output, text.encode())
    return 0


COMMANDS: dict[str, Callable[..., int]] = {
    "transpose": transpose, "batched_transpose": batched_transpose, "permute": permute, "copy": copy, "pad": pad,
    "slice": slices, "cast": cast, "im2col": im2col, "contraction": contraction, "gemm": gemm, "conv": conv,
    "reduce": reduce,
}  # fmt: skip
"""Every kernel, by its name on the command line."""
