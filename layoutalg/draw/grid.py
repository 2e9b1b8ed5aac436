"""The index grid: every element of a tile as a cell, coloured by its offset, bank, lane, wave or register.

The first dimensions run down and the last across, split where the grid is most nearly square (or after `rows`).  Cells
carry their number while it fits; a large tile is drawn small, all of it, beside a lens on its first corner.

| cells         | a cell is     | numbers                          |
|---------------|---------------|----------------------------------|
| 8 × 8         | 36 × 24       | in every cell                    |
| 64 × 64       | 13 × 13       | in the lens                      |
| 256 × 128     | 5 × 4         | in the lens; axes every 16 or 32 |

Cells of one colour are one path, and neighbours in a row one rectangle, so that 32768 cells stay a small file.
What it cannot represent: a fourth way to tell things apart; colour, number and the lines between blocks are three.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from layoutalg.draw.access import LaneAccess
from layoutalg.draw.fields import Field, FieldInputs, descriptor_field, distribution_field
from layoutalg.draw.fold import FoldedTile, fold
from layoutalg.draw.palette import KINDS, STEPS, colours, ink_on, ramp
from layoutalg.draw.svg import SMALL, Picture, boxes, number, outlined, shape, text_width, words
from layoutalg.index import Expr
from layoutalg.layout import TensorDescriptor, TileDistribution
from layoutalg.memory.banks import Ints
from layoutalg.records import dataclass
from layoutalg.target import DEFAULT, DEFAULT_READ
from layoutalg.target.dtypes import DType

WIDTH, HEIGHT, LENS = 860, 1080, 8
AXIS_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True)
class Label:
    """A number and the cells of a row that it stands for: from `first` to before `end`."""

    row: int
    first: int
    end: int
    number: int

    def fits(self, sheet: Sheet) -> bool:
        """Whether the number can be read there."""
        room = (self.end - self.first) * sheet.width
        return sheet.height >= 11 and room >= text_width(str(self.number), min(11.0, sheet.height - 3)) + 2


@dataclass(frozen=True)
class Sheet:
    """A field laid out flat: rows × columns of numbers, the size of a cell, and the largest number."""

    field: Field
    fold: FoldedTile
    values: Ints
    known: npt.NDArray[np.bool_]
    width: float
    height: float
    high: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.values.shape
        return rows, columns

    @property
    def numbered(self) -> bool:
        """Whether the number of every run fits into it."""
        return all(label.fits(self) for label in self.labels)

    @cached_property
    def margin(self) -> float:
        """The room that the names of the lines need."""
        rows = self.shape[0]
        return 16 + max(text_width(self.fold.name(r), SMALL) for r in {0, rows // 2, rows - 1}) + 6

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The numbers to write: one a cell while cells are large, else one a run of equal cells."""
        return tuple(
            Label(row, a, b, int(self.values[row, a]))
            for row in range(len(self.values))
            for a, b in equal_runs(self.values[row], self.known[row])
            for a, b in ([(n, n + 1) for n in range(a, b)] if self.width >= 20 else [(a, b)])
        )

    @property
    def shades(self) -> Ints:
        """The number of each cell's colour."""
        return self.values if self.field.kinds else self.values * (STEPS - 1) // max(self.high, 1)

    def colour(self, number: int) -> str:
        """The colour of a number, the same in every part of the picture."""
        if self.field.kinds:
            return colours(self.field.kinds)[number % self.field.kinds]
        step = number * (STEPS - 1) // max(self.high, 1)
        return ramp(step / (STEPS - 1))


def grid(
    subject: TensorDescriptor | TileDistribution,
    by: str = "",
    *,
    at: Mapping[Expr, int] | None = None,
    access: LaneAccess | None = None,
    dtype: DType | str = "f16",
    target: str = DEFAULT,
    instruction: str = DEFAULT_READ,
    rows: int | None = None,
) -> Picture:
    """The index grid; `by` is of `layoutalg.draw.fields`, `at` fixes sizes, `rows` dimensions run down.

    DrawError for a colouring that the subject has not, or more cells than a screen shows.

    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> grid(make_naive_tensor_descriptor_packed((8, 8)), "offset").title
    'offset of each of 8 × 8 elements'
    """
    if isinstance(subject, TileDistribution):
        found = distribution_field(subject, by or "lane", at)
    else:
        asked = FieldInputs(subject, dtype, target, instruction, access, at or {})
        found = descriptor_field(asked, by or "offset")
    return cells(found, rows)


