"""From a verified program to a result: build it for a target, run it on arrays.

The only way from a program to a device leads through its proofs: `build` and `run` take what `verify` returned, and
what is not proved is refused there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compile import compile_source
from layoutalg.device.errors import LaunchError
from layoutalg.device.runtime import Device
from layoutalg.index import Expr
from layoutalg.index.evaluate import extent, value
from layoutalg.kernel.emit import emit
from layoutalg.kernel.program import Program
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
    return compile_source(emit(verified), target)


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


def run(verified: Verified, device: Device, source: NDArray[Any], shape: tuple[int, ...], **sizes: int) -> Run:
    """Runs a one-source program: the target array, of the given shape.

    LaunchError where the source's type or number of elements, or a size, is not what was proved.
    """
    program = verified.program
    at = launch_sizes(program, sizes)
    for tensor, elements in ((program.source, source.size), (program.target, _count(shape))):
        wanted = value(tensor.descriptor.element_space_size, at)
        if elements != wanted:
            raise LaunchError(f"{program.name}: {tensor.name} has {elements} elements, and the descriptor {wanted}")
    if source.dtype.name != program.source.dtype.numpy:
        raise LaunchError(f"{program.name}: the source is {source.dtype.name}, not {program.source.dtype.numpy}")
    module = device.load(build(verified, device.target))
    there, out = device.array(source), device.empty(shape, program.target.dtype.numpy)
    grid = tuple(extent(block, at) for block in program.grid)
    arguments = (there, out, *(at[size] for size in program.sizes))
    start = time.perf_counter()
    module.launch(program.name, grid, program.block, arguments)
    device.synchronize()
    return Run(out.numpy(), (time.perf_counter() - start) * 1e3)


def _count(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total
