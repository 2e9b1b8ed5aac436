"""LDS: accesses inside their buffer, one word for each element, and no two threads at one word between barriers.

Barriers cut the run of a block into intervals.  In a loop with barriers, an iteration's end and the next one's
beginning are in one interval, and so are what is before the loop and the first iteration's beginning, and the last
one's end and what follows:

    before, head(0) │ middle(0) │ tail(0), head(1) │ middle(1) │ …  tail(n − 1), after        │ is a barrier

Every loop runs at least once (`blocks.control`); in one without barriers every thread is in an iteration of its own.
Two accesses of one interval, one of them a store, may touch one word only if one thread makes both.  A copy is a store
in every interval from where it begins to the barrier after it is awaited (`asynchronous`); it is in no order with what
its own thread does, so nothing else may touch its words there.  Nor are the reads of an instruction that takes its
operands from LDS (`MultiplyShared`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from layoutalg.index import TRUE, Expr, all_of, as_expr, eq, extent_of, internal, negation, substitute, variables
from layoutalg.index.normal import simplify
from layoutalg.index.primed import primed, same
from layoutalg.kernel.access.address import offset_of
from layoutalg.kernel.access.matrix_loads import row_start
from layoutalg.kernel.access.places import tile_start, vector_start, word_of
from layoutalg.kernel.obligations.asynchronous import Flight
from layoutalg.kernel.obligations.base import Requirement, fits, inside
from layoutalg.kernel.obligations.collective import collective
from layoutalg.kernel.obligations.memory import computed, vector
from layoutalg.kernel.program import (
    AsyncCopy,
    Await,
    Barrier,
    Commit,
    LoadShared,
    Loop,
    MultiplyShared,
    Program,
    Reading,
    Shared,
    SharedAccess,
    Statement,
)
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.prove import ForAll, InBounds, Injective, InjectiveMap, Obligation, Shown
from layoutalg.prove.domain import index_form
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Instance:
    """An access with its loops' indices put in; `private` are those of loops in which threads run apart.

    `unordered`: in no order with what its own thread does: a copy's store while it is under way, and the reads of an
    instruction that takes its operands from LDS.
    """

    number: int
    access: SharedAccess
    private: tuple[Expr, ...] = ()
    unordered: bool = False

    @property
    def but_slot(self) -> tuple[object, ...]:
        """What is accessed, in whichever slot."""
        return self.access.shared, self.access.descriptor, self.access.registers, self.access.vector

    def at(self, index: Expr, value: Expr | int) -> Instance:
        """The access where a loop's index has a value."""
        return replace(self, access=self.access.at(index, value))


@dataclass(frozen=True)
class Interval:
    """The accesses between one barrier and the next, for all values of the loop indices that `given` allows."""

    accesses: tuple[Instance, ...]
    given: Expr = TRUE


