"""Races in global memory: two threads' accesses of one byte, one of them a store, that nothing orders (`order`).

Of a tensor that is stored to, each access is cut into `units`; where each thread stores to units of its own alone, and
what else is loaded is none of them, no two meet.

| asked, the cheapest first | of |
|---|---|
| (block, thread, iteration, index) ↦ unit is one-to-one | stores that differ by strides, as one (`unrolled`) |
| equal units are of one thread | the same, and each two such groups, by their coordinates (`index.rows`) |
| no two threads meet | each two accesses, with all that their guards say |
| those that meet store the same, in any block (`one_value`) | an access that each thread makes once |

Of many groups is asked before whether each thread has a row of its own for them (`own_rows`).

Atomic operations of one width do not race with each other: each is carried out at once where all blocks meet (LLVM's
AMDGPUUsage, "Memory Model": they bypass the first cache; on gfx12 where their scope is the device or more).  With
anything else they do.

A load of which nothing reaches a store or a branch is no access: whatever it brings, all comes out alike.  A load of a
unit that its own thread stores to counts with the store.  What a thread has for itself is another thing in another
thread: iterations of its loops, whose number may be its own too, and what it loaded.
Of what was loaded is known what `launch.relations` says of both threads' elements.
What it cannot represent: that two threads have loaded the same of what is written, or is no integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement, product

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import WHOLE, Answer, Ask, SilenceError, shown
from layoutalg.audit.estimates import without_errors
from layoutalg.audit.global_memory.flags import Flags
from layoutalg.audit.global_memory.one_value import one_value_at_each_place
from layoutalg.audit.global_memory.order import barrier_between, in_program_order, last_behind_all
from layoutalg.audit.global_memory.own_copies import OwnBox, OwnCopy, own_copies
from layoutalg.audit.global_memory.own_rows import OwnRows, in_own_rows
from layoutalg.audit.global_memory.units import TensorUnits, UnitAccess
from layoutalg.audit.global_memory.unrolled import Part, Rolled, rolled, shared_guard, without
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.audit.lds.equal_values import ThreadValues
from layoutalg.audit.tickets import Tickets
from layoutalg.index import TRUE, Expr, all_of, any_of, eq, negation, variables
from layoutalg.index.conditions import conjunct_set, excludes
from layoutalg.index.rows import coordinates
from layoutalg.launch.symbolic import LDS
from layoutalg.prove import ForAll, InjectiveMap, Proved, Refuted, Shown
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved, others, own_coordinates
from layoutalg.symex.values.uninterpreted import ASSUMPTION

#: How many open parts of a question say that it is open.
MOST_OPEN = 4


def meetings(accesses: Sequence[TracedAccess], ask: Ask) -> Iterator[UnitMeeting | OwnRows | OwnBox | OwnCopy]:
    """Of each tensor that is stored to, the groups of accesses of which two threads may meet."""
    words = Tickets(ask, accesses), Flags(ask, accesses)
    stored = dict.fromkeys(one.memory for one in accesses if (one.store or one.atomic) and one.memory != LDS)
    for memory in stored:
        tensor = TensorUnits.of([access for access in accesses if access.memory == memory], ask.launched)
        yield from _TensorRaces(tensor, ask, *words).meetings()
        yield from own_copies(tensor, ask)


@dataclass(frozen=True)
class UnitMeeting:
    """Two groups of units of one tensor, or one with itself: two threads are there, and one changes what is there."""

    races: _TensorRaces
    one: Rolled
    other: Rolled
    updates: bool = False  # all by atomic operations that are indivisible for each other

    def __str__(self) -> str:
        mine, theirs = map(self.races.members, (self.one, self.other))
        return _about(mine) if self.one is self.other else f"{_about(mine)}; {_about(theirs)}"

    def decided(self) -> Answer:
        """Whether no two threads meet there."""
        if self.updates:
            return shown(str(self), "atomic operations of one width")
        if self.one is self.other:
            return self.races.alone(self.one)
        if self.races.never_both(self.one.guard, self.other.guard):
            return shown(str(self), "guards")
        return self.races.two(self.one, self.other)


@dataclass(frozen=True)
class _TensorRaces:
    """What is asked of the accesses of one tensor."""

    tensor: TensorUnits
    ask: Ask
    tickets: Tickets
    flags: Flags

    def meetings(self) -> Iterator[UnitMeeting | OwnRows]:
        """Every two groups, and each with itself, but for those that only load, and for rows of threads' own."""
        stores, updates, loads = self._groups()
        in_order = [one for one in stores + loads if not any(each.goes_apart for each in self.members(one))]
        own = in_own_rows(in_order, self.tensor.here, self.tensor.sizes, self.ask) if stores else []
        if own:
            yield OwnRows(_about([one for group in own for one in self.members(group)]))
        apart = set(map(id, own))
        yield from (UnitMeeting(self, one, one) for one in stores if id(one) not in apart)
        for one, other in (*combinations(stores, 2), *product(stores + updates, loads), *product(updates, stores)):
            if not {id(one), id(other)} <= apart:
                yield UnitMeeting(self, one, other)
        for one, other in combinations_with_replacement(updates, 2):
            yield UnitMeeting(self, one, other, updates=True)

    def _groups(self) -> tuple[list[Rolled], list[Rolled], list[Rolled]]:
        """The units that are stored to, those with atomic operations that are indivisible, and the others."""
        tensor, places = self.tensor, tuple(dict[Expr, list[Part]]() for _ in range(3))
        stored, updated, beside = places
        for one in sorted(tensor.accesses, key=lambda one: not tensor.is_exclusive(one)):
            for part in one.parts:
                own = part.offset in stored and not one.goes_apart
                group = stored if tensor.is_exclusive(one) or own else beside
                group = updated if one.access.atomic and tensor.indivisible else group
                group.setdefault(part.offset, []).append(part)
        stores, updates, loads = map(self._rolled, places)
        return stores, updates, loads

    def _rolled(self, group: Mapping[Expr, Sequence[Part]]) -> list[Rolled]:
        """Units in as few groups as are seen, of which each is in one."""
        found = list(rolled([_weakest(parts) for parts in group.values()], self.tensor.sizes))
        if {part.offset for one in found for part in one.parts} != group.keys():
            raise SilenceError("a unit that is accessed is in no group")
        return found

    def alone(self, group: Rolled) -> Answer:
        """A group of stores by itself."""
        tensor = self.tensor
        at = self._settled(group)
        if at is None:
            return self.two(group, group)
        own = [v for v in variables(at.offset) if v not in tensor.sizes and v not in tensor.here]
        strange = {*variables(at.guard)} - {*tensor.here, *own, *tensor.sizes, *group.indices}
        given = all_of(tensor.launched.given, without(at.guard, strange))
        over = tuple(dict.fromkeys((*tensor.here, *(v for v in own if v not in group.indices), *group.indices)))
        (outputs,) = coordinates([at.offset], [given], tensor.sizes)
        about = _about(self.members(group))
        one_to_one = InjectiveMap("no two threads store there", over, outputs, given, self._shown())
        whole = self.ask.decide(about, one_to_one, WHOLE)
        return whole if isinstance(whole.verdict, Proved) else self.two(group, group)

    def _settled(self, group: Rolled) -> Rolled | None:
        """The group without errors of estimates where its place hangs on none; None where it may, or on data."""
        settled = without_errors((group.offset, group.guard), [group.offset])
        if settled is None or settled[0] is group.offset:
            return None if settled is None else group
        offset, guard = settled
        known = all_of(self.tensor.launched.given, group.guard)
        same = ForAll("a place is the same for any error", all_of(eq(group.offset, offset), guard), known)
        answer = self.ask.decide(_about(self.members(group)), same, WHOLE)
        return replace(group, offset=offset, guard=guard) if isinstance(answer.verdict, Proved) else None

    def two(self, one: Rolled, other: Rolled) -> Answer:
        """Two groups, of two threads: equal units are of one thread; or each two accesses of them."""
        given = self.tensor.launched.given
        mine, theirs = self.members(one), self.members(other)
        there = self._there(other.offset, other.guard, *(touched.barriers for touched in theirs))
        offset, guard = (moved(e, there) for e in (other.offset, other.guard))
        each = [all_of(given, one.guard), all_of(moved(given, there), guard)]
        mine_at, theirs_at = coordinates([one.offset, offset], each, self.tensor.sizes)
        meet = all_of(*(eq(a, b) for a, b in zip(mine_at, theirs_at, strict=True)))
        about = _about(mine) if one is other else f"{_about(mine)}; {_about(theirs)}"
        goal = any_of(*self._ordered(mine, theirs, there), negation(meet))
        known = all_of(*each, self._known((one.offset, one.guard), (other.offset, other.guard), there))
        whole = self.ask.decide(about, ForAll("no two threads meet", goal, known, self._shown(there)), WHOLE)
        if isinstance(whole.verdict, Proved):
            return whole
        pairs = product(mine, theirs) if one is not other else ((a, b) for n, a in enumerate(mine) for b in mine[n:])
        return _by_parts(about, (self._exactly(a, b) for a, b in pairs if self._conflict(a, b)))

    def _exactly(self, one: UnitAccess, other: UnitAccess) -> Answer:
        """Two accesses of two threads, byte by byte, with all that their guards say."""
        given = self.tensor.launched.given
        there = self._there(other.offset, other.guard, other.barriers)
        offset, guard = (moved(e, there) for e in (other.offset, all_of(given, other.guard)))
        apart = any_of(one.offset + one.access.width <= offset, offset + other.access.width <= one.offset)
        about = str(one.access)
        if one is not other:
            about += f"; {other.access.instruction.address:#x} {other.access.instruction.name.lower()}"
        if (
            one is other
            and one.access.stored
            and one_value_at_each_place(one, self._values, self.tensor.sizes, self.ask)
        ):
            return self._assuming(shown(about, "one value at each place"))
        goal = any_of(*self._ordered([one], [other], there), apart)
        known = self._known((one.offset, one.guard), (other.offset, other.guard), there)
        obligation = ForAll("no two threads meet", goal, all_of(given, one.guard, guard, known), self._shown(there))
        return self.ask.decide(about, obligation)

    def _assuming(self, answer: Answer) -> Answer:
        """What is taken for granted where values are compared."""
        if not self._values.functions.applied:
            return answer
        return answer._replace(verdict=replace(answer.verdict, assumptions=(*answer.verdict.assumptions, ASSUMPTION)))

    @cached_property
    def _values(self) -> ThreadValues:
        return ThreadValues(BlockThreads(self.ask.launched), self.ask.trace)

    def members(self, group: Rolled) -> list[UnitAccess]:
        """The accesses that touch a unit of a group, in their order."""
        numbers = {n for part in group.parts for n in self._touching[part.offset]}
        return [self.tensor.accesses[n] for n in sorted(numbers)]

    @cached_property
    def _touching(self) -> Mapping[Expr, Sequence[int]]:
        """The numbers of the accesses that touch each unit."""
        found: dict[Expr, list[int]] = {}
        for n, one in enumerate(self.tensor.accesses):
            for part in one.parts:
                found.setdefault(part.offset, []).append(n)
        return found

    def _conflict(self, one: UnitAccess, other: UnitAccess) -> bool:
        """Whether two accesses may race: one changes memory, and both may be made in one launch."""
        indivisible = self.tensor.indivisible and one.access.atomic and other.access.atomic
        return (one.changes or other.changes) and not indivisible and not self.never_both(one.guard, other.guard)

    def never_both(self, one: Expr, other: Expr) -> bool:
        """Whether what all threads have alike keeps two accesses from being made in one launch."""
        uniform = [
            all_of(*(part for part in conjunct_set(guard) if all(v in self.tensor.sizes for v in variables(part))))
            for guard in (one, other)
        ]
        return excludes(*uniform)

    def _there(self, *exprs: Expr) -> dict[Expr, Expr]:
        """The other thread's names for what each has for itself."""
        here = self.tensor.here
        return others((*here, *own_coordinates(*exprs, alike={*here, *self.tensor.sizes})))

    def _ordered(
        self, mine: Sequence[UnitAccess], theirs: Sequence[UnitAccess], there: Mapping[Expr, Expr]
    ) -> tuple[Expr, ...]:
        """The ways in which what one thread does happens before what the other does, or after it."""
        by_barriers = (
            in_program_order(self.tensor, mine, theirs, there),
            barrier_between(self.tensor, mine, theirs, there),
        )
        if self.flags.indivisible(mine, theirs):
            return (TRUE,)
        by_words = last_behind_all(self.tickets, mine, theirs, there), self.flags.ordered(mine, theirs, there)
        return (*by_barriers, *chain(*by_words))

    def _known(self, mine: Sequence[Expr], theirs: Sequence[Expr], there: Mapping[Expr, Expr]) -> Expr:
        """What is known of the tickets of both threads."""
        if not self.tickets.all:
            return TRUE
        other = moved(self.tickets.facts(*theirs), there)
        return all_of(self.tickets.facts(*mine), other, self.tickets.distinct(there))

    def _shown(self, there: Mapping[Expr, Expr] | None = None) -> tuple[Shown, ...]:
        launched = self.tensor.launched
        shown = (Shown("block", launched.blocks), Shown("thread", launched.threads))
        other = () if there is None else tuple(there[v] for v in self.tensor.here)
        return shown if there is None else (*shown, Shown("and block and thread", other))


def _by_parts(about: str, parts: Iterable[Answer]) -> Answer:
    """What the parts of a question show of the whole."""
    left: list[Answer] = []
    assumed: dict[str, None] = {}
    for part in parts:
        if isinstance(part.verdict, Refuted):
            return part
        assumed |= dict.fromkeys(part.verdict.assumptions)
        left += [] if isinstance(part.verdict, Proved) else [part]
        if len(left) == MOST_OPEN:
            break
    return left[0] if left else shown(about, "two by two", tuple(assumed))


def _weakest(parts: Sequence[Part]) -> Part:
    """One unit that several accesses touch: under what all of their guards say."""
    return Part(parts[0].offset, shared_guard([part.guard for part in parts]))


def _about(members: Sequence[UnitAccess]) -> str:
    """The first access, and how many more there are."""
    first = str(members[0].access)
    return first if len(members) == 1 else f"{first}, and {len(members) - 1} more"
