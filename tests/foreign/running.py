"""Runs a kernel of the corpus on today's machine, and says what stands in the way where it cannot be run.

Tensors have the strides of their descriptors; what lies between their elements, and what is written without being given
first, holds noise.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.target.dtypes import DTYPES
from tests.foreign.corpus import Array, Kernel, Sizes, Tensors

#: Kernels of these sizes are done in far fewer instructions.
STEPS = 60_000


class MissingError(Exception):
    """A feature of the ABI that the machine has not yet."""


@dataclass(frozen=True)
class Buffer:
    """A tensor in memory that it may not fill: `tensor` is a view of `memory`."""

    memory: Array
    tensor: Array


@functools.cache
def _compiled(source: str, target: str, opt_level: int) -> Mapping[str, KernelBinary]:
    return read_kernels(compile_source(source, target, opt_level=opt_level).payload)


def binary(kernel: Kernel, target: str, opt_level: int = 3, source: str = "") -> KernelBinary:
    """The kernel, compiled; from another source where one is given."""
    symbol = tomllib.loads(kernel.launch)["launch"]["kernel"]
    return _compiled(source or kernel.source, target, opt_level)[symbol]


def machine_code(kernel: Kernel, target: str, opt_level: int = 3, source: str = "") -> MachineCode:
    """The kernel, compiled and decoded."""
    return decode_kernel(binary(kernel, target, opt_level, source))


def number(text: Any, sizes: Sizes) -> int:
    """A number, or the value of an expression of sizes."""
    return int(eval(text, {"__builtins__": {}}, dict(sizes))) if isinstance(text, str) else int(text)


def allocated(described: Mapping[str, Any], sizes: Sizes, generator: np.random.Generator) -> Buffer:
    """A descriptor's memory, full of noise."""
    lengths = [number(one, sizes) for one in described["base"]["lengths"]]
    strides = [number(one, sizes) for one in described["base"]["strides"]]
    count = 1 + sum((length - 1) * stride for length, stride in zip(lengths, strides, strict=True))
    dtype = np.dtype(DTYPES[described["dtype"]].numpy)
    memory = generator.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    return Buffer(memory, as_strided(memory, lengths, [stride * dtype.itemsize for stride in strides]))


def drawn(dtype: str, shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """Random elements: any word of an integer, and of a float whole numbers, whose sums and products are exact."""
    numpy = np.dtype(DTYPES[dtype].numpy)
    if dtype == "bf16":
        return (generator.integers(-8, 9, shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if numpy.kind == "f":
        return generator.integers(-8, 9, shape).astype(numpy)
    limits = np.iinfo(numpy)
    return generator.integers(limits.min, limits.max, shape, numpy, endpoint=True)


@dataclass(frozen=True)
class Outcome:
    """What a run gave, and what it should have given."""

    results: Tensors
    wanted: Tensors
    steps: int


def run(kernel: Kernel, code: MachineCode, sizes: Sizes, seed: int = 0) -> Outcome:
    """Carries a kernel out at some sizes. Raises what `execute` raises, and `MissingError`."""
    generator = np.random.default_rng(seed)
    launch = tomllib.loads(kernel.launch)
    table, described = launch["launch"], {one["name"]: one for one in launch["descriptor"]}
    buffers = {name: allocated(one, sizes, generator) for name, one in described.items()}
    special = kernel.inputs(generator, SimpleNamespace(**sizes))
    for name, buffer in buffers.items():
        if name in special:
            buffer.tensor[...] = special[name]
        elif name not in table["writes"]:
            buffer.tensor[...] = drawn(described[name]["dtype"], buffer.tensor.shape, generator)
    before = {name: buffer.tensor.copy() for name, buffer in buffers.items()}
    wanted = kernel.reference(SimpleNamespace(**before, **sizes, **kernel.values))
    given = [_argument(one, buffers, sizes, kernel.values) for one in table["arguments"]]
    code = _with_lds(code, number(table.get("lds", 0), sizes))
    grid, block = ([number(one, sizes) for one in table[key]] for key in ("grid", "block"))
    execution = execute(code, grid, block, given, STEPS, strict=not kernel.unaligned)
    memories = [one for one in table["arguments"] if isinstance(one, str) and one in buffers]
    results = {
        name: as_strided(memory, buffers[name].tensor.shape, buffers[name].tensor.strides)
        for name, memory in zip(memories, execution.outputs, strict=True)
    }
    return Outcome(results, {**before, **wanted}, execution.steps)


def differing(kernel: Kernel, outcome: Outcome) -> Sequence[str]:
    """The tensors that are not as they should be."""
    return [
        name
        for name, result in outcome.results.items()
        if not kernel.tolerance.accepts(result, np.asarray(outcome.wanted[name]).astype(result.dtype, copy=False))
    ]


def _argument(one: Any, buffers: Mapping[str, Buffer], sizes: Sizes, values: Mapping[str, Any]) -> Any:
    if isinstance(one, str) and one in buffers:
        return buffers[one].memory
    if not isinstance(one, dict):
        return number(one, sizes)
    if "fields" not in one:
        return values[one["name"]]
    packed = bytearray()
    for each in one["fields"]:
        if isinstance(each, str):
            raise MissingError("a pointer in a struct by value")
        value = values[each["name"]] if "name" in each else number(each["value"], sizes)
        raw = value.to_bytes(each["bytes"], "little", signed=True) if isinstance(value, int) else value.tobytes()
        packed += bytes(-len(packed) % each["bytes"]) + raw
    widest = max(each["bytes"] for each in one["fields"])
    return np.void(bytes(packed) + bytes(-len(packed) % widest))


def _with_lds(code: MachineCode, dynamic: int) -> MachineCode:
    """The kernel with the LDS that the launch adds: `execute` knows none."""
    return replace(code, kernel=replace(code.kernel, lds_bytes=code.kernel.lds_bytes + dynamic)) if dynamic else code
