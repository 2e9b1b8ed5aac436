"""Blocks that are alike: proved from the code, so that one of them is run and counted for all.

A register is a block's *own* where it may hold something else in the same wave of another block.  Own are the block's
indices, what memory holds, clocks, what nothing has written, and what is computed of any of these.  All else is alike:
thread indices, arguments, constants.  Where no branch looks at what is own, no lane is switched on or off by it, and no
access of LDS has an address of it, wave w of each block carries out the same instructions as wave w of the first, with
the same lanes and the same places of LDS: by induction over the instructions, as each reads what is alike alone.

| instruction | its result is |
|---|---|
| arithmetic, moves between lanes | own where a source is, or the lanes are |
| a scalar load from the kernel's arguments | alike: nobody writes them |
| a load from a lane's scratch, at an offset that the code says | as what was stored there last |
| any other load, an atomic operation, a clock, a hardware register | own |

A branch may go by what is own where its ways meet again, and hold no access, barrier or matrix product: what stands
between is carried out by some blocks and not by others, and what it writes is own behind it.
A vector register that was own stays so where not all lanes are written: EXEC as a whole wave was started with is known
to be all of them, whatever else it holds is not.
What it cannot represent: blocks that differ more, as those at an edge do; contents of memory that are the same in each
block; where global memory is reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import field, replace
from functools import cached_property, reduce
from operator import or_

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.hazards.flow import ControlFlow, FlowBlock, FlowStep
from layoutalg.isa.container.binary import KernelBinary
from layoutalg.isa.container.descriptor import PRELOADED
from layoutalg.isa.decode.instructions import EXEC, Instruction
from layoutalg.isa.effects import END, Registers, named, registers, spans_of
from layoutalg.isa.semantics.accesses import ACCESSES, CLOCKS
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, ENDS, JUMPS, SETS_SKIPPING, TRAPS, VECTOR
from layoutalg.isa.semantics.dpp import DPP_FIELDS
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.records import dataclass

#: Dwords of scratch that are followed; as bits, those behind the registers.
_SLOTS = 1 << 12
_ANYWHERE = (1 << _SLOTS) - 1 << END

_ALL, _LANES = (1 << END + _SLOTS) - 1, registers("s", EXEC, 2)
_VECTORS = registers("v", 0, 256) | registers("a", 0, 256)

#: Pointers that a wave is given which lead to the same in each block, and to what no kernel writes.
_GIVEN = frozenset({"kernarg_segment_ptr", "dispatch_ptr"})

#: Vector instructions that write some lanes of those that are on.
_SOME_LANES = ("V_WRITELANE", "V_PERMLANE", "V_MOVREL", "V_SWAP")


@dataclass
class OwnRegisters:
    """The registers that are a block's own, those that still point to what it was given, and whether all lanes run."""

    own: Registers
    given: Registers
    whole: bool = True

    def copy(self) -> OwnRegisters:
        """The same, to be changed."""
        return OwnRegisters(self.own, self.given, self.whole)

    def join(self, other: OwnRegisters) -> bool:
        """What is own by this way or the other; whether that is more."""
        before = self.own, self.given, self.whole
        self.own |= other.own
        self.given &= other.given
        self.whole &= other.whole
        return before != (self.own, self.given, self.whole)

    def after(self, step: FlowStep, kernel: KernelBinary) -> None:
        """Takes in a step."""
        one, (reads, writes, *perhaps) = step.instruction, step.effects
        if any(perhaps):
            raise UnsupportedInstructionError(f"{one.place}: a register that M0 names")
        slots = _slots(one, kernel)
        if slots and ACCESSES[one.name].store:
            return self._stored(step, slots, ACCESSES[one.name].size)
        if slots:
            own = bool(slots & self.own)
        elif self._loads_what_was_given(step, kernel):
            own = False
        elif one.name in ACCESSES or one.name in CLOCKS or one.name.startswith("S_GETREG"):
            own = True
            self.own |= _ANYWHERE if _may_store_to_scratch(one) else 0
        else:
            own = bool(reads & self.own)
        stays = writes & _VECTORS if not self._writes_all_lanes(step) else 0
        self.own = self.own | writes if own else self.own & ~(writes & ~stays)
        self.given &= ~writes
        self.whole &= not writes & _LANES
        return None

    def _stored(self, step: FlowStep, slots: Registers, size: int) -> None:
        if step.effects.reads & self.own:
            self.own |= slots
        elif self.whole and size % 4 == 0:
            self.own &= ~slots

    def _loads_what_was_given(self, step: FlowStep, kernel: KernelBinary) -> bool:
        one = step.instruction
        if one.name not in ACCESSES or ACCESSES[one.name].space != "constant" or "BUFFER" in one.name:
            return False
        base = reduce(or_, (span.registers for span in spans_of(one, kernel) if span.role == "base"), 0)
        return bool(base) and base & self.given == base and not step.effects.reads & self.own

    def _writes_all_lanes(self, step: FlowStep) -> bool:
        fields = step.instruction.fields.keys()
        return self.whole and not step.instruction.name.startswith(_SOME_LANES) and not fields & DPP_FIELDS


