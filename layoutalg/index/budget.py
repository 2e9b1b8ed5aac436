"""The time that a question may take: one deadline, which whatever may run long looks at.

`within` sets it, for all that is called below it; `check` is called wherever work may explode (a node's normal form, a
product of polynomials, a block of an enumeration) and raises where the time is up.  A budget within a budget ends no
later than the one around it.  Nothing is stopped from outside: no signal, no thread.

>>> with within(60):
...     check()
>>> in_time(0, lambda: check() or "an answer", lambda why: why)
'out of time after 0 s'

What is counted is time, not steps, so that it bounds what no count foresees; where a count does, a rule has its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


class OutOfTimeError(Exception):
    """The time is up; no ValueError, so that nobody takes it for an answer."""


@dataclass(slots=True)
class _Budget:
    end: float
    around: _Budget | None


_NOW: ContextVar[_Budget | None] = ContextVar("budget", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """All that runs below has so many seconds, or what is left of the budget around it."""
    around = _NOW.get()
    end = time.monotonic() + seconds
    token = _NOW.set(_Budget(end if around is None else min(end, around.end), around))
    try:
        yield
    finally:
        _NOW.reset(token)


def left() -> float:
    """The seconds that are left, infinite where nobody set a limit."""
    budget = _NOW.get()
    return math.inf if budget is None else max(0.0, budget.end - time.monotonic())


def check() -> None:
    """OutOfTimeError where the time is up."""
    budget = _NOW.get()
    if budget is not None and time.monotonic() >= budget.end:
        raise OutOfTimeError


def uncounted(seconds: float) -> None:
    """Gives back time that went into no question: a solver that had to be loaded."""
    budget = _NOW.get()
    while budget is not None:
        budget.end += seconds
        budget = budget.around


def in_time(seconds: float, find: Callable[[], T], late: Callable[[str], T]) -> T:
    """What is found within so many seconds, else `late` of why not; OutOfTimeError where the time around is up too."""
    try:
        with within(seconds):
            return find()
    except OutOfTimeError:
        check()
        return late(f"out of time after {seconds:.3g} s")
