"""The kernel-argument segment: each argument where the metadata say, and those that the runtime gives.

| argument | given as | laid out as |
|---|---|---|
| a buffer | a numpy array, or a `Buffer` | the address of a copy, which is returned |
| a number | a Python int, or a numpy scalar or bytes of the argument's size | its bytes |
| a struct by value | a list of buffers, numpy scalars and bytes, one after the other | theirs |
| one that is not used | `None` | unmapped, so that a use of it is seen |
| hidden ones | – | block counts and sizes; all else is unmapped, so that a use of it is seen |
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from layoutalg.errors import LaunchError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.metadata import Argument
from layoutalg.isa.run.spaces import Buffer

Triple = tuple[int, int, int]


def pack_arguments(
    kernel: KernelBinary, grid: Triple, block: Triple, args: Sequence[Any], addresses: Mapping[Buffer, int]
) -> bytes:
    """The kernel-argument segment. Raises `LaunchError` when the arguments do not fit the kernel's."""
    hidden = _hidden(grid, block)
    if len(kernel.metadata.visible) != len(args):
        raise LaunchError(f"{kernel.name} takes {len(kernel.metadata.visible)} arguments, got {len(args)}")
    segment = bytearray(b"\xdb" * kernel.argument_segment)
    for argument, value in zip(kernel.metadata.visible, args, strict=True):
        if value is None:
            continue
        segment[argument.offset : argument.offset + argument.size] = _packed(kernel, argument, value, addresses)
    for argument in kernel.metadata.arguments:
        if argument.kind in hidden:
            number = hidden[argument.kind].to_bytes(argument.size, "little")
            segment[argument.offset : argument.offset + argument.size] = number
    return bytes(segment)


def _packed(kernel: KernelBinary, argument: Argument, value: Any, addresses: Mapping[Buffer, int]) -> bytes:
    is_pointer = argument.kind == "global_buffer"
    if not is_pointer and argument.kind != "by_value":
        raise LaunchError(f"{kernel.name}: the argument at byte {argument.offset} is a {argument.kind}")
    if is_pointer != isinstance(value, Buffer):
        wanted = "an array" if is_pointer else "a number"
        raise LaunchError(f"{kernel.name}: the argument at byte {argument.offset} is {wanted}, got {value!r}")
    if is_pointer:
        return _raw(value, addresses)
    if isinstance(value, int):
        if not -(1 << 8 * argument.size - 1) <= value < 1 << 8 * argument.size:
            raise LaunchError(f"{kernel.name}: {value} does not fit {argument.size} bytes")
        return (value % (1 << 8 * argument.size)).to_bytes(argument.size, "little")
    raw = _raw(value, addresses)
    if len(raw) != argument.size:
        raise LaunchError(f"{kernel.name}: {value!r} has {len(raw)} bytes, the argument has {argument.size}")
    return raw


def _raw(value: Any, addresses: Mapping[Buffer, int]) -> bytes:
    if isinstance(value, list):
        return b"".join(_raw(one, addresses) for one in value)
    if isinstance(value, Buffer):
        return struct.pack("<Q", addresses[value] + value.first)
    return value if isinstance(value, bytes) else np.asarray(value).tobytes()


def _hidden(grid: Triple, block: Triple) -> Mapping[str, int]:
    """The hidden arguments that a kernel may use here (AMDGPUUsage, "Code Object V5 Metadata")."""
    values = {"hidden_grid_dims": 1 + max(k for k in range(3) if k == 0 or grid[k] * block[k] > 1)}
    for k, axis in enumerate("xyz"):
        values |= {f"hidden_block_count_{axis}": grid[k], f"hidden_group_size_{axis}": block[k]}
        values |= {f"hidden_remainder_{axis}": 0, f"hidden_global_offset_{axis}": 0}
    return values
