"""Copies through a view: padding, slices, conversions, windows of an image (im2col), and any two descriptors.

| kernel    | source view, coordinates of the target                                       | constants               |
|-----------|------------------------------------------------------------------------------|-------------------------|
| `pad`     | pad each dimension; where there is no data, 0                                | left, right             |
| `slices`  | slice each dimension                                                         | begin                   |
| `cast`    | the tensor as one row                                                        |                         |
| `im2col`  | pad, embed (filter, output) → (dilation, stride), merge (N, Ho…), (Y…, C)    | all: see `Convolution`  |
| `copy`    | a descriptor of the caller's                                                 | the caller's            |

Sizes are the kernel's arguments, but for im2col, whose windows are too hard to prove for all sizes at once: there they
are constants of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod as product_of
from typing import Any

from layoutalg.index import TRUE, Expr, all_of, as_expr, eq, holds, prod, simplify, symbol, variables
from layoutalg.index.evaluate import grids, value
from layoutalg.kernel.library.copies import LARGEST, Copy, dtype_named, packed_strides
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.fit import bits_for, each, numbered, same_rank, widest
from layoutalg.kernel.library.options import DTYPE, EACH, INPUT, TO, VECTOR, integers
from layoutalg.kernel.library.permute import few
from layoutalg.kernel.program import Program
from layoutalg.layout import (
    LayoutError,
    Pad,
    Slice,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.lazy import lazy_imports
from layoutalg.prove import Contiguous, Proved, prove
from layoutalg.target.dtypes import KERNEL_DTYPES
from layoutalg.target.elements import numbers, stored

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


def pad(
    left: Sequence[int], right: Sequence[int], dtype: str = "f32", vector: int = 1, index_bits: int = 32
) -> Program:
    """Zeros around a tensor of any lengths D0, D1 …; `vector` elements are stored at a time where they fit.

    >>> pad((0, 1), (0, 1)).name
    'pad_0_0_1_1_f32'
    """
    if len(left) != len(right) or not left or min(*left, *right) < 0:
        raise LayoutError(f"pad: {list(left)} before and {list(right)} after; give one of each a dimension")
    sizes = tuple(symbol(f"D{n}", min=1, max=LARGEST >> 1) for n in range(len(left)))
    around = [(n, as_expr(b), as_expr(a)) for n, b, a in zip(sizes, left, right, strict=True)]
    inner = make_naive_tensor_descriptor(sizes, packed_strides(sizes))
    dims = [[n] for n in range(len(sizes))]
    source = transform_tensor_descriptor(inner, [Pad(*one) for one in around], dims, dims)
    lengths = [n + (before + after) for n, before, after in around]
    amounts = "_".join(f"{before}_{after}" for _, before, after in around)
    return Copy(
        f"pad_{amounts}_{dtype}{_suffix(index_bits)}",
        source, make_naive_tensor_descriptor(lengths, packed_strides(lengths)), sizes, dtypes=(dtype, dtype),
        index_bits=index_bits, requires=few(lengths, index_bits),
    ).program()  # fmt: skip


def slices(begin: Sequence[int], dtype: str = "f32", index_bits: int = 32) -> Program:
    """The elements begin … begin + D − 1 of each dimension, of which R are left behind: sizes D0 …, R0 …

    >>> [size.value.name for size in slices((2, 0)).sizes]
    ['D0', 'D1', 'R0', 'R1']
    """
    if not begin or min(begin) < 0:
        raise LayoutError(f"slice: it begins at {list(begin)}; give a number of at least 0 for each dimension")
    kept = tuple(symbol(f"D{n}", min=1, max=LARGEST >> 2) for n in range(len(begin)))
    rest = tuple(symbol(f"R{n}", min=0, max=LARGEST >> 2) for n in range(len(begin)))
    whole = [b + d + r for b, d, r in zip(begin, kept, rest, strict=True)]
    dims = [[n] for n in range(len(begin))]
    inner = make_naive_tensor_descriptor(whole, packed_strides(whole))
    cut = [Slice(n, as_expr(b), b + d) for n, b, d in zip(whole, begin, kept, strict=True)]
    return Copy(
        f"slice_{'_'.join(map(str, begin))}_{dtype}{_suffix(index_bits)}",
        transform_tensor_descriptor(inner, cut, dims, dims), make_naive_tensor_descriptor(kept, packed_strides(kept)),
        (*kept, *rest), dtypes=(dtype, dtype), index_bits=index_bits, requires=few(whole, index_bits),
    ).program()  # fmt: skip


def cast(source: str, target: str, vector: int = 1, index_bits: int = 32) -> Program:
    """Every element of any number D0 of elements, converted (rounded to nearest, ties to even).

    >>> cast("f32", "bf16").name
    'cast_f32_bf16'
    """
    size = symbol("D0", min=1, max=LARGEST, multiple_of=vector)
    row = make_naive_tensor_descriptor((size,), (1,))
    wide = f"_v{vector}" if vector > 1 else ""
    return Copy(
        f"cast_{source}_{target}{wide}{_suffix(index_bits)}",
        row, row, (size,), vectors=(vector, vector), dtypes=(source, target), index_bits=index_bits,
        requires=few((size,), index_bits),
    ).program()  # fmt: skip


def copy(
    source: TensorDescriptor,
    target: TensorDescriptor,
    dtypes: tuple[str, str] = ("f32", "f32"),
    vectors: tuple[int, int] | None = None,
    requires: Expr = TRUE,
    name: str = "copy",
) -> Program:
    """target[x] = source[x] for any two descriptors of one shape; their symbols are the kernel's sizes.

    `vectors`: elements moved at a time by loads and by stores; the widest that each side's memory allows, unless given.
    Where the target leaves gaps in its memory, those keep what they hold.  LayoutError where the shapes differ.
    """
    spaces = (source.element_space_size, target.element_space_size)
    sizes = variables(*source.lengths, *target.lengths, *spaces)
    concrete = not sizes and max(int(s) for s in spaces) < 1 << 31
    bits = 32 if concrete or sizes else 64
    limits = [s < 1 << (bits - 1) for s in (*spaces, prod(target.lengths)) if s.hi >= 1 << (bits - 1)]
    for one in (source, target):
        if one.rank != source.rank:
            raise LayoutError(f"copy: a source of rank {source.rank} and a target of rank {target.rank}")
    axes = (contiguous_axis(source), contiguous_axis(target))
    if vectors is None:
        widths = [
            widest_along(d, a, dtype_named(t).bytes) for d, a, t in zip((source, target), axes, dtypes, strict=True)
        ]
        vectors = (min(widths),) * 2 if axes[0] == axes[1] else (widths[0], widths[1])
    fills = holds(eq(prod(target.lengths), target.element_space_size))
    return Copy(
        name, source, target, sizes,
        axes, vectors, dtypes, bits, all_of(requires, *limits),
        fills=fills,
    ).program()  # fmt: skip


def contiguous_axis(descriptor: TensorDescriptor) -> int:
    """The coordinate along which memory runs, the last one where none does.

    >>> contiguous_axis(make_naive_tensor_descriptor((4, 5), (1, 4)))
    0
    """
    x = descriptor.index
    for d in reversed(range(descriptor.rank)):
        beside = descriptor.hidden_index([i + 1 if n == d else i for n, i in enumerate(x)])[0]  # of a length 1, too
        step = simplify(beside - descriptor.offset(x))
        if step.op == "const" and step.value == 1:
            return d
    return descriptor.rank - 1


def widest_along(descriptor: TensorDescriptor, axis: int, element_bytes: int) -> int:
    """The most elements along a coordinate that one access of at most 16 bytes may move, wherever it begins.

    >>> [widest_along(make_naive_tensor_descriptor((4, n), (n, 1)), 1, 4) for n in (12, 6, 7)]
    [4, 2, 1]
    """
    length = descriptor.lengths[axis]
    return next(
        (w for w in (8, 4, 2) if w * element_bytes <= 16 and holds(eq(length % w, 0))
         and isinstance(prove(Contiguous(descriptor, axis, w)), Proved)), 1,
    )  # fmt: skip


def _suffix(index_bits: int) -> str:
    return "_i64" if index_bits == 64 else ""


# --- launches and entries ---------------------------------------------------------------------------------------------


def pad_task(shape: Sequence[int], left: Sequence[int], right: Sequence[int], dtype: str) -> Task:
    """numpy's pad with zeros."""
    same_rank("pad", shape, left, right)
    out = tuple(b + n + a for b, n, a in zip(left, shape, right, strict=True))
    return Task(pad(left, right, dtype, bits_for(product_of(out))), numbered("D", shape), out)


