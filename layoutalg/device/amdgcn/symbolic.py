"""The symbolic machine: one lane of one wave of one block, all of them unknown.

It carries out one instruction at a time on a `State`; `follow` says which, on all ways through a kernel.  What it
collects is the *trace*: every access of memory, element by element, with the address, the condition under which the
lane makes it, the data, and how many barriers stand before it.  The lane's own registers are written under its own
condition, so nothing has to be merged for them.

| instruction | is read as |
|---|---|
| arithmetic | its entry in `semantics`, on the words of `words` |
| a load | a new unknown for each element |
| a store | an entry of the trace |
| a scalar load | the kernel's arguments, and nothing else |
| a barrier | one more that has been passed, if nothing is under way and all waves come there |

What it cannot represent (each stops with its name): flat memory, moves between lanes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.device.amdgcn.accesses import Access
from layoutalg.device.amdgcn.bits import Bit, Mask, NotReadable, Word, as_mask, implies
from layoutalg.device.amdgcn.decode import EXEC, Instruction, Operand
from layoutalg.device.amdgcn.machine import Machine, operand_of, refuse_fields
from layoutalg.device.amdgcn.matrix import NEUTRAL, matrix_instruction_of
from layoutalg.device.amdgcn.pending import LDS, Key
from layoutalg.device.amdgcn.program import Program
from layoutalg.device.amdgcn.ranges import representative
from layoutalg.device.amdgcn.state import Argument, Element, State, resolved, within
from layoutalg.device.amdgcn.terms import Terms
from layoutalg.device.amdgcn.words import Decide, IndexValues
from layoutalg.index import FALSE, TRUE, Expr, all_of, const, div, mod, negation, select, simplify, symbol, variables
from layoutalg.kernel.dtypes import DTYPES
from layoutalg.target.operand import MatrixInstruction


class SymbolicMachine(Machine):
    """One unknown lane."""

    w: IndexValues

    def __init__(
        self,
        program: Program,
        arguments: Sequence[Argument],
        grid: Sequence[Expr],
        threads: Sequence[Expr],
        given: Expr,
        sizes: Mapping[str, int],
        decide: Decide,
        terms: Terms,
    ) -> None:
        """`grid` and `threads` are the index variables; `sizes` is the bytes of an element in each buffer and LDS."""
        super().__init__(program.kernel, IndexValues(decide, given, terms))
        self.program, self.given, self.sizes = program, given, sizes
        self.arguments = arguments
        self.uniform_variables = {
            v for e in (*grid, *(a.number for a in arguments if a.number is not None)) for v in variables(e)
        }
        self.state = State()
        self.trace: list[Element] = []
        self.loops: tuple[Expr, ...] = ()  # the variables of the loops that are followed
        self.noting = True  # or only trying out what a loop changes
        self.buffers = {
            a.buffer: symbol(f"address_of_{a.buffer}", min=0, max=(1 << 64) - 1) for a in arguments if a.buffer
        }
        self.kernarg = symbol("address_of_arguments", min=0, max=1 << 60, multiple_of=16)
        self._initialise(grid, threads)

    # Registers

    def read_scalar(self, operand: Operand, bits: int) -> Word | Mask:
        """A scalar word, or a mask."""
        if operand.kind == "scc":
            return self.w.word(select(self.condition_code().expr, 1, 0))
        if operand.kind == "null":
            return self.w.const(0, bits)
        low = self._scalar((operand.kind, operand.index))
        if bits == 32 or (isinstance(low, Mask) and self.kernel.wave_size == 64):
            if isinstance(low, Mask) and bits == 64:
                high = self._scalar((operand.kind, operand.index + 1))
                if not isinstance(high, Mask) or high.own is not low.own:
                    raise NotReadable(f"half a mask in {operand}")
            return low
        high = self._scalar((operand.kind, operand.index + 1))
        if isinstance(low, Mask) or isinstance(high, Mask):
            if operand.index == EXEC and isinstance(low, Mask):
                return low
            raise NotReadable(f"a mask in {operand} read as a number")
        return self.w.pair(low, high)

    def _scalar(self, key: Key) -> Word | Mask:
        if self.state.pending.open(key):
            raise NotReadable(f"{key[0]}{key[1]} is used before a wait for its load")
        if key not in self.state.scalars:
            self.state.scalars[key] = self.w.fresh_word()
        return self.state.scalars[key]

    def write_scalar(self, operand: Operand, bits: int, word: Word | Mask) -> None:
        """Writes one register, or both halves."""
        if operand.kind == "null":
            return
        key = (operand.kind, operand.index)
        if operand.index == EXEC:
            word = as_mask(word)
        if isinstance(word, Mask):
            parts: list[Word | Mask] = [word] * (2 if bits == 64 else 1)
        else:
            parts = [self.w.low(word), self.w.high(word)] if bits == 64 else [word]
        for k, part in enumerate(parts):
            if self.state.pending.open((key[0], key[1] + k)):
                raise NotReadable(f"{key[0]}{key[1] + k} is written while its load is under way")
            self.state.scalars[key[0], key[1] + k] = part

    def write_scc(self, truth: Bit) -> None:
        """Writes the condition code."""
        self.state.scc = self.scc = truth

    def condition_code(self) -> Bit:
        """What it is, if that is known."""
        if self.state.scc is None:
            self.write_scc(Bit(self.w.fresh_bit()))
        assert self.state.scc is not None
        return self.state.scc

    @property
    def active(self) -> Expr:
        """The condition under which this lane takes part."""
        return within(as_mask(self.state.scalars["s", EXEC]).own, self.state.path)

    def assume(self, instruction: Instruction) -> None:
        """What may be assumed of values: a scalar one counts also where this lane takes no part."""
        scalar = instruction.form.startswith(("SOP", "SMEM"))
        self.w.given = all_of(self.given, self.state.condition if scalar else self.active)

    def read_register(self, operand: Operand, bits: int) -> Word:
        """The lane's word."""
        if operand.kind not in ("v", "a"):
            raise NotReadable(f"{operand} where a vector register is expected")
        low = self._cell((operand.kind, operand.index))
        return low if bits == 32 else self.w.pair(low, self._cell((operand.kind, operand.index + 1)))

    def _cell(self, key: Key) -> Word:
        if self.state.pending.open(key):
            raise NotReadable(f"{key[0]}{key[1]} is used before a wait for its load")
        return resolved(self.w, self.state.cells.get(key, ()), self.active)

    def write_register(self, operand: Operand, bits: int, word: Word) -> None:
        """Writes under the lane's own condition."""
        parts = (self.w.low(word), self.w.high(word)) if bits == 64 else (word,)
        for k, part in enumerate(parts):
            self._write_cell((operand.kind, operand.index + k), part)

    def _write_cell(self, key: Key, word: Word, after: tuple[str, ...] = ()) -> None:
        """`after`: counters on which this is a load itself, which comes after those that are under way on them."""
        if self.state.pending.open(key) and not self.state.pending.only(key, after):
            raise NotReadable(f"{key[0]}{key[1]} is written while its load is under way")
        guard = self.active
        if guard is FALSE:
            return
        kept = tuple(write for write in self.state.cells.get(key, ()) if not implies(write[0], guard))
        self.state.cells[key] = (*kept, (guard, word))

    def lanes_of(self, operand: Operand) -> Bit:
        """The lane's bit of a mask."""
        mask = as_mask(self._constant(operand, self.kernel.wave_size))
        return Bit(mask.own, mask.carry_of if implies(self.active, mask.guard) else None)

    def write_lanes(self, operand: Operand, truth: Bit) -> None:
        """The lane's bit, if it takes part."""
        self.write_scalar(
            operand, self.kernel.wave_size, Mask(all_of(truth.expr, self.active), truth.carry_of, self.active)
        )

    # Memory

    def wait(self, left: Mapping[str, int]) -> None:
        """Passes to the ages."""
        self.state.pending.wait(left)

    def access(self, instruction: Instruction, access: Access, addresses: tuple[Word, ...]) -> None:
        """Notes every element; loaded data are new unknowns."""
        if access.space not in ("constant", "global", "lds"):
            raise NotReadable(f"{instruction.name} at {instruction.address:#x}: {access.space} memory")
        counters = self.counters[access.space, access.store]
        unordered = access.space in self.unordered
        if access.space == "constant":
            self._load_arguments(instruction, access, addresses[0])
            target = operand_of(instruction, "d").index
            self.state.pending.issue(counters, [("s", target + k) for k in range(access.registers)], unordered)
            return
        if access.space == "lds" and self.state.signalled:
            raise NotReadable(f"LDS is accessed within a barrier, at {instruction.address:#x}")
        keys = [LDS] if access.space == "lds" else []
        loaded: list[tuple[Key, Word]] = []
        for number, address in enumerate(addresses):
            if access.store:
                self._store(instruction, access, "data2" if number else "data", address)
            else:
                loaded += self._load(instruction, access, number, address)
        ordered = not unordered
        for key, word in loaded:
            self._write_cell(key, word, after=counters if ordered else ())
        self.state.pending.issue(counters, [*keys, *(key for key, _ in loaded)], unordered)

    def _place(self, access: Access, address: Word, instruction: Instruction) -> tuple[str, Expr]:
        """The buffer that an address is in, and the bytes from its start."""
        if access.space == "lds":
            return "lds", self.w.uncut(self.w.unsigned(address))
        e = representative(address.expr, 64)
        for name, base in self.buffers.items():
            offset = self.w.uncut(e - base)
            if not {*self.buffers.values(), self.kernarg} & set(variables(offset)):
                return name, offset
        raise NotReadable(f"{instruction} at {instruction.address:#x}: the address {e} is in no buffer")

    def _parts(self, access: Access, address: Word, instruction: Instruction) -> tuple[str, Expr, int]:
        """The buffer, the offset of the first element in it, and the bytes of an element."""
        if not self.noting or self.active is FALSE:
            return "", FALSE, access.size
        buffer, start = self._place(access, address, instruction)
        return buffer, start, min(self.sizes[buffer], access.size)

    def _note(self, instruction: Instruction, access: Access, at: tuple[str, Expr, int], values: list[Expr]) -> None:
        buffer, start, size = at
        if not buffer:
            return
        guard, barriers = self.active, self.state.barriers
        for k, value in enumerate(values):
            offset = start + k * size
            self.trace.append(
                Element(
                    instruction, access.store, buffer, offset, guard, barriers, value, size, access.size, self.loops
                )
            )

    def _load(self, instruction: Instruction, access: Access, number: int, address: Word) -> list[tuple[Key, Word]]:
        at = self._parts(access, address, instruction)
        size = min(at[2], 4)
        values = [self.w.fresh("loaded", 1 << 8 * size) for _ in range(access.size // size)]
        self._note(instruction, access, (*at[:2], size), values)
        target = operand_of(instruction, "d")
        words = []
        for k in range(access.registers):
            per = max(1, 4 // size) if access.size >= 4 else 1
            parts = values[k * per : (k + 1) * per]
            total = sum((part * (1 << 8 * size * j) for j, part in enumerate(parts)), start=FALSE)
            key = (target.kind, target.index + number * access.registers + k)
            words.append((key, self.w.word(self._widened(access, key, total))))
        return words

    def _widened(self, access: Access, key: Key, value: Expr) -> Expr:
        if access.signed:
            half = 1 << 8 * access.size - 1
            return mod(value + half, 2 * half) - half
        if not access.half:
            return value
        old = self.w.unsigned(resolved(self.w, self.state.cells.get(key, ()), self.active))
        if access.half == "low":
            return div(old, 1 << 16) * (1 << 16) + value
        return mod(old, 1 << 16) + value * (1 << 16)

    def _store(self, instruction: Instruction, access: Access, role: str, address: Word) -> None:
        source = operand_of(instruction, role)
        at = self._parts(access, address, instruction)
        size = min(at[2], 4)
        values = []
        for k in range(access.registers):
            word = self._cell((source.kind, source.index + k))
            e = div(self.w.unsigned(word), 1 << 16) if access.half == "high" else word.expr
            for j in range(max(1, min(4, access.size) // size)):
                values.append(simplify(mod(div(e, 1 << 8 * size * j), 1 << 8 * size)))
        self._note(instruction, access, (*at[:2], size), values)

    def _load_arguments(self, instruction: Instruction, access: Access, address: Word) -> None:
        start = simplify(address.expr - self.kernarg)
        if start.op != "const":
            raise NotReadable(f"{instruction} at {instruction.address:#x} loads from {simplify(address.expr)}")
        target = operand_of(instruction, "d").index
        for k in range(access.registers):
            if self.state.pending.open(("s", target + k)):
                raise NotReadable(f"s{target + k} is loaded while its load is under way")
            self.state.scalars["s", target + k] = self._argument_word(int(start.value) + 4 * k)

    def _argument_word(self, byte: int) -> Word:
        visible = [a for a in self.kernel.arguments if not a.kind.startswith("hidden_")]
        for laid_out, argument in zip(visible, self.arguments, strict=True):
            if laid_out.offset <= byte < laid_out.offset + laid_out.size:
                whole = self._argument_words(argument, laid_out.size)
                return whole[(byte - laid_out.offset) // 4]
        return self.w.fresh_word()

    def _argument_words(self, argument: Argument, size: int) -> tuple[Word, ...]:
        if argument not in self._wholes:
            e = self.buffers[argument.buffer] if argument.buffer else argument.number
            assert e is not None
            word = self.w.word(e, 64 if size == 8 else 32)
            self._wholes[argument] = (self.w.low(word), self.w.high(word)) if size == 8 else (word,)
        return self._wholes[argument]

    def special(self, instruction: Instruction) -> None:
        """A uniform word read from the first lane is the word; matrix instructions are unknown functions."""
        if instruction.name == "V_READFIRSTLANE_B32":
            word = self.read_register(operand_of(instruction, "a"), 32)
            if not self.uniform(word.expr):
                raise NotReadable(f"{instruction} at {instruction.address:#x}: {word.expr} differs between lanes")
            own = as_mask(self.state.scalars["s", EXEC]).own
            some = negation(all_of(negation(own), self.w.others(own)))  # as a branch that skips the rest has it
            if self.active is not TRUE and some not in self.state.path:
                word = self.w.word(select(self.active, word.expr, self.w.fresh("undefined", 1 << 32)))
            self.write_scalar(operand_of(instruction, "d"), 32, word)
            return
        matrix = matrix_instruction_of(instruction.name, self.kernel.target)
        if matrix is None:
            raise NotReadable(f"{instruction.name} ({instruction.form}) at {instruction.address:#x} is not followed")
        self._multiply(instruction, matrix)

    def _multiply(self, instruction: Instruction, matrix: MatrixInstruction) -> None:
        """Each element of the result: a function of all that the lane holds of A and B, and of its element of C."""
        refuse_fields(instruction, frozenset(k for k, v in instruction.fields.items() if NEUTRAL.get(k) == v))
        if self.active is not TRUE:
            raise NotReadable(f"{instruction} at {instruction.address:#x} with inactive lanes")
        a, b, c = (self._operand_words(instruction, role, matrix) for role in "abc")
        target = operand_of(instruction, "d")
        results = [self.w.function(f"{matrix.name}[{k}]", *a, *b, old) for k, old in enumerate(c)]
        for k, word in enumerate(results):
            self._write_cell((target.kind, target.index + k), word)

    def _operand_words(self, instruction: Instruction, role: str, matrix: MatrixInstruction) -> list[Word]:
        """A lane's registers of A, B or C."""
        operand = operand_of(instruction, role)
        held, dtype = {
            "a": (matrix.a, matrix.a_dtype), "b": (matrix.b, matrix.b_dtype), "c": (matrix.d, matrix.accumulator)
        }[role]  # fmt: skip
        count = (int(held.element.hi) + 1) * DTYPES[dtype].bytes // 4
        if operand.kind in ("v", "a"):
            return [self._cell((operand.kind, operand.index + k)) for k in range(count)]
        if (operand.kind, operand.index) != ("int", 0):
            raise NotReadable(f"{instruction}: a matrix operand that is the constant {operand}")
        return [self.w.const(0, 32)] * count

    def uniform(self, expr: Expr) -> bool:
        """Whether all lanes of a wave have the same: it is made of the block, the sizes and loops' numbers alone."""
        return all(
            v in self.uniform_variables or v in self.loops or self._all_uniform(self.w.made_of(v))
            for v in variables(expr)
        )

    def _all_uniform(self, parts: tuple[Expr, ...]) -> bool:
        return bool(parts) and all(map(self.uniform, parts))

    def barrier(self, instruction: Instruction) -> None:
        """One more barrier; refused where only some waves may come, or LDS accesses are under way."""
        if instruction.name != "S_BARRIER_WAIT" and self.state.pending.open(LDS):
            raise NotReadable(f"an LDS access is under way at the barrier at {instruction.address:#x}")
        if self.state.path:
            raise NotReadable(f"only some waves may reach the barrier at {instruction.address:#x}")
        if self.state.signalled != (instruction.name == "S_BARRIER_WAIT"):
            raise NotReadable(f"a barrier's signal and wait are no pair at {instruction.address:#x}")
        self.state.signalled = instruction.name == "S_BARRIER_SIGNAL"
        self.state.barriers += not self.state.signalled

    def follow(self, instruction: Instruction) -> None:
        """Carries out one instruction that is no branch."""
        if instruction.name in ("S_BARRIER", "S_BARRIER_SIGNAL", "S_BARRIER_WAIT"):
            self.barrier(instruction)
            return
        self.scc = self.condition_code()
        self.assume(instruction)
        self.step(instruction)

    # The start

    def _initialise(self, grid: Sequence[Expr], threads: Sequence[Expr]) -> None:
        kernel, w = self.kernel, self.w
        self._wholes: dict[Argument, tuple[Word, ...]] = {}
        self.state.scalars["s", EXEC] = self.state.scalars["s", EXEC + 1] = Mask(TRUE)
        register = 0
        for name, dwords in kernel.user_sgprs:
            if name == "kernarg_segment_ptr":
                self.write_scalar(Operand("s", register), 64, w.word(self.kernarg, 64))
            register += dwords
        register = kernel.user_sgpr_count
        blocks = [*grid, *(const(0) for _ in range(3 - len(grid)))]
        if kernel.architecture == "rdna4":
            self.state.scalars["s", 108 + 9] = w.word(blocks[0])
            self.state.scalars["s", 108 + 7] = w.word(blocks[1] + blocks[2] * (1 << 16))
        else:
            for block, wanted in zip(blocks, kernel.block_indices, strict=True):
                if wanted:
                    self.state.scalars["s", register] = w.word(block)
                    register += 1
        packed = sum((t * (1 << 10 * k) for k, t in enumerate(threads[: kernel.thread_dimensions])), start=FALSE)
        self.state.cells["v", 0] = ((TRUE, w.word(packed)),)
