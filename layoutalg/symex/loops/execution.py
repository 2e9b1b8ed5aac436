"""All ways through a kernel: each block once, where ways meet their states joined, loops by their invariants.

| branch | the wave takes it when | known of this lane |
|---|---|---|
| `execz` | no lane is active | then this lane is not |
| `vccz` | no lane has the bit | then this lane has it not |
| … of a mask that is the same for all lanes | this lane has it not | the same |
| `vccz`, of the lanes with a where u, the same for all | not u, or no lane has a | the same |
| `scc` of a uniform comparison | the comparison holds | the same |

Branches that constants decide go one way, so loops of a constant count are followed as often as they run.  A loop
whose count is not constant, or is great, is left to `loops`.
What it cannot represent: branches to an address in a register.
"""

from __future__ import annotations

from typing import Protocol

from layoutalg.index import FALSE, TRUE, Expr, all_of, any_of, budget, conjuncts, negation, simplify
from layoutalg.isa.decode.code import branch_target
from layoutalg.isa.decode.instructions import EXEC, VCC, Instruction, Operand
from layoutalg.isa.semantics.control import BRANCHES, ENDS
from layoutalg.symex.loops.paths import flow_of
from layoutalg.symex.machine.machine import SymbolicMachine
from layoutalg.symex.machine.state import State, joined, within
from layoutalg.symex.values.word import Mask, NotReadable, as_mask

Edges = list[tuple[int, State]]
"""Where control goes, and the state it goes there with."""

LoopExecution = tuple[int, ...]
"""An execution of a loop: its head, behind the loops around it, each by its head and its iteration.

A loop within one that is followed iteration by iteration is executed once in each: two executions, whose iterations
have nothing to do with each other.
"""

#: Iterations by which a loop is followed: each one of its invariant; the one behind its last, which leaves.
EACH, BEHIND = -1, -2

#: How often a loop is followed turn by turn: one that sizes of a million say goes on is not followed to its end.
MOST_FOLLOWED = 1 << 10


class Loops(Protocol):
    """Who follows loops whose counts are not constant."""

    def execute(self, execution: SymbolicExecution, head: int, entry: State) -> Edges:
        """Follows a loop from the state before its head to those behind its exits."""


