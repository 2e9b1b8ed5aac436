"""Tensor views: a descriptor over a buffer, so that real memory is read and written by top index.

Any numpy array, and anything that speaks `__array_interface__` or DLPack, is seen as it lies, without a copy: its
strides become an embed.

| array                       | descriptor                                            |
|-----------------------------|-------------------------------------------------------|
| C order, shape (3, 4)       | naive (3, 4) / (4, 1)                                 |
| its transpose               | naive (4, 3) / (1, 4)                                 |
| every second column         | naive (3, 2) / (4, 2)                                 |
| rows reversed               | naive (3, 4) / (−4, 1), 8 elements into the memory    |

Descriptors over symbols are bound to numbers first (`layoutalg.layout.bind`).  A top index outside the lengths is an
error: CK assumes that there is none, and reads elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, as_expr
from layoutalg.index.evaluate import array, grids
from layoutalg.index.integers import integers
from layoutalg.layout.adaptor import attach, make_identity
from layoutalg.layout.buffer_view import AddressSpace, Array, BufferView, MemoryOperation
from layoutalg.layout.descriptor import TensorDescriptor, make_naive_tensor_descriptor, transform_tensor_descriptor
from layoutalg.layout.linear import Embed
from layoutalg.layout.shifts import Offset, PassThrough, RightPad
from layoutalg.layout.transform import Transform
from layoutalg.records import dataclass


@dataclass(frozen=True, eq=False)
class TensorView:
    """A descriptor over a buffer.

    >>> memory = np.arange(12)
    >>> view = make_tensor_view(memory.reshape(3, 4))
    >>> int(view.get((1, 2)))
    6
    >>> view.set((1, 2), 60)
    >>> int(memory[6])
    60
    """

    buffer: BufferView
    descriptor: TensorDescriptor

    def __post_init__(self) -> None:
        for length in (*self.descriptor.lengths, self.descriptor.element_space_size):
            if length.op != "const":
                raise LayoutError(f"{length} is not a number; bind the descriptor's sizes before viewing memory")

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths as integers."""
        return tuple(map(int, self.descriptor.lengths))

    def places(self, index: Sequence[npt.ArrayLike]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """The offset and the validity of each index: arrays of one coordinate each, which broadcast together."""
        where = [integers(i, "indices") for i in index]
        if len(where) != len(self.shape):
            raise LayoutError(f"an index of {len(where)} coordinates for {len(self.shape)} dimensions")
        for d, (i, length) in enumerate(zip(where, self.shape, strict=True)):
            if i.size and (i.min() < 0 or i.max() >= length):
                outside = i[(i < 0) | (i >= length)].flat[0]
                raise LayoutError(f"index {outside} of dimension {d} is outside 0…{length - 1}; pad the view for that")
        found = array(self._map, dict(zip(self.descriptor.index, where, strict=True)))
        shape = np.broadcast_shapes(*(i.shape for i in where))
        return np.broadcast_to(found[0], shape), np.broadcast_to(found[1] != 0, shape)

    def get(self, index: Sequence[npt.ArrayLike], width: int = 1) -> Array:
        """The elements at the indices; with a width, vectors of consecutive memory from each (CK's vectorized get)."""
        return self.buffer.get(*self.places(index), width)

    def set(self, index: Sequence[npt.ArrayLike], values: npt.ArrayLike, width: int = 1) -> None:
        """Store at the indices; what is padding is dropped."""
        self.update(index, values, width, MemoryOperation.SET)

    def update(
        self,
        index: Sequence[npt.ArrayLike],
        values: npt.ArrayLike,
        width: int = 1,
        operation: MemoryOperation = MemoryOperation.ADD,
    ) -> None:
        """Store, or add to what is there."""
        offset, valid = self.places(index)
        self.buffer.update(offset, values, valid, width, operation)

    def read(self) -> Array:
        """The whole tensor as an array of its lengths, padding as the buffer's invalid value."""
        offset, valid = self._grid()
        return self.buffer.get(offset, valid)

    def write(self, values: npt.ArrayLike) -> None:
        """Store a whole tensor."""
        offset, valid = self._grid()
        self.buffer.set(offset, values, valid)

    def transform(
        self, transforms: Sequence[Transform], lower: Sequence[Sequence[int]], upper: Sequence[Sequence[int]]
    ) -> TensorView:
        """The same memory under one more layer (CK Tile's `transform_tensor_view`)."""
        return replace(self, descriptor=transform_tensor_descriptor(self.descriptor, transforms, lower, upper))

    def pad(self, tile_lengths: Sequence[int], do_pads: Sequence[bool] | None = None) -> TensorView:
        """Right padding up to multiples of a tile's lengths (CK Tile's `pad_tensor_view`)."""
        wanted = do_pads if do_pads is not None else [True] * len(self.shape)
        if not len(tile_lengths) == len(wanted) == len(self.shape):
            raise LayoutError(f"{len(tile_lengths)} tile lengths and {len(wanted)} choices for {len(self.shape)} dims")
        transforms = [
            RightPad(as_expr(length), as_expr(-length % tile)) if do else PassThrough(as_expr(length))
            for length, tile, do in zip(self.shape, tile_lengths, wanted, strict=True)
        ]
        dims = [[d] for d in range(len(self.shape))]
        return self.transform(transforms, dims, dims)

    @cached_property
    def _map(self) -> tuple[Expr, Expr]:
        """The offset and the validity over the descriptor's index."""
        d = self.descriptor
        return d.offset(d.index), d.valid(d.index)

    def _grid(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        offset, valid = grids(self._map, self.descriptor.index)
        return offset, valid != 0


def make_tensor_view(
    memory: Any,
    descriptor: TensorDescriptor | None = None,
    address_space: AddressSpace = AddressSpace.GLOBAL,
    invalid_element_value: Any = 0,
) -> TensorView:
    """A view of an array, or of anything that speaks `__array_interface__` or DLPack, without a copy; or of a buffer.

    Without a descriptor, the array's own shape and strides; with one, the memory from the array's first element on.  A
    buffer keeps its own address space and invalid value, and needs a descriptor: it is CK Tile's `tensor_view{b, d}`.
    LayoutError where the memory cannot be seen as elements, or is smaller than the descriptor's element space.

    >>> buffer = BufferView(np.arange(6), AddressSpace.LDS)
    >>> make_tensor_view(buffer, make_naive_tensor_descriptor((2, 3), (3, 1))).read().tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    if isinstance(memory, BufferView):
        return _view_of(memory, descriptor)
    seen = _as_array(memory)
    base, own = _memory_of(seen)
    if descriptor is None:
        return TensorView(BufferView(base, address_space, invalid_element_value), own)
    if np.any(np.asarray(seen.strides) < 0):
        raise LayoutError("a descriptor over an array that runs backwards; give the array as it lies in memory")
    return _view_of(BufferView(base, address_space, invalid_element_value), descriptor)


def _view_of(buffer: BufferView, descriptor: TensorDescriptor | None) -> TensorView:
    if descriptor is None:
        raise LayoutError("a buffer has no shape; make_tensor_view(buffer, descriptor) gives it one")
    view = TensorView(buffer, descriptor)
    if int(descriptor.element_space_size) > buffer.size:
        raise LayoutError(f"a descriptor over {descriptor.element_space_size} elements on memory of {buffer.size}")
    return view


def _as_array(memory: Any) -> Array:
    """The memory as an array of numpy's, without a copy."""
    if isinstance(memory, np.ndarray):
        return memory
    if hasattr(memory, "__array_interface__"):
        return np.asarray(memory)
    if hasattr(memory, "__dlpack__"):
        try:
            return np.from_dlpack(memory)
        except (BufferError, RuntimeError) as problem:
            raise LayoutError(f"this {type(memory).__name__} cannot be seen from the host: {problem}") from None
    raise LayoutError(
        f"a {type(memory).__name__} cannot be viewed without a copy; give a numpy array, or an object with "
        "__array_interface__ or __dlpack__"
    )


def _memory_of(seen: Array) -> tuple[Array, TensorDescriptor]:
    """All elements from the lowest to the highest address that the array reaches, and the array's layout over them."""
    size = seen.itemsize
    if seen.size == 0 or seen.ndim == 0:
        raise LayoutError(f"an array of shape {seen.shape} is no tensor: it has a dimension, and at least one element")
    if any(stride % size for n, stride in zip(seen.shape, seen.strides, strict=True) if n > 1):
        raise LayoutError(f"strides of {seen.strides} bytes are not whole elements of {size} bytes")
    strides = [stride // size for stride in seen.strides]
    reach = [(n - 1) * s for n, s in zip(seen.shape, strides, strict=True)]
    start, space = -sum(r for r in reach if r < 0), 1 + sum(map(abs, reach))
    first = seen[tuple(slice(-1, None) if s < 0 else slice(0, 1) for s in strides)]
    base = np.lib.stride_tricks.as_strided(first, (space,), (size,), writeable=seen.flags.writeable)
    if start == 0:
        return base, make_naive_tensor_descriptor(seen.shape, strides)
    embed = Embed(tuple(map(as_expr, seen.shape)), tuple(map(as_expr, strides)))
    below = attach(make_identity(1), [Offset(as_expr(space - start), as_expr(start))], [[0]], [[0]])
    return base, TensorDescriptor(attach(below, [embed], [[0]], [list(range(seen.ndim))]), as_expr(space))
