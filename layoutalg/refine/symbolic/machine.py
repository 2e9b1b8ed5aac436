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
| a barrier | one more that has been passed, if nothing is under way and all waves come there |

A flat access is one of the space whose base its address is made of.
What it cannot represent (each stops with its name): moves between lanes, but of a scalar word into one and back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from layoutalg.index import FALSE, TRUE, Expr, all_of, const, div, mod, select, simplify, symbol, variables
from layoutalg.index.conditions import assuming, conjunction
from layoutalg.isa.container.descriptor import PRELOADED
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import atomic_operands, operand_of
from layoutalg.isa.interpreter.step import Interpreter
from layoutalg.isa.semantics.accesses import NO_EFFECT, MemoryInstruction
from layoutalg.isa.semantics.control import BARRIERS
from layoutalg.isa.semantics.table import ALU
from layoutalg.refine.symbolic.addresses import Bases, Span
from layoutalg.refine.symbolic.arguments import ALIGNED, DISPATCH_PACKET, Arguments, constant_segments, constants
from layoutalg.refine.symbolic.arithmetic import Decide, IndexValues
from layoutalg.refine.symbolic.buffers import DescribedBuffer, RangedPart
from layoutalg.refine.symbolic.lanes import SymbolicLanes
from layoutalg.refine.symbolic.outstanding import LDS, Key, half_of
from layoutalg.refine.symbolic.registers import HIGHEST_ADDRESS, SymbolicRegisters
from layoutalg.refine.symbolic.scratch import Scratch
from layoutalg.refine.symbolic.state import BoundArgument, TracedElement
from layoutalg.refine.values.uninterpreted import UninterpretedFunctions
from layoutalg.refine.values.unknowns import Kind, dependencies
from layoutalg.refine.values.word import Mask, NotReadable, Word

Loaded = Callable[[str, int, Sequence[Expr]], None]
"""Is told the buffer (empty where it is not known), the bytes of each value, and the unknowns that stand for them."""


HasContents = Callable[[str, Expr, int, Expr], bool]
"""Whether so many bytes of a buffer, from an offset on, are known to hold something wherever a condition does."""


