"""What a kernel finds in tensors that it stores to itself, of what the launch says that they hold when it begins.

    v = head[b]; … ; head[b] = w          v is what head[b] began with: nobody has stored there before
    next[i] = next[next[i]]               in any order: if all that is stored is below N, all that is loaded is, too

| of a load is known | where |
|---|---|
| all that is said of what was there at first | no store to the element may come before it |
| what is said of each element by itself | each store to the tensor, of whole elements, keeps it (`kept`) |

What is known so of all lanes of a wave decides its masks: where `if (state->on)` loads of what is stored to elsewhere,
that no lane finds 0 is known of the wave, and so which way it goes.

A store comes before a load in its own thread's order, or in another's where a barrier or a ticket is between: where
nothing is, the two race, and `race_free` is not proved.  So a store that is in no such order is none that the load
finds, and what is shown with this knowledge rests on `race_free`, and it on that: in time (`claims.in_time`).
That each store keeps what is said is shown of the first that would not: all that was loaded before was as is said.
What it cannot represent: loads that find what was there at first in some iterations; what atomic operations keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import Ask, AtFirst, LaunchMemory
from layoutalg.audit.tickets import Tickets
from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, any_of, conjuncts, eq, mod, negation, simplify, variables
from layoutalg.index.primed import same
from layoutalg.launch.memory import TensorMemory
from layoutalg.records import dataclass
from layoutalg.symex.loops.facts import Facts
from layoutalg.symex.machine.wave_unknowns import NOBODY
from layoutalg.symex.trace import Trace, terms
from layoutalg.symex.values.instances import moved, origin_of, others, own_coordinates
from layoutalg.symex.values.unknowns import arguments_of, dependencies, function_of

#: Loads and stores of one tensor that are compared.
MOST = 1 << 10


@dataclass(frozen=True, eq=False)
class Beginning:
    """What is seen of one kernel's loads of tensors of which the launch says how they begin."""

    at_first: AtFirst
    left: Mapping[str, str] = field(default_factory=dict)  # tensors of which not all is known, and why

    @classmethod
    def of(cls, ask: Ask, accesses: Sequence[TracedAccess]) -> Beginning:
        """Looks at all of its accesses."""
        launched = ask.launched
        said = {name for one in launched.relations.assumed for name in one.tensors}
        said |= {name for name, one in launched.start.items() if one.assumed}
        names = [name for name, one in launched.tensors.items() if one.written and name in said]
        if not names:
            return cls(AtFirst())
        first, left = set[Expr](), dict[str, str]()
        # Waves may learn how far others are by flags, too.
        tickets = bool(
            Tickets(ask, accesses).perhaps or ask.trace.loops.waits
        )  # one that is seen with what is known from here is one, too
        for name in names:
            mine = _TensorAccesses(ask, [one for one in accesses if one.memory == name], tickets)
            for load, why in mine.loads():
                if why:
                    left.setdefault(name, why)
                else:
                    first |= {*load.loaded}
        kept = _kept(ask, accesses, [name for name in names if launched.start[name].assumed])
        return cls(AtFirst(frozenset(first), kept), {name: why for name, why in left.items() if name not in kept})

    def __bool__(self) -> bool:
        return bool(self.at_first.first or self.at_first.kept)

    @property
    def told(self) -> Iterator[str]:
        """In words, of which loads it is not known that they find what the launch says."""
        yield from (f"nothing is known of what is loaded of {name}: {why}" for name, why in self.left.items())


def knowing(ask: Ask, at_first: AtFirst) -> Ask:
    """The same questions, with what is known of tensors from when the launch begins."""
    trace, launched, memory = ask.trace, ask.launched, LaunchMemory(ask.launched, at_first)
    assumed = {**trace.facts.assumed}
    for load in trace.loads:
        if load.buffer in launched.tensors and launched.tensors[load.buffer].written:
            holds = memory.assumed(load.buffer, load.offset, load.size, load.values)
            assumed |= {} if holds is TRUE else {v: all_of(assumed.get(v, TRUE), holds) for v in load.values}
    facts: Facts = replace(trace.facts, assumed=assumed, environment=memory)
    known: Trace = replace(trace, facts=facts)
    lanes = _of_no_lane(Ask(launched, known, memory), at_first)
    return Ask(launched, replace(known, facts=replace(facts, assumed={**assumed, **lanes})), memory)


def _of_no_lane(ask: Ask, at_first: AtFirst) -> Mapping[Expr, Expr]:
    """Of masks' bits: that no lane of the wave has one, where what was loaded shows of each lane that it has not."""
    trace, found = ask.trace, dict[Expr, Expr]()
    known = {v for load in trace.loads for v in load.values if load.buffer in at_first.kept} | at_first.first
    for v in {*map(origin_of, dependencies(*terms((trace.elements, trace.loops, trace.meetings))))}:
        bits = arguments_of(v) if function_of(v) == NOBODY else ()
        depends = not known.isdisjoint(dependencies(*bits))
        if depends and all(ask.holds(negation(bit), ask.launched.given) for bit in bits):
            found[v] = eq(v, 1)
    return found


