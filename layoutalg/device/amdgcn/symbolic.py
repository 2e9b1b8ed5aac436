"""The symbolic machine: one lane of one wave of one block, all of them unknown, on all paths through a kernel.

What it collects is the *trace*: every access of memory, element by element, with the address, the condition under
which the lane makes it, the data, and how many barriers stand before it. Branches that are not constant are followed
both ways to where they meet (their immediate post-dominator); the lane's own registers are written under its own
condition, so nothing has to be merged for them. Branches that constants decide are followed as they go, so loops of a
constant count are unrolled.

| branch | the wave takes it when | known of this lane |
|---|---|---|
| `execz` | no lane is active | then this lane is not, and nothing that follows concerns it |
| `vccz` | no lane has the bit | then this lane has it not |
| `scc` of a uniform comparison | the comparison holds | the same |

What it cannot represent (each stops with its name): loops whose count is not constant, barriers that only some waves
reach, scratch and flat memory, moves between lanes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from layoutalg.device.amdgcn.accesses import Access
from layoutalg.device.amdgcn.decode import EXEC, VCC, Instruction, Operand
from layoutalg.device.amdgcn.machine import Machine, operand_of
from layoutalg.device.amdgcn.paths import EXIT, meeting_points
from layoutalg.device.amdgcn.pending import LDS, Key, Pending
from layoutalg.device.amdgcn.program import ENDS, Program, branch_target
from layoutalg.device.amdgcn.words import Bit, Decide, IndexValues, Mask, NotReadable, Word, as_mask, is_mask
from layoutalg.index import (
    FALSE,
    TRUE,
    Expr,
    all_of,
    any_of,
    conjuncts,
    const,
    div,
    mod,
    negation,
    select,
    simplify,
    symbol,
    variables,
)

STEP_LIMIT = 100_000


@dataclass(frozen=True)
class Argument:
    """What a kernel argument stands for: a buffer's name, or a number."""

    buffer: str = ""
    number: Expr | None = None


@dataclass(frozen=True)
class Element:
    """One element of one access: bytes from the start of the buffer (or of LDS), or no known buffer at all."""

    instruction: Instruction
    store: bool
    buffer: str  # the argument's name, or `lds`
    offset: Expr  # in bytes
    guard: Expr
    barriers: int  # how many the wave has passed
    value: Expr  # stored bits, or the unknown that was loaded
    size: int  # bytes
    width: int  # bytes that the instruction moves at once


