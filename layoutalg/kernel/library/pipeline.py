"""The inner part of a product, several tiles of k under way, fragments read one step ahead.

With S slots, tiles k + 1 … k + S − 1 are on their way while tile k is multiplied; the barrier that makes a tile visible
stands before the last step of the one before, so that fragments are read across it while products go on:

    copy tiles 0 … S − 2, a group each;  await all but S − 2 groups;  barrier;  read step 0 of tile 0
    for k:  for each step s:
                s is the last:  await all but S − 2 groups;  barrier;  read step 0 of tile k + 1
                else:           read step s + 1 of tile k
                multiply what was read for step s;   after step 0: copy tile k + S − 1, a group
    await all

Slots are tile mod S.  Tiles past the last one are not copied; what is read of them is never multiplied.  Fragments lie
in two sets of registers in turns, so a tile has an even number of steps.

Instructions that read LDS themselves need no fragments; copies go on beside them (`beside`):

    copy tiles 0 … S − 2, a group each
    for k:  await all but S − 2 groups;  barrier;  multiply tile k from LDS;   meanwhile: copy tile k + S − 1, a group
    await all

Where a wave's loads go straight to LDS, every thread makes them in every turn, which is of all slots (`in_turns`):

    copy tile 0, a group
    for k, for each slot s:  await all;  barrier;  copy the next tile to the next slot;  multiply from slot s
    await all

Their lanes land one after the other, so that where LDS is swizzled lanes load in that order (`order_of_rows`); behind
the last tile the one before comes again, or zeros where tiles are not whole, which nobody reads.

Where a plan says so, copies are of boxes, and the text is a ring (`obligations.ring`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from layoutalg.index import TRUE, ZERO, Expr, as_expr, select
from layoutalg.index.normal import holds
from layoutalg.kernel.access.matrix_loads import MATRIX_LOADS, transposing
from layoutalg.kernel.access.prices import price_of
from layoutalg.kernel.library.lds_layouts import (
    TWISTS,
    order_of_pieces,
    order_of_rows,
    pieces_of_n,
    planes,
    rows_of_k,
    rows_of_m,
    rows_of_n,
)
from layoutalg.kernel.library.plans import Plan
from layoutalg.kernel.program import (
    AsyncCopy,
    Await,
    Barrier,
    BoxCopy,
    Clear,
    Commit,
    Load,
    LoadShared,
    Loop,
    Multiply,
    MultiplyShared,
    Pixels,
    Registers,
    Shared,
    Statement,
    StoreShared,
    StraightCopy,
    Tensor,
    Vector,
)
from layoutalg.layout import LayoutError, SwizzledDistribution, TensorDescriptor


class CopiedSide:
    """The statements that bring one operand from memory to fragments, past the registers; `name` as of a `Side`."""

    def __init__(
        self, role: str, tensor: Tensor, along_k: bool, plan: Plan, length: int,
        place: Callable[[Expr], tuple[Expr, ...]], guarded: bool | tuple[bool, ...], pixels: Pixels | None = None,
        name: str = "",
    ) -> None:  # fmt: skip
        self.tensor, self.plan, self.place, self.guarded, self.pixels = tensor, plan, place, guarded, pixels
        name = name or role
        width = 16 // tensor.dtype.bytes
        spread = plan.loaded(length, along_k, width)
        self.along_k = along_k
        count = 1 if plan.in_lds or plan.straight else 2
        self.by = ("ldmatrix" if along_k else "ldmatrix.trans") if plan.collective else ""
        turned = plan.straight and not along_k
        self.by = transposing(plan.target, tensor.dtype.bits) if turned else self.by
        held = plan.operand(role, MATRIX_LOADS[self.by].elements if turned and self.by else 0)
        self.fragments = tuple(Registers(f"{name}_held{n}", tensor.dtype, held) for n in range(count))
        self.lds = Shared(f"{name}_lds", tensor.dtype, length * plan.k, slots=plan.stages)
        tried = layouts(length, plan, along_k)
        self.layout = min(tried, key=self.cost) if plan.target and len(tried) > 1 else tried[0]
        if turned:
            spread = SwizzledDistribution(spread.encoding, order_of_pieces(length, plan.k, tensor.dtype.bytes))
        elif plan.straight:
            order = order_of_rows(length, plan.k, plan.run, tensor.dtype.bytes, TWISTS[tried.index(self.layout)])
            spread = SwizzledDistribution(spread.encoding, order)
        self.spread = Registers(f"{name}_copied", tensor.dtype, spread)

    def copy(self, tile: Expr, count: Expr, at: Expr | None = None) -> AsyncCopy:
        """The copy of a tile of k, if there are so many; it begins where its k do, or at another place.

        Straight ones are always made, and that place is a tile's.
        """
        slot, there = tile % self.plan.stages, tile < count
        only = TRUE if holds(there) or self.plan.straight else there
        load = Load(
            self.spread, self.tensor, self.place(tile * self.plan.k if at is None else at), 2, self.guarded, only=only,
            ranged=self.plan.straight,
        )  # fmt: skip
        store = StoreShared(self.lds, self.layout, self.spread, 2, slot)
        if self.plan.straight:
            return StraightCopy(load, store)
        return BoxCopy(load, store, self.along_k, self.pixels) if self.plan.boxes else AsyncCopy(load, store)

    def read(self, which: int, slot: Expr, at: int) -> LoadShared:
        """One step's fragments, from k = `at` of the tile in a slot."""
        zero, tile = ZERO, self.fragments[which]
        wide: Vector = tuple(range(2, len(tile.distribution.ys))) if self.by else 0 if self.plan.plain else None
        wide = len(tile.distribution.ys) - 1 if self.plan.straight else wide
        return LoadShared(tile, self.lds, self.layout, wide, slot, (zero, zero, as_expr(at)), self.by)

    def cost(self, layout: TensorDescriptor) -> int:
        """Cycles of the busiest phase of a step's read."""
        self.layout = layout
        read = self.read(0, ZERO, 0)
        tile = read.registers.distribution.lower(self.plan.lanes(), read.registers.distribution.y_index)
        return price_of(read, self.plan.thread(), tile, self.plan.target).cycles or 0


