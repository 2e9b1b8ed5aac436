"""What a launch lays out in memory: the kernel-argument segment, and the packet by which the kernel was started.

| argument | given as | laid out as |
|---|---|---|
| a pointer | a numpy array, or a `Buffer` | the address of a copy, which is returned; one array is one memory |
| a null pointer | `NULL` | 0 |
| a number | a Python int or float, or a numpy scalar of the argument's size | its bytes |
| a struct by value | `bytes` of its size, or a list of its fields | the fields as C aligns them |
| one that is not used | None | a pointer to nothing, or undefined bytes |
| a hidden one | – | what HIP's runtime gives (`_hidden`); of what is not given here, a pointer to nothing |

A field is an array, a numpy scalar, a list, or `bytes`, which stand where they are put:

>>> layout([np.uint8(1), np.float32(1), [np.uint16(2)], bytes(2), np.uint64(3)], {}).hex()
'010000000000803f02000000000000000300000000000000'

What it cannot represent: a grid of threads that is no multiple of the block, images, queues, printf.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from layoutalg.errors import LaunchError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.metadata import Argument
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.registers import APERTURES
from layoutalg.isa.run.spaces import Buffer
from layoutalg.records import dataclass

Triple = tuple[int, int, int]

#: A pointer to nothing, as a kernel is told it.
NULL = bytes(8)

#: Bytes that nothing gave; as an address, one where nothing is.
_NOTHING = 0xDB

#: The type in the header of a packet that starts a kernel, and its number of dimensions (hsa.h; clr, `rocvirtual.cpp`).
_KERNEL_DISPATCH, _DIMENSIONS = 2, 3

#: Bytes of scratch of a thread, at least and at most, where its stack grows as it runs (clr, `Device::StackSize`).
_STACK, _LARGEST_STACK = 1 << 10, 1 << 14

_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


@dataclass(frozen=True)
class LaunchSizes:
    """The sizes of a launch."""

    grid: Triple  # blocks
    block: Triple  # threads
    dynamic_lds_bytes: int = 0


def launched(kernel: KernelBinary, launch: LaunchSizes) -> KernelBinary:
    """The kernel with the LDS and the scratch that the launch gives it."""
    scratch = kernel.scratch_bytes
    if kernel.dynamic_stack:
        scratch = min(max(scratch, _STACK), _LARGEST_STACK)
    return replace(kernel, lds_bytes=kernel.lds_bytes + launch.dynamic_lds_bytes, scratch_bytes=scratch)


def as_buffers(args: Sequence[Any]) -> list[Any]:
    """The arguments with a `Buffer` for each array, one for each array that is given in several places."""
    known: dict[int, Buffer] = {}

    def one(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [one(part) for part in value]
        return known.setdefault(id(value), Buffer(value)) if isinstance(value, np.ndarray) else value

    return [one(value) for value in args]


def buffers_of(value: Any) -> Iterator[Buffer]:
    """The buffers in arguments, in their order, those in structs too."""
    if isinstance(value, Buffer):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from buffers_of(part)


def undefined_bytes(kernel: KernelBinary, args: Sequence[Any]) -> Array:
    """Of each byte of the segment whether it is of a number that is not used."""
    found = np.zeros(kernel.argument_segment, np.bool_)
    for argument, value in zip(kernel.metadata.visible, args, strict=False):
        if value is None and argument.kind == "by_value":
            found[argument.offset : argument.offset + argument.size] = True
    return found


def pack_arguments(
    kernel: KernelBinary, launch: LaunchSizes, args: Sequence[Any], addresses: Mapping[Buffer, int]
) -> bytes:
    """The kernel-argument segment. Raises `LaunchError` when the arguments do not fit the kernel's."""
    if len(kernel.metadata.visible) != len(args):
        raise LaunchError(f"{kernel.name} takes {len(kernel.metadata.visible)} arguments, got {len(args)}")
    segment, hidden = bytearray([_NOTHING] * kernel.argument_segment), _hidden(launch)
    for argument, value in zip(kernel.metadata.visible, args, strict=True):
        segment[argument.offset : argument.offset + argument.size] = _packed(kernel, argument, value, addresses)
    for argument in kernel.metadata.arguments:
        if argument.kind in hidden:
            number = hidden[argument.kind].to_bytes(argument.size, "little")
            segment[argument.offset : argument.offset + argument.size] = number
    return bytes(segment)


