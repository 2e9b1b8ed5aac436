"""Kernel programs: what each thread does, said in layouts.

A program moves tiles between memories.  A tile of registers is spread over the threads by a tile distribution; a tensor
and a buffer in LDS are reached through descriptors, in coordinates.  The whole transposition is five statements:

    Load(a, source, origin)          registers a ← source[origin + x]        x runs over the tile,
    StoreShared(lds, written, a)     LDS[written(x)] ← a                     each thread over its own part of it
    Barrier()
    LoadShared(b, lds, read)         registers b ← LDS[read(x)]
    Store(target, b, origin)         target[origin + x] ← b

Coordinates stay the same all the way (the target's descriptor is the transposed one), so what must be proved is plain:
the source's value at a coordinate arrives at the target's same coordinate, once, for each.

A vector access moves, in one instruction, the elements that one Y of the distribution runs over.
What it cannot represent: data-dependent addresses, and threads that differ in which statements they reach.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from layoutalg.index import TRUE, Expr
from layoutalg.kernel.dtypes import DType
from layoutalg.layout import LayoutError, TensorAdaptor, TensorDescriptor, TileDistribution


@dataclass(frozen=True)
class Tensor:
    """A tensor in global memory, reached by coordinates (called `names`) through its descriptor."""

    name: str
    dtype: DType
    descriptor: TensorDescriptor
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.names) != self.descriptor.rank:
            raise LayoutError(f"tensor {self.name}: {len(self.names)} names for {self.descriptor.rank} dimensions")


@dataclass(frozen=True)
class Shared:
    """A buffer in LDS, in elements; descriptors come with each access."""

    name: str
    dtype: DType
    elements: int


@dataclass(frozen=True)
class Registers:
    """A tile held by the threads of a block: each thread has the elements that the distribution gives it."""

    name: str
    dtype: DType
    distribution: TileDistribution


@dataclass(frozen=True)
class Load:
    """registers ← tensor[origin + x] for each x of the tile; 0 where a guarded access leaves the tensor.

    `vector` is the number of the Y whose elements move in one instruction; None: one element at a time.
    """

    registers: Registers
    tensor: Tensor
    origin: tuple[Expr, ...]
    vector: int | None = None
    guarded: bool = True


@dataclass(frozen=True)
class Store:
    """tensor[origin + x] ← registers for each x of the tile; nothing where a guarded access leaves the tensor."""

    tensor: Tensor
    registers: Registers
    origin: tuple[Expr, ...]
    vector: int | None = None
    guarded: bool = True


@dataclass(frozen=True)
class StoreShared:
    """LDS[descriptor(x)] ← registers for each x of the tile."""

    shared: Shared
    descriptor: TensorDescriptor
    registers: Registers
    vector: int | None = None


@dataclass(frozen=True)
class LoadShared:
    """registers ← LDS[descriptor(x)] for each x of the tile."""

    registers: Registers
    shared: Shared
    descriptor: TensorDescriptor
    vector: int | None = None


@dataclass(frozen=True)
class Barrier:
    """All threads of the block arrive before any goes on; LDS accesses before it are done."""


Statement = Load | Store | StoreShared | LoadShared | Barrier
SharedAccess = StoreShared | LoadShared
GlobalAccess = Load | Store


@dataclass(frozen=True)
class Program:
    """A kernel: sizes (its arguments), a grid of blocks of threads, and what each thread does.

    * `grid` and `threads`: the block and thread index variables, x first, with their extents.
    * `lanes`: the P index of the distributions, in terms of the threads.
    * `tiles`: from the grid (top) to the number of the tile in each coordinate (bottom).
    * `tile`: the tile's lengths; the tile with number n begins at n·tile.
    * `requires`: what is assumed of the sizes, and checked before a launch.
    * The program claims that `target[x] = source[x]` for each coordinate x.
    """

    name: str
    summary: str
    source: Tensor
    target: Tensor
    sizes: tuple[Expr, ...]
    grid: tuple[Expr, ...]
    threads: tuple[Expr, ...]
    lanes: tuple[Expr, ...]
    tiles: TensorAdaptor
    tile: tuple[int, ...]
    body: tuple[Statement, ...]
    index_bits: int = 32
    requires: Expr = field(default=TRUE)

    @property
    def origin(self) -> tuple[Expr, ...]:
        """Where the block's tile begins, in coordinates."""
        return tuple(n * t for n, t in zip(self.tiles.lower(self.grid), self.tile, strict=True))

    @property
    def block(self) -> tuple[int, int, int]:
        """Threads in x, y and z."""
        x, y, z = (*(int(t.hi) + 1 for t in self.threads), 1, 1, 1)[:3]
        return x, y, z

    @property
    def shared(self) -> tuple[Shared, ...]:
        """The LDS buffers, in order of first use."""
        return tuple(dict.fromkeys(s.shared for s in self.body if isinstance(s, SharedAccess)))

    @property
    def registers(self) -> tuple[Registers, ...]:
        """The register tiles, in order of first use."""
        return tuple(dict.fromkeys(s.registers for s in self.body if not isinstance(s, Barrier)))

    def coordinates(self, access: Statement, y: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The coordinates (in the tile) of what a thread holds at Y index y."""
        assert not isinstance(access, Barrier)
        return access.registers.distribution.lower(self.lanes, y)


def vector_width(access: Statement) -> int:
    """The number of elements that one instruction of the access moves."""
    assert not isinstance(access, Barrier)
    return 1 if access.vector is None else int(access.registers.distribution.ys[access.vector])
