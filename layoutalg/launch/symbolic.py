"""A kernel that anybody compiled, and its launch: what each byte of the arguments stands for, and what is given.

| the launch says | in the machine it is |
|---|---|
| a tensor | an address that nothing else is, aligned as an allocation is, and the bytes of its memory |
| a number | its expression, in as many bytes as the kernel has there |
| a value that is given at the launch | an unknown that all threads have alike, within what is assumed of it |
| nothing (`unused`) | a tensor of no bytes |
| a struct | its fields, one after the other |
| (nothing) | what is loaded of the code object and not written: constants, at no known address |
| the block, the grid | what hidden arguments (AMDGPUUsage, "Code Object V5 Metadata") and dispatch packet say of them |

Raises `LaunchError` where the two contradict.  What it cannot represent: blocks whose sizes are symbols.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from layoutalg.errors import LaunchError
from layoutalg.formats.launch import Argument, Assumption, Given, Launch, Number, Pointer, Struct, Unused, laid_out
from layoutalg.formats.model import SpecFile
from layoutalg.index import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    const,
    simplify,
    symbol,
    var,
    variables,
)
from layoutalg.index.evaluate import limits
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.metadata import Argument as LaidOut
from layoutalg.launch.elements import Elements
from layoutalg.launch.memory import TensorMemory, within
from layoutalg.prove import ForAll, Limits, holds
from layoutalg.prove.vacuity import met
from layoutalg.symex.machine.arguments import BoundArgument, constant_segments, hidden_arguments
from layoutalg.target.dtypes import DTYPES

AXES = "xyz"

#: What a block's own memory is called, beside tensors.
LDS = "lds"

#: Blocks along an axis at most, and threads of all blocks along it (HIP, hipModuleLaunchKernel; AMDGPUUsage, the
#: packet's grid sizes of 32 bits).
MOST_BLOCKS, MOST_THREADS = (1 << 31) - 1, (1 << 32) - 1


@dataclass(frozen=True)
class KernelLaunch:
    """A kernel's launch, for all sizes: the variables of blocks and threads, and what holds of them."""

    kernel: KernelBinary
    blocks: tuple[Expr, ...]
    grid: tuple[Expr, ...]
    threads: tuple[Expr, ...]
    block: tuple[int, ...]
    lds: Expr  # bytes that the launch adds
    limits: Expr  # of sizes
    given: Expr  # of sizes, blocks and threads
    arguments: tuple[BoundArgument, ...]
    tensors: Mapping[str, TensorMemory]
    sizes: Mapping[str, Expr]  # the file's symbols
    values: Mapping[str, Expr]  # what is given at the launch, by its name
    assumed: tuple[str, ...] = ()  # of named values, and for which sizes nothing is shown, in words

    @property
    def lds_bytes(self) -> Expr:
        """Bytes of LDS of a block."""
        return simplify(self.lds + self.kernel.lds_bytes)

    @property
    def alike(self) -> frozenset[Expr]:
        """What all threads of a block have alike: sizes, numbers that are given, the block's indices."""
        numbers = (one.number for one in self.arguments if one.number is not None)
        return frozenset((*variables(*self.sizes.values(), *numbers), *self.blocks))

    @property
    def assumptions(self) -> Iterator[str]:
        """What holds of the launch, in words: sizes, named values, elements."""
        sizes = ", ".join(map(limits, self.sizes.values()))
        yield from [f"sizes: {sizes}"] if sizes else []
        yield from [f"of the sizes: {self.limits}"] if self.limits is not TRUE else []
        yield from self.assumed
        for one in self.tensors.values():
            for limit, word in zip(one.assumed, ("at least", "at most"), strict=True):
                yield from [f"every element of {one.name} is {word} {limit}"] if limit is not None else []
            yield from [f"no two elements of {one.name} are equal"] if one.distinct else []
            if one.written and one.elements.assumed:
                yield f"every place in the memory of {one.name} is one of its elements"

    @property
    def thread_number(self) -> Expr:
        """A thread's number in its block, x the fastest."""
        number, step = ZERO, 1
        for thread, size in zip(self.threads, self.block, strict=True):
            number, step = number + thread * step, step * size
        return number

    @property
    def packet(self) -> tuple[BoundArgument, ...]:
        """What the dispatch packet says of the launch (hsa.h, `hsa_kernel_dispatch_packet_t`)."""
        ones = (ONE,) * 3
        axes = zip((*self.grid, *ones), (*map(const, self.block), *ones), range(3), strict=False)
        sizes = [(BoundArgument(4 + 2 * axis, 2, number=size), BoundArgument(12 + 4 * axis, 4, number=count * size))
                 for count, size, axis in axes]  # fmt: skip
        return tuple(part for each in sizes for part in each)

    @classmethod
    def of(cls, kernel: KernelBinary, file: SpecFile) -> KernelLaunch:
        """Binds a spec file's launch to a kernel."""
        launch = file.launch
        if launch is None:
            raise LaunchError(f"{file.path} says no launch: add a [launch] table")
        for one in launch.assume:
            if one.min is not None and one.max is not None and simplify(one.min <= one.max) is FALSE:
                raise LaunchError(f"nothing is in {one.of}: assumed is at least {one.min} and at most {one.max}")
        if LDS in launch.tensors:
            raise LaunchError(f"{LDS} is what a block's own memory is called here; give the descriptor another name")
        block = tuple(_constant(one) for one in launch.block)
        grid = tuple(map(simplify, launch.grid))
        blocks = tuple(var(f"block.{axis}", one) for axis, one in zip(AXES, grid, strict=False))
        threads = tuple(var(f"thread.{axis}", one) for axis, one in zip(AXES, block, strict=False))
        tensors = {name: _memory(file, launch, name) for name in launch.tensors}
        for tensor in tensors.values():
            tensor.refuse_crowded()
        bound = _Binding(kernel, tensors, launch.assume)
        bound.tensors |= _constants(kernel)
        limits = all_of(*_limits(file, launch))
        if met(limits) is False:
            raise LaunchError(f"{file.path}: no sizes are as it says: {limits}")
        arguments = (*bound.visible(launch), *bound.hidden(grid, block))
        given = all_of(*(one <= MOST_BLOCKS for one in grid), limits, *bound.limits)
        left = [*((name, one.possible) for name, one in tensors.items()), *bound.left]
        unshown = (_unshown(name, condition, all_of(limits, *(n >= 1 for n in grid))) for name, condition in left)
        lds, words = simplify(launch.lds), tuple(dict.fromkeys((*bound.words, *filter(None, unshown))))
        found = arguments, bound.tensors, file.symbols, bound.values, words
        return cls(kernel, blocks, grid, threads, block, lds, limits, given, *found)


