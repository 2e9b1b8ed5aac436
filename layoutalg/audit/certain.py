"""In which iterations a store is surely made, of loops that each lane leaves for itself.

What is followed of such a loop holds of iterations in which the lane is active, `inside`, which the guard keeps as an
unknown.  That the lane is active is known of two kinds of iterations:

| the iteration | the store is made where the guard holds and |
|---|---|
| the first | nothing more: all lanes that enter are active |
| t | the lane went on after each before: shown once, of all t that the guard allows (`LaneIterations`) |

    for (i = t; i < 71; i += 64) b[i] = …        made in iteration k where 64·k + t < 71

What it cannot represent: loops that are left by what was loaded in them, but for the first iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from layoutalg.audit.epochs import counted_loops
from layoutalg.index import ONE, ZERO, Expr, all_of
from layoutalg.records import dataclass
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.values.instances import moved

Shows = Callable[[Expr, Expr], bool]
"""Whether something given, the second, implies the first, as far as it is seen soon."""


@dataclass(frozen=True)
class CertainIterations:
    """Where a store's terms go, and the loops of which every iteration that the guard then allows is made."""

    at: Mapping[Expr, Expr]
    loops: tuple[Expr, ...]


def certain_iterations(
    guard: Expr, around: Sequence[Expr], loops: LoopRecord, given: Expr, shows: Shows
) -> Iterator[CertainIterations]:
    """The iterations of the loops around a store in which it is made for sure, the most first; `given` at a launch."""
    counted, own = counted_loops(around)
    active = {loops.iterations[t].inside: ONE for t in own if t in loops.iterations}
    if own and all(_is_active(t, moved(guard, active), loops, given, shows) for t in own):
        yield CertainIterations(active, (*counted, *own))
    yield CertainIterations({**active, **dict.fromkeys(own, ZERO)}, counted)


def _is_active(t: Expr, guard: Expr, loops: LoopRecord, given: Expr, shows: Shows) -> bool:
    """Whether a lane for which a guard holds in iteration t is active in it: it went on after each before."""
    if t not in loops.iterations:
        return False
    active, exactly = loops.iterations[t].active, loops.iterations[t].exactly
    return shows(exactly.goal, all_of(given, exactly.given)) and shows(active, all_of(given, guard))
