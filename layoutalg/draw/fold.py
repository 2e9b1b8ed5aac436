"""How a tile of any rank lies flat: row-major lines of one length, and what each line is called.

The first dimensions run down and the last across, split where the sheet is most nearly square.  A line that would be
too long, or too many lines, are folded: a line then is a part of a dimension, or several steps of one.

| tile          | lines × columns | a line is called                |
|---------------|-----------------|---------------------------------|
| (64, 64)      | 64 × 64         | i0                              |
| (8, 9, 2)     | 8 × 18          | i0                              |
| (4, 64, 128)  | 256 × 128       | i0, i1                          |
| (4, 8192)     | 256 × 128       | the index of its first element  |
| (64)          | 8 × 8           | the index of its first element  |

What it cannot represent: an order of dimensions other than the tile's own; permute the layout for that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from layoutalg.records import dataclass

WIDEST, TALLEST, LINE, SHORT = 512, 1024, 128, 32
"""The most columns and lines, the length of a line where no divisor does, and the longest tile of one dimension that
is one line."""


@dataclass(frozen=True)
class FoldedTile:
    """A tile's lengths and the number of columns of its sheet."""

    shape: tuple[int, ...]
    columns: int

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def lines(self) -> int:
        """The number of lines; the last one may be short."""
        return -(-self.count // self.columns)

    @property
    def down(self) -> int | None:
        """How many dimensions run down; None where a line is a part or several steps of one."""
        sizes = [math.prod(self.shape[d:]) for d in range(len(self.shape) + 1)]
        return sizes.index(self.columns) if self.columns in sizes[1:-1] or len(self.shape) == 1 == self.lines else None

    @property
    def blocks(self) -> tuple[int, int]:
        """Lines and columns of a block of the outer dimensions, 0 where there is none."""
        down, last = self.down, self.shape[-1]
        inner = self.shape[down - 1] if down is not None and down > 1 else 0
        return inner, last if last < self.columns and self.columns % last == 0 else 0

    def place(self, index: Sequence[int]) -> tuple[int, int]:
        """The line and the column of an index."""
        number = 0
        for i, length in zip(index, self.shape, strict=True):
            number = number * length + i
        return divmod(number, self.columns)

    def index(self, number: int) -> tuple[int, ...]:
        """The index of a row-major number."""
        found: list[int] = []
        for length in reversed(self.shape):
            number, i = divmod(number, length)
            found.append(i)
        return tuple(found[::-1])

    def name(self, line: int) -> str:
        """What a line is called: the coordinates that stay the same on it, or its first index.

        >>> FoldedTile((4, 64, 128), 128).name(67), FoldedTile((4, 8192), 128).name(65)
        ('1,3', '1,128')
        """
        return ",".join(map(str, self.index(line * self.columns)[: self.down]))

    @property
    def note(self) -> str:
        """What runs down and across, where that goes without saying nowhere."""
        if self.down is None:
            return f"Row-major, {self.columns} elements a line; at the left the index of a line's first element."
        down, across = (", ".join(f"i{n}" for n in part) for part in self._parts(self.down))
        return f"Down: {down}. Across: {across}, row-major." if len(self.shape) > 2 else ""

    def _parts(self, down: int) -> tuple[range, range]:
        return range(down), range(down, len(self.shape))


def fold(shape: tuple[int, ...], rows: int | None = None) -> FoldedTile:
    """The sheet of a tile; `rows` says how many dimensions run down, else it is chosen.

    >>> [fold(shape).columns for shape in ((64, 64), (8, 9, 2), (4, 8192), (64,), (509, 2))]
    [64, 18, 128, 8, 2]
    """
    count = math.prod(shape)
    if rows is None and len(shape) == 1 and count <= SHORT:
        rows = 0
    if rows is not None:
        return FoldedTile(shape, math.prod(shape[rows:]))

    def skew(columns: int) -> float:
        return max(columns * columns / count, count / (columns * columns))

    def fits(columns: int) -> bool:
        return columns <= WIDEST and count <= TALLEST * columns

    whole = [math.prod(shape[d:]) for d in range(1, len(shape))]
    parts = [
        step * math.prod(shape[d + 1 :])
        for d, length in enumerate(shape)
        for step in range(1, length + 1)
        if length % step == 0
    ]
    for choices in (whole, parts):
        good = [columns for columns in choices if fits(columns)]
        if good:
            return FoldedTile(shape, min(good, key=skew))
    return FoldedTile(shape, LINE)
