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

Raises `LaunchError` where the two contradict.  What it cannot represent: blocks of which another axis than the last is
of a size that is not known (`block_sizes`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from layoutalg.errors import LaunchError
from layoutalg.formats.assumptions import is_whole, says_distinct
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
    substitute,
    symbol,
    var,
    variables,
)
from layoutalg.index.evaluate import limits as limits_in_words
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.metadata import Argument as LaidOut
from layoutalg.launch.elements import Elements
from layoutalg.launch.ends import intervals, of_type
from layoutalg.launch.memory import TensorMemory
from layoutalg.launch.relations import Relations, stated_value
from layoutalg.prove import ForAll, Limits, holds
from layoutalg.prove.vacuity import met
from layoutalg.records import dataclass
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
    block: tuple[Expr, ...]
    lds: Expr  # bytes that the launch adds
    limits: Expr  # of sizes
    given: Expr  # of sizes, blocks and threads
    arguments: tuple[BoundArgument, ...]
    tensors: Mapping[str, TensorMemory]
    start: Mapping[str, TensorMemory]  # the same when the launch begins
    pointees: Mapping[str, Expr]  # bytes of each of what addresses in tensors point to
    sizes: Mapping[str, Expr]  # the file's symbols
    values: Mapping[str, Expr]  # what is given at the launch, by its name
    relations: Relations  # what is assumed of several elements together
    used: tuple[Assumption, ...] = ()  # all that is assumed, as far as it is of use for a proof
    assumed: tuple[str, ...] = ()  # of contents and named values, and for which sizes nothing is shown, in words
    of_sizes: tuple[str, ...] = ()  # what is assumed of sizes, in words

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
        yield from self.of_sizes
        yield from self.assumed
        for one in self.tensors.values():
            if one.written and one.elements.assumed:
                yield f"every place in the memory of {one.name} is one of its elements"

    def stated(self, tensor: str, size: int, offset: Expr) -> Expr | None:
        """What so many bytes of a tensor are when it begins, where an assumption says it of each element."""
        found = (stated_value(self.start[tensor], one, size, offset) for one in self.used if one.tensors == (tensor,))
        return next((one for one in found if one is not None), None)

    @property
    def thread_number(self) -> Expr:
        """A thread's number in its block, x the fastest."""
        number, step = ZERO, 1
        for thread, size in zip(self.threads, self.most, strict=True):
            number, step = number + thread * step, step * size
        return number

    @property
    def most(self) -> tuple[int, ...]:
        """How many threads a block has along each axis, at most."""
        return tuple(int(size.hi) for size in self.block)

    @property
    def exists(self) -> Expr:
        """Whether a block has a thread of these numbers."""
        return all_of(TRUE, *(thread < size for thread, size in zip(self.threads, self.block, strict=True)))

    @property
    def packet(self) -> tuple[BoundArgument, ...]:
        """What the dispatch packet says of the launch (hsa.h, `hsa_kernel_dispatch_packet_t`)."""
        ones = (ONE,) * 3
        axes = zip((*self.grid, *ones), (*self.block, *ones), range(3), strict=False)
        sizes = [(BoundArgument(4 + 2 * axis, 2, number=size), BoundArgument(12 + 4 * axis, 4, number=count * size))
                 for count, size, axis in axes]  # fmt: skip
        return tuple(part for each in sizes for part in each)

    @classmethod
    def of(cls, kernel: KernelBinary, file: SpecFile) -> KernelLaunch:
        """Binds a spec file's launch to a kernel."""
        launch = file.launch
        if launch is None:
            raise LaunchError(f"{file.path} says no launch: add a [launch] table")
        if LDS in launch.memories:
            raise LaunchError(f"{LDS} is what a block's own memory is called here; give the descriptor another name")
        block = _sizes(launch, kernel)
        grid = tuple(map(simplify, launch.grid))
        limits, launched = limits_of(file), has_blocks(file)
        if met(all_of(limits, launched)) is False:
            raise LaunchError(f"{file.path}: no sizes are as it says: {all_of(limits, launched)}")
        blocks = tuple(var(f"block.{axis}", one) for axis, one in zip(AXES, grid, strict=False))
        threads = tuple(var(f"thread.{axis}", int(one.hi)) for axis, one in zip(AXES, block, strict=False))
        bound = _Binding(kernel, launch)
        arguments = (*bound.visible(launch), *bound.hidden(grid, block))
        assumed = [bound.named(one) for one in launch.assumed if is_used(one, file)]
        start = {name: _memory(file, name, assumed) for name in launch.memories}
        _refuse_shared(launch, start)
        for tensor in start.values():
            tensor.refuse_crowded()
        named = (one.holds for one in assumed if not one.elements)
        given = all_of(*(one <= MOST_BLOCKS for one in grid), limits, *named)
        left = [*((name, one.possible) for name, one in start.items()), *bound.left]
        for name, condition in left:
            if condition is FALSE:
                raise LaunchError(f"what is assumed of {name} contradicts itself: no value is left")
        unshown = (_unshown(name, condition, all_of(limits, launched)) for name, condition in left)
        lds, words = simplify(launch.lds), (*(_told(one, file) for one in launch.assumed), *filter(None, unshown))
        beside = {**bound.beside, **_constants(kernel)}
        written = {name: start[name].as_written() for name in launch.writes}
        pointees = {name: start[name].bytes for name in launch.pointees}
        memory = {**start, **written, **beside}, {**start, **beside}, pointees
        passed = {name: start[name] for name in launch.tensors}
        relations = Relations(passed, tuple(one for one in assumed if one.elements and one.alone is None))
        words += tuple(_pointed(table, of) for table, of in launch.points)
        found = arguments, *memory, file.symbols, bound.values, relations, tuple(assumed), tuple(dict.fromkeys(words))
        of_sizes = tuple(said_of_sizes(file, always_launched(file)))
        return cls(kernel, blocks, grid, threads, block, lds, limits, given, *found, of_sizes)


