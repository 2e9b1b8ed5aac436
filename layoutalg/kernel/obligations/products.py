"""Sums of products: the registers that a matrix operation takes hold the rows and columns that it multiplies.

A wave (or, without matrix cores, a lane) multiplies fragments.  With M₀, N₀ the first row and column of a
fragment (element 0 of lane 0), each lane and element must hold

    c: (M₀ + row_D, N₀ + column_D)      a: (M₀ + row_A, K(column_A))      b: (N₀ + column_B, K(row_B))

by the instruction's operand maps, all three the same batch g, where K(k) is the tile's k that a's lanes hold as the
fragment's k.  K need not be K₀ + k: a sum of products does not see the order of k, if a and b have the same.  K, of all
fragments together, must be one to one onto the tile's k.  The instruction then adds to each c the products over its own
k; so c[m, n] receives each k of the tile once.  With scales, the k of a block of the instruction are of one block of
the tile, and each lane holds the scales of its row's blocks (`BlockScales`).  A wave's lanes are the hardware's:
threads one after another, numbered x fastest; and sums are f32, of the instruction's types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from layoutalg.index import TRUE, ZERO, Expr, all_equal, all_of, as_expr, eq, internal, prod, substitute, variables
from layoutalg.index.primed import primed
from layoutalg.kernel.obligations.base import Requirement, counted, inside, lanes_of
from layoutalg.kernel.program import Multiply, Program, Registers
from layoutalg.kernel.program.fragments import element_index, holder
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, InjectiveMap, Shown
from layoutalg.target.dtypes import DTYPES, dtype_of
from layoutalg.target.operand import OperandMap


def multiply(program: Program, number: int, s: Multiply) -> Iterator[Requirement]:
    """The operands of a matrix operation hold what it multiplies, and its k parts the tile's."""
    what = f"{number}: {s.c.name} += {s.a.name}·{s.b.name}"
    yield from _types(what, s)
    yield from hardware_lanes(what, program, s.instruction.wave)
    i = s.instruction.scaled() if s.scales else s.instruction
    i = replace(i, a=counted(i.a), b=counted(i.b), d=counted(i.d))
    c, a, b = s.c.distribution, s.a.distribution, s.b.distribution
    if not len(c.lengths) == len(a.lengths) == len(b.lengths) == 3:
        raise LayoutError(f"{what}: tiles are (g, m, n), (g, m, k) and (g, n, k), of rank 3")
    for registers, operand in zip((s.c, s.a, s.b), (i.d, i.a, i.b), strict=True):
        _refuse_elements(what, registers, operand)
    warp, lane = _waves(s, i.d.lane)
    m, n, k = (internal(name, extent) for name, extent in (("ym", c.ys[0]), ("yn", c.ys[1]), ("yk", a.ys[1])))
    counts = all_of(eq(c.ys[0], a.ys[0]), eq(c.ys[1], b.ys[0]), eq(a.ys[1], b.ys[1]))
    yield Requirement(f"{what}: as many fragments", ForAll("c, a and b have the same fragments", counts))
    g0, m0, n0 = _lower(s.c, (*warp, 0), (m, n), 0, i.d)
    step = internal("step", i.k)
    keeper, element = holder(i.a, "column", step)
    reached = _lower(s.a, (*warp, keeper), (m, k), element, i.a)[2]
    for registers, operand, iterations, wanted in (
        (s.c, i.d, (m, n), (g0, m0 + i.d.row, n0 + i.d.column)),
        (s.a, i.a, (m, k), (g0, m0 + i.a.row, substitute(reached, {step: i.a.column}))),
        (s.b, i.b, (n, k), (g0, n0 + i.b.column, substitute(reached, {step: i.b.row}))),
    ):
        at: dict[Expr, Expr | int] = {operand.lane: lane}
        found = _lower(registers, (*warp, lane), iterations, operand.element, operand)
        goal = all_equal(found, [substitute(w, at) for w in wanted])
        shown = (Shown("wave", warp), Shown("lane", (lane,)), Shown("element", (operand.element,)),
                 Shown("holds", found), Shown("wanted", tuple(substitute(w, at) for w in wanted)))  # fmt: skip
        about = f"{what}: {registers.name} lies as {i.name} takes it"
        yield Requirement(about, ForAll("each lane holds its elements", goal, TRUE, shown))
    yield from each_once(what, reached, (k, step), a.lengths[2], (*warp, m))
    yield from _scales(what, s, reached, (k, step), (g0, m0, n0), warp, lane)
    lengths = all_of(eq(a.lengths[0], c.lengths[0]), eq(b.lengths[0], c.lengths[0]), eq(a.lengths[1], c.lengths[1]),
                     eq(b.lengths[1], c.lengths[2]), eq(a.lengths[2], b.lengths[2]))  # fmt: skip
    yield Requirement(f"{what}: tiles agree", ForAll("g, m, n and k of the tiles are equal", lengths))


