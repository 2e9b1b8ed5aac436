"""From a verified program to a result: build it for a target, run it on arrays.

The only way from a program to a device leads through its proofs: `build`, `launch` and `run` take what `verify`
returned, and what is not proved is refused there.  What the proofs assume of sizes and of memory (the target overlaps
nothing, vectors begin at multiples of 16 bytes) is checked before each launch.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compile import compile_source
from layoutalg.device.runtime import BoxOf, Device, DeviceArray, Module
from layoutalg.errors import LaunchError
from layoutalg.index import Expr
from layoutalg.index.evaluate import limits, value
from layoutalg.kernel.access.boxes import STRIDE, boxes_of
from layoutalg.kernel.emit import emit
from layoutalg.kernel.obligations.limits import alignment_of
from layoutalg.kernel.program import Program, Tensor
from layoutalg.kernel.verify import Verified
from layoutalg.prove.obligation import in_domain
from layoutalg.records import dataclass


@dataclass(frozen=True)
class TimedResult:
    """A result, and how long the launch took in milliseconds."""

    output: npt.NDArray[Any]
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
            raise LaunchError(f"{program.name} is proved for {limits(size)}; not for {n}")
    if not value(program.requires, at):
        raise LaunchError(f"{program.name} is proved where {program.requires}; not at {sizes}")
    return at


def launch(verified: Verified, module: Module, arrays: Sequence[Any], **sizes: int) -> None:
    """Starts a program's kernel on arrays that lie on the device: its tensors, in order, the target last.

    An array is a `DeviceArray`, or one of another library that the device can use in place.  LaunchError where its
    number of elements, its type's size, its place in memory, or a size is not what was proved.
    """
    program = verified.program
    at = launch_sizes(program, sizes)
    if len(arrays) != len(program.tensors):
        raise LaunchError(f"{program.name}: {len(arrays)} arrays given; it has {len(program.tensors)} tensors")
    there = [a if isinstance(a, DeviceArray) else module.device.view(a) for a in arrays]
    for tensor, array in zip(program.tensors, there, strict=True):
        _refuse_elements(program, tensor, prod(array.shape), at)
        if array.dtype.itemsize != tensor.dtype.bytes:
            raise LaunchError(f"{program.name}: {tensor.name} has elements of {array.dtype}, not {tensor.dtype.name}")
    _refuse_places(program, there)
    grid = tuple(value(n, at) for n in program.launch)
    boxes = [BoxOf(there[n], *told) for n, told in told_boxes(program, at)]
    module.launch(program.name, grid, program.block, (*there, *(at[size] for size in program.sizes), *boxes))


Told = tuple[tuple[int, ...], ...]
"""Of a box: its array's lengths, its strides in bytes, its extents, and how windows walk it (`BoxOf`)."""


def told_boxes(program: Program, at: dict[Expr, int]) -> list[tuple[int, Told]]:
    """Of each box that a program copies: the number of its tensor, and what the device is told of it at these sizes.

    A stride that no index uses may be any that the driver takes.
    """
    found: list[tuple[int, Told]] = []
    for box in boxes_of(program):
        lengths = tuple(value(n, at) for n in box.lengths)
        size = box.tensor.dtype.bytes
        strides = tuple(value(n, at) * size if m > 1 else STRIDE for m, n in zip(lengths, box.strides, strict=True))
        found.append((program.tensors.index(box.tensor), (lengths, strides[1:], box.extents, *box.walk)))
    return found


def run(
    verified: Verified,
    device: Device,
    source: npt.NDArray[Any],
    shape: tuple[int, ...],
    *inputs: npt.NDArray[Any],
    **sizes: int,
) -> TimedResult:
    """Runs a program on copies of its source and its further inputs: the target array, of the given shape.

    LaunchError where an array's type or number of elements, or a size, is not what was proved.
    """
    program = verified.program
    at = launch_sizes(program, sizes)
    arrays = (source, *inputs)
    if len(arrays) != len(program.tensors) - 1:
        raise LaunchError(f"{program.name}: {len(arrays)} arrays given; it reads {len(program.tensors) - 1}")
    for tensor, array in zip(program.tensors[:-1], arrays, strict=True):
        _refuse_elements(program, tensor, array.size, at)
        if array.dtype.name != tensor.dtype.array:
            raise LaunchError(f"{program.name}: {tensor.name} is {array.dtype.name}, not {tensor.dtype.array}")
    _refuse_elements(program, program.target, prod(shape), at)
    module = device.load(build(verified, device.target))
    there = [device.array(array) for array in arrays]
    kind = program.target.dtype.numpy
    out = device.empty(shape, kind) if program.fills else device.array(np.zeros(shape, kind))
    start = time.perf_counter()
    launch(verified, module, (*there, out), **sizes)
    device.synchronize()
    return TimedResult(out.numpy(), (time.perf_counter() - start) * 1e3)


def _refuse_places(program: Program, arrays: Sequence[DeviceArray]) -> None:
    """Tensors begin where their vectors need it, and the target lies on no other's memory: the proofs assume both."""
    for tensor, array in zip(program.tensors, arrays, strict=True):
        needed = alignment_of(program, tensor)
        if array.pointer % needed:
            raise LaunchError(
                f"{program.name}: {tensor.name} begins at address {array.pointer:#x}, no multiple of {needed} bytes; "
                "copy it to memory of its own"
            )
    *others, target = arrays
    for tensor, array in zip(program.tensors, others, strict=False):
        if array.pointer < target.pointer + target.nbytes and target.pointer < array.pointer + array.nbytes:
            raise LaunchError(f"{program.name}: {program.target.name} overlaps {tensor.name} in memory; "
                              "give a target of its own")  # fmt: skip


def _refuse_elements(program: Program, tensor: Tensor, elements: int, at: dict[Expr, int]) -> None:
    wanted = value(tensor.descriptor.element_space_size, at)
    if elements != wanted:
        raise LaunchError(f"{program.name}: {tensor.name} has {elements} elements, and the descriptor {wanted}")
