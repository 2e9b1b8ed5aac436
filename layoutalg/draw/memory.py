"""Memory as a strip: every element of the space in its place, with the gaps that padding leaves.

The strip is cut into lines as long as all banks together (three times that for elements of 6 bits; or as asked), so
that a column of the picture is a bank:

    offset   0   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇      a cell is an element, its colour the row that lies there
            64   ░░▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇      ░ no index reaches it: padding

What it cannot represent: which index lies where beyond its row, in cells too small for text (the explorer does), and
an element that several indices share, other than by the colour of the first and a frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm

import numpy as np
import numpy.typing as npt

from layoutalg.draw.fields import MAX_CELLS, Field, FieldInputs
from layoutalg.draw.grid import Sheet, flat, legend, paint, ticks
from layoutalg.draw.svg import SMALL, Picture, number, shape, text_width, words
from layoutalg.errors import DrawError
from layoutalg.index import Expr
from layoutalg.index.evaluate import value
from layoutalg.layout import TensorDescriptor
from layoutalg.memory.banks import Ints
from layoutalg.records import dataclass
from layoutalg.target import DEFAULT
from layoutalg.target import target as named
from layoutalg.target.dtypes import DType, element_type
from layoutalg.target.model import DWORD


@dataclass(frozen=True)
class Memory:
    """What lies where: for each offset the first top index that reaches it (row-major number) or −1, and how many."""

    owner: Ints
    count: Ints

    @property
    def used(self) -> float:
        """The part of the space that some index reaches."""
        return float((self.count > 0).mean())


def contents(descriptor: TensorDescriptor, at: Mapping[Expr, int] | None = None) -> Memory:
    """Who lies at each offset of the element space; DrawError where an index leaves it.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> contents(make_naive_tensor_descriptor((2, 2), (3, 1))).owner.tolist()
    [0, 1, -1, 2, 3]
    """
    sizes = dict(at or {})
    size = value(descriptor.element_space_size, sizes)
    if size > MAX_CELLS:
        raise DrawError(f"a space of {size} elements; at most {MAX_CELLS} are drawn")
    offset, valid = FieldInputs(descriptor, at=sizes).offsets()
    where = offset.reshape(-1)[valid.reshape(-1)]
    who = np.flatnonzero(valid.reshape(-1))
    outside = (where < 0) | (where >= size)
    if outside.any():
        index = np.unravel_index(int(who[outside][0]), offset.shape)
        raise DrawError(
            f"index {tuple(map(int, index))} reaches offset {int(where[outside][0])} of a space of {size} elements: "
            "draw it with layoutalg.draw.escape"
        )
    owner = np.full(size, -1, dtype=np.int64)
    owner[where[::-1]] = who[::-1]
    return Memory(owner, np.bincount(where, minlength=size))


def memory(
    descriptor: TensorDescriptor,
    *,
    at: Mapping[Expr, int] | None = None,
    dtype: DType | str = "f16",
    target: str = DEFAULT,
    line: int | None = None,
) -> Picture:
    """The element space as a strip in lines of `line` elements (all banks of the target, where not given).

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> memory(make_naive_tensor_descriptor((8, 24), (32, 1))).title
    'memory of 248 elements, 192 of them used'
    """
    held = contents(descriptor, at)
    banks = max(i.banks for i in named(target).instructions.values())
    bits = element_type(dtype).bits
    wide = line or lcm(8 * banks * DWORD, bits) // bits
    lines = -(-len(held.owner) // wide)
    columns = value(descriptor.lengths[-1], dict(at or {}))
    padded = np.full(lines * wide, -2, dtype=np.int64)
    padded[: len(held.owner)] = held.owner
    values, known = (padded // columns).reshape(lines, wide), (padded >= 0).reshape(lines, wide)
    sheet = flat(Field("row", np.maximum(values, 0), known), rows=1)
    picture = _strip(sheet, wide, (padded == -2).reshape(lines, wide))
    used = int((held.count > 0).sum())
    title = f"memory of {len(held.owner)} elements, {used} of them used"
    length = f"{wide * bits} bits" if wide * bits % 8 else f"{wide * bits // 8} bytes"
    notes = [f"Lines of {wide} elements ({length}). A colour is a row of the index grid."]
    gaps = len(held.owner) - used
    notes += [f"Hatched: {gaps} elements ({gaps / len(held.owner):.1%}) that no index reaches"] if gaps else []
    shared = int((held.count > 1).sum())
    notes += [f"{shared} elements are reached by more than one index"] if shared else []
    return picture.headed(title, *notes)


def _strip(sheet: Sheet, wide: int, beyond: npt.NDArray[np.bool_]) -> Picture:
    rows, columns = sheet.shape
    last = (rows - 1) * wide
    left, top = 16 + text_width(str(last), SMALL) + 6, 22.0
    body = shape("g", transform=f"translate({number(left)} {number(top)})", inner=paint(sheet))
    w, h = sheet.width, sheet.height
    end = int(beyond.sum())
    if end:
        cover = shape(
            "rect", "paper", x=left + (columns - end) * w + 0.6, y=top + (rows - 1) * h + 0.6, width=end * w, height=h
        )
        body += cover
    body += "".join(
        words(left - 5, top + (r + 0.5) * h, str(r * wide), "soft num", SMALL, "end") for r in ticks(rows, h, 12)
    )
    body += "".join(
        words(left + (c + 0.5) * w, top - 9, str(c), "soft num", SMALL)
        for c in ticks(columns, w, text_width(str(columns), SMALL) + 5)
    )
    key = legend("row", sheet.high, 0, sheet.colour)
    height = top + rows * h + 10
    return Picture(max(left + columns * w + 20, key.width), height + key.height, body + key.at(0, height), "memory")
