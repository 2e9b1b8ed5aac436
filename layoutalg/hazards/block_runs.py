"""Ways that the waves of one block take: carried out together on numbers, and apart where a branch parts them.

| register | holds |
|---|---|
| v0, and what is computed of it and of constants | what it holds in each thread of a block in a row |
| arguments, blocks' indices, what scalar loads bring | a number picked at random, by its place: the same in all waves |
| what vector loads bring, floating point, moves across lanes | nothing that is known |

A branch that goes by what is known sends each wave its own way.  One that goes by what is not sends all waves the same
way, each time that they come there: so only what the code itself makes different parts them.  Two ways say something of
each other where they came to the same such branches, as often.
What is computed of a number that was picked is *free*: other arguments, other ways.
What it cannot represent: blocks that are no row; what memory holds that the kernel itself has written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from layoutalg.hazards.block_values import Dice, WaveReader, is_followed
from layoutalg.hazards.flow import ControlFlow, FlowBlock, FlowStep
from layoutalg.hazards.thread_values import relevant
from layoutalg.hazards.token_reader import Place
from layoutalg.hazards.undefined import at_start
from layoutalg.isa.decode.instructions import EXEC, VCC, Instruction, Operand
from layoutalg.isa.effects import Registers, registers, scalars
from layoutalg.isa.run.arrays import Array, ArrayValues
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, JUMPS
from layoutalg.records import dataclass

_VALUES = ArrayValues()

#: Instructions that a run carries out at most, of those that branches depend on, and ways into which waves part.
LONGEST, _WAYS = 2000, 64

_LOOKED_AT: Mapping[str, Place] = {"scc": ("scc", 0), "vcc": ("s", VCC), "exec": ("s", EXEC)}
#: Instruction → the word that says its result, whatever the other is.
_SETTLES: Mapping[str, int] = {"S_OR": -1, "S_AND": 0}

_EXEC: Place = ("s", EXEC)
_LANES = registers(*_EXEC, 2)


class Turn(NamedTuple):
    """A branch that goes by what is known: whether it is taken, is free, and how many barriers come before it."""

    taken: bool
    free: bool
    barriers: int


Time = tuple[int, int]
"""A branch, and which time a wave comes to it."""


@dataclass
class Way:
    """Waves of a block that go the same way, and the barriers that they come to."""

    waves: tuple[int, ...]
    barriers: list[int] = field(default_factory=list)
    turns: dict[Time, Turn] = field(default_factory=dict)
    chosen: list[Time] = field(default_factory=list)  # branches that go by nothing known
    ended: bool = False

    @property
    def picked(self) -> bool:
        """Whether a branch went by a number that was picked."""
        return bool(self.chosen) or any(turn.free for turn in self.turns.values())


@dataclass
class _Waves:
    """What registers hold in waves that went the same way so far, and which of it is free."""

    way: Way
    words: dict[Place, Array]
    free: Registers
    on: Array | None  # the lanes that run
    visits: dict[int, int] = field(default_factory=dict)

    def part(self, chosen: Array, when: Time, turn: Turn) -> _Waves:
        """Some of them, as they go another way than the others."""
        words = {key: word[:, :, chosen] if word.shape[2] > 1 else word for key, word in self.words.items()}
        way = replace(
            self.way, waves=tuple(wave for wave, is_one in zip(self.way.waves, chosen, strict=True) if is_one),
            barriers=[*self.way.barriers], turns={**self.way.turns, when: turn}, chosen=[*self.way.chosen],
        )  # fmt: skip
        on = self.on if self.on is None or self.on.shape[2] == 1 else self.on[:, :, chosen]
        return _Waves(way, words, self.free, on, dict(self.visits))


@dataclass
class _Numbers:
    """Registers that are computed of the thread's number."""

    own: Registers

    def copy(self) -> _Numbers:
        """The same, to be changed."""
        return _Numbers(self.own)

    def join(self, other: _Numbers) -> bool:
        """By this way or the other."""
        more = bool(other.own & ~self.own)
        self.own |= other.own
        return more

    def step(self, step: FlowStep) -> None:
        """What an instruction makes of them."""
        one, (reads, writes, *_) = step.instruction, step.effects
        vector = one.name.startswith("V_")
        if is_followed(one) and (reads | _LANES * vector) & self.own:
            self.own |= writes
        elif not vector:
            self.own &= ~writes


