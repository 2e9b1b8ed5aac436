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

Of an image N × H × W × C the rows may be windows (`Pixels`, the mode im2col): the hardware goes on from a window's
place along W, then H, then N, by the strides, wherever the padded image has windows; the instruction names the pixel of
the window that is meant, and 64 of its channels.

Sources: PTX ISA, "Tensors" (tiled and im2col modes, out-of-bounds access, swizzling modes) and cp.async.bulk.tensor;
CUDA Driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (lengths, strides, alignment); the corners of the
padded image as CUTLASS (make_im2col_tma_copy_desc) and Triton (TMA im2col mode) have them.  What it cannot represent:
images of one or three dimensions, other swizzles, elements of other sizes, and tensors whose strides are not the same
everywhere.
"""

from __future__ import annotations

from functools import cached_property

from layoutalg.index import ONE, ZERO, Expr, all_of, as_expr, internal, substitute
from layoutalg.index.normal import simplify
from layoutalg.index.radix import digits, horner
from layoutalg.kernel.access.matrix_operands import ROW, swizzled
from layoutalg.kernel.program import BoxCopy, ElementMap, Pixels, Program, Tensor
from layoutalg.records import dataclass

ROWS = 256
"""The most rows of a box."""
STRIDE = 16
"""Bytes of which every stride is a multiple."""
LONGEST = 1 << 40
"""Bytes below which strides are."""

Walk = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Of windows along W and H: where the first one begins, where the last one does beside the last pixel, the strides."""


