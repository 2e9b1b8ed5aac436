"""What is dispatched: the library's kernels at odd sizes, and the corpus of plain HIP kernels at its own sizes.

| kernels | sizes | before | what must come out |
|---|---|---|---|
| `kernels/`, all folders | drawn by seeds (`layoutalg.refine.trial`) | poison in the target | the program's meaning |
| what the library chooses for `ODD` | odd ones | poison in the target | the program's meaning |
| `tests/foreign`, -O1 and -O3 | the kernel's | noise in what is written | numpy's reference, within its tolerance |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from benchmarks.binary.builds import kernels as library
from layoutalg.bench.cases import Case as Workload
from layoutalg.device.compile import compile_source
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.index import Expr
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.program import Program
from layoutalg.refine.trial import make_case, small_sizes
from tests.foreign.corpus import Kernel, Sizes
from tests.foreign.running import Outcome as ForeignOutcome
from tests.foreign.running import binary, differing, launched, results
from tests.foreign.table import KERNELS

Array = NDArray[Any]

SEEDS = (0, 1, 2)
"""Choices of sizes for each kernel of the library."""
MORE: Mapping[str, Mapping[str, int]] = {"reduce_max": {"N_a": 5, "N_b": 72}}
"""Another choice of sizes, by kernel."""
STEPS = 60_000


@dataclass(frozen=True)
class Case:
    """A launch of a binary, and whether the buffers after it are as they must be."""

    kernel: str
    build: str  # the corpus, and the compiler's level
    target: str
    sizes: Mapping[str, int]
    code: MachineCode | KernelBinary  # not decoded where our decoder refuses
    grid: Sequence[int]
    block: Sequence[int]
    arguments: Sequence[Any]
    right: Callable[[Sequence[Array]], bool]
    strict: bool = True
    lds: int = 0  # bytes that the launch adds

    @property
    def binary(self) -> KernelBinary:
        """The kernel."""
        return self.code.kernel if isinstance(self.code, MachineCode) else self.code


ODD = (
    Workload("transpose", ((33, 47),), "f32"),
    Workload("transpose", ((31, 65),), "f16"),
    Workload("permute", ((5, 7, 3, 9),), "f32", {"axes": (3, 1, 0, 2)}),
    Workload("im2col", ((1, 5, 7, 3),), "f32", {"filter": (3, 3), "stride": (1, 1), "pad": (1, 1)}),
    Workload("reduce", ((5, 71),), "f32", {"axes": (1,), "how": "sum"}),
    Workload("reduce", ((7, 131),), "f16", {"axes": (1,), "how": "max"}),
    Workload("contraction", ((33, 17), (17, 35)), "f32", {"einsum": "ik,kj->ij"}),
    Workload("contraction", ((33, 17), (17, 35)), "f16", {"einsum": "ik,kj->ij"}),
    Workload("conv", ((1, 5, 6, 3), (5, 3, 3, 3)), "f16", {"stride": (1, 1), "pad": (1, 1)}),
)
"""Odd shapes, for which the library chooses its kernel."""


def library_cases(target: str, names: Sequence[str] = ()) -> Iterator[Case]:
    """The library's kernels at odd sizes."""
    for name, programs in library().items():
        if names and name not in names:
            continue
        program = programs[target]
        payload = compile_source(emit_unverified(program), target).payload
        code = decode_kernel(read_kernels(payload)[program.name])
        chosen = [small_sizes(program, seed) for seed in SEEDS]
        chosen += [{size: MORE[name][str(size.value.name)] for size in program.sizes}] if name in MORE else []
        for seed, one in enumerate(chosen):
            yield _library_case(name, "library", program, code, one, seed)


def odd_cases(target: str, names: Sequence[str] = ()) -> Iterator[Case]:
    """The kernels that the library chooses for odd shapes."""
    for workload in ODD:
        for number, task in enumerate(workload.tasks(target) if not names or workload.kind in names else ()):
            payload = compile_source(emit_unverified(task.program), target).payload
            code = decode_kernel(read_kernels(payload)[task.program.name])
            sizes = {size: task.sizes[str(size.value.name)] for size in task.program.sizes}
            yield _library_case(workload.name, "odd", task.program, code, sizes, number)


def _library_case(
    name: str, build: str, program: Program, code: MachineCode, sizes: Mapping[Expr, int], seed: int
) -> Case:
    case = make_case(program, sizes, seed)
    given = [*case.inputs, case.target, *(case.sizes[size] for size in program.sizes)]
    named = {str(size.value.name): n for size, n in case.sizes.items()} or {"seed": seed}
    right = _same([*case.inputs, case.expected])
    return Case(name, build, code.kernel.target, named, code, case.grid, program.block, given, right)


def _same(wanted: Sequence[Array]) -> Callable[[Sequence[Array]], bool]:
    return lambda found: all(a.tobytes() == b.tobytes() for a, b in zip(found, wanted, strict=True))


def foreign_cases(target: str, level: int, names: Sequence[str] = ()) -> Iterator[Case]:
    """The corpus, at two of each kernel's sizes."""
    for name, kernel in KERNELS.items():
        if target not in kernel.targets or (names and name not in names):
            continue
        for choice in dict.fromkeys((len(kernel.sizes) // 3, len(kernel.sizes) - 1)):
            yield _foreign_case(kernel, target, level, kernel.sizes[choice])


def _foreign_case(kernel: Kernel, target: str, level: int, sizes: Sizes) -> Case:
    whole = replace(binary(kernel, target, level), preloading=False)  # no executor fills preloaded arguments in
    launch, wanted = launched(kernel, whole.metadata, sizes)
    try:
        code: MachineCode | KernelBinary = decode_kernel(whole)
    except UnsupportedInstructionError:
        code = whole

    def right(memories: Sequence[Array]) -> bool:
        return not differing(kernel, ForeignOutcome(results(launch, memories), wanted, 0))

    return Case(kernel.name, f"foreign -O{level}", target, sizes, code, launch.grid, launch.block, launch.arguments,
                right, not kernel.unaligned, launch.lds)  # fmt: skip
