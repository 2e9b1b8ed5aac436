"""`nvmma_shared`: the shared memory that TMA fills and NVIDIA's wgmma and tcgen05 read, swizzled by bytes.

    #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>

The contiguous dimension is the last one, or `transposed` the first of two; the other dimensions count rows, the last
fastest.  A column of tiles is `swizzlingByteWidth` bytes wide, its rows one after another, and in each 8 rows vectors
of 16 bytes are exchanged:

| swizzlingByteWidth | vector v of row r lies at | CuTe's, of bytes |
|--------------------|---------------------------|------------------|
| 128                | v ⊕ (r mod 8)             | Swizzle<3,4,3>   |
| 64                 | v ⊕ (r / 2 mod 4)         | Swizzle<2,4,3>   |
| 32                 | v ⊕ (r / 4 mod 2)         | Swizzle<1,4,3>   |
| 0                  | v                         |                  |

A box is what one TMA message brings, 256 at most along a dimension; boxes follow one another through the dimensions in
their order, and without a swizzle (whose boxes are 256 wide, too) the last dimension first.  `fp4Padded`: of each 16
bytes 8 are used.  (Triton 3.9, as its wheel gives it: `tests/interop/triton`; PTX ISA, "Swizzling modes".)
What it cannot represent: transposed of three dimensions and more, where Triton 3.9 exchanges rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.interop.triton.attribute import Attribute
from layoutalg.interop.triton.linear import LinearLayout
from layoutalg.interop.triton.places import OFFSET, bits_of, dims
from layoutalg.interop.triton.registers import CGA_FIELDS, parted

BOX = 256
"""Elements that one TMA message brings along a dimension, at most."""
VECTOR = 16
"""Bytes that a swizzle keeps together."""
ROWS = 8
"""Rows of a swizzle's tile."""


def nvmma(layout: Attribute, shape: Sequence[int]) -> tuple[LinearLayout, tuple[tuple[int, int], ...]]:
    """The linear layout, and the padding; TritonTextError where the tensor has no such layout.

    >>> from layoutalg.interop.triton.attribute import parse
    >>> text = "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 32}>"
    >>> print(nvmma(parse(text), (8, 16))[0])
    offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [0, 8]], block = [] → dim0 8 × dim1 16
    """
    width, vector, padded = _fields(layout, len(shape))
    blocks, own = parted(layout, shape)
    contiguous = 0 if layout.truth("transposed") else len(shape) - 1
    rows = [d for d in reversed(range(len(shape))) if d != contiguous]
    box = [min(size, BOX) for size in own]
    if width:
        tile = width // VECTOR * vector
        box[contiguous] = tile
        if own[contiguous] < tile or sum(bits_of(own[d]) for d in rows) < bits_of(ROWS):
            layout.refuse(f"a block of {own} is less than a tile of {ROWS} rows and {tile} columns")
    bases = [_basis(own, contiguous, bit) for bit in range(bits_of(box[contiguous]))]
    among = [_basis(own, d, bit) for d in rows for bit in range(bits_of(box[d]))]
    for number, row in enumerate(among):
        bases.append(row)
        if width and 1 << number < ROWS:
            row[contiguous] = (1 << number) * width // 128 * vector
    for d in range(len(own)) if width else reversed(range(len(own))):
        bases += [_basis(own, d, bit) for bit in range(bits_of(box[d]), bits_of(own[d]))]
    block = LinearLayout.of({OFFSET: bases}, dict(zip(dims(len(own)), own, strict=True)))
    return block * blocks, ((vector, vector),) if padded else ()


def _fields(layout: Attribute, rank: int) -> tuple[int, int, bool]:
    """The bytes of the swizzle, the elements of a vector, and whether as many of padding follow each."""
    layout.only("swizzlingByteWidth", "transposed", "elementBitWidth", "fp4Padded", "rank", *CGA_FIELDS)
    width, bits = layout.number("swizzlingByteWidth"), layout.number("elementBitWidth")
    padded = layout.truth("fp4Padded", False)
    if width not in (0, 32, 64, 128):
        layout.refuse(f"swizzlingByteWidth is {width}; 0, 32, 64 or 128 is wanted", "swizzlingByteWidth")
    if bits not in (8, 16, 32, 64):
        layout.refuse(f"elementBitWidth is {bits}; 8, 16, 32 or 64 is wanted", "elementBitWidth")
    if padded and (width, bits) != (128, 8):
        layout.refuse("fp4Padded is of bytes that are swizzled by 128", "fp4Padded")
    if layout.number("rank", 2) != rank:
        layout.refuse(f"it is of {layout.number('rank', 2)} dimensions, the tensor of {rank}")
    if layout.truth("transposed") and rank != 2:
        layout.refuse(f"transposed is read of two dimensions, not of {rank}", "transposed")
    return width, VECTOR * 8 // bits // (2 if padded else 1), padded


def _basis(shape: Sequence[int], dimension: int, bit: int) -> list[int]:
    return [1 << bit if d == dimension else 0 for d in range(len(shape))]
