"""Before and after: the same access to two layouts of one tile, where the vectors lie, and what the banks say.

Each half shows the tile vector by vector (the elements that a lane reads at once), coloured by the first bank of each
vector; the lanes of one phase are framed in their places.  Where two frames have one colour, the lanes wait.

    before: 64 cycles            after: 8 cycles
    ▣▢▢▢▢▢▢▢  column of one      ▣▢▢▢▢▢▢▢  every frame another colour
    ▣▢▢▢▢▢▢▢  colour: 8 lanes    ▣▢▢▢▢▢▢▢
    ▣▢▢▢▢▢▢▢  wait in line       ▣▢▢▢▢▢▢▢

What it cannot represent: layouts of different tiles; draw each by itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from layoutalg.draw.access import LaneAccess
from layoutalg.draw.fields import Field, FieldInputs, descriptor_field
from layoutalg.draw.grid import flat, legend, sheet_picture
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
    halves = [_half(name, one, number) for name, one in (("before", before), ("after", after))]
    costs = [sum(p.cycles for p in one.phases) for one in (before, after)]
    how = before.instruction
    title = f"{how.name} on {before.target.name}: {costs[0]} cycles before, {costs[1]} after"
    key = legend("first bank", how.banks - 1, how.banks, flat(_vectors(before)).colour)
    picture = below([beside(halves, title), key], title)
    return picture.headed(
        title, f"Each cell is a vector of {before.elements} elements; frames: the lanes of phase {number}."
    )


def _vectors(access: LaneAccess) -> Field:
    """The bank of each vector's first element."""
    found = descriptor_field(FieldInputs(access.descriptor, access.element_bytes, access=access, at=access.at), "bank")
    step = access.elements
    return replace(found, values=found.values[..., ::step], known=found.known[..., ::step])


def _half(name: str, access: LaneAccess, number: int) -> Picture:
    sheet = flat(_vectors(access))
    small = replace(sheet, width=max(sheet.width, 26.0), height=min(max(sheet.height, 14.0), 16.0))
    picture, (left, top) = sheet_picture(small)
    phase = access.phases[number]
    lanes = np.array(phase.lanes, dtype=np.int64)
    *outer, last = (np.broadcast_to(i, lanes.shape) for i in array(access.index, {access.lane: lanes, **access.at}))
    vectors = zip(*(i.tolist() for i in (*outer, last // access.elements)), strict=True)
    frames = "".join(
        outlined(left + c * small.width, top + r * small.height, small.width, small.height)
        for r, c in map(small.fold.place, vectors)
    )
    cost = sum(p.cycles for p in access.phases)
    head = f"{name}: {cost} cycles, phase {number} takes {phase.cycles}"
    good = cost == len(access.phases)
    body = words(16, 12, head, "good-ink bold" if good else "bad-ink bold", 12, "start")
    body += shape("g", transform="translate(0 22)", inner=picture.body + frames)
    return Picture(max(picture.width, text_width(head) + 24), picture.height + 22, body, head)
