"""What must hold of a kernel program before it is emitted, as claims for the prover.

| obligation            | says                                                                                        |
|-----------------------|---------------------------------------------------------------------------------------------|
| threads ↔ tile        | each distribution is one-to-one between (lanes, registers) and the tile                     |
| cover                 | tiles are one-to-one with blocks, and reach every coordinate of the target once             |
| global access         | whatever its guard lets through is a coordinate of the tensor; the tensor's map is in bounds|
| target ↔ memory       | the target's map is a bijection: every element is written, none twice                       |
| vectors               | the elements of a vector access are consecutive, aligned, and all inside or all outside     |
| LDS                   | maps are in the buffer, one-to-one, and what is read is what was written there              |
| no race               | no two threads touch a word of LDS in one barrier interval, where one of them writes        |
| values                | the value stored at a target coordinate is the source's at the same coordinate              |
| index type            | every value of the emitted index arithmetic fits its type                                   |

Together they say: for all sizes, after the kernel, target[x] = source[x] for each x.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from layoutalg.index import TRUE, Expr, all_of, as_expr, eq, prod, substitute, var, variables
from layoutalg.index.c import intermediates
from layoutalg.index.normal import simplify
from layoutalg.kernel.program import (
    Barrier,
    GlobalAccess,
    Load,
    LoadShared,
    Program,
    Registers,
    Shared,
    SharedAccess,
    Store,
    StoreShared,
    Tensor,
    vector_width,
)
from layoutalg.layout import TensorDescriptor
from layoutalg.prove import (
    Agree,
    Bijective,
    Claim,
    Contiguous,
    ForAll,
    InBounds,
    Injective,
    InjectiveMap,
    Limits,
    Obligation,
    Proved,
    RoundTrip,
    Shown,
    Verdict,
    prove,
)


@dataclass(frozen=True)
class Requirement:
    """One obligation of a program: what it is about, and what the prover is asked."""

    about: str
    claim: Claim | Obligation


@dataclass(frozen=True)
class Verified:
    """A program with the verdict on each of its obligations."""

    program: Program
    verdicts: tuple[tuple[str, Verdict], ...]

    @property
    def proved(self) -> bool:
        """Whether every obligation is proved."""
        return all(isinstance(verdict, Proved) for _, verdict in self.verdicts)

    @property
    def failures(self) -> tuple[tuple[str, Verdict], ...]:
        """The obligations that are not proved."""
        return tuple((about, v) for about, v in self.verdicts if not isinstance(v, Proved))


def verify(program: Program, *, strategy: str | None = None, limits: Limits | None = None) -> Verified:
    """Every obligation of the program, decided; `strategy="z3"` sends each to the solver itself."""
    limits = limits or Limits()
    return Verified(
        program,
        tuple((r.about, prove(r.claim, strategy=strategy, limits=limits)) for r in requirements(program)),
    )


def requirements(program: Program) -> Iterator[Requirement]:
    """Every obligation of the program."""
    yield from _lanes(program)
    for registers in program.registers:
        yield Requirement(f"{registers.name}: threads ↔ tile", RoundTrip(registers.distribution.adaptor))
        yield from _fills_the_tile(program, registers)
    yield from _cover(program)
    for tensor in dict.fromkeys(s.tensor for s in program.body if isinstance(s, GlobalAccess)):
        yield Requirement(f"{tensor.name}: addresses in bounds", InBounds(tensor.descriptor))
        yield from _offset_fits(program, tensor)
    yield Requirement(f"{program.target.name}: every element has one coordinate", Bijective(program.target.descriptor))
    for number, access in enumerate(program.body):
        if isinstance(access, GlobalAccess):
            yield from _global_access(program, number, access)
        elif isinstance(access, SharedAccess):
            yield from _shared_access(number, access)
    yield from _no_race(program)
    yield from _values(program)


# --- threads, tiles, blocks -------------------------------------------------------------------------------------------


def _lanes(program: Program) -> Iterator[Requirement]:
    """The lanes of the distributions are the threads of the block, one to one."""
    shown = (Shown("thread", program.threads), Shown("lane", program.lanes))
    threads = prod([as_expr(int(t.hi) + 1) for t in program.threads])
    for registers in program.registers:
        lengths = registers.distribution.ps
        inside = [all_of(p >= 0, p < n) for p, n in zip(program.lanes, lengths, strict=True)]
        goal = all_of(*inside, eq(prod(lengths), threads))
        yield Requirement(f"{registers.name}: a lane for each thread", ForAll("lanes are threads", goal, TRUE, shown))
    yield Requirement("lanes differ", InjectiveMap("lanes differ", program.threads, program.lanes, TRUE, shown))


def _fills_the_tile(program: Program, registers: Registers) -> Iterator[Requirement]:
    lengths = registers.distribution.lengths
    goal = all_of(*(eq(n, t) for n, t in zip(lengths, program.tile, strict=True)))
    yield Requirement(f"{registers.name}: the tile's lengths", ForAll("the distribution has the tile's lengths", goal))


def _cover(program: Program) -> Iterator[Requirement]:
    """Every coordinate of the target lies in the tile of exactly one block."""
    lengths = program.target.descriptor.lengths
    yield Requirement("blocks ↔ tiles", RoundTrip(program.tiles))
    x = tuple(var(name, n) for name, n in zip(program.target.names, lengths, strict=True))
    counts = program.tiles.bottom_lengths
    reached = all_of(*(i // t < n for i, t, n in zip(x, program.tile, counts, strict=True) if n is not None))
    yield Requirement(
        "every coordinate is in a tile",
        ForAll("x div tile is the number of a tile", reached, program.requires, (Shown("x", x),)),
    )
    tile = tuple(var(f"n{d}", n) for d, n in enumerate(counts) if n is not None)
    inner = tuple(var(f"c{d}", t) for d, t in enumerate(program.tile))
    reach = tuple(n * t + c for n, t, c in zip(tile, program.tile, inner, strict=True))
    yield Requirement("no coordinate is in two tiles", InjectiveMap("tiles are disjoint", (*tile, *inner), reach))


# --- global memory ----------------------------------------------------------------------------------------------------


def y_index(registers: Registers) -> tuple[Expr, ...]:
    """One variable for each Y of a register tile."""
    return registers.distribution.y_index


def coordinates(program: Program, access: GlobalAccess) -> tuple[Expr, ...]:
    """The tensor's coordinates that a thread accesses at each Y index."""
    inner = program.coordinates(access, y_index(access.registers))
    return tuple(o + c for o, c in zip(access.origin, inner, strict=True))


