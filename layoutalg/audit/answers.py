"""Answers of the prover that are kept: a question is asked once, whoever asks it, of whichever entry of a kernel.

| an answer | is kept |
|---|---|
| shown, proved | always: it is one under any limits of time |
| not shown, refuted, unknown | where all the time of its limits was left; more time would tell more elsewhere |

A question is a statement with its words and its limits: nothing else goes into an answer.
What it cannot represent: a verdict's seconds, which are those of the first time.
"""

from __future__ import annotations

from functools import lru_cache

from layoutalg.index import Expr, budget
from layoutalg.prove import ForAll, Limits, Obligation, Proved, Verdict, holds, prove

#: How many answers are kept, of each kind.
MOST = 1 << 13


class _NotInTimeError(Exception):
    """An answer that more time may change: as an exception, since caches keep none."""


class _OpenError(_NotInTimeError):
    def __init__(self, found: Verdict) -> None:
        self.found = found


def shown(goal: Expr, given: Expr, limits: Limits) -> bool:
    """Whether something given implies a goal, as far as it is seen within limits."""
    try:
        return _shown(goal, given, limits)
    except _NotInTimeError:
        return False


def verdict(obligation: Obligation, limits: Limits) -> Verdict:
    """The prover's verdict on a statement."""
    try:
        return _verdict(obligation, limits)
    except _OpenError as error:
        return error.found


@lru_cache(maxsize=MOST)
def _shown(goal: Expr, given: Expr, limits: Limits) -> bool:
    in_time = budget.left() >= limits.seconds
    found = holds(ForAll("a value is in range", goal, given), limits)
    if not found and not in_time:
        raise _NotInTimeError
    return found


@lru_cache(maxsize=MOST)
def _verdict(obligation: Obligation, limits: Limits) -> Verdict:
    in_time = budget.left() >= limits.seconds
    found = prove(obligation, limits=limits)
    if not isinstance(found, Proved) and not in_time:
        raise _OpenError(found)
    return found
