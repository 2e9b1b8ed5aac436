"""What a run begins with: the kernel with what the launch gives it, its arguments in memory, and where they are.

The regions are the arguments, the code object's segments, the buffers, and the packet of the launch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from layoutalg.errors import LaunchError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.elf import Segment
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arguments import (
    LaunchSizes,
    Triple,
    as_buffers,
    buffers_of,
    dispatch_packet,
    launched,
    pack_arguments,
    undefined_bytes,
)
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.pages import Unheld
from layoutalg.isa.run.registers import image_base
from layoutalg.isa.run.scratch import scratch_stride
from layoutalg.isa.run.spaces import Buffer, GlobalMemory, Region
from layoutalg.records import dataclass
from layoutalg.target import target as gpu

#: Bytes of memory that a run may take besides its buffers: LDS and scratch of the blocks that run at once, the image.
MEMORY = 1 << 29

_KERNARG = 0  # the region's number; the packet is the last


@dataclass(frozen=True)
class LaidOut:
    """A kernel as it is launched, and memory as it finds it."""

    kernel: KernelBinary
    launch: LaunchSizes
    memory: GlobalMemory
    buffers: tuple[tuple[int, Buffer], ...]  # those of the arguments, in their order, and the number of each's region

    @property
    def pointers(self) -> Mapping[str, int]:
        """The pointers that the descriptor may ask for."""
        return {"kernarg_segment_ptr": self.memory.addresses[_KERNARG], "dispatch_ptr": self.memory.addresses[-1]}

    @property
    def arguments(self) -> list[int | None]:
        """The dwords of the arguments, None of those that are not used."""
        dwords = self.memory.contents(_KERNARG).view(np.uint32)
        unknown = np.asarray(self.memory.undefined(_KERNARG).reshape(-1, 4).any(axis=1))
        return [None if undefined else int(word) for word, undefined in zip(dwords, unknown, strict=True)]

    def outputs(self) -> tuple[Array, ...]:
        """The buffers, as memory has them; empty: not held."""
        return tuple(
            self.memory.contents(number).view(one.array.dtype).reshape(one.array.shape) for number, one in self.buffers
        )

    def undefined(self) -> tuple[Array, ...]:
        """Of each buffer's bytes whether nothing has written them."""
        return tuple(self.memory.undefined(number) for number, _ in self.buffers)


def lay_out(
    program: MachineCode, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], lds: int = 0
) -> LaidOut:
    """Lays out memory; arguments and errors as of `launch.execute`."""
    launch = LaunchSizes(_triple(grid), _triple(block), lds)
    _refuse_launch(program.kernel, launch)
    kernel = launched(program.kernel, launch)
    args = as_buffers(args)
    passed = dict.fromkeys(buffers_of(args))
    buffers = list(passed | dict.fromkeys(each for one in passed for each in one.points))
    nothing = np.zeros(kernel.argument_segment, np.uint8)
    regions = [Region("the kernel arguments", nothing, writable=False, defined=~undefined_bytes(kernel, args))]
    regions += [
        Region(
            "the code and constants", _loaded(segment), image_base(kernel) + segment.address, writable=segment.writable
        )
        for segment in kernel.image
    ]
    first = len(regions)
    regions += [Region(one.name, _bytes(one), writable=one.writable, defined=one.defined) for one in buffers]
    regions.append(Region("the dispatch packet", np.zeros(64, np.uint8), writable=False))
    memory = GlobalMemory(regions)
    addresses = dict(zip(buffers, memory.addresses[first:], strict=False))
    packet = dispatch_packet(kernel, launch, memory.addresses[_KERNARG])
    packed = pack_arguments(kernel, launch, args, addresses)
    for one in (each for each in passed if each.points):
        at = [addresses[each] + each.first for each in one.points]
        memory.contents(first + buffers.index(one))[:] = np.array(at, np.uint64).view(np.uint8)
    for number, data in ((_KERNARG, packed), (-1, packet)):
        memory.contents(number)[:] = np.frombuffer(data, np.uint8)
    numbered = tuple((first + buffers.index(one), one) for one in buffers_of(args))
    return LaidOut(kernel, launch, memory, numbered)


def _bytes(buffer: Buffer) -> Array | Unheld:
    if buffer.unheld is not None:
        return buffer.unheld
    return np.ascontiguousarray(buffer.array).reshape(-1).view(np.uint8)


def chosen(launch: LaunchSizes, blocks: Sequence[Triple]) -> Array:
    """The blocks that run, a row (x, y, z) each: these, or all of the grid, x the fastest."""
    for block in blocks:
        if not all(0 <= k < n for k, n in zip(block, launch.grid, strict=True)):
            raise LaunchError(f"the block {block} is none of {launch.grid}")
    if blocks:
        return np.array(blocks, np.int64)
    z, y, x = np.indices(launch.grid[::-1]).reshape(3, -1)
    return np.stack([x, y, z], axis=1)


def _refuse_launch(kernel: KernelBinary, launch: LaunchSizes) -> None:
    """A launch that the runtime or the target refuses, or that takes more memory than is given to it here."""
    target, threads = gpu(kernel.target), prod(launch.block)
    lds = kernel.lds_bytes + launch.dynamic_lds_bytes
    refused = kernel.metadata.refuses(launch.block)
    if refused:
        raise LaunchError(refused)
    if threads > target.max_workgroup:
        raise LaunchError(f"{kernel.name}: a block of {threads} threads, {kernel.target} has {target.max_workgroup}")
    if not kernel.lds_bytes <= lds <= target.lds_bytes:
        raise LaunchError(f"{kernel.name} is launched with {lds} bytes of LDS, {kernel.target} has {target.lds_bytes}")
    if max(blocks * size for blocks, size in zip(launch.grid, launch.block, strict=True)) >= 1 << 32:
        raise LaunchError(f"{kernel.name}: {launch.grid} blocks of {launch.block} threads, HIP launches fewer than 2³²")
    waves = -(-threads // kernel.wave_size)
    needed = block_bytes(kernel, waves) + kernel.kernarg_bytes + sum(segment.size for segment in kernel.image)
    if needed > MEMORY:
        raise LaunchError(f"{kernel.name} needs {needed} bytes for one block, {MEMORY} are given to it here")


def block_bytes(kernel: KernelBinary, waves: int) -> int:
    """LDS and scratch of both copies of a block."""
    return 2 * (kernel.lds_bytes + waves * kernel.wave_size * scratch_stride(kernel))


def _loaded(segment: Segment) -> Array:
    return np.frombuffer(segment.data.ljust(segment.size, b"\0"), np.uint8)


def _triple(sizes: Sequence[int]) -> Triple:
    padded = (*sizes, 1, 1)[:3] if 1 <= len(sizes) <= 3 else (0, 0, 0)
    if min(padded) < 1:
        raise LaunchError(f"a grid or block has one to three sizes of at least 1, got {tuple(sizes)}")
    return padded[0], padded[1], padded[2]
