"""The phases of an access as pictures of one size, one a phase: shown one after another, they move.

    for n, frame in enumerate(frames(access)):
        frame.save(f"read-{n}.svg")

A frame holds the lanes of the wave, the index grid with what the phase's lanes reach, and its lanes × banks:

| in the strip of lanes       | means                                                                  |
|-----------------------------|------------------------------------------------------------------------|
| coloured as lanes × banks   | served in this phase; by the most dwords asked of one of its banks     |
| grey                        | served in another phase                                                |
| hatched                     | takes no part                                                          |

The same access gives the same text, byte for byte.
What it cannot represent: cycles within a phase; in which order a bank serves its dwords is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from layoutalg.draw.access import LaneAccess
from layoutalg.draw.conflicts import doubts, heat, key_of_heat, phase_table, wanted, widest_dword
from layoutalg.draw.fields import FieldInputs, descriptor_field
from layoutalg.draw.grid import Sheet, flat, legend, sheet_picture
from layoutalg.draw.palette import ink_on
from layoutalg.draw.svg import Picture, below, number, outlined, shape, words
from layoutalg.index.evaluate import array, value
from layoutalg.memory.banks import Ints, Phase

ROW, WIDE, HIGH = 16, 36.0, 20.0
"""Lanes in a row of the strip, and the size of a lane's cell."""


def frames(access: LaneAccess, by: str = "bank") -> tuple[Picture, ...]:
    """A picture of each phase, all of one size; the index grid is coloured by what `layoutalg.draw.fields` names.

    DrawError for a colouring that there is not, and what the access raises.

    >>> from layoutalg.draw.access import operand
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> tile = make_naive_tensor_descriptor((64, 64), (64, 1))
    >>> moving = frames(LaneAccess.of(tile, operand(32, 8)))
    >>> len(moving), len({(frame.width, frame.height) for frame in moving}), moving[1].title
    (8, 1, 'ds_read_b128 on gfx942: phase 1 of 0 to 7, 8 cycles, 16 of 64 so far')
    """
    asked = FieldInputs(access.descriptor, access.dtype, access.target.name, access.instruction.name, access, access.at)
    sheet = flat(descriptor_field(asked, by))
    grid, corner = sheet_picture(sheet)
    cells = _reached(access)
    key = legend(by, sheet.high, sheet.field.kinds, sheet.colour)
    drawn = []
    for n, phase in enumerate(access.phases):
        marks = "".join(
            outlined(corner[0] + x, corner[1] + y, w, h)
            for lane in phase.lanes
            if access.active[lane]
            for x, y, w, h in _runs(sheet, cells[lane])
        )
        body = below(
            [_strip(access, phase), phase_table(access, phase, f"phase {n}", widest_dword(access)), key_of_heat(),
             Picture(grid.width, grid.height, grid.body + marks, grid.title), key],
            "",
        )  # fmt: skip
        drawn.append(body.headed(_title(access, n), *doubts(access)))
    width, height = (max((getattr(one, side) for one in drawn), default=0) for side in ("width", "height"))
    return tuple(Picture(width, height, one.body, one.title) for one in drawn)


def _title(access: LaneAccess, n: int) -> str:
    costs = [phase.cycles for phase in access.phases]
    cost = f"{costs[n]} cycle{'s' * (costs[n] != 1)}, {sum(costs[: n + 1])} of {sum(costs)} so far"
    return f"{access.instruction.name} on {access.target.name}: phase {n} of 0 to {len(costs) - 1}, {cost}"


def _reached(access: LaneAccess) -> Ints:
    """The number of each element that each lane reaches, the last dimension fastest; of a masked lane, no meaning."""
    lanes = np.arange(access.instruction.lanes, dtype=np.int64)
    lengths = [value(n, access.at) for n in access.descriptor.lengths]
    first = np.zeros(len(lanes), dtype=np.int64)
    for length, part in zip(lengths, array(access.index, {access.lane: lanes, **access.at}), strict=True):
        first = first * length + part
    return first[:, None] + np.arange(access.elements, dtype=np.int64)


def _runs(sheet: Sheet, cells: Ints) -> Iterator[tuple[float, float, float, float]]:
    """The rectangles of neighbouring cells, one in each line of the sheet."""
    columns = sheet.shape[1]
    for row in sorted({int(cell) // columns for cell in cells}):
        inside = [int(cell) % columns for cell in cells if int(cell) // columns == row]
        yield inside[0] * sheet.width, row * sheet.height, len(inside) * sheet.width, sheet.height


def _strip(access: LaneAccess, phase: Phase) -> Picture:
    """The lanes of the wave: those of the phase in colour, those that take no part hatched."""
    deepest = dict.fromkeys(phase.lanes, 0)
    for dwords in wanted(access, phase).values():
        for lane in {lane for lanes in dwords.values() for lane in lanes}:
            deepest[lane] = max(deepest[lane], len(dwords))
    count, left, top = access.instruction.lanes, 16.0, 24.0
    body = words(left, 12, "lanes", "soft", 11, "start")
    for lane in range(count):
        x, y = left + lane % ROW * WIDE, top + lane // ROW * HIGH
        colour = heat(deepest[lane]) if lane in deepest else None
        known = bool(access.active[lane])
        kind = "rule" if not known else "" if colour else "gap"
        fill = colour if known else None
        body += shape("rect", kind, x=x, y=y, width=WIDE - 2, height=HIGH - 2, rx=3, fill=fill)
        if known:
            ink = f"num bold {ink_on(colour)}" if colour else "num ink"
            body += words(x + WIDE / 2 - 1, y + HIGH / 2 - 1, str(lane), ink, 11)
        else:
            stroke = f"M{number(x)} {number(y + HIGH - 2)}L{number(x + WIDE - 2)} {number(y)}"
            body += shape("path", "hatch", d=stroke)
    return Picture(left + ROW * WIDE + 16, top + -(-count // ROW) * HIGH + 6, body, "lanes")
