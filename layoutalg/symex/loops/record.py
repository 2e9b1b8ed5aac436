"""What is known of a kernel's loops: how often each execution runs, what it carries, and when it is left.

A loop is followed several times until its invariant is found, so what an attempt noted can be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any

from layoutalg.index import Expr, simplify, variables
from layoutalg.prove.obligation import ForAll
from layoutalg.records import dataclass
from layoutalg.symex.loops.execution import LoopExecution
from layoutalg.symex.loops.ranking import LaneIterations
from layoutalg.symex.machine.tracing import WaveEnd
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import Kind, dependencies, kind_of, owner_of


@dataclass(frozen=True)
class Carried:
    """A register that a loop carries from iteration to iteration: its unknown at the head, and what it is otherwise."""

    loop: Expr
    unknown: Expr
    before: Expr  # what the register holds before the loop
    after: Expr  # what it holds at the end of an iteration
    iterations: LaneIterations | None = None  # of a loop that each lane leaves for itself, and what is left behind it
    left: Expr | None = None


@dataclass(frozen=True)
class LoopRecord:
    """Loops by their variables, and what was found about them."""

    counts: Mapping[Expr, Expr] = field(default_factory=dict)  # their variables, and how often they run
    claims: Sequence[ForAll] = ()  # what is to be proved, so that all else holds
    carried: Mapping[Expr, Carried] = field(default_factory=dict)
    incoming: Mapping[Expr, tuple[Expr, ...]] = field(default_factory=dict)  # each unknown at a head → what comes there
    facts: Mapping[Expr, Expr] = field(default_factory=dict)  # unknowns that loops leave behind → what holds of them
    iterations: Mapping[Expr, LaneIterations] = field(default_factory=dict)  # of loops that each lane leaves for itself
    last: Mapping[Expr, Expr] = field(default_factory=dict)  # of such, the iteration that was a lane's last
    exits: Mapping[Expr, tuple[int, Expr]] = field(default_factory=dict)  # each loop's head, and when it is left
    waits: Mapping[Expr, None] = field(default_factory=dict)  # those that end when another wave has stored
    ends: tuple[WaveEnd, ...] = ()  # where waves end

    def behind(self, within: Collection[Expr]) -> dict[Expr, Expr]:
        """The iterations of all loops but of these, where they are left: what their unknowns are of behind them."""
        found: dict[Expr, Expr] = {}
        left = {t: n for t, n in self.counts.items() if t not in within}
        while left:  # those around first
            t = next((t for t, n in left.items() if left.keys().isdisjoint(variables(n))), next(iter(left)))
            found[t] = simplify(moved(self.last.get(t, left.pop(t) - 1), found))
            left.pop(t, None)
        return found

    def waiting(self, data: Container[Expr]) -> Iterator[int]:
        """The heads of loops that are left by what an iteration has loaded, of these data, or carries of such."""
        for t, (head, leaves) in self.exits.items():
            if any(v in data and kind_of(v) is Kind.DATA and t in owner_of(v) for v in self.made_of(leaves)):
                yield head

    def made_of(self, *exprs: Expr) -> set[Expr]:
        """All that terms depend on, also by what loops carry."""
        seen, left = set[Expr](), [*exprs]
        while left:
            found = dependencies(left.pop()) - seen
            seen |= found
            left += [held for v in found for held in self.incoming.get(v, ())]
        return seen


@dataclass(frozen=True)
class Mark:
    """What there was at one time: how many claims, and what was noted of each variable."""

    claims: int
    noted: tuple[Mapping[Expr, Any], ...]  # what is carried first


class LoopBuilder:
    """The record while loops are followed, each execution by the variable that it has."""

    def __init__(self, counts: Mapping[Expr, Expr] | None = None) -> None:
        """`counts`: those that are known beforehand."""
        self._variables: dict[LoopExecution, Expr] = {}
        self._counts = dict(counts or {})
        self._claims: list[ForAll] = []
        self._carried: dict[Expr, Carried] = {}
        self._incoming: dict[Expr, tuple[Expr, ...]] = {}
        self._facts: dict[Expr, Expr] = {}
        self._iterations: dict[Expr, LaneIterations] = {}
        self._last: dict[Expr, Expr] = {}
        self._exits: dict[Expr, tuple[int, Expr]] = {}
        self._waits: dict[Expr, None] = {}
        self._lasting: set[Expr] = set()  # of which is noted what holds whatever is tried
        #: What there is so far.
        self.record = LoopRecord(
            self._counts, self._claims, self._carried, self._incoming, self._facts, self._iterations, self._last,
            self._exits, self._waits,
        )  # fmt: skip

    # Executions and their variables

    def variable(self, this: LoopExecution) -> Expr | None:
        """That of an execution, if it was met."""
        return self._variables.get(this)

    def meet(self, this: LoopExecution, t: Expr, count: Expr) -> None:
        """An execution has this variable, and runs so often."""
        self._variables[this], self._counts[t] = t, count

    def drop(self, this: LoopExecution) -> None:
        """Forgets an execution, its variable, and the executions within."""
        self.forget(this)
        del self._counts[self._variables.pop(this)]

    def forget(self, around: LoopExecution) -> None:
        """Forgets the executions of loops within one: what their counts are made of is followed anew."""
        for this in [one for one in self._variables if one[: len(around)] == around and len(one) > len(around)]:
            del self._variables[this]

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Where executions are met that are none afterwards."""
        known = dict(self._variables)
        try:
            yield
        finally:
            self._variables = known

    # What is found

    def claim(self, *claims: ForAll) -> None:
        """These are to be proved."""
        self._claims += claims

    def carry(self, carried: Carried) -> None:
        """A register is carried by a loop."""
        self._carried[carried.unknown] = carried

    def add_incoming(self, v: Expr, values: tuple[Expr, ...]) -> None:
        """What an unknown at a head may be: the operands of a phi node."""
        self._incoming[v] = (*self._incoming.get(v, ()), *values)

    def wait(self, t: Expr) -> None:
        """A loop ends when another wave has stored what it looks for."""
        self._waits[t] = None

    def leave(self, t: Expr, head: int, condition: Expr, *, lasting: bool = False) -> None:
        """A loop is left where this holds; `lasting` as its variable is, which no attempt takes back."""
        self._exits[t] = head, condition
        self._lasting |= {t} if lasting else set()

    def know(self, unknown: Expr, fact: Expr, *, lasting: bool = False) -> None:
        """This holds of an unknown; `lasting` as the variable that has it in its count, which no attempt takes back."""
        self._facts[unknown] = fact
        self._lasting |= {unknown} if lasting else set()

    def note_iterations(self, t: Expr, iterations: LaneIterations) -> None:
        """In these iterations of a loop a lane is active."""
        self._iterations[t] = iterations

    def note_last(self, t: Expr, last: Expr) -> None:
        """The iteration that was a lane's last."""
        self._last[t] = last

    # Attempts

    def mark(self) -> Mark:
        """What there is now."""
        return Mark(len(self._claims), tuple(map(dict, self._noted)))

    @property
    def _noted(self) -> tuple[dict[Expr, Any], ...]:
        return self._carried, self._incoming, self._facts, self._iterations, self._last, self._exits

    def roll_back(self, mark: Mark) -> None:
        """Forgets what was claimed and noted since then, but for what lasts."""
        del self._claims[mark.claims :]
        for noted, before in zip(self._noted, mark.noted, strict=True):
            lasting = {v: held for v, held in noted.items() if v in self._lasting}
            noted.clear()
            noted.update({**before, **lasting})

    def rewrite(self, mark: Mark, new: Callable[[Expr], Expr]) -> None:
        """Claims and what is carried since then, and all that is known, with other expressions."""
        since, (carried, *_) = self._claims[mark.claims :], mark.noted
        self._claims[mark.claims :] = [replace(c, goal=new(c.goal), given=new(c.given)) for c in since]
        for unknown, fact in self._facts.items():
            self._facts[unknown] = new(fact)
        for t, iterations in self._iterations.items():
            self._iterations[t] = iterations.under(new)
        for unknown, one in self._carried.items():
            if unknown not in carried:
                active = one.iterations and one.iterations.under(new)
                self._carried[unknown] = replace(one, before=new(one.before), after=new(one.after), iterations=active)
