"""`run NAME`: arrays in, a verified kernel on a device, the result out, compared with numpy.

| compared with numpy in f64 | copies | f32 arithmetic | f16, bf16 arithmetic |
|----------------------------|--------|----------------|----------------------|
| largest error allowed      | 0      | 1e-5           | 1e-2                 |

as a part of the largest result.  A greater error ends with exit code 1, and the result is written all the same.
bfloat16 arrays are their bits, as uint16.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import descriptor_of, read, sizes_of
from layoutalg.cli.output import placed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from layoutalg.device import Device
    from layoutalg.kernel.library.tasks import Task

HELP = "Run a verified kernel on arrays (.npy files)."
TOLERANCE = {"f32": 1e-5, "f16": 1e-2, "bf16": 1e-2}

Input = Annotated[Path, typer.Option("--input", help="The source, a .npy file.")]
Output = Annotated[Path, typer.Option("--output", callback=placed, help="The result, a .npy file.")]
DeviceKind = Annotated[str, typer.Option("--device", help="auto, amd, nvidia or cpu.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
Numbers = Annotated[str, typer.Option(help="Integers with commas; one counts for all dimensions.")]
A = Annotated[Path, typer.Option("--a", help="The first operand, a .npy file.")]
B = Annotated[Path, typer.Option("--b", help="The second operand, a .npy file.")]
Result = Annotated[str | None, typer.Option("--result", help="Elements of the result: f32, f16 or bf16.")]


def register(group: typer.Typer) -> None:
    """Adds a command for each kernel."""
    for name, command in COMMANDS.items():
        group.command(name)(command)


# --- copies -----------------------------------------------------------------------------------------------------------


def transpose(
    input_file: Input, output_file: Output, device: DeviceKind = "auto",
    kernel: Annotated[str, typer.Option(help="Which transposition: lds or register.")] = "lds", as_json: AsJson = False,
) -> int:  # fmt: skip
    """The transpose of a matrix."""
    from layoutalg.kernel.library.choose import transpose_for
    from layoutalg.kernel.library.tasks import Task

    run = _Run(device, output_file, as_json)
    source = run.read(input_file, rank=2)
    rows, columns = source.shape
    program = transpose_for(rows, columns, run.dtype, kernel)
    sizes = {"M": rows, "N": columns} if program.sizes else {}
    return run.copied([source], Task(program, sizes, (columns, rows)), source.T)


def permute(
    input_file: Input, output_file: Output, axes: Annotated[str, typer.Option(help="The order, e.g. 0,2,3,1.")],
    device: DeviceKind = "auto", as_json: AsJson = False,
) -> int:  # fmt: skip
    """Any order of the dimensions, as numpy's transpose."""
    from layoutalg.kernel.library.tasks import permute_task

    run = _Run(device, output_file, as_json)
    source = run.read(input_file)
    order = integers("--axes", axes)
    return run.copied([source], permute_task(source.shape, order, run.dtype), lambda: source.transpose(order))


def batched_transpose(
    input_file: Input, output_file: Output, device: DeviceKind = "auto", as_json: AsJson = False
) -> int:
    """The transpose of each matrix of a batch."""
    from layoutalg.kernel.library.tasks import permute_task

    run = _Run(device, output_file, as_json)
    source = run.read(input_file, rank=3)
    return run.copied([source], permute_task(source.shape, (0, 2, 1), run.dtype), source.transpose(0, 2, 1))


def pad(
    input_file: Input, output_file: Output, left: Numbers = "0", right: Numbers = "0", device: DeviceKind = "auto",
    as_json: AsJson = False,
) -> int:  # fmt: skip
    """Zeros around a tensor."""
    import numpy as np

    from layoutalg.kernel.library.tasks import each, pad_task

    run = _Run(device, output_file, as_json)
    source = run.read(input_file)
    given = (("--left", left), ("--right", right))
    before, after = (each("pad", name, integers(name, text), source.ndim) for name, text in given)
    return run.copied([source], pad_task(source.shape, before, after, run.dtype),
                      lambda: np.pad(source, list(zip(before, after, strict=True))))  # fmt: skip


def slices(
    input_file: Input, output_file: Output, begin: Numbers, end: Numbers, device: DeviceKind = "auto",
    as_json: AsJson = False,
) -> int:  # fmt: skip
    """The elements begin … end − 1 of each dimension."""
    from layoutalg.kernel.library.tasks import slice_task

    run = _Run(device, output_file, as_json)
    source = run.read(input_file)
    first, last = integers("--begin", begin), integers("--end", end)
    task = slice_task(source.shape, first, last, run.dtype)
    return run.copied([source], task, source[tuple(map(slice, first, last))])


