"""Tickets: a word that begins as 0, and to which some threads of the launch each add 1, once at most.

    if (t == 0) got = atomicAdd(&ticket, 1)          got is 0, 1, …, M − 1 in some order, where M blocks do it

Nothing else changes the word before the last of them, so what it held is how many came before.  Two that find the same
are one, and who finds M − 1, of M that may come, comes behind all of them: what they did before is before what it does
after.
That is seen where each side does what the memory model asks (`acts`, `isa.semantics.ordering`).

A ticket travels in a wave by its first lane,
and in a block by LDS: what is found there is what was stored (`lds.history`), as long as nobody races for it.
What it cannot represent: tickets in loops, counters that begin elsewhere, or are set back but behind the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.acts import Act, There, Threads, before, behind
from layoutalg.audit.ask import Ask, Open
from layoutalg.audit.lds.history import History
from layoutalg.index import ONE, TRUE, ZERO, Expr, all_of, any_of, const, eq, mod, negation, simplify, var
from layoutalg.index.primed import same
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.ordering import DEVICE, SCOPED
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.records import dataclass
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE
from layoutalg.symex.values.instances import moved, origin_of, own_coordinates, place_of
from layoutalg.symex.values.unknowns import arguments_of, dependencies, function_of

#: Additions of one, by the ends of their names: to words of 32 bits in memory.
ADDITIONS = ("ATOMIC_ADD", "ATOMIC_ADD_U32")

#: Those that give 0 where they find their operand or more.
WRAPPING = ("ATOMIC_INC", "ATOMIC_INC_U32")


@dataclass(frozen=True)
class Ticket:
    """One atomic addition, and who may make it."""

    act: Act
    word: Expr  # what it found
    most: Expr  # how many threads of the launch may make it

    @property
    def found(self) -> Expr:
        """What the taker found."""
        return moved(self.word, self.act.by)


@dataclass(frozen=True, eq=False)
class Tickets:
    """The tickets of a kernel."""

    ask: Ask
    accesses: Sequence[TracedAccess]

    @property
    def launched(self) -> KernelLaunch:
        """The launch."""
        return self.ask.launched

    @cached_property
    def threads(self) -> Threads:
        """Those that may take one."""
        return Threads(self.launched)

    @cached_property
    def all(self) -> tuple[Ticket, ...]:
        """Those that are seen."""
        return tuple(ticket for one in self.perhaps if (ticket := self._ticket(one)) is not None)

    @property
    def perhaps(self) -> Sequence[TracedAccess]:
        """The operations that may take one, whatever else is known of memory."""
        names = (*ADDITIONS, *WRAPPING)
        found = (one for one in self.accesses if one.order and one.order.found and one.memory != LDS)
        return [one for one in found if one.instruction.name.endswith(names)]

    def _ticket(self, one: TracedAccess) -> Ticket | None:
        """The ticket that an atomic operation takes, if it does nothing else."""
        assert one.order is not None
        launched = self.launched
        if one.loops or own_coordinates(one.offset, alike=self._sizes):
            return None
        act = self.threads.act(one)
        if act is None:
            return None
        most: Expr = const(act.count)
        for size in launched.grid:
            most = most * size
        most = simplify(most)
        (word,) = one.order.found
        counts = self._adds_one(one, most) and self._begins_with_nothing(one)
        if not counts or not self.ask.holds(most <= 1 << 31, launched.given):
            return None
        ticket = Ticket(act, word, most)
        beside = (other for other in self.accesses if other.memory == one.memory and other is not one)
        return ticket if all(self._is_behind_all(other, ticket) for other in beside) else None

    def _is_behind_all(self, one: TracedAccess, ticket: Ticket) -> bool:
        """Whether an access of the word is a store that comes behind the last ticket: nobody takes one after it."""
        if not one.store or one.atomic:
            return False
        last = self.behind_the_last(one, one.barriers, ZERO, ticket)
        known = all_of(self.launched.given, one.guard, self._facts((one.guard,), (ticket,)))
        return self.ask.holds(last, known)

    def _adds_one(self, one: TracedAccess, most: Expr) -> bool:
        """Whether it adds 1 to a word of 32 bits, where all blocks meet; it may begin anew at the last of them."""
        assert one.order is not None
        instruction, launched = one.instruction, self.launched
        access = ACCESSES[instruction.name]
        scoped = launched.kernel.architecture.name in SCOPED
        wraps = instruction.name.endswith(WRAPPING)
        if one.width != 4 or len(one.order.found) != 1:
            return False
        if not access.returns(instruction.fields):
            return False  # nobody looks at it, and nothing is known of what its wave sees behind it
        if access.space == "lds" or (scoped and instruction.fields.get("scope", 0) < DEVICE):
            return False
        operands = (simplify(mod(e, 1 << 32)) for e in one.order.operands)  # as the machine compares them
        goals = (most - 1 <= e if wraps else eq(e, 1) for e in operands)
        return all(self.ask.holds(goal, all_of(launched.given, one.guard)) for goal in goals)

    def _begins_with_nothing(self, one: TracedAccess) -> bool:
        """Whether the launch says that its word is an element that is 0 when it begins."""
        tensor = self.launched.start[one.memory]
        if tensor.element != one.width or not tensor.whole:
            return False
        begins = var("begins", 1 << 32) - (1 << 31 if tensor.signed else 0)
        return self.ask.holds(eq(begins, 0), tensor.allows(begins))

    @cached_property
    def _sizes(self) -> frozenset[Expr]:
        return self.launched.alike - {*self.launched.blocks}

    # What is known of what was found

    @cached_property
    def _history(self) -> History | Open:
        return History.of(self.launched, self.ask.trace.elements, updates=True)

    def facts(self, *exprs: Expr) -> Expr:
        """What is known of what the own thread has of tickets, in these expressions."""
        return self._facts(exprs, self.all) if self.all else TRUE

    def _facts(self, exprs: Sequence[Expr], tickets: Sequence[Ticket]) -> Expr:
        found: dict[Expr, Expr] = {}
        left = [*dependencies(*exprs)]
        while left:
            v = left.pop()
            if v not in found:
                found[v] = self._fact(v)
                left += dependencies(found[v]) if found[v] is not TRUE else ()
        limits = (any_of(negation(one.act.guard), one.found < one.most) for one in tickets)
        return all_of(*found.values(), *limits)

    def _fact(self, v: Expr) -> Expr:
        """What an unknown is: what a lane of the own wave has, or what was stored in LDS."""
        origin = origin_of(v)
        if function_of(v) == ELSEWHERE and arguments_of(v)[1].op == "const":
            there, lane = arguments_of(v)
            if origin is v:
                return eq(v, moved(there, self.threads.lane(lane)))
            return moved(self._fact(origin), place_of(v))
        if origin is v and self.ask.trace.loaded.get(v) == LDS and not isinstance(self._history, Open):
            return all_of(*self._stored(v, self._history))
        return TRUE

    def _stored(self, v: Expr, history: History) -> Iterator[Expr]:
        """That what was read of LDS is what some thread stored there last, if it did."""
        pieces = history.forwarded(v, {t: t for t in self.launched.threads}) if v in history.read else []
        for piece in [] if isinstance(pieces, Open) else pieces:
            if not piece.element.loops:
                value, needed = (moved(e, piece.writer) for e in (piece.element.value, piece.needed))
                yield any_of(negation(all_of(piece.where, needed)), eq(v, value))

    def distinct(self, there: There) -> Expr:
        """That two tickets differ, or are one."""
        return all_of(*(any_of(*_either_not(one, there), self._one(one, there)) for one in self.all))

    def _one(self, ticket: Ticket, there: There) -> Expr:
        """That the own taker and the other's are one, or found unlike words."""
        takers = [ticket.act.by.get(t, t) for t in self.launched.threads]
        each = all_of(*(eq(e, moved(e, there)) for e in takers))
        unlike = negation(eq(ticket.found, moved(ticket.found, there)))
        return any_of(all_of(same(self.launched.blocks, there), each), unlike)

    # What happens before what

    def before_the_last(self, one: TracedAccess, signals: Expr, ticket: Ticket) -> Expr:
        """Whether what the own thread does is seen by whoever finds the ticket that its wave or block takes after.

        `signals`: to how many barriers its wave has come there.
        """
        if one is ticket.act.access:
            return TRUE  # whoever takes the last has taken it after
        return before(one, signals, ticket.act, self.launched)

    def behind_the_last(self, one: TracedAccess, barriers: Expr, renewed: Expr, ticket: Ticket) -> Expr:
        """Whether the own thread does something behind the last ticket, and finds all that this orders.

        `barriers`: how many its wave has passed there, and when it renewed its caches.
        """
        last = all_of(ticket.act.guard, eq(ticket.found, ticket.most - ONE))
        return all_of(last, behind(one, barriers, renewed, ticket.act, self.launched))


def _either_not(ticket: Ticket, there: There) -> tuple[Expr, Expr]:
    """That the own taker takes none, or the other's."""
    return negation(ticket.act.guard), negation(moved(ticket.act.guard, there))
