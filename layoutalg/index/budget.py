"""What a question may take: one count of steps, which whatever may run long adds to and looks at.

`within` sets the limit, for all that is called below it; `spend` counts steps where work is done (a node is made or
walked over, a block is enumerated, an instruction is carried out, a solver answers); `check` is called wherever work
may explode and raises where the limit is reached.  A budget within a budget ends no later than the one around it.
Nothing is stopped from outside: no signal, no thread.

>>> with within(60):
...     check()
>>> in_time(0, lambda: check() or "an answer", lambda why: why)
'out of time after 0 s'

A step is about a microsecond of a quiet core: `STEPS` to the second in which limits are given, so that a question has
one answer on every machine, however busy.  What no count foresees is bounded by the processor's time, `SLACK` of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

#: Steps of a second.
STEPS = 1_000_000

#: Seconds of the processor for each of a budget: of 181 audits the slowest counted took 3 times what it counts.
SLACK = 8

#: Steps after which the processor's time is looked at, which a call of the system tells.
LOOK = 20_000


class OutOfTimeError(Exception):
    """The budget is used up; no ValueError, so that nobody takes it for an answer."""


class _Clock:
    """The steps of this process."""

    __slots__ = ("looked", "steps")

    def __init__(self) -> None:
        self.steps = self.looked = 0


@dataclass(slots=True)
class _Budget:
    steps: float  # of the clock, at its end
    processor: float  # seconds of it, at its end


CLOCK = _Clock()
_NOW: ContextVar[_Budget | None] = ContextVar("budget", default=None)


class _Within:
    """Not a generator, which takes three times as long: every strategy is called within a budget."""

    __slots__ = ("_budget", "_token")

    def __init__(self, budget: _Budget) -> None:
        self._budget = budget

    def __enter__(self) -> None:
        self._token = _NOW.set(self._budget)

    def __exit__(self, *error: object) -> None:
        _NOW.reset(self._token)


def within(seconds: float) -> AbstractContextManager[None]:
    """All that runs below has so many seconds, or what is left of the budget around it."""
    around = _NOW.get()
    steps, processor = CLOCK.steps + STEPS * seconds, time.process_time() + SLACK * seconds
    if around is not None:
        steps, processor = min(steps, around.steps), min(processor, around.processor)
    return _Within(_Budget(steps, processor))


def left() -> float:
    """The seconds that are left, infinite where nobody set a limit."""
    budget = _NOW.get()
    return math.inf if budget is None else max(0.0, budget.steps - CLOCK.steps) / STEPS


def spent() -> float:
    """The seconds that this process has counted, to be compared with those counted later."""
    return CLOCK.steps / STEPS


def spend(steps: float) -> None:
    """Counts work that was done."""
    CLOCK.steps += int(steps)


def check(steps: int = 1) -> None:
    """Counts work that is to be done; OutOfTimeError where the budget is used up."""
    clock = CLOCK
    clock.steps += steps
    budget = _NOW.get()
    if budget is None:
        return
    if clock.steps - clock.looked > LOOK:
        clock.looked = clock.steps
        if time.process_time() >= budget.processor:
            budget.steps = 0.0
    if clock.steps >= budget.steps:
        raise OutOfTimeError


def in_time(seconds: float, find: Callable[[], T], late: Callable[[str], T]) -> T:
    """What is found within so many seconds, else `late` of why not; OutOfTimeError where the time around is up too."""
    try:
        with within(seconds):
            return find()
    except OutOfTimeError:
        check(0)
        return late(f"out of time after {seconds:.3g} s")
