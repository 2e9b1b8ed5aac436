"""What a strategy answers about an obligation."""

from __future__ import annotations

from layoutalg.prove.obligation import Point
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Holds:
    """The obligation holds for all values."""

    strategy: str


@dataclass(frozen=True)
class Fails:
    """The obligation fails at a point (two points for `Injective`); not yet replayed."""

    strategy: str
    points: tuple[Point, ...]


LONGEST = 300
"""The characters of a reason that are kept: what a formula leaves can be pages long."""


@dataclass(frozen=True)
class GaveUp:
    """The strategy does not decide it, and why."""

    strategy: str
    reason: str

    def __post_init__(self) -> None:
        if len(self.reason) > LONGEST:
            object.__setattr__(self, "reason", f"{self.reason[: LONGEST // 2]} … {self.reason[-LONGEST // 2 :]}")


Outcome = Holds | Fails | GaveUp


OVERRUN = 3
"""The exit status of a solver that has overrun its time."""


@dataclass(frozen=True)
class Limits:
    """What one claim may cost: seconds as `budget` counts them, megabytes for the solver, points for enumeration.

    `steps` are the solver's own for a query (z3 counts them as `rlimit`); None gives it what the seconds come to.
    `choices` is how many choices of small sizes are tried for a counterexample.
    `cache` is the directory where the solver's answers are kept; None keeps none.

    >>> from layoutalg.index import var
    >>> from layoutalg.prove import ForAll, prove
    >>> i = var("i", 64)
    >>> prove(ForAll("a square", i * i >= i), limits=Limits(seconds=1)).name
    'proved'
    """

    seconds: float = 10.0
    memory_mb: int = 2048
    points: int = 1 << 24
    cache: str | None = None
    choices: int = 200
    steps: int | None = None
