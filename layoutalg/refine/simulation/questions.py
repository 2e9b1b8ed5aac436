"""What a refinement asks the prover, and how much each question may cost: steps, which are the same on every machine.

| a question | may take | where it stays open |
|---|---|---|
| about a range, first of what is given only what speaks of the goal's own variables | `FIRST_STEPS` | all is given |
| about a range | `RANGE_STEPS`; `FIRST_STEPS` after `OPEN_RANGES` open ones | a longer formula, nothing else |
| a claim | `CLAIM_STEPS`; `RANGE_STEPS` once one is open | the code is not proved any more; others may refute it |

After `OPEN_CLAIMS` open claims none is asked.  Time bounds what no count of steps foresees: a formula that explodes.
What it cannot represent: proofs by what a floating-point function or another lane is, which are unknowns here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from layoutalg.index import Expr, all_of, conjuncts, substitute, variables
from layoutalg.index.conditions import conjuncts_in_normal_form
from layoutalg.kernel.program import Program
from layoutalg.prove import ForAll, Limits, Proved, Refuted, Shown, Unknown, Verdict, holds, prove
from layoutalg.refine.simulation.samples import extreme_sizes, shows_wrong
from layoutalg.symex.idioms.floats import for_numbers
from layoutalg.symex.values.unknowns import Kind, kind_of

#: The solver's steps, of which a second has about a million.  No proof of our compiler's builds takes 50 000.
CLAIM_STEPS, RANGE_STEPS, FIRST_STEPS = 4_000_000, 2_000_000, 500_000

#: Open questions about ranges after which others get fewer steps: ten seconds of one core together.
OPEN_RANGES = 4

#: Open claims after which nothing more is asked: they too are ten seconds.
OPEN_CLAIMS = 4

#: Choices of small sizes that are tried where only a proof counts: a solver is asked before more of them.
FEW_CHOICES = 8


class Questions:
    """Asks the prover about one program; nothing is refuted by values of what is `free`, which the machine has not."""

    def __init__(self, program: Program) -> None:
        self.free: set[Expr] = set()
        self.open_ranges = self.open_claims = 0
        self._extremes = extreme_sizes(program)
        self._found: dict[tuple[Expr, Expr], bool] = {}
        self._decided: dict[tuple[frozenset[Expr], Expr], Proved | Unknown] = {}
        self.shown_values = (
            Shown("block", program.grid),
            Shown("thread", program.threads),
            *((Shown("sizes", program.sizes),) if program.sizes else ()),
        )

    def shown(self, goal: Expr, given: Expr) -> bool:
        """Whether `given ⇒ goal` is proved, soon."""
        if (goal, given) not in self._found:
            self._found[goal, given] = self._shown(goal, given)
        return self._found[goal, given]

    def _shown(self, goal: Expr, given: Expr) -> bool:
        if any(shows_wrong(goal, given, sizes) for sizes in self._extremes):
            return False
        limits = Limits(steps=FIRST_STEPS if self.open_ranges >= OPEN_RANGES else RANGE_STEPS, choices=FEW_CHOICES)
        shown = any(
            holds(ForAll("a value is in range", goal, part, self.shown_values if part is given else ()), each)
            for part, each in self._attempts(goal, given, limits)
        )
        self.open_ranges += not shown
        return shown

    def decide(self, label: str, goal: Expr, given: Expr, show: tuple[Shown, ...] = ()) -> Verdict:
        """The verdict on `given ⇒ goal`."""
        claim = conjuncts_in_normal_form(goal), given
        if claim not in self._decided:
            verdict = self._decide(label, goal, given, show)
            if isinstance(verdict, Refuted) and any(map(self._free, variables(goal, given))):
                verdict = self._refuted_for_numbers(label, goal, given, show) or unknown(
                    f"it depends on what is not known of floating-point results or other lanes: {verdict.reason}"
                )
            if not isinstance(verdict, Proved | Unknown):
                return verdict
            self.open_claims += isinstance(verdict, Unknown)
            self._decided[claim] = verdict
        return replace(self._decided[claim], claim=label)

    def _refuted_for_numbers(self, label: str, goal: Expr, given: Expr, show: tuple[Shown, ...]) -> Refuted | None:
        """A refutation in which roundings to bf16 are what the machine makes of a number."""
        while values := (written := for_numbers(variables(goal, given)))[0]:
            goal, given = substitute(goal, values), all_of(substitute(given, values), written[1])
        if any(map(self._free, variables(goal, given))):
            return None
        verdict = self._decide(label, goal, given, show)
        return verdict if isinstance(verdict, Refuted) else None

    def _decide(self, label: str, goal: Expr, given: Expr, show: tuple[Shown, ...]) -> Verdict:
        if self.open_claims >= OPEN_CLAIMS:
            return unknown(f"{self.open_claims} claims before it are open")
        limits = Limits(steps=RANGE_STEPS if self.open_claims else CLAIM_STEPS)
        for part, each in self._attempts(goal, given, limits):
            shown = (*self.shown_values, *show) if part is given else ()
            verdict = prove(ForAll(label, goal, part, shown), limits=each)
            if isinstance(verdict, Proved):
                return verdict
        return verdict

    def _attempts(self, goal: Expr, given: Expr, limits: Limits) -> Iterator[tuple[Expr, Limits]]:
        """Assumptions to try: those that speak only of what the goal speaks of, with few steps; then all."""
        mentioned = set(variables(goal))
        near = all_of(*(part for part in conjuncts(given) if set(variables(part)) <= mentioned))
        if near is not given:
            yield near, replace(limits, steps=FIRST_STEPS, choices=FEW_CHOICES)
        yield given, limits

    def _free(self, v: Expr) -> bool:
        """Whether the prover may give it values that the machine would not."""
        return v in self.free or kind_of(v) in (Kind.ANY, Kind.RESULT)


def unknown(why: str) -> Unknown:
    """What was not decided, and why."""
    return Unknown("the binary does what the program says", "comparison", 0.0, (), why)
