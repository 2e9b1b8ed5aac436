"""What a thread of a kernel does: moves between memories, sums of products, loops.

A tile of registers is spread over the threads by a tile distribution.  A tensor and a buffer in LDS are reached through
descriptors, in coordinates; tile coordinate x lies at origin + x.

| statement                     | does                                                                     |
|-------------------------------|--------------------------------------------------------------------------|
| `Load(r, tensor, origin)`     | r[x] ← tensor[origin + x], 0 where that is outside or padding            |
| `Store(tensor, r, origin)`    | tensor[origin + x] ← r[x] where that is inside                           |
| `StoreShared(lds, map, r)`    | LDS[slot][map(x)] ← r[x]                                                 |
| `LoadShared(r, lds, map)`     | r[x] ← LDS[slot][map(origin + x)]                                        |
| `AsyncCopy(load, store)`      | LDS[slot][map(x)] ← tensor[origin + x], at some time before its `Await`  |
| `Commit()`                    | the copies begun since the last one are a group                          |
| `Await(n)`                    | the thread's groups have arrived, all but the n newest ones              |
| `Barrier()`                   | all threads of the block arrive before any goes on                       |
| `Clear(r)`                    | r[x] ← 0 (or the least number, for a greatest)                           |
| `Multiply(c, a, b, how)`      | c[g, m, n] ← c[g, m, n] + Σₖ a[g, m, k]·b[g, n, k], over the tile's k    |
| `Fold(c, a, how)`             | c[m] ← c[m] + Σₖ a[m, k], or the greatest; c[m, p]: over a thread's part |
| `Elementwise(r, f, operands)` | r[x] ← f(operands at x)                                                  |
| `Loop(i, body)`               | the body for i = 0, 1 … below its extent                                 |

A vector access moves, in one instruction, the elements that a Y of the distribution runs over, or several Ys (slowest
first) together.  `slot` numbers the copies of a buffer that is used in turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from layoutalg.index import FALSE, TRUE, Expr, prod
from layoutalg.kernel.program.typed import wrongly_typed
from layoutalg.layout import LayoutError, TensorDescriptor, TileDistribution
from layoutalg.target.dtypes import DType
from layoutalg.target.operand import MatrixInstruction

Vector = int | tuple[int, ...] | None
"""The Ys whose elements move in one instruction, slowest first; None: one element at a time."""
How = Literal["sum", "max"]
"""How a fold combines: its neutral value is 0, or the least number."""


@dataclass(frozen=True)
class Tensor:
    """A tensor in global memory, reached by coordinates (called `names`) through its descriptor."""

    name: str
    dtype: DType
    descriptor: TensorDescriptor
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        wrong = next(wrongly_typed(self), None)
        if wrong is not None:
            raise LayoutError(wrong)
        if len(self.names) != self.descriptor.rank:
            raise LayoutError(f"tensor {self.name}: {len(self.names)} names for {self.descriptor.rank} dimensions")


@dataclass(frozen=True)
class Shared:
    """A buffer in LDS, `slots` copies of so many elements; descriptors come with each access."""

    name: str
    dtype: DType
    elements: int
    slots: int = 1

    @property
    def bytes(self) -> int:
        """All copies together."""
        return self.elements * self.slots * self.dtype.bytes


@dataclass(frozen=True)
class Registers:
    """A tile held by the threads of a block: each thread has the elements that the distribution gives it."""

    name: str
    dtype: DType
    distribution: TileDistribution


@dataclass(frozen=True)
class Load:
    """registers ← tensor[origin + x] for each x of the tile; `fill` where a guarded access leaves the tensor.

    `fill` is "sum" (0) or "max" (the least number): neutral in what is done with the values.
    `guarded`: whether a coordinate may leave the tensor; or which may.
    `only`: the tile is loaded where this holds, the same for all threads; for copies (`AsyncCopy`).
    """

    registers: Registers
    tensor: Tensor
    origin: tuple[Expr, ...]
    vector: Vector = None
    guarded: bool | tuple[bool, ...] = True
    fill: How = "sum"
    only: Expr = TRUE


@dataclass(frozen=True)
class Store:
    """tensor[origin + x] ← registers for each x of the tile; nothing where a guarded access leaves the tensor.

    Of a tile that several threads hold alike (factors R of the distribution), the first copy is stored.
    """

    tensor: Tensor
    registers: Registers
    origin: tuple[Expr, ...]
    vector: Vector = None
    guarded: bool | tuple[bool, ...] = True


@dataclass(frozen=True)
class StoreShared:
    """LDS[slot][descriptor(x)] ← registers for each x of the tile."""

    shared: Shared
    descriptor: TensorDescriptor
    registers: Registers
    vector: Vector = None
    slot: Expr = FALSE


@dataclass(frozen=True)
class LoadShared:
    """registers ← LDS[slot][descriptor(origin + x)] for each x of the register tile; no origin: zeros.

    `by`: the instruction, where a wave reads together (`matrix_loads`); then `vector` are the Ys that it fills.
    """

    registers: Registers
    shared: Shared
    descriptor: TensorDescriptor
    vector: Vector = None
    slot: Expr = FALSE
    origin: tuple[Expr, ...] = ()
    by: str = ""


@dataclass(frozen=True)
class AsyncCopy:
    """The load and the store, done by one instruction that does not wait: LDS has the tile at some time before `Await`.

    Their registers stand for the copy's distribution over the threads and hold nothing
    (`obligations.asynchronous` says what must hold).
    """

    load: Load
    store: StoreShared


@dataclass(frozen=True)
class Commit:
    """The copies that the thread has begun since the last one are a group."""


@dataclass(frozen=True)
class Await:
    """The thread's groups of copies have arrived in LDS, oldest first, all but so many; `buffers` is what they fill."""

    groups: int
    buffers: tuple[Shared, ...]