def guard(access: GlobalAccess, x: tuple[Expr, ...]) -> Expr:
    """The condition under which the access at coordinates x takes place: what the ranges do not already give."""
    if not access.guarded:
        return TRUE
    return all_of(*(simplify(i < n) for i, n in zip(x, access.tensor.descriptor.lengths, strict=True)))


def vector_start(access: GlobalAccess | SharedAccess, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Expressions at the first element of a vector."""
    if access.vector is None:
        return exprs
    return tuple(substitute(e, {y_index(access.registers)[access.vector]: 0}) for e in exprs)


def _global_access(program: Program, number: int, access: GlobalAccess) -> Iterator[Requirement]:
    what = f"{number}: {'load from' if isinstance(access, Load) else 'store to'} {access.tensor.name}"
    lengths, x = access.tensor.descriptor.lengths, coordinates(program, access)
    start = vector_start(access, x)
    allowed = all_of(guard(access, start), program.requires)
    shown = (
        Shown("block", program.grid),
        Shown("thread", program.threads),
        Shown("coordinates", x),
        Shown("lengths", lengths),
    )
    inside = all_of(*(all_of(i >= 0, i < n) for i, n in zip(x, lengths, strict=True)))
    yield Requirement(f"{what}: inside the tensor", ForAll("guarded coordinates are in range", inside, allowed, shown))
    if access.guarded:
        elements = all_of(*(i < n for i, n in zip(x, lengths, strict=True)))
        goal = guard(access, start) if access.vector is not None else TRUE
        if goal is not TRUE:
            yield Requirement(
                f"{what}: the guard lets everything inside through",
                ForAll("an element inside passes the guard", goal, all_of(elements, program.requires), shown),
            )
    yield from _vector(what, access, access.tensor.descriptor)
    parts = intermediates([*start, guard(access, start)])
    yield from _fits(program, f"{what}: coordinates fit {program.index_bits} bits", parts, program.requires)


def _vector(what: str, access: GlobalAccess | SharedAccess, descriptor: TensorDescriptor) -> Iterator[Requirement]:
    """A vector's elements lie one after another along one coordinate, and so in memory."""
    if access.vector is None:
        return
    width, y = vector_width(access), y_index(access.registers)
    lanes = access.registers.distribution.p_index
    inner = access.registers.distribution.lower(lanes, y)
    moving = [d for d, i in enumerate(inner) if y[access.vector] in variables(i)]
    if len(moving) != 1:
        raise ValueError(f"{what}: a vector runs along {len(moving)} coordinates; it must run along one")
    start = inner[moving[0]], substitute(inner[moving[0]], {y[access.vector]: 0})
    goal = all_of(eq(start[0], start[1] + y[access.vector]), eq(start[1] % width, 0))
    yield Requirement(f"{what}: a vector runs along coordinate {moving[0]}", ForAll("lanes of a vector", goal))
    if isinstance(access, GlobalAccess):
        begin = eq(access.origin[moving[0]] % width, 0)
        yield Requirement(f"{what}: tiles begin at a vector", ForAll("the origin is a multiple of the vector", begin))
    yield Requirement(f"{what}: {width} elements are one vector", Contiguous(descriptor, moving[0], width))


def offset_of(descriptor: TensorDescriptor, x: tuple[Expr, ...]) -> Expr:
    """The offset as it is emitted: the descriptor's map in normal form."""
    return simplify(descriptor.offset(x))


def coordinate_variables(tensor: Tensor) -> tuple[Expr, ...]:
    """A variable for each coordinate of a tensor, under its name."""
    return tuple(var(name, n) for name, n in zip(tensor.names, tensor.descriptor.lengths, strict=True))


def _offset_fits(program: Program, tensor: Tensor) -> Iterator[Requirement]:
    """The emitted offset is the descriptor's, and its arithmetic fits."""
    x = coordinate_variables(tensor)
    emitted = offset_of(tensor.descriptor, x)
    same = ForAll("the emitted offset is the descriptor's", eq(emitted, tensor.descriptor.offset(x)))
    yield Requirement(f"{tensor.name}: the emitted formula is the map", same)
    what = f"{tensor.name}: offsets fit {program.index_bits} bits"
    yield from _fits(program, what, intermediates([emitted]), program.requires)


def _fits(program: Program, about: str, parts: list[Expr], given: Expr) -> Iterator[Requirement]:
    limit = 1 << (program.index_bits - 1)
    wide = [e for e in parts if not -limit <= e.lo <= e.hi < limit]
    goal = all_of(*(all_of(e >= -limit, e < limit) for e in wide))
    shown = tuple(Shown(repr(e), (e,)) for e in wide)
    yield Requirement(about, ForAll(f"values fit {program.index_bits} bits", goal, given, shown))


# --- LDS --------------------------------------------------------------------------------------------------------------


def _shared_access(number: int, access: SharedAccess) -> Iterator[Requirement]:
    store = isinstance(access, StoreShared)
    what = f"{number}: {'store to' if store else 'load from'} {access.shared.name}"
    descriptor = access.descriptor
    buffer = TensorDescriptor(descriptor.adaptor, as_expr(access.shared.elements))
    yield Requirement(f"{what}: inside the buffer", InBounds(buffer))
    if store:
        yield Requirement(f"{what}: one word for each element", Injective(buffer))
    yield from _vector(what, access, descriptor)


def intervals(program: Program) -> list[list[tuple[int, SharedAccess]]]:
    """The LDS accesses between one barrier and the next, with their statement numbers."""
    found: list[list[tuple[int, SharedAccess]]] = [[]]
    for number, statement in enumerate(program.body):
        if isinstance(statement, Barrier):
            found.append([])
        elif isinstance(statement, SharedAccess):
            found[-1].append((number, statement))
    return found


def _no_race(program: Program) -> Iterator[Requirement]:
    for group in intervals(program):
        for place, (i, one) in enumerate(group):
            for j, other in group[place:]:
                if one.shared is other.shared and StoreShared in (type(one), type(other)):
                    yield Requirement(f"{i} and {j}: no race in {one.shared.name}", _apart(program, one, other))


def _apart(program: Program, one: SharedAccess, other: SharedAccess) -> Obligation:
    """Two threads never touch one word; every element of the two threads' accesses is compared."""
    here = _offsets(program, one)
    if one is other:
        points = (*program.threads, *y_index(one.registers))
        shown = (Shown("thread", program.threads), Shown("word", (here,)))
        return InjectiveMap("threads write different words", points, (here,), TRUE, shown)
    renamed: dict[Expr, Expr | int] = {
        v: var(f"{v.value.name}_other", int(v.hi) + 1) for v in (*program.threads, *y_index(other.registers))
    }
    there = substitute(_offsets(program, other), renamed)
    others = tuple(as_expr(renamed[t]) for t in program.threads)
    same_thread = all_of(*(eq(a, b) for a, b in zip(program.threads, others, strict=True)))
    both = (Shown("thread", program.threads), Shown("thread", others), Shown("words", (here, there)))
    return ForAll("two threads touch one word with no barrier between", same_thread, eq(here, there), both)


def _offsets(program: Program, access: SharedAccess) -> Expr:
    return access.descriptor.offset(program.coordinates(access, y_index(access.registers)))


# --- values -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Held:
    """What a tile holds: at tile coordinate x, the source at origin + x; and the map it was stored by, in LDS."""

    origin: tuple[Expr, ...]
    written: TensorDescriptor | None = None


def _values(program: Program) -> Iterator[Requirement]:
    """Follows the source's values through registers and LDS to the target."""
    held: dict[Registers | Shared, _Held] = {}
    for number, s in enumerate(program.body):
        if isinstance(s, Load):
            held[s.registers] = _Held(s.origin)
        elif isinstance(s, StoreShared):
            held[s.shared] = _Held(_known(held, s.registers, number).origin, s.descriptor)
        elif isinstance(s, LoadShared):
            there = _known(held, s.shared, number)
            assert there.written is not None
            yield Requirement(f"{number}: what is read is what was written", Agree(s.descriptor, there.written))
            held[s.registers] = _Held(there.origin)
        elif isinstance(s, Store):
            origin = _known(held, s.registers, number).origin
            same = all_of(
                *(all_of(eq(a, b), eq(b, c)) for a, b, c in zip(origin, s.origin, program.origin, strict=True))
            )
            shown = (Shown("block", program.grid), Shown("from", origin), Shown("to", s.origin))
            yield Requirement(
                f"{number}: {program.target.name}[x] = {program.source.name}[x]",
                ForAll("values keep their coordinates", same, TRUE, shown),
            )
    shapes = zip(program.source.descriptor.lengths, program.target.descriptor.lengths, strict=True)
    yield Requirement(
        "shapes agree", ForAll("source and target have one shape", all_of(*(eq(a, b) for a, b in shapes)))
    )


def _known(held: dict[Registers | Shared, _Held], tile: Registers | Shared, number: int) -> _Held:
    if tile not in held:
        raise ValueError(f"statement {number} reads {tile.name}, which nothing has filled before")
    return held[tile]
