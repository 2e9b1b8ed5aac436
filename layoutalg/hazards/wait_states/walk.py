"""Wait states counted along all ways through a kernel, and the pairs of instructions that have too few between them.

Going forward, the walk keeps for each register who did what to it within the last wait states (`rules.FARTHEST`), and
asks each instruction's rules of it.  Where ways meet, it keeps what either brings; so a pair that is found lies on a
way that control can take.

| count | of an instruction | is |
|---|---|---|
| wait states | one, of `s_nop n` n + 1 | what AMD's manual and LLVM count |
| time | at most: four of slow ones, eight of branches; any of waits, and of a product that has to wait | what passes |

A pair is `certain` where both counts are less than every source asks.  Where sources differ, or only because more time
passes than is counted nothing may happen, it is possible, and says so.
What it cannot represent: other waves, which only add time; a way that no numbers take.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from layoutalg.hazards.flow import FlowBlock
from layoutalg.hazards.wait_states.facts import UNKNOWN, RuledInstruction
from layoutalg.hazards.wait_states.rules import FARTHEST, WaitRule
from layoutalg.records import dataclass


class _Done(NamedTuple):
    """Who did something to a register; its wait state, and the time when it was issued, of the block's start on."""

    facts: RuledInstruction
    address: int
    state: int
    time: int


_Marks = dict[str, tuple[_Done, ...]]
_Held = dict[int, _Marks]
"""Register → what was done first to it → who did it lately."""


@dataclass(frozen=True)
class TooFew:
    """Two instructions with too few wait states between them."""

    rule: WaitRule
    first: int
    second: int
    register: int
    between: int
    manual: int | None
    compiler: int | None
    longer: bool  # more time passes than is counted, and it might be enough

    @property
    def asked(self) -> int:
        """The wait states that the source asks that asks most."""
        return max(self.manual or 0, self.compiler or 0)

    @property
    def certain(self) -> bool:
        """Whether all sources that speak ask for more, and no more time passes than is counted."""
        asked = [count for count in (self.manual, self.compiler) if count is not None]
        return not self.longer and self.between < min(asked)


@dataclass
class _Walk:
    """One walk over a block from what was done before it."""

    target: str
    facts: Mapping[int, RuledInstruction]
    found: dict[tuple[WaitRule, int, int], TooFew]
    held: _Held
    state: int = 0
    time: int = 0
    free: int = 0  # when the matrix core is

    def over(self, block: FlowBlock, *, only_what_is_held: bool = False) -> bool:
        """Whether what was held at the start may matter at the end."""
        for step in block.steps:
            if only_what_is_held and self.state > FARTHEST:
                return False
            self._step(self.facts[step.address], step.address)
        return True

    def _step(self, facts: RuledInstruction, address: int) -> None:
        waits = facts.matrix is not None and self.free > self.time
        if waits:
            self.time = self.free
        held = self.held
        for register, rules in facts.second:
            marks = held.get(register)
            if marks:
                for rule in rules:
                    if rule.first in marks:
                        self._ask(rule, marks[rule.first], facts, address, register)
        if waits:
            self.time += UNKNOWN  # how much longer than the passes before it, no source says
        if facts.matrix:
            self.free = self.time + facts.matrix.passes
        for register in facts.written:  # a later write of a register ends what was done to it before
            held.pop(register, None)
        state = self.state + min(facts.waits, 1) - 1  # carried out, what may be skipped is a wait state, too
        done = (_Done(facts, address, state, self.time + facts.time),)
        for name, registers in facts.first:
            for register in registers:
                held[register] = {**held.get(register, {}), name: done}
        self.state += facts.waits
        self.time += facts.time

    def _ask(
        self, rule: WaitRule, dones: tuple[_Done, ...], facts: RuledInstruction, address: int, register: int
    ) -> None:
        for done in dones:
            between = self.state - done.state - 1
            if between >= FARTHEST or (rule.same is not None and rule.same != facts.follows_same(rule, done.facts)):
                continue
            manual, compiler = rule.needed(self.target, done.facts.matrix.passes if done.facts.matrix else 0)
            if between < max(manual or 0, compiler or 0):
                self._note(rule, done, address, register, manual, compiler)

    def _note(
        self, rule: WaitRule, done: _Done, address: int, register: int, manual: int | None, compiler: int | None
    ) -> None:
        between, passed = self.state - done.state - 1, self.time - done.time
        least = min(count for count in (manual, compiler) if count is not None)
        one = TooFew(rule, done.address, address, register, between, manual, compiler, passed >= least > between)
        key = rule, done.address, address
        if key not in self.found or _order(one) < _order(self.found[key]):
            self.found[key] = one

    def ages(self) -> _Held:
        """What is held, with times before the end in place of those after the start."""
        found: _Held = {}
        for register, marks in self.held.items():
            for name, dones in marks.items():
                late = tuple(
                    done._replace(state=done.state - self.state, time=done.time - self.time)
                    for done in dones
                    if self.state - done.state <= FARTHEST
                )
                if late:
                    found.setdefault(register, {})[name] = late
        return found


def _order(one: TooFew) -> tuple[bool, int]:
    return not one.certain, one.between


@dataclass
class Walker:
    """Walks all blocks of a kernel until nothing new comes to the start of any."""

    target: str
    blocks: Mapping[int, FlowBlock]
    facts: Mapping[int, RuledInstruction]
    found: dict[tuple[WaitRule, int, int], TooFew] = field(default_factory=dict)
    _starts: dict[int, tuple[_Held, int]] = field(default_factory=dict)
    _changed: set[int] = field(default_factory=set)

    def walk(self) -> list[TooFew]:
        """Pairs with too few wait states, by the address of the second."""
        for start in self.blocks:
            self._walk(start, again=False)
        while self._changed:
            self._walk(min(self._changed), again=True)
        return sorted(self.found.values(), key=lambda one: (one.second, one.first))

    def _walk(self, start: int, *, again: bool) -> None:
        block = self.blocks[start]
        self._changed.discard(start)
        held, free = self._starts.get(start, ({}, 0))
        walk = _Walk(self.target, self.facts, self.found, dict(held), free=free)
        if not walk.over(block, only_what_is_held=again):
            return
        ages, free = walk.ages(), max(0, walk.free - walk.time)
        for following in block.successors:
            self._join(following, ages, free)

    def _join(self, start: int, ages: _Held, free: int) -> None:
        changed = start not in self._starts
        held, known = self._starts.get(start, ({}, 0))
        for register, marks in ages.items():
            before = held.get(register, {})
            merged = {**before, **{name: _merged(before.get(name, ()), dones) for name, dones in marks.items()}}
            if merged != before:
                held[register], changed = merged, True
        self._starts[start] = held, max(known, free)
        if changed and start in self.blocks:
            self._changed.add(start)


def _merged(one: tuple[_Done, ...], other: tuple[_Done, ...]) -> tuple[_Done, ...]:
    """What either has; of one instruction that both have, the one that is nearer."""
    by_address = {done.address: done for done in one}
    for done in other:
        known = by_address.get(done.address)
        if known is None or (done.state, done.time) > (known.state, known.time):
            by_address[done.address] = done
    return tuple(by_address[address] for address in sorted(by_address))
