"""A launch file at given sizes, on a kernel: grid, block, tensors, and arguments as `execute` takes them.

What the file says and what the kernel's metadata say must fit: as many arguments, pointers where it has pointers, and
numbers of as many bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from layoutalg.errors import LaunchError
from layoutalg.formats.launch import Argument, Field, Given, Launch, Number, Pointer, Struct, Unused, laid_out
from layoutalg.formats.model import DescriptorItem, SpecFile
from layoutalg.index import Expr
from layoutalg.index.evaluate import value
from layoutalg.isa.container.metadata import KernelMetadata
from layoutalg.isa.run.arrays import Array
from layoutalg.launch.contents import GREATEST, DrawnMemory
from layoutalg.launch.tensors import Draw, PlacedTensor, Sizes, made, shape_of
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.elements import to_bits


@dataclass(frozen=True)
class BoundLaunch:
    """A launch at given sizes: what `execute` takes, and the tensors by their names."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    lds: int
    arguments: tuple[Any, ...]
    tensors: Mapping[str, PlacedTensor]
    passed: tuple[PlacedTensor, ...]  # that of each output of the run


#: Tensors at the addresses that a tensor holds, at most.
MOST_POINTEES = 64

#: Bytes of a field that is not used: as an address, one where nothing is.
_JUNK = 0xDB


def bound(
    file: SpecFile, kernel: KernelMetadata, sizes: Mapping[str, int], inputs: Mapping[str, Array | Draw],
    values: Mapping[str, Any], seed: int = 0,
) -> BoundLaunch:  # fmt: skip
    """The launch of a file on a kernel, with these sizes, contents of tensors, and values that it asks for by name.

    Of tensors whose contents are not given, those of which the file assumes something are drawn within that.

    Raises `LaunchError` for a size that is missing or not allowed, for what does not fit the file, and for a file that
    does not fit the kernel.
    """
    launch = file.launch
    if launch is None:
        raise LaunchError(f"{file.path}: it has no [launch] table; add one with grid, block and arguments")
    _refuse_names(file, launch, sizes, inputs, values)
    at = Sizes(file, sizes)
    if not value(file.given, at.of(file.given)):
        raise LaunchError(f"{file.path}: given is {file.given}, which these sizes are not")
    generator = np.random.default_rng(seed)
    _refuse_many(at, launch)
    within = _within_assumptions(at, launch, values, inputs, seed)
    inputs = {**within, **inputs}
    tensors = {
        name: made(file.descriptor(name), at, inputs.get(name), name in launch.writes, generator)
        for name in launch.tensors
    }
    tensors |= {name: replace(tensors[name], drawn=name not in launch.writes) for name in within if name in tensors}
    for table, of in launch.points:
        tensors[table] = _pointing(
            tensors[table], file.descriptor(of), at, inputs.get(of), of in launch.writes, generator
        )
    grid, block = (_extents(at, name, getattr(launch, name)) for name in ("grid", "block"))
    arguments = tuple(
        _argument(one, n, kernel, at, tensors, values) for n, one in enumerate(_as_many(launch.arguments, kernel))
    )
    passed = tuple(tensors[one.descriptor] for one in launch.passed if isinstance(one, Pointer))
    return BoundLaunch(grid, block, at.number(launch.lds), arguments, tensors, passed)


def _refuse_many(at: Sizes, launch: Launch) -> None:
    """LaunchError where tensors hold more addresses than are laid out."""
    for table, _ in launch.points:
        count = addresses_in(at, table)
        if count > MOST_POINTEES:
            raise LaunchError(f"{table} holds {count} addresses; at most {MOST_POINTEES} are laid out here")


def addresses_in(at: Sizes, table: str) -> int:
    """How many addresses a tensor of them holds."""
    return at.number(at.file.descriptor(table).descriptor.element_space_size)


