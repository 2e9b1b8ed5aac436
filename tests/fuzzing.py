"""How many cases the seeded fuzzers draw, and from which seed on: few in `make test`, many in `make test-all`.

| variable         | says                                                                    |
|------------------|-------------------------------------------------------------------------|
| `LAYOUTALG_FUZZ` | the cases of each fuzzer, in place of the number that its test names    |
| `LAYOUTALG_SEED` | the first seed; ten runs of 10 000 from 0, 10 000 … are one of 100 000  |
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

T = TypeVar("T")

FIRST = int(os.environ.get("LAYOUTALG_SEED", "0"))
MANY = int(os.environ.get("LAYOUTALG_FUZZ", "0"))


def count(usual: int, dear: int = 1) -> int:
    """How many cases to draw: `usual`, or as many as the environment asks for over `dear`.

    `dear` is how many ordinary cases one of these costs.
    """
    return max(1, MANY // dear) if MANY else usual


def first_of_the_day() -> int:
    """The seed that the environment says; else one that is another each day, with room for a million cases."""
    return FIRST if "LAYOUTALG_SEED" in os.environ else date.today().toordinal() * 1_000_000


def some(cases: Sequence[T], usual: int) -> Sequence[T]:
    """Of a list of cases `usual` many, spread over it; all of them where many cases are asked for."""
    return cases if MANY else cases[:: -(-len(cases) // usual)]