def shared_access(program: Program, number: int, access: SharedAccess) -> Iterator[Requirement]:
    """An access stays in its buffer; a store keeps elements apart; slots exist; vectors are whole."""
    what = f"{number}: {access.what}"
    descriptor = access.descriptor
    buffer = TensorDescriptor(descriptor.adaptor, as_expr(access.shared.elements))
    form = index_form(descriptor)
    everywhere = ForAll("no element lies in padding", form.valid, TRUE, (Shown("index", form.top),))
    yield Requirement(f"{what}: every element has a word", everywhere)
    yield Requirement(f"{what}: inside the buffer", InBounds(buffer))
    if not access.loads:
        yield Requirement(f"{what}: one word for each element", Injective(buffer))
    x = program.coordinates(access, access.registers.distribution.y_index)
    x_names = tuple(internal(f"x{n}", length) for n, length in enumerate(descriptor.lengths))
    same = ForAll("the emitted word is the map's", eq(offset_of(descriptor, x_names), descriptor.offset(x_names)))
    yield Requirement(f"{what}: the emitted formula is the map", same)
    if isinstance(access, LoadShared):
        shown = (Shown("thread", program.threads), Shown("coordinates", x))
        within = ForAll("what is read is in the tile", inside(x, descriptor.lengths), TRUE, shown)
        yield Requirement(f"{what}: inside the tile", within)
    if access.slot.op != "const" or access.slot.value:
        slots = ForAll("the slot exists", inside([access.slot], [as_expr(access.shared.slots)]))
        yield Requirement(f"{what}: inside the slots", slots)
    if isinstance(access, LoadShared) and access.by:
        yield from collective(what, program, access)
    else:
        yield from vector(what, access, descriptor)
    if access.vector is not None and access.shared.slots > 1:
        whole = ForAll("a slot is whole vectors", eq(as_expr(access.shared.elements) % access.width, 0))
        yield Requirement(f"{what}: slots begin at a vector", whole)
    meant = row_start(program, access) if isinstance(access, LoadShared) and access.by else vector_start(access, x)
    yield computed(what, tile_start(program, access), meant, program)
    parts = [*tile_start(program, access), word_of(access, x_names)]
    yield from fits(f"{what}: words fit 32 bits", parts, 32, program.requires)


def intervals(program: Program) -> list[Interval]:
    """The LDS accesses of each interval."""
    reading = _Intervals({id(s): n for n, s in program.statements()})
    segments = reading.segments(program.body, Flight())
    return [*reading.closed, *map(Interval, segments)]


class _Intervals(Reading[None]):
    """Cuts a body into what lies between barriers; `closed` are the intervals that lie within loops."""

    def __init__(self, numbers: Mapping[int, int]) -> None:
        self.numbers = numbers
        self.closed: list[Interval] = []
        self.found: list[tuple[Instance, ...]] = []
        self.flight: Flight[Instance] = Flight()

    def segments(self, body: Sequence[Statement], flight: Flight[Instance]) -> list[tuple[Instance, ...]]:
        """What lies between the barriers of a body; the first and the last go on outside it.

        All but the first begin with the copies that are under way there; those of the first are in what is before.
        """
        outside = self.found, self.flight
        self.found, self.flight = [()], flight
        for s in body:
            self.read(s)
        inside, (self.found, self.flight) = self.found, outside
        return inside

    def read_statement(self, s: Statement) -> None:
        """What touches no LDS is in no interval; what does, and is not known here, is refused."""
        if any(isinstance(data, Shared) for data in (*s.reads, *s.adds_to, *s.fills)):
            super().read_statement(s)

    def read_barrier(self, s: Barrier) -> None:
        self.found.append(self.flight.under_way)

    def read_shared_access(self, s: SharedAccess) -> None:
        self.found[-1] += (Instance(self.numbers[id(s)], s),)

    def read_multiply_shared(self, s: MultiplyShared) -> None:
        self.found[-1] += tuple(Instance(self.numbers[id(one)], one, unordered=True) for one, *_ in s.sides)

    def read_async_copy(self, s: AsyncCopy) -> None:
        self.flight.begin(self.copied(s))
        self.found[-1] += self.flight.begun[-1:]

    def copied(self, s: AsyncCopy) -> Instance:
        return Instance(self.numbers[id(s.store)], s.store, unordered=True)

    def read_commit(self, s: Commit) -> None:
        self.flight.commit()

    def read_await(self, s: Await) -> None:
        self.flight.land(s.groups)

    def read_loop(self, s: Loop) -> None:
        """Joins a loop's segments with what is before it; what follows it is joined to its last one."""
        index, count = s.index, extent_of(s.index)
        copies = any(isinstance(p, AsyncCopy | Commit | Await) for p in s.body)
        inside = self.at_head(s) if copies else self.flight.copied()
        parts = self.segments(s.body, inside)
        if len(parts) == 1:
            if copies:
                raise LayoutError(f"loop {index.value.name} begins or awaits copies, and has no barrier")
            self.found[-1] += tuple(replace(p, private=(*p.private, index)) for p in parts[0])
            return
        if copies:
            self.flight = inside.put(lambda p: p.at(index, count - 1))
        head, *middle, tail = parts
        self.closed += [Interval(part) for part in middle]
        self.closed.append(Interval((*tail, *(p.at(index, index + 1) for p in head)), index + 1 < count))
        self.found[-1] += tuple(p.at(index, 0) for p in head)
        self.found.append(tuple(p.at(index, count - 1) for p in tail))

    def at_head(self, s: Loop) -> Flight[Instance]:
        """The copies under way at an iteration's head: those before the loop, but for their slots."""
        inside = self.flight.at_head(s, self.copied, lambda one, at: one.at(s.index, at))
        before, wanted = self.flight.under_way, inside.under_way
        if [one.but_slot for one in before] != [one.but_slot for one in wanted]:
            raise LayoutError(f"loop {s.index.value.name} goes on with other copies than those before it")
        return inside