def _unshown(name: str, condition: Expr, given: Expr) -> str:
    """That nothing is shown for sizes at which assumptions contradict each other; empty where they never do."""
    if holds(ForAll("what is assumed leaves values", condition, given), Limits(seconds=1.0)):
        return ""
    return f"nothing is shown for sizes for which what is assumed of {name} leaves no value: only where {condition}"


def _constant(size: Expr) -> int:
    found = simplify(size)
    if found.op != "const" or found.value < 1:
        raise LaunchError(f"a block of {size} threads: give numbers, each at least 1")
    return int(found.value)


def _limits(file: SpecFile, launch: Launch) -> Iterator[Expr]:
    """What the file says of its sizes."""
    yield file.given
    for item in map(file.descriptor, launch.tensors):
        yield from (item.limits, file.in_own_symbols(item.given))


def _memory(file: SpecFile, launch: Launch, name: str) -> TensorMemory:
    item = file.descriptor(name)
    assert item.dtype is not None  # `formats.launching` has looked
    element = int(DTYPES[item.dtype].bytes)
    written, signed = name in launch.writes, item.dtype.startswith("i")
    whole = item.dtype.startswith(("i", "u"))  # of fractions nothing is assumed: their bits are no numbers here
    said = [one for one in launch.assume if one.of == name and whole and not written]
    assumed = (said[0].min, said[0].max) if said else (None, None)
    elements = Elements.of(item.descriptor, file.in_own_symbols)
    distinct = any(one.distinct for one in said)
    return TensorMemory(name, simplify(elements.space * element), element, written, signed, assumed, elements, distinct)


def _constants(kernel: KernelBinary) -> dict[str, TensorMemory]:
    """What is loaded of the code object and not written: memory like a tensor that is only read."""
    segments = constant_segments(kernel)
    return {name: TensorMemory(name, const(one.size), 1, written=False) for name, one in segments.items()}


