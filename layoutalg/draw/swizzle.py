"""Before and after: the same access to two layouts of one tile, where the vectors lie, and what the banks say.

Each half shows the tile vector by vector (the elements that a lane reads at once), coloured by the first bank of each
vector; the lanes of one phase are framed in their places.  Where two frames have one colour, the lanes wait.

    before: 64 cycles            after: 8 cycles
    ▣▢▢▢▢▢▢▢  column of one      ▣▢▢▢▢▢▢▢  every frame another colour
    ▣▢▢▢▢▢▢▢  colour: 8 lanes    ▣▢▢▢▢▢▢▢
    ▣▢▢▢▢▢▢▢  wait in line       ▣▢▢▢▢▢▢▢

A tile whose pattern of banks repeats is drawn as far as it repeats, and as the frames go.

What it cannot represent: layouts of different tiles; draw each by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from layoutalg.draw.access import LaneAccess
from layoutalg.draw.fields import Field, FieldInputs, descriptor_field
from layoutalg.draw.grid import Sheet, flat, legend, sheet_picture
from layoutalg.draw.svg import Picture, below, beside, outlined, shape, text_width, words
from layoutalg.errors import DrawError
from layoutalg.index.evaluate import array


def compare(before: LaneAccess, after: LaneAccess, phase: int | None = None) -> Picture:
    """Two layouts of one tile under one access, coloured by bank, with the lanes of a phase framed.

    `phase` is the worst of `before` where not given.  DrawError where tile, target or instruction differ.

    >>> from layoutalg.draw.access import operand
    >>> from layoutalg.layout import Xor, make_naive_tensor_descriptor as naive, transform_tensor_descriptor as chain
    >>> from layoutalg.layout import Merge, PassThrough, Unmerge
    >>> plain = naive((64, 64), (64, 1))
    >>> split = chain(plain, [PassThrough(64), Unmerge((8, 8))], [[0], [1]], [[0], [1, 2]])
    >>> mixed = chain(split, [Xor((64, 8)), PassThrough(8)], [[0, 1], [2]], [[0, 1], [2]])
    >>> swizzled = chain(mixed, [PassThrough(64), Merge((8, 8))], [[0], [1, 2]], [[0], [1]])
    >>> compare(LaneAccess.of(plain, operand(32, 8)), LaneAccess.of(swizzled, operand(32, 8))).title
    'ds_read_b128 on gfx942: 64 cycles before, 8 after'
    """
    same = [(a.target, a.instruction, a.descriptor.lengths) for a in (before, after)]
    if same[0] != same[1]:
        raise DrawError("before and after are one tile, read by one instruction on one target; these differ")
    number = max(range(len(before.phases)), key=lambda n: before.phases[n].cycles) if phase is None else phase
    sheets = [flat(_vectors(one)) for one in (before, after)]
    framed = [_framed(sheet, one, number) for sheet, one in zip(sheets, (before, after), strict=True)]
    step = _period(sheets)
    needed = 1 + max((row for cells in framed for row, _ in cells), default=0)
    rows = min(sheets[0].shape[0], -(-needed // step) * step)
    halves = [
        _half(name, one, number, _shortened(sheet, rows), cells)
        for name, one, sheet, cells in zip(("before", "after"), (before, after), sheets, framed, strict=True)
    ]
    costs = [sum(p.cycles for p in one.phases) for one in (before, after)]
    how = before.instruction
    title = f"{how.name} on {before.target.name}: {costs[0]} cycles before, {costs[1]} after"
    key = legend("first bank", how.banks - 1, how.banks, sheets[0].colour)
    picture = below([beside(halves, title), key], title)
    every = sheets[0].shape[0]
    part = [f"Shown are {rows} of {every} rows: the pattern repeats every {step}."] if rows < every else []
    what = f"Each cell is a vector of {before.elements} elements; frames: the lanes of phase {number}."
    return picture.headed(title, what, *part)


def _period(sheets: Sequence[Sheet]) -> int:
    """After how many rows all the sheets repeat; their number of rows where they do not."""
    rows = sheets[0].shape[0]
    return next(
        step
        for step in range(1, rows + 1)
        if all(np.array_equal(each[step:], each[: rows - step]) for s in sheets for each in (s.values, s.known))
    )


def _shortened(sheet: Sheet, rows: int) -> Sheet:
    """The first rows of a sheet, with cells that are large enough for a frame."""
    width, height = max(sheet.width, 26.0), min(max(sheet.height, 14.0), 16.0)
    return replace(sheet, values=sheet.values[:rows], known=sheet.known[:rows], width=width, height=height)


def _vectors(access: LaneAccess) -> Field:
    """The bank of each vector's first element."""
    found = descriptor_field(FieldInputs(access.descriptor, access.dtype, access=access, at=access.at), "bank")
    step = access.elements
    return replace(found, values=found.values[..., ::step], known=found.known[..., ::step])


def _framed(sheet: Sheet, access: LaneAccess, number: int) -> list[tuple[int, int]]:
    """Row and column of the vector that each lane of a phase reads, if it takes part."""
    phase = access.phases[number]
    lanes = np.array([lane for lane in phase.lanes if lane not in phase.masked], dtype=np.int64)
    *outer, last = (np.broadcast_to(i, lanes.shape) for i in array(access.index, {access.lane: lanes, **access.at}))
    vectors = zip(*(i.tolist() for i in (*outer, last // access.elements)), strict=True)
    return [sheet.fold.place(vector) for vector in vectors]


def _half(name: str, access: LaneAccess, number: int, sheet: Sheet, cells: Sequence[tuple[int, int]]) -> Picture:
    picture, (left, top) = sheet_picture(sheet)
    phase = access.phases[number]
    w, h = sheet.width, sheet.height
    frames = "".join(outlined(left + column * w, top + row * h, w, h) for row, column in cells)
    cost = sum(p.cycles for p in access.phases)
    head = f"{name}: {cost} cycles, phase {number} takes {phase.cycles}"
    good = cost == len(access.phases)
    body = words(16, 12, head, "good-ink bold" if good else "bad-ink bold", 12, "start")
    body += shape("g", transform="translate(0 22)", inner=picture.body + frames)
    return Picture(max(picture.width, text_width(head) + 24), picture.height + 22, body, head)