@dataclass(frozen=True)
class Barrier:
    """All threads of the block arrive before any goes on; LDS accesses before it are done."""


@dataclass(frozen=True)
class Clear:
    """registers ← the neutral value of what will be accumulated in them."""

    registers: Registers
    how: How = "sum"


@dataclass(frozen=True)
class Multiply:
    """c ← c + a·bᵀ on tiles (g, m, n), (g, m, k), (g, n, k), by a matrix instruction of one wave, or lane by lane.

    The Ys of c are (m tiles, n tiles, element …), of a (m tiles, k tiles, element …), of b (n tiles, k tiles,
    element …), where element … are those of the instruction, in order.
    """

    c: Registers
    a: Registers
    b: Registers
    instruction: MatrixInstruction


@dataclass(frozen=True)
class Fold:
    """c ← c combined with all elements of a along its last dimension that the thread holds.

    The Ys of c are the first ones of a; a's other Ys are taken in.  Where c has one dimension less, a thread holds the
    last dimension whole; where it has as many, c's last one numbers the parts that threads hold (`obligations.folds`).
    """

    c: Registers
    a: Registers
    how: How = "sum"


@dataclass(frozen=True)
class Elementwise:
    """registers ← function(operands), element by element; all have one distribution. Functions: see `FUNCTIONS`."""

    registers: Registers
    function: str
    operands: tuple[Registers, ...]


@dataclass(frozen=True)
class Loop:
    """The body for each value of an index variable, in order; `unroll` asks the compiler to write it out."""

    index: Expr
    body: tuple[Statement, ...]
    unroll: bool = False


Statement = (
    Load
    | Store
    | StoreShared
    | LoadShared
    | AsyncCopy
    | Commit
    | Await
    | Barrier
    | Clear
    | Multiply
    | Fold
    | Elementwise
    | Loop
)  # the order is that of the table
SharedAccess = StoreShared | LoadShared
GlobalAccess = Load | Store
Access = GlobalAccess | SharedAccess

FUNCTIONS = {"relu": "{0} < 0.0f ? 0.0f : {0}", "add": "{0} + {1}"}
"""What an elementwise statement may compute, as C with its operands' places.

`relu` is the greater of 0 and the operand; what is no number stays none, as with numpy's `maximum` and torch's `relu`.
"""


def vector_width(access: Statement) -> int:
    """The number of elements that one instruction of the access moves."""
    assert isinstance(access, Load | Store | StoreShared | LoadShared)
    return int(prod([access.registers.distribution.ys[y] for y in vector_ys(access)]))


def vector_ys(access: Access) -> tuple[int, ...]:
    """The numbers of the Ys that one instruction of the access moves, slowest first."""
    if access.vector is None:
        return ()
    return access.vector if isinstance(access.vector, tuple) else (access.vector,)


def memory_of(access: Access) -> Tensor | Shared:
    """The tensor or the buffer in LDS that is accessed."""
    return access.tensor if isinstance(access, Load | Store) else access.shared


def registers_of(statement: Statement) -> tuple[Registers, ...]:
    """The register tiles of a statement, what it writes first."""
    match statement:
        case Multiply(c, a, b):
            return c, a, b
        case Fold(c, a):
            return c, a
        case Elementwise(r, _, operands):
            return r, *operands
        case Barrier() | Loop() | AsyncCopy() | Commit() | Await():
            return ()
    return (statement.registers,)