def _packed(kernel: KernelBinary, argument: Argument, value: Any, addresses: Mapping[Buffer, int]) -> bytes:
    what = f"{kernel.name}: the argument at byte {argument.offset}"
    pointer = argument.kind == "global_buffer"
    if not pointer and argument.kind != "by_value":
        raise LaunchError(f"{what} is a {argument.kind}")
    if value is None:
        return bytes([_NOTHING] * argument.size)
    if pointer and value == NULL:
        return NULL
    if pointer != isinstance(value, Buffer):
        wanted = "an array" if pointer else f"a number or a struct of {argument.size} bytes"
        raise LaunchError(f"{what} is {wanted}, got {value.array if isinstance(value, Buffer) else value!r}")
    if isinstance(value, int):
        if not -(1 << 8 * argument.size - 1) <= value < 1 << 8 * argument.size:
            raise LaunchError(f"{kernel.name}: {value} does not fit {argument.size} bytes")
        return (value % (1 << 8 * argument.size)).to_bytes(argument.size, "little")
    if isinstance(value, float) and not isinstance(value, np.generic):
        return _float(what, argument.size, value)
    try:
        raw = layout(value, addresses)
    except LaunchError as error:
        raise LaunchError(f"{what}: {error}") from error
    if len(raw) != argument.size:
        raise LaunchError(f"{what}: {value!r} has {len(raw)} bytes, the argument has {argument.size}")
    return raw


def _float(what: str, size: int, value: float) -> bytes:
    try:
        return struct.pack(_FLOATS[size], value)
    except (KeyError, OverflowError) as error:
        raise LaunchError(f"{what} has {size} bytes, in which there is no number {value!r}") from error


def layout(value: Any, addresses: Mapping[Buffer, int]) -> bytes:
    """The bytes of a field, or of a struct as C lays one out; `LaunchError` for one whose size is not known."""
    return _laid_out(value, addresses)[0]


def _laid_out(value: Any, addresses: Mapping[Buffer, int]) -> tuple[bytes, int]:
    """A field's bytes, and what its place is a multiple of."""
    if isinstance(value, Buffer):
        return struct.pack("<Q", addresses[value] + value.first), 8
    if isinstance(value, bytes | bytearray):
        return bytes(value), 1
    if isinstance(value, np.generic):
        return value.tobytes(), value.dtype.alignment
    if not isinstance(value, list | tuple):
        raise LaunchError(f"the size of the field {value!r} is not known: give a numpy scalar, such as np.int32(5)")
    whole, widest = bytearray(), 1
    for part in value:
        raw, alignment = _laid_out(part, addresses)
        whole += bytes(-len(whole) % alignment) + raw
        widest = max(widest, alignment)
    return bytes(whole) + bytes(-len(whole) % widest), widest


def _hidden(launch: LaunchSizes) -> Mapping[str, int]:
    """What HIP's runtime gives (clr, `VirtualGPU::submitKernelInternal`): it launches whole blocks in 3 dimensions."""
    values = {
        "hidden_grid_dims": _DIMENSIONS,
        "hidden_dynamic_lds_size": launch.dynamic_lds_bytes,
        "hidden_private_base": APERTURES["scratch"],
        "hidden_shared_base": APERTURES["lds"],
    }
    for axis, blocks, threads in zip("xyz", launch.grid, launch.block, strict=True):
        values |= {f"hidden_block_count_{axis}": blocks, f"hidden_group_size_{axis}": threads}
        values |= {f"hidden_remainder_{axis}": 0, f"hidden_global_offset_{axis}": 0}
    return values


def dispatch_packet(kernel: KernelBinary, launch: LaunchSizes, kernarg: int) -> bytes:
    """The packet of a launch (hsa.h, `hsa_kernel_dispatch_packet_t`) of a kernel as `launched` makes it.

    What only the runtime knows is nothing.
    """
    threads = [blocks * size for blocks, size in zip(launch.grid, launch.block, strict=True)]
    nothing = int.from_bytes([_NOTHING] * 8)
    return struct.pack(
        "<5HH5IQQQQ", _KERNEL_DISPATCH, _DIMENSIONS, *launch.block, 0, *threads, kernel.scratch_bytes, kernel.lds_bytes,
        nothing, kernarg, 0, nothing,
    )  # fmt: skip