def with_known(accesses: Sequence[TracedAccess], ask: Ask, at_first: AtFirst) -> tuple[TracedAccess, ...]:
    """When accesses happen, and behind how many barriers, where it is known what was there at first.

    A number that is put in is that of the unknown in every thread and iteration, so of every instance, too.
    """
    made_of = variables(*(e for one in accesses for e in (one.guard, one.barriers, one.invalidated, *one.parted)))
    asked = [v for v in made_of if v in at_first.first or function_of(v) == NOBODY]
    known = {v: number for v in asked if (number := _number(v, ask.trace.facts)) is not None}
    if not known:
        return tuple(accesses)

    def there(e: Expr) -> Expr:
        return simplify(moved(e, known))

    def known_there(one: TracedAccess) -> TracedAccess:
        parted = tuple(way for way in one.parted if there(way) not in (TRUE, FALSE))
        when = there(one.guard), there(one.barriers), there(one.invalidated)
        return replace(one, guard=when[0], barriers=when[1], invalidated=when[2], parted=parted)

    return tuple(map(known_there, accesses))


def _number(v: Expr, facts: Facts) -> Expr | None:
    """The one number that an unknown has, as far as it is said."""
    parts = (part for fact in facts.of(v) for part in conjuncts(fact) if part.op == "eq" and v in part.args)
    return next((other for part in parts for other in part.args if other.op == "const"), None)


@dataclass(frozen=True)
class _TensorAccesses:
    """The accesses of one tensor, in the order of the code."""

    ask: Ask
    accesses: Sequence[TracedAccess]
    tickets: bool  # whether blocks may learn by tickets or flags how far others are

    def loads(self) -> Iterator[tuple[TracedAccess, str]]:
        """Each load, and why it may find what was stored; empty where it does not."""
        stores = [(n, one) for n, one in enumerate(self.accesses) if one.store or one.atomic]
        for n, load in enumerate(self.accesses):
            if load.store or load.atomic:
                continue
            late = len(self.accesses) > MOST
            found = next((store for m, store in stores if late or not self._is_before(n, load, m, store)), None)
            yield load, "" if found is None else f"that {load} before {_place(found)} does is not seen"

    def _is_before(self, n: int, load: TracedAccess, m: int, store: TracedAccess) -> bool:
        """Whether a load finds nothing that a store of any thread has stored."""
        return self._before_own(load, store, m < n) and self._before_others(load, store)

    def _before_own(self, load: TracedAccess, store: TracedAccess, after: bool) -> bool:
        """Whether what the own thread has stored before is elsewhere; `after`: the load stands behind in the code."""
        shared = [t for t in load.loops if t in store.loops]
        apart = load.goes_apart  # it may come late: by another way, in no order with stores
        if not (after or shared or apart) and load.in_step and store.in_step:
            return True
        there = others(store.loops, "_before")
        earlier: Expr = TRUE
        if not (after or apart) and shared:
            earlier = any_of(*(there[t] < t for t in shared))
        return self._apart(load, store, there, earlier, ())

    def _before_others(self, load: TracedAccess, store: TracedAccess) -> bool:
        """Whether what another thread has stored is elsewhere, or no barrier is between."""
        launched = self.ask.launched
        here = (*launched.blocks, *launched.threads)
        own = own_coordinates(store.offset, store.guard, store.barriers, alike={*here, *launched.alike})
        there = others((*here, *own))
        unordered: tuple[Expr, ...] = ()
        raced = all_of(launched.given, load.guard)
        if not self.tickets and self.ask.holds(load.used, raced):
            late = moved(store.signals, there) >= load.barriers
            unordered = (negation(same(launched.blocks, there)), late)
        return self._apart(load, store, there, TRUE, (same(here, there), *unordered))

    def _apart(
        self, load: TracedAccess, store: TracedAccess, there: Mapping[Expr, Expr], given: Expr, ways: Sequence[Expr]
    ) -> bool:
        """Whether the bytes of a load and of a store elsewhere are apart, or one of these ways is so."""
        offset, guard = (moved(e, there) for e in (store.offset, all_of(self.ask.launched.given, store.guard)))
        apart = any_of(load.offset + load.width <= offset, offset + store.width <= load.offset)
        known = all_of(self.ask.launched.given, load.guard, guard, given)
        return self.ask.holds(any_of(*ways, apart), known)


def _kept(ask: Ask, accesses: Sequence[TracedAccess], names: Sequence[str]) -> frozenset[str]:
    """The tensors that always hold what is assumed of each element, if all of these did up to there."""
    kept = frozenset(names)
    while kept:
        known = knowing(ask, AtFirst(kept=kept))
        stores = (one for one in accesses if one.memory in kept and (one.store or one.atomic))
        broken = next((one for one in stores if not _keeps(known, ask.launched.start[one.memory], one)), None)
        if broken is None:
            return kept
        kept -= {broken.memory}
    return kept


def _keeps(ask: Ask, tensor: TensorMemory, store: TracedAccess) -> bool:
    """Whether a store leaves whole elements that are as the tensor's are assumed to be."""
    count = len(store.stored)
    if store.atomic or not count or store.width % tensor.element:
        return False
    if simplify(mod(store.offset, tensor.element)) is not ZERO:
        return False
    words = [word for _, word in tensor.words(store.width // count, store.stored)]
    if len(words) * tensor.element != store.width:
        return False
    given = all_of(ask.launched.given, store.guard)
    return all(ask.holds(tensor.allows(tensor.number(word)), given) for word in words)


def _place(one: TracedAccess) -> str:
    return f"{one.instruction.address:#x} {one.instruction.name.lower()}"
