"""Threads, blocks and tiles: every coordinate of the target is one thread's, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from layoutalg.index import (
    TRUE,
    Expr,
    all_equal,
    all_of,
    as_expr,
    eq,
    extent_of,
    internal,
    prod,
    substitute,
    symbol,
    var,
)
from layoutalg.index.primed import primed
from layoutalg.kernel.access.places import has_copies
from layoutalg.kernel.obligations.base import Requirement, fits, inside
from layoutalg.kernel.obligations.replicas import first_copy_is_the_tile
from layoutalg.kernel.program import Loop, Program, Registers, Store, StoreShared
from layoutalg.kernel.program.chiplets import chiplet_order
from layoutalg.layout import Merge, make_single_stage_tensor_adaptor
from layoutalg.prove import ForAll, InjectiveMap, RoundTrip, Shown


def lanes(program: Program) -> Iterator[Requirement]:
    """The lanes of the distributions are the threads of the block, one to one."""
    shown = (Shown("thread", program.threads), Shown("lane", program.lanes))
    threads = prod([as_expr(int(t.hi) + 1) for t in program.threads])
    for registers in program.registers:
        lengths = registers.distribution.ps
        goal = all_of(inside(program.lanes, lengths), eq(prod(lengths), threads))
        yield Requirement(f"{registers.name}: a lane for each thread", ForAll("lanes are threads", goal, TRUE, shown))
    yield Requirement("lanes differ", InjectiveMap("lanes differ", program.threads, program.lanes, TRUE, shown))


def whole_tiles(program: Program) -> Iterator[Requirement]:
    """What is stored is held once: tiles that leave the registers are one to one with threads and registers.

    Of a tile that several threads hold alike, the first copy is stored to a tensor (`access.places.first_copy`).
    """
    shared = {s.registers for s in program.of(StoreShared)}
    stored = {s.registers for s in program.of(Store)}
    for registers in program.registers:
        if registers in stored and registers not in shared and has_copies(registers):
            yield from first_copy_is_the_tile(registers)
        elif registers in stored | shared:
            yield Requirement(f"{registers.name}: threads ↔ tile", RoundTrip(registers.distribution.adaptor))
    for registers in dict.fromkeys(s.registers for s in program.of(Store)):
        yield _fills_the_tile(program, registers)


def _fills_the_tile(program: Program, registers: Registers) -> Requirement:
    lengths = registers.distribution.lengths
    goal = all_equal(lengths, program.tile)
    return Requirement(f"{registers.name}: the tile's lengths", ForAll("the distribution has the tile's lengths", goal))


def cover(program: Program) -> Iterator[Requirement]:
    """Every coordinate of the target lies in the tile of exactly one block."""
    lengths = program.target.descriptor.lengths
    if program.linear:
        numbers = make_single_stage_tensor_adaptor(
            [Merge(program.extents[::-1])], [list(range(len(program.grid)))], [[0]]
        )
        yield Requirement("blocks are numbered one to one", RoundTrip(numbers))
        if program.chiplets > 1:
            yield from dealt(program.chiplets)
        parts = [*program.extents, prod(program.extents)]
        yield from fits(f"block numbers fit {program.index_bits} bits", parts, program.index_bits, program.requires)
    shown = (Shown("blocks", program.extents), Shown("tiles", program.tiles.lengths))
    launched = ForAll("the grid has the tiles' extents", all_equal(program.extents, program.tiles.lengths), TRUE, shown)
    yield Requirement("as many blocks as tiles", launched)
    yield Requirement("blocks ↔ tiles", RoundTrip(program.tiles))
    x = tuple(internal(name, n) for name, n in zip(program.target.names, lengths, strict=True))
    counts = program.tiles.bottom_lengths
    reached = all_of(*(i // t < n for i, t, n in zip(x, program.tile, counts, strict=True) if n is not None))
    yield Requirement(
        "every coordinate is in a tile",
        ForAll("x div tile is the number of a tile", reached, program.requires, (Shown("x", x),)),
    )
    tile = tuple(internal(f"tile{d}", n) for d, n in enumerate(counts) if n is not None)
    inner = tuple(internal(f"within{d}", t) for d, t in enumerate(program.tile))
    reach = tuple(n * t + c for n, t, c in zip(tile, program.tile, inner, strict=True))
    yield Requirement("no coordinate is in two tiles", InjectiveMap("tiles are disjoint", (*tile, *inner), reach))


def dealt(chiplets: int, order: Callable[[Expr, Expr, int], Expr] = chiplet_order) -> Iterator[Requirement]:
    """Of any number of blocks each is one of the grid's, no two are the same, and so all are there."""
    blocks = symbol("blocks", min=1)
    launched = var("launched", blocks)
    number = order(launched, blocks, chiplets)
    shown = (Shown("launched", (launched, blocks)), Shown("block", (number,)))
    within = ForAll("blocks of the grid", inside((number,), (blocks,)), TRUE, shown)
    yield Requirement(f"blocks dealt to {chiplets} chiplets are the grid's", within)
    about = f"blocks dealt to {chiplets} chiplets are numbered one to one"
    yield Requirement(about, InjectiveMap("blocks differ", (launched,), (number,), TRUE, shown))


def control(program: Program) -> Iterator[Requirement]:
    """Every thread runs every statement, barriers too, equally often, and at least once; loop counts fit their type."""
    others = primed(program.threads)
    shown = (Shown("threads", (*program.threads, *others.values())),)
    for number, loop in program.statements():
        if isinstance(loop, Loop):
            count = extent_of(loop.index)
            alike = ForAll("all threads loop equally often", eq(count, substitute(count, others)), TRUE, shown)
            yield Requirement(f"{number}: every thread reaches every barrier", alike)
            once = ForAll("a loop's body runs", count >= 1, program.requires, (Shown("times", (count,)),))
            yield Requirement(f"{number}: at least once", once)
            yield from fits(
                f"{number}: the count fits {program.index_bits} bits",
                [count],
                program.index_bits,
                program.requires,
            )
