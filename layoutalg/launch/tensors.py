"""Tensors of a launch in memory: their elements where their descriptors lay them out, at given sizes.

| a tensor is | given | there before the run | what the kernel may do |
|---|---|---|---|
| read | yes | what is given | load it |
| read | no | drawn: any word of an integer, and of a float whole numbers from -8 to 8, whose sums are exact | load it |
| written | yes | what is given | load and store it |
| written | no | nothing: a value that was loaded from there is undefined | store it |

What lies between the elements of a tensor is undefined, and no store may touch it.  A tensor that is given as a way to
draw elements is not held whole (`isa.run.pages`): a page of it is drawn when a run touches it.
What it cannot represent: two descriptors over one memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any
from zlib import crc32

import numpy as np

from layoutalg.errors import LaunchError, LayoutError
from layoutalg.formats.model import DescriptorItem, SpecFile
from layoutalg.index import TRUE, Expr, symbol, variables
from layoutalg.index.evaluate import admits, array, grids, limits, value
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.pages import PAGE, Page, Unheld
from layoutalg.isa.run.spaces import Buffer
from layoutalg.launch.elements import Elements
from layoutalg.layout import TensorDescriptor
from layoutalg.layout.bind import bind
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

#: Where nothing was written, results have all bits set: NaN of floats.
UNWRITTEN = 0xFF

#: Bytes of a tensor at most that is held whole.
LARGEST = 1 << 32

Draw = Callable[[tuple[int, ...], np.random.Generator], Array]
"""Elements of a shape, drawn."""


@dataclass(frozen=True)
class Sizes:
    """The values of the file's symbols, by name: an item's own limits may make another variable of one."""

    file: SpecFile
    given: Mapping[str, int]

    def of(self, *parts: Expr, without: Sequence[Expr] = ()) -> dict[Expr, int]:
        """The value of each symbol in expressions; LaunchError where one is missing or may not be."""
        found: dict[Expr, int] = {}
        for size in (one for one in variables(*parts) if one not in without):
            name = size.value.name
            if name not in self.given:
                raise LaunchError(f"{self.file.path}: the symbol {name} has no value: give -D {name}=… "
                                  f"({limits(size)})")  # fmt: skip
            found[size] = self.given[name]
            if not admits(size, found):
                raise LaunchError(f"-D {name}={found[size]}: {self.file.path} says {limits(size)}")
        return found

    def number(self, expression: Expr) -> int:
        """The value of an expression."""
        return value(expression, self.of(expression))


@dataclass(frozen=True, eq=False)
class PlacedTensor:
    """A tensor of a launch: its memory, and where in it its elements lie."""

    name: str
    places: Array  # of each index, in elements; -1 where it is padding
    buffer: Buffer
    written: bool
    drawn: bool  # its elements are random

    def read(self, memory: Array) -> Array:
        """The elements in such a memory, 0 where an index is padding."""
        words = memory.reshape(-1)
        found = words[np.maximum(self.places, 0)] if words.size else words.reshape(self.places.shape)
        return np.where(self.places < 0, words.dtype.type(0), found)

    def unwritten(self, undefined: Array) -> int:
        """How many elements were never written, of what is said of each byte of memory."""
        return int(self.left(undefined).sum())

    def left(self, undefined: Array) -> Array:
        """Of each element whether it was never written, of what is said of each byte of memory."""
        each: Array = np.any(undefined.reshape(-1, self.buffer.array.itemsize), axis=1)
        found: Array = (self.places >= 0) & each[np.maximum(self.places, 0)] if each.size else self.places >= 0
        return found


def made(
    item: DescriptorItem, at: Sizes, given: Array | Draw | None, written: bool, generator: np.random.Generator
) -> PlacedTensor:
    """A tensor and its memory; where a way to draw its elements is given, only what a run touches of it is there.

    Raises `LaunchError` where sizes do not fit it, or what is given has another shape or type.
    """
    if not value(item.given, at.of(item.given)):
        raise LaunchError(f"{at.file.path}: {item.name} is given {item.given}, which these sizes are not")
    if callable(given):
        return _unheld(item, at, given, written)
    numpy = numpy_of(item.dtype)
    shape, space, where = _laid_out(item, at)
    there, drawn_here = where >= 0, given is None and not written
    content = drawn(item.dtype, shape, generator) if drawn_here else given
    memory, inside = np.full(space * numpy.itemsize, UNWRITTEN, np.uint8).view(numpy), np.zeros(space, np.bool_)
    inside[where[there]] = True
    if content is not None:
        _refuse_other(item, content, shape, numpy)
        memory[where[there]] = content[there]
    if where.size and where.flat[0] < 0:
        raise LaunchError(f"{item.name}: its first element is padding, and has no address")
    mask = np.repeat(inside, numpy.itemsize)
    buffer = Buffer(
        memory, item.name, _alike(mask) if written else False, _alike(mask & (content is not None)),
        first=int(where.flat[0]) * numpy.itemsize if where.size else 0,
    )  # fmt: skip
    return PlacedTensor(item.name, np.where(there, where, -1), buffer, written, drawn_here)


def _unheld(item: DescriptorItem, at: Sizes, draw: Draw, written: bool) -> PlacedTensor:
    """A tensor that is not held whole; which of its places are elements is said by `Elements`."""
    numpy, elements = numpy_of(item.dtype), Elements.of(_described(item, at))
    first, space = int(elements.first.value), int(elements.space.value)
    place, each = symbol("place", min=-first, max=space - first), PAGE // numpy.itemsize
    is_element, generator = elements.are(place), np.random.default_rng(crc32(item.name.encode()))

    def page(number: int) -> Page:
        inside = np.arange(number * each, (number + 1) * each) < space
        if is_element is not TRUE:
            behind_first = np.arange(number * each, number * each + int(inside.sum())) - first
            inside[: behind_first.size] = array([is_element], {place: behind_first})[0] != 0
        mask = np.repeat(inside, numpy.itemsize)
        return Page(draw((each,), generator).view(np.uint8).copy(), mask, mask & written)

    memory = Unheld(space * numpy.itemsize, page)
    buffer = Buffer(np.empty(0, numpy), item.name, written, first=first * numpy.itemsize, unheld=memory)
    return PlacedTensor(item.name, np.zeros(0, np.int64), buffer, written, drawn=True)


def _described(item: DescriptorItem, at: Sizes) -> TensorDescriptor:
    """The layout of a tensor at these sizes."""
    described = item.descriptor
    index = () if described.is_empty else described.index
    reached = (described.offset(index), described.valid(index)) if index else ()
    fixed = at.of(*described.lengths, described.element_space_size, *reached, without=index)
    try:
        return _bound(described, tuple(fixed.items()))
    except LayoutError as error:
        raise LaunchError(f"{at.file.path}: at these sizes {item.name} is no tensor: {error}") from error


@lru_cache(maxsize=256)
def _bound(described: TensorDescriptor, sizes: tuple[tuple[Expr, int], ...]) -> TensorDescriptor:
    """The layout at these sizes; kept, since a tensor is made for its shape, and for each content that is drawn."""
    return bind(described, dict(sizes))


def shape_of(item: DescriptorItem, at: Sizes) -> tuple[int, ...]:
    """The lengths of a tensor at these sizes."""
    return tuple(map(int, _described(item, at).lengths))


def _laid_out(item: DescriptorItem, at: Sizes) -> tuple[tuple[int, ...], int, Array]:
    """The shape, the elements of memory, and where in it each index lies, negative where it is padding."""
    described = _described(item, at)
    shape, space = tuple(map(int, described.lengths)), int(described.element_space_size)
    needed = max(space, prod(shape)) * numpy_of(item.dtype).itemsize
    if needed > LARGEST:
        raise LaunchError(f"{item.name} takes {needed} bytes; at most {LARGEST} are given to it here")
    if described.is_empty:
        return shape, space, np.zeros(shape, np.int64)
    index = described.index
    offsets, valid = grids([described.offset(index), described.valid(index)], index)
    where = np.where(valid != 0, offsets, -1)
    if where.max(initial=-1) >= space or (offsets[valid != 0] < 0).any():
        raise LaunchError(f"{item.name}: an element lies outside its memory of {space} elements at these sizes")
    return shape, space, where


def _alike(mask: Array) -> bool | Array:
    return bool(mask.flat[0]) if mask.size and (mask == mask.flat[0]).all() else mask


def _refuse_other(item: DescriptorItem, content: Array, shape: tuple[int, ...], numpy: np.dtype[Any]) -> None:
    if content.shape != shape:
        raise LaunchError(f"{item.name} has the shape {shape} at these sizes; its input has {content.shape}")
    if content.dtype != numpy:
        raise LaunchError(f"{item.name} is of {item.dtype}: its input is to be {numpy}, and is {content.dtype}")


def numpy_of(dtype: str | None) -> np.dtype[Any]:
    """What numpy calls an element type, or words of its bits.

    >>> numpy_of("bf16"), numpy_of("f8")
    (dtype('uint16'), dtype('uint8'))
    """
    found = DTYPES[dtype or ""]
    return np.dtype(found.numpy or f"uint{found.bits}")


def drawn(dtype: str | None, shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """Random elements: any word of an integer, and of a float whole numbers, whose sums and products are exact."""
    numpy = numpy_of(dtype)
    if dtype == "bf16":
        return (generator.integers(-8, 9, shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if numpy.kind == "f":
        return generator.integers(-8, 9, shape).astype(numpy)
    most = np.iinfo(numpy)
    return generator.integers(most.min, most.max, shape, numpy, endpoint=True)
