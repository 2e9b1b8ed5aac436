"""What is known of a kernel's loops: how often each execution runs, what it carries, and when it is left."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from layoutalg.index import Expr, simplify, variables
from layoutalg.prove.obligation import ForAll
from layoutalg.symex.loops.execution import LoopExecution
from layoutalg.symex.loops.ranking import LaneTurns
from layoutalg.symex.values.instances import moved


@dataclass(frozen=True)
class Carried:
    """A register that a loop hands from iteration to iteration: its unknown at the head, and what it is otherwise."""

    loop: Expr
    unknown: Expr
    before: Expr  # what the register holds before the loop
    after: Expr  # what it holds at the end of an iteration
    turns: LaneTurns | None = None  # of a loop that each lane leaves for itself, and what is left behind it
    left: Expr | None = None


@dataclass
class LoopRecord:
    """Loops by their variables, and what was found about them."""

    expected: Mapping[Expr, Expr] = field(default_factory=dict)  # their numbers, and how often they run
    variables: dict[LoopExecution, Expr] = field(default_factory=dict)  # those of the executions that were met
    claims: list[ForAll] = field(default_factory=list)
    carried: dict[Expr, Carried] = field(default_factory=dict)
    handed: dict[Expr, tuple[Expr, ...]] = field(default_factory=dict)  # each unknown → what else its register holds
    facts: dict[Expr, Expr] = field(default_factory=dict)  # unknowns that loops leave behind → what holds of them
    turns: dict[Expr, LaneTurns] = field(default_factory=dict)  # of loops that each lane leaves for itself
    last: dict[Expr, Expr] = field(default_factory=dict)  # of such, the turn that was a lane's last
    leaving: dict[Expr, tuple[int, Expr]] = field(default_factory=dict)  # each loop's head, and when it is left

    def behind(self, within: Collection[Expr]) -> dict[Expr, Expr]:
        """The turns of all loops but of these, where they are left: what their unknowns are of behind them."""
        found: dict[Expr, Expr] = {}
        left = {t: n for t, n in self.expected.items() if t not in within}
        while left:  # those around first
            t = next((t for t, n in left.items() if left.keys().isdisjoint(variables(n))), next(iter(left)))
            found[t] = simplify(moved(self.last.get(t, left.pop(t) - 1), found))
            left.pop(t, None)
        return found

    def forget(self, around: LoopExecution) -> None:
        """Forgets the executions of loops within one: what their counts are made of is followed anew."""
        gone = {t for this, t in self.variables.items() if this[: len(around)] == around and len(this) > len(around)}
        self.variables = {this: t for this, t in self.variables.items() if t not in gone}
