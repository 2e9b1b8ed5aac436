"""Copies of boxes of a tensor between memory and LDS, by the Tensor Data Mover of CDNA 5: what a descriptor says.

TENSOR_LOAD_TO_LDS and TENSOR_STORE_FROM_LDS are carried out once for a wave, whatever lanes are active.  Their scalar
registers are four groups, of which the last two may lack, which is as if they were 0:

| group, dword | bits | field |
|---|---|---|
| 0, 0 | 0–1 | `count`: 0 copies nothing, 1 copies |
| 0, 1 | | `lds`: where in LDS the box begins |
| 0, 2 and 3 | 57 | `memory`: where in memory it begins |
| 0, 3 | 30–31 | `kind`, which is 2 |
| 1, 0 | 16–17, 20, 22–24, 25–31 | `size`, `padded`, `interval`, `amount` |
| 1, 1 | from 16 on, 32 each | the tensor's lengths 0 and 1, from the box's beginning on, in elements |
| 1, 3 | from 16 on, 16 each | the box's lengths 0, 1 and 2 |
| 1, 5 | from 0 on, 48 each | the strides of dimensions 1 and 2, in elements |
| 2, 0 | 32, 32, 48, 16 | the tensor's lengths 2 and 3, stride 3, the box's length 3 |
| 3, 0 | 48, 32, 16 | stride 4, the tensor's length 4, the box's length 4 |

Dimension 0 is the innermost, its stride is 1.  An element of the box is at

    memory + 2^size · (x0 + x1·stride1 + … + x4·stride4),

and what is not below the tensor's length in some dimension is 0, or is not stored.  In LDS elements lie one behind the
other, dimension 0 first; with padding, behind each 8·2^interval bytes 4·(amount + 1) are left out, which nobody writes.
A dimension of the box of length 0 is none; if it is dimension 0, nothing is copied.  Copies of a wave are done in their
order, and a counter of their own counts them: not the ones that copy nothing, of which no source says it.

(AMD, "CDNA 5" ISA guide of 2026-07-27, 10.11 and tables 61 to 67, as two readers quote it; triton-lang/triton,
TDMUtility.cpp; ROCm/composable_kernel, amd_tdm_descriptor.hpp; ROCm/aiter, opus.hpp.  They agree on each field.
That stores drop what is beyond, and that they read what no padding parts: ROCm/rocm-systems, rocjitsu, tensor-dma.md;
triton-lang/triton, pull request 9360.)
What it cannot represent, and is refused by name: gathered rows, repeated boxes, arrivals at a barrier, boxes for
several blocks of a cluster, descriptors of a wave that is restored; padding of a store (one source says that it is
ignored, one that there is none), and one whose encoded interval or amount is 0, of which the guide says that results
are unpredictable where the other is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from layoutalg.errors import LayoutError
from layoutalg.records import dataclass

#: The most dimensions.
RANK = 5


class BoxField(NamedTuple):
    """Where a field lies: its group, its first bit there, and how many it has."""

    group: int
    first: int
    bits: int


#: Bytes of an element.
ELEMENTS = (1, 2, 4, 8)

#: What a box is made of.  Lengths and strides by dimension; stride 0 is 1.
LENGTHS = (
    BoxField(1, 48, 32),
    BoxField(1, 80, 32),
    BoxField(2, 0, 32),
    BoxField(2, 32, 32),
    BoxField(3, 48, 32),
)
BOX = (
    BoxField(1, 112, 16),
    BoxField(1, 128, 16),
    BoxField(1, 144, 16),
    BoxField(2, 112, 16),
    BoxField(3, 80, 16),
)
STRIDES = (
    BoxField(1, 160, 48),
    BoxField(1, 208, 48),
    BoxField(2, 64, 48),
    BoxField(3, 0, 48),
)
LDS, MEMORY = BoxField(0, 32, 32), BoxField(0, 64, 57)
COUNT, SIZE = BoxField(0, 0, 2), BoxField(1, 16, 2)
PADDED, INTERVAL, AMOUNT = BoxField(1, 20, 1), BoxField(1, 22, 3), BoxField(1, 25, 7)

#: BoxField → what it has to be, else the copy is none that is described.
FIXED: Mapping[BoxField, tuple[int, str]] = {
    BoxField(0, 2, 9): (0, "a descriptor of a wave that is restored"),
    BoxField(0, 11, 19): (0, "reserved bits of group 0"),
    BoxField(0, 30, 2): (0, "rows that are gathered"),
    BoxField(0, 121, 5): (0, "reserved bits of group 0"),
    BoxField(0, 126, 2): (2, "the type of a descriptor that is no tensor's"),
    BoxField(1, 0, 16): (0, "a copy for several blocks of a cluster"),
    BoxField(1, 18, 1): (0, "an arrival at a barrier"),
    BoxField(1, 19, 1): (0, "a box that is repeated"),
    BoxField(1, 21, 1): (0, "a copy for several blocks of a cluster"),
    BoxField(3, 96, 32): (0, "reserved bits of group 3"),
}


@dataclass(frozen=True)
class Geometry:
    """What must be numbers: the box's lengths, innermost first, bytes of an element, and how LDS is padded."""

    box: tuple[int, ...]
    size: int
    interval: int = 0  # bytes between two gaps; 0: there are none
    gap: int = 0  # bytes of each

    @property
    def elements(self) -> int:
        """How many elements the box has."""
        return prod(self.box)

    def place(self, number: Any) -> Any:
        """How far from the box's beginning in LDS its element of a number is, in bytes."""
        at = number * self.size
        return at + at // self.interval * self.gap if self.interval else at


