"""The candidates of each case: the library's own choice first, then what else is worth timing.

Candidates that a shape does not allow (a vector that does not divide a row) are left out by asking, never by catching
an error that would hide a defect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from layoutalg.bench.cases import Case
from layoutalg.kernel.emit.kernel import DECLARED
from layoutalg.kernel.library.attention import AttentionCut
from layoutalg.kernel.library.attention_entry import attention_task
from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.convolution import convolution_task
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.library.fit import widest
from layoutalg.kernel.library.plans import WGMMA, Cut, Plan, copied, plan_for
from layoutalg.kernel.library.staging import divides
from layoutalg.kernel.library.transpose import Blocks, lds_transpose, register_transpose
from layoutalg.target.dtypes import KERNEL_DTYPES

CONTRACTIONS = (
    Cut((4, 4), (2, 4), 64, 4, 8),
    *(Cut((1, 1), (2, 1), 64, stages, 16, True, WGMMA.format(256), through)
      for stages, through in ((4, False), (3, True))),
    *(Cut((1, 1), (2, 1), 64, 4, group, True, WGMMA.format(256), through=True, boxes=True) for group in (8, 16)),
    Cut((1, 1), (2, 1), 64, 4, 16, True, WGMMA.format(256), boxes=True, exchanged=True),
    Cut((1, 1), (2, 1), 64, 4, 16, True, WGMMA.format(256), boxes=True, persistent=132, exchanged=True),
    Cut((2, 1), (2, 1), 64, 4, 8, True, WGMMA.format(128), through=True, boxes=True),
    Cut((1, 1), (2, 1), 64, 4, 8, True, WGMMA.format(128), through=True, boxes=True),
)  # fmt: skip
CONVOLUTIONS = (
    Cut((4, 4), (2, 2), 64, 3),
    *(Cut((1, 1), (2, 1), 64, stages, 1, True, WGMMA.format(n), through=True)
      for n, stages in ((64, 3), (128, 3), (256, 3))),
    *(Cut((rows, 1), (waves, 1), 64, stages, 1, True, WGMMA.format(n), through=True, boxes=True)
      for n, rows, waves, stages in (
          (64, 1, 1, 4), (64, 1, 2, 8), (64, 2, 2, 4), (128, 1, 2, 4), (128, 2, 2, 4), (256, 1, 2, 4), (256, 1, 1, 4))),
)  # fmt: skip
"""Of products whose tiles are copied past the registers: as the library did before, and by boxes."""
ATTENTIONS = (
    *(AttentionCut(waves, repeats, keys) for waves, repeats, keys in ((4, 2, 64), (8, 1, 128))),
    *(AttentionCut(waves, 1, keys, in_lds=True) for waves in (1, 2) for keys in (64, 128)),
)
"""Of attention: rows of a block by waves and by tiles of each, and keys of a tile."""
BLOCKS = (
    Blocks(), Blocks((64, 64), 512, 256), Blocks((64, 128), 256, 256), Blocks((16, 32), 128),
    Blocks((128, 128), 512, 512), Blocks((128, 128), 1024, 256),
)  # fmt: skip
"""Of transpositions: those that were the fastest for some class of matrices."""


def _transposes(case: Case, target: str, first: Task) -> Iterator[Task]:
    (rows, columns), dtype = case.shapes[0], case.dtype
    vectors = widest(dtype, columns), widest(dtype, rows)
    for b in BLOCKS if target != "cpu" else ():
        fits = b.tile[0] * b.tile[1] * KERNEL_DTYPES[dtype].bytes <= DECLARED
        if fits and divides(b.tile, b.threads, vectors):
            bits = first.program.index_bits
            yield replace(first, program=lds_transpose(dtype, "xor", vectors, bits, b.threads, b.tile, b.segment))
    if rows * columns < 1 << 20 and dtype == "f32" and not (rows % 32 or columns % 32):
        yield Task(register_transpose(rows, columns, dtype), {}, first.shape)


def _contractions(case: Case, target: str, first: Task) -> Iterator[Task]:
    (a, b), einsum = case.shapes, case.options["einsum"]
    letters = einsum.replace(",", "_").replace("->", "_")
    rows = case.result[-2]
    whole = (one for one in _plans(case, target, CONTRACTIONS) if rows % (one[0].m * one[0].group) == 0)
    for plan, name in whole:
        made = f"contraction_{letters}_{name}"
        yield contraction_task(einsum, a, b, case.dtype, target=target, plan=plan, name=made)


def _convolutions(case: Case, target: str, first: Task) -> Iterator[Task]:
    (image, filter), o = case.shapes, case.options
    given = {"stride": o["stride"], "pad": o["pad"], "dilation": (1,), "target": target}
    for plan, name in _plans(case, target, CONVOLUTIONS):
        task = convolution_task(image, filter, case.dtype, **given, plan=plan)
        yield replace(task, program=replace(task.program, name=f"{task.program.name}_{name}"))


def _plans(case: Case, target: str, cuts: tuple[Cut, ...]) -> Iterator[tuple[Plan, str]]:
    """Plans of products in whole tiles that the shapes allow, and what tells them apart."""
    usual = plan_for(target, case.dtype)
    for cut in cuts if usual.packed else ():
        plan = copied(usual, cut)
        *_, columns = case.result
        if columns % plan.n == 0 and all(shape[-1] % cut.k == 0 for shape in case.shapes):
            by = "".join(f"_{way}" for way in ("through", "boxes") if getattr(cut, way))
            yield plan, f"{cut.waves[0]}x{cut.waves[1]}_s{cut.stages}_g{cut.group}{by}"


def _attentions(case: Case, target: str, first: Task) -> Iterator[Task]:
    shapes = case.shapes[0], case.shapes[1]
    for cut in ATTENTIONS if target == "sm_90" else ():
        if cut.repeats * case.shapes[0][-1] <= 128:
            yield attention_task(shapes, case.options["causal"], case.dtype, target, cut)


OTHERS: Mapping[str, Callable[[Case, str, Task], Iterator[Task]]] = {
    "transpose": _transposes, "contraction": _contractions, "conv": _convolutions,
    "attention": _attentions,
}  # fmt: skip
"""What else is worth timing, beside the library's own choice."""


def candidates(case: Case, target: str) -> Iterator[tuple[Task, ...]]:
    """The ways to do it on a target, the library's own choice first; each a row of launches."""
    first = case.tasks(target)
    yield first
    if case.kind in OTHERS:
        others = OTHERS[case.kind](case, target, first[0])
        known = first[0].program.body if len(first) == 1 else None
        yield from ((task,) for task in others if task.program.body != known)
