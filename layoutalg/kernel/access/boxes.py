"""Boxes of tensors that one instruction copies to LDS (NVIDIA's bulk tensor copy): what one brings where.

The driver is told of a tensor before the launch: its lengths, fastest dimension first, and of each other dimension the
bytes from one index to the next.  A thread then names a box's first coordinates, and the hardware brings its rows of 64
elements of 16 bits one after the other, swizzled as a matrix descriptor reads them (`matrix_operands`):

    word of (row, column)  =  swizzled(64·row + column)               0 where the element is outside of the tensor

A tile (1, length, k) is boxes side by side, each of 64 elements along memory and of all rows across it:

| tile            | memory runs along | boxes                                 |
|-----------------|-------------------|---------------------------------------|
| 128 × 64        | k                 | one of 64 k × 128 m                   |
| 128 × 64        | m                 | two of 64 m × 64 k                    |

Sources: PTX ISA, "Tensors" (tiled mode, out-of-bounds access, swizzling modes) and cp.async.bulk.tensor; CUDA Driver
API, cuTensorMapEncodeTiled (lengths, strides, alignment).  What it cannot represent: modes for convolutions, other
swizzles, elements of other sizes, and tensors whose strides are not the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from layoutalg.index import Expr, substitute, var
from layoutalg.index.normal import simplify
from layoutalg.kernel.access.matrix_operands import ROW, swizzled
from layoutalg.kernel.program import BoxCopy, Program, Tensor

ROWS = 256
"""The most rows of a box."""
STRIDE = 16
"""Bytes of which every stride is a multiple."""
LONGEST = 1 << 40
"""Bytes below which strides are."""


@dataclass(frozen=True)
class Box:
    """What the driver is told of a tensor: its coordinates from the fastest on (`dims`), and the rows of a box.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.target.dtypes import DTYPES
    >>> a = Tensor("a", DTYPES["f16"], make_naive_tensor_descriptor((2, 96, 72), (6912, 72, 1)), ("g", "m", "k"))
    >>> box = Box(a, (2, 1, 0), 64)
    >>> box.name, box.lengths, box.strides, box.extents
    ('a_box', (72, 96, 2), (1, 72, 6912), (64, 64, 1))
    """

    tensor: Tensor
    dims: tuple[int, int, int]
    rows: int

    @property
    def name(self) -> str:
        """The kernel's argument."""
        return f"{self.tensor.name}_box"

    @property
    def lengths(self) -> tuple[Expr, ...]:
        """The tensor's, in this order."""
        return tuple(self.tensor.descriptor.lengths[d] for d in self.dims)

    @cached_property
    def strides(self) -> tuple[Expr, ...]:
        """Elements from one index to the next; that they are so everywhere is an obligation."""
        x = self.index
        offset = self.tensor.descriptor.offset(x)
        units = ({i: int(d == at) for at, i in enumerate(x)} for d in self.dims)
        first = substitute(offset, dict.fromkeys(x, 0))
        return tuple(simplify(substitute(offset, unit) - first) for unit in units)

    @property
    def index(self) -> tuple[Expr, ...]:
        """Any coordinates of the tensor."""
        named = zip(self.tensor.names, self.tensor.descriptor.lengths, strict=True)
        return tuple(var(f"{name}_any", length) for name, length in named)

    @property
    def extents(self) -> tuple[int, int, int]:
        """Elements of a box in each dimension."""
        return ROW, self.rows, 1


def box_of(s: BoxCopy) -> Box:
    """The box by which a tile is copied."""
    dims = (2, 1, 0) if s.along_k else (1, 2, 0)
    return Box(s.load.tensor, dims, int(s.store.descriptor.lengths[dims[1]].hi))


def boxes_of(program: Program) -> tuple[Box, ...]:
    """The boxes of a program, in the order of its arguments."""
    return tuple(dict.fromkeys(box_of(s) for s in program.of(BoxCopy)))


def beside(s: BoxCopy) -> int:
    """How many boxes a tile has, along memory."""
    return int(s.store.descriptor.lengths[box_of(s).dims[0]].hi) // ROW


def word_copied(s: BoxCopy, x: tuple[Expr, ...]) -> Expr:
    """The word of a slot to which the hardware brings the element at tile coordinates x."""
    box = box_of(s)
    column, row = (x[d] for d in box.dims[:2])
    return swizzled(column // ROW * (box.rows * ROW) + row * ROW + column % ROW)


__all__ = ["LONGEST", "ROWS", "STRIDE", "Box", "beside", "box_of", "boxes_of", "word_copied"]