def cast(
    input_file: Input, output_file: Output, to: Annotated[str, typer.Option(help="f32, f16 or bf16.")],
    device: DeviceKind = "auto", as_json: AsJson = False,
) -> int:  # fmt: skip
    """Another element type, rounded to nearest even."""
    from layoutalg.kernel.library.tasks import cast_task
    from layoutalg.target.dtypes import DTYPES
    from layoutalg.target.elements import numbers, stored

    run = _Run(device, output_file, as_json)
    source = run.read(input_file)
    task = cast_task(source.shape, run.dtype, to)
    return run.copied([source], task, stored(numbers(source, DTYPES[run.dtype]), DTYPES[to]))


def copy(
    input_file: Input, output_file: Output, spec: Annotated[Path, typer.Option(help="A spec file.")],
    source: Annotated[str, typer.Option("--from", help="The source's descriptor in it.")],
    target: Annotated[str, typer.Option("--to", help="The target's descriptor in it.")],
    define: Annotated[list[str] | None, typer.Option("-D", help="A size: NAME=VALUE.")] = None,
    device: DeviceKind = "auto", as_json: AsJson = False,
) -> int:  # fmt: skip
    """target[x] = source[x] through two descriptors of one shape; memory in and out is flat."""
    from layoutalg.index.evaluate import value
    from layoutalg.kernel.library.tasks import Task
    from layoutalg.kernel.library.views import copy as made

    run = _Run(device, output_file, as_json)
    array = run.read(input_file).reshape(-1)
    file = read(spec, {})
    views = [descriptor_of(file, name).descriptor for name in (source, target)]
    program = made(views[0], views[1], (run.dtype, run.dtype))
    sizes = sizes_of(define)
    missing = [s.value.name for s in program.sizes if s.value.name not in sizes]
    if missing:
        raise InputError(f"the sizes {', '.join(missing)} have no value; give each as -D NAME=VALUE")
    at = {s: sizes[s.value.name] for s in program.sizes}
    shape = (value(views[1].element_space_size, at),)
    return run.copied([array], Task(program, sizes, shape), lambda: _copied(array, views, at, shape))