def _pointing(
    table: PlacedTensor, of: DescriptorItem, at: Sizes, given: Array | Draw | None, written: bool,
    generator: np.random.Generator,
) -> PlacedTensor:  # fmt: skip
    """A tensor of addresses, each of a tensor of its own; what is `given` is of one after the other."""
    count = table.buffer.array.size
    if isinstance(given, np.ndarray) and (not given.ndim or len(given) != count):
        raise LaunchError(f"{of.name} is {count} tensors at these sizes; its input has the shape {given.shape}")
    contents = [given[k] if isinstance(given, np.ndarray) else given for k in range(count)]
    made_of = (made(of, at, content, written, generator).buffer for content in contents)
    return replace(table, drawn=False, buffer=replace(table.buffer, points=tuple(made_of)))


def _within_assumptions(
    at: Sizes, launch: Launch, values: Mapping[str, Any], inputs: Mapping[str, Array | Draw], seed: int
) -> Mapping[str, Array]:
    """Contents of tensors that are not given, within what is assumed of them."""
    counts = {of: (addresses_in(at, table),) for table, of in launch.points}
    here = [name for name in launch.memories if name not in inputs and name not in dict(launch.points)]
    names = dict.fromkeys(name for one in launch.assumed for name in one.tensors if name in here)
    if not names:
        return {}
    sizes = {symbol: at.number(symbol) for symbol in at.file.symbols.values()}
    anything = GREATEST + 1 + seed  # not the ends of what is assumed
    contents = DrawnMemory(at.file, sizes, anything, np.random.default_rng((seed, 1)))
    shapes = {name: (*counts.get(name, ()), *shape_of(at.file.descriptor(name), at)) for name in names}
    return contents.tensors(shapes, values, ())


def _refuse_names(
    file: SpecFile,
    launch: Launch,
    sizes: Mapping[str, int],
    inputs: Mapping[str, Array | Draw],
    values: Mapping[str, Any],
) -> None:
    asked = {one.name for one in launch.given}
    for what, names, known in (
        ("symbol", sizes, set(file.symbols)),
        ("tensor", inputs, set(launch.memories)),
        ("argument that is given", values, asked),
    ):
        for name in names:
            if name not in known:
                there = ", ".join(sorted(known)) or "none"
                raise LaunchError(f"{file.path}: its launch has no {what} {name!r}; it has {there}")
    missing = sorted(asked - set(values))
    if missing:
        raise LaunchError(f"{file.path}: the argument {missing[0]} has no value: give --argument {missing[0]}=VALUE")


def _extents(at: Sizes, name: str, given: tuple[Expr, ...]) -> tuple[int, ...]:
    found = tuple(at.number(one) for one in given)
    for one, number in zip(given, found, strict=True):
        if number < 1:
            raise LaunchError(f"{at.file.path}: the {name} has the size {one} = {number}; each is at least 1")
    return found


def _as_many(arguments: Sequence[Argument], kernel: KernelMetadata) -> Sequence[Argument]:
    if len(arguments) == len(kernel.visible):
        return arguments
    wanted = ", ".join(_said(kernel, n) for n in range(len(kernel.visible)))
    raise LaunchError(f"{kernel.name} takes {len(kernel.visible)} arguments, and the launch has {len(arguments)}: it "
                      f"takes {wanted or 'none'}")  # fmt: skip


def _said(kernel: KernelMetadata, place: int) -> str:
    """An argument of a kernel in words."""
    one = kernel.visible[place]
    return f"{'a pointer' if one.kind == 'global_buffer' else f'{one.size} bytes'} at byte {one.offset}"