def _scales(
    what: str, s: Multiply, reached: Expr, steps: tuple[Expr, Expr], first: tuple[Expr, Expr, Expr],
    warp: tuple[Expr, ...], lane: Expr,
) -> Iterator[Requirement]:  # fmt: skip
    """Each lane has the scales that the instruction takes there: of its row, and of the block of k that a's lanes hold.

    All k that the instruction takes for one block are of one block of the tile, which the scale is of.
    """
    held = s.instruction.scales
    if not s.scales or held is None:
        return
    (k, step), (g0, m0, n0) = steps, first
    whole = s.a.distribution.lengths[2]
    for registers, role, row, fragments in zip(s.scales, "ab", (m0, n0), (s.a, s.b), strict=True):
        d = registers.distribution
        if len(d.lengths) != 3:
            raise LayoutError(f"{what}: tiles of scales are (g, m, block) and (g, n, block), of rank 3")
        operand = counted(s.instruction.of_scales(role))
        _refuse_elements(what, registers, operand)
        of_row, of_block = (operand.row, operand.column)[:: 1 if role == "a" else -1]
        repeated = internal("ym" if role == "a" else "yn", fragments.distribution.ys[0])
        counts = all_equal(d.ys[:2], fragments.distribution.ys[:2])
        yield Requirement(f"{what}: scales for each fragment", ForAll(f"{registers.name} has them", counts))
        found = _lower(registers, (*warp, lane), (repeated, k), operand.element, operand)
        block = of_block * held.block
        at: dict[Expr, Expr | int] = {operand.lane: lane}
        wanted = [substitute(w, at) for w in (g0, row + of_row, substitute(reached, {step: block}) // held.block)]
        at_lane = (Shown("wave", warp), Shown("lane", (lane,)), Shown("element", (operand.element,)))
        shown = (*at_lane, Shown("holds", found), Shown("wanted", tuple(wanted)))
        about = f"{what}: {registers.name} has the scales that {s.instruction.name} takes"
        yield Requirement(about, ForAll("each lane holds its scales", all_equal(found, wanted), TRUE, shown))
        lengths = all_of(eq(d.lengths[0], fragments.distribution.lengths[0]),
                         eq(d.lengths[1], fragments.distribution.lengths[1]),
                         eq(d.lengths[2] * held.block, whole))  # fmt: skip
        yield Requirement(f"{what}: tiles of scales agree", ForAll(f"{registers.name} has a scale a block", lengths))
    one = substitute(reached, {step: step // held.block * held.block}) // held.block
    at_k = (Shown("k", (k, step)), Shown("of the tile", (reached,)))
    together = ForAll("blocks stay blocks", eq(reached // held.block, one), TRUE, at_k)
    yield Requirement(f"{what}: the k of a block share its scale", together)


def each_once(
    what: str, reached: Expr, steps: Sequence[Expr], length: Expr, fixed: Sequence[Expr]
) -> Iterator[Requirement]:
    """What is reached in steps is the tile's k, each one once, whatever else is fixed."""
    over = tuple(v for v in steps if v.op == "var")
    kept = tuple(v for v in fixed if v in variables(reached))
    count = prod([as_expr(int(v.hi) + 1) for v in over])
    shown = (Shown("at", (*kept, *over)), Shown("k", (reached,)))
    yield Requirement(f"{what}: each k once", InjectiveMap("k differ", (*kept, *over), (*kept, reached), TRUE, shown))
    whole = all_of(inside([reached], [length]), eq(count, length))
    yield Requirement(f"{what}: every k of the tile", ForAll("k in the tile, as many as it has", whole, TRUE, shown))


def _types(what: str, s: Multiply) -> Iterator[Requirement]:
    """The elements are those that the instruction multiplies, the sums those that it adds to, scales powers of two."""
    yield Requirement(f"{what}: sums are f32", is_f32(s.c))
    i = s.instruction
    found, wanted = (s.a.dtype.name, s.b.dtype.name), (i.a_dtype, i.b_dtype)
    alike = all(w == "any" or dtype_of(w).name == f for f, w in zip(found, wanted, strict=True))
    alike &= i.accumulator == "f32"
    elements = ForAll(
        f"{i.name} multiplies {wanted[0]} and {wanted[1]}, not {found[0]} and {found[1]}", as_expr(int(alike))
    )
    yield Requirement(f"{what}: elements are the instruction's", elements)
    for r in s.scales:
        power = ForAll(f"{r.name} is e8m0, not {r.dtype.name}", as_expr(int(r.dtype == DTYPES["e8m0"])))
        yield Requirement(f"{what}: scales are powers of two", power)


def is_f32(c: Registers) -> ForAll:
    return ForAll(f"{c.name} is f32, not {c.dtype.name}", as_expr(int(c.dtype == DTYPES["f32"])))


def hardware_lanes(what: str, program: Program, wave: int) -> Iterator[Requirement]:
    """The last lane index is the thread's place in its hardware wave; the others are the same throughout a wave."""
    if wave == 1:
        return
    number, step = ZERO, 1
    for t in program.threads:
        number, step = number + t * step, step * (int(t.hi) + 1)
    shown = (Shown("thread", program.threads), Shown("lane", program.lanes), Shown("in its wave", (number % wave,)))
    place = ForAll("the lane is the thread's number mod the wave", eq(program.lanes[-1], number % wave), TRUE, shown)
    yield Requirement(f"{what}: lanes are the hardware's", place)
    others = primed(program.threads)
    there = [substitute(lane, others) for lane in program.lanes[:-1]]
    alike = all_of(*(eq(one, other) for one, other in zip(program.lanes, there, strict=False)))
    together = eq(number // wave, substitute(number, others) // wave)
    both = (Shown("thread", program.threads), Shown("thread", tuple(others.values())))
    yield Requirement(f"{what}: waves are the hardware's", ForAll("threads of a wave share it", alike, together, both))


def side_by_side(what: str, program: Program, lanes: int) -> Iterator[Requirement]:
    """Threads that differ in the lowest bits of their number alone have lanes that differ in theirs, and all are there.

    Waves of every target are whole groups of 32 threads of one number after the other, so they are of one wave.
    """
    thread, step = ZERO, 1
    for t in program.threads:
        thread, step = thread + t * step, step * (int(t.hi) + 1)
    if step % lanes:
        raise LayoutError(f"{what}: {step} threads are no whole groups of {lanes} lanes")
    *waves, lane = program.lanes
    shown = (Shown("thread", program.threads), Shown("lane", program.lanes))
    place = ForAll("the lowest bits are the thread's", eq(lane % lanes, thread % lanes), TRUE, shown)
    yield Requirement(f"{what}: lanes are the hardware's", place)
    others = primed(program.threads)
    alike = [eq(one, substitute(one, others)) for one in (*waves, lane // lanes)]
    together = eq(thread // lanes, substitute(thread, others) // lanes)
    both = (Shown("thread", program.threads), Shown("thread", tuple(others.values())))
    group = ForAll("threads side by side share all other bits", all_of(*alike), together, both)
    yield Requirement(f"{what}: lanes side by side are threads side by side", group)


def _waves(s: Multiply, lane: Expr) -> tuple[tuple[Expr, ...], Expr]:
    """Variables for the P index: the waves', and the lane's of one instruction."""
    *waves, lanes = lanes_of(s.c.distribution)
    wave = s.instruction.wave
    if wave == 1:  # lane by lane: every P index is a wave of one lane
        return lanes_of(s.c.distribution), ZERO
    if (held := int(lanes.hi) + 1) != wave:
        raise LayoutError(f"{s.instruction.name} takes waves of {wave} lanes; the last P has {held}")
    return tuple(waves), lane


def _lower(
    registers: Registers, p: Sequence[Expr | int], iterations: Sequence[Expr], element: Expr | int, operand: OperandMap
) -> tuple[Expr, ...]:
    """The tile coordinates of an element that a lane holds for the instruction."""
    d = registers.distribution
    p = p if len(d.ps) == len(p) else p[: len(d.ps)]
    return d.lower(p, (*iterations, *element_index(d, element)))


def _refuse_elements(what: str, registers: Registers, operand: OperandMap) -> None:
    """LayoutError unless each lane holds as many elements of a fragment as the instruction takes."""
    wanted = int(operand.element.hi) + 1
    found = prod(registers.distribution.ys[2:])
    if len(registers.distribution.ys) < 2 or int(found) != wanted:
        raise LayoutError(
            f"{what}: {registers.name} has fragments of {found} elements a lane; the instruction takes {wanted}"
        )