def _pointed(table: str, of: str) -> str:
    """What is taken of addresses in a tensor, in words."""
    return (
        f"each element of {table} is the address of a tensor {of}, at a multiple of 16; two of these are one or apart"
    )


def _refuse_shared(launch: Launch, start: Mapping[str, TensorMemory]) -> None:
    """LaunchError where a kernel stores by addresses of which two may be one."""
    for table, of in launch.points:
        if of in launch.writes and not start[table].distinct:
            differ = f"{table}[i] != {table}[j] for i != j"
            raise LaunchError(f"{of} is stored to by the addresses in {table}: say in assume that no two of them are "
                              f"one, {differ}")  # fmt: skip


def is_used(one: Assumption, file: SpecFile) -> bool:
    """Whether an assumption is used for a proof: of integers."""
    assert file.launch is not None
    given = {each.name: each for each in file.launch.given}
    whole = all(is_whole(file.descriptor(name).dtype or "") for name in one.tensors)
    return whole and not any(_is_float(given[name].dtype) for _, name in one.values)


def _told(one: Assumption, file: SpecFile) -> str:
    """An assumption in words."""
    assert file.launch is not None
    used = is_used(one, file)
    if used and not {*one.tensors} & {*file.launch.writes}:
        return one.text
    return f"{one.text} (when it begins{'' if used else ': in runs alone'})"


def _unshown(name: str, condition: Expr, given: Expr) -> str:
    """That nothing is shown for sizes at which assumptions contradict each other; empty where they never do."""
    if holds(ForAll("what is assumed leaves values", condition, given), Limits(seconds=1.0)):
        return ""
    return f"nothing is shown for sizes for which what is assumed of {name} leaves no value: only where {condition}"


def is_of_all_sizes(launch: Launch, kernel: KernelBinary) -> bool:
    """Whether one launch stands for all sizes of its blocks: along the last axis alone, and the kernel takes each."""
    *others, last = [size for one in launch.block if (size := simplify(one)) is not ONE] or [ONE]
    numbers = all(size.op == "const" for size in others)
    takes = kernel.metadata
    return (
        numbers
        and not (launch.each or takes.required_block)
        and last.hi * math.prod(int(size.value) for size in others) <= takes.max_threads
    )


def _sizes(launch: Launch, kernel: KernelBinary) -> tuple[Expr, ...]:
    """How many threads a block has along each axis."""
    found = tuple(map(simplify, launch.block))
    for size in found:
        if size.hi < 1 or (size.op != "const" and not is_of_all_sizes(launch, kernel)):
            raise LaunchError(f"a block of {size} threads: give numbers, each at least 1")
    return found


def limits_of(file: SpecFile) -> Expr:
    """What the file says of its launch's sizes."""
    items = [*map(file.descriptor, file.launch.memories)] if file.launch else []
    own = (part for item in items for part in (item.limits, file.in_own_symbols(item.given)))
    return all_of(file.given, *own)


def always_launched(file: SpecFile) -> bool:
    """Whether a grid is seen to have blocks at all sizes."""
    return holds(ForAll("a grid has blocks", has_blocks(file), limits_of(file)), Limits(seconds=1.0))


def has_blocks(file: SpecFile) -> Expr:
    """At which sizes a launch's grid has blocks, and these threads."""
    return all_of(*(simplify(one) >= 1 for one in (*file.launch.grid, *file.launch.block))) if file.launch else TRUE