def pipelined(sides: Sequence[CopiedSide], sums: Registers, k: Expr, count: Expr, plan: Plan) -> tuple[Statement, ...]:
    """The statements that leave the products of all tiles of k in the sums."""
    steps, slots = plan.k // plan.step, plan.stages
    if steps % 2 or slots < 2:
        raise LayoutError(f"a tile of k = {plan.k} in steps of {plan.step} and {slots} slots: give an even number of "
                          "steps, and two slots at least")  # fmt: skip
    arrived = (Await(slots - 2, tuple(side.lds for side in sides)), Barrier())

    def copies(tile: Expr) -> tuple[Statement, ...]:
        return (*(side.copy(tile, count) for side in sides), Commit())

    def read(step: int, slot: Expr, at: int) -> tuple[Statement, ...]:
        return tuple(side.read(step % 2, slot, at) for side in sides)

    body: list[Statement] = []
    for step in range(steps):
        last = step == steps - 1
        body += arrived if last else ()
        body += read(step + 1, (k + 1 if last else k) % slots, 0 if last else (step + 1) * plan.step)
        a, b = (side.fragments[step % 2] for side in sides)
        body.append(Multiply(sums, a, b, plan.instruction))
        body += copies(k + (slots - 1)) if step == 0 else ()
    return (
        *(s for tile in range(slots - 1) for s in copies(as_expr(tile))),
        Clear(sums),
        *arrived,
        *read(0, ZERO, 0),
        Loop(k, tuple(body)),
        replace(arrived[0], groups=0),
    )


def beside(sides: Sequence[CopiedSide], sums: Registers, k: Expr, count: Expr, plan: Plan) -> tuple[Statement, ...]:
    """The statements that leave the products of all tiles of k in the sums, which read LDS themselves."""
    a, b = sides

    def copies(tile: Expr) -> tuple[Statement, ...]:
        return (*(side.copy(tile, count) for side in sides), Commit())

    arrived = Await(plan.stages - 2, tuple(side.lds for side in sides))
    product = Multiply(sums, a.fragments[0], b.fragments[0], plan.instruction)
    slot = k % plan.stages
    products = MultiplyShared(a.read(0, slot, 0), b.read(0, slot, 0), product, (a.along_k, b.along_k))
    return (
        *(s for tile in range(plan.stages - 1) for s in copies(as_expr(tile))),
        Clear(sums),
        Loop(k, (arrived, Barrier(), products, *copies(k + (plan.stages - 1)))),
        replace(arrived, groups=0),
    )


def in_turns(sides: Sequence[CopiedSide], sums: Registers, k: Expr, count: Expr, plan: Plan) -> tuple[Statement, ...]:
    """The statements that leave the products of all tiles of k in the sums, of copies that every thread makes."""
    steps, slots, (a, b) = plan.k // plan.step, plan.stages, sides
    arrived = (Await(0, tuple(side.lds for side in sides)), Barrier())
    body: list[Statement] = []
    for slot in range(slots):
        last = select(k + 1 < count, k + 1, k) if plan.whole else k + 1
        later = last if slot == slots - 1 else k
        place = (later * slots + (slot + 1) % slots) * plan.k
        body += (*arrived, *(side.copy(as_expr(slot + 1), count, place) for side in sides), Commit())
        for step in range(steps):
            body += (side.read(0, as_expr(slot), step * plan.step) for side in sides)
            body.append(Multiply(sums, a.fragments[0], b.fragments[0], plan.instruction))
    first = (*(side.copy(ZERO, count, ZERO) for side in sides), Commit())
    return (*first, Clear(sums), Loop(k, tuple(body)), arrived[0])


def layouts(length: int, plan: Plan, along_k: bool) -> list[TensorDescriptor]:
    """The layouts of an LDS tile (1, length, k) of 16-bit elements that are tried."""
    if plan.in_lds:
        return [planes(length, plan.k, along_k)]
    if plan.collective:
        return [rows_of_k(length, plan.k, 8, 2, twist) for twist in TWISTS] if along_k else [rows_of_n(length, plan.k)]
    if plan.straight and along_k:
        return [rows_of_k(length, plan.k, plan.run, 2, twist) for twist in TWISTS]
    if plan.straight and transposing(plan.target, 16):
        return [pieces_of_n(length, plan.k, 2)]
    if along_k == plan.k_runs and not along_k:
        return [rows_of_m(length, plan.k)]
    raise LayoutError(f"copies past the registers to tiles that {plan.instruction.name} reads along the other way")


__all__ = ["CopiedSide", "beside", "in_turns", "pipelined"]
