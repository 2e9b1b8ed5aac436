"""Loops whose count is not a constant: their bodies are followed until what holds at the head is known (`invariants`).

| the body, in the program's iterations | what follows |
|---|---|
| leaves by an exit | a claim: it does exactly in the last; behind it is the state of that iteration |
| always comes back | with what the last iteration brings to the head it is followed once more, and must leave |

Of several exits to different places, each has its condition: three are taken where e₁, where ¬e₁ and e₂, and where
neither.
What it cannot represent: counts of a loop's own, iterations before or behind the loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import Expr, all_of, any_of, eq, negation, simplify, variables
from layoutalg.index.conditions import implies
from layoutalg.prove.obligation import ForAll
from layoutalg.symex.loops.execution import BEHIND, Edges, SymbolicExecution
from layoutalg.symex.loops.invariants import HeadRegisters
from layoutalg.symex.loops.places import own_exec
from layoutalg.symex.loops.ranking import LaneIterations
from layoutalg.symex.loops.record import Carried, LoopBuilder
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.state import State, joined
from layoutalg.symex.machine.substitution import Substitution
from layoutalg.symex.values.word import NotReadable

#: How often a body is tried before no invariant is found: of most builds three times, and more around other loops.
TRIES = 12


class NaturalLoop:
    """One loop, followed from one state: its body is followed until what holds at its head is known."""

    def __init__(
        self, loops: LoopBuilder, execution: SymbolicExecution, head: int, entry: State, start: State | None = None
    ) -> None:
        """`entry` is the state before the loop; `start`, the one from which iterations begin, if that is another."""
        self.loops, self.execution, self.machine = loops, execution, execution.machine
        self.w: IndexValues = execution.machine.w
        t = loops.variable(execution.executed(head))
        assert t is not None
        counts = dict(loops.record.counts)
        self.head, self.entry, self.t, self.count = head, entry, t, counts[t]
        self.registers = HeadRegisters(self.w, head, t, counts, start or entry)

    def fixpoint(self) -> tuple[State, State, Edges]:
        """What `iterate` gives when nothing new is found: what is known of registers then holds from head to head."""
        trace, claims = self.machine.trace.mark(), self.loops.mark()
        for _ in range(TRIES):
            self.machine.trace.roll_back(trace)
            self.loops.roll_back(claims)
            start, latch, leaving = self.iterate()
            if self.registers.step(start, latch):
                return start, latch, leaving
        raise NotReadable(f"the loop at {self.head:#x} changes other registers in every try")

    def start(self) -> State:
        """The state at the head."""
        return self.registers.start()

    def iterate(self) -> tuple[State, State, Edges]:
        """The state at the head, at the end of the body, and those that leave."""
        start = self.start()
        ends = self.execution.iteration(self.head, start.copy())
        back = [state for target, state in ends if target == self.head]
        leaving = [(target, state) for target, state in ends if target != self.head]
        if not back:
            raise NotReadable(f"the loop at {self.head:#x} does not come back to its head")
        return start, joined(self.w, back), leaving

    def record_carried(self, latch: State, iterations: LaneIterations | None = None) -> None:
        """Notes what the loop carries."""
        for unknown, held, whole in self.registers.carried(latch):
            for v in variables(unknown):
                self.loops.add_incoming(v, held)
            if whole is not None:
                self.loops.carry(Carried(self.t, unknown, *whole, iterations))

    def no_exit(self) -> NotReadable:
        """That it never leaves."""
        return NotReadable(f"the loop at {self.head:#x} has no exit that is seen")


class CountedLoop(NaturalLoop):
    """A loop that all lanes leave together, in its last iteration."""

    def __init__(
        self, loops: LoopBuilder, execution: SymbolicExecution, head: int, entry: State, most: Expr | None = None
    ) -> None:
        """`most`: of a loop whose count is the number of its last iteration, how often it runs at most."""
        super().__init__(loops, execution, head, entry)
        self.most = most

    def exit_condition(self) -> tuple[Expr, bool]:
        """When the body leaves, in terms of the iteration, and whether lanes go on that others leave behind.

        Raises `NotReadable` where it never leaves within.
        """
        with self.w.within(self.t), self.machine.trace.paused():
            start, latch, leaving = self.fixpoint()
        if not leaving:
            raise self.no_exit()
        fewer = not implies(all_of(start.condition, own_exec(start)), own_exec(latch))
        return simplify(self._exit_condition(start, [state for _, state in leaving])), fewer

    def left_where(self) -> Expr:
        """When one iteration leaves, as it is followed once."""
        start, _, leaving = self.iterate()
        return self._exit_condition(start, [state for _, state in leaving])

    def ends(self) -> Edges:
        """The states behind the loop's exit."""
        with self.w.within(self.t):
            with self.machine.trace.paused(), self.w.ranges.without_solver():
                self.fixpoint()  # first without a solver: most registers that change are plain counters
            self.loops.forget(self.execution.executed(self.head))  # within, counts may go by these
            self.registers.try_again()
            start, latch, leaving = self.fixpoint()
        if self.machine.trace.recording:
            self.record(start, latch, leaving)
        ends = self._exits(start, leaving) if leaving else self._exits_at_head(latch)
        self.registers.restore_inactive(start, latch, [state for _, state in ends])
        return ends

    def record(self, start: State, latch: State, leaving: Edges) -> None:
        """The claim on the count, if the body leaves, and what the loop carries."""
        leaves = self._exit_condition(start, [state for _, state in leaving])
        self.loops.leave(self.t, self.head, leaves)
        last = eq(self.t, self.count - 1)
        about = f"the loop at {self.head:#x}: as many iterations as the program's"
        goal = any_of(all_of(leaves, last), all_of(negation(leaves), negation(last)))
        if self.most is not None:
            self._check_left_alike(leaves, leaving)
            about, goal = f"the loop at {self.head:#x}: no more iterations", any_of(leaves, self.t + 1 < self.most)
        if leaving and self.t not in self.loops.record.waits:  # that somebody ends it is another question
            self.loops.claim(ForAll(about, goal, start.condition))
        self.record_carried(latch)

    def _check_left_alike(self, leaves: Expr, leaving: Edges) -> None:
        """Of a loop whose count is the number of its last iteration: if all waves have it alike, they leave alike."""
        if not leaving or (self.w.of_the_block(self.count) and not self.w.of_the_block(leaves)):
            raise NotReadable(f"waves may leave the loop at {self.head:#x} in different iterations")

    def _exits_at_head(self, latch: State) -> Edges:
        """The states behind the exits of a loop that comes back from each of the program's iterations.

        What comes back from the last of them then must leave.
        """
        state = self.registers.after_last(latch, self.count)
        ends = self.execution.iteration(self.head, state, BEHIND)
        if any(target == self.head for target, _ in ends):
            raise NotReadable(f"the loop at {self.head:#x} may go on after the program's last iteration")
        return ends

    def _exit_condition(self, start: State, leaving: Sequence[State]) -> Expr:
        """When one of these ways out is taken."""
        return any_of(*(all_of(*(p for p in state.path if p not in start.path)) for state in leaving))

    def _exits(self, start: State, leaving: Edges) -> Edges:
        """The states behind the exits: those of the last iteration, in which one of the exits is taken.

        So where none of the others is, it is the last of them: with one exit nothing is said of when it is taken.
        """
        ends, others = Edges(), self.entry.path
        targets = list(dict.fromkeys(target for target, _ in leaving))
        for target in targets:
            states = [state for to, state in leaving if to == target]
            at = Substitution({self.t: self.count - 1})
            taken = simplify(at.expr(self._exit_condition(start, states)))
            state = at.state(joined(self.w, states))
            state.path = others if target == targets[-1] else (*others, taken)
            others = (*others, negation(taken))
            ends.append((target, state))
        return ends


class ProgramLoops(LoopBuilder):
    """The loops of a program by their variables, in their order, and what was found about the binary's."""

    def execute(self, execution: SymbolicExecution, head: int, entry: State) -> Edges:
        """Executes one loop by its invariant.  Raises `NotReadable` when there is none that can be checked."""
        this = execution.executed(head)
        if self.variable(this) is None:
            met = len(self._variables)
            if met == len(self.record.counts):
                raise NotReadable(f"a loop at {head:#x} that the program has not")
            t = list(self.record.counts)[met]
            self.meet(this, t, self.record.counts[t])
        return CountedLoop(self, execution, head, entry).ends()
