"""The candidates of each case: the library's own choice first, then what else is worth timing.

Candidates that a shape does not allow (a vector that does not divide a row) are left out by asking, never by catching
an error that would hide a defect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from layoutalg.bench.cases import Case
from layoutalg.kernel.emit.kernel import DECLARED
from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.convolution import convolution_task
from layoutalg.kernel.library.entry import Task, widest
from layoutalg.kernel.library.im2col import im2col_task
from layoutalg.kernel.library.permute import permute_task
from layoutalg.kernel.library.plans import Plan, copied, plan_for
from layoutalg.kernel.library.reduce import reduce_tasks
from layoutalg.kernel.library.staging import divides
from layoutalg.kernel.library.transpose import Blocks, lds_transpose, register_transpose, transpose_for

Cut = tuple[tuple[int, int], tuple[int, int], int, int, int]
CONTRACTIONS: tuple[Cut, ...] = (
    ((4, 4), (2, 4), 64, 4, 8), ((4, 4), (4, 2), 64, 4, 4), ((4, 4), (2, 2), 64, 3, 8), ((4, 4), (2, 4), 32, 5, 8),
)  # fmt: skip
CONVOLUTIONS: tuple[Cut, ...] = (
    ((2, 4), (4, 1), 64, 2, 1), ((2, 4), (4, 1), 64, 3, 1), ((3, 4), (2, 2), 64, 3, 1), ((4, 4), (2, 2), 64, 3, 1),
    ((3, 4), (2, 4), 64, 4, 1), ((4, 4), (2, 4), 64, 4, 1), ((4, 4), (4, 2), 64, 4, 1),
)  # fmt: skip
"""Of products by mma.sync: repeats and waves along m and n, the tile's k, slots, tiles along m side by side in time."""
BLOCKS = (
    Blocks(), Blocks((64, 64), 512, 256), Blocks((64, 128), 256, 256), Blocks((16, 32), 128),
    Blocks((128, 128), 512, 512), Blocks((128, 128), 1024, 256),
)  # fmt: skip
"""Of transpositions: those that were the fastest for some class of matrices."""


def _transposes(case: Case, target: str) -> Iterator[tuple[Task, ...]]:
    (rows, columns), dtype = case.shapes[0], case.dtype
    first = transpose_for(rows, columns, dtype)
    sizes, shape = {"M": rows, "N": columns}, (columns, rows)
    yield (Task(first, sizes, shape),)
    vectors = widest(dtype, columns), widest(dtype, rows)
    for b in BLOCKS if target != "cpu" else ():
        bytes_each = 4 if dtype == "f32" else 2
        fits = b.tile[0] * b.tile[1] * bytes_each <= DECLARED
        if fits and divides(b.tile, b.threads, vectors):
            program = lds_transpose(dtype, "xor", vectors, first.index_bits, b.threads, b.tile, b.segment)
            if program.name != first.name:
                yield (Task(program, sizes, shape),)
    if rows * columns < 1 << 20 and dtype == "f32" and not (rows % 32 or columns % 32):
        yield (Task(register_transpose(rows, columns, dtype), {}, shape),)


def _permutes(case: Case, target: str) -> Iterator[tuple[Task, ...]]:
    yield (permute_task(case.shapes[0], case.options["axes"], case.dtype),)


def _im2cols(case: Case, target: str) -> Iterator[tuple[Task, ...]]:
    o = case.options
    yield (im2col_task(case.shapes[0], o["filter"], case.dtype, stride=o["stride"], pad=o["pad"], dilation=(1,)),)


def _reductions(case: Case, target: str) -> Iterator[tuple[Task, ...]]:
    yield reduce_tasks(case.shapes[0], case.options["axes"], case.options["how"], case.dtype)


def _contractions(case: Case, target: str) -> Iterator[tuple[Task, ...]]:
    a, b = case.shapes
    first = contraction_task(case.options["einsum"], a, b, case.dtype, target=target)
    yield (first,)
    letters = case.options["einsum"].replace(",", "_").replace("->", "_")
    for plan, name in _plans(case, target, CONTRACTIONS):
        made = f"contraction_{letters}_{name}"
        task = contraction_task(case.options["einsum"], a, b, case.dtype, target=target, plan=plan, name=made)
        if task.program.body != first.program.body:
            yield (task,)


def _plans(case: Case, target: str, cuts: tuple[Cut, ...]) -> Iterator[tuple[Plan, str]]:
    """Plans of products in whole tiles that the shapes allow, and what tells them apart."""
    usual = plan_for(target, case.dtype)
    for repeats, waves, k, stages, group in cuts if usual.packed else ():
        plan = copied(usual, repeats, waves, k, stages, group, True)
        *_, columns = case.result
        if columns % plan.n == 0 and all(shape[-1] % k == 0 for shape in case.shapes):
            yield plan, f"{waves[0]}x{waves[1]}_s{stages}_g{group}"


def _convolutions(case: Case, target: str) -> Iterator[tuple[Task, ...]]:
    (image, filter), o = case.shapes, case.options
    given = {"stride": o["stride"], "pad": o["pad"], "dilation": (1,), "target": target}
    first = convolution_task(image, filter, case.dtype, **given)
    yield (first,)
    for plan, name in _plans(case, target, CONVOLUTIONS):
        task = convolution_task(image, filter, case.dtype, **given, plan=plan)
        if task.program.body != first.program.body:
            yield (replace(task, program=replace(task.program, name=f"{task.program.name}_{name}")),)


WAYS: Mapping[str, Callable[[Case, str], Iterator[tuple[Task, ...]]]] = {
    "transpose": _transposes, "permute": _permutes, "im2col": _im2cols, "reduce": _reductions,
    "contraction": _contractions, "conv": _convolutions,
}  # fmt: skip


def candidates(case: Case, target: str) -> Iterator[tuple[Task, ...]]:
    """The ways to do it on a target, the library's own choice first; each a row of launches."""
    yield from WAYS[case.kind](case, target)
