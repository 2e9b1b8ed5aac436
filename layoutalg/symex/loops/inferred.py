"""Loops of a kernel of which nothing is known beforehand: how often they run is guessed, and the guess is a claim.

A loop is first followed with no word of its count; what its body makes of each register is found as in a program's loop
(`symex.loops`), modulo 2ⁿ, so it holds of every iteration.  When it leaves is then a condition on the iteration t:

| it leaves where | it runs |
|---|---|
| 0 ≤ a + b·t, b > 0 | 1 + max(0, ⌈−a / b⌉) times |
| a + b·t = 0 | 1 − a / b times |
| one of these holds, or another | the least of both times |
| one of these holds, and another | the most of both times |
| one of these holds, or what is loaded says so | a number of times that is not known, no more than that |
| what is loaded says so, to which waves store | a number of times that is not known: it waits (`waits` of the record) |

What was loaded before the loop may be in its count, which then is an unknown that is equal to it.

With that count it is followed again, now with t below it, and that it leaves in the last iteration and in none before
is to be proved: so the loop ends, and nothing in it wraps unseen.
Loops that each lane leaves for itself need no count (`divergence`), nor do those over a mask's lanes (`lane_by_lane`).
What it cannot represent: loops that are left by nothing but what they load of what nobody stores to.
"""

from __future__ import annotations

import itertools
from functools import reduce
from math import inf

from layoutalg.index import (
    ONE,
    TRUE,
    ZERO,
    Expr,
    all_of,
    as_expr,
    conjuncts,
    div,
    eq,
    maximum,
    minimum,
    negation,
    simplify,
    slack,
    var,
    variables,
)
from layoutalg.index.conditions import assuming, conjunction, implies
from layoutalg.prove import ForAll
from layoutalg.symex.loops.divergence import DivergentLoop
from layoutalg.symex.loops.execution import Edges, LoopExecution, SymbolicExecution
from layoutalg.symex.loops.lane_by_lane import LaneByLane, lanes_taken, whole
from layoutalg.symex.loops.natural import CountedLoop
from layoutalg.symex.loops.places import Register, own_exec, some_lane
from layoutalg.symex.loops.ranking import near, unwrapped
from layoutalg.symex.loops.record import LoopBuilder
from layoutalg.symex.machine.state import State
from layoutalg.symex.values.instances import moved, own_coordinates
from layoutalg.symex.values.unknowns import Kind, dependencies, kind_of
from layoutalg.symex.values.word import NotReadable

#: More iterations than this no loop has: each is an instruction at least.
MOST = 1 << 62


