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
| a barrier | one more that has been passed, if nothing is under way and all waves come there |

A flat access is one of the space whose base its address is made of.
What it cannot represent (each stops with its name): moves between lanes, but of a scalar word into one and back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from layoutalg.index import TRUE, ZERO, Expr, symbol, variables
from layoutalg.isa.container.descriptor import PRELOADED
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import operand_of
from layoutalg.isa.interpreter.step import Interpreter
from layoutalg.isa.semantics.accesses import NO_EFFECT
from layoutalg.isa.semantics.control import BARRIERS
from layoutalg.isa.semantics.table import ALU
from layoutalg.symex.machine.arguments import ALIGNED, DISPATCH_PACKET, Arguments, constant_segments
from layoutalg.symex.machine.arithmetic import Decide, IndexValues
from layoutalg.symex.machine.lanes import SymbolicLanes
from layoutalg.symex.machine.memory import HasContents, Loaded, SymbolicMemory
from layoutalg.symex.machine.outstanding import LDS
from layoutalg.symex.machine.registers import HIGHEST_ADDRESS, SymbolicRegisters
from layoutalg.symex.machine.scratch import Scratch
from layoutalg.symex.machine.state import BoundArgument, TracedElement
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.unknowns import dependencies
from layoutalg.symex.values.word import Mask, NotReadable