def slice_task(shape: Sequence[int], begin: Sequence[int], end: Sequence[int], dtype: str) -> Task:
    """x[begin[0]:end[0], …]."""
    same_rank("slice", shape, begin, end)
    for d, (n, b, e) in enumerate(zip(shape, begin, end, strict=True)):
        if not 0 <= b < e <= n:
            raise LayoutError(
                f"slice: dimension {d} of length {n} has no elements {b}…{e - 1}; give 0 ≤ begin < end ≤ {n}"
            )
    kept = tuple(e - b for b, e in zip(begin, end, strict=True))
    rest = numbered("R", [n - e for n, e in zip(shape, end, strict=True)])
    return Task(slices(begin, dtype, bits_for(product_of(shape))), {**numbered("D", kept), **rest}, kept)


def cast_task(shape: Sequence[int], source: str, target: str) -> Task:
    """Every element converted."""
    count = product_of(shape)
    width = min(widest(source, count), widest(target, count))
    return Task(cast(source, target, width, bits_for(count)), {"D0": count}, tuple(shape))


def copy_task(source: TensorDescriptor, target: TensorDescriptor, dtype: str, sizes: Mapping[str, int]) -> Task:
    """Between the flat memories of two views of these sizes."""
    program = copy(source, target, (dtype, dtype))
    missing = [s.value.name for s in program.sizes if s.value.name not in sizes]
    if missing:
        raise LayoutError(f"the sizes {', '.join(missing)} have no value; give each as -D NAME=VALUE")
    at = {s: sizes[s.value.name] for s in program.sizes}
    return Task(program, sizes, (value(target.element_space_size, at),))