class InferredLoops(LoopBuilder):
    """The loops of a kernel, whose counts are found; no two executions have one name."""

    def __init__(self) -> None:
        super().__init__()
        self._divergent: dict[LoopExecution, bool] = {}  # whether each lane leaves for itself
        self._taken: dict[LoopExecution, Register] = {}  # the mask of which each iteration takes a lane
        self._limits: dict[LoopExecution, Expr] = {}  # how often one runs at most that data may leave before
        self._numbers = itertools.count()

    def execute(self, execution: SymbolicExecution, head: int, entry: State) -> Edges:
        """Executes one loop. Raises `NotReadable` where its count is not found."""
        this = execution.executed(head)
        if self._diverges(execution, head, entry):
            if self.variable(this) is None:
                self._named(this, f"turn {next(self._numbers)}", as_expr(MOST))
            return DivergentLoop(self, execution, head, entry).ends()
        if this in self._taken:
            if self.variable(this) is None:
                lanes = self._lanes(execution, entry, self._taken[this])
                self._named(this, f"turn {next(self._numbers)}", lanes)
            return LaneByLane(self, execution, head, entry, self._taken[this]).ends()
        t = self.variable(this)
        if t is None:
            t = self._begun(execution, head, entry)
        if t is None:  # no lane leaves in the first iteration, as sizes have it
            self._divergent[this] = True
            return self.execute(execution, head, entry)
        ends = CountedLoop(self, execution, head, entry, self._limits.get(this)).ends()
        if execution.machine.trace.recording:  # of no iterations nothing would be claimed, and the code makes one
            about = f"the loop at {head:#x}: one turn at least"
            active = own_exec(entry) if some_lane(execution.machine.w, entry) else TRUE  # a count is the whole wave's
            self.claim(ForAll(about, self.record.counts[t] >= 1, all_of(entry.condition, active)))
        return ends

    def _diverges(self, execution: SymbolicExecution, head: int, entry: State) -> bool:
        """Whether one iteration leaves EXEC with fewer lanes."""
        this, w = execution.executed(head), execution.machine.w
        if this not in self._divergent:
            with execution.machine.trace.paused(), self.trying():
                ends = execution.iteration(head, entry.copy())
            own = all_of(entry.condition, own_exec(entry))
            self._divergent[this] = any(not implies(own, own_exec(after)) for target, after in ends if target == head)
            mask = lanes_taken(w, entry, ends, head)
            if mask is not None:
                self._taken[this] = mask
        return self._divergent[this]

    def _named(self, this: LoopExecution, name: str, count: Expr) -> Expr:
        """A variable for an execution that is met for the first time."""
        t = var(name, count)
        self.meet(this, t, count)
        return t

    def _lanes(self, execution: SymbolicExecution, entry: State, mask: Register) -> Expr:
        """How many lanes a mask has before its loop: of some at least one."""
        w = execution.machine.w
        held = whole(w, entry, mask)
        assert held is not None
        found = w.unknown_of("lanes_taken", w.wave.size + 1, held.threads)
        w.note_uniform(found)
        self.know(found, found >= 1, lasting=True)
        return found

    def _begun(self, execution: SymbolicExecution, head: int, entry: State) -> Expr | None:
        """The variable of a loop that is met for the first time, below its count; None where lanes leave one by one."""
        this, number = execution.executed(head), next(self._numbers)
        free = self._named(this, f"turn {number}", as_expr(MOST))
        try:
            loop = CountedLoop(self, execution, head, entry)
            leaves, fewer = loop.exit_condition()
            leaves = assuming(leaves, entry.condition)  # what led here is known to hold
        finally:
            self.drop(this)
        count = loop.registers.forms.geometric.count(leaves)
        if count is not None:
            return self._named(this, f"iteration {number}", count)
        ways = conjuncts(conjunction(negation(leaves)))
        counts = [count for way in ways if (count := _count(negation(way), free)) is not None]
        if not counts and fewer:
            return None
        if not counts:
            if self._awaits(execution, head, entry, free):
                count = self._unknown_count(execution, leaves, MOST)
                self.know(count, count >= 1, lasting=True)
                waiting = self._named(this, f"iteration {number}", count)
                self.wait(waiting)
                return waiting
            self.leave(free, head, leaves, lasting=True)
            raise NotReadable(f"the loop at {head:#x} leaves where {leaves}: no count is seen in it")
        count = simplify(reduce(minimum, counts))
        most = simplify(maximum(1, count))  # one at least, whatever the count is: else nothing were claimed of these
        if len(counts) < len(ways):
            self._limits[this], count = most, self._unknown_count(execution, leaves, int(min(most.hi, MOST)))
            self.know(count, all_of(count >= 1, count <= most), lasting=True)
        elif any(kind_of(v) is not None for v in variables(count)):  # others have loaded others
            if most.hi == inf:
                raise NotReadable(f"the loop at {head:#x} runs {most} times, which is not limited")
            count = self._unknown_count(execution, leaves, int(most.hi))
            self.know(count, eq(count, most), lasting=True)
        return self._named(this, f"iteration {number}", count)

    def _awaits(self, execution: SymbolicExecution, head: int, entry: State, t: Expr) -> bool:
        """Whether it is left by elements that somebody stores to, of LDS or of a buffer."""
        this, trace = execution.executed(head), execution.machine.trace
        mark, claims = trace.mark(), self.mark()
        self.meet(this, t, as_expr(MOST))
        try:
            with execution.machine.w.within(t):
                leaves = CountedLoop(self, execution, head, entry.copy()).left_where()
        except NotReadable:
            return False
        finally:
            self.drop(this)
            trace.roll_back(mark)
            self.roll_back(claims)
        seen = {trace.loaded[v].buffer for v in dependencies(leaves) if v in trace.loaded} - {""}
        return any(name == "lds" or not trace.alike(name) for name in seen)

    def _unknown_count(self, execution: SymbolicExecution, leaves: Expr, most: int) -> Expr:
        """How often a loop runs that may be left before it has run as often as it can, or that was told by memory."""
        w = execution.machine.w
        found = w.shared("turns", most + 1) if w.of_the_block(leaves) else w.fresh("turns", most + 1)
        w.note_uniform(found)
        return found


def _count(leaves: Expr, t: Expr) -> Expr | None:
    """How often a loop runs that leaves where this holds; None where that is not seen."""
    parts = conjuncts(conjunction(leaves))
    if len(parts) > 1:
        counts = [count for part in parts if (count := _count(part, t)) is not None]
        return simplify(reduce(maximum, counts)) if len(counts) == len(parts) else None
    if any(kind_of(v) not in (None, Kind.DATA) or t in own_coordinates(v) for v in variables(leaves) if v is not t):
        return None
    plain = unwrapped(leaves)
    line, exact = (plain.args[0] - plain.args[1], True) if plain.op == "eq" else (slack(plain), False)
    if line is None:
        return None
    line = near(line)
    start = simplify(moved(line, {t: ZERO}))
    step = simplify(moved(line, {t: ONE}) - start)
    if step.op != "const" or not step.value or simplify(line - start - step * t) is not ZERO:
        return None
    each = abs(int(step.value))
    if exact:
        return simplify(1 + div(-start if step.value > 0 else start, each))
    return simplify(1 + maximum(0, div(-start + (each - 1), each))) if step.value > 0 else None
