"""How many cases the seeded fuzzers draw, and from which seed on: few in `make test`, more in the longer runs.

| variable         | says                                                                                           |
|------------------|------------------------------------------------------------------------------------------------|
| `LAYOUTALG_FUZZ` | the cases of each fuzzer, in place of the number that its test names; from the day's seed on   |
| `LAYOUTALG_SEED` | the first seed, in place of the day's: ten runs of 10 000 from 0, 10 000 … are one of 100 000  |

Each day has room for a million cases of its own. Without either variable the first seed is 0.
`LAYOUTALG_SEED=0 make test-matrix` asks, too, that enough of the cases are decided.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

T = TypeVar("T")

MANY = int(os.environ.get("LAYOUTALG_FUZZ", "0"))
SEED = int(os.environ.get("LAYOUTALG_SEED", date.today().toordinal() * 1_000_000))
DAY = SEED // 1_000_000
FIRST = SEED if MANY or "LAYOUTALG_SEED" in os.environ else 0
KNOWN = FIRST == 0
"""Whether it is known of the cases how many are decided, and each way; of a day's cases each is held alone."""


def count(usual: int, dear: int = 1) -> int:
    """How many cases to draw: `usual`, or as many as the environment asks for over `dear`.

    `dear` is how many ordinary cases one of these costs.
    """
    return max(1, MANY // dear) if MANY else usual


def few(cases: Sequence[T], usual: int) -> Sequence[T]:
    """Of a list of cases `usual` many, spread over it; all of them where many cases are asked for."""
    return cases if MANY else cases[:: -(-len(cases) // usual)]
