"""Buffers: a stretch of memory seen as elements, read and written as CK's `buffer_view` does in each address space.

Each access has an offset and a truth value, whether it is valid (padding is not).  What happens else:

| access                           | global                | LDS, generic, vgpr                     |
|----------------------------------|-----------------------|----------------------------------------|
| load, not valid                  | 0, or the value given | 0, or the value given                  |
| load, valid but past the buffer  | 0 (buffer addressing) | CK reads what is there: here an error  |
| store, not valid                 | dropped               | dropped                                |
| store, valid but past the buffer | dropped               | CK writes there: here an error         |
| atomic_add, atomic_max           | done                  | CK does nothing: here an error         |

`sgpr` and `constant` are address spaces of CK Tile (`core/arch/arch.hpp`) that no `buffer_view` of it has: its source
does not compile with them, and here they are refused.

A vector access has one validity for all its elements.  Global memory is range-checked by the hardware's buffer
addressing (`amd_buffer_load_invalid_element_return_zero` of CK Tile's `amd_buffer_addressing.hpp`), here element by
element.  Everything works on whole arrays of offsets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutalg.errors import LayoutError
from layoutalg.index.integers import integers
from layoutalg.records import dataclass

Array = npt.NDArray[Any]


class AddressSpace(Enum):
    """Where a buffer lies; names are CK Tile's."""

    GENERIC = "generic"
    GLOBAL = "global"
    LDS = "lds"
    SGPR = "sgpr"
    CONSTANT = "constant"
    VGPR = "vgpr"


class MemoryOperation(Enum):
    """What a store does to the element there; names are CK Tile's."""

    SET = "set"
    ADD = "add"
    ATOMIC_ADD = "atomic_add"
    ATOMIC_MAX = "atomic_max"


_PLAIN = frozenset({MemoryOperation.SET, MemoryOperation.ADD})
OPERATIONS: Mapping[AddressSpace, frozenset[MemoryOperation]] = {
    AddressSpace.GENERIC: _PLAIN,
    AddressSpace.GLOBAL: frozenset(MemoryOperation),
    AddressSpace.LDS: _PLAIN,
    AddressSpace.VGPR: _PLAIN,
}
"""What `buffer_view::update` of each address space does; CK Tile's `core/tensor/buffer_view.hpp`."""


class OutOfRangeError(LayoutError):
    """A valid access past a buffer that nothing range-checks."""


@dataclass(frozen=True, eq=False)
class BufferView:
    """Memory as elements 0 … size − 1, never copied: `data` is one-dimensional and is read and written in place.

    >>> buffer = BufferView(np.arange(8), invalid_element_value=13)
    >>> buffer.get(np.array([2, 5, 100]), np.array([True, False, True])).tolist()
    [2, 13, 0]
    """

    data: Array
    address_space: AddressSpace = AddressSpace.GLOBAL
    invalid_element_value: Any = 0

    def __post_init__(self) -> None:
        if self.data.ndim != 1:
            raise LayoutError(f"a buffer has one dimension, not {self.data.ndim}; make_tensor_view takes any array")
        if self.address_space not in OPERATIONS:
            raise LayoutError(
                f"CK Tile has no buffer_view of {self.address_space.value} memory; it has those of "
                f"{', '.join(space.value for space in OPERATIONS)}"
            )

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self.data.shape[0])

    def get(self, offset: npt.ArrayLike, valid: npt.ArrayLike = True, width: int = 1) -> Array:
        """The elements at the offsets; with a width, vectors of that many from each, in one more dimension."""
        at, inside, alive = self._places(offset, valid, width, "load")
        if not self.size:
            return np.full(at.shape, self.invalid_element_value, dtype=self.data.dtype)
        loaded = np.where(inside, self.data[np.where(inside, at, 0)], self.data.dtype.type(0))
        return np.where(alive, loaded, self.data.dtype.type(self.invalid_element_value))

    def set(self, offset: npt.ArrayLike, values: npt.ArrayLike, valid: npt.ArrayLike = True, width: int = 1) -> None:
        """Store the values (vectors of `width` in the last dimension); what is not valid or not there is dropped."""
        self.update(offset, values, valid, width, MemoryOperation.SET)

    def update(
        self,
        offset: npt.ArrayLike,
        values: npt.ArrayLike,
        valid: npt.ArrayLike = True,
        width: int = 1,
        operation: MemoryOperation = MemoryOperation.ADD,
    ) -> None:
        """Store, add to or take the maximum with what is there; where two write one element, the last one stands."""
        if operation not in OPERATIONS[self.address_space]:
            raise LayoutError(
                f"{operation.value} to {self.address_space.value} memory: CK Tile's buffer_view of it does nothing then"
            )
        at, inside, alive = self._places(offset, valid, width, "store")
        kept = inside & alive
        given = np.broadcast_to(np.asarray(values, dtype=self.data.dtype), at.shape)
        _STORE[operation](self.data, at[kept], given[kept])

    def _places(
        self, offset: npt.ArrayLike, valid: npt.ArrayLike, width: int, what: str
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """The place of each element, whether it is within the buffer, and whether it is valid."""
        first, alive = np.broadcast_arrays(integers(offset, "offsets"), np.asarray(valid, dtype=bool))
        if width < 1:
            raise LayoutError(f"a vector of {width} elements; it has at least 1")
        if width > 1:
            first, alive = first[..., None] + np.arange(width), np.repeat(alive[..., None], width, axis=-1)
        inside = (first >= 0) & (first < self.size)
        lost = alive & ~inside
        if self.address_space is not AddressSpace.GLOBAL and lost.any():
            raise OutOfRangeError(
                f"{what} at offset {first[lost][0]} of {self.size} elements: nothing checks the range of "
                f"{self.address_space.value} memory ({int(lost.sum())} such accesses)"
            )
        return first, inside, alive


def _assign(data: Array, at: npt.NDArray[np.int64], values: Array) -> None:
    data[at] = values


_STORE: Mapping[MemoryOperation, Callable[[Array, npt.NDArray[np.int64], Array], None]] = {
    MemoryOperation.SET: _assign,
    MemoryOperation.ADD: lambda data, at, values: _assign(data, at, data[at] + values),
    MemoryOperation.ATOMIC_ADD: np.add.at,
    MemoryOperation.ATOMIC_MAX: np.maximum.at,
}