class SymbolicMachine(SymbolicMemory):
    """One unknown lane: its registers and lanes; its memory is the trace."""

    def __init__(
        self,
        program: MachineCode,
        arguments: Sequence[BoundArgument],
        grid: Sequence[Expr],
        threads: Sequence[Expr],
        always: Expr,
        sizes: Mapping[str, int],
        decide: Decide,
        functions: UninterpretedFunctions,
        packet: Sequence[BoundArgument] = (),
    ) -> None:
        """`grid` and `threads` are the index variables; `sizes` is the bytes of an element in each buffer and LDS.

        `packet` is what the dispatch packet says, by its bytes.
        """
        self.kernel, self.w = program.kernel, IndexValues(decide, always, functions)
        self.w.thread = (*grid, *threads)
        self.registers = SymbolicRegisters(self.kernel, self.w, threads)
        self.scratch = Scratch(self.registers)
        self.program, self.sizes = program, sizes
        given = (*grid, *(a.number for a in arguments if a.number is not None))
        self.of_the_block = frozenset(variables(*given))  # what all waves of a block have alike
        self.lanes = SymbolicLanes(self.registers, set(self.of_the_block), lambda: self.loops)
        self.interpreter = Interpreter(self.registers, self, self.lanes)
        self.trace: list[TracedElement] = []
        self.moment = 0  # how many instructions have accessed memory
        self.noting = True  # or only trying out what a loop changes
        self.spans: dict[int, int] = {}  # load to LDS → barriers that its wave passed while it was under way, at most
        self.beside: set[int] = set()  # those beside which other accesses of the wave to LDS are under way
        self.loaded: Loaded = lambda buffer, offset, size, values: None  # is told what was loaded
        self.has_contents: HasContents = lambda buffer, offset, size, given: True
        self.buffers = {
            a.buffer: symbol(f"address of {a.buffer}", min=0, max=HIGHEST_ADDRESS, multiple_of=ALIGNED)
            for a in arguments
            if a.buffer
        }
        tables = constant_segments(self.kernel)
        self.buffers |= {name: self.registers.code + one.address for name, one in tables.items() if name in sizes}
        self.arguments = Arguments("arguments", self.kernel.argument_segment, arguments, self.buffers, self.w)
        self.packet = Arguments("dispatch packet", DISPATCH_PACKET, packet, self.buffers, self.w)
        self.bases = {
            *self.buffers.values(),
            self.arguments.address,
            self.packet.address,
            self.registers.code,
            *variables(*self.registers.apertures.values()),
        }
        self._initialise(grid, threads)

    @property
    def loops(self) -> tuple[Expr, ...]:
        """The variables of the loops that are followed, the outermost first."""
        return self.w.loops

    @loops.setter
    def loops(self, loops: tuple[Expr, ...]) -> None:
        self.w.loops = loops

    @contextmanager
    def within(self, loop: Expr) -> Iterator[None]:
        """Within an iteration of a loop: what is made there is of it."""
        around, self.w.loops = self.w.loops, (*self.w.loops, loop)
        try:
            yield
        finally:
            self.w.loops = around

    def uniform(self, expr: Expr) -> bool:
        """Whether all lanes of a wave have the same."""
        return self.lanes.uniform(expr)

    def barrier(self, instruction: Instruction) -> None:
        """One more barrier; refused where only some waves may come, or LDS accesses are under way."""
        state, (signals, waits) = self.registers.state, BARRIERS[instruction.name]
        if signals and state.outstanding.open(LDS):
            raise NotReadable(f"an LDS access is under way at the barrier at {instruction.address:#x}")
        if state.path:
            raise NotReadable(f"only some waves may reach the barrier at {instruction.address:#x}")
        if not all(self._of_the_block(t) for t in self.loops):
            raise NotReadable(
                f"waves may come to the barrier at {instruction.address:#x} in different numbers of turns"
            )
        if state.signalled == signals:
            raise NotReadable(f"a barrier's signal and wait are no pair at {instruction.address:#x}")
        state.signalled = not waits
        state.barriers += waits
        if waits:
            for address, passed in state.outstanding.meet().items():
                self.spans[address] = max(self.spans.get(address, 0), passed)

    def _of_the_block(self, loop: Expr) -> bool:
        """Whether a loop runs as often in all waves of a block: its count is made of what they have alike."""
        alike = self.of_the_block | {*self.loops}
        extent = loop.value.extent  # none of a constant
        return extent is None or all(v in alike for v in dependencies(extent))

    def end(self) -> None:
        """A wave ends: LDS may be another block's then, so nothing may be on its way there."""
        if self.registers.state.outstanding.coming:
            raise NotReadable("a load to LDS is under way where a wave ends")

    def settle(self) -> None:
        """Behind the last instruction: notes of each load to LDS how long it was under way."""
        for k, one in enumerate(self.trace):
            if one.store and one.buffer == "lds" and one.instruction.address in self.spans:
                alone = one.instruction.address not in self.beside
                self.trace[k] = replace(one, lands=self.spans[one.instruction.address], alone=alone)

    def execute(self, instruction: Instruction) -> None:
        """Carries out one instruction that is no branch."""
        if instruction.name in BARRIERS:
            self.barrier(instruction)
            return
        self._refuse_in_index_mode(instruction)
        registers = self.registers
        registers.state.scc = registers.scc  # one unknown on all ways from here, if it is one
        registers.assume(instruction)
        held = registers.moved_whole(instruction)
        try:
            self.interpreter.step(instruction)
        except NotReadable as error:  # of words, which know of no instruction
            place = f"{instruction.address:#x}"
            raise error if place in str(error) else NotReadable(f"{instruction.place}: {error}") from error
        if held and registers.all_active():
            target = operand_of(instruction, "d")
            registers.hold((target.kind, target.index), held)

    def _refuse_in_index_mode(self, instruction: Instruction) -> None:
        """Refuses all but vector operations, of which alone it is said what the mode does."""
        name = instruction.name
        vector = name in ALU and instruction.form.startswith("VOP")
        if self.registers.index_mode and not vector and name not in NO_EFFECT and name != "S_SET_GPR_IDX_OFF":
            raise NotReadable(f"{instruction.place} with indexed registers")

    # The start

    def _initialise(self, grid: Sequence[Expr], threads: Sequence[Expr]) -> None:
        kernel, w = self.kernel, self.w
        self.registers.set_exec(self.registers.state, Mask(TRUE))
        register = 0
        for name, dwords in kernel.user_sgprs:
            given = {"kernarg_segment_ptr": self.arguments, "dispatch_ptr": self.packet}.get(name)
            if given is not None and (given is self.arguments or given.bound):
                self.registers.write_scalar(Operand("s", register), 64, w.word(given.address, 64))
            elif name == PRELOADED and kernel.preloaded:
                for k in range(dwords):
                    word = self.arguments.dword(4 * (kernel.preload_offset + k))
                    self.registers.state.scalars["s", register + k] = word
            register += dwords
        register = kernel.user_sgpr_count
        blocks = [*grid, *(ZERO for _ in range(3 - len(grid)))]
        if kernel.architecture.block_registers:
            first, second = kernel.architecture.block_registers
            x, y, z = kernel.block_indices
            self.registers.state.scalars["s", first] = w.word(blocks[0]) if x else w.fresh_word()
            low = blocks[1] if y else w.undefined(16)
            self.registers.state.scalars["s", second] = w.word(low + blocks[2] * (1 << 16) if z else low)
        else:
            for block, wanted in zip(blocks, kernel.block_indices, strict=True):
                if wanted:
                    self.registers.state.scalars["s", register] = w.word(block)
                    register += 1
        if kernel.architecture.wave_number:
            number, lowest, highest = kernel.architecture.wave_number
            above = w.undefined(31 - highest) * (1 << highest + 1)
            word = w.word(w.undefined(lowest) + self.registers.wave * (1 << lowest) + above)
            self.registers.state.scalars["s", number] = word
        self.scratch.initialise()
        packed = sum((t * (1 << 10 * k) for k, t in enumerate(threads[: kernel.thread_dimensions])), start=ZERO)
        self.registers.state.cells["v", 0] = ((TRUE, w.word(packed)),)