class _Binding:
    """Arguments in their places."""

    def __init__(self, kernel: KernelBinary, tensors: Mapping[str, TensorMemory], assume: Sequence[Assumption]) -> None:
        self.kernel, self.tensors = kernel, dict(tensors)
        self.assume = {one.of: one for one in assume}
        self.limits: list[Expr] = []  # of named values
        self.words: list[str] = []  # the same
        self.left: list[tuple[str, Expr]] = []  # for which sizes there are such values
        self.values: dict[str, Expr] = {}

    def visible(self, launch: Launch) -> Iterator[BoundArgument]:
        """What the launch gives."""
        places = self.kernel.metadata.visible
        if len(places) != len(launch.arguments):
            raise LaunchError(
                f"{self.kernel.name} takes {len(places)} arguments ({', '.join(_shown(one) for one in places)}); the "
                f"launch gives {len(launch.arguments)}"
            )
        for number, (argument, place) in enumerate(zip(launch.arguments, places, strict=True)):
            yield from self._bound(argument, place, f"argument {number} of {self.kernel.name}")

    def _bound(self, argument: Argument, place: LaidOut, what: str) -> Iterator[BoundArgument]:
        if isinstance(argument, Struct):
            sizes = [_size(field, 0) for field in argument.fields]
            places, whole = laid_out(sizes)
            if whole != place.size:
                raise LaunchError(f"{what} has {place.size} bytes; the launch gives a struct of {whole}")
            for field, at, size in zip(argument.fields, places, sizes, strict=True):
                yield self._one(field, place.offset + at, size)
            return
        size = _size(argument, place.size)
        pointer = place.kind == "global_buffer"
        if size != place.size or (pointer and not isinstance(argument, Pointer | Unused)):
            raise LaunchError(f"{what} is {_shown(place)}; the launch gives {_given(argument)}")
        yield self._one(argument, place.offset, size)

    def _one(self, argument: Argument, offset: int, size: int) -> BoundArgument:
        if isinstance(argument, Pointer):
            return BoundArgument(offset, size, argument.descriptor)
        if isinstance(argument, Unused):
            name = f"the unused argument at byte {offset}"
            self.tensors[name] = TensorMemory(name, ZERO, 1, written=False)
            if size == 8:
                return BoundArgument(offset, size, name)
        elif isinstance(argument, Number) and isinstance(argument.value, Expr) and not _is_float(argument.dtype):
            return BoundArgument(offset, size, number=argument.value)
        number = symbol(f"argument at {offset}", min=0, max=(1 << 8 * size) - 1)
        if isinstance(argument, Given):
            if argument.name in self.assume and not _is_float(argument.dtype):
                number = self._assumed(argument, offset, size)
            self.values.setdefault(argument.name, number)
        return BoundArgument(offset, size, number=number)

    def _assumed(self, argument: Given, offset: int, size: int) -> Expr:
        """A named integer, signed where its type is, within what is assumed of it."""
        one, bits = self.assume[argument.name], 8 * size
        signed = (argument.dtype or "").startswith("i")
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if one.min is not None and one.min.op == "const":
            least = max(least, int(one.min.value))
        if one.max is not None and one.max.op == "const":
            most = min(most, int(one.max.value))
        if least > most:
            raise LaunchError(f"no value of {argument.name} is left by what is assumed of it")
        found = symbol(f"argument at {offset}", min=least, max=most)
        low, high = within(one.min, one.max, bits=bits, signed=signed)
        self.left.append((argument.name, low <= high))
        if one.min is not None:
            self.limits.append(one.min <= found)
            self.words.append(f"{argument.name} is at least {one.min}")
        if one.max is not None:
            self.limits.append(found <= one.max)
            self.words.append(f"{argument.name} is at most {one.max}")
        return found

    def hidden(self, grid: tuple[Expr, ...], block: tuple[int, ...]) -> Iterator[BoundArgument]:
        """What the runtime gives, of what the launch decides."""
        ones = (ONE,) * 3
        known: dict[str, Expr] = {}
        for axis, count, size in zip(AXES, (*grid, *ones), (*map(const, block), *ones), strict=False):
            known |= {f"hidden_block_count_{axis}": count, f"hidden_group_size_{axis}": size}
            known |= {f"hidden_remainder_{axis}": ZERO, f"hidden_global_offset_{axis}": ZERO}
        known["hidden_grid_dims"] = const(3)  # HIP's launches have three (`isa.run.arguments`)
        yield from hidden_arguments(self.kernel, known)


def _is_float(dtype: str | None) -> bool:
    return dtype is not None and dtype.startswith(("f", "bf"))


def _size(argument: Argument, otherwise: int) -> int:
    """Bytes of an argument or a field."""
    if isinstance(argument, Pointer):
        return 8
    assert not isinstance(argument, Struct)
    dtype = getattr(argument, "dtype", None)
    return argument.bytes or (int(DTYPES[dtype].bytes) if dtype else otherwise)


def _shown(place: LaidOut) -> str:
    return "a pointer" if place.kind == "global_buffer" else f"{place.size} bytes"


def _given(argument: Argument) -> str:
    match argument:
        case Pointer():
            return f"the tensor {argument.descriptor}"
        case Number():
            return f"the number {argument.value}"
        case Given():
            return f"the value {argument.name}"
    return "nothing"


def threads_of(block: tuple[int, ...]) -> int:
    """How many threads a block has."""
    return math.prod(block)
