"""Runs a kernel of the corpus as its launch file says."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.container.metadata import KernelMetadata
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import BoundLaunch, bound
from layoutalg.launch.tensors import numpy_of
from tests.foreign.corpus import Array, Kernel, Sizes, Tensors

#: Kernels of these sizes are done in far fewer instructions.
STEPS = 60_000


@functools.cache
def _compiled(source: str, target: str, opt_level: int) -> Mapping[str, KernelBinary]:
    return read_kernels(compile_source(source, target, opt_level=opt_level).payload)


def binary(kernel: Kernel, target: str, opt_level: int = 3, source: str = "") -> KernelBinary:
    """The kernel, compiled; from another source where one is given."""
    launch = kernel.launch.launch
    assert launch
    assert launch.kernel
    return _compiled(source or kernel.source, target, opt_level)[launch.kernel]


def machine_code(kernel: Kernel, target: str, opt_level: int = 3, source: str = "") -> MachineCode:
    """The kernel, compiled and decoded."""
    return decode_kernel(binary(kernel, target, opt_level, source))


@dataclass(frozen=True)
class Outcome:
    """What a run gave, and what it should have given."""

    results: Tensors
    wanted: Tensors
    steps: int
    left: bool = False
    """Whether waves passed a barrier without others of their block, which had ended."""


def launched(kernel: Kernel, metadata: KernelMetadata, sizes: Sizes, seed: int = 0) -> tuple[BoundLaunch, Tensors]:
    """The launch at some sizes, its tensors drawn by the seed, and how they should be after it."""
    generator = np.random.default_rng(seed)
    special = kernel.inputs(generator, SimpleNamespace(**sizes))
    inputs = {name: one.astype(numpy_of(kernel.launch.descriptor(name).dtype)) for name, one in special.items()}
    launch = bound(kernel.launch, metadata, sizes, inputs, kernel.values, seed)
    before = {name: tensor.read(tensor.buffer.array) for name, tensor in launch.tensors.items()}
    return launch, {**before, **kernel.reference(SimpleNamespace(**before, **sizes, **kernel.values))}


def run(kernel: Kernel, code: MachineCode, sizes: Sizes, seed: int = 0) -> Outcome:
    """Carries a kernel out at some sizes. Raises what `execute` raises."""
    launch, wanted = launched(kernel, code.kernel.metadata, sizes, seed)
    execution = execute(
        code, launch.grid, launch.block, launch.arguments, STEPS, strict=not kernel.unaligned, lds=launch.lds
    )
    return Outcome(results(launch, execution.outputs), wanted, execution.steps, bool(execution.ended))


def results(launch: BoundLaunch, memories: Sequence[Array]) -> Tensors:
    """The tensors in the memories of a launch's buffers."""
    return {tensor.name: tensor.read(memory) for tensor, memory in zip(launch.passed, memories, strict=True)}


def differing(kernel: Kernel, outcome: Outcome) -> Sequence[str]:
    """The tensors that are not as they should be."""
    return [
        name
        for name, result in outcome.results.items()
        if not kernel.tolerance.accepts(result, np.asarray(outcome.wanted[name]).astype(result.dtype, copy=False))
    ]
