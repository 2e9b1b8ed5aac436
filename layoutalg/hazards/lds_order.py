"""Places of LDS that two accesses reach with nothing between that orders them: a wait, and for two waves a barrier.

The places are known where the thread's number and constants say them (`thread_values`).  An access is pending until
the wave has waited for it and then gone through a barrier with all others; while it is, no other wave's access may
reach its places, if one of the two stores.  What a load brings straight to LDS (`buffer_load … lds`) comes with the
counter of loads, so that even its own wave has to wait before it looks; before it stores where a copy from LDS reads.

| all waves carry out, then one reads another's place by `ds_read` | |
|---|---|
| `buffer_load … lds`; `s_barrier`; `s_waitcnt vmcnt(0)` | a hazard: a barrier orders only what was waited for |
| `buffer_load … lds`; `s_waitcnt vmcnt(0)`; `s_barrier` | none |

| who meets the pending access | with no branch between | after a branch |
|---|---|---|
| the wave that issued a load to LDS | certain, where all lanes are on | possible where a run (`runs`) goes there |
| another wave | possible: if both waves come there | the same; else undecided |

The block is as large as the kernel allows, in a row.  Where nobody says so (HIP's 1024, without launch bounds; a kernel
that asks for the thread's second number too), what two waves do stays undecided.
What it cannot represent: places that arguments, loops or memory say, and boxes of a tensor; order by flags; blocks of
several dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property, reduce
from operator import or_

import numpy as np

from layoutalg.hazards.flow import ControlFlow, FlowBlock, FlowStep
from layoutalg.hazards.hazard import Hazard
from layoutalg.hazards.runs import visits
from layoutalg.hazards.thread_values import BlockInARow, KnownInThreads, ValuesAtBlocks
from layoutalg.hazards.waits import UnderWay, left_by, missing_wait
from layoutalg.isa.decode.instructions import NO_REGISTER, Operand
from layoutalg.isa.effects import Registers, registers
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.semantics.accesses import ACCESSES, MemoryInstruction, access_of
from layoutalg.isa.semantics.control import BARRIERS, SETS_SKIPPING
from layoutalg.isa.semantics.counted import CountedAs, counted
from layoutalg.records import dataclass

KIND = "lds_order"

#: Runs of a kernel.
_RUNS = 6


@dataclass(frozen=True)
class Reached:
    """The bytes of LDS that an access reaches, a bit each, by wave."""

    waves: tuple[int, ...]
    all: int  # of any wave
    stores: bool
    apart: bool  # a load that brings its data there, or a copy from there: in no order with its wave's others
    all_on: bool

    def own(self, other: Reached) -> int | None:
        """A wave whose two accesses meet."""
        if not self.all & other.all:
            return None
        meet = (wave for wave, (mine, its) in enumerate(zip(self.waves, other.waves, strict=True)) if mine & its)
        return next(meet, None)

    def across(self, other: Reached) -> tuple[int, int] | None:
        """Two waves of which the one's access meets the other's."""
        if not self.all & other.all:
            return None
        pairs = (
            (one, two)
            for one, mine in enumerate(self.waves)
            for two, its in enumerate(other.waves)
            if one != two and mine & its
        )
        return next(pairs, None)


@dataclass
class Pending:
    """Accesses that are not ordered yet: under way, waited for, and those after which a split barrier was signalled."""

    under_way: UnderWay = field(default_factory=UnderWay)
    awaited: set[int] = field(default_factory=set)
    signalled: set[int] = field(default_factory=set)
    near: set[int] = field(default_factory=set)  # issued since control last could go two ways
    run: bool = False  # one run's, whose ways are taken

    def copy(self) -> Pending:
        """An independent copy."""
        return Pending(self.under_way.copy(), set(self.awaited), set(self.signalled), set(self.near), self.run)

    def join(self, other: Pending) -> bool:
        """Takes in what is pending on another way; whether that is more than was known."""
        known = len(self.awaited) + len(self.signalled) + len(self.near)
        self.awaited |= other.awaited
        self.signalled |= other.signalled
        self.near |= other.near
        more = len(self.awaited) + len(self.signalled) + len(self.near) > known
        return self.under_way.join(other.under_way) or more

    def issue(
        self, address: int, how: CountedAs, most: Mapping[str, int], *, brings: bool, perhaps: bool = False
    ) -> None:
        """An access is issued, or `perhaps` is; where its counter is full, the wave waits for the first."""
        before = self.under_way.addresses
        self.under_way.issue(address, how, most, brings=brings, perhaps=perhaps)
        self.awaited |= before - self.under_way.addresses

    def wait(self, left: Mapping[str, int]) -> None:
        """A wait until so many accesses of each counter are left."""
        before = self.under_way.addresses
        self.under_way.wait(left)
        self.awaited |= before - self.under_way.addresses

    def barrier(self, name: str) -> None:
        """A barrier, or its half."""
        signals, waits = BARRIERS[name]
        if signals:
            self.signalled |= self.awaited
            self.awaited = set()
        if waits:
            self.signalled = set()

    @property
    def all(self) -> set[int]:
        """What is pending."""
        return self.under_way.addresses | self.awaited | self.signalled


class LdsOrder:
    """The analysis of one graph, for blocks of so many threads in a row."""

    def __init__(self, flow: ControlFlow, block: BlockInARow) -> None:
        self.flow, self.threads, self._block_is_said = flow, block.threads, block.is_said
        self.architecture = flow.kernel.architecture
        self._told: dict[int, Hazard] = {}  # by the address of the second access
        self._met: dict[tuple[int, int], tuple[int | None, tuple[int, int] | None]] = {}

    @cached_property
    def accesses(self) -> Mapping[int, MemoryInstruction]:
        """Accesses of LDS, but for atomic ones."""
        found: dict[int, MemoryInstruction] = {}
        for address, step in self.flow.steps.items():
            if step.instruction.name in ACCESSES:
                access = access_of(step.instruction.name, step.instruction.fields)
                reaches = access.space == "lds" or access.to_lds or access.from_lds
                if reaches and not access.atomic and not access.transposed:
                    found[address] = access
        return found

    @cached_property
    def reached(self) -> Mapping[int, Reached]:
        """What each of them reaches, where that is known."""
        wanted: Registers = registers("m0", 0) if any(one.to_lds for one in self.accesses.values()) else 0
        for address, reaching in self.accesses.items():
            role = ("data" if reaching.from_lds else "d") if reaching.by_lane else "addr"
            operand = self.flow.steps[address].instruction.operands.get(role, NO_REGISTER)
            wanted |= registers(operand.kind, operand.index)
        values = ValuesAtBlocks.of(self.flow, self.threads, wanted)
        found: dict[int, Reached] = {}
        for start, before in values.walk().items():
            for step, known in values.steps_of(self.flow.blocks[start], before):
                access = self.accesses.get(step.address)
                one = None if access is None else self._reached(step, access, known)
                if one is not None:
                    found[step.address] = one
        return found

    def _reached(self, step: FlowStep, access: MemoryInstruction, known: KnownInThreads) -> Reached | None:
        fields = step.instruction.fields
        if access.by_lane:
            base = known.read(step.instruction.operands["data" if access.from_lds else "d"])
            lanes, offsets = np.zeros(1, np.int64), [fields.get("offset", 0)]
        elif access.to_lds:
            base = known.read(Operand("m0"))
            lanes = np.arange(known.lanes, dtype=np.int64) * access.lane_stride
            offsets = [fields.get("offset", 0)]
        else:
            base = known.read(step.instruction.operands["addr"])
            lanes = np.zeros(1, np.int64)
            offsets = _offsets(access, fields)
        if base is None:
            return None
        shape = (1, 1, self.threads // known.lanes, known.lanes)
        first = np.broadcast_to(base.astype(np.int64) + lanes, shape)[0, 0]
        inside = np.arange(access.size)
        on = np.broadcast_to(known.on.most, shape)[0, 0]
        lanes_on = [wave[lanes] for wave, lanes in zip(first, on, strict=True)]
        waves = tuple(_bits((wave[:, None] + offsets)[..., None] + inside) for wave in lanes_on)
        stores = access.to_lds or (access.store and not access.from_lds)
        return Reached(waves, reduce(or_, waves), stores, access.to_lds or access.from_lds, known.all_on)

    def find(self) -> Iterator[Hazard]:
        """Of every access the first that it meets and nothing orders, those that are sure before others."""
        if not self.reached:
            return
        self.flow.known_before(Pending(), self._through)
        decidable = self._block_is_said or any(one.apart for one in self.reached.values())
        if decidable and any(one.undecided for one in self._told.values()):
            self._carry_out()
        yield from self._told.values()

    def _through(self, block: FlowBlock, after: Pending) -> None:
        for step in block.steps:
            self._step(step, after)
        if len(block.successors) > 1:
            after.near = set()

    def _carry_out(self) -> None:
        """Runs of the scalar unit: what they meet is met."""
        for seed in range(_RUNS):
            pending = Pending(run=True)
            for visit in visits(self.flow, seed):
                for step in visit.steps:
                    self._step(step, pending)
                if len(visit.block.successors) > 1:
                    pending.near = set()
            if not any(one.undecided for one in self._told.values()):
                return

    def _step(self, step: FlowStep, pending: Pending) -> None:
        one = step.instruction
        wait = self.architecture.waits.get(one.name)
        if wait is not None:
            pending.wait(left_by(wait, one.fields.get("simm16", 0)))
        elif one.name in BARRIERS:
            pending.barrier(one.name)
        elif one.name == SETS_SKIPPING:
            pending.near = set()
        how = counted(one.name, one.fields, self.architecture)
        if how is None:
            return
        mine = step.address in self.reached
        for address in sorted(pending.all) if mine and not self._is_told(step, pending) else ():
            self._meet(address, step, pending)
        perhaps = not pending.run and step.address in self.flow.skippable
        if mine and not perhaps:
            pending.awaited.discard(step.address)
            pending.signalled.discard(step.address)
        if mine:
            pending.near.add(step.address)
        pending.issue(step.address, how, self.architecture.most_counted, brings=mine, perhaps=perhaps)

    def _is_told(self, step: FlowStep, pending: Pending) -> bool:
        """Whether a run would tell nothing more of it."""
        known = self._told.get(step.address)
        return pending.run and (known is None or not known.undecided)

    def _meet(self, address: int, step: FlowStep, pending: Pending) -> None:
        own, across = self._meetings(address, step.address)
        ages = pending.under_way.counters(address)
        if self.reached[address].apart and ages and own is not None:
            found = self._of_one_wave(address, step, ages)
        elif across is not None:
            found = self._of_two(address, step, ages, across)
        else:
            return
        if address not in pending.near:
            where = f"control goes there from {address:#x}" + (", as a run of its scalars does" if pending.run else "")
            condition = "; ".join(filter(None, (where, found.condition)))
            found = replace(found, condition=condition, undecided=found.undecided or not pending.run)
        known = self._told.get(step.address)
        if known is None or _doubt(found) < _doubt(known):
            self._told[step.address] = found

    def _meetings(self, first: int, second: int) -> tuple[int | None, tuple[int, int] | None]:
        """A wave whose two accesses meet, and two waves of which the accesses do and one stores."""
        if (first, second) not in self._met:
            one, other = self.reached[first], self.reached[second]
            met = (one.own(other), one.across(other)) if one.stores or other.stores else (None, None)
            self._met[first, second] = met
        return self._met[first, second]

    def _of_one_wave(self, address: int, step: FlowStep, ages: Mapping[str, int]) -> Hazard:
        first, mine = self.reached[address], self.reached[step.address]
        verb, issued = "write" if first.stores else "read", self.flow.steps[address].instruction
        what = f"{_does(mine)} LDS that {issued.place} is still to {verb}"
        condition = "" if first.all_on and mine.all_on else "the lanes are on that meet"
        return Hazard(KIND, step.address, what, missing_wait(self.architecture, ages), address, condition)

    def _of_two(self, address: int, step: FlowStep, ages: Mapping[str, int], waves: tuple[int, int]) -> Hazard:
        first, mine = self.reached[address], self.reached[step.address]
        where = self.flow.steps[address].instruction.place
        what = f"{_does(mine)} LDS that another wave {_does(first)} at {where}, and no barrier is between"
        missing = "; ".join(filter(None, (missing_wait(self.architecture, ages), "a barrier")))
        condition = f"a block has {self.threads} threads in a row, and its waves {waves[0]} and {waves[1]} come here"
        return Hazard(KIND, step.address, what, missing, address, condition, undecided=not self._block_is_said)


def _does(access: Reached) -> str:
    return "stores to" if access.stores else "reads"


def _doubt(found: Hazard) -> tuple[bool, bool, int]:
    return found.undecided, bool(found.condition), found.producer or 0


def _offsets(access: MemoryInstruction, fields: Mapping[str, int]) -> list[int]:
    """The immediates of an access by the LDS unit, in bytes."""
    one, other = fields.get("offset0", 0), fields.get("offset1", 0)
    if access.pair_step:
        return [one * access.pair_step, other * access.pair_step]
    return [fields.get("offset", one | other << 8)]


def _bits(places: Array) -> int:
    """A number with these bits."""
    places = places.ravel()
    most = int(places.max()) + 1 if len(places) else 0
    if most > 1 << 18 or (len(places) and int(places.min()) < 0):
        return 0  # no LDS has them: another analysis tells it
    flags = np.zeros(most, np.bool_)
    flags[places] = True
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def find(flow: ControlFlow) -> Iterator[Hazard]:
    """Every pair of accesses of LDS that nothing orders, in a block of as many threads as the kernel may have."""
    block = BlockInARow.of(flow.kernel)
    if block is not None:
        yield from LdsOrder(flow, block).find()