@dataclass(frozen=True)
class TensorBox:
    """What the driver is told of a tensor: its coordinates from the fastest on (`dims`), and the rows of a box.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> from layoutalg.target.dtypes import DTYPES
    >>> a = Tensor("a", DTYPES["f16"], make_naive_tensor_descriptor((2, 96, 72), (6912, 72, 1)), ("g", "m", "k"))
    >>> box = TensorBox(a, (2, 1, 0), 64)
    >>> box.name, box.lengths, box.strides, box.extents
    ('a_box', (72, 96, 2), (1, 72, 6912), (64, 64, 1))
    """

    tensor: Tensor
    dims: tuple[int, int, int]
    rows: int
    pixels: Pixels | None = None

    @property
    def name(self) -> str:
        """The kernel's argument."""
        return f"{self.tensor.name}_box"

    @property
    def lengths(self) -> tuple[Expr, ...]:
        """The tensor's, in this order; an image's C, W, H, N."""
        if self.pixels:
            return self.pixels.lengths[::-1]
        return tuple(self.tensor.descriptor.lengths[d] for d in self.dims)

    @cached_property
    def strides(self) -> tuple[Expr, ...]:
        """Elements from one index to the next; that they are so everywhere is an obligation."""
        if self.pixels:
            _, h, w, c = self.pixels.lengths
            return ONE, c, w * c, h * w * c
        x = self.index
        offset = self.tensor.descriptor.offset(x)
        units = ({i: int(d == at) for at, i in enumerate(x)} for d in self.dims)
        first = substitute(offset, dict.fromkeys(x, 0))
        return tuple(simplify(substitute(offset, unit) - first) for unit in units)

    @property
    def index(self) -> tuple[Expr, ...]:
        """Any coordinates of the tensor."""
        named = zip(self.tensor.names, self.tensor.descriptor.lengths, strict=True)
        return tuple(internal(name, length) for name, length in named)

    @property
    def extents(self) -> tuple[int, ...]:
        """Elements of a box in each dimension; of windows, channels and rows."""
        return (ROW, self.rows) if self.pixels else (ROW, self.rows, 1)

    @property
    def told(self) -> str:
        """What a launch passes, for who makes the tensor map (CUtensorMap) with the driver's own function.

        A dimension of one index has any stride that the driver takes.
        """
        alone = as_expr(STRIDE // self.tensor.dtype.bytes)
        used = (alone if n is ONE else stride for n, stride in zip(self.lengths, self.strides, strict=True))
        strides = [stride * self.tensor.dtype.bytes for stride in used][1:]
        told = [", ".join(repr(simplify(e)) for e in es) for es in (self.lengths, strides)]
        lower, upper, steps = self.walk
        how = f"Im2col, corners {lower} and {upper}, steps {steps}" if self.pixels else "Tiled"
        box = " x ".join(map(str, self.extents))
        return (f"{self.name}: cuTensorMapEncode{how}: {self.tensor.name} of 16 bits, lengths {told[0]}, "
                f"strides {told[1]} bytes, boxes of {box}, swizzle 128 bytes")  # fmt: skip

    @property
    def walk(self) -> Walk:
        """How windows lie in the padded image, along W and H; nothing where there are none."""
        if self.pixels is None:
            return (), (), ()
        p = self.pixels
        upper = (pad - (reach - 1) for pad, reach in zip(p.pad, p.reach, strict=True))
        return tuple(-pad for pad in p.pad[::-1]), tuple(upper)[::-1], (1, *p.stride[::-1], 1)


def box_of(s: BoxCopy) -> TensorBox:
    """The box by which a tile is copied."""
    dims = (2, 1, 0) if s.along_k else (1, 2, 0)
    return TensorBox(s.load.tensor, dims, int(s.store.descriptor.lengths[dims[1]].hi), s.pixels)


def boxes_of(program: Program) -> tuple[TensorBox, ...]:
    """The boxes of a program, in the order of its arguments."""
    return tuple(dict.fromkeys(box_of(s) for s in program.of(BoxCopy)))


def beside(s: BoxCopy) -> int:
    """How many boxes a tile has, along memory."""
    return int(s.store.descriptor.lengths[box_of(s).dims[0]].hi) // ROW


def first_of(s: BoxCopy, number: int) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """The first coordinates of a tile's box, as the instruction names them; and, of windows, the pixel meant."""
    x, y, z = (s.load.origin[d] for d in box_of(s).dims)
    x = simplify(x + number * ROW)
    if s.pixels is None:
        return (x, y, z), ()
    n, *places = digits(y, (s.pixels.lengths[0], *s.pixels.outputs))
    *window, c = digits(x, (*s.pixels.filter, s.pixels.lengths[3]))
    h, w = (at * stride - pad for at, stride, pad in zip(places, s.pixels.stride, s.pixels.pad, strict=True))
    down, along = (at * apart for at, apart in zip(window, s.pixels.dilation, strict=True))
    return (c, w, h, n), (along, down)


def walked(tensor: Tensor, pixels: Pixels) -> ElementMap:
    """The element that the hardware finds at a window and a pixel of it: in letters n, ho, wo, y, x, c."""
    n, c = internal("in", pixels.lengths[0]), internal("ic", pixels.lengths[3])
    outs = [internal(f"io{d}", length) for d, length in enumerate(pixels.outputs)]
    ys = [internal(f"iy{d}", length) for d, length in enumerate(pixels.filter)]
    around = zip(outs, pixels.stride, ys, pixels.dilation, pixels.pad, strict=True)
    at = [o * s + y * d - p for o, s, y, d, p in around]
    inside = zip(at, pixels.lengths[1:3], pixels.pad, strict=True)
    valid = all_of(*(all_of(a + p >= p, a + p < h + p) for a, h, p in inside))
    rows, columns = (n, *outs), (*ys, c)
    coordinates = (
        ZERO,
        horner(rows, (pixels.lengths[0], *pixels.outputs)),
        horner(columns, (*pixels.filter, pixels.lengths[3])),
    )
    return ElementMap(tensor, (*rows, *columns), coordinates, horner([n, *at, c], pixels.lengths), valid)


def word_copied(s: BoxCopy, x: tuple[Expr, ...]) -> Expr:
    """The word of a slot to which the hardware brings the element at tile coordinates x."""
    box = box_of(s)
    column, row = (x[d] for d in box.dims[:2])
    return swizzled(column // ROW * (box.rows * ROW) + row * ROW + column % ROW)


__all__ = [
    "LONGEST", "ROWS", "STRIDE", "TensorBox", "Walk", "beside", "box_of", "boxes_of", "first_of", "walked",
    "word_copied",
]  # fmt: skip
