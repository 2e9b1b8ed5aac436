"""Reads that a wave makes together: what each lane receives is what its registers are to hold.

A lane's address is a row's; what it receives comes from rows that other lanes have named.  For lane l and element e,
with (q, k) as the instruction gives them (`matrix_loads`):

    word of the element that the distribution gives l as e  =  word of the first element of the row of lane q + k

and every row begins at a multiple of its elements.  All lanes of a wave take part: a loop's trips and an access's place
are the same for all threads (`blocks.control`), the lanes are the hardware's (`products.hardware_lanes`), and a block's
threads are whole waves.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, ZERO, eq, internal, prod
from layoutalg.kernel.access.matrix_loads import held_by, in_row, matrix_load
from layoutalg.kernel.obligations.base import Requirement, lanes_of
from layoutalg.kernel.obligations.products import hardware_lanes
from layoutalg.kernel.program import LoadShared, Program
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown


def collective(what: str, program: Program, access: LoadShared) -> Iterator[Requirement]:
    """What must hold of a read by `access.by`."""
    load, tile = matrix_load(access), access.registers.distribution
    if (threads := int(prod(program.block))) % load.wave:
        raise LayoutError(f"{what}: {threads} threads are no whole waves of {load.wave}, which {access.by} takes")
    yield from hardware_lanes(what, program, load.wave)
    waves = lanes_of(tile)[:-1]
    lane, element = internal("lane", load.wave), internal("element", load.elements)
    own = lane % load.group
    other, k = load.source(own, element)
    here = access.descriptor.offset(held_by(access, waves, lane, element))
    start = access.descriptor.offset(in_row(access, waves, lane - own + other, ZERO))
    shown = (Shown("wave", waves), Shown("lane", (lane,)), Shown("element", (element,)),
             Shown("word", (here,)), Shown("received from", (start + k,)))  # fmt: skip
    same = ForAll("each lane receives its elements", eq(here, start + k), TRUE, shown)
    yield Requirement(f"{what}: {access.by} gives each lane what it is to hold", same)
    first = access.descriptor.offset(in_row(access, waves, lane, ZERO))
    size = load.elements * load.bits // 8
    aligned = eq(first % load.elements, 0)
    whole = ForAll(f"a row is {size} bytes at a multiple of {size}", aligned, TRUE, (Shown("word", (first,)),))
    yield Requirement(f"{what}: rows begin where {access.by} takes them", whole)


__all__ = ["collective"]