class BlockRun:
    """Runs of all waves of a block of so many threads in a row."""

    def __init__(self, flow: ControlFlow, threads: int) -> None:
        self.flow, self.kernel = flow, flow.kernel
        self.lanes = flow.kernel.wave_size
        self.waves = threads // self.lanes

    @cached_property
    def steps(self) -> Mapping[int, tuple[FlowStep, ...]]:
        """Of each block what branches depend on, and the barriers."""
        wanted: Registers = registers("s", EXEC, 2)
        for block in self.flow.blocks.values():
            if len(block.successors) > 1:
                wanted |= block.steps[-1].effects.reads
        wanted = relevant(self.flow, wanted, is_followed)
        return {
            start: tuple(
                step
                for step in block.steps
                if step.instruction.name in BARRIERS or (step.effects.writes | step.effects.perhaps_writes) & wanted
            )
            for start, block in self.flow.blocks.items()
        }

    @cached_property
    def written(self) -> Mapping[int, tuple[Place, ...]]:
        """The registers that each of these steps may write."""
        steps = (step for some in self.steps.values() for step in some)
        return {step.address: (*_places(step.effects.writes | step.effects.perhaps_writes),) for step in steps}

    @property
    def may_part(self) -> bool:
        """Whether a branch may go by what is computed of the thread's number."""
        number = _Numbers(registers("v", 0))
        if self.kernel.architecture.wave_number:
            number.own |= registers("s", self.kernel.architecture.wave_number[0])

        def through(block: FlowBlock, after: _Numbers) -> None:
            for step in self.steps[block.start]:
                after.step(step)

        for start, after in self.flow.known_before(number, through).items():
            block = self.flow.blocks[start]
            through(block, after)
            if len(block.successors) > 1 and block.steps[-1].effects.reads & after.own:
                return True
        return False

    def ways(self, seed: int) -> list[Way]:
        """The ways that the waves take for one choice of numbers."""
        dice = Dice(seed)
        left = [(self.flow.entries[seed % len(self.flow.entries)], self._begun(dice))]
        found: list[Way] = []
        while left and len(left) + len(found) <= _WAYS:
            address, waves = left.pop()
            found.append(waves.way)
            done, goes = 0, address
            while done < LONGEST:
                steps = self.steps[goes]
                done += len(steps) + 1
                for step in steps:
                    self._step(step, waves, dice)
                ways = [*self._next(self.flow.blocks[goes], waves, dice)]
                if not ways:
                    waves.way.ended = True
                    break
                if len(ways) > 1:
                    found.pop()
                    left += ways
                    break
                goes, waves = ways[0]
        return found

    def _begun(self, dice: Dice) -> _Waves:
        given = [place for place in scalars(at_start(self.kernel)) if place[1] not in (EXEC, EXEC + 1)]
        words = {place: dice.word(place) for place in given}
        words |= {("s", EXEC + k): _VALUES.const(-1, 32) for k in range(self.lanes // 32)}
        number = np.arange(self.waves, dtype=np.uint32).reshape(1, 1, -1, 1)
        free: Registers = 0
        for place in given:
            free |= registers(*place)
        if self.kernel.architecture.wave_number:
            register, lowest, _ = self.kernel.architecture.wave_number
            words["s", register] = number << np.uint32(lowest)
            free &= ~registers("s", register)
        words["v", 0] = number * np.uint32(self.lanes) + np.arange(self.lanes, dtype=np.uint32)
        return _Waves(Way(tuple(range(self.waves))), words, free, np.ones((1, 1, 1, self.lanes), np.bool_))

    def _step(self, step: FlowStep, waves: _Waves, dice: Dice) -> None:
        one = step.instruction
        if one.name in BARRIERS:
            if BARRIERS[one.name][1]:
                waves.way.barriers.append(one.address)
            return
        reader = WaveReader(waves.words, self.lanes, waves.on)
        results = {} if any(step.effects[2:]) else reader.results(one, dice)
        vector = one.name.startswith("V_")
        free = bool((step.effects.reads | _LANES * vector) & waves.free) or one.name in ACCESSES
        free = free and not _settled(one, reader, waves.free)
        partly = vector and waves.on is not None and not waves.on.all() and not one.name.startswith("V_WRITELANE")
        for place in self.written[one.address]:
            word, old = results.get(place), waves.words.pop(place, None)
            if word is None:
                continue
            if partly and waves.on is not None and place[0] in ("v", "a"):
                word = np.where(waves.on, word, dice.lanes(place, self.lanes) if old is None else old)
            waves.words[place] = word
        written, saved = step.effects.writes | step.effects.perhaps_writes, 0
        if "_SAVEEXEC_" in one.name and not waves.free & _LANES:
            saved = registers(one.operands["d"].kind, one.operands["d"].index, self.lanes // 32)
        waves.free = (waves.free | written) & ~saved if free else waves.free & ~written
        if written & _LANES:
            waves.on = WaveReader(waves.words, self.lanes, None).mask(Operand(*_EXEC))

    def _next(self, block: FlowBlock, waves: _Waves, dice: Dice) -> Iterator[tuple[int, _Waves]]:
        """Where the waves go on, in one part or in two."""
        goes, last = block.successors, block.last
        if len(goes) < 2:
            yield from ((start, waves) for start in goes)
            return
        when = last.address, waves.visits.get(last.address, 0)
        waves.visits[last.address] = when[1] + 1
        free = bool(block.steps[-1].effects.reads & waves.free)
        truth = self._holds(last, waves) if last.name in BRANCHES else None
        if truth is None or last.name in JUMPS:
            waves.way.chosen.append(when)
            yield dice.choice(when, goes), waves
            return
        taken = truth == BRANCHES[last.name][1]
        following, target = goes
        turns = {is_one: Turn(is_one, free, len(waves.way.barriers)) for is_one in (True, False)}
        if taken.all() or not taken.any():
            waves.way.turns[when] = turns[bool(taken.all())]
            yield target if taken.all() else following, waves
            return
        yield target, waves.part(taken, when, turns[True])
        yield following, waves.part(~taken, when, turns[False])

    def _holds(self, last: Instruction, waves: _Waves) -> Array | None:
        """What a branch looks at, for each wave; None where that is not known."""
        kind, first = _LOOKED_AT[BRANCHES[last.name][0]]
        count = self.lanes // 32 if kind == "s" else 1
        truth = np.zeros(len(waves.way.waves), np.bool_)
        for k in range(count):
            word = waves.words.get((kind, first + k))
            if word is None:
                return None
            truth = truth | (word[0, 0, :, 0] != 0)
        return truth


def _settled(one: Instruction, reader: WaveReader, free: Registers) -> bool:
    """Whether one source alone, which is not free, says the result: EXEC, where all lanes are on again."""
    word = _SETTLES.get(one.name[:-4])
    sources = (one.operands[role] for role in "ab" if word is not None)
    bits = int(one.name[-2:]) if word is not None else 0
    for source in sources:
        held = None if registers(source.kind, source.index, bits // 32) & free else reader.read(source, bits)
        if word is not None and held is not None and bool(np.all(held == _VALUES.const(word, bits))):
            return True
    return False


def _places(some: Registers) -> Iterator[Place]:
    """Every register of a set."""
    yield from scalars(some)
    for kind, count in (("v", 1024), ("a", 256)):
        first = registers(kind, 0).bit_length() - 2
        inside = some >> first & (1 << 2 * count) - 1
        while inside:
            at = (inside & -inside).bit_length() - 1 >> 1
            yield kind, at
            inside &= ~(3 << 2 * at)
