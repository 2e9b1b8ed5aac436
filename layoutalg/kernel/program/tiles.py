"""What statements speak of: tensors in global memory, buffers in LDS, tiles in registers.

A tile of registers is spread over the threads by a tile distribution.  A tensor and a buffer in LDS are reached through
descriptors, in coordinates; a buffer's descriptor comes with each access.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from layoutalg.index import Expr
from layoutalg.kernel.program.typed import wrongly_typed
from layoutalg.layout import LayoutError, TensorDescriptor, TileDistribution
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DType

ALIGNMENT = 16
"""Bytes at whose multiples buffers in LDS begin, and tensors of which vectors are moved."""
Vector = int | tuple[int, ...] | None
"""The Ys whose elements move in one instruction, slowest first; None: one element at a time."""
How = Literal["sum", "max"]
"""How a fold combines: its neutral value is 0, or the least number."""


@dataclass(frozen=True)
class Tensor:
    """A tensor in global memory, reached by coordinates (called `names`) through its descriptor.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.target.dtypes import DTYPES
    >>> a = Tensor("a", DTYPES["f16"], make_naive_tensor_descriptor((8, 64), (66, 1)), ("m", "k"))
    >>> a.descriptor.offset((7, 2)), a.dtype.bytes
    (464, 2)
    """

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
    """A buffer in LDS, `slots` copies of so many elements; descriptors come with each access.

    `again`: it begins where LDS does, over all other buffers, which are done with (`obligations.again`).

    >>> from layoutalg.target.dtypes import DTYPES
    >>> turns = Shared("a_lds", DTYPES["f16"], elements=518, slots=2)
    >>> turns.bytes, turns.aligned_bytes
    (2072, 2080)
    """

    name: str
    dtype: DType
    elements: int
    slots: int = 1
    again: bool = False

    @property
    def bytes(self) -> int:
        """All copies together."""
        return self.elements * self.slots * self.dtype.bytes

    @property
    def aligned_bytes(self) -> int:
        """Those up to where the next buffer may begin."""
        return -(-self.bytes // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True)
class Registers:
    """A tile held by the threads of a block: each thread has the elements that the distribution gives it.

    >>> from layoutalg.kernel.library.transpose import register_transpose
    >>> (tile,) = register_transpose().registers
    >>> tile.name, tile.dtype.name, tile.distribution.lengths, tile.distribution.ys
    ('tile', 'f32', (32, 32), (4, 4))
    """

    name: str
    dtype: DType
    distribution: TileDistribution


@dataclass(frozen=True)
class Pixels:
    """How the hardware walks an image N × H × W × C by windows, of constants for H and for W.

    Rows are windows, numbered as n, ho, wo; columns are y, x, c of what a window meets.

    >>> from layoutalg.index import as_expr
    >>> Pixels((as_expr(2), as_expr(56), as_expr(57), as_expr(64)), (3, 3), (2, 2), (1, 1), (1, 1)).outputs
    (28, 29)
    """

    lengths: tuple[Expr, ...]
    filter: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pad: tuple[int, ...]

    @property
    def outputs(self) -> tuple[Expr, ...]:
        """How many windows there are along H and W."""
        around = zip(self.lengths[1:3], self.pad, self.reach, self.stride, strict=True)
        return tuple((h + (2 * p - r)) // s + 1 for h, p, r, s in around)

    @property
    def reach(self) -> tuple[int, ...]:
        """How many pixels a window spans."""
        return tuple(d * (y - 1) + 1 for d, y in zip(self.dilation, self.filter, strict=True))

    def wrong(self) -> Iterator[str]:
        """What cannot be, in a sentence each.

        >>> from layoutalg.index import as_expr
        >>> list(Pixels((as_expr(2), as_expr(56), as_expr(64)), (3, 3), (2, 2), (1, 1), (1, 1)).wrong())
        ['windows of 2 dimensions in an image of 1']
        """
        rank, each = len(self.lengths) - 2, (self.filter, self.stride, self.dilation, self.pad)
        if other := next((len(one) for one in each if len(one) != rank), None):
            yield f"windows of {other} dimensions in an image of {rank}"
        if any(n < 1 for n in (*self.filter, *self.stride, *self.dilation, *(n.lo for n in self.lengths))):
            yield "windows, their strides and an image have lengths of at least 1"


Tile = Registers | Shared
"""What a statement may fill and a later one read; the target's tensor is read by no statement."""
