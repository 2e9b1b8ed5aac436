"""A ring of slots, filled by a thread of its own: what its barriers must ensure, for any number of tiles.

A program copies boxes as it copies anything that does not wait:

    copy tiles 0 … S − 2, a group each                                            S slots; tile t in slot t mod S
    for k < count:  await all but S − 2 groups;  barrier;  multiply tile k from LDS;  copy tile k + S − 1, a group
    await all

and all other obligations are of this text.  It is emitted as two sorts of threads that meet at two barriers a slot,
each of which counts phases and tells only whether the last one ended was even or odd (PTX ISA, mbarrier):

    one thread:       for t:  wait until phase t div S − 1 of empty[t mod S] has ended;  copy tile t, which ends
                              phase t div S of full[t mod S] when all its bytes have arrived
    the program's:    for k:  wait for phase k div S of full[k mod S];  multiply tile k;  products of tile k − 1 are
                              done: arrive at empty[(k − 1) mod S], whose phase ends when all waves have arrived

So a wave that multiplies tile k has tile k, and what may be written then are tiles k + 1 … k + S − 1, as in the text.
That it is so for every order in which threads, copies and products come is proved over p, the tiles begun, c, those
that all waves have left, and a wave's tile k, which only ever grow:

| claim     | c ≤ k ≤ p ≤ c + S                                                                                      |
|-----------|--------------------------------------------------------------------------------------------------------|
| empty     | the test for tile p passes if and only if p < c + S: so p ≤ c + S holds on, and no tile is overwritten |
| full      | the test for tile k passes if and only if tile k has arrived (its slot's phases ended: k div S + 1)    |
| arrivals  | a wave that leaves tile k arrives at the phase k div S of its slot, which is the one under way         |
| progress  | with p < count begun and every wave waiting for tile p, another tile may be begun: no deadlock         |

Of a `persistent` program the ring goes on from one tile of the grid to the next, while results are stored.  Both sorts
of threads take the same blocks of the grid, b, b + P, b + 2P … of P launched ones, and count the ring's tiles on, T of
all turns in place of k; what is above is of any number of them, and every wave leaves the last tile of a turn, too.
Slots are then T mod S, which is k mod S but for a rotation that is the same for all threads throughout a turn, so all
that is proved of slots in the text holds on.  What is left:

| claim     | of a persistent program                                                                                |
|-----------|--------------------------------------------------------------------------------------------------------|
| turns     | every block of the grid is one launched block's turn                                                   |
| counted   | T mod 2S, which is what a thread keeps, tells the slot T mod S, and whether phase T div S is odd       |
| behind it | buffers that are touched behind the ring are others, and there is a barrier before: they may still be  |
|           | read by other waves of the turn before, and boxes of the next turn arrive                              |

That barrier blocks no wave for ever: one that waits for a tile that is not begun waits for waves that multiply, and
those at a barrier behind the ring have left all tiles of their turn.

What it cannot represent: several rings, a ring within a loop, and boxes or products from LDS beside the ring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod as product_of

from layoutalg.index import TRUE, ZERO, Expr, all_of, any_of, eq, extent_of, internal, negation, prod
from layoutalg.kernel.access.boxes import boxes_of
from layoutalg.kernel.obligations.asynchronous import copies_in
from layoutalg.kernel.obligations.base import Requirement, fits
from layoutalg.kernel.program import (
    Await,
    Barrier,
    BoxCopy,
    Commit,
    Loop,
    MultiplyShared,
    Program,
    SharedAccess,
    Statement,
    walk,
)
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown
from layoutalg.records import dataclass

HELD = 1
"""Tiles that a wave has not left while it waits for the next one: those whose products may be under way."""
TILES = 1 << 62
"""More tiles than there are: of fewer than 2³¹ blocks fewer than 2³¹ each."""


@dataclass(frozen=True)
class TileCopies:
    """The copies of one tile, and its number."""

    copies: tuple[BoxCopy, ...]
    tile: Expr

    @property
    def slot(self) -> Expr:
        """Where they go."""
        return self.copies[0].store.slot

    @property
    def only(self) -> Expr:
        """Whether there is such a tile."""
        return self.copies[0].load.only

    @property
    def bytes(self) -> int:
        """What arrives in all: the tiles, whose zeros outside of the tensor count; a slot may be longer."""
        elements = (product_of(int(n.hi) for n in s.store.descriptor.lengths) for s in self.copies)
        return sum(n * s.store.shared.dtype.bytes for n, s in zip(elements, self.copies, strict=True))


@dataclass(frozen=True)
class Ring:
    """The parts of a program that copies boxes."""

    before: tuple[TileCopies, ...]
    loop: Loop
    product: MultiplyShared
    group: TileCopies

    @property
    def slots(self) -> int:
        """Tiles that are in LDS at a time."""
        return len(self.before) + 1


def ring_of(program: Program) -> Ring | None:
    """The ring of a program, None where it copies no boxes; LayoutError where it does so in another way."""
    if not any(program.of(BoxCopy)):
        return None
    loop = next((s for s in program.body if isinstance(s, Loop) and copies_in(s)), None)
    if loop is None:
        raise _no(program, "there is no loop that goes on with them")
    at = program.body.index(loop)
    before = tuple(_groups(program, program.body[:at], ZERO))
    match loop.body:
        case [Await() as awaited, Barrier(), MultiplyShared() as product, *copies]:
            found = tuple(_groups(program, copies, loop.index + len(before)))
        case _:
            raise _no(program, "an iteration awaits, meets, multiplies from LDS, and copies a tile")
    if len(found) != 1 or any(not isinstance(s, BoxCopy | Commit) for s in copies):
        raise _no(program, "an iteration ends with the copies of one tile, a group, and nothing else")
    if awaited != Await(len(before) - 1, tuple(s.store.shared for s in found[0].copies)):
        raise _no(program, f"{len(before)} tiles are begun before the loop, so it awaits all but {len(before) - 1}")
    for s in walk(program.body[at + 1 :]):
        if isinstance(s, BoxCopy | MultiplyShared):
            raise _no(program, f"{type(s).__name__} stands behind the ring")
    _refuse_two_boxes(program)
    return Ring(before, loop, product, found[0])


def _refuse_two_boxes(program: Program) -> None:
    """LayoutError where a tensor is copied by boxes of two shapes: the kernel has one argument for each."""
    names = [box.name for box in boxes_of(program)]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise _no(program, f"there are two for {twice}")


def _groups(program: Program, body: Sequence[Statement], first: Expr) -> Iterator[TileCopies]:
    """The groups of copies in a body, in which nothing else touches LDS."""
    begun: tuple[BoxCopy, ...] = ()
    for s in body:
        if isinstance(s, BoxCopy):
            begun += (s,)
        elif isinstance(s, Commit):
            if len({(c.store.slot, c.load.only) for c in begun}) != 1:
                raise _no(program, "a group is copies to one slot, under one condition")
            yield TileCopies(begun, first)
            begun, first = (), first + 1
        elif isinstance(s, Await | Barrier | Loop | MultiplyShared | SharedAccess):
            raise _no(program, f"{type(s).__name__} between the copies")
    if begun:
        raise _no(program, "copies are begun and not committed")


def _no(program: Program, why: str) -> LayoutError:
    return LayoutError(f"{program.name}: boxes are copied in a ring of slots (obligations.ring), but {why}")


def ring(program: Program) -> Iterator[Requirement]:
    """What a program that copies boxes needs beside the rest."""
    found = ring_of(program)
    if found is None:
        if program.persistent:
            raise _no(program, "blocks compute tiles in turns, and copy none")
        return
    what, slots, k = "ring", found.slots, found.loop.index
    count = extent_of(k)
    if any(s.store.shared.slots != slots for s in program.of(BoxCopy)):
        raise _no(program, f"its buffers have other slots than {slots}")
    for group in (*found.before, found.group):
        shown = (Shown("tile", (group.tile,)), Shown("slot", (group.slot,)))
        turn = ForAll("tile mod slots", eq(group.slot, group.tile % slots), TRUE, shown)
        yield Requirement(f"{what}: tile {group.tile} goes to its slot", turn)
        told = (Shown("tile", (group.tile,)), Shown("tiles", (count,)))
        there, only = group.tile < count, group.only
        alike = any_of(all_of(there, only), all_of(negation(there), negation(only)))
        yield Requirement(f"{what}: tile {group.tile} is copied if it is one", ForAll("both", alike, TRUE, told))
    read = {s.slot for s, *_ in found.product.sides}
    told = (Shown("iteration", (k,)), Shown("slots", tuple(read)))
    own = all_of(*(eq(slot, k % slots) for slot in read))
    yield Requirement(f"{what}: an iteration multiplies its tile", ForAll("tile mod slots", own, TRUE, told))
    yield from fits(f"{what}: tiles fit 32 bits", [found.group.tile], 32, program.requires)
    yield from _protocol(what, slots)
    if program.persistent:
        _refuse_behind(program, found)
        yield from _turns(program, what, slots)


def _refuse_behind(program: Program, found: Ring) -> None:
    """LayoutError unless what touches LDS behind the ring has buffers of its own, and a barrier before."""
    own = {s.store.shared for s in found.group.copies}
    met = False
    for s in program.body[program.body.index(found.loop) + 1 :]:
        met |= isinstance(s, Barrier)
        for access in walk((s,)):
            if isinstance(access, SharedAccess) and (access.shared in own or access.shared.again):
                raise _no(
                    program, f"{access.shared.name} is touched behind the ring, where the next turn's boxes arrive"
                )
            if isinstance(access, SharedAccess) and not met:
                raise _no(program, f"{access.shared.name} is touched before a barrier behind the ring")


def _turns(program: Program, what: str, slots: int) -> Iterator[Requirement]:
    """The claims on turns, and on how tiles of all turns are counted."""
    ends, number, tile = program.persistent, internal("number", TILES), internal("tile", TILES)
    first, turn = number % ends, number // ends
    shown = (Shown("number", (number,)), Shown("block", (first,)), Shown("turn", (turn,)))
    goal = all_of(eq(turn * ends + first, number), first < ends)
    yield Requirement(f"{what}: a block of the grid is one turn of one block", ForAll("turns", goal, TRUE, shown))
    last = [prod(program.extents) + ends]
    yield from fits(f"{what}: numbers of blocks fit 32 bits", last, 32, program.requires)
    kept = tile % (2 * slots)
    goal = all_of(eq(kept % slots, tile % slots), eq(kept // slots, tile // slots % 2))
    told = (Shown("tile", (tile,)), Shown("kept", (kept,)))
    about = f"{what}: what is kept of a tile's number tells its slot and phase"
    yield Requirement(about, ForAll("turn", goal, TRUE, told))


def _protocol(what: str, slots: int) -> Iterator[Requirement]:
    """The claims on the two barriers of each slot, for any number of tiles."""
    left, more, back = internal("left", TILES), internal("more", slots + 1), internal("back", slots + 1)
    begun = left + more  # c and p, where c ≤ p ≤ c + S
    shown = (Shown("left", (left,)), Shown("begun", (begun,)))

    def ended(tiles: Expr, slot: Expr) -> Expr:
        """How many of so many first tiles are in a slot: the phases that they end."""
        return (tiles + (slots - 1) - slot) // slots

    def passes(phases: Expr, phase: Expr) -> Expr:
        """Whether the test for a phase's end passes after so many phases: by their number, even or odd."""
        return eq((phases - phase) % 2, 1)

    empty = passes(ended(left, begun % slots), begun // slots - 1)
    yield Requirement(
        f"{what}: a tile is begun where its slot is empty", ForAll("empty", _same(empty, more < slots), TRUE, shown)
    )
    tile = begun - back  # k, where c ≤ k ≤ p
    there = (*shown, Shown("tile", (tile,)))
    arrived, last = ended(begun, tile % slots), passes(ended(begun, tile % slots), tile // slots)
    before = passes(arrived - 1, tile // slots)  # the last one of its slot is still under way
    goal = all_of(_same(last, back >= 1), any_of(back <= 0, negation(before)))
    yield Requirement(f"{what}: a tile is read when it has arrived", ForAll("full", goal, back <= more, there))
    own = eq(ended(left, tile % slots), tile // slots)
    here = all_of(back >= 1, back <= more)
    yield Requirement(f"{what}: a wave leaves the phase under way", ForAll("arrivals", own, here, there))
    step = ForAll("progress", more < slots, more <= HELD, shown)
    yield Requirement(f"{what}: while all wait another tile may be begun", step)


def _same(one: Expr, other: Expr) -> Expr:
    """Both hold, or neither does."""
    return any_of(all_of(one, other), all_of(negation(one), negation(other)))


__all__ = ["HELD", "Ring", "TileCopies", "ring", "ring_of"]