#: What must be numbers of the code, in this order (`geometry`).
SHAPE = (*BOX, SIZE, PADDED, INTERVAL, AMOUNT)


def geometry(shape: Sequence[int]) -> Geometry | str:
    """Of what the fields of `SHAPE` hold; a text where such a box is refused.

    >>> geometry((32, 16, 0, 0, 0, 2, 1, 3, 3))
    Geometry(box=(32, 16), size=4, interval=64, gap=16)
    >>> geometry((32, 16, 0, 0, 0, 2, 1, 0, 3))
    'padding whose encoded interval or amount is 0'
    """
    box, (size, padded, interval, amount) = shape[:RANK], shape[RANK:]
    lengths = tuple(box[: max((k + 1 for k, length in enumerate(box) if length), default=0)])
    if not box[0]:
        return Geometry((), 1 << size)
    if 0 in lengths:
        return "a dimension of the box that is none, below one that is"
    if not padded:
        return Geometry(lengths, 1 << size)
    if not interval or not amount:
        return "padding whose encoded interval or amount is 0"
    if (box[0] << size) % 4:
        return "padding of rows that are no multiple of 4 bytes"
    return Geometry(lengths, 1 << size, 8 << interval, 4 * (amount + 1))


#: Why no store is padded.
PADDED_STORE = "padding of a store, of which only one source says what it does"


def require_padding(interval: int, gap: int, stores: bool = False) -> None:
    """That after so many bytes of LDS so many can be left out; LayoutError where no field says it.

    >>> require_padding(128, 16)
    >>> require_padding(96, 16)
    Traceback (most recent call last):
    layoutalg.errors.LayoutError: padding after 96 bytes: it is after 16, 32, … 1024
    """
    if stores:
        raise LayoutError(PADDED_STORE)
    if interval not in (8 << n for n in range(1, 1 << INTERVAL.bits)):
        raise LayoutError(f"padding after {interval} bytes: it is after 16, 32, … {8 << (1 << INTERVAL.bits) - 1}")
    if gap % 4 or not 2 <= gap // 4 <= 1 << AMOUNT.bits:
        raise LayoutError(f"padding by {gap} bytes: it is by 8, 12, … {4 << AMOUNT.bits}")
