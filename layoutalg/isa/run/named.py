"""Named barriers of CDNA 5 in the numpy machine: of some waves of a block, which come as often as the barrier expects.

| instruction | does |
|---|---|
| `s_barrier_init` | the barrier expects so many arrivals: bits 22–16 of M0; none has come |
| `s_barrier_join` | the wave may wait at the barrier; at one of them at a time, at none by 0 |
| `s_barrier_signal` | one more has come; by M0, bits 22–16, where they are not 0, are first what the barrier expects |
| `s_barrier_wait` | until the barrier that was joined is complete: all that it expects have come since it last was |

The barrier's number is a constant or the low bits of M0; 0 is the barrier of nobody, at which nothing happens.  Who
signals need not join, nor wait.  A wave that ends leaves no named barrier.  (LLVM, AMDGPUExecutionSynchronization,
"Named Barriers"; ROCm/rocm-systems, rocjitsu's pull request 10346.)

What they leave undefined is refused, or a `Fault`: a barrier that nothing has initialised, more arrivals than are
expected, a wait behind two completions, of which sources do not say which it is for.  What a named barrier orders is
not followed: races of waves that waited at one are told as perhaps ordered (`Synchronised.make_aware`).
What it cannot represent: `s_barrier_leave`, `s_barrier_signal_isfirst`, `s_get_barrier_state`, barriers of clusters.
"""

from __future__ import annotations

import numpy as np

from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.semantics.control import NAMED_BARRIERS

_NUMBER, _COUNT, _COUNTED = 31, 16, 127

#: What a wave has joined that never joined one.
_NONE = -1


class NamedBarriers:
    """The named barriers of all blocks of a machine, and what each wave has to do with them."""

    def __init__(self, machine: ConcreteMachine) -> None:
        registers = machine.registers
        self.machine, self.registers, self.per_block = machine, registers, registers.waves_per_block
        self.most = registers.kernel.named_barriers
        shape = registers.waves // self.per_block, self.most + 1
        self.expected, self.arrived = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.joined = np.full(registers.waves, _NONE)
        self.complete = np.zeros(registers.waves, np.int64)  # completions since the wave joined, or last waited
        self.waiting = np.zeros(registers.waves, np.bool_)
        self.acts = np.zeros(
            registers.waves, np.int64
        )  # what the wave has done at barriers, so that it is not as before

    def act(self, instruction: Instruction) -> bool:
        """What the live waves do at a barrier; whether they wait for it, and others go on."""
        name, rows = instruction.name, np.nonzero(self.registers.live)[0]
        self.acts[rows] += 1
        if name == NAMED_BARRIERS["wait"]:
            return self._wait(rows)
        numbers, counts = self._said(instruction, rows)
        for row, number, count in zip(rows.tolist(), numbers.tolist(), counts.tolist(), strict=True):
            if not 0 <= number <= self.most:
                what = f"barrier {number}, where the kernel has {self.most} named ones"
                raise UnsupportedInstructionError(f"{self.registers.where}: {what}")
            if name == NAMED_BARRIERS["join"]:
                self.joined[row], self.complete[row] = number, 0
            elif number and name == NAMED_BARRIERS["init"]:
                self._initialise(row, number, count)
            elif number:
                self._arrive(row, number, count)
        return False

    def _said(self, instruction: Instruction, rows: Array) -> tuple[Array, Array]:
        """The barrier's number, and what stands in M0 as a count, for each wave."""
        where = operand_of(instruction, "a")
        init, by_m0 = instruction.name == NAMED_BARRIERS["init"], where.kind == "m0"
        if not (init or by_m0):
            return np.full(len(rows), where.index), np.zeros(len(rows), np.int64)
        word = self.registers.read_scalar(Operand("m0"), 32)
        word = self.registers.agree("which barrier it is", np.where(self.registers.running, word, np.uint32(0)))
        words = self.registers.by_wave(word)[0, :, 0][rows].astype(np.int64)
        numbers = words & _NUMBER if by_m0 else np.full(len(rows), where.index)
        return numbers, words >> _COUNT & _COUNTED

    def _initialise(self, row: int, number: int, count: int) -> None:
        block = row // self.per_block
        own = slice(block * self.per_block, (block + 1) * self.per_block)
        if not count:
            raise Fault("barrier", f"barrier {number} expects nobody", self.registers.where)
        if (self.waiting[own] & (self.joined[own] == number)).any():
            raise UnsupportedInstructionError(f"{self.registers.where}: a barrier at which waves wait is made anew")
        self.expected[block, number], self.arrived[block, number] = count, 0

    def _arrive(self, row: int, number: int, count: int) -> None:
        block = row // self.per_block
        if count:
            self.expected[block, number] = count
        thread = self.registers.thread_of(row)
        if not self.expected[block, number]:
            what = f"barrier {number} is signalled, and nothing has initialised it, {thread}"
            raise Fault("barrier", what, self.registers.where, thread=thread)
        self.arrived[block, number] += 1
        if self.arrived[block, number] > self.expected[block, number]:
            what = f"barrier {number} expects fewer than have come, {thread}"
            raise Fault("barrier", what, self.registers.where, thread=thread)
        if self.arrived[block, number] == self.expected[block, number]:
            self.arrived[block, number] = 0
            self._complete(block, number)

    def _complete(self, block: int, number: int) -> None:
        """Waves that wait go on; others that joined will not wait for this one."""
        own = np.arange(block * self.per_block, (block + 1) * self.per_block)
        joined = own[self.joined[own] == number]
        self.complete[joined] += 1
        self._pass(joined[self.waiting[joined]])

    def _wait(self, rows: Array) -> bool:
        """Whether the live waves wait; those that need not are not parted from those that must."""
        if (self.joined[rows] == _NONE).any():
            thread = self.registers.thread_of(int(rows[np.argmax(self.joined[rows] == _NONE)]))
            what = f"a wave waits at a named barrier and has joined none, {thread}"
            raise Fault("barrier", what, self.registers.where, thread=thread)
        rows = rows[self.joined[rows] > 0]
        if (self.complete[rows] > 1).any():
            where = self.registers.where
            raise UnsupportedInstructionError(f"{where}: a wait at a named barrier that was complete twice before")
        self.waiting[rows] = True
        self._pass(rows[self.complete[rows] == 1])
        return True

    def _pass(self, rows: Array) -> None:
        self.waiting[rows], self.complete[rows] = False, 0
        if len(rows):
            self.machine.memory.waves.make_aware(rows)
