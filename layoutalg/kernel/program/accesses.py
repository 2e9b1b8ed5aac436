"""Accesses: moves of a tile between registers and a memory, global or LDS.

A vector access moves, in one instruction, the elements that a Y of the distribution runs over, or several Ys (slowest
first) together.  `slot` numbers the copies of a buffer that is used in turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, Self

from layoutalg.index import TRUE, ZERO, Expr, prod, substitute
from layoutalg.kernel.program.statement import Statement, Uses
from layoutalg.kernel.program.tiles import How, Registers, Shared, Tensor, Vector
from layoutalg.layout import TensorDescriptor
from layoutalg.records import dataclass


class MemoryAccess(Statement):
    """A move of a tile between registers and a memory.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> [(access.what, access.width) for access in lds_transpose(vector=4).of(MemoryAccess)]
    [('load from source', 4), ('store to lds', 4), ('load from lds', 1), ('store to target', 4)]
    """

    registers: Registers
    vector: Vector
    loads: ClassVar[bool]

    @property
    def memory(self) -> Tensor | Shared:
        """The tensor or the buffer in LDS."""
        raise NotImplementedError

    @property
    def reached(self) -> TensorDescriptor:
        """The map from coordinates to elements of the memory."""
        raise NotImplementedError

    @property
    def start(self) -> tuple[Expr, ...]:
        """The coordinates of the tile's first element; () is zeros."""
        raise NotImplementedError

    @property
    def vector_ys(self) -> tuple[int, ...]:
        """The numbers of the Ys that one instruction moves, slowest first."""
        if self.vector is None:
            return ()
        return self.vector if isinstance(self.vector, tuple) else (self.vector,)

    @property
    def width(self) -> int:
        """The number of elements that one instruction moves."""
        return int(prod([self.registers.distribution.ys[y] for y in self.vector_ys]))

    @property
    def together(self) -> tuple[int, ...]:
        """The Ys that one instruction runs over; none where it moves one element, whatever Ys of length 1 it names."""
        return self.vector_ys if self.width > 1 else ()

    @property
    def what(self) -> str:
        """The access in a report: `load from lds`."""
        return f"{'load from' if self.loads else 'store to'} {self.memory.name}"

    @property
    def at_once(self) -> str:
        """How many elements it moves, in words."""
        return "element by element" if self.width == 1 else f"{self.width} elements at once"

    def places(self) -> Iterator[tuple[str, tuple[Expr, ...]]]:
        yield f"an origin in {self.memory.name}", self.start


class GlobalAccess(MemoryAccess):
    """An access to a tensor; `guarded`: whether a coordinate may leave it; or which may.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> [(access.what, access.guard) for access in lds_transpose().of(GlobalAccess)]
    [('load from source', ', guarded'), ('store to target', ', guarded')]
    """

    tensor: Tensor
    origin: tuple[Expr, ...]
    guarded: bool | tuple[bool, ...]

    @property
    def memory(self) -> Tensor:
        return self.tensor

    @property
    def guard(self) -> str:
        """Whether it is guarded, in words."""
        return ", guarded" if self.guarded else ""

    @property
    def reached(self) -> TensorDescriptor:
        return self.tensor.descriptor

    @property
    def start(self) -> tuple[Expr, ...]:
        return self.origin


class SharedAccess(MemoryAccess):
    """An access to LDS by a map, in one of the buffer's slots.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> written, read = lds_transpose().of(SharedAccess)
    >>> written.what, read.what, written.descriptor.lengths
    ('store to lds', 'load from lds', (64, 64))
    """

    shared: Shared
    descriptor: TensorDescriptor
    slot: Expr

    @property
    def memory(self) -> Shared:
        return self.shared

    @property
    def reached(self) -> TensorDescriptor:
        return self.descriptor

    def at(self, index: Expr, value: Expr | int) -> Self:
        """The access where a loop's index has a value."""
        raise NotImplementedError

    def places(self) -> Iterator[tuple[str, tuple[Expr, ...]]]:
        yield from super().places()
        yield f"a slot of {self.memory.name}", (self.slot,)


