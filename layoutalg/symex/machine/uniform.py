"""What all lanes of a wave have alike, and all waves of a block: what no thread has for itself, and functions of such.

| an expression of | is alike |
|---|---|
| arguments, block numbers, what was loaded at such addresses of what nobody writes | in the block |
| what one lane was read of for all, a lane's number that a mask has, turns that all lanes make | in the wave |
| the thread's number of which lane 0's makes the same: `thread div 64` | in the wave |
| a loop's iteration, where lanes left the loop in different ones | in none |

So of a mask whose bit is alike no lane has it where this one has it not.
What it cannot represent: what happens to be alike, of numbers that are not.
"""

from __future__ import annotations

from functools import lru_cache

from layoutalg.index import FALSE, ZERO, Expr, negation, simplify, substitute, variables
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.machine.wave_unknowns import WaveUnknowns
from layoutalg.symex.values.instances import own_coordinates
from layoutalg.symex.values.unknowns import arguments_of
from layoutalg.symex.values.word import HAS_THREAD

#: The coordinates that a variable is of.
coordinates = lru_cache(maxsize=1 << 14)(own_coordinates)


class UniformUnknowns(WaveUnknowns):
    """Unknowns of which it is known who has them alike."""

    def __init__(self, wave: Wave) -> None:
        super().__init__(wave)
        self._uniform: set[Expr] = set()  # what all lanes of the wave have alike, and other waves perhaps not
        self._parted: set[Expr] = set()  # loops that lanes left in different iterations
        self._own = frozenset({*wave.threads, HAS_THREAD})  # what each lane has for itself

    def nobody(self, own: Expr, vacant: Expr = FALSE) -> Expr:
        """Whether no lane has the bit that this one, and one without a thread, have; where all have the same, by it."""
        return negation(own) if vacant in (own, FALSE) and self.uniform(own) else super().nobody(own, vacant)

    def note_uniform(self, *found: Expr) -> None:
        """All lanes of a wave have these alike."""
        self._uniform.update(found)

    def left(self, loop: Expr) -> None:
        """Behind a loop that lanes leave in different iterations: what was uniform in one is so no more."""
        self._parted.add(loop)
        self.forget(loop)

    def of_the_block(self, *exprs: Expr) -> bool:
        """Whether all waves of the block have the same, in the same iterations: it is of none, and of no thread.

        Of a loop that was left, if all waves made as many iterations.
        """
        made_of = {c for v in variables(*exprs) for c in coordinates(v)}
        extents = [c.value.extent for c in made_of if c.value.extent is not None]
        return not any(map(self._is_own, made_of)) and (not extents or self.of_the_block(*extents))

    def _is_own(self, coordinate: Expr) -> bool:
        """Whether each lane may have another."""
        return coordinate in self._own or self._is_parted(coordinate)

    def _is_parted(self, coordinate: Expr) -> bool:
        """Whether it numbers the last iteration of each lane."""
        return coordinate in self._parted and coordinate not in self.loops

    def uniform(self, expr: Expr) -> bool:
        """Whether all lanes of a wave have the same.

        It is, where it is made of what no thread has for itself, of what is known to be so, of functions of such, and
        of the thread's numbers in such a way that those of lane 0's thread make the same of it.
        """
        made_of = variables(expr)
        if not all(v in self._own or self._is_uniform(v) for v in made_of):
            return False
        return self._own.isdisjoint(made_of) or self._of_first(expr) is simplify(expr)

    def _is_uniform(self, v: Expr) -> bool:
        arguments = arguments_of(v)
        if any(map(self._is_parted, coordinates(v))):
            return False
        known = v in self._uniform or v in self.alike or self._own.isdisjoint(coordinates(v))
        return known or (bool(arguments) and all(map(self.uniform, arguments)))

    def _of_first(self, expr: Expr) -> Expr:
        return simplify(substitute(expr, self.wave.threads_at(ZERO)))
