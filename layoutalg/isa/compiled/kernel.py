"""The text of a kernel: each basic block's instructions carried out as text, and control between them.

    switch (W->pc) { case 0x100: goto L256; … }         where a wave goes on: the entry, a branch's target, a barrier
    L256: { W->steps += 7; … if (W->scc) goto L304; }

What has no text (an instruction that nothing describes, a jump to what a register holds, a number that says which
register) ends a run that comes to it, and is named.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.compiled.defined import SUMS
from layoutalg.isa.compiled.emission import Emission
from layoutalg.isa.compiled.lanes import TextLanes
from layoutalg.isa.compiled.memory import TextMemory
from layoutalg.isa.compiled.products import Products
from layoutalg.isa.compiled.registers import SCC, TextRegisters
from layoutalg.isa.compiled.values import HEADER, Call
from layoutalg.isa.compiled.waits import WaitDeeds, unwaited
from layoutalg.isa.decode.code import MachineCode, branch_target
from layoutalg.isa.decode.instructions import VCC, Instruction, Operand
from layoutalg.isa.interpreter.step import Interpreter
from layoutalg.isa.run.memories import smallest_element
from layoutalg.isa.run.polls import polls
from layoutalg.isa.semantics.accesses import ACCESSES, CLOCKS, access_of, may_be_atomic
from layoutalg.isa.semantics.control import (
    BARRIERS,
    BRANCHES,
    ENDS,
    ENDS_PROGRAM,
    JUMPS,
    SETS_SKIPPING,
    TRAPS,
)
from layoutalg.records import dataclass


@dataclass(frozen=True)
class KernelText:
    """A kernel as C++, and the functions that it calls back, by their numbers."""

    source: str
    calls: tuple[Call, ...]
    in_turn: bool  # atomic operations on global memory: blocks are run one after another
    unchecked: str = ""  # why faults that are no addresses are not looked for in it; empty where they are
    lone: bool = False  # they are only in blocks of one wave
    places: tuple[int, int] = (1, 1)  # bytes of the smallest element of global memory that it accesses, and of LDS
    wide: tuple[int, int] = (1, 1)  # the same of what is stored to global memory alone, and of LDS, however wide

    @property
    def checked(self) -> str:
        """The source with all that looks for such faults."""
        return f"#define CHECKED 1\n{self.source}"


def text_of(program: MachineCode) -> KernelText:
    """The text of a kernel.

    Raises `UnsupportedInstructionError` where a branch leads out of it, or waves wait for what others store.
    """
    kernel, calls = program.kernel, list[Call]()
    if polls(program):
        raise UnsupportedInstructionError(f"{kernel.name}: waves that wait for others have no compiled text")
    products = Products(kernel.machine)
    reached = _reached(program)
    blocks = {address: _Block(program, address, calls, products) for address in reached}
    resumed = sorted({kernel.start, *(place for block in blocks.values() for place in block.resumed)})
    entries = "\n".join(f"case {place}: goto L{place};" for place in resumed)
    accumulators = kernel.accumulators or 1
    source = (
        f"#define LANES {kernel.wave_size}\n#define VECTORS {kernel.vector_registers or 1}\n"
        f"#define ACCUMULATORS {accumulators}\n{HEADER}\n{products.text}\n"
        f"static int run_wave(Run *R, Block *B, Wave *W) {{\nswitch (W->pc) {{\n{entries}\n}}\n"
        f'return refuse(B, "no instruction begins there");\n'
        + "\n".join(block.text for block in blocks.values())
        + '\ntoo_many: return stop(B, STEPS, "");\n}\n'
    )
    used = [one for address in reached for one in program.blocks[address].instructions]
    accesses = (ACCESSES[one.name] for one in used if one.name in ACCESSES)
    in_turn = any(access.atomic is not None and access.space != "lds" for access in accesses)
    successors = {address: program.blocks[address].successors for address in reached}
    deeds = {address: block.track for address, block in blocks.items()}
    early, lone = unwaited(deeds, successors, kernel.start)
    wide = _widest(used, "global", "flat", "buffer", stores=True), _widest(used, "lds", "flat")
    unchecked = "a register may be used before it is loaded" if early else _unchecked(used)
    return KernelText(
        source, tuple(calls), in_turn, unchecked, lone,
        (smallest_element(used, "global", "flat", "buffer"), smallest_element(used, "lds", "flat")), wide,
    )  # fmt: skip


def _widest(instructions: Sequence[Instruction], *spaces: str, stores: bool = False) -> int:
    """The bytes, a power of two, of which all accesses of these spaces, or all stores, are whole multiples."""
    accesses = [ACCESSES[one.name] for one in instructions if one.name in ACCESSES]
    sizes = [
        min(access.size & -access.size, 4 if access.space == "buffer" else 16) for access in accesses
        if access.space in spaces and (access.store or not stores)
    ]  # fmt: skip
    return min(sizes, default=4)


def _unchecked(instructions: Sequence[Instruction]) -> str:
    """The first that does what a run with checks does not follow."""
    for one in instructions:
        access = access_of(one.name, one.fields) if one.name in ACCESSES else None
        if one.name in CLOCKS:
            return f"{one.place}: a clock"
        if access is None:
            continue
        if access.atomic or access.to_lds or access.from_lds:
            return f"{one.place}: an atomic operation, or a copy between memory and LDS"
        if not access.store and access.space not in ("lds", "constant") and may_be_atomic(one.fields):
            return f"{one.place}: what may be an atomic load"
    return ""


def _reached(program: MachineCode) -> list[int]:
    """The basic blocks that control may come to, in their order."""
    found, ahead = set[int](), [program.kernel.start]
    while ahead:
        address = ahead.pop()
        if address not in found and address in program.blocks:
            found.add(address)
            ahead += program.blocks[address].successors
    return sorted(found)


class _Block:
    """One basic block: its text, and the places in it at which a wave may go on."""

    def __init__(self, program: MachineCode, address: int, calls: list[Call], products: Products) -> None:
        self.program, self.calls, self.products = program, calls, products
        self.track = WaitDeeds()
        self.labels, parts = [address], list[str]()
        self.resumed = set[int]()  # where a wave goes on that has waited, or whose turn has ended
        waiting = list[Instruction]()
        instructions = program.blocks[address].instructions
        for instruction in instructions:
            waiting.append(instruction)
            last = instruction is instructions[-1]
            if last or BARRIERS.get(instruction.name, (False, False))[1]:
                parts.append(self._stretch(waiting))
                self.labels += [] if last else [instruction.address + instruction.size]
                waiting = []
        self.text = "\n".join(f"L{place}: {part}" for place, part in zip(self.labels, parts, strict=True))

    def _stretch(self, instructions: list[Instruction]) -> str:
        """Instructions between which no wave waits, in a scope of their own."""
        kernel, emission = self.program.kernel, Emission()
        registers = TextRegisters(kernel, emission, self.calls, self.track)
        interpreter = Interpreter(registers, TextMemory(registers), TextLanes(registers, self.products))
        emission.statement(f"if ((W->steps += {len(instructions)}) >= R->step_limit) goto too_many;")
        for instruction in instructions:
            emission.statement(f"B->where = {instruction.address};")
            try:
                self._one(interpreter, registers, instruction)
            except UnsupportedInstructionError as error:
                emission.whole(f"return refuse(B, {json.dumps(str(error))});")
        last = instructions[-1]
        following = last.address + last.size
        registers.defined.tell()
        if last.name not in ENDS and last.name != "S_BRANCH":
            there = following in self.program.by_address
            emission.whole(self._goto(last, following) if there else 'return refuse(B, "code ends");')
        return f"{{\n{emission.text}\n}}"

    def _one(self, interpreter: Interpreter, registers: TextRegisters, instruction: Instruction) -> None:
        name, target, emission = instruction.name, branch_target(instruction), registers.emission
        if target is not None:
            taken = self._taken(registers, instruction)
            registers.defined.tell()
            emission.whole(f"if (heed(W, {taken})) {{ {self._goto(instruction, target)} }}")
        elif name in JUMPS or name == SETS_SKIPPING:
            raise UnsupportedInstructionError(f"{instruction.place} has no compiled text")
        elif name in BARRIERS:
            signals, waits = BARRIERS[name]
            registers.defined.tell()
            following = instruction.address + instruction.size
            emission.whole(f"W->signals += {int(signals)};")
            if signals:
                self.track.signal()
            if waits:
                self.resumed.add(following)
                emission.whole(f"W->pc = {following}; return BARRIER;")
        elif name in ENDS:
            registers.defined.tell()
            emission.whole("return ENDED;")
        elif name in TRAPS:
            if instruction.fields.get("simm16") != ENDS_PROGRAM:
                raise UnsupportedInstructionError(f"{instruction.place}: a trap that is not llvm.trap's")
            emission.whole('return stop(B, CONTROL, "the program traps");')
        elif name in SUMS:
            registers.defined.sum(instruction, interpreter.step)
        else:
            interpreter.step(instruction)

    def _taken(self, registers: TextRegisters, instruction: Instruction) -> str:
        if instruction.name not in BRANCHES:
            raise UnsupportedInstructionError(f"the branch {instruction.place}")
        what, when = BRANCHES[instruction.name]
        if what == "vcc":
            size = self.program.kernel.wave_size
            text = f"{registers.emission.use(registers.read_scalar(Operand('s', VCC), size))} != 0"
        else:
            if what == "scc":
                registers.defined.read(SCC)
            text = {"": "true", "scc": "W->scc", "exec": "W->exec != 0"}[what]
        return text if when else f"!({text})"

    def _goto(self, instruction: Instruction, target: int) -> str:
        """A branch; one that leads back may end the wave's turn."""
        if target > instruction.address:
            return f"goto L{target};"
        self.resumed.add(target)
        return f"if (W->steps >= W->until) {{ W->pc = {target}; return YIELD; }} goto L{target};"
