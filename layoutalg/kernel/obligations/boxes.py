"""Copies of boxes: the tensor is one that the hardware can walk, and its words are the map's.

| what                        | must be                                                                              |
|-----------------------------|--------------------------------------------------------------------------------------|
| the tensor's map            | Σ coordinate · stride, without padding, from the tensor's first element on           |
| strides                     | along memory 1; else multiples of 16 bytes, below 2⁴⁰                                |
| the tile's map in LDS       | the hardware's word of each element (`access.boxes`), in slots at multiples of 1024  |
| elements                    | of 16 bits; 64 of them along memory, a box of at most 256 rows                       |

Of an image seen by windows, the element that the hardware finds at each window and pixel is the tensor's, by the rule
that tells what any descriptor means (`memory.element_map`), and channels are whole rows of 64.  Where a tile leaves the
tensor it must be by rows: behind the last window the hardware fills 0, behind a window's last pixel it does not.

That a matrix instruction reads these words is its own obligation (`in_lds`); so what the copy writes is what the
product reads, for every element, by two maps that are compared with one.  What else the driver asks of a tensor, it
says at the launch.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import ONE, TRUE, ZERO, all_equal, all_of, any_of, as_expr, eq, internal, prod
from layoutalg.kernel.access.address import address_of
from layoutalg.kernel.access.boxes import LONGEST, ROWS, STRIDE, beside, box_of, first_of, walked, word_copied
from layoutalg.kernel.access.matrix_operands import ROW
from layoutalg.kernel.obligations.base import Requirement, fits
from layoutalg.kernel.obligations.in_lds import begins
from layoutalg.kernel.obligations.memory import element_map
from layoutalg.kernel.program import BoxCopy, Pixels, Program
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown

CORNER, STEP, APART = 128, 8, 256
"""Of windows along two dimensions: corners in −128 … 127, strides up to 8, pixels up to 255 from a window's first."""


def box_copy(program: Program, number: int, s: BoxCopy) -> Iterator[Requirement]:
    """A tile is copied as boxes; LayoutError where the tensor or the tile has another shape."""
    what = f"{number}: boxes of {s.load.tensor.name} to {s.store.shared.name}"
    _refuse(what, program, s)
    yield from begins(what, program, s.store.shared)
    yield from _image(what, program, s, s.pixels) if s.pixels else _tensor(what, program, s)
    x = tuple(internal(f"x{d}", n) for d, n in enumerate(s.store.descriptor.lengths))
    here, there = s.store.descriptor.offset(x), word_copied(s, x)
    shown = (Shown("coordinates", x), Shown("word", (here,)), Shown("copied to", (there,)))
    yield Requirement(
        f"{what}: it lies where the map says", ForAll("the hardware's word", eq(here, there), TRUE, shown)
    )
    firsts = (e for n in range(beside(s)) for part in first_of(s, n) for e in part)
    yield from fits(f"{what}: first coordinates fit 32 bits", [*s.load.origin, *firsts], 32, program.requires)


def _tensor(what: str, program: Program, s: BoxCopy) -> Iterator[Requirement]:
    """Strides hold everywhere, and are such as the driver takes."""
    box, size = box_of(s), s.load.tensor.dtype.bytes
    x = box.index
    walked = sum((x[d] * stride for d, stride in zip(box.dims, box.strides, strict=True)), ZERO)
    here = box.tensor.descriptor.offset(x)
    shown = (Shown("coordinates", x), Shown("offset", (here,)), Shown("walked to", (walked,)))
    same = ForAll("one stride for each dimension", eq(here, walked), program.requires, shown)
    yield Requirement(f"{what}: its strides are the map's", same)
    (fast, rows, outer), (one, row, plane) = box.lengths, box.strides
    told = (Shown("lengths", box.lengths), Shown("strides", box.strides))
    taken = all_of(
        any_of(eq(fast, 1), eq(one, 1)),
        *(any_of(eq(n, 1), all_of(eq(st * size % STRIDE, 0), st >= 1, st * size < LONGEST))
          for n, st in ((rows, row), (outer, plane))),
    )  # fmt: skip
    yield Requirement(f"{what}: the driver takes its strides", ForAll("strides", taken, program.requires, told))
    yield from fits(f"{what}: lengths fit 32 bits", box.lengths, 32, program.requires)


def _image(what: str, program: Program, s: BoxCopy, pixels: Pixels) -> Iterator[Requirement]:
    """Each window's pixels are the tensor's elements, and no box leaves a pixel of the window."""
    tensor, found = s.load.tensor, walked(s.load.tensor, pixels)
    n, _, _, channels = pixels.lengths
    sizes = (ONE, prod([n, *pixels.outputs]), prod([*map(as_expr, pixels.filter), channels]))
    told = (Shown("lengths", tensor.descriptor.lengths), Shown("windows and their pixels", sizes))
    all_are = ForAll("as many", all_equal(tensor.descriptor.lengths, sizes), TRUE, told)
    yield Requirement(f"{what}: every coordinate is of a window", all_are)
    for one in element_map(found):
        yield Requirement(f"{what}: the hardware's {one.about}", one.claim)
    first, _, column = s.load.origin
    whole = all_of(eq(first, 0), eq(channels % ROW, 0), eq(column % ROW, 0))
    shown = (Shown("image", (first,)), Shown("channels", (channels,)), Shown("first column", (column,)))
    yield Requirement(f"{what}: a box is of one pixel", ForAll("whole rows of channels", whole, TRUE, shown))
    end, columns = column + s.store.descriptor.lengths[2], tensor.descriptor.lengths[2]
    told = (Shown("last column", (end - 1,)), Shown("columns", (columns,)))
    given = all_of(program.requires, s.load.only)
    yield Requirement(f"{what}: of a pixel of the window", ForAll("columns", end <= columns, given, told))
    yield from fits(f"{what}: lengths fit 32 bits", pixels.lengths, 32, program.requires)


def _refuse(what: str, program: Program, s: BoxCopy) -> None:
    """LayoutError unless tensor and tile are such as boxes have."""
    tile, tensor = s.store.descriptor.lengths, s.load.tensor
    if tensor.descriptor.rank != 3 or len(tile) != 3 or any(n.op != "const" for n in tile) or tile[0] is not ONE:
        raise LayoutError(f"{what}: a tile (1, rows, columns) of a tensor of three dimensions; not {tile}")
    box = box_of(s)
    fast, rows = (int(tile[d].hi) for d in box.dims[:2])
    if fast % ROW or rows > ROWS:
        raise LayoutError(f"{what}: {fast} elements along memory and {rows} rows; multiples of {ROW}, at most {ROWS}")
    if tensor.dtype.bytes != 2:
        raise LayoutError(f"{what}: elements of {tensor.dtype.name}; of 16 bits")
    if s.pixels is None and address_of(tensor).valid is not TRUE:
        raise LayoutError(f"{what}: there is padding in {tensor.name}")
    if s.pixels:
        lower, upper, steps = box.walk
        corners, apart = (*lower, *upper), [reach - 1 for reach in s.pixels.reach]
        if len(s.pixels.filter) != 2 or not s.along_k:
            raise LayoutError(f"{what}: windows of two dimensions, of an image whose channels lie side by side")
        if not all(-CORNER <= c < CORNER for c in corners) or max(steps) > STEP or max(apart) >= APART:
            raise LayoutError(f"{what}: windows from {lower} to {upper}, by {steps}: the hardware takes no such ones")
    if len(program.threads) != 1:
        raise LayoutError(f"{what}: threads of one dimension, after which others come")


__all__ = ["box_copy"]
