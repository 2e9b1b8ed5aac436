"""Registers that are read or overwritten while a load, an atomic operation or an LDS access is still to write them.

For each counter it is known, at each place of the code, which instructions may be under way, and how many accesses of
the counter were issued since, at least (the *age*).  A wait that leaves n is a wait for those of age n and more; where
accesses that come back in any order are under way, only a wait for 0 is one at all.  Where ways meet, what may be under
way on either is, at the younger age: a least fixpoint over the graph, as LLVM's SIInsertWaitcnts has it.

| step | under way: vmcnt |
|---|---|
| 0x00 global_load v1 | {0x00: 0} |
| 0x08 global_load v2 | {0x00: 1, 0x08: 0} |
| 0x10 s_waitcnt vmcnt(1) | {0x08: 0} |
| 0x14 v_add v3, v2, v2 | a hazard: v2 is under way; missing: vmcnt(0) |

A hazard is certain where no way leads on from the access but over such a use; else it is *met* by a run of the wave's
scalar unit (`runs`), which says the way; else it is undecided.
The first instruction that touches a register on a way is told, and then the load is taken to be done: what follows is
the same fault.  A field of a wait that is all ones is none.  A wave issues nothing on a counter that is full, so what
so many others have followed is done, where they come in order.
An access that a wave may skip (`ControlFlow.skippable`) is under way or not, and those before it are older or not.
What it cannot represent: what other waves of the block do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from layoutalg.hazards.flow import ControlFlow, FlowBlock, FlowStep
from layoutalg.hazards.hazard import Hazard
from layoutalg.hazards.runs import RUNS, Visit, visits
from layoutalg.isa.architecture import Architecture, Wait
from layoutalg.isa.effects import named
from layoutalg.isa.semantics.counted import CountedAs, counted
from layoutalg.records import dataclass

KIND = "wait"


@dataclass
class UnderWay:
    """What may be under way: counter → instruction → how many accesses of the counter came after it, at least."""

    ages: dict[str, dict[int, int]] = field(default_factory=dict)
    unordered: frozenset[str] = frozenset()

    def copy(self) -> UnderWay:
        """An independent copy."""
        return UnderWay({name: dict(ages) for name, ages in self.ages.items()}, self.unordered)

    def issue(
        self, address: int, how: CountedAs, most: Mapping[str, int], *, brings: bool, perhaps: bool = False
    ) -> None:
        """An access is issued, or `perhaps` is: then those before it need not have become older.

        It `brings` something to registers or not.  A counter counts so many at `most`.
        """
        for name in how.counters:
            last = _NEVER if name in self.unordered or how.unordered else most[name]
            if not perhaps:
                self.ages[name] = {one: age + 1 for one, age in self.ages.get(name, {}).items() if age + 1 < last}
            if brings:
                self.ages.setdefault(name, {})[address] = 0
        if how.unordered:
            self.unordered |= set(how.counters)

    def wait(self, left: Mapping[str, int]) -> None:
        """A wait until so many of each counter are left."""
        for name, count in left.items():
            if count and name in self.unordered:
                continue
            if name in self.ages:
                self.ages[name] = {one: age for one, age in self.ages[name].items() if age < count}
        self.unordered -= {name for name, count in left.items() if not count}

    def done(self, address: int) -> None:
        """An access is taken to be done."""
        for ages in self.ages.values():
            ages.pop(address, None)

    def join(self, other: UnderWay) -> bool:
        """Takes in what may be under way on another way; whether that is more than was known."""
        more = not other.unordered <= self.unordered
        self.unordered |= other.unordered
        for name, ages in other.ages.items():
            mine = self.ages.setdefault(name, {})
            for one, age in ages.items():
                if age < mine.get(one, age + 1):
                    mine[one], more = age, True
        return more

    def counters(self, address: int) -> dict[str, int]:
        """The counters on which an access may be under way, and what a wait for it has to leave of each."""
        mine = {name: ages[address] for name, ages in self.ages.items() if address in ages}
        return {name: 0 if name in self.unordered else age for name, age in mine.items()}

    @property
    def addresses(self) -> set[int]:
        """What may be under way."""
        return {address for ages in self.ages.values() for address in ages}


#: Branches of a way that are told, blocks of one that are kept, and blocks that are looked through for certainty.
_TURNS, _LONGEST_WAY, _BLOCKS = 6, 64, 512

#: More than any counter counts.
_NEVER = 1 << 30


class _Event(NamedTuple):
    """What a step has to do with counters and registers."""

    step: FlowStep
    touched: int  # registers
    counted: CountedAs | None
    left: Mapping[str, int] | None  # of a wait
    perhaps: bool  # an access that a wave may skip

    @property
    def at_least(self) -> _Event:
        """What makes the fewest faults of it: it uses nothing, and what was issued before it becomes older."""
        if not self.perhaps or self.counted is None:
            return self
        return self._replace(touched=0, counted=self.counted._replace(unordered=False), perhaps=False)


class Waits:
    """The analysis of one graph."""

    def __init__(self, flow: ControlFlow) -> None:
        self.flow, self.architecture = flow, flow.kernel.architecture
        self.most = self.architecture.most_counted
        self.events = {start: [*self._events(block)] for start, block in flow.blocks.items()}
        self.brings = {
            event.step.address: event.step.effects.writes
            for events in self.events.values()
            for event in events
            if event.counted
        }
        self.before = self._fixpoint()

    def _events(self, block: FlowBlock) -> Iterator[_Event]:
        for step in block.steps:
            one, effects = step.instruction, step.effects
            wait = self.architecture.waits.get(one.name)
            how = counted(one.name, one.fields, self.architecture)
            left = None if wait is None else left_by(wait, one.fields.get("simm16", 0))
            yield _Event(step, effects.reads | effects.writes, how, left, step.address in self.flow.skippable)

    def _fixpoint(self) -> dict[int, UnderWay]:
        """What may be under way at the beginning of each block that is reached."""

        def through(block: FlowBlock, after: UnderWay) -> None:
            for _ in self.faults(self.events[block.start], after):
                pass

        return self.flow.known_before(UnderWay(), through)

    def faults(
        self, events: Iterable[_Event], state: UnderWay, only: int | None = None
    ) -> Iterator[tuple[FlowStep, int, Mapping[str, int]]]:
        """Carries steps out on a state: what touches what an access, or this one only, is to write; it; ages."""
        brings, due = self.brings, self._due(state)
        for step, touched, how, left, perhaps in events:
            if left is not None:
                state.wait(left)
                due = self._due(state)
                continue
            if touched & due:
                for address in sorted(state.addresses):
                    if touched & brings[address] and not (how and self._follows(step, address, how, state)):
                        yield step, address, state.counters(address)
                        if not perhaps:
                            state.done(address)
                due = self._due(state)
            if how is not None:
                mine = only is None or step.address == only
                state.issue(step.address, how, self.most, brings=mine and bool(step.effects.writes), perhaps=perhaps)
                due |= step.effects.writes

    def is_certain(self, address: int) -> bool:
        """Whether on each way that control may go on from an access, something uses its register before it is done."""
        start = next(start for start, block in self.flow.blocks.items() if address in {s.address for s in block.steps})
        before = self.flow.blocks[start].steps.index(self.flow.steps[address])
        how = self.events[start][before].counted
        assert how
        state = UnderWay()
        state.issue(address, how, self.most, brings=True)
        left: list[tuple[int, int, UnderWay]] = [(start, before + 1, state)]
        seen: dict[int, list[UnderWay]] = {}
        while left:
            start, first, state = left.pop()
            events = [event.at_least for event in self.events[start][first:]]
            if next(self.faults(events, state, only=address), None):
                continue
            goes = self.flow.blocks[start].successors
            if address not in state.addresses or not goes:
                return False
            for successor in goes:
                known = seen.setdefault(successor, [])
                if state not in known:
                    known.append(state)
                    left.append((successor, 0, state.copy()))
            if len(seen) > _BLOCKS:
                return False
        return True

    def met(self, pairs: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """Of an access and what uses its register, those that a run meets, with the way from one to the other."""
        found: dict[tuple[int, int], str] = {}
        for seed in range(RUNS):
            state, path = UnderWay(), list[Visit]()
            for visit in visits(self.flow, seed):
                for step, address, _ in self.faults(self._carried_out(visit), state):
                    if (address, step.address) in pairs:
                        found.setdefault((address, step.address), _way(address, [*path, visit.until(step)]))
                path = [*path[-_LONGEST_WAY:], visit]
            if found.keys() == pairs:
                break
        return found

    def _carried_out(self, visit: Visit) -> Iterator[_Event]:
        """What a run has to do with counters and registers in a block."""
        events = self.events[visit.block.start]
        return (event._replace(perhaps=False) for event in events if event.step.address not in visit.skipped)

    def _follows(self, step: FlowStep, address: int, how: CountedAs, state: UnderWay) -> bool:
        """Whether a load only overwrites what an earlier one of its kind brings, which come in their order."""
        if step.effects.reads & self.brings[address] or how.overtakes:
            return False
        on = state.counters(address)
        return set(on) == set(how.counters) and not state.unordered & set(on)

    def _due(self, state: UnderWay) -> int:
        due = 0
        for address in state.addresses:
            due |= self.brings[address]
        return due


def left_by(wait: Wait, immediate: int) -> Mapping[str, int]:
    """How many accesses of each counter a wait leaves; of a counter that it does not wait for, nothing.

    >>> from layoutalg.isa.architecture import ARCHITECTURES
    >>> left_by(ARCHITECTURES["cdna"].waits["S_WAITCNT"], 0xC07F)
    {'lgkm': 0}
    """
    return {name: count for name, count in wait.left(immediate).items() if count < wait.most[name]}


def find(flow: ControlFlow) -> Iterator[Hazard]:
    """Every first use of a register while an access is to write it."""
    waits = Waits(flow)
    told: dict[tuple[int, int], Mapping[str, int]] = {}
    for start in sorted(waits.before):
        for step, address, ages in waits.faults(waits.events[start], waits.before[start].copy()):
            least = told.setdefault((address, step.address), ages)
            told[address, step.address] = {name: min(age, least.get(name, age)) for name, age in ages.items()}
    certain = {address for address in {address for address, _ in told} if waits.is_certain(address)}
    open_ = {pair for pair in told if pair[0] not in certain}
    met = waits.met(open_) if open_ else {}
    for (address, consumer), ages in sorted(told.items()):
        way = "" if address in certain else met.get((address, consumer), "a way that no run was seen to take")
        undecided = (address, consumer) in open_ and (address, consumer) not in met
        yield _hazard(waits, consumer, address, ages, way, undecided)


def _hazard(
    waits: Waits, consumer: int, address: int, ages: Mapping[str, int], way: str, undecided: bool
) -> Hazard:  # fmt: skip
    flow, brings = waits.flow, waits.brings[address]
    effects = flow.steps[consumer].effects
    does = "reads" if effects.reads & brings else "overwrites"
    some = ", ".join(named((effects.reads & brings) or (effects.writes & brings)))
    what = f"{does} {some}, which {flow.steps[address].instruction.place} is still to write"
    if consumer in flow.skippable:
        way = "; ".join(filter(None, (way, "it is not skipped")))
    return Hazard(KIND, consumer, what, missing_wait(waits.architecture, ages), address, way, undecided)


def _way(producer: int, path: Sequence[Visit]) -> str:
    """The branches that go one way of two, and the accesses that are skipped, from an access on, in words."""
    since = next((k for k in range(len(path) - 1, -1, -1) if path[k].block.holds(producer)), 0)
    turns: list[str] = []
    for k, visit in enumerate(path[since:]):
        last, goes = visit.block.last, visit.block.successors
        turns += [f"{address:#x} is skipped" for address in sorted(visit.skipped) if k or address > producer]
        if len(goes) > 1:
            turns.append(f"{last.address:#x} {last.name.lower()} is {'' if visit.next == goes[-1] else 'not '}taken")
    few = turns if len(turns) <= _TURNS else [*turns[: _TURNS // 2], "…", *turns[-_TURNS // 2 :]]
    return ", ".join(few) or "always, where control comes there"


def missing_wait(architecture: Architecture, left: Mapping[str, int]) -> str:
    """The wait instructions that leave so many of each counter, as assemblers write them.

    >>> from layoutalg.isa.architecture import ARCHITECTURES
    >>> missing_wait(ARCHITECTURES["cdna"], {"vm": 2}), missing_wait(ARCHITECTURES["rdna4"], {"load": 0})
    ('s_waitcnt vmcnt(2)', 's_wait_loadcnt 0')
    """
    texts: list[str] = []
    for name, wait in architecture.waits.items():
        mine: Sequence[str] = [counter for counter in wait.fields if counter in left]
        if name == "S_WAITCNT" and len(architecture.waits) <= 2:
            texts += [f"s_waitcnt {' '.join(f'{counter}cnt({left[counter]})' for counter in mine)}"] if mine else []
        elif len({*wait.fields.values()}) == 1 and mine:
            least = min(left[counter] for counter in mine)
            operand = f"null, {least}" if name == "S_WAITCNT_VSCNT" else f"{least}"
            texts.append(f"{name.lower()} {operand}")
    return "; ".join(texts)
