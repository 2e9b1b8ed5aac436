"""What holds of unknowns: what is assumed of what was loaded, known of what loops leave behind them, and of functions.

It is noted of the thread that is followed, and said of every other one, and of every iteration, as `instances` has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from layoutalg.index import TRUE, Expr, all_of, any_of, negation, variables
from layoutalg.index.conditions import assuming, implies
from layoutalg.records import dataclass
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.environment import Environment, TracedLoad
from layoutalg.symex.values.instances import coordinates_of, moved, origin_of, own_coordinates, place_of
from layoutalg.symex.values.unknowns import kind_of


@dataclass(frozen=True)
class Facts:
    """Of the unknowns of one trace."""

    assumed: Mapping[Expr, Expr] = field(default_factory=dict)  # what was loaded → what is assumed of it
    loops: LoopRecord = field(default_factory=LoopRecord)
    loads: Mapping[Expr, TracedLoad] = field(default_factory=dict)  # what was loaded → all that was loaded at once
    environment: Environment | None = None  # who says what holds of several loaded values together
    functions: Mapping[Expr, Expr] = field(default_factory=dict)  # results of functions → what holds of them
    exists: Expr = TRUE  # whether there is a thread of the own one's numbers: of another one nothing is known

    def of(self, *exprs: Expr) -> Iterator[Expr]:
        """What holds of unknowns in these, and of those that this speaks of: of each by itself, then of all together.

        What follows from less is asked of less: how values are related is much to say, and seldom needed.
        """
        found: dict[Expr, Expr] = {}
        self._add(found, exprs)
        yield all_of(*found.values())
        together, seen = TRUE, 0
        while self.environment is not None and len(found) > seen:
            seen, together = len(found), self._together(found)
            self._add(found, (together,))
        if together is not TRUE:
            yield all_of(*found.values(), together)

    def where(self, given: Expr, *exprs: Expr) -> Iterator[Expr]:
        """What holds of unknowns in these where something is given, of threads that exist there."""
        for known in self.of(given, *exprs):
            yield known if self.exists is TRUE else assuming(known, given)

    def _add(self, found: dict[Expr, Expr], exprs: Sequence[Expr]) -> None:
        """What holds of each unknown in these, and of those that this speaks of."""
        left = list(variables(*exprs))
        while left:
            v = left.pop()
            if v not in found and kind_of(v) is not None:
                found[v] = self._known(v)
                left += variables(found[v])

    def _together(self, unknowns: Iterable[Expr]) -> Expr:
        """What holds of several loaded values together, each where it was loaded."""
        at = {v: place_of(v) for v in unknowns if origin_of(v) in self.loads}
        loads = {
            (id(load), *place.items()): (load, place) for v, place in at.items() if (load := self.loads[origin_of(v)])
        }
        return self.environment.related([*loads.values()]) if self.environment and loads else TRUE

    def _known(self, v: Expr) -> Expr:
        """What holds of an unknown, or of what it is for another thread, or in another iteration."""
        origin = origin_of(v)
        fact = self.loops.facts.get(origin, TRUE)
        if fact is not TRUE:
            fact = moved(fact, self.loops.behind(coordinates_of(origin)))
        known = all_of(self.assumed.get(origin, TRUE), self.functions.get(origin, TRUE), fact)
        if known is not TRUE and not set(variables(self.exists)).isdisjoint(own_coordinates(origin, known)):
            known = any_of(negation(self.exists), known)
        return known if v is origin or known is TRUE else moved(known, place_of(v))


class Asker:
    """Asks an environment whether something holds, with what is known by now of the unknowns."""

    def __init__(self, environment: Environment, facts: Facts) -> None:
        self._environment, self._facts = environment, facts

    def shows(self, goal: Expr, given: Expr) -> bool:
        """Whether `given ⇒ goal` is proved, soon: by bounds that are known as they stand, or by a solver."""
        return any(
            implies(known, goal) or self._environment.shows(goal, all_of(given, known))
            for known in self._facts.where(given, goal)
        )
