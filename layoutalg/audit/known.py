"""What is known of a kernel's unknowns: what the launch assumes of what was loaded, what loops leave behind them.

It is noted of the thread that is followed, and said of every other one, and of every iteration, as `instances` has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.audit.global_memory.distinct import DistinctElement, distinct_elements
from layoutalg.index import TRUE, Expr, all_of, conjuncts, variables
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import ForAll, Limits, holds
from layoutalg.symex.loops.found import FoundLoops
from layoutalg.symex.values.instances import coordinates_of, moved, origin_of, place_of
from layoutalg.symex.values.unknowns import kind_of

#: The solver's steps for a question of the reading (`refine.simulation.questions` has their measure).
READING = Limits(steps=500_000, choices=8)


class Known:
    """Of one launch and its loops."""

    def __init__(self, launched: KernelLaunch, loops: FoundLoops) -> None:
        self.launched, self.loops = launched, loops
        self.loaded: dict[Expr, str] = {}  # what was loaded → of which tensor, or of LDS; "" where that is not seen
        self.assumed: dict[Expr, Expr] = {}  # what was loaded → what is assumed of it
        self.distinct: list[DistinctElement] = []  # of what was loaded, no two elements of one tensor are equal
        self._ranges: dict[tuple[Expr, Expr], bool] = {}

    def note(self, buffer: str, offset: Expr, size: int, values: Sequence[Expr]) -> None:
        """Notes what was loaded, and what is assumed of it."""
        if buffer in self.launched.tensors:
            tensor = self.launched.tensors[buffer]
            self.distinct += distinct_elements(tensor, offset, size, values) if tensor.distinct else ()
        self.loaded |= dict.fromkeys(values, buffer)
        if buffer in self.launched.tensors:
            holds = self.launched.tensors[buffer].holds(offset, size, values)
            for part in conjuncts(holds) if holds is not TRUE else ():
                for v in variables(part):
                    if v in values:
                        self.assumed[v] = all_of(self.assumed.get(v, TRUE), part)

    def has_contents(self, buffer: str, offset: Expr, size: int, given: Expr) -> bool:
        """Whether bytes of a tensor are elements; what lies between these was never written."""
        tensor = self.launched.tensors.get(buffer)
        if tensor is None or tensor.elements.each is None:
            return True
        return self.in_range(tensor.inside(offset, size, store=True), all_of(self.launched.given, given))

    def of(self, *exprs: Expr) -> Expr:
        """What is assumed of all that was loaded, and known of all that loops left behind, and occurs in these."""
        found: dict[Expr, Expr] = {}
        left = list(variables(*exprs))
        while left:
            v = left.pop()
            if v not in found and kind_of(v) is not None:
                found[v] = self._known(v)
                left += variables(found[v])
        return all_of(*found.values())

    def _known(self, v: Expr) -> Expr:
        """What is assumed and known of an unknown, or of what it is for another thread, or in another iteration."""
        origin = origin_of(v)
        fact = self.loops.facts.get(origin, TRUE)
        if fact is not TRUE:
            fact = moved(fact, self.loops.behind(coordinates_of(origin)))
        known = all_of(self.assumed.get(origin, TRUE), fact)
        return known if v is origin or known is TRUE else moved(known, place_of(v))

    def in_range(self, goal: Expr, given: Expr) -> bool:
        if (goal, given) not in self._ranges:
            asked = ForAll("a value is in range", goal, all_of(given, self.of(goal, given)))
            self._ranges[goal, given] = holds(asked, READING)
        return self._ranges[goal, given]

    def waiting(self) -> int | None:
        """The head of a loop that is left by what it loads of memory that the kernel may store to."""
        tensors = self.launched.tensors
        shared = {v for v, name in self.loaded.items() if name not in tensors or tensors[name].written}
        return next(self.loops.waiting(shared), None)