def said_of_sizes(file: SpecFile, always: bool) -> Iterator[str]:
    """In words what sizes there are, what holds of them, and where a grid has blocks if that is not `always`.

    HIP refuses a launch of none (hipModuleLaunchKernel: hipErrorInvalidConfiguration), and the kernel does not run.
    """
    said, limits = ", ".join(map(limits_in_words, file.symbols.values())), limits_of(file)
    yield from [f"sizes: {said}"] if said else []
    yield from [f"of the sizes: {limits}"] if limits is not TRUE else []
    yield from [] if always else [f"it is launched where {has_blocks(file)} alone: HIP refuses a launch of no threads"]


def _memory(file: SpecFile, name: str, assumed: Sequence[Assumption]) -> TensorMemory:
    """A tensor when the launch begins."""
    item = file.descriptor(name)
    assert item.dtype is not None  # `formats.launching` has looked
    element = int(DTYPES[item.dtype].bytes)
    alone = [(one.alone, one.holds) for one in assumed if one.tensors == (name,)]
    each = tuple((v, holds) for v, holds in alone if v is not None)
    distinct = any(one.tensors == (name,) and says_distinct(one) for one in assumed)
    elements = Elements.of(item.descriptor, file.in_own_symbols)
    signed, whole = item.dtype.startswith("i"), is_whole(item.dtype)
    space = simplify(elements.space * element)
    return TensorMemory(name, space, element, False, signed, each, elements, distinct, whole)


def _constants(kernel: KernelBinary) -> dict[str, TensorMemory]:
    """What is loaded of the code object and not written: memory like a tensor that is only read."""
    segments = constant_segments(kernel)
    return {name: TensorMemory(name, const(one.size), 1, written=False) for name, one in segments.items()}


class _Binding:
    """Arguments in their places."""

    def __init__(self, kernel: KernelBinary, launch: Launch) -> None:
        self.kernel, self.assume = kernel, launch.assumed
        self.beside: dict[str, TensorMemory] = {}  # where unused arguments point
        self.left: list[tuple[str, Expr]] = []  # for which sizes there are such values
        self.values: dict[str, Expr] = {}

    def named(self, one: Assumption) -> Assumption:
        """An assumption, of what stands for named values in the machine."""
        return replace(one, holds=substitute(one.holds, {v: self.values[name] for v, name in one.values}))

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
        points = isinstance(argument, Pointer | Unused) or (isinstance(argument, Number) and argument.is_null)
        if size != place.size or (pointer and not points):
            raise LaunchError(f"{what} is {_shown(place)}; the launch gives {_given(argument)}")
        yield self._one(argument, place.offset, size)

    def _one(self, argument: Argument, offset: int, size: int) -> BoundArgument:
        if isinstance(argument, Pointer):
            return BoundArgument(offset, size, argument.descriptor)
        if isinstance(argument, Unused):
            name = f"the unused argument at byte {offset}"
            self.beside[name] = TensorMemory(name, ZERO, 1, written=False)
            if size == 8:
                return BoundArgument(offset, size, name)
        elif isinstance(argument, Number) and isinstance(argument.value, Expr) and not _is_float(argument.dtype):
            return BoundArgument(offset, size, number=argument.value)
        number = symbol(f"argument at {offset}", min=0, max=(1 << 8 * size) - 1)
        if isinstance(argument, Given):
            if not _is_float(argument.dtype):
                number = self._assumed(argument, offset, size)
            self.values.setdefault(argument.name, number)
        return BoundArgument(offset, size, number=number)

    def _assumed(self, argument: Given, offset: int, size: int) -> Expr:
        """A named integer, signed where its type is, within what is assumed of it alone."""
        said = [one for one in self.assume if not one.elements and [name for _, name in one.values] == [argument.name]]
        low, high = of_type(8 * size, (argument.dtype or "").startswith("i"))
        for one in said:
            found = intervals(one.holds, one.values[0][0], low, high)
            if found is not None and len(found) == 1 and found[0].where is TRUE:
                low, high = found[0].low, found[0].high
        if low.lo > high.hi:
            raise LaunchError(f"no value of {argument.name} is left by what is assumed of it")
        if said:
            self.left.append((argument.name, simplify(low <= high)))
        return symbol(f"argument at {offset}", min=int(low.lo), max=int(high.hi))

    def hidden(self, grid: tuple[Expr, ...], block: tuple[Expr, ...]) -> Iterator[BoundArgument]:
        """What the runtime gives, of what the launch decides."""
        ones = (ONE,) * 3
        known: dict[str, Expr] = {}
        for axis, count, size in zip(AXES, (*grid, *ones), (*block, *ones), strict=False):
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