def _argument(
    one: Argument, place: int, kernel: KernelMetadata, at: Sizes, tensors: Mapping[str, PlacedTensor],
    values: Mapping[str, Any],
) -> Any:  # fmt: skip
    """What `execute` takes for an argument, which is checked against what the kernel has there."""
    asked = kernel.visible[place]
    about = f"argument {place} of {kernel.name} is {_said(kernel, place)}"
    pointer = asked.kind == "global_buffer"
    if isinstance(one, Unused):
        return None
    if isinstance(one, Struct):
        packed = _struct(one, at, tensors, values)
        alone = len(one.fields) == 1 and isinstance(one.fields[0], Pointer)  # which a compiler passes as the pointer
        if (pointer and not alone) or _struct_size(packed) != asked.size:
            raise LaunchError(f"{about}, and the launch gives a struct of {_struct_size(packed)} bytes")
        return packed[0][0] if pointer else [field for field, _ in packed]
    if isinstance(one, Pointer):
        if not pointer:
            hint = f'{{ fields = ["{one.descriptor}", …] }} is a struct that holds a pointer'
            raise LaunchError(f"{about}, and the launch gives the descriptor {one.descriptor}; {hint}")
        return tensors[one.descriptor].buffer
    if pointer and not (isinstance(one, Number) and one.is_null):
        hint = "give a descriptor, { unused = true }, or 0 for none"
        raise LaunchError(f"{about}, and the launch gives a number; {hint}")
    return _word(one, asked.size, about, at, values)


def _struct(
    one: Struct, at: Sizes, tensors: Mapping[str, PlacedTensor], values: Mapping[str, Any]
) -> list[tuple[Any, int]]:
    """Its fields, each with its size; what fills it up to the widest one's alignment among them."""
    sizes = [8 if isinstance(field, Pointer) else _bytes(field) or 0 for field in one.fields]
    places, whole = laid_out(sizes)
    packed: list[tuple[Any, int]] = []
    for number, (field, size, place) in enumerate(zip(one.fields, sizes, places, strict=True)):
        assert size
        packed += _gap(place - _struct_size(packed))
        word: Any = bytes([_JUNK] * size)
        if isinstance(field, Pointer):
            word = tensors[field.descriptor].buffer
        elif not isinstance(field, Unused):
            word = _word(field, size, f"field {number} of the struct has {size} bytes", at, values)
        packed.append((word, size))
    return [*packed, *_gap(whole - _struct_size(packed))]


def _gap(size: int) -> list[tuple[Any, int]]:
    return [(bytes(size), size)] if size else []


def _struct_size(packed: Sequence[tuple[Any, int]]) -> int:
    return sum(size for _, size in packed)


def _bytes(field: Field) -> int | None:
    """The bytes that a field says that it has."""
    if isinstance(field, Number | Given) and field.dtype:
        return DTYPES[field.dtype].bytes
    return None if isinstance(field, Pointer) else field.bytes


def _word(field: Number | Given, size: int, about: str, at: Sizes, values: Mapping[str, Any]) -> bytes:
    """The bytes of a number."""
    said = _bytes(field) or size
    if said != size:
        raise LaunchError(f"{about}, and the launch gives {said}")
    number: Any = values[field.name] if isinstance(field, Given) else field.value
    if isinstance(number, Expr):
        number = at.number(number)
    try:
        return raw(number, size, field.dtype)
    except (OverflowError, ValueError, KeyError):
        kind = field.dtype or f"{size} bytes"
        raise LaunchError(f"{about}, and {number!r} is no value of {kind}") from None


def raw(number: Any, size: int, dtype: str | None = None) -> bytes:
    """A number as so many bytes: a whole one as an integer, a fraction as a float, unless a type is said.

    OverflowError, ValueError or KeyError where it is none.

    >>> raw(-1, 2).hex(), raw(1.0, 4).hex(), raw(1, 4, "f32").hex(), raw(1, 2, "bf16").hex()
    ('ffff', '0000803f', '0000803f', '803f')
    """
    if isinstance(number, bytes | np.generic | np.ndarray):
        found = number if isinstance(number, bytes) else number.tobytes()
        if len(found) != size:
            raise ValueError(f"{len(found)} bytes")
        return found
    if dtype == "bf16":
        return bytes(to_bits(np.array([number], np.float32)).tobytes())
    floating = isinstance(number, float) if dtype is None else dtype.startswith("f")
    if floating:
        return bytes(np.dtype({2: "f2", 4: "f4", 8: "f8"}[size]).type(number).tobytes())
    whole = int(number)
    if whole != number:
        raise ValueError(f"{number} is no integer")
    return whole.to_bytes(size, "little", signed=whole < 0)
