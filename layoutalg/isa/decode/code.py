"""A decoded kernel: its instructions by address, and its basic blocks.

A basic block starts at the entry, at the target of a branch and after a branch or an end; control moves only between
blocks.  A relative branch goes to `address + 4 + 4·simm16` (ISA manuals, S_BRANCH).

Where the file does not say how long the code is (`container.loader`), it ends where control cannot go on: behind an end
or S_BRANCH, where no branch before leads further.  With a jump to what a register holds, all bytes may be code.
What it cannot represent: of such a file, code behind that end to which a branch further back leads from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.allowed import refuse_what_is_not_allowed
from layoutalg.isa.decode.banks import SETS_BANKS, banks_of, in_banks
from layoutalg.isa.decode.instructions import Instruction, decode
from layoutalg.isa.decode.modes import modes_of, sets_mode
from layoutalg.isa.semantics.control import ENDS, JUMPS
from layoutalg.records import dataclass

#: Bytes of the longest instruction, and more than enough.
_LONGEST = 16


@dataclass(frozen=True)
class Block:
    """Instructions that are run one after the other, and the addresses control goes to after the last."""

    instructions: tuple[Instruction, ...]
    successors: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class MachineCode:
    """The instructions of one kernel; each decoding is its own key of what is made of it."""

    kernel: KernelBinary
    instructions: tuple[Instruction, ...]

    @property
    def without_preload(self) -> MachineCode:
        """The same, entered by firmware that preloads no arguments."""
        return replace(self, kernel=replace(self.kernel, preloading=False))

    @cached_property
    def by_address(self) -> Mapping[int, Instruction]:
        """Instruction at each address at which one starts."""
        return {instruction.address: instruction for instruction in self.instructions}

    @cached_property
    def _called(self) -> dict[int, Instruction]:
        return {}

    def called(self, address: int) -> Instruction | None:
        """The instruction at an address beyond the kernel: of a function that it calls; None where no code is loaded.

        Raises `UnsupportedInstructionError` for bytes that are no known instruction, or one that is not allowed.
        """
        kernel = self.kernel
        if address not in self._called:
            inside = (one for one in kernel.image if one.executable and not one.writable and address % 4 == 0)
            home = next((one for one in inside if one.address <= address < one.end), None)
            if home is None or kernel.entry <= address < kernel.entry + len(kernel.code):
                return None
            code = home.data[address - home.address :][:_LONGEST]
            instruction = next(decode(code, address, kernel.architecture, kernel.target), None)
            if instruction is None:
                return None
            refuse_what_is_not_allowed(kernel, (instruction,))
            if sets_mode(instruction, kernel.architecture.free_mode) or instruction.name == SETS_BANKS:
                raise UnsupportedInstructionError(f"{instruction.place} in a function")
            self._called[address] = instruction
        return self._called[address]

    @cached_property
    def blocks(self) -> Mapping[int, Block]:
        """Basic blocks by the address of their first instruction.

        Raises `UnsupportedInstructionError` when a branch leads out of the kernel or into an instruction.
        """
        starts = {self.kernel.entry, self.kernel.start}
        if self.kernel.start not in self.by_address:
            raise UnsupportedInstructionError(f"no instruction begins at the entry {self.kernel.start:#x}")
        for instruction in self.instructions:
            target = branch_target(instruction)
            if target is not None and target not in self.by_address:
                raise UnsupportedInstructionError(f"{instruction.place} leaves the kernel")
            if target is not None or instruction.name in ENDS:
                starts.update(address for address in (target, instruction.address + instruction.size) if address)
        blocks: dict[int, Block] = {}
        current: list[Instruction] = []
        for instruction in self.instructions:
            current.append(instruction)
            following = instruction.address + instruction.size
            if following in starts or following not in self.by_address:
                blocks[current[0].address] = Block(tuple(current), _successors(instruction))
                current = []
        return blocks


def branch_target(instruction: Instruction) -> int | None:
    """The address that a branch goes to when it is taken; None when it is no relative branch."""
    return relative(instruction) if instruction.is_branch else None


def relative(instruction: Instruction) -> int:
    """The address so many dwords behind an instruction as its immediate says."""
    offset = instruction.fields.get("simm16", 0)
    return instruction.address + 4 + 4 * (offset - (1 << 16) if offset >> 15 else offset)


def _successors(last: Instruction) -> tuple[int, ...]:
    target, following = branch_target(last), last.address + last.size
    if last.name in ENDS:
        return ()
    if target is None:
        return (following,)
    return (target,) if last.name == "S_BRANCH" else (following, target)


def own_code(kernel: KernelBinary) -> bytes:
    """The code of a kernel: as long as its file says, else as far as control can go.

    Bytes that are no instruction end nothing: who decodes them says so.
    """
    if kernel.sized:
        return kernel.code
    furthest = kernel.entry
    with suppress(UnsupportedInstructionError):
        for one in decode(kernel.code, kernel.entry, kernel.architecture, kernel.target):
            if one.name in JUMPS:
                break
            following = one.address + one.size
            furthest = max(furthest, branch_target(one) or 0)
            if (one.name in ENDS or one.name == "S_BRANCH") and furthest < following:
                return kernel.code[: following - kernel.entry]
    return kernel.code


def decode_kernel(kernel: KernelBinary) -> MachineCode:
    """Decodes the code of a kernel, and sees where it ends if its file does not say.

    Raises `UnsupportedInstructionError` with the bytes that are no known instruction, or with one that is not allowed.
    """
    kernel = replace(kernel, code=own_code(kernel), sized=True)
    instructions = tuple(decode(kernel.code, kernel.entry, kernel.architecture, kernel.target))
    kernel = _with_whole_file(kernel, instructions)
    code = MachineCode(kernel, instructions)
    if any(one.name == SETS_BANKS for one in instructions):
        code = _with_banks(code)
    refuse_what_is_not_allowed(kernel, code.instructions)
    free = kernel.architecture.free_mode
    return _with_modes(code) if any(sets_mode(one, free) for one in instructions) else code


def _with_whole_file(kernel: KernelBinary, instructions: Sequence[Instruction]) -> KernelBinary:
    """The kernel with all registers of its file as vector registers, where it names such and no accumulation register.

    Both are parts of one file, accumulation registers behind the others (AMDGPUUsage, COMPUTE_PGM_RSRC3, ACCUM_OFFSET):
    hand-written kernels name them as vector registers, wherever the descriptor begins them.
    """
    if kernel.architecture.accumulators != "shared" or not kernel.accumulators:
        return kernel
    named = {operand for one in instructions for operand in one.operands.values() if operand.kind in ("v", "a")}
    last = max((operand.index for operand in named), default=0)
    if last < kernel.vector_registers or any(operand.kind == "a" for operand in named):
        return kernel
    return replace(kernel, vector_registers=min(256, kernel.vector_registers + kernel.accumulators), accumulators=0)


def _with_banks(code: MachineCode) -> MachineCode:
    """The code, with the numbers of vector registers above 255."""
    banks = banks_of(_ways(code, "names vector registers above 255"), (code.kernel.entry, code.kernel.start))
    return replace(code, instructions=tuple(in_banks(one, banks.get(one.address, 0)) for one in code.instructions))


def _with_modes(code: MachineCode) -> MachineCode:
    """The code, with the float mode in which each instruction is carried out."""
    kernel, ways = code.kernel, _ways(code, "sets the float mode")
    modes = modes_of(ways, (kernel.entry, kernel.start), kernel.float_mode, kernel.architecture.free_mode)
    return replace(code, instructions=tuple(_in_mode(one, modes.get(one.address)) for one in code.instructions))


def _ways(code: MachineCode, what: str) -> Mapping[int, tuple[Sequence[Instruction], Sequence[int]]]:
    """Each block's instructions, and where control goes after them; refused where that is not known."""
    jump = next((one for one in code.instructions if one.name in JUMPS), None)
    if jump:
        raise UnsupportedInstructionError(f"{jump.place} where the code {what}")
    return {start: (block.instructions, block.successors) for start, block in code.blocks.items()}


def _in_mode(instruction: Instruction, mode: int | None) -> Instruction:
    return replace(instruction, mode=mode, halves=tuple(_in_mode(half, mode) for half in instruction.halves))
