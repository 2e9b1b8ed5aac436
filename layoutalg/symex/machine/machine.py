"""The symbolic machine: one lane of one wave of one block, all of them unknown.

It carries out one instruction at a time on a `State`; `loops.execution` says which, on all ways through a kernel.
What it collects is the *trace*: every access of memory, element by element, with the address, the condition under which
the lane makes it, the data, and how many barriers stand before it.  The lane's own registers are written under its own
condition, so nothing has to be merged for them.

| instruction | is read as |
|---|---|
| arithmetic | its entry in `semantics`, on the words of `values.word` |
| a load | a new unknown for each element; of scratch, what was stored there |
| a store | an entry of the trace |
| an atomic operation | a store of what is not known, and a load of what was there, where that comes back |
| a scalar load | arguments, the dispatch packet, or unknowns that all lanes have alike |
| a load to LDS | a load, and a store of what it found, which is under way until a wait |
| a load that transposes | loads of elements where other lanes say |
| a barrier | one more that has been passed, by accesses of LDS that are under way, too |

A flat access is one of the space whose base its address is made of.
What it cannot represent (each stops with its name): moves between lanes, but of a scalar word into one and back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.index import TRUE, ZERO, Expr, negation
from layoutalg.isa.container.descriptor import PRELOADED
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.interpreter.step import Interpreter
from layoutalg.isa.semantics.accesses import NO_EFFECT, invalidates, may_tell
from layoutalg.isa.semantics.control import BARRIERS, ENDS_INDEXING, TRAPS
from layoutalg.isa.semantics.ordering import renews, writes_back
from layoutalg.isa.semantics.table import ALU
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.environment import Inputs
from layoutalg.symex.machine.lanes import SymbolicLanes
from layoutalg.symex.machine.memory import SymbolicMemory
from layoutalg.symex.machine.outstanding import MOST_SPANNED, WRITE_BACK
from layoutalg.symex.machine.registers import SymbolicRegisters
from layoutalg.symex.machine.scratch import Scratch
from layoutalg.symex.machine.spaces import AddressSpaces
from layoutalg.symex.machine.state import SOMEWHERE
from layoutalg.symex.machine.tracing import TraceBuilder, TracedSteps, WaveEnd
from layoutalg.symex.values.word import Mask, NotReadable, Word


class SymbolicMachine:
    """One unknown lane: its registers and lanes; its memory is the trace."""

    def __init__(self, program: MachineCode, inputs: Inputs, values: IndexValues, trace: TraceBuilder) -> None:
        self.program, self.kernel, self.w, self.trace = program, program.kernel, values, trace
        self.registers = SymbolicRegisters(self.kernel, values)
        self.scratch = Scratch(self.registers)
        self.lanes = SymbolicLanes(self.registers)
        self._spaces = AddressSpaces(inputs, self.registers)
        self._orders = any(may_tell(one.name, one.fields) for one in program.instructions)
        memory = SymbolicMemory(self.lanes, self.scratch, self._spaces, trace, self._orders)
        self._interpreter = Interpreter(self.registers, memory, self.lanes)
        self._initialise(inputs)

    def barrier(self, instruction: Instruction) -> None:
        """One more barrier; refused where waves may turn with it in different ways.

        What is under way where a wave signals that it came may be so when others go on.
        """
        state, (signals, waits) = self.registers.state, BARRIERS[instruction.name]
        if not all(map(self.w.of_the_block, self.w.loops)):
            raise NotReadable(
                f"waves may come to the barrier at {instruction.address:#x} in different numbers of turns"
            )
        if signals:
            self.trace.signal(state.outstanding.accesses, state.outstanding.sight)
            spanned = state.outstanding.pass_barrier()
            if any(passed > MOST_SPANNED for passed in spanned.values()):
                raise NotReadable(f"an LDS access is under way over many barriers, at {instruction.address:#x}")
            self.trace.pass_barrier(spanned)
        if not state.pass_barrier(signals, waits):
            raise NotReadable(f"a barrier's signal and wait are no pair at {instruction.address:#x}")
        if self.trace.recording:
            ways = [part for part in state.path if not self.w.of_the_block(part)]
            ways = [SOMEWHERE] if ways and self.w.loops else ways  # of a loop's body, what is known there is of a turn
            state.parted = tuple(dict.fromkeys((*state.parted, *ways)))

    def end(self) -> None:
        """A wave ends: LDS may be another block's then, so nothing may be on its way there.

        CDNA 5 waits for all by itself (its ISA, S_ENDPGM).
        """
        state = self.registers.state
        if state.outstanding.loads_to_lds and not self.kernel.architecture.counters.copies:
            raise NotReadable("a load to LDS is under way where a wave ends")
        self.trace.end(WaveEnd(state.condition, state.barriers + int(state.signalled), self.w.loops))

    def record(self, instructions: Sequence[Instruction], active: Expr | None) -> None:
        """These were carried out one after the other, by the lanes that were active before them."""
        if instructions and self.trace.recording:
            self.trace.step(TracedSteps(tuple(instructions), self.registers.state.path, active, self.w.loops))

    def execute(self, instruction: Instruction) -> None:
        """Carries out one instruction that is no branch."""
        if instruction.name in BARRIERS:
            self.barrier(instruction)
            return
        if instruction.name in TRAPS:
            self._trap(instruction)
            return
        self._refuse_in_index_mode(instruction)
        registers = self.registers
        if registers.own_exec is TRUE and invalidates(instruction.name, instruction.fields):
            registers.state.invalidated = registers.state.barriers
        if self._orders:
            self._order(instruction)
        registers.define_scc()
        registers.assume(instruction)
        held = registers.moved_whole(instruction)
        try:
            self._interpreter.step(instruction)
        except NotReadable as error:  # of words, which know of no instruction
            place = f"{instruction.address:#x}"
            raise error if place in str(error) else NotReadable(f"{instruction.place}: {error}") from error
        if held and registers.all_active():
            target = operand_of(instruction, "d")
            registers.set_lane_words((target.kind, target.index), held)

    def _order(self, instruction: Instruction) -> None:
        """What an instruction does to caches between blocks, where the wave has an active lane."""
        state, name, fields = self.registers.state, instruction.name, instruction.fields
        if not self.lanes.some_active():
            return
        cache = renews(name, fields)
        if cache is not None:
            state.outstanding.sight = state.outstanding.sight.renewed(cache, state.outstanding.accesses)
            state.caches = {**state.caches, cache: state.barriers}
        if self.kernel.machine.keeps_stores and writes_back(name, fields):
            state.outstanding.write_back((self.kernel.architecture.counters.store,), instruction.address)
            state.caches = {**state.caches, WRITE_BACK: state.barriers}

    def _trap(self, instruction: Instruction) -> None:
        """Nothing, where no wave comes here."""
        ranges = self.w.ranges
        if not ranges.decide(negation(self.registers.state.condition), ranges.always):
            raise NotReadable(f"{instruction.place} may be reached: an assertion that may fail")

    def _refuse_in_index_mode(self, instruction: Instruction) -> None:
        """Refuses all but vector operations, of which alone it is said what the mode does."""
        name = instruction.name
        vector = name in ALU and instruction.form.startswith("VOP")
        if self.registers.index_mode and not vector and name not in NO_EFFECT and name != ENDS_INDEXING:
            raise NotReadable(f"{instruction.place} with indexed registers")

    # The start

    def _initialise(self, inputs: Inputs) -> None:
        kernel, w, registers = self.kernel, self.w, self.registers
        registers.set_exec(registers.state, Mask(TRUE))
        register = 0
        for name, dwords in kernel.user_sgprs:
            given = {"kernarg_segment_ptr": self._spaces.arguments, "dispatch_ptr": self._spaces.packet}.get(name)
            if given is not None and (given is self._spaces.arguments or given.bound):
                registers.write_scalar(Operand("s", register), 64, w.word(given.address, 64))
            elif name == PRELOADED and kernel.preloaded:
                words = [self._spaces.arguments.dword(4 * (kernel.preload_offset + k)) for k in range(dwords)]
                registers.put_scalars([("s", register + k) for k in range(dwords)], words)
            register += dwords
        for number, word in self._block_registers(inputs.blocks):
            registers.put_scalars([("s", number)], [word])
        if kernel.architecture.wave_number:
            number, lowest, highest = kernel.architecture.wave_number
            above = w.undefined(31 - highest) * (1 << highest + 1)
            word = w.word(w.undefined(lowest) + w.wave.number * (1 << lowest) + above)
            registers.put_scalars([("s", number)], [word])
        self.scratch.initialise()
        threads = inputs.threads[: kernel.thread_dimensions]
        if kernel.architecture.packs_threads:
            threads = [sum((t * (1 << 10 * k) for k, t in enumerate(threads)), start=ZERO)]
        for k, index in enumerate(threads):
            registers.put(("v", k), TRUE, w.word(index))

    def _block_registers(self, grid: Sequence[Expr]) -> Iterator[tuple[int, Word]]:
        """The scalar registers that say which block it is."""
        kernel, w = self.kernel, self.w
        blocks = [*grid, *(ZERO for _ in range(3 - len(grid)))]
        if kernel.architecture.block_registers:
            first, second = kernel.architecture.block_registers
            x, y, z = kernel.block_indices
            yield first, w.word(blocks[0]) if x else w.fresh_word()
            low = blocks[1] if y else w.undefined(16)
            yield second, w.word(low + blocks[2] * (1 << 16) if z else low)
            return
        wanted = (block for block, is_wanted in zip(blocks, kernel.block_indices, strict=True) if is_wanted)
        yield from enumerate(map(w.word, wanted), kernel.user_sgpr_count)
