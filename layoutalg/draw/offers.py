"""What the explorer offers under "lanes read": patterns of lanes, and accesses that are claimed.

| offered           | where a lane starts           | lanes, elements of a lane | instruction and target               |
|-------------------|-------------------------------|---------------------------|--------------------------------------|
| a pattern         | for any width                 | of whatever is chosen     | whatever is chosen                   |
| an access         | its index                     | its own                   | its own first, others of that width  |
| a reach of memory | its index                     | its own                   | none: its lanes are shown, no banks  |

Who takes part, and at which sizes there is such an access, go to the page as the same expressions that claims are made
of (`layoutalg.memory`); the page asks them, and decides nothing itself.

What it cannot represent: more sizes than the page has sliders for (`layoutalg.draw.maps`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from layoutalg.draw.access import LaneAccess, Pattern
from layoutalg.index import TRUE, Expr, Term, all_of, as_expr, substitute, var, variables
from layoutalg.layout import TensorDescriptor
from layoutalg.memory import Access, Reach
from layoutalg.records import dataclass
from layoutalg.target import LdsInstruction, Target

Family = Callable[[Term], Pattern]
"""A pattern of lanes for any number of elements a lane."""

Offered = Family | LaneAccess | Reach
"""What can be offered."""

LANE = var("lane", 64)
"""A lane of the widest wave."""


@dataclass(frozen=True)
class Offer:
    """Where each lane starts, which lanes take part, and at which sizes; of an access, what it is made for.

    `index` and `mask` are over `lane`; `given` is of sizes and variables.  `lanes`, `elements`: of a pattern, None.
    """

    index: tuple[Expr, ...]
    lane: Expr
    mask: Expr = TRUE
    given: Expr = TRUE
    lanes: int | None = None
    elements: int | None = None
    target: Target | None = None
    instruction: LdsInstruction | None = None

    @property
    def sizes(self) -> tuple[Expr, ...]:
        """Whatever else it depends on."""
        return tuple(v for v in variables(*self.index, self.mask, self.given) if v is not self.lane)

    def over(self, new: Mapping[Expr, Term]) -> Offer:
        """The same with other expressions for its sizes."""
        index = tuple(substitute(i, new) for i in self.index)
        return replace(self, index=index, mask=substitute(self.mask, new), given=substitute(self.given, new))


def offer(given: Offered, descriptor: TensorDescriptor, vector: Expr) -> Offer:
    """The offer of a pattern, whose lanes read `vector` elements, or of an access."""
    if isinstance(given, LaneAccess):
        return Offer(
            given.index, given.lane, given.mask, given.condition, given.instruction.lanes, given.elements,
            given.target, given.instruction,
        )  # fmt: skip
    if isinstance(given, Reach):
        lanes, how = given.lanes, (given.target, given.instruction) if isinstance(given, Access) else (None, None)
        within = (v < v.value.extent for v in variables(*given.first, given.taking_part)
                  if v is not lanes.lane and v.value.extent is not None)  # fmt: skip
        return Offer(
            given.first, lanes.lane, given.mask, all_of(given.condition, *within), lanes.lanes, lanes.width, *how
        )
    return Offer(tuple(map(as_expr, given(vector)(LANE, descriptor))), LANE)
