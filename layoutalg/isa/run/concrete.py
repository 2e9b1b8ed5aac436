"""The numpy machine: all waves of many blocks at once, one instruction at a time.

Waves whose program counters differ take turns: the lowest address goes first, so waves that skipped ahead wait for the
others.

Every block is run **twice side by side**, and all that is not defined (registers, LDS, scratch) starts as noise, other
noise in the second copy.  Where the copies store, address or branch differently, the program has used an undefined
value: a `Fault`.  Copying undefined values about, as compilers do, is none.  What both copies have alike is held and
computed once (`run.registers`), and so are addresses, branches and waits, which must be alike.
What it cannot see: a use of what is undefined of which both noises make the same, as `undefined == 77`, false in both.
"""

from __future__ import annotations

import numpy as np

from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.moves import BY_NUMBER
from layoutalg.isa.interpreter.operands import operand_of, refuse_fields
from layoutalg.isa.interpreter.step import Interpreter
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.lanes import WaveLanes
from layoutalg.isa.run.races import Races
from layoutalg.isa.run.registers import WaveRegisters
from layoutalg.isa.run.spaces import GlobalMemory
from layoutalg.isa.run.tensors import WaveTensors
from layoutalg.isa.semantics.control import SETS_SKIPPING, VECTOR
from layoutalg.isa.semantics.ordering import CONTROLS_CACHES
from layoutalg.isa.semantics.table import ALU


class ConcreteMachine:
    """`blocks` blocks, each in two copies."""

    def __init__(
        self, kernel: KernelBinary, blocks: Array, waves_per_block: int, threads: int, memory: GlobalMemory,
        place: int, meter: LdsMeter | None, strict: bool = True, races: Races | None = None, first: int = 0,
    ) -> None:  # fmt: skip
        """`blocks` has a row (x, y, z) for each block; the rest is as for `WaveMemory`."""
        self.registers = WaveRegisters(kernel, blocks, waves_per_block, threads)
        self.memory = WaveTensors(self.registers, memory, place, meter, strict, races, first)
        self.interpreter = Interpreter(self.registers, self.memory, WaveLanes(self.registers))
        self.skips = np.zeros(self.registers.waves, np.bool_)  # which waves are in VSKIP mode
        self.skipping = False  # whether one is

    def step(self, instruction: Instruction) -> None:
        """One instruction that is not control, of the live waves that do not skip it."""
        registers = self.registers
        if instruction.name == SETS_SKIPPING:
            self._set_skips(instruction)
            return
        if not self.skipping or not instruction.name.startswith(VECTOR):
            self._step(instruction)
            return
        live, skipped = registers.live, self.skips & registers.live
        if (live & ~skipped).any():
            registers.set_live(live & ~skipped)
            self._step(instruction)
            registers.set_live(live)

    def _set_skips(self, instruction: Instruction) -> None:
        """VSKIP is the bit of the first source whose number the second gives."""
        refuse_fields(instruction, frozenset())
        registers, operands = self.registers, self.interpreter.operands
        word, bit = (operands.constant(operand_of(instruction, role), 32) for role in "ab")
        set_ = np.where(registers.running, word >> (bit & np.uint32(31)) & np.uint32(1), np.uint32(0))
        found = registers.by_wave(registers.agree("whether vector instructions are skipped", set_))[0, :, 0]
        self.skips = np.where(registers.live, found != 0, self.skips)
        self.skipping = bool(self.skips.any())

    def _step(self, instruction: Instruction) -> None:
        """Waves that index registers by different numbers go one after another."""
        registers = self.registers
        if instruction.name in CONTROLS_CACHES:
            self.memory.control_caches(instruction)
        if instruction.name not in BY_NUMBER and not (registers.index_mode and instruction.name in ALU):
            self.interpreter.step(instruction)
            return
        live, offsets = registers.live, registers.register_offsets()
        for offset in np.unique(offsets[live]):
            registers.set_live(live & (offsets == offset))
            self.interpreter.step(instruction)
        registers.set_live(live)