def cells(field: Field, rows: int | None = None) -> Picture:
    """A field as a picture, with its axes, its legend and, where it is large, a lens.

    >>> waves = np.repeat([[0], [1]], 4, axis=1)
    >>> cells(Field("wave", waves, waves >= 0, kinds=2)).title
    'wave of each of 2 × 4 elements'
    """
    sheet = flat(field, rows)
    size = " × ".join(map(str, field.shape))
    title = f"{field.name} of each of {size} elements"
    body, corner = sheet_picture(sheet)
    if not sheet.numbered and min(sheet.shape) > 1:
        body = _with_lens(body, sheet, corner)
    key = legend(field.name, sheet.high, field.kinds, sheet.colour)
    width = max(body.width, key.width)
    picture = Picture(width, body.height + key.height, body.body + key.at(0, body.height), title)
    notes = [field.note, sheet.fold.note, "" if field.known.all() else f"Hatched: {field.absent}"]
    return picture.headed(title, *filter(None, notes))


def flat(field: Field, rows: int | None = None) -> Sheet:
    """The field with its first dimensions down and the others across."""
    lying = fold(field.shape, rows)
    size = lying.lines, lying.columns
    missing = size[0] * size[1] - field.values.size
    values: Ints = np.pad(field.values.reshape(-1), (0, missing)).reshape(size)
    known: npt.NDArray[np.bool_] = np.pad(field.known.reshape(-1), (0, missing)).reshape(size)
    width = min(36.0, max(WIDTH / size[1], 2))
    height = min(24.0, width, max(HEIGHT / size[0], 2)) if width < 36 else min(24.0, max(HEIGHT / size[0], 2))
    width = min(width, 1.6 * height) if height >= 11 else min(width, 1.3 * height)
    high = int(field.values[field.known].max(initial=0))
    return Sheet(field, lying, values, known, width, height, high)


def sheet_picture(sheet: Sheet) -> tuple[Picture, tuple[float, float]]:
    """The cells with their axes, and where the first cell's corner stands."""
    rows, columns = sheet.shape
    left, top = sheet.margin, 22.0
    body = shape("g", transform=f"translate({number(left)} {number(top)})", inner=paint(sheet)) + _axis(
        sheet, left, top
    )
    size = left + columns * sheet.width + 20, top + rows * sheet.height + 10
    return Picture(*size, body, sheet.field.name), (left, top)


def paint(sheet: Sheet) -> str:
    (rows, columns), w, h = sheet.shape, sheet.width, sheet.height
    fills: dict[str, list[tuple[float, float, float, float]]] = {}
    for row in range(rows):
        shade = sheet.shades[row]
        for start, end in equal_runs(shade, sheet.known[row]):
            colour = sheet.colour(int(sheet.values[row, start]))
            fills.setdefault(colour, []).append((start * w, row * h, (end - start) * w, h))
    body = shape("rect", "gap", width=columns * w, height=rows * h)
    body += "".join(
        shape("path", fill=colour, shape_rendering="crispEdges", d=boxes(many)) for colour, many in fills.items()
    )
    body += shape("path", "hatch", d=_strokes(sheet)) if not sheet.known.all() else ""
    body += _lines(sheet) + (_numbers(sheet) if sheet.numbered else "")
    return body + shape("rect", "frame", width=columns * w, height=rows * h)


