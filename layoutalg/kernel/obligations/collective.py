"""Reads that a wave makes together: what each lane receives is what its registers are to hold.

A lane's address is a row's, of one of four matrices; what it receives comes from rows that other lanes have named.  For
lane l, register j and half h, with (row, column) as the instruction gives them (`matrix_loads`):

    word of the element that the distribution gives l as (j, h)  =  word of row (row, j)'s first element + column

and every row begins at a multiple of its eight elements.  All 32 lanes take part: a loop's trips and an access's place
are the same for all threads (`blocks.control`), and the lanes are the hardware's (`products.hardware_lanes`).
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, ZERO, eq, internal
from layoutalg.kernel.access.matrix_loads import ELEMENTS, LANES, ROWS, held_by, in_row, matrix_load
from layoutalg.kernel.obligations.base import Requirement, lanes_of
from layoutalg.kernel.obligations.products import hardware_lanes
from layoutalg.kernel.program import LoadShared, Program
from layoutalg.prove import ForAll, Shown


def collective(what: str, program: Program, access: LoadShared) -> Iterator[Requirement]:
    """What must hold of a read by `access.by`."""
    load, tile = matrix_load(access), access.registers.distribution
    yield from hardware_lanes(what, program, LANES)
    waves = lanes_of(tile)[:-1]
    lane, matrix, half = internal("lane", LANES), internal("matrix", ELEMENTS // 2), internal("half", 2)
    row, column = load.receives(lane, half)
    here = access.descriptor.offset(held_by(access, waves, lane, matrix * 2 + half))
    start = access.descriptor.offset(in_row(access, waves, row, matrix, ZERO))
    shown = (Shown("wave", waves), Shown("lane", (lane,)), Shown("register", (matrix, half)),
             Shown("word", (here,)), Shown("received from", (start + column,)))  # fmt: skip
    same = ForAll("each lane receives its elements", eq(here, start + column), TRUE, shown)
    yield Requirement(f"{what}: {access.by} gives each lane what it is to hold", same)
    named = internal("named", ROWS)
    first = access.descriptor.offset(in_row(access, waves, named, matrix, ZERO))
    whole = ForAll("a row is 16 bytes at a multiple of 16", eq(first % ROWS, 0), TRUE, (Shown("word", (first,)),))
    yield Requirement(f"{what}: rows begin where {access.by} takes them", whole)


__all__ = ["collective"]