@dataclass(frozen=True)
class Load(GlobalAccess):
    """registers ← tensor[origin + x] for each x of the tile; `fill` where a guarded access leaves the tensor.

    `fill` is "sum" (0) or "max" (the least number): neutral in what is done with the values.
    `only`: the tile is loaded where this holds, the same for all threads; for copies (`AsyncCopy`).
    `once`: the kernel reads these elements once, and caches may be told so.
    `ranged`: the guard is the range that an instruction checks, where a target has one: no branch, zeros elsewhere.

    >>> from layoutalg.kernel.library.transpose import register_transpose
    >>> (load,) = register_transpose().of(Load)
    >>> load.tensor.name, load.start, load.registers.name, load.guarded
    ('source', (bx * 32, by * 32), 'tile', False)
    """

    registers: Registers
    tensor: Tensor
    origin: tuple[Expr, ...]
    vector: Vector = None
    guarded: bool | tuple[bool, ...] = True
    fill: How = "sum"
    only: Expr = TRUE
    ranged: bool = False
    once: bool = False

    uses = Uses(reads=("tensor",), fills=("registers",))
    words = "load", "{0.at_once}{0.guard}"
    loads = True

    def places(self) -> Iterator[tuple[str, tuple[Expr, ...]]]:
        yield from super().places()
        yield f"a condition on {self.memory.name}", (self.only,)


@dataclass(frozen=True)
class Store(GlobalAccess):
    """tensor[origin + x] ← registers for each x of the tile; nothing where a guarded access leaves the tensor.

    Of a tile that several threads hold alike (factors R of the distribution), the first copy is stored.

    >>> from layoutalg.kernel.library.transpose import register_transpose
    >>> (store,) = register_transpose().of(Store)
    >>> store.what, store.at_once, store.vector_ys
    ('store to target', '4 elements at once', (0,))
    """

    tensor: Tensor
    registers: Registers
    origin: tuple[Expr, ...]
    vector: Vector = None
    guarded: bool | tuple[bool, ...] = True

    uses = Uses(reads=("registers",), fills=("tensor",))
    words = "store", "{0.at_once}{0.guard}"
    loads = False


@dataclass(frozen=True)
class StoreShared(SharedAccess):
    """LDS[slot][descriptor(x)] ← registers for each x of the tile.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> (store,) = lds_transpose().of(StoreShared)
    >>> store.what, store.descriptor.offset((1, 2))
    ('store to lds', 67)
    """

    shared: Shared
    descriptor: TensorDescriptor
    registers: Registers
    vector: Vector = None
    slot: Expr = ZERO

    uses = Uses(reads=("registers",), fills=("shared",))
    words = "store to LDS", "{0.at_once}"
    loads = False

    @property
    def start(self) -> tuple[Expr, ...]:
        return ()

    def at(self, index: Expr, value: Expr | int) -> Self:
        return replace(self, slot=substitute(self.slot, {index: value}))


@dataclass(frozen=True)
class LoadShared(SharedAccess):
    """registers ← LDS[slot][descriptor(origin + x)] for each x of the register tile; no origin: zeros.

    `by`: the instruction, where a wave reads together (`matrix_loads`); then `vector` are the Ys that it fills.

    >>> from layoutalg.kernel.library.transpose import lds_transpose
    >>> (load,) = lds_transpose(vector=4).of(LoadShared)
    >>> load.what, load.at_once, load.memory.bytes
    ('load from lds', 'element by element', 16384)
    """

    registers: Registers
    shared: Shared
    descriptor: TensorDescriptor
    vector: Vector = None
    slot: Expr = ZERO
    origin: tuple[Expr, ...] = ()
    by: str = ""

    uses = Uses(reads=("shared",), fills=("registers",))
    words = "load from LDS", "{0.at_once}"
    loads = True

    @property
    def start(self) -> tuple[Expr, ...]:
        return self.origin

    def at(self, index: Expr, value: Expr | int) -> Self:
        origin = tuple(substitute(o, {index: value}) for o in self.origin)
        return replace(self, slot=substitute(self.slot, {index: value}), origin=origin)


__all__ = ["GlobalAccess", "Load", "LoadShared", "MemoryAccess", "SharedAccess", "Store", "StoreShared"]