class SymbolicMachine:
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
        self.registers = SymbolicRegisters(self.kernel, self.w, threads)
        self.scratch = Scratch(self.registers)
        self.program, self.sizes = program, sizes
        given = (*grid, *(a.number for a in arguments if a.number is not None))
        self.of_the_block = frozenset(variables(*given))  # what all waves of a block have alike
        self.lanes = SymbolicLanes(self.registers, set(self.of_the_block), lambda: self.loops)
        self.interpreter = Interpreter(self.registers, self, self.lanes)
        self.trace: list[TracedElement] = []
        self.loops: tuple[Expr, ...] = ()  # the variables of the loops that are followed
        self.moment = 0  # how many instructions have accessed memory
        self.noting = True  # or only trying out what a loop changes
        self.loaded: Loaded = lambda buffer, size, values: None  # is told what was loaded
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

    # Memory

    def dwords(self, part: Word) -> Word:
        """The part of a scalar address, which must have no bits that the machine would drop."""
        if simplify(mod(part.expr, 4)) is not FALSE:
            raise NotReadable(f"a scalar address has the part {part.expr}, which may be no multiple of 4")
        return part

    def bring(self, target: Operand, word: Word) -> None:
        """A register that waits for what the LDS unit exchanges."""
        counters, key = (self.kernel.architecture.counters.lds,), (target.kind, target.index)
        self.registers.write_cell(key, word)
        self.registers.state.outstanding.issue(counters, [key], False)

    def wait(self, left: Mapping[str, int]) -> None:
        """Passes to the ages."""
        self.registers.state.outstanding.wait(left)

    def access(self, instruction: Instruction, access: MemoryInstruction, addresses: tuple[Word, ...]) -> None:
        """Notes every element; loaded data are new unknowns."""
        self.moment += 1
        if access.transposed:
            raise NotReadable(f"{instruction.place}: what lanes load for one another")
        counted = access.space
        if access.space == "flat":
            access = replace(access, space=self.registers.space_of(addresses[0]))
        if access.space == "constant" and access.size < 4:
            raise NotReadable(f"{instruction.place}: a scalar load of {access.size} bytes")
        if access.space == "constant":
            self._issue(instruction, access, counted, self._load_scalars(instruction, access, addresses[0]))
            return
        if access.space == "lds" and self.registers.state.signalled:
            raise NotReadable(f"LDS is accessed within a barrier, at {instruction.address:#x}")
        parts = [RangedPart(address, access.size, TRUE) for address in addresses]
        self._carry_out(instruction, access, parts, counted)

    def access_buffer(
        self, instruction: Instruction, access: MemoryInstruction, descriptor: tuple[Word, Word, Word],
        scalar: Word, offset: Word,
    ) -> None:  # fmt: skip
        """Scratch, where the descriptor is seen to be its own; else global memory, as far as it is in range."""
        base, count, flags = descriptor
        if self.kernel.has_scratch_buffer and self.scratch.is_described_by(base, self.w.pair(count, flags), scalar):
            self.access(instruction, replace(access, space="scratch", by_buffer=True), (self.w.low(offset),))
            return
        parts: Sequence[RangedPart] = [RangedPart(offset, access.size, TRUE)]
        if self.noting:
            buffer = DescribedBuffer(self.w, self.kernel.architecture.name, descriptor, instruction.place)
            parts = buffer.parts(access, scalar, offset)
        self._carry_out(instruction, replace(access, space="global"), parts, access.space)

    def _carry_out(
        self, instruction: Instruction, access: MemoryInstruction, parts: Sequence[RangedPart], counted: str
    ) -> None:
        """Stores and loads each part; what is loaded comes later, as an access of the space that is counted."""
        loaded: list[tuple[Key, Word, Key | None]] = []
        for number, part in enumerate(parts):
            one = replace(access, size=part.size)
            if access.space == "scratch" and access.store:
                self.scratch.store(instruction, one, part.address)
            elif access.space == "scratch" and not access.atomic:
                loaded += self.scratch.load(instruction, one, part.address)
            elif access.store:
                self._store(instruction, one, number, part)
            else:
                loaded += self._load(instruction, one, number, part)
        overtaking = counted in self.kernel.architecture.overtaking
        counters = () if overtaking else self._counters(instruction, access, counted)
        half = access.half if self.kernel.architecture.loads_keep_other_half else ""
        for key, word, source in loaded:
            self.registers.write_cell(key, word, counters, source, half)
        waiting = [LDS] if access.space == "lds" else []
        self._issue(instruction, access, counted, [*waiting, *(half_of(key, half) for key, _, _ in loaded)])

    def _issue(self, instruction: Instruction, access: MemoryInstruction, counted: str, keys: Sequence[Key]) -> None:
        """Counts an access up, for which these registers wait."""
        counters, unordered = self._counters(instruction, access, counted), self.kernel.architecture.unordered
        self.registers.state.outstanding.issue(counters, keys, counted in unordered)

    def _counters(self, instruction: Instruction, access: MemoryInstruction, counted: str) -> tuple[str, ...]:
        return self.kernel.architecture.counters.of(counted, not access.returns(instruction.fields))

    def _places(self, access: MemoryInstruction, part: RangedPart, instruction: Instruction) -> tuple[list[Span], int]:
        """Where a part of an access is, in each case that this lane makes it; and the bytes of an element."""
        active = self.registers.active
        guard = active if part.inside is TRUE else conjunction(active, part.inside)
        if not self.noting or guard is FALSE:
            return [Span("", FALSE, guard)], min(access.size, 4)
        if access.space == "lds" and part.address.bits == 32:
            found: list[Span] | None = [Span("lds", self.w.uncut(self.w.unsigned(part.address)), guard)]
        else:
            before, self.w.given = self.w.given, all_of(self.w.given, part.inside)
            apertures = {"lds": self.registers.apertures["lds"]}
            addresses = Bases(self.w, apertures if access.space == "lds" else self.buffers, self.bases)
            found = addresses.places(part.address.expr, guard)
            self.w.given = before
        if found is None:
            raise NotReadable(f"{instruction.place}: the address {simplify(part.address.expr)} is in no buffer")
        return found, min(4, access.size, *(self.sizes[one.buffer] for one in found))

    def _note(
        self, instruction: Instruction, access: MemoryInstruction, place: Span, size: int, values: Sequence[Expr]
    ) -> None:
        if not place.buffer:
            return
        barriers, atomic = self.registers.state.barriers, access.atomic is not None
        for k, value in enumerate(values):
            at = place.buffer, place.offset + k * size, place.condition, barriers
            this = instruction, access.store or atomic, *at, value, size, access.size
            uniform = access.store and place.buffer == "lds" and self.lanes.uniform(value)
            self.trace.append(TracedElement(*this, self.loops, k * size, atomic, self.moment, uniform))

    def _load(
        self, instruction: Instruction, access: MemoryInstruction, number: int, part: RangedPart
    ) -> list[tuple[Key, Word, Key | None]]:
        """The registers that get what is there, and 0 where nothing is.

        An atomic operation leaves what is not known, as what it finds is: others may change it before and after.
        """
        if access.atomic and access.space == "scratch":
            raise NotReadable(f"{instruction.place}: an atomic operation on scratch")
        operands = atomic_operands(instruction, access) if access.atomic else ()
        made_of = [self.registers.cell((one.kind, one.index)).expr for one in operands]
        places, size = self._places(access, part, instruction)
        count, guard = access.size // size, self.registers.active
        found = [FALSE] * count
        for place in places:
            values = self._contents(place, size, count)
            left = [
                self.w.fresh("updated", 1 << 8 * size, Kind.DATA, "", *made_of)
                for _ in range(count if access.atomic else 0)
            ]
            self._note(instruction, access, place, size, left or values)
            self.loaded(place.buffer, size, values)
            here = assuming(place.condition, guard)
            found = [select(here, *pair) for pair in zip(values, found, strict=True)]
        if not access.returns(instruction.fields):
            return []
        target = operand_of(instruction, "d")
        words: list[tuple[Key, Word, Key | None]] = []
        for k in range(access.registers):
            per = max(1, min(4, access.size) // size)
            parts = found[k * per : (k + 1) * per]
            total = sum((part * (1 << 8 * size * j) for j, part in enumerate(parts)), start=FALSE)
            key = (target.kind, target.index + number * access.registers + k)
            words.append((key, self.w.word(self.registers.widened(access, key, total)), None))
        return words

    def _contents(self, place: Span, size: int, count: int) -> list[Expr]:
        """Unknowns for what is loaded: data, but where perhaps nothing was written."""
        buffer, start = place.buffer, place.offset
        there = (not buffer or self.has_contents(buffer, start + k * size, size, place.condition) for k in range(count))
        return [self.w.fresh("loaded", 1 << 8 * size, Kind.DATA if known else Kind.UNDEFINED) for known in there]

    def _store(self, instruction: Instruction, access: MemoryInstruction, number: int, part: RangedPart) -> None:
        second = "data2" in instruction.operands
        source = operand_of(instruction, "data2" if second and number else "data")
        first = source.index + (0 if second else number * access.registers)
        words = [self.registers.cell((source.kind, first + k)) for k in range(access.registers)]
        places, size = self._places(access, part, instruction)
        values = []
        for word in words:
            e = div(self.w.unsigned(word), 1 << 16) if access.half == "high" else word.expr
            for j in range(max(1, min(4, access.size) // size)):
                values.append(simplify(mod(div(e, 1 << 8 * size * j), 1 << 8 * size)))
        for place in places:
            self._note(instruction, access, place, size, values)

    def _load_scalars(self, instruction: Instruction, access: MemoryInstruction, address: Word) -> list[Key]:
        """Words of the arguments, constants, or of a buffer: unknowns that all lanes have alike; their registers."""
        target = operand_of(instruction, "d")
        keys = [(target.kind, target.index + k) for k in range(access.registers)]
        for key in keys:
            if self.registers.state.outstanding.open(key):
                raise NotReadable(f"{key[0]}{key[1]} is loaded while its load is under way")
        words = constants(self.kernel, simplify(address.expr - self.registers.code), access.registers, self.w)
        if not words and {*self.buffers.values()} & set(variables(address.expr)):
            words = self._load_uniform(instruction, access, address)
        for given in (self.arguments, self.packet):
            words = words or given.at(address.expr, access.registers, instruction.place)
        if not words:
            raise NotReadable(f"{instruction.place} loads from {simplify(address.expr)}")
        self.registers.state.scalars.update(zip(keys, words, strict=True))
        return keys

    def _load_uniform(self, instruction: Instruction, access: MemoryInstruction, address: Word) -> list[Word]:
        """A scalar load from a buffer, which every wave on this way makes."""
        state = self.registers.state
        where = Bases(self.w, self.buffers, self.bases)
        places = where.places(address.expr, state.condition) if self.noting else [Span("", FALSE, state.condition)]
        if places is None:
            raise NotReadable(f"{instruction.place}: the address {simplify(address.expr)} is in no buffer")
        found = [FALSE] * access.registers
        for place in places:
            values = self._contents(place, 4, access.registers)
            self._note(instruction, access, place, 4, values)
            self.lanes.alike.update(values)
            self.loaded(place.buffer, 4, values)
            here = assuming(place.condition, state.condition)
            found = [select(here, *pair) for pair in zip(values, found, strict=True)]
        return [self.w.word(value) for value in found]

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

    def _of_the_block(self, loop: Expr) -> bool:
        """Whether a loop runs as often in all waves of a block: its count is made of what they have alike."""
        alike = self.of_the_block | {*self.loops}
        extent = loop.value.extent  # none of a constant
        return extent is None or all(v in alike for v in dependencies(extent))

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
        blocks = [*grid, *(const(0) for _ in range(3 - len(grid)))]
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
        packed = sum((t * (1 << 10 * k) for k, t in enumerate(threads[: kernel.thread_dimensions])), start=FALSE)
        self.registers.state.cells["v", 0] = ((TRUE, w.word(packed)),)