def equal_runs(values: Ints, known: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The runs of one number in a row, as first column and the one past the last; unknown cells are left out.

    >>> equal_runs(np.array([3, 3, 5, 5]), np.array([True, True, True, False]))
    [(0, 2), (2, 3)]
    """
    change = np.flatnonzero((np.diff(values) != 0) | (np.diff(known.astype(np.int8)) != 0)) + 1
    return [(a, b) for a, b in pairwise([0, *change.tolist(), len(values)]) if known[a]]


def _strokes(sheet: Sheet) -> str:
    """A stroke through each cell that has no number."""
    w, h = sheet.width, sheet.height
    return "".join(
        f"M{number(c * w)} {number((r + 1) * h)}L{number((c + 1) * w)} {number(r * h)}"
        for r, c in np.argwhere(~sheet.known).tolist()
    )


def _lines(sheet: Sheet) -> str:
    """Thin lines around each number while cells are large, and lines between blocks of outer dimensions."""
    (rows, columns), w, h = sheet.shape, sheet.width, sheet.height
    cuts = (
        boxes((at.first * w, at.row * h, (at.end - at.first) * w, h) for at in sheet.labels) if min(w, h) >= 9 else ""
    )
    body = shape("path", fill="none", stroke="#fff", stroke_width=0.7, stroke_opacity=0.6, d=cuts) if cuts else ""
    down, across = (block or count for block, count in zip(sheet.fold.blocks, sheet.shape, strict=True))
    path = "".join(f"M0 {number(r * h)}h{number(columns * w)}" for r in range(down, rows, down))
    path += "".join(f"M{number(c * w)} 0v{number(rows * h)}" for c in range(across, columns, across))
    return body + (shape("path", "mark", d=path) if path else "")


def _numbers(sheet: Sheet) -> str:
    w, h, size = sheet.width, sheet.height, min(11.0, sheet.height - 3)
    return "".join(
        words((at.first + at.end) / 2 * w, (at.row + 0.5) * h, str(at.number), _ink(sheet, at.number), size)
        for at in sheet.labels
    )


def _ink(sheet: Sheet, number: int) -> str:
    return f"num {ink_on(sheet.colour(number))}"


def _axis(sheet: Sheet, left: float, top: float) -> str:
    rows, columns = sheet.shape
    down, across = ticks(rows, sheet.height, 12), ticks(columns, sheet.width, text_width(str(columns), SMALL) + 5)
    body = "".join(
        words(left - 5, top + (r + 0.5) * sheet.height, sheet.fold.name(r), "soft num", SMALL, "end") for r in down
    )
    return body + "".join(words(left + (c + 0.5) * sheet.width, top - 9, str(c), "soft num", SMALL) for c in across)


def ticks(count: int, size: float, room: float) -> range:
    """The places on an axis that get a number: as many as there is room for, in steps of a power of two."""
    step = next((s for s in AXIS_STEPS if s * size >= (room if s == 1 else 1.7 * room)), AXIS_STEPS[-1])
    return range(0, count, step)


def _with_lens(whole: Picture, sheet: Sheet, at: tuple[float, float]) -> Picture:
    """The picture beside its first corner, enlarged."""
    rows, columns = (min(LENS, n) for n in sheet.shape)
    digits = len(str(int(sheet.values[:rows, :columns].max(initial=0))))
    part = replace(
        sheet, values=sheet.values[:rows, :columns], known=sheet.known[:rows, :columns],
        width=max(26.0, text_width("0" * digits, 11) + 8), height=24.0,
    )  # fmt: skip
    corner, _ = sheet_picture(part)
    frame = outlined(*at, columns * sheet.width, rows * sheet.height)
    label = words(whole.width + 34, corner.height + 4, f"the outlined {rows} × {columns} corner", "soft", 11, "start")
    body = whole.body + frame + corner.at(whole.width, 0) + label
    return Picture(whole.width + corner.width, max(whole.height, corner.height + 20), body, whole.title)


def legend(name: str, high: int, kinds: int, shade: Callable[[int], str]) -> Picture:
    """What the colours mean: a swatch for each of few kinds, else a bar with its numbers."""
    left = 16 + text_width(name) + 12
    head = words(16, 16, name, "soft", 12, "start")
    if 0 < kinds <= len(KINDS):
        swatches = "".join(
            shape("rect", x=left + 44 * n, y=8, width=16, height=16, rx=3, fill=shade(n))
            + words(left + 44 * n + 21, 16, str(n), "ink num", 11, "start")
            for n in range(kinds)
        )
        return Picture(left + 44 * kinds + 16, 34, head + swatches, f"legend of {name}")
    last = (kinds or high + 1) - 1
    count = min(last + 1, STEPS)
    wide = 256 / count
    bar = "".join(
        shape("rect", x=left + n * wide, y=8, width=wide + 0.3, height=12, fill=shade(n * last // max(count - 1, 1)))
        for n in range(count)
    )
    marks: Sequence[int] = sorted({0, last // 2, last})
    text = "".join(words(left + (m + 0.5) / (last + 1) * 256, 29, str(m), "soft num", SMALL) for m in marks)
    return Picture(left + 256 + 24, 42, head + bar + text, f"legend of {name}")