def _copied(array: NDArray[Any], views: Sequence[Any], at: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    """The copy by numpy: every coordinate's offset in both."""
    import numpy as np

    from layoutalg.index.evaluate import grids

    index = views[0].index
    exprs = [e for d in views for e in (d.offset(index), d.valid(index))]
    there, data, out, wanted = (g.reshape(-1) for g in grids(exprs, index, at))
    result = np.zeros(shape, array.dtype)
    keep = wanted != 0
    result[out[keep]] = np.where(data != 0, array[np.where(data != 0, there, 0)], 0)[keep]
    return result


def im2col(
    input_file: Input, output_file: Output, filter: Annotated[str, typer.Option(help="Lengths of a window: Y,X.")],
    stride: Numbers = "1", dilation: Numbers = "1", pad: Numbers = "0", device: DeviceKind = "auto",
    as_json: AsJson = False,
) -> int:  # fmt: skip
    """All windows of an image N, H …, C, a row each."""
    from layoutalg.cli.references import windows_of
    from layoutalg.kernel.library.tasks import im2col_task

    run = _Run(device, output_file, as_json)
    image = run.read(input_file)
    given = _around(stride, dilation, pad)
    lengths = integers("--filter", filter)
    return run.copied([image], im2col_task(image.shape, lengths, run.dtype, **given),
                      lambda: windows_of(image, lengths, **given))  # fmt: skip


# --- arithmetic -------------------------------------------------------------------------------------------------------


def contraction(
    einsum: Annotated[str, typer.Option(help='e.g. "ijk,kjmn->imn"')], a: A, b: B, output_file: Output,
    result: Result = None, device: DeviceKind = "auto", as_json: AsJson = False,
) -> int:  # fmt: skip
    """An einsum of two tensors."""
    return _contracted(_Run(device, output_file, as_json), einsum, a, b, result)


def gemm(
    a: A, b: B, output_file: Output,
    bias: Annotated[Path | None, typer.Option(help="A number (f32) for each column, a .npy file.")] = None,
    relu: Annotated[bool, typer.Option("--relu", help="Negative results become 0.")] = False,
    result: Result = None, device: DeviceKind = "auto", as_json: AsJson = False,
) -> int:  # fmt: skip
    """A matrix product, plus a bias, then relu."""
    return _contracted(_Run(device, output_file, as_json), "mk,kn->mn", a, b, result, bias, relu, "gemm")


def _contracted(
    run: _Run, einsum: str, a: Path, b: Path, result: str | None, bias: Path | None = None, relu: bool = False,
    name: str | None = None,
) -> int:  # fmt: skip
    import numpy as np

    from layoutalg.cli.arrays import read_array
    from layoutalg.kernel.library.tasks import contraction_task
    from layoutalg.target.dtypes import DTYPES
    from layoutalg.target.elements import numbers

    operands = [run.read(a), run.read(b)]
    task = contraction_task(einsum, operands[0].shape, operands[1].shape, run.dtype, result=result,
                            target=run.device.target, bias=bias is not None, relu=relu, name=name)  # fmt: skip
    arrays = [*operands]
    if bias is not None:
        arrays.append(read_array(bias, rank=1))
        if arrays[-1].dtype != np.float32:
            raise InputError(f"{bias}: a bias is f32; this is {arrays[-1].dtype}")

    def expected() -> NDArray[Any]:
        x, y = (numbers(o, DTYPES[run.dtype]).astype(np.float64) for o in operands)
        found: NDArray[Any] = np.einsum(einsum, x, y, optimize=True)
        found = found + arrays[-1] if bias is not None else found
        return np.maximum(found, 0) if relu else found

    return run.computed(arrays, [task], expected)


def conv(
    input_file: Input, weight: Annotated[Path, typer.Option(help="The filter K, Y …, C of a group, a .npy file.")],
    output_file: Output, stride: Numbers = "1", pad: Numbers = "0", dilation: Numbers = "1",
    groups: Annotated[int, typer.Option(help="Groups of channels.")] = 1, result: Result = None,
    device: DeviceKind = "auto", as_json: AsJson = False,
) -> int:  # fmt: skip
    """Convolution forward in 1, 2 or 3 dimensions: image N, H …, C, result N, Ho …, K."""
    from layoutalg.cli.references import convolved
    from layoutalg.kernel.library.tasks import convolution_task
    from layoutalg.target.dtypes import DTYPES
    from layoutalg.target.elements import numbers

    run = _Run(device, output_file, as_json)
    image, filter = run.read(input_file), run.read(weight)
    given = _around(stride, dilation, pad)
    task = convolution_task(
        image.shape, filter.shape, run.dtype, groups=groups, result=result, target=run.device.target,
        stride=given["stride"], pad=given["pad"], dilation=given["dilation"],
    )  # fmt: skip
    x, w = (numbers(one, DTYPES[run.dtype]) for one in (image, filter))
    return run.computed([image, filter], [task], lambda: convolved(x, w, groups=groups, **given))


def reduce(
    input_file: Input, output_file: Output, axes: Annotated[str, typer.Option(help="The dimensions to reduce: 0,2.")],
    how: Annotated[str, typer.Option(help="sum or max.")] = "sum", result: Result = None, device: DeviceKind = "auto",
    as_json: AsJson = False,
) -> int:  # fmt: skip
    """The sum or the greatest over dimensions."""
    import numpy as np

    from layoutalg.kernel.library.tasks import reduce_tasks
    from layoutalg.target.dtypes import DTYPES
    from layoutalg.target.elements import numbers

    run = _Run(device, output_file, as_json)
    source = run.read(input_file)
    if how not in ("sum", "max"):
        raise InputError(f"--how {how!r}: give sum or max")
    over = tuple(integers("--axes", axes))
    tasks = reduce_tasks(source.shape, over, "sum" if how == "sum" else "max", run.dtype, result)
    wide = numbers(source, DTYPES[run.dtype]).astype(np.float64)
    size = float(np.abs(wide).sum(axis=over).max()) if how == "sum" else 0.0
    return run.computed([source], tasks, lambda: wide.sum(axis=over) if how == "sum" else wide.max(axis=over), size)


# --- one run ----------------------------------------------------------------------------------------------------------


class _Run:
    """Reads arrays of one type, launches, compares, writes and reports."""

    def __init__(self, device: str, output: Path, as_json: bool) -> None:
        from layoutalg.device import choose_device

        self.device: Device = choose_device(device)
        self.output, self.as_json = output, as_json
        self.dtype = ""

    def read(self, path: Path, rank: int | None = None) -> NDArray[Any]:
        """An array; InputError where its type is not that of the first one."""
        from layoutalg.cli.arrays import dtype_of, read_array

        array = read_array(path, rank)
        found = dtype_of(array.dtype, path)
        if self.dtype and found != self.dtype:
            raise InputError(f"{path}: elements are {found}, those of the other operand {self.dtype}; give one type")
        self.dtype = found
        return array

    def copied(self, arrays: Sequence[NDArray[Any]], task: Task, expected: Any) -> int:
        """Launches a copy; it must be exact, to the bit."""
        import numpy as np

        output, report = self._launch(arrays, [task])
        wanted = np.ascontiguousarray(expected() if callable(expected) else expected)
        exact = output.shape == wanted.shape and bool((output.view("u1") == wanted.view("u1")).all())
        return self._finish(output, {**report, "max_error": 0.0 if exact else None, "exact": exact}, exact,
                            "exact" if exact else "WRONG")  # fmt: skip

    def computed(
        self, arrays: Sequence[NDArray[Any]], tasks: Sequence[Task], expected: Callable[[], NDArray[Any]],
        size: float = 0.0,
    ) -> int:  # fmt: skip
        """Launches arithmetic; its largest error, as a part of the largest result (or of `size`), must be small."""
        import numpy as np

        from layoutalg.target.elements import numbers

        output, report = self._launch(arrays, tasks)
        kind = tasks[-1].program.target.dtype
        wanted = expected()
        found = numbers(output, kind).astype(np.float64)
        largest = max(float(np.abs(wanted).max()), size) or 1.0
        agree = found.shape == wanted.shape and bool(np.array_equal(np.isnan(found), np.isnan(wanted)))
        error = float(np.nanmax(np.abs(found - wanted), initial=0.0)) / largest if agree else float("inf")
        allowed = max(TOLERANCE[self.dtype], TOLERANCE[kind.name])
        return self._finish(output, {**report, "max_error": error, "allowed_error": allowed}, error <= allowed,
                            f"relative error {error:.2g} (allowed {allowed:g})")  # fmt: skip

    def _launch(self, arrays: Sequence[NDArray[Any]], tasks: Sequence[Task]) -> tuple[NDArray[Any], dict[str, Any]]:
        from layoutalg.device.kernels import run as launch
        from layoutalg.kernel.verify import verify
        from layoutalg.refine.cycles import lds_cycles

        names, obligations, milliseconds = [], 0, 0.0
        lds = []
        current = list(arrays)
        for task in tasks:
            verified = verify(task.program)
            result = launch(verified, self.device, current[0], task.shape, *current[1:], **task.sizes)
            current = [result.output]
            names.append(task.program.name)
            obligations += len(verified.verdicts)
            milliseconds += result.milliseconds
            lds.append(lds_cycles(self.device, task.program, task.sizes))
        report: dict[str, Any] = {"kernel": ", ".join(names), "device": self.device.name,
                                  "milliseconds": round(milliseconds, 4), "obligations": obligations}  # fmt: skip
        if any(lds):
            report["lds"] = [cycles.report for cycles in lds if cycles]
        return current[0], report

    def _finish(self, output: NDArray[Any], report: dict[str, Any], good: bool, text: str) -> int:
        from layoutalg.cli.arrays import write_array

        write_array(self.output, output)
        if self.as_json:
            print(json.dumps(report))
        else:
            print(f"{report['kernel']} on {report['device']}: {report['obligations']} obligations proved, "
                  f"{report['milliseconds']:.3f} ms, {text} against numpy")  # fmt: skip
            for cycles in report.get("lds", ()):
                print(cycles["text"])
        return 0 if good else 1


def integers(option: str, text: str) -> tuple[int, ...]:
    """Integers with commas; InputError otherwise.

    >>> integers("--axes", "0,2,1")
    (0, 2, 1)
    """
    parts = text.split(",")
    if not all(part.strip().removeprefix("-").isdecimal() for part in parts):
        raise InputError(f"{option} {text!r}: give integers with commas, e.g. 0,2,1")
    return tuple(map(int, parts))


def _around(stride: str, dilation: str, pad: str) -> dict[str, tuple[int, ...]]:
    given = {"stride": stride, "dilation": dilation, "pad": pad}
    return {name: integers(f"--{name}", text) for name, text in given.items()}


COMMANDS: dict[str, Callable[..., int]] = {
    "transpose": transpose, "batched_transpose": batched_transpose, "permute": permute, "copy": copy, "pad": pad,
    "slice": slices, "cast": cast, "im2col": im2col, "contraction": contraction, "gemm": gemm, "conv": conv,
    "reduce": reduce,
}  # fmt: skip
"""Every kernel, by its name on the command line."""
