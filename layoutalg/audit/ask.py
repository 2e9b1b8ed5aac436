"""The one way from an audit to the prover: within the time that is left, under all that is known of unknowns.

Of what occurs in a question is known what the launch assumes of loaded data, and what loops leave behind them.  It is
noted of the thread that is followed, and said of every other thread and iteration, as `symex.values.instances` has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from layoutalg.index import TRUE, Expr, all_of, budget, conjuncts, variables
from layoutalg.launch.distinct import DistinctElement, distinct_elements
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import ForAll, Limits, Obligation, Proved, Unknown, Verdict, holds, prove
from layoutalg.symex.loops.found import FoundLoops
from layoutalg.symex.values.instances import coordinates_of, moved, origin_of, place_of
from layoutalg.symex.values.unknowns import kind_of

#: The solver's steps for a claim, and for a value's range (`refine.simulation.questions` has their measure).
CLAIM, RANGE = Limits(steps=2_000_000), Limits(steps=500_000, choices=8)

#: What the whole of a question may take that is asked in parts where it stays open.
WHOLE = Limits(seconds=2.0, steps=500_000, choices=8)

LATE = "the time for all claims is used up"


@dataclass(frozen=True)
class Open:
    """What is not seen, and why."""

    why: str


class Finding(NamedTuple):
    """A claim by its name, what it is about (an instruction, in most), and the verdict.

    >>> found("in_bounds", "0x40 global_load_dword loads from x", Open("its lengths are not known")).verdict.name
    'unknown'
    """

    claim: str
    about: str
    verdict: Verdict


def found(claim: str, about: str, left: Open | None, by: str = "none") -> Finding:
    """What was found of a claim by other means than the prover: unknown where something is left open."""
    if left is None:
        return Finding(claim, about, Proved(claim, by, 0.0))
    return Finding(claim, about, Unknown(claim, by, 0.0, (), left.why))


class Ask:
    """Questions about one kernel, launched in one way."""

    def __init__(self, launched: KernelLaunch, loops: FoundLoops) -> None:
        self.launched, self.loops = launched, loops
        self.loaded: dict[Expr, str] = {}  # what was loaded → of which tensor, or of LDS; "" where that is not seen
        self.distinct: list[DistinctElement] = []  # of what was loaded, no two elements of one tensor are equal
        self._assumed: dict[Expr, Expr] = {}  # what was loaded → what is assumed of it
        self._held: dict[tuple[Expr, Expr], bool] = {}

    def decide(self, claim: str, about: str, obligation: Obligation, limits: Limits = CLAIM) -> Finding:
        """The prover's verdict; unknown where the time is used up."""
        try:
            budget.check()
            known = self.known(*obligation.roots)
            asked = obligation if known is TRUE else obligation.assuming(known)
            return Finding(claim, about, prove(asked, limits=limits))
        except budget.OutOfTimeError:
            return found(claim, about, Open(LATE))

    def holds(self, goal: Expr, given: Expr) -> bool:
        """Whether something given implies a goal, as far as it is seen soon."""
        if (goal, given) not in self._held:
            asked = ForAll("a value is in range", goal, all_of(given, self.known(goal, given)))
            self._held[goal, given] = holds(asked, RANGE)
        return self._held[goal, given]

    # What is known

    def note(self, buffer: str, offset: Expr, size: int, values: Sequence[Expr]) -> None:
        """Notes what was loaded of a tensor or LDS, unknowns of `size` bytes each, and what is assumed of it."""
        self.loaded |= dict.fromkeys(values, buffer)
        tensor = self.launched.tensors.get(buffer)
        if tensor is None:
            return
        self.distinct += distinct_elements(tensor, offset, size, values) if tensor.distinct else ()
        assumed = tensor.holds(offset, size, values)
        for part in conjuncts(assumed) if assumed is not TRUE else ():
            for v in variables(part):
                if v in values:
                    self._assumed[v] = all_of(self._assumed.get(v, TRUE), part)

    def has_contents(self, buffer: str, offset: Expr, size: int, given: Expr) -> bool:
        """Whether bytes of a tensor are elements; what lies between these was never written."""
        tensor = self.launched.tensors.get(buffer)
        if tensor is None or tensor.elements.each is None:
            return True
        return self.holds(tensor.inside(offset, size, store=True), all_of(self.launched.given, given))

    def known(self, *exprs: Expr) -> Expr:
        """What is assumed of all that was loaded, and known of all that loops left behind, and occurs in these."""
        facts: dict[Expr, Expr] = {}
        left = list(variables(*exprs))
        while left:
            v = left.pop()
            if v not in facts and kind_of(v) is not None:
                facts[v] = self._of(v)
                left += variables(facts[v])
        return all_of(*facts.values())

    def _of(self, v: Expr) -> Expr:
        """What is assumed and known of an unknown, or of what it is for another thread, or in another iteration."""
        origin = origin_of(v)
        fact = self.loops.facts.get(origin, TRUE)
        if fact is not TRUE:
            fact = moved(fact, self.loops.behind(coordinates_of(origin)))
        known = all_of(self._assumed.get(origin, TRUE), fact)
        return known if v is origin or known is TRUE else moved(known, place_of(v))

    def waiting(self) -> int | None:
        """The head of a loop that is left by what it loads of memory that the kernel may store to."""
        tensors = self.launched.tensors
        shared = {v for v, name in self.loaded.items() if name not in tensors or tensors[name].written}
        return next(self.loops.waiting(shared), None)