class SymbolicExecution:
    """Takes a machine through its kernel (symbolic execution)."""

    def __init__(self, machine: SymbolicMachine, loops: Loops) -> None:
        self.machine, self.loops = machine, loops
        self.blocks = machine.program.blocks
        self.flow = flow_of(machine.kernel.start, self.blocks)
        self._around: LoopExecution = ()  # the loops that are followed, each by its head and its iteration

    def run(self) -> None:
        """Follows every path from the entry; the machine's trace is then complete.

        Raises `NotReadable` when that cannot be done.
        """
        entry = self.machine.kernel.start
        left = self.region(frozenset(self.flow.order), entry, self.machine.registers.state)
        if left:
            raise NotReadable(f"control leaves the kernel for {left[0][0]:#x}")

    def executed(self, head: int) -> LoopExecution:
        """Which execution of a loop this is, of those in the iterations that are followed."""
        return (*self._around, head)

    def iteration(self, head: int, state: State, number: int = EACH) -> Edges:
        """Follows one iteration of a loop from its head."""
        around, self._around = self._around, (*self._around, head, number)
        try:
            return self.region(self.flow.loops[head], head, state)
        finally:
            self._around = around

    def region(self, blocks: frozenset[int], head: int, state: State) -> Edges:
        """Follows these blocks once from the head to where control leaves them or comes back to the head."""
        waiting, ends = {head: [state]}, Edges()
        for start in self.flow.order:
            if start not in blocks or start not in waiting:
                continue
            here = joined(self.machine.w, waiting.pop(start))
            inner = start in self.flow.loops and not (start == head and blocks == self.flow.loops[start])
            for target, after in self._loop(start, here) if inner else self._block(start, here):
                if target == head or target not in blocks:
                    ends.append((target, after))
                else:
                    waiting.setdefault(target, []).append(after)
        if waiting:
            raise NotReadable(f"the block at {min(waiting):#x} is entered after it was followed")
        return ends

    def _loop(self, head: int, entry: State) -> Edges:
        """As often as it runs, while it is known to go on, and that is not too often; else by its invariant."""
        machine, blocks = self.machine, self.flow.loops[head]
        if all(target in blocks for start in blocks for target in self.blocks[start].successors):
            raise NotReadable(f"the loop at {head:#x} has no exit")
        mark, state = machine.trace.mark(), entry
        for number in range(MOST_FOLLOWED):
            try:
                ends = self.iteration(head, state.copy(), number)
            except NotReadable:  # what a loop does that only some waves go on with
                if state is entry:
                    raise
                break
            back = [after for target, after in ends if target == head]
            if not back:
                return ends
            if len(back) < len(ends):
                break
            state = joined(machine.w, back)
        machine.trace.roll_back(mark)
        return self.loops.execute(self, head, entry)

    def _block(self, start: int, state: State) -> Edges:
        """The instructions of one block, and the ways out of it."""
        machine = self.machine
        machine.registers.enter(state)
        budget.check()
        if machine.registers.index_mode:
            raise NotReadable(f"the block at {start:#x} begins with indexed registers")
        registers, done, active = machine.registers, list[Instruction](), machine.registers.plain_exec
        for instruction in self.blocks[start].instructions:
            done.append(instruction)
            if branch_target(instruction) is not None or instruction.name in ENDS:
                machine.record(done, active)
                return self._last(instruction)
            lanes = registers.lanes
            machine.execute(instruction)
            if registers.lanes != lanes:
                machine.record(done, active)
                done, active = [], registers.plain_exec
        machine.record(done, active)
        return [(target, state) for target in self.blocks[start].successors]

    def _last(self, instruction: Instruction) -> Edges:
        """A branch, or the end."""
        if instruction.name not in ENDS:
            return self._branch(instruction)
        self.machine.end()
        return []

    def _branch(self, instruction: Instruction) -> Edges:
        machine, state = self.machine, self.machine.registers.state
        target, following = branch_target(instruction), instruction.address + instruction.size
        assert target is not None
        machine.registers.assume(instruction)
        taken = self._condition(instruction)
        if taken in state.path or taken is TRUE:
            return [(target, state)]
        if negation(taken) in state.path or taken is FALSE:
            return [(following, state)]
        ends = Edges()
        for jumps, way, condition in ((True, target, taken), (False, following, negation(taken))):
            after = state.under(condition)
            if BRANCHES[instruction.name] == ("exec", not jumps):
                self.machine.registers.set_exec(after, Mask(FALSE))
            ends.append((way, after))
        return ends

    def _condition(self, instruction: Instruction) -> Expr:
        """When the wave takes the branch."""
        machine = self.machine
        if instruction.name not in BRANCHES:
            raise NotReadable(f"the branch {instruction.name} at {instruction.address:#x}")
        what, when = BRANCHES[instruction.name]
        if not what:
            return TRUE
        if what == "scc":
            scc = simplify(machine.registers.scc.expr)
            return scc if when else negation(scc)
        registers = machine.registers
        mask = as_mask(registers.read_scalar(Operand("s", {"exec": EXEC, "vcc": VCC}[what]), machine.kernel.wave_size))
        if within(mask.own, registers.state.path) is FALSE:  # on this way no lane has it, whichever this one is
            return FALSE if when else TRUE
        none = self._none(mask) if what == "vcc" else machine.w.none_of(mask)
        return negation(none) if when else none

    def _none(self, mask: Mask) -> Expr:
        """Whether no lane has its bit, which a condition that all have alike may be part of.

        Some lane has `a and u`, where u is the same for all, if u holds, and some lane has a.
        """
        own, vacant = self.machine.w.bits_of(mask)
        shared = [part for part in conjuncts(own) if self.machine.w.uniform(part)] if vacant is FALSE else []
        if not shared:
            return self.machine.w.nobody(own, vacant)
        none = self.machine.w.nobody(all_of(*(part for part in conjuncts(own) if part not in shared)))
        known = negation(none) in self.machine.registers.state.path
        return any_of(negation(all_of(*shared)), *(() if known else (none,)))
