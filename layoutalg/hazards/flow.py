"""The control flow graph of a kernel's machine code: what is reached from its entries, instruction by instruction.

Only what control reaches is decoded, so that padding and data between the code are no matter.  A block begins at an
entry, at a branch's target and after a branch; a step of it is an instruction with the registers that it touches.

| last instruction | control goes to |
|---|---|
| S_CBRANCH_… | what follows, and the target |
| S_SETPC_B64, S_SWAPPC_B64, S_CALL_B64 with an address that the block makes (S_GETPC_B64 + a constant) | there |
| S_SETPC_B64 of an address that calls leave in these registers | behind each of these calls |
| S_ENDPGM, S_TRAP 2 | nowhere |

A kernel with preloaded arguments has two entries (`isa.container.binary`): both are followed.
Accesses of memory that a wave may skip, as S_SETVSKIP says, may happen or not; which registers M0 names is not known
(`indexing`).
What it cannot represent: vector arithmetic that may be skipped; addresses that are loaded, or made in another block
(`UnsupportedInstructionError`); which of its calls a function returns to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol, Self, TypeVar

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.hazards.constants import Constants
from layoutalg.hazards.indexing import IndexMode
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.decode.banks import SETS_BANKS, banks_of, in_banks
from layoutalg.isa.decode.code import branch_target, relative
from layoutalg.isa.decode.instructions import Instruction, Operand, decode
from layoutalg.isa.effects import Effects, effects_of, scalars
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.control import BEGINS_INDEXING, ENDS, ENDS_PROGRAM, JUMPS, SETS_SKIPPING, TRAPS, VECTOR
from layoutalg.records import dataclass

#: Bytes of the longest instruction, and more than enough.
_LONGEST = 16

#: Instructions of a kernel, the functions that it calls among them, at most.
MOST = 1 << 20


@dataclass(frozen=True)
class FlowStep:
    """An instruction, and the registers that it reads and writes."""

    instruction: Instruction
    effects: Effects

    @property
    def address(self) -> int:
        """Where it is."""
        return self.instruction.address

    @cached_property
    def scalars(self) -> tuple[tuple[str, int], ...]:
        """The scalar registers that it writes."""
        return tuple(scalars(self.effects.writes))


@dataclass(frozen=True)
class FlowBlock:
    """Steps that are carried out one after the other, and the addresses of the blocks that may follow."""

    steps: tuple[FlowStep, ...]
    successors: tuple[int, ...]

    @property
    def start(self) -> int:
        """The address of the first step."""
        return self.steps[0].address

    @property
    def last(self) -> Instruction:
        """The instruction that decides where control goes."""
        return self.steps[-1].instruction

    def holds(self, address: int) -> bool:
        """Whether an instruction is one of it."""
        return self.steps[0].address <= address <= self.steps[-1].address


class Joined(Protocol):
    """What an analysis knows at a place; `join`: what it knows by this way or the other, and whether that is new."""

    def copy(self) -> Self:
        """The same, to be changed."""
        ...

    def join(self, other: Self) -> bool:
        """Takes in what another way brings; whether it says less then."""
        ...


K = TypeVar("K", bound=Joined)


@dataclass
class _Skipping:
    """Whether a wave may skip vector instructions."""

    on: bool = False

    def copy(self) -> _Skipping:
        """The same."""
        return _Skipping(self.on)

    def join(self, other: _Skipping) -> bool:
        """By this way or the other."""
        more = other.on and not self.on
        self.on |= other.on
        return more


@dataclass(frozen=True, eq=False)
class ControlFlow:
    """The graph: blocks by the address of their first instruction, and the entries."""

    kernel: KernelBinary
    starts: tuple[tuple[int, KernelBinary], ...]  # entry, and the kernel as firmware that enters there sees it
    blocks: Mapping[int, FlowBlock]

    @classmethod
    def of(cls, kernel: KernelBinary) -> ControlFlow:
        """The graph of a kernel.

        Raises `UnsupportedInstructionError` where something that is reached is no known instruction, or control goes
        where nothing says.
        """
        ways = {one.start: one for one in (replace(kernel, preloading=False), kernel)}
        return cls(kernel, tuple(ways.items()), _Reader(kernel).blocks(ways))._indexed()

    def _indexed(self) -> ControlFlow:
        """The graph with operands that M0 names told as what they are."""
        if not any(step.instruction.name == BEGINS_INDEXING for step in self.steps.values()):
            return self
        changed: dict[int, FlowBlock] = {}

        def through(block: FlowBlock, indexing: IndexMode) -> None:
            steps: list[FlowStep] = []
            for step in block.steps:
                one = indexing.named(step.instruction)
                steps.append(step if one is step.instruction else FlowStep(one, effects_of(one, self.kernel)))
                indexing.step(step.instruction, step.effects)
            changed[block.start] = replace(block, steps=tuple(steps))

        self.known_before(IndexMode(), through)
        return replace(self, blocks=changed)

    @property
    def entries(self) -> tuple[int, ...]:
        """The addresses at which a wave may begin."""
        return tuple(entry for entry, _ in self.starts)

    @cached_property
    def predecessors(self) -> Mapping[int, Sequence[int]]:
        """The blocks from which control may come to each."""
        found: dict[int, list[int]] = {start: [] for start in self.blocks}
        for start, block in self.blocks.items():
            for successor in block.successors:
                found[successor].append(start)
        return found

    @cached_property
    def order(self) -> Mapping[int, int]:
        """The place of each block among them: those before others from which they are reached without going back."""
        seen: set[int] = set()
        done: list[int] = []
        for entry in self.entries:
            stack: list[tuple[int, Iterator[int]]] = []
            if entry not in seen:
                seen.add(entry)
                stack = [(entry, iter(self.blocks[entry].successors))]
            while stack:
                start, left = stack[-1]
                for successor in left:
                    if successor not in seen:
                        seen.add(successor)
                        stack.append((successor, iter(self.blocks[successor].successors)))
                        break
                else:
                    done.append(start)
                    stack.pop()
        return {start: k for k, start in enumerate(reversed(done))}

    def known_before(self, entry: K, through: Callable[[FlowBlock, K], None]) -> dict[int, K]:
        """What is known where each block begins that is reached, by all ways there: the fixpoint.

        `entry`: what is known where a wave begins; `through` makes of what is known before a block what is behind it.
        """
        before = {start: entry.copy() for start in self.entries}
        left = set(before)
        while left:
            start = min(left, key=self.order.__getitem__)
            left.remove(start)
            after = before[start].copy()
            through(self.blocks[start], after)
            for successor in self.blocks[start].successors:
                known = before.get(successor)
                if known is None:
                    before[successor] = after.copy()
                    left.add(successor)
                elif known.join(after):
                    left.add(successor)
        return before

    @cached_property
    def skippable(self) -> frozenset[int]:
        """The accesses of memory that a wave may skip.

        Raises `UnsupportedInstructionError` where other vector instructions may be skipped.
        """
        if all(step.instruction.name != SETS_SKIPPING for step in self.steps.values()):
            return frozenset()
        found: set[int] = set()

        def through(block: FlowBlock, after: _Skipping) -> None:
            for step in block.steps:
                one = step.instruction
                if one.name == SETS_SKIPPING:
                    after.on = one.operands["a"] != Operand("int", 0)
                elif after.on and one.name.startswith(VECTOR):
                    if one.name not in ACCESSES:
                        raise UnsupportedInstructionError(f"{one.place}: vector arithmetic that may be skipped")
                    found.add(step.address)

        self.known_before(_Skipping(), through)
        return frozenset(found)

    @cached_property
    def steps(self) -> Mapping[int, FlowStep]:
        """Every step by its address."""
        return {step.address: step for block in self.blocks.values() for step in block.steps}


class _Reader:
    """Decodes what control reaches."""

    def __init__(self, kernel: KernelBinary) -> None:
        self.kernel = kernel
        self.steps: dict[int, FlowStep] = {}
        self.goes: dict[int, tuple[int, ...]] = {}  # from the address of an instruction that is no plain one
        self.returns: dict[Operand, list[int]] = {}  # where calls that leave the address in a register go on

    def blocks(self, entries: Iterable[int]) -> Mapping[int, FlowBlock]:
        """All blocks; where jumps lead is known when the block before them is."""
        left = [*entries]
        while True:
            self._follow(left)
            found = self._cut(entries)
            left = [*self._resolved(found)]
            if not left:
                return self._in_banks(entries, found)

    def _follow(self, starts: Sequence[int]) -> None:
        left = [*starts]
        while left:
            address = left.pop()
            while address not in self.steps:
                step = self.steps[address] = self._decoded(address)
                goes = self._goes(step.instruction)
                if goes is not None:
                    self.goes[address] = goes
                    left += goes
                    break
                address += step.instruction.size
            if len(self.steps) > MOST:
                raise UnsupportedInstructionError(f"{self.kernel.name} has more than {MOST} instructions")

    def _decoded(self, address: int) -> FlowStep:
        kernel = self.kernel
        home = next((one for one in kernel.image if one.executable and one.address <= address < one.end), None)
        if home is None or address % 4:
            raise UnsupportedInstructionError(f"control goes to {address:#x}, where no code is loaded")
        at = address - home.address
        instruction = next(decode(home.data[at : at + _LONGEST], address, kernel.architecture, kernel.target), None)
        if instruction is None:
            raise UnsupportedInstructionError(f"control goes to {address:#x}, behind the code")
        return FlowStep(instruction, effects_of(instruction, kernel))

    def _goes(self, one: Instruction) -> tuple[int, ...] | None:
        """Where control goes; None where it goes on.  Of a jump that is said later."""
        following, target = one.address + one.size, branch_target(one)
        if target is not None:
            return (target,) if one.name == "S_BRANCH" else (following, target)
        ends = one.name in ENDS or (one.name in TRAPS and one.fields.get("simm16") == ENDS_PROGRAM)
        return () if ends or one.name in JUMPS else None

    def _in_banks(self, entries: Iterable[int], blocks: Mapping[int, FlowBlock]) -> Mapping[int, FlowBlock]:
        """The blocks with the numbers of vector registers above 255 (`isa.decode.banks`)."""
        names = {step.instruction.name for step in self.steps.values()}
        if SETS_BANKS not in names:
            return blocks
        if names & JUMPS.keys():
            raise UnsupportedInstructionError(f"{self.kernel.name}: a jump where vector registers above 255 are named")
        each = {s: (tuple(step.instruction for step in block.steps), block.successors) for s, block in blocks.items()}
        banks = banks_of(each, tuple(entries))

        def moved(step: FlowStep) -> FlowStep:
            one = in_banks(step.instruction, banks.get(step.address, 0))
            return step if one is step.instruction else FlowStep(one, effects_of(one, self.kernel))

        return {start: FlowBlock(tuple(map(moved, block.steps)), block.successors) for start, block in blocks.items()}

    def _cut(self, entries: Iterable[int]) -> dict[int, FlowBlock]:
        targets = {target for goes in self.goes.values() for target in goes}
        starts = sorted({*entries, *targets})
        blocks: dict[int, FlowBlock] = {}
        for start in starts:
            steps: list[FlowStep] = []
            address, goes = start, None
            while goes is None and (address == start or address not in targets):
                steps.append(self.steps[address])
                goes = self.goes.get(address)
                address += steps[-1].instruction.size
            blocks[start] = FlowBlock(tuple(steps), (address,) if goes is None else goes)
        return blocks

    def _resolved(self, blocks: Mapping[int, FlowBlock]) -> Iterator[int]:
        """Where jumps lead whose blocks are known now; those of which it was not known yet."""
        jumps = [block for block in blocks.values() if block.last.name in JUMPS]
        known = {block.last.address: _target(block) for block in jumps}
        for block in jumps:
            one = block.last
            if JUMPS[one.name] and known[one.address] is not None:
                places = self.returns.setdefault(one.operands["d"], [])
                places += [place for place in [one.address + one.size] if place not in places]
        for block in jumps:
            one, target = block.last, known[block.last.address]
            back = () if JUMPS[one.name] else tuple(self.returns.get(one.operands["a"], ()))
            goes = back if target is None else (target,)
            if not goes:
                raise UnsupportedInstructionError(f"{one.place}: where it leads is not known")
            if self.goes[one.address] != goes:
                yield from (place for place in goes if place not in self.goes[one.address])
                self.goes[one.address] = goes


def _target(block: FlowBlock) -> int | None:
    """Where the jump at the end of a block leads, as far as the block says."""
    one = block.last
    if one.name == "S_CALL_B64":
        return relative(one)
    constants = Constants()
    for step in block.steps[:-1]:
        constants.step(step.instruction, step.scalars)
    return constants.pair(one.operands["a"])