def _slots(one: Instruction, kernel: KernelBinary) -> Registers:
    """The dwords of its scratch that a lane accesses, beside the registers; none where the code does not say which."""
    access = ACCESSES.get(one.name)
    if access is None or access.space != "scratch" or access.atomic or access.pair_step:
        return 0
    offset = one.fields.get("offset", 0)
    known = not any(span.registers for span in spans_of(one, kernel) if span.role not in ("d", "data"))
    if not known or offset < 0 or offset % 4 or offset + access.size > 4 * _SLOTS:
        return 0
    return (1 << -(-access.size // 4)) - 1 << END + offset // 4


def _may_store_to_scratch(one: Instruction) -> bool:
    """Whether an access writes where lanes keep their own, and the code does not say where."""
    access = ACCESSES.get(one.name)
    if access is None or access.space not in ("scratch", "flat", "buffer"):
        return False
    return access.store or access.atomic is not None


def at_start(kernel: KernelBinary, grid: Sequence[int], threads: int) -> OwnRegisters:
    """What a wave is given that is the same in each block: pointers, arguments, the thread's indices, and the block's
    index where the grid has one.
    """
    alike, given, register = registers("v", 0) | _LANES, 0, 0
    for name, dwords in kernel.user_sgprs:
        if name in _GIVEN:
            given |= registers("s", register, dwords)
        if name in _GIVEN or (name == PRELOADED and kernel.preloaded):
            alike |= registers("s", register, dwords)
        register += dwords
    one = [size == 1 for size in (*grid, 1, 1)][:3]
    if kernel.architecture.block_registers:
        alike |= registers("s", kernel.architecture.block_registers[0]) if one[0] else 0
        return OwnRegisters(_ALL & ~alike, given, threads % kernel.wave_size == 0)
    register = kernel.user_sgpr_count
    for wanted, single in zip(kernel.block_indices, one, strict=True):
        alike |= registers("s", register) if wanted and single else 0
        register += wanted
    return OwnRegisters(_ALL & ~alike, given, threads % kernel.wave_size == 0)


@dataclass(frozen=True)
class AlikeBlocks:
    """Why blocks are not known to be alike (empty: they are); and, by the address of each branch that goes by what is a
    block's own, the steps between its ways' parting and meeting."""

    differ: str
    between: Mapping[int, tuple[FlowStep, ...]] = field(default_factory=dict)


def alike(kernel: KernelBinary, grid: Sequence[int], threads: int) -> AlikeBlocks:
    """Whether all blocks of a grid, of so many threads, carry out the same, but for what stands between branches."""
    try:
        every = ControlFlow.of(kernel)
        begun = replace(every, starts=((kernel.start, kernel),))
        flow = replace(begun, blocks={start: every.blocks[start] for start in begun.order})
        return _Alike(flow, at_start(kernel, grid, threads)).found()
    except UnsupportedInstructionError as error:
        return AlikeBlocks(f"not followed: {error}")


class _Alike:
    """One search: the branches by what is own, found until no more are."""

    def __init__(self, flow: ControlFlow, at_start: OwnRegisters) -> None:
        self.flow, self.kernel, self.at_start = flow, flow.kernel, at_start
        self.parts: dict[int, frozenset[int]] = {}  # by a block whose branch goes by what is own, the blocks between
        self.behind: dict[int, Registers] = {}  # own where a block begins, as what stands before it may have written it

    def found(self) -> AlikeBlocks:
        """The branches, or why there is one too many."""
        after = behind = -1
        while (after, behind) != (len(self.parts), sum(self.behind.values())):
            after, behind = len(self.parts), sum(self.behind.values())
            before = self.flow.known_before(self.at_start, self.through)
            for start, known in before.items():
                if why := self.differs(self.flow.blocks[start], known.copy()):
                    return AlikeBlocks(why)
        outer = {one for one in self.parts if not any(one in between for between in self.parts.values())}
        return AlikeBlocks("", {self.flow.blocks[one].last.address: self.steps(self.parts[one]) for one in outer})

    def through(self, block: FlowBlock, after: OwnRegisters) -> None:
        """What is own behind a block."""
        after.own |= self.behind.get(block.start, 0)
        after.given &= ~self.behind.get(block.start, 0)
        for step in block.steps:
            after.after(step, self.kernel)

    def differs(self, block: FlowBlock, known: OwnRegisters) -> str:
        """What a block decides by what is own; a branch whose ways meet again is kept."""
        known.own |= self.behind.get(block.start, 0)
        known.given &= ~self.behind.get(block.start, 0)
        for step in block.steps:
            one = step.instruction
            if one.name in BRANCHES and step.effects.reads & known.own:
                if block.start not in self.parts and (why := self.parted(block)):
                    return f"{_said(one.place, 'goes by', step.effects.reads & known.own)}: {why}"
            elif why := _decided(step, known, self.kernel):
                return why
            known.after(step, self.kernel)
        return ""

    def parted(self, block: FlowBlock) -> str:
        """Keeps what stands between the ways of a branch; or says why that is too much."""
        meets = self.meets(block.start)
        if meets is None:
            return "its ways do not meet again"
        between, left = set[int](), [*block.successors]
        while left:
            start = left.pop()
            if start != meets and start not in between:
                between.add(start)
                left += self.flow.blocks[start].successors
        into = {one for start in between for one in self.flow.predecessors[start]}
        if block.start in between or not into <= between | {block.start} or self.turns(between):
            return "its ways turn, or others lead into them"
        steps = self.steps(frozenset(between))
        if doing := next((step.instruction for step in steps if self.does(step.instruction)), None):
            return f"{doing.place} stands on one of its ways"
        self.parts[block.start] = frozenset(between)
        self.behind[meets] = self.behind.get(meets, 0) | reduce(or_, (step.effects.writes for step in steps), 0)
        return ""

    def does(self, one: Instruction) -> bool:
        """Whether an instruction counts for more than itself."""
        matrix = matrix_instruction_of(one.name, self.kernel.target) is not None
        apart = one.name in BARRIERS or one.name in ENDS or one.name in JUMPS or one.name in TRAPS
        return matrix or apart or one.name in ACCESSES or one.name.startswith("DS_")

    def steps(self, between: frozenset[int]) -> tuple[FlowStep, ...]:
        """The steps of some blocks, in the order of the code."""
        return tuple(step for start in sorted(between) for step in self.flow.blocks[start].steps)

    def turns(self, between: Set[int]) -> bool:
        """Whether control comes from one of the blocks to itself without leaving them."""
        order = self.flow.order
        return any(
            order[successor] <= order[start]
            for start in between
            for successor in self.flow.blocks[start].successors
            if successor in between
        )

    def meets(self, start: int) -> int | None:
        """The first block that every way from one goes through, however the wave ends; None without one."""
        after = self.passed[start] - {start}
        return max(after, key=lambda one: len(self.passed[one]), default=None)

    @cached_property
    def passed(self) -> Mapping[int, Set[int]]:
        """The blocks that every way from each to the end goes through, itself among them: the greatest fixpoint."""
        blocks = self.flow.blocks
        found: dict[int, Set[int]] = {at: set(blocks) if one.successors else {at} for at, one in blocks.items()}
        changed = True
        while changed:
            changed = False
            for start in sorted(blocks, key=self.flow.order.__getitem__, reverse=True):
                ways = [found[one] for one in blocks[start].successors]
                passed = {start} | (set.intersection(*map(set, ways)) if ways else set())
                changed |= passed != found[start]
                found[start] = passed
        return found


def _decided(step: FlowStep, known: OwnRegisters, kernel: KernelBinary) -> str:
    """What a step decides by what is a block's own."""
    one = step.instruction
    if one.name == SETS_SKIPPING:
        return f"{one.place} may skip instructions"
    if one.name in JUMPS:
        return _said(one.place, "goes by", step.effects.reads & known.own)
    if one.name.startswith(VECTOR) and (lanes := _LANES & known.own):
        return _said(one.place, "is of lanes by", lanes)
    access = ACCESSES.get(one.name)
    if one.name.startswith("DS_") or (access is not None and (access.space in ("lds", "flat") or access.to_lds)):
        places = (span.registers for span in spans_of(one, kernel) if span.read and span.role not in ("data", "data2"))
        return _said(one.place, "reaches LDS by", reduce(or_, places, 0) & known.own)
    return ""


def _said(place: str, does: str, found: Registers) -> str:
    return f"{place} {does} {', '.join(named(found))}" if found else ""
