"""A dispatch as any executor takes it: memory at addresses, the words of the first scalar registers, and an entry.

Everything that the runtime and the packet processor do is done here once, so that executors differ in nothing but how
they carry instructions out: the image is loaded, arguments are packed, user registers are filled in. What an executor
sends back is the same memory after the run, and all of it is compared, the bytes around the buffers too.

| region | begins at | holds |
|---|---|---|
| image | 8 GiB + the address in the file | code and constants |
| arguments, packet | 12 GiB, 1 MiB on | the segment, hidden arguments too; what the dispatch was started by |
| buffer n | (n + 2) · 8 GiB less half its size | its bytes, then `AROUND` to the end of the page |

A multiple of 2**32 lies in each buffer: an address whose upper half takes no carry is wrong in half of it.

What it cannot represent: preloaded arguments, a queue, a dispatch's number, and scratch where a kernel adds its own
base (gfx90a), since no executor here fills in that register.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.run.arguments import LaunchSizes, as_buffers, buffers_of, dispatch_packet, pack_arguments

PAGE = 4096
IMAGE, ARGUMENTS, PACKET = 2 << 32, 3 << 32, (3 << 32) + (1 << 20)
AROUND = 0xA5
"""What lies around a buffer."""

CACHES = ("BUFFER_GL0_INV", "BUFFER_GL1_INV", "BUFFER_INV", "BUFFER_WBL2", "BUFFER_WBINVL1_VOL", "BUFFER_WBINVL1",
          "GLOBAL_INV", "GLOBAL_WB", "GLOBAL_WBINV", "S_DCACHE_INV", "S_DCACHE_WB", "S_GL1_INV")  # fmt: skip
"""What only caches see. No executor here has one: in all dispatches S_NOP stands for these, and the record says so."""

POINTERS = {"kernarg_segment_ptr": ARGUMENTS, "dispatch_ptr": PACKET}
_FOR_SCRATCH = ("flat_scratch_init", "private_segment_buffer")
"""User registers that hold nothing here: they are for scratch."""

_NOP = (0xBF800000).to_bytes(4, "little")


@dataclass(frozen=True)
class Region:
    """Bytes at an address: a whole number of pages."""

    address: int
    data: bytes


@dataclass(frozen=True)
class Dispatch:
    """One launch of a kernel."""

    kernel: KernelBinary
    launch: LaunchSizes
    image: Region
    arguments: Region
    packet: Region
    buffers: tuple[Region, ...]
    sizes: tuple[int, ...]  # bytes of each buffer, the rest of its pages being around it
    substituted: tuple[str, ...]  # names of the instructions for which S_NOP stands

    def header(self) -> bytes:
        """What a worker reads first: a line of JSON. The regions' bytes follow it, in the same order."""
        kernel, lds = self.kernel, self.kernel.lds_bytes + self.launch.dynamic_lds_bytes
        lds_granules = -(-lds // 512)
        rsrc2 = kernel.user_sgpr_count << 1 | lds_granules << 15 | kernel.thread_dimensions - 1 << 11
        rsrc2 |= sum(wanted << 7 + k for k, wanted in enumerate(kernel.block_indices))
        found = {
            "target": kernel.target, "wave_size": kernel.wave_size, "grid": self.launch.grid,
            "block": self.launch.block,
            "entry": IMAGE + kernel.entry, "code_bytes": len(kernel.code), "arguments": self.arguments.address,
            "user_sgprs": self.user_sgprs(), "block_indices": kernel.block_indices,
            "thread_dimensions": kernel.thread_dimensions, "lds_bytes": lds,
            "scratch_bytes": kernel.scratch_bytes, "rsrc2": rsrc2,
            "regions": [[region.address, len(region.data)] for region in self.regions],
        }  # fmt: skip
        return json.dumps(found).encode() + b"\n"

    @property
    def regions(self) -> tuple[Region, ...]:
        """All memory."""
        return (self.image, self.arguments, self.packet, *self.buffers)

    def user_sgprs(self) -> list[int]:
        """The words of the user registers: pointers to the arguments and the packet, the size of scratch, and zeros."""
        known = {**POINTERS, "private_segment_size": self.kernel.scratch_bytes}
        words: list[int] = []
        for name, count in self.kernel.user_sgprs:
            words += [known.get(name, 0) >> 32 * k & 0xFFFFFFFF for k in range(count)]
        return words + [0] * (self.kernel.user_sgpr_count - len(words))


def not_set_up(kernel: KernelBinary) -> str:
    """What a kernel asks for that no dispatch here has; empty where there is nothing."""
    others = [name for name, _ in kernel.user_sgprs if name not in (*POINTERS, "private_segment_size", *_FOR_SCRATCH)]
    if others:
        return f"user registers: {', '.join(others)}"
    if kernel.scratch_bytes and kernel.machine.scratch_base == "kernel":
        return "scratch whose base the kernel adds"
    return ""


def dispatch(
    kernel: KernelBinary, instructions: Sequence[Instruction], launch: LaunchSizes, args: Sequence[Any]
) -> Dispatch:
    """The dispatch of a launch.

    Raises `UnsupportedInstructionError` for what `not_set_up` names, and `LaunchError` where arguments do not fit.
    """
    if why := not_set_up(kernel):
        raise UnsupportedInstructionError(why)
    given = as_buffers(args)
    held = list(dict.fromkeys(buffers_of(given)))
    arrays = [np.ascontiguousarray(one.array).reshape(-1).view(np.uint8) for one in held]
    buffers = tuple(Region(_across_4gib(n, array.size), _filled(array)) for n, array in enumerate(arrays))
    addresses = {one: region.address for one, region in zip(held, buffers, strict=True)}
    packed = pack_arguments(kernel, launch, given, addresses)
    packet = dispatch_packet(kernel, launch, ARGUMENTS)
    cached = [one for one in instructions if one.name in CACHES]
    return Dispatch(
        kernel, launch, _image(kernel, cached), _pages_of(ARGUMENTS, packed), _pages_of(PACKET, packet), buffers,
        tuple(array.size for array in arrays), tuple(sorted({one.name for one in cached})),
    )  # fmt: skip


def _across_4gib(number: int, size: int) -> int:
    return (number + 2 << 33) - _pages(size) // 2 // PAGE * PAGE


def _pages(size: int) -> int:
    return max(1, -(-size // PAGE)) * PAGE


def _pages_of(address: int, data: bytes) -> Region:
    return Region(address, data.ljust(_pages(len(data)), b"\xdb"))


def _filled(array: NDArray[np.uint8]) -> bytes:
    return array.tobytes().ljust(_pages(array.size), bytes([AROUND]))


def _image(kernel: KernelBinary, cached: Sequence[Instruction]) -> Region:
    """What is loaded, with S_NOP for what only caches see."""
    whole = bytearray(_pages(max(segment.end for segment in kernel.image) + PAGE))
    for segment in kernel.image:
        whole[segment.address : segment.address + len(segment.data)] = segment.data
    for one in cached:
        whole[one.address : one.address + one.size] = _NOP * (one.size // 4)
    return Region(IMAGE, bytes(whole))


@dataclass(frozen=True)
class Difference:
    """Where memory is not as it should be: the buffer, the first byte, and how many bytes of it."""

    buffer: int
    first: int
    count: int
    of: int


def differences(sent: Dispatch, wanted: Sequence[NDArray[Any]], memory: Mapping[int, bytes]) -> list[Difference]:
    """How the memory after a run differs from what another machine left in its buffers; all else must be as it was."""
    found = []
    after = [_filled(np.ascontiguousarray(array).reshape(-1).view(np.uint8)) for array in wanted]
    expected = [*(region.data for region in sent.regions[: -len(after) or None]), *after]
    for number, (region, right) in enumerate(zip(sent.regions, expected, strict=True)):
        one, other = (np.frombuffer(data, np.uint8) for data in (memory[region.address], right))
        places = np.flatnonzero(one != other)
        if places.size:
            found.append(Difference(number - (len(expected) - len(after)), int(places[0]), places.size, len(right)))
    return found
