"""z3 asked in this process, within steps of its own: what it answers does not depend on how busy the machine is.

z3 counts its steps for a context (`rlimit count`), over all that it was asked there.  They are spent of the budget, so
that a search of several queries ends by steps too.  The clock ends only what z3 does not count, `SLACK` times as late.
"""

from __future__ import annotations

from typing import Any

from layoutalg.index import budget

STEPS = 2_000_000
"""Steps of z3 to the second, of a quiet core: the median of 109 queries of audits."""


def check_within(seconds: float, solver: Any) -> Any:
    """The solver's answer within so many seconds as `budget` counts them, or what is left of the budget around it.

    >>> import z3
    >>> solver, x = z3.Solver(), z3.Int("x")
    >>> solver.add(x * x == 2)
    >>> check_within(0.5, solver)
    unsat
    """
    seconds = min(seconds, budget.left())
    solver.set("rlimit", max(1, int(STEPS * seconds)))
    solver.set("timeout", max(1, int(budget.SLACK * seconds * 1000)))
    before = steps_taken(solver)
    answer = solver.check()
    budget.spend((steps_taken(solver) - before) * budget.STEPS / STEPS)
    return answer


def steps_taken(solver: Any) -> int:
    """The steps that z3 took so far in a solver's context."""
    counts = solver.statistics()
    return int(dict(counts[k] for k in range(len(counts))).get("rlimit count", 0))
