"""Ways that a wave takes: its scalar unit carried out on numbers that nobody says, so that branches agree with others.

A graph has ways that no wave ever takes: a loop of two tiles a turn is left in its middle where their count is odd, and
what follows asks whether it is odd.  So the wave's scalar registers are carried out from an entry on.  What is not
known (arguments, what loads bring, lanes' masks) is a number picked at random where it is first read, and stays.

A hazard that such a run meets is one of the code as it stands, for those values; of others nothing is said.
What it cannot represent: what loads bring that depends on each other, as the words of two loads from one place, and
masks that are computed of each other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.hazards.constants import Constants, Place
from layoutalg.hazards.flow import ControlFlow, FlowBlock, FlowStep
from layoutalg.isa.decode.instructions import EXEC, VCC, Instruction
from layoutalg.isa.semantics.control import BRANCHES, JUMPS, SETS_SKIPPING

#: Runs of a kernel, and instructions of each at most.
RUNS, LONGEST = 24, 10_000

#: Numbers that sizes, counts and flags often are.
_MASKS = (VCC, VCC + 1, EXEC, EXEC + 1)
_WHOLE = 0xFFFFFFFF


class Visit(NamedTuple):
    """A block that a run comes to, where it goes on from there, and the accesses in it that the wave skips."""

    block: FlowBlock
    next: int | None
    skipped: frozenset[int] = frozenset()

    @property
    def steps(self) -> Iterator[FlowStep]:
        """What the wave carries out."""
        return (step for step in self.block.steps if step.address not in self.skipped)

    def until(self, last: FlowStep) -> Visit:
        """The part as far as a step."""
        steps = self.block.steps[: self.block.steps.index(last) + 1]
        return Visit(FlowBlock(steps, ()), None, self.skipped & {step.address for step in steps})


class ScalarRun(Constants):
    """One wave's scalar registers."""

    def __init__(self, seed: int) -> None:
        super().__init__({("s", EXEC): _WHOLE, ("s", EXEC + 1): _WHOLE})
        self.dice = random.Random(seed)
        self.skips = False  # vector instructions

    def get(self, place: Place) -> int | None:
        """What a register holds; picked at random where nothing says it."""
        if place not in self.known:
            self.known[place] = self._picked(place)
        return self.known[place]

    def _picked(self, place: Place) -> int:
        dice = self.dice
        if place == ("scc", 0):
            return dice.getrandbits(1)
        if place[0] == "s" and place[1] in _MASKS:
            return dice.choice((0, _WHOLE, dice.getrandbits(32)))
        kind = dice.random()
        if kind < 0.3:
            return dice.randrange(8)
        if kind < 0.7:
            return dice.randrange(512)
        return 1 << dice.randrange(12) if kind < 0.85 else dice.getrandbits(32)

    def set_skipping(self, one: Instruction) -> None:
        """S_SETVSKIP."""
        word, bit = (int(np.asarray(self.read(one, token)).reshape(-1)[0]) for token in ("a32", "b32"))
        self.skips = bool(word >> (bit & 31) & 1)

    def holds(self, what: str) -> bool:
        """What a branch looks at."""
        first = {"vcc": VCC, "exec": EXEC}.get(what)
        if first is None:
            return bool(self.get(("scc", 0)))
        return any(self.get(("s", first + k)) for k in range(2))


def visits(flow: ControlFlow, seed: int) -> Iterator[Visit]:
    """The blocks that one run comes to, from an entry on."""
    run, done = ScalarRun(seed), 0
    address: int | None = flow.entries[seed % len(flow.entries)]
    while address is not None and done < LONGEST:
        block = flow.blocks[address]
        done += len(block.steps)
        skipped: set[int] = set()
        for step in block.steps:
            if step.instruction.name == SETS_SKIPPING:
                run.set_skipping(step.instruction)
            elif run.skips and step.address in flow.skippable:
                skipped.add(step.address)
            elif step.scalars:
                run.step(step.instruction, step.scalars)
        address = _next(flow, block, run)
        yield Visit(block, address, frozenset(skipped))


def _next(flow: ControlFlow, block: FlowBlock, run: ScalarRun) -> int | None:
    """Where control goes after a block, whose steps are done."""
    last, goes = block.last, block.successors
    if last.name in JUMPS and len(goes) > 1:
        target = run.pair(last.operands["a"])
        return target if target in goes else run.dice.choice(goes)
    if last.name in BRANCHES and len(goes) > 1:
        what, when = BRANCHES[last.name]
        following, target = goes
        return target if run.holds(what) == when else following
    if len(goes) > 1:
        raise UnsupportedInstructionError(f"{last.place}: the branch is not known")
    return goes[0] if goes else None
