"""Flags: a word that one thread stores, and that others load in a loop until it is other than it was at first.

    data[i] = …; release; if (t == 0) store(&flag[b], 1)        while (load(&flag[b]) == 0); acquire; … = data[i]

No other instruction changes the word, and no two threads store to one word; it begins as what the loop goes on with.
So who leaves the loop has found what that thread stored: what was before the store is before what is behind the loop,
where both sides do what the memory model asks (`acts`).

| of a flag | is asked |
|---|---|
| the store | that it is of a whole word, in no loop, and goes where all blocks meet |
| the load | the same, in each iteration of its loop, and of one place; none that streams: it renews nothing |
| the words that are stored to | that each is of one thread of the launch |
| what the launch says of them | that no word which it may begin with ends the loop |

Such a store and such a load are indivisible for each other: each is one dword that is carried out where all meet.
What it cannot represent: flags that are stored to twice, or by atomic operations; flags in LDS; one wait in a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.acts import Act, There, Threads, before, behind
from layoutalg.audit.ask import Answer, Ask, Open, unseen
from layoutalg.audit.global_memory.units import UnitAccess
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.index import (
    FALSE,
    ZERO,
    Expr,
    all_of,
    any_of,
    conjuncts,
    eq,
    negation,
    simplify,
    variables,
)
from layoutalg.index.conditions import assuming, implies
from layoutalg.index.primed import same
from layoutalg.isa.semantics.accesses import may_tell
from layoutalg.isa.semantics.ordering import reaches_device
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.prove import ForAll, Proved
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved, others, own_coordinates
from layoutalg.symex.values.unknowns import Kind, arguments_of, kind_of

#: What a proof says that it takes for granted where waves wait for each other.
PROGRESS = "blocks of smaller numbers come to run whatever those of greater numbers wait for"


@dataclass(frozen=True)
class FlagWait:
    """A load of a flag in a loop that is left by it: by the own thread, and by the first of its block that may."""

    access: TracedAccess
    loop: Expr
    own: Act
    first: Act | None

    @property
    def acts(self) -> Iterator[Act]:
        """Those by which what is behind the loop may be behind the flag."""
        yield self.own
        if self.first is not None:
            yield self.first


@dataclass(frozen=True)
class FlagWord:
    """A store that sets a flag, and the loads that wait for it."""

    signal: Act
    waits: tuple[FlagWait, ...]


@dataclass(frozen=True, eq=False)
class Flags:
    """The flags of a kernel."""

    ask: Ask
    accesses: Sequence[TracedAccess]

    @property
    def launched(self) -> KernelLaunch:
        """The launch."""
        return self.ask.launched

    @cached_property
    def all(self) -> tuple[FlagWord, ...]:
        """Those that are seen."""
        loops = self.ask.trace.loops
        waited = {one.memory for one in self.accesses if not loops.waits.keys().isdisjoint(one.loops)} - {LDS}
        return tuple(flag for memory in sorted(waited) if (flag := self._flag(memory)) is not None)

    def _flag(self, memory: str) -> FlagWord | None:
        """That whose words a tensor has, if it is one."""
        its = [one for one in self.accesses if one.memory == memory]
        changes = [one for one in its if one.store or one.atomic]
        if len(changes) != 1 or not self._is_whole(changes[0]) or changes[0].loops:
            return None
        signal = Threads(self.launched).act(changes[0])
        if signal is None or not self._of_one_thread(changes[0]):
            return None
        waits = tuple(wait for one in its if not one.store and (wait := self._wait(one)) is not None)
        return FlagWord(signal, waits) if waits else None

    def _is_whole(self, one: TracedAccess) -> bool:
        """Whether it is of one word of a tensor of such, where all blocks meet."""
        words = one.width == 4 and self.launched.start[one.memory].element == 4 and not one.atomic
        kernel = self.launched.kernel
        keeps = kernel.machine.keeps_stores
        through = reaches_device(one.instruction.fields, kernel.architecture.name, keeps, one.store)
        tells = one.store or may_tell(one.instruction.name, one.instruction.fields)  # what is stale behind it is known
        return words and through and tells and one.order is not None and one.instruction.form != "SMEM"

    def _of_one_thread(self, store: TracedAccess) -> bool:
        """Whether no two threads of the launch store to one word."""
        launched = self.launched
        here = (*launched.blocks, *launched.threads)
        there = others((*here, *own_coordinates(store.offset, store.guard, alike={*here, *launched.alike})))
        offset, guard = moved(store.offset, there), all_of(launched.given, store.guard)
        goal = any_of(same(here, there), negation(eq(store.offset, offset)))
        about = ForAll("no two threads set one flag", goal, all_of(guard, moved(guard, there)))
        return isinstance(self.ask.decide(str(store), about).verdict, Proved)

    def _wait(self, one: TracedAccess) -> FlagWait | None:
        """The wait by a load, if its loop goes on with all that the word may hold at first."""
        loops, launched = self.ask.trace.loops, self.launched
        if len(one.loops) != 1 or one.loops[0] not in loops.waits or not self._is_whole(one):
            return None
        (t,) = one.loops
        if t in own_coordinates(one.offset) or len(one.loaded) != 1:
            return None
        _, leaves = loops.exits[t]
        tensor = launched.start[one.memory]
        ((_, word),) = tensor.words(one.width, one.loaded)
        known = all_of(launched.given, one.guard, leaves)
        if not tensor.whole or not self.ask.holds(negation(tensor.allows(tensor.number(word))), known):
            return None
        last, numbers = loops.counts[t] - 1, np.nonzero(BlockThreads(launched).may_hold(one.guard))[0].tolist()
        threads = Threads(launched)
        own = Act(one, {t: simplify(last)}, True, len(numbers), threads.wave.number)
        by = threads.thread(numbers[0]) if numbers else {}
        first = Act(one, {**by, t: simplify(moved(last, by))}, False, len(numbers), threads.wave.number)
        return FlagWait(one, t, own, first if numbers else None)

    # What happens before what

    def ordered(self, mine: Sequence[UnitAccess], theirs: Sequence[UnitAccess], there: There) -> Iterator[Expr]:
        """By each flag, whether what the one thread does is before its store, and the other's behind its wait."""
        for flag in self.all:
            for wait in flag.waits:
                for act in wait.acts:
                    yield self._by(flag.signal, act, mine, theirs, {}, there)
                    yield self._by(flag.signal, act, theirs, mine, there, {})

    def _by(
        self, signal: Act, wait: Act, early: Sequence[UnitAccess], late: Sequence[UnitAccess], here: There, there: There
    ) -> Expr:
        """Whether what one thread does is before the signal that another has waited for, and what that does behind."""
        (t,) = wait.access.loops
        if any(t in one.access.loops for one in late):
            return FALSE
        ways = [before(one.access, one.signals, signal, self.launched) for one in early]
        told = [behind(one.access, one.barriers, one.renewed, wait, self.launched) for one in late]
        sets = moved(all_of(signal.guard, *ways), here)
        waits = moved(all_of(wait.guard, *told), there)
        return all_of(sets, waits, eq(moved(signal.offset, here), moved(wait.offset, there)))

    def indivisible(self, mine: Sequence[UnitAccess], theirs: Sequence[UnitAccess]) -> bool:
        """Whether these are the store of a flag and the loads that wait for it."""
        for flag in self.all:
            waits = [wait.access for wait in flag.waits]
            for one, other in ((mine, theirs), (theirs, mine)):
                if all(a.access is flag.signal.access for a in one) and all(b.access in waits for b in other):
                    return True
        return False

    # That a flag is set

    def served(self, loop: Expr) -> Answer:
        """Whether a loop that waits is left: what ends it is stored by a thread that is kept waiting by no later one.

        Each block is told by one of a smaller number: the first waits for nobody, and each comes to its end if those
        before it do, as long as all loops but these end, and waves meet at barriers.
        """
        head, leaves = self.ask.trace.loops.exits[loop]
        about = f"the loop at {head:#x}: what it waits for is stored"
        found = [(flag, wait) for flag in self.all for wait in flag.waits if wait.loop is loop]
        words = self.awaited(loop)
        if not found or any(axis.steps for axis in self.ask.trace.order.axes):
            return unseen(about, Open(f"it waits for what {words} holds: that a thread sets it is not seen"))
        (flag, wait), launched = found[0], self.launched
        own = self._own_part(leaves, wait)
        if own is None:
            return unseen(about, Open(f"it waits for what {words} holds, and for more than the own lane's"))
        given = all_of(launched.given, launched.exists, wait.access.guard)
        answers = [self.ask.decide(about, ForAll(about, goal, given)) for goal in self._by_earlier(flag, wait, own)]
        answer = next((one for one in answers if isinstance(one.verdict, Proved)), None)
        if answer is None:
            why = Open(f"it waits for what {words} holds: that a block of a smaller number sets it is not shown")
            return unseen(about, why)
        return answer._replace(verdict=replace(answer.verdict, assumptions=(*answer.verdict.assumptions, PROGRESS)))

    def awaited(self, loop: Expr) -> str:
        """What a loop looks at, by its names."""
        trace = self.ask.trace
        _, leaves = trace.loops.exits[loop]
        names = {trace.loaded.get(v, "") for v in trace.loops.made_of(leaves)} - {""}
        return " and ".join(sorted(name.upper() if name == LDS else name for name in names))

    def _own_part(self, leaves: Expr, wait: FlagWait) -> Expr | None:
        """When the own lane lets its wave leave, by what it has found; None where more decides."""
        alike, lanes = list[Expr](), list[Expr]()  # of what the wave has alike, and of lanes
        for part in conjuncts(wait.access.guard):
            (alike if {*own_coordinates(part)} <= self.launched.alike | {*self.launched.blocks} else lanes).append(part)
        parts, others = list[Expr](), list[Expr]()
        for part in conjuncts(assuming(leaves, all_of(*alike))):
            made_of = variables(part)
            (others if made_of and all(kind_of(v) is Kind.ANY for v in made_of) else parts).append(part)
        own = all_of(*parts)
        for part in others:  # that no other lane has what the own one has not
            (v, *more) = variables(part)
            of = arguments_of(v)
            if more or part is not eq(v, 1) or len(of) != 1 or not implies(own, negation(of[0])):
                return None
        if not {*variables(own)} <= {*wait.access.loaded, *self.launched.threads}:
            return None
        # A lane that does not look lets the others leave.
        given = self.launched.given
        return own if all(self.ask.holds(own, all_of(given, negation(part))) for part in lanes) else None

    def _by_earlier(self, flag: FlagWord, wait: FlagWait, own: Expr) -> Iterator[Expr]:
        """That a block of a smaller number sets what ends the own wait: the first block, or the one before."""
        launched, signal = self.launched, flag.signal
        blocks, grid = launched.blocks, launched.grid
        for there in (dict.fromkeys(blocks, ZERO), *({b: simplify(b - 1)} for b in blocks)):
            by = {**there, **signal.by}
            inside = (
                all_of(moved(b, there) >= 0, moved(b, there) < size) for b, size in zip(blocks, grid, strict=False)
            )
            number = _number(blocks, grid)
            (value,), (found,) = signal.access.stored, wait.access.loaded
            yield all_of(
                *inside, moved(number, there) < number, moved(signal.access.guard, by),
                eq(moved(signal.access.offset, by), wait.access.offset), moved(own, {found: moved(value, by)}),
            )  # fmt: skip


def _number(blocks: Sequence[Expr], grid: Sequence[Expr]) -> Expr:
    """The number of a block in its grid, the first axis the fastest."""
    found: Expr = ZERO
    for block, size in zip(reversed(blocks), reversed(grid[: len(blocks)]), strict=True):
        found = found * size + block
    return simplify(found)
