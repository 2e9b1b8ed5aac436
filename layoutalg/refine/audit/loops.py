"""Loops of a kernel of which nothing is known beforehand: how often they run is guessed, and the guess is a claim.

A loop is first followed with no word of its count; what its body makes of each register is found as in a program's loop
(`refine.loops`), modulo 2ⁿ, so it holds of every iteration.  When it leaves is then a condition on the iteration t:

| it leaves where | it runs |
|---|---|
| 0 ≤ a + b·t, b > 0 | 1 + max(0, ⌈−a / b⌉) times |
| a + b·t = 0 | 1 − a / b times |

With that count it is followed again, now with t below it, and that it leaves in the last iteration and in none before
is to be proved: so the loop ends, and nothing in it wraps unseen.
Loops that each lane leaves for itself need no count (`divergence`), nor do those over a mask's lanes (`lane_by_lane`).
What it cannot represent: counts that depend on what is loaded, of loops that all lanes leave together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from layoutalg.index import (
    TRUE,
    Expr,
    all_of,
    as_expr,
    const,
    div,
    maximum,
    simplify,
    slack,
    substitute,
    var,
    variables,
)
from layoutalg.index.conditions import implies
from layoutalg.prove import ForAll
from layoutalg.refine.loops.divergence import DivergentLoop
from layoutalg.refine.loops.execution import Ends, SymbolicExecution
from layoutalg.refine.loops.invariants import Loop, Loops
from layoutalg.refine.loops.lane_by_lane import LaneByLane, lanes_taken, whole
from layoutalg.refine.loops.places import Register, own_exec, some_lane
from layoutalg.refine.loops.ranking import near, unwrapped
from layoutalg.refine.symbolic.state import State
from layoutalg.refine.values.unknowns import kind_of
from layoutalg.refine.values.word import NotReadable

#: More iterations than this no loop has: each is an instruction at least.
MOST = 1 << 62


@dataclass
class FoundLoops(Loops):
    """The loops of a kernel, by the variables that are given to them."""

    divergent: dict[int, bool] = field(default_factory=dict)  # heads → whether each lane leaves for itself
    taken: dict[int, Register] = field(default_factory=dict)  # heads → the mask of which each turn takes a lane

    def execute(self, execution: SymbolicExecution, head: int, entry: State) -> Ends:
        """Executes one loop. Raises `NotReadable` where its count is not found."""
        if self._diverges(execution, head, entry):
            if head not in self.heads:
                turn = var(f"turn {len(self.heads)}", MOST)
                self.heads[head], self.expected = turn, {**self.expected, turn: as_expr(MOST)}
            return DivergentLoop(self, execution, head, entry).ends()
        if head in self.taken:
            if head not in self.heads:
                turn = var(f"turn {len(self.heads)}", self._lanes(execution, entry, self.taken[head]))
                self.heads[head], self.expected = turn, {**self.expected, turn: turn.value.extent}
            return LaneByLane(self, execution, head, entry, self.taken[head]).ends()
        t = self.heads.get(head)
        if t is None:
            t = self._begun(execution, head, entry)
        ends = Loop(self, execution, head, entry).ends()
        if execution.machine.noting:  # of no turns nothing would be claimed, and the code makes one
            about = f"the loop at {head:#x}: one turn at least"
            active = own_exec(entry) if some_lane(execution.machine.w, entry) else TRUE  # a count is the whole wave's
            self.claims.append(ForAll(about, self.expected[t] >= 1, all_of(entry.condition, active)))
        return ends

    def _diverges(self, execution: SymbolicExecution, head: int, entry: State) -> bool:
        """Whether one turn leaves EXEC with fewer lanes."""
        if head not in self.divergent:
            machine, heads = execution.machine, dict(self.heads)
            noting, machine.noting = machine.noting, False
            try:
                ends = execution.region(execution.flow.loops[head], head, entry.copy())
            finally:
                machine.noting, self.heads = noting, heads
            own = all_of(entry.condition, own_exec(entry))
            self.divergent[head] = any(not implies(own, own_exec(after)) for target, after in ends if target == head)
            mask = lanes_taken(machine.w, entry, ends, head)
            if mask is not None:
                self.taken[head] = mask
        return self.divergent[head]

    def _lanes(self, execution: SymbolicExecution, entry: State, mask: Register) -> Expr:
        """How many lanes a mask has before its loop: of some at least one."""
        w = execution.machine.w
        held = whole(w, entry, mask)
        assert held is not None
        found = w.belonging("lanes_taken", w.lanes + 1, held.threads)
        execution.machine.lanes.alike.add(found)
        self.facts[found] = found >= 1
        return found

    def _begun(self, execution: SymbolicExecution, head: int, entry: State) -> Expr:
        """The variable of a loop that is met for the first time, below its count."""
        number = len(self.heads)
        free = var(f"turn {number}", MOST)
        self.heads[head], self.expected = free, {**self.expected, free: as_expr(MOST)}
        try:
            leaves = Loop(self, execution, head, entry).leaves()
        finally:
            del self.heads[head]
            self.expected = {v: n for v, n in self.expected.items() if v is not free}
        count = _count(leaves, free, head)
        t = var(f"iteration {number}", count)
        self.heads[head], self.expected = t, {**self.expected, t: count}
        return t


def _count(leaves: Expr, t: Expr, head: int) -> Expr:
    """How often a loop runs that leaves where this holds."""
    if not any(kind_of(v) is not None for v in variables(leaves)):
        plain = unwrapped(leaves)
        line, exact = (plain.args[0] - plain.args[1], True) if plain.op == "eq" else (slack(plain), False)
        if line is not None:
            line = near(line)
            start = simplify(substitute(line, {t: 0}))
            step = simplify(substitute(line, {t: 1}) - start)
            if step.op == "const" and step.value and simplify(line - start - step * t) is const(0):
                each = abs(int(step.value))
                if exact:
                    return simplify(1 + div(-start if step.value > 0 else start, each))
                if step.value > 0:
                    return simplify(1 + maximum(0, div(-start + (each - 1), each)))
    raise NotReadable(f"the loop at {head:#x} leaves where {leaves}: no count is seen in it")
