"""From a verified program to a result: build it for a target, run it on arrays.

The only way from a program to a device leads through its proofs: `build` and `run` take what `verify` returned, and
what is not proved is refused there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compile import compile_source
from layoutalg.device.errors import LaunchError
from layoutalg.device.runtime import Device
from layoutalg.index import Expr
from layoutalg.index.evaluate import value
from layoutalg.kernel.emit import emit
from layoutalg.kernel.program import Program, Tensor
from layoutalg.kernel.verify import Verified
from layoutalg.prove.obligation import in_domain

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Run:
    """A result, and how long the launch took in milliseconds."""

    output: NDArray[Any]
    milliseconds: float


def build(verified: Verified, target: str) -> CodeObject:
    """The code object of a verified program for a target.

    NotProvedError where an obligation is not proved, CompileError where it does not compile.
    """
    return compile_source(emit(verified, None if target == "cpu" else target), target)


def launch_sizes(program: Program, sizes: dict[str, int]) -> dict[Expr, int]:
    """The program's size arguments by variable; LaunchError where they break what the proof assumed of them."""
    at = {size: sizes[size.value.name] for size in program.sizes}
    for size, n in at.items():
        if not in_domain({size: n}, (size,)):
            s = size.value
            allowed = f"{s.name} in {s.lo}…{s.hi}, multiples of {s.multiple_of}"
            raise LaunchError(f"{program.name} is proved for {allowed}; not for {n}")
    if not value(program.requires, at):
        raise LaunchError(f"{program.name} is proved where {program.requires}; not at {sizes}")
    return at


def run(
    verified: Verified,
    device: Device,
    source: NDArray[Any],
    shape: tuple[int, ...],
    *inputs: NDArray[Any],
    **sizes: int,
) -> Run:
    """Runs a program on its source and its further inputs: the target array, of the given shape.

    LaunchError where an array's type or number of elements, or a size, is not what was proved.
    """
    program = verified.program
    at = launch_sizes(program, sizes)
    arrays = (source, *inputs)
    if len(arrays) != len(program.tensors) - 1:
        raise LaunchError(f"{program.name}: {len(arrays)} arrays given; it reads {len(program.tensors) - 1}")
    for tensor, array in zip(program.tensors[:-1], arrays, strict=True):
        _refuse_elements(program, tensor, array.size, at)
        if array.dtype.name != tensor.dtype.numpy:
            raise LaunchError(f"{program.name}: {tensor.name} is {array.dtype.name}, not {tensor.dtype.numpy}")
    _refuse_elements(program, program.target, _count(shape), at)
    module = device.load(build(verified, device.target))
    there = [device.array(array) for array in arrays]
    kind = program.target.dtype.numpy
    out = device.empty(shape, kind) if program.fills else device.array(np.zeros(shape, kind))
    grid = tuple(value(n, at) for n in program.launch)
    arguments = (*there, out, *(at[size] for size in program.sizes))
    start = time.perf_counter()
    module.launch(program.name, grid, program.block, arguments)
    device.synchronize()
    return Run(out.numpy(), (time.perf_counter() - start) * 1e3)


def _refuse_elements(program: Program, tensor: Tensor, elements: int, at: dict[Expr, int]) -> None:
    wanted = value(tensor.descriptor.element_space_size, at)
    if elements != wanted:
        raise LaunchError(f"{program.name}: {tensor.name} has {elements} elements, and the descriptor {wanted}")


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total