@dataclass
class State:
    """Registers and what is under way, at one point of one path."""

    scalars: dict[Key, Word | Mask] = field(default_factory=dict)
    cells: dict[Key, tuple[tuple[Expr, Word], ...]] = field(default_factory=dict)  # writes: (guard, word), newest last
    scc: Bit | None = None
    pending: Pending = field(default_factory=Pending)
    barriers: int = 0
    signalled: bool = False  # between the two parts of RDNA 4's barrier
    path: Expr = TRUE

    def copy(self) -> State:
        """An independent copy."""
        return replace(self, scalars=dict(self.scalars), cells=dict(self.cells), pending=self.pending.copy())


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
        element: int,
        decide: Decide,
    ) -> None:
        """`grid` and `threads` are the index variables; `element` is the bytes of a matrix element."""
        super().__init__(program.kernel, IndexValues(decide, given))
        self.program, self.given, self.element = program, given, element
        self.arguments = arguments
        self.common = {v for e in (*grid, *(a.number for a in arguments if a.number is not None)) for v in variables(e)}
        self.state = State()
        self.trace: list[Element] = []
        self.steps = 0
        self.meeting = meeting_points(program.blocks)
        self.block_of = {i.address: start for start, block in program.blocks.items() for i in block.instructions}
        self.buffers = {
            a.buffer: symbol(f"address_of_{a.buffer}", min=0, max=(1 << 64) - 1) for a in arguments if a.buffer
        }
        self.kernarg = symbol("address_of_arguments", min=0, max=1 << 60, multiple_of=16)
        self._initialise(grid, threads)

    # Registers

    def read_scalar(self, operand: Operand, bits: int) -> Word | Mask:
        """A scalar word, or a mask."""
        if operand.kind == "scc":
            return self.w.word(select(self._scc().expr, 1, 0))
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
            self.state.scalars[key] = self.w.word(self.w.fresh("undefined", 1 << 32))
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

    def _scc(self) -> Bit:
        if self.state.scc is None:
            self.write_scc(Bit(self.w.fresh_bit()))
        assert self.state.scc is not None
        return self.state.scc

    @property
    def active(self) -> Expr:
        """The condition under which this lane takes part."""
        return all_of(self.state.path, as_mask(self.state.scalars["s", EXEC]).own)

    def _assume(self, instruction: Instruction) -> None:
        """What may be assumed of values: a scalar one counts also where this lane takes no part."""
        scalar = instruction.form.startswith(("SOP", "SMEM"))
        self.w.given = all_of(self.given, self.state.path if scalar else self.active)

    def read_register(self, operand: Operand, bits: int) -> Word:
        """The lane's word."""
        if operand.kind not in ("v", "a"):
            raise NotReadable(f"{operand} where a vector register is expected")
        low = self._cell((operand.kind, operand.index))
        return low if bits == 32 else self.w.pair(low, self._cell((operand.kind, operand.index + 1)))

    def _cell(self, key: Key) -> Word:
        if self.state.pending.open(key):
            raise NotReadable(f"{key[0]}{key[1]} is used before a wait for its load")
        return self._resolved(self.state.cells.get(key, ()), self.active)

    def _resolved(self, writes: tuple[tuple[Expr, Word], ...], guard: Expr) -> Word:
        """The newest write that the guard implies, chosen among those after it that may have happened."""
        for k in range(len(writes) - 1, -1, -1):
            condition, word = writes[k]
            if implies(guard, condition):
                return word
            if excludes(guard, condition):
                continue
            older = self._resolved(writes[:k], guard)
            return older if older.expr is word.expr else word._with(select(condition, word.expr, older.expr))
        return self.w.word(self.w.fresh("undefined", 1 << 32))

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
            return "lds", simplify(self.w.unsigned(address))
        e = simplify(address.expr)
        for name, base in self.buffers.items():
            offset = simplify(e - base)
            if not any(_mentions(offset, other) for other in (*self.buffers.values(), self.kernarg)):
                return name, offset
        raise NotReadable(f"{instruction} at {instruction.address:#x}: the address {e} is in no buffer")

    def _note(self, instruction: Instruction, access: Access, address: Word, values: Sequence[Expr], size: int) -> None:
        buffer, start = self._place(access, address, instruction)
        guard = self.active
        if guard is FALSE:
            return
        for k, value in enumerate(values):
            at = start + k * size
            barriers = self.state.barriers
            self.trace.append(Element(instruction, access.store, buffer, at, guard, barriers, value, size, access.size))

    def _load(self, instruction: Instruction, access: Access, number: int, address: Word) -> list[tuple[Key, Word]]:
        size = min(self.element, access.size)
        values = [self.w.fresh("loaded", 1 << 8 * size) for _ in range(access.size // size)]
        self._note(instruction, access, address, values, size)
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
        old = self.w.unsigned(self._resolved(self.state.cells.get(key, ()), self.active))
        if access.half == "low":
            return div(old, 1 << 16) * (1 << 16) + value
        return mod(old, 1 << 16) + value * (1 << 16)

    def _store(self, instruction: Instruction, access: Access, role: str, address: Word) -> None:
        source = operand_of(instruction, role)
        size = min(self.element, access.size)
        values = []
        for k in range(access.registers):
            word = self._cell((source.kind, source.index + k))
            e = div(self.w.unsigned(word), 1 << 16) if access.half == "high" else word.expr
            for j in range(max(1, min(4, access.size) // size)):
                values.append(simplify(mod(div(e, 1 << 8 * size * j), 1 << 8 * size)))
        self._note(instruction, access, address, values, size)

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
        return self.w.word(self.w.fresh("undefined", 1 << 32))

    def _argument_words(self, argument: Argument, size: int) -> tuple[Word, ...]:
        if argument not in self._wholes:
            e = self.buffers[argument.buffer] if argument.buffer else argument.number
            assert e is not None
            word = self.w.word(e, 64 if size == 8 else 32)
            self._wholes[argument] = (self.w.low(word), self.w.high(word)) if size == 8 else (word,)
        return self._wholes[argument]

    def special(self, instruction: Instruction) -> None:
        """A uniform word read from the first lane is the word; all else between lanes is not followed."""
        if instruction.name == "V_READFIRSTLANE_B32":
            word = self.read_register(operand_of(instruction, "a"), 32)
            if not self._uniform(word.expr):
                raise NotReadable(f"{instruction} at {instruction.address:#x}: {word.expr} differs between lanes")
            if self.active is not TRUE:
                word = self.w.word(select(self.active, word.expr, self.w.fresh("undefined", 1 << 32)))
            self.write_scalar(operand_of(instruction, "d"), 32, word)
            return
        raise NotReadable(f"{instruction.name} ({instruction.form}) at {instruction.address:#x} is not followed")

    def _uniform(self, expr: Expr) -> bool:
        """Whether all lanes of a wave have the same: it is made of the block and the sizes alone."""
        for v in variables(expr):
            made = self.w.made_by.get(v)
            parts = [part for part in made or () if isinstance(part, Expr)]
            if not (v in self.common or (parts and all(map(self._uniform, parts)))):
                return False
        return True

    # Control

    def run(self) -> None:
        """Follows every path from the entry; the trace is then complete. Raises `NotReadable` when it cannot be."""
        self._run(self.kernel.entry, EXIT, 0)

    def _run(self, address: int, stop: int, depth: int) -> None:
        if depth > 200:
            raise NotReadable("branches nest too deep: a loop whose count is not constant")
        while address != stop:
            self.steps += 1
            if self.steps > STEP_LIMIT:
                raise NotReadable(f"more than {STEP_LIMIT} instructions: a loop whose count is not constant")
            instruction = self.program.by_address.get(address)
            if instruction is None:
                raise NotReadable(f"no instruction at {address:#x}")
            following, target = address + instruction.size, branch_target(instruction)
            if target is not None:
                address = self._branch(instruction, target, following, depth)
            elif instruction.name in ENDS:
                if stop != EXIT:
                    raise NotReadable(f"the kernel may end early, at {address:#x}")
                return
            else:
                self._barrier_or_step(instruction)
                address = following

    def _barrier_or_step(self, instruction: Instruction) -> None:
        if instruction.name not in ("S_BARRIER", "S_BARRIER_SIGNAL", "S_BARRIER_WAIT"):
            self.scc = self._scc()
            self._assume(instruction)
            self.step(instruction)
            return
        if instruction.name != "S_BARRIER_WAIT" and self.state.pending.open(LDS):
            raise NotReadable(f"an LDS access is under way at the barrier at {instruction.address:#x}")
        if self.state.path is not TRUE or self._forked:
            raise NotReadable(f"only some waves may reach the barrier at {instruction.address:#x}")
        self.state.signalled = instruction.name == "S_BARRIER_SIGNAL"
        self.state.barriers += not self.state.signalled

    def _branch(self, instruction: Instruction, target: int, following: int, depth: int) -> int:
        """Where to go on: one way, or where both ways meet, after following both."""
        self._assume(instruction)
        taken = self._condition(instruction)
        if taken.op == "const":
            return target if taken.value else following
        meet = self.meeting[self.block_of[instruction.address]]
        start, by_exec = self.state, "EXEC" in instruction.name
        ends = []
        self._forked += 1
        for way, condition in ((target, taken), (following, negation(taken))):
            self.state = start.copy()
            if not by_exec:
                self.state.path = all_of(start.path, condition)
            elif (way == target) == instruction.name.endswith("EXECZ"):
                self.state.scalars["s", EXEC] = self.state.scalars["s", EXEC + 1] = Mask(FALSE)
            self._run(way, meet, depth + 1)
            ends.append(self.state)
        self._forked -= 1
        self.state = self._joined(start, ends[0], ends[1], taken)
        self.scc = self.state.scc
        return meet

    def _condition(self, instruction: Instruction) -> Expr:
        """When the wave takes the branch."""
        name = instruction.name
        if name == "S_BRANCH":
            return TRUE
        if name in ("S_CBRANCH_SCC0", "S_CBRANCH_SCC1"):
            scc = simplify(self._scc().expr)
            return scc if name.endswith("1") else negation(scc)
        if name in ("S_CBRANCH_EXECZ", "S_CBRANCH_EXECNZ", "S_CBRANCH_VCCZ", "S_CBRANCH_VCCNZ"):
            own = self.lanes_of(Operand("s", EXEC if "EXEC" in name else VCC)).expr
            none = all_of(negation(own), self.w.fresh_bit())
            return none if name.endswith("CZ") else negation(none)
        raise NotReadable(f"the branch {name} at {instruction.address:#x}")

    def _joined(self, start: State, one: State, other: State, taken: Expr) -> State:
        """The state where two paths meet."""
        if one.barriers != other.barriers:
            raise NotReadable("paths with different numbers of barriers")
        joined = one.copy()
        joined.path = start.path
        joined.pending.join(other.pending)
        for key in {*one.scalars, *other.scalars}:
            a, b = one.scalars.get(key), other.scalars.get(key)
            if a is not b:
                joined.scalars[key] = self._either(taken, a, b)
        for key, writes in other.cells.items():
            common = start.cells.get(key, ())
            mine = one.cells.get(key, ())
            if mine == common:
                joined.cells[key] = writes
            elif writes != common:
                joined.cells[key] = self._both_written(taken, mine, writes)
        joined.scc = one.scc if one.scc is other.scc else Bit(self.w.fresh_bit())
        return joined

    def _both_written(
        self, taken: Expr, one: tuple[tuple[Expr, Word], ...], other: tuple[tuple[Expr, Word], ...]
    ) -> tuple[tuple[Expr, Word], ...]:
        a, b = self._resolved(one, taken), self._resolved(other, negation(taken))
        return ((TRUE, a._with(select(taken, a.expr, b.expr))),)

    def _either(self, taken: Expr, a: Word | Mask | None, b: Word | Mask | None) -> Word | Mask:
        """The scalar after two paths; a register that one of them has not written is undefined there."""
        if a is None or b is None:
            written = a if b is None else b
            assert written is not None
            if isinstance(written, Mask):
                own = all_of(taken if b is None else negation(taken), written.own)
                return Mask(any_of(own, all_of(negation(taken) if b is None else taken, self.w.fresh_bit())))
            unknown = self.w.word(self.w.fresh("undefined", 1 << 32), written.bits)
            a, b = (unknown, written) if a is None else (written, unknown)
        if isinstance(a, Mask) or isinstance(b, Mask):
            if not (is_mask(a) and is_mask(b)):
                return self.w.word(self.w.fresh("undefined", 1 << 32))
            x, y = as_mask(a).own, as_mask(b).own
            if x is FALSE and excludes(y, taken):
                return Mask(y)
            return Mask(x if x is y else any_of(all_of(taken, x), all_of(negation(taken), y)))
        return a if a.expr is b.expr and a.whole is b.whole else a._with(select(taken, a.expr, b.expr))

    # The start

    def _initialise(self, grid: Sequence[Expr], threads: Sequence[Expr]) -> None:
        kernel, w = self.kernel, self.w
        self._wholes: dict[Argument, tuple[Word, ...]] = {}
        self._forked = 0
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


def implies(stronger: Expr, weaker: Expr) -> bool:
    """Whether every part of the weaker condition is one of the stronger."""
    return weaker is TRUE or set(conjuncts(weaker)) <= set(conjuncts(stronger))


def excludes(one: Expr, other: Expr) -> bool:
    """Whether a part of one condition is the negation of parts of the other."""
    return any(
        any(implies(a, negation(part)) for part in conjuncts(b) if part is not TRUE)
        for a, b in ((one, other), (other, one))
    )


def _mentions(expr: Expr, variable: Expr) -> bool:
    return variable in variables(expr)