def _copied(array: npt.NDArray[Any], views: Sequence[TensorDescriptor], task: Task) -> npt.NDArray[Any]:
    """The copy by numpy: every coordinate's offset in both."""
    index, at = views[0].index, {s: task.sizes[s.value.name] for s in task.program.sizes}
    exprs = [e for d in views for e in (d.offset(index), d.valid(index))]
    there, data, out, wanted = (g.reshape(-1) for g in grids(exprs, index, at))
    result = np.zeros(task.shape, array.dtype)
    keep = wanted != 0
    result[out[keep]] = np.where(data != 0, array[np.where(data != 0, there, 0)], 0)[keep]
    return result


def _copy_work(
    target: str, dtype: str, input: npt.NDArray[Any], spec: object, source: TensorDescriptor, to: TensorDescriptor,
    define: Mapping[str, int],
) -> Work:  # fmt: skip
    flat, task = input.reshape(-1), copy_task(source, to, dtype, define)
    return Work([flat], (task,), lambda: _copied(flat, (source, to), task))


def _pad_work(target: str, dtype: str, input: npt.NDArray[Any], left: tuple[int, ...], right: tuple[int, ...]) -> Work:
    before, after = (each("pad", f"--{n}", x, input.ndim) for n, x in (("left", left), ("right", right)))
    task = pad_task(input.shape, before, after, dtype)
    return Work([input], (task,), lambda: np.pad(input, list(zip(before, after, strict=True))))


def _slice_work(target: str, dtype: str, input: npt.NDArray[Any], begin: tuple[int, ...], end: tuple[int, ...]) -> Work:
    task = slice_task(input.shape, begin, end, dtype)
    return Work([input], (task,), lambda: input[tuple(map(slice, begin, end))])


def _cast_work(target: str, dtype: str, input: npt.NDArray[Any], to: str) -> Work:
    task = cast_task(input.shape, dtype, to)
    return Work([input], (task,), lambda: stored(numbers(input, KERNEL_DTYPES[dtype]), KERNEL_DTYPES[to]))


SPEC = Option("spec", "spec", "A spec file.")
FROM = Option("source", "descriptor", "The source's descriptor in it.", flag="--from")
INTO = Option("to", "descriptor", "The target's descriptor in it.")
SIZES = Option("define", "sizes", "A size: NAME=VALUE.", None, "-D")
BETWEEN = "target[x] = source[x] through two descriptors of one shape"
KERNELS = (
    Kernel(
        "copy",
        Command(
            f"{BETWEEN}.", lambda target, spec, source, to, dtype: copy(source, to, (dtype, dtype)),
            (SPEC, FROM, INTO, DTYPE),
        ),
        Command(f"{BETWEEN}; memory in and out is flat.", _copy_work, (INPUT, SPEC, FROM, INTO, SIZES)),
    ),
    Kernel(
        "pad",
        Command(
            "Zeros around a tensor.", lambda target, left, right, dtype: pad(left, right, dtype),
            (*integers("left", "right", help=EACH), DTYPE),
        ),
        Command("Zeros around a tensor.", _pad_work, (INPUT, *integers("left", "right", default="0"))),
        golden={"pad": lambda: pad((1, 1), (1, 1))},
    ),
    Kernel(
        "slice",
        Command(
            "The elements from `begin` on of each dimension, as many as the sizes say.",
            lambda target, begin, dtype: slices(begin, dtype), (*integers("begin", help=EACH), DTYPE),
        ),
        Command(
            "The elements begin … end − 1 of each dimension.", _slice_work,
            (INPUT, *integers("begin", "end")),
        ),
        golden={"slice": lambda: slices((1, 2))},
    ),
    Kernel(
        "cast",
        Command(
            "Another element type.", lambda target, to, dtype, vector: cast(dtype, to, vector), (TO, DTYPE, VECTOR)
        ),
        Command("Another element type, rounded to nearest even.", _cast_work, (INPUT, TO)),
        golden={"cast": lambda: cast("f32", "bf16", 4)},
    ),
)  # fmt: skip
