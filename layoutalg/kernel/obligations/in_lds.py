"""Products of tiles in LDS: the instruction reads the elements that its operands are said to hold.

The loads of a `MultiplyShared` are proved as loads, and its product as a product: what is left is that the hardware,
which knows a descriptor alone, reads the same words.  For each wave, repetition and step of k, with (row, k) as the
instruction's operand maps count them:

    word of the element that the load's distribution gives (lane, element)  =  the hardware's word of (row, k)

and that patterns begin where the hardware expects them: buffers and slots at multiples of 1024 bytes, and each
instruction's first element in the first row of its pattern, at a multiple of 16 bytes.  All lanes of the warpgroup take
part, since loops' trips are the same for all threads (`blocks.control`) and the lanes are the hardware's
(`products.hardware_lanes`).  Products are done before the next barrier (`emit.statements`), so they read LDS in the
interval in which they stand.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import TRUE, ZERO, Expr, all_of, as_expr, eq, internal
from layoutalg.kernel.access.matrix_operands import PATTERN, ROW, RUN, first_word, leading_of, word_read
from layoutalg.kernel.obligations.base import Requirement, counted, fits, lanes_of
from layoutalg.kernel.program import LoadShared, MultiplyShared, Program, Shared
from layoutalg.kernel.program.fragments import element_index
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown
from layoutalg.target.operand import OperandMap


def multiply_shared(program: Program, number: int, s: MultiplyShared) -> Iterator[Requirement]:
    """Both operands lie in LDS as the instruction reads them."""
    i = s.product.instruction
    turned = OperandMap(i.b.lane, i.b.element, i.b.column, i.b.row, i.b.shape[::-1], i.b.copies)
    for operand, along_k, letter in s.sides:
        held = i.a if letter == "m" else turned
        what = f"{number}: {operand.shared.name} as {i.name} reads it"
        if operand.shared.dtype.bytes != 2 or operand.registers.dtype != operand.shared.dtype:
            raise LayoutError(f"{what}: elements of 16 bits, as they are")
        yield from begins(what, program, operand.shared)
        yield from _words(what, operand, counted(held), along_k)
        yield from fits(f"{what}: words fit 32 bits", [first_word(program, operand, letter)], 32, program.requires)


def begins(what: str, program: Program, shared: Shared) -> Iterator[Requirement]:
    """Every slot of the buffer begins at a pattern."""
    start, slot = as_expr(program.places[shared]), as_expr(shared.elements * shared.dtype.bytes)
    goal = all_of(eq(start % PATTERN, 0), eq(slot % PATTERN, 0))
    shown = (Shown("bytes before it", (start,)), Shown("bytes of a slot", (slot,)))
    yield Requirement(f"{what}: slots begin at {PATTERN} bytes", ForAll("multiples", goal, TRUE, shown))


def _words(what: str, operand: LoadShared, held: OperandMap, along_k: bool) -> Iterator[Requirement]:
    tile = operand.registers.distribution
    waves = lanes_of(tile)[:-1]
    steps = (internal("repeat", tile.ys[0]), internal("step", tile.ys[1]))
    origin = operand.origin or (ZERO,) * len(tile.lengths)

    def word(lane: Expr | int, element: Expr | int) -> Expr:
        inner = tile.lower((*waves, lane), (*steps, *element_index(tile, element)))
        return operand.descriptor.offset([o + c for o, c in zip(origin, inner, strict=True)])

    here, first = word(held.lane, held.element), word(0, 0)
    there = word_read(first, held.row, held.column, along_k, leading_of(operand, along_k))
    shown = (Shown("wave", waves), Shown("repetition", (steps[0],)), Shown("step of k", (steps[1],)),
             Shown("row", (held.row,)), Shown("k", (held.column,)), Shown("word", (here,)),
             Shown("read", (there,)))  # fmt: skip
    yield Requirement(f"{what}: it reads its elements", ForAll("the hardware's word", eq(here, there), TRUE, shown))
    row, within = first // ROW % 8, first % RUN
    at = (Shown("row", (row,)), Shown("word of its run", (within,)))
    head = ForAll("a run of a pattern's first row", all_of(eq(row, 0), eq(within, 0)), TRUE, at)
    yield Requirement(f"{what}: it begins at a run of a pattern's first row", head)


__all__ = ["begins", "multiply_shared"]
