"""Acts by which waves tell each other how far they are, and what is before such an act, and what behind it.

An act is an access that one thread of a block makes, or one lane of each of its waves: a ticket that is taken, a flag
that is set, a flag that is found set.  What another thread of its block does is before it, or behind it:

| | before an act that tells | behind an act by which it is told |
|---|---|---|
| of the act's wave | done, and written back, when the act is done | the caches are renewed behind it |
| of another of its block | the same at a barrier before it (1) | renewed behind a barrier that follows |

(1) Or done at one, behind which the act's wave writes back: their caches are the same, so it does for all.  A wait of
one wave is none for another's stores: where they were not waited for, the barrier found them under way.

What waves of a block share a first cache, one of them renews for all.
What it cannot represent: acts in loops, but for the last iteration of one; scalar loads, which go by another cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.index import FALSE, TRUE, ZERO, Expr, any_of, const, eq
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.records import dataclass
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.values.instances import moved

There = Mapping[Expr, Expr]
"""Another thread's coordinates, by the own one's."""


@dataclass(frozen=True)
class Act:
    """One access, and who makes it."""

    access: TracedAccess
    by: There  # the coordinates of the own block's thread that may make it, or of the own wave's; in which iteration
    every_wave: bool  # each wave of a block has one that may
    count: int  # how many threads of a block may
    wave: Expr  # the number of the own wave in its block

    @property
    def guard(self) -> Expr:
        """Whether it is made."""
        return moved(self.access.guard, self.by)

    @property
    def offset(self) -> Expr:
        """Where."""
        return moved(self.access.offset, self.by)

    @property
    def in_its_wave(self) -> Expr:
        """Whether the own wave is that of who makes it."""
        return TRUE if self.every_wave else eq(self.wave, moved(self.wave, self.by))


@dataclass(frozen=True, eq=False)
class Threads:
    """The threads of a launch, by what may make an access."""

    launched: KernelLaunch

    @cached_property
    def wave(self) -> Wave:
        """The own thread's."""
        launched = self.launched
        return Wave(launched.kernel.wave_size, launched.blocks, launched.threads, launched.block)

    def act(self, one: TracedAccess) -> Act | None:
        """An access that one thread of a block may make, or one lane of each wave; None where it is none."""
        numbers = np.nonzero(BlockThreads(self.launched).may_hold(one.guard))[0].tolist()
        waves = {number // self.wave.size for number in numbers}
        lanes = {number % self.wave.size for number in numbers}
        every = len(waves) == -(-self.wave.count // self.wave.size)
        if len(numbers) != len(waves) or len(lanes) != 1 or not (every or len(numbers) == 1):
            return None
        by = self.lane(const(lanes.pop())) if every else self.thread(numbers[0])
        return Act(one, by, every, len(numbers), self.wave.number)

    def lane(self, lane: Expr) -> dict[Expr, Expr]:
        """The coordinates of a lane's thread in the own wave; one that is always 0 is that."""
        only = {t: ZERO for t in self.launched.threads if t.hi == 0}
        return only | self.wave.threads_at(lane)

    def thread(self, number: int) -> dict[Expr, Expr]:
        """The coordinates of a thread of the block."""
        found: dict[Expr, Expr] = {}
        for t, size in zip(self.launched.threads, self.launched.most, strict=True):
            number, found[t] = number // size, const(number % size)
        return found


def before(one: TracedAccess, signals: Expr, act: Act, launched: KernelLaunch) -> Expr:
    """Whether what the own thread does is seen by whoever is told by the act of its wave or block.

    `signals`: to how many barriers its wave has come there.
    """
    order, told = one.order, act.access
    if order is None or told.order is None or one is told or one.goes_apart:
        return FALSE
    ways: list[Expr] = []
    if one.moment < told.moment and one.instruction.address not in told.order.unseen:
        ways.append(act.in_its_wave)
    if order.shown:
        ways.append(signals < moved(told.barriers, act.by))
    if one.complete and launched.kernel.one_cache:
        ways.append(signals < moved(told.order.written, act.by))
    return any_of(*ways)


def behind(one: TracedAccess, barriers: Expr, renewed: Expr, act: Act, launched: KernelLaunch) -> Expr:
    """Whether the own thread does something behind an act of its wave or block, and finds all that this tells of.

    `barriers`: how many its wave has passed there, and when it renewed its caches.
    """
    order, told = one.order, act.access
    if order is None or told.order is None or one is told or one.goes_apart:
        return FALSE
    plain_store = one.store and not one.atomic
    address, signals = told.instruction.address, moved(told.signals, act.by)
    ways: list[Expr] = []
    if told.moment < one.moment and address not in order.unseen and (plain_store or address not in order.stale):
        ways.append(act.in_its_wave)
    if told.complete:
        ways.append(signals < renewed)
        if plain_store or (launched.kernel.one_cache and told.order.fresh):
            ways.append(signals < barriers)
    return any_of(*ways)