def no_race(program: Program) -> Iterator[Requirement]:
    """Of each two accesses of one interval to one buffer, one of them a store: they touch different words."""
    asked: dict[tuple[str, Obligation], None] = {}
    for interval in intervals(program):
        for place, one in enumerate(interval.accesses):
            for other in interval.accesses[place:]:
                stored = not (one.access.loads and other.access.loads)
                if one.access.shared == other.access.shared and stored:
                    about = f"{one.number} and {other.number}: no race in {one.access.shared.name}"
                    asked[about, _apart(program, interval, one, other)] = None
    # One question may be asked by several intervals: names tell different ones apart.
    times: dict[str, int] = {}
    for about, obligation in asked:
        times[about] = times.get(about, 0) + 1
        yield Requirement(about if times[about] == 1 else f"{about} ({times[about]})", obligation)


def _apart(program: Program, interval: Interval, one: Instance, other: Instance) -> Obligation:
    """Two threads never touch one word; every element of the two threads' accesses is compared."""
    here = _offset(program, one.access)
    if one is other and not one.private:
        points = (*program.threads, *one.access.registers.distribution.y_index)
        shown = (Shown("thread", program.threads), Shown("word", (here,)))
        return InjectiveMap("threads write different words", points, (here,), TRUE, shown)
    moving = (*program.threads, *other.access.registers.distribution.y_index, *other.private)
    renamed = primed(moving)
    slots = (one.access.slot, substitute(other.access.slot, renamed))
    if simplify(slots[0]) is not simplify(slots[1]):
        told = tuple(Shown(f"slot of {i.number}", (s,)) for i, s in zip((one, other), slots, strict=True))
        return ForAll("they use different slots", negation(_equal(*slots)), interval.given, told)
    there = substitute(_offset(program, other.access), renamed)
    others, same_thread = tuple(renamed[t] for t in program.threads), same(program.threads, renamed)
    both = (Shown("thread", program.threads), Shown("thread", others), Shown("words", (here, there)))
    free = set(variables(here, there))
    given = interval.given if free & set(variables(interval.given)) else TRUE
    if one.unordered or other.unordered:
        return ForAll(
            "nothing touches what a copy may still write, or a product read", negation(eq(here, there)), given, both
        )
    return ForAll(
        "no two threads touch one word without a barrier between", same_thread, all_of(eq(here, there), given), both
    )


def _equal(one: Expr, other: Expr) -> Expr:
    """one = other; of remainders by one number: that their dividends differ by a multiple of it."""
    if one.op == other.op == "mod" and one.args[1] is other.args[1]:
        return eq((one.args[0] - other.args[0]) % one.args[1], 0)
    return eq(one, other)


def _offset(program: Program, access: SharedAccess) -> Expr:
    return access.descriptor.offset(program.coordinates(access, access.registers.distribution.y_index))
