"""Which registers wait for data: halves of one register wait apart where a load keeps the other half."""

import numpy as np
import pytest

from layoutalg.errors import Fault
from layoutalg.isa.run.spaces import Thread
from layoutalg.isa.run.wait_counters import WaitCounters

LIVE, V1 = np.ones(1, np.bool_), ("v", 1)


def loaded(*halves: str) -> WaitCounters:
    """Loads under way that overtake one another."""
    counters = WaitCounters(("load",), 1, lambda wave: Thread((0, 0, 0), wave))
    for half in halves:
        counters.issue(("load",), LIVE, False)
        counters.load([V1], ("load",), LIVE, False, "here", half)
    return counters


def test_two_halves_may_be_under_way() -> None:
    counters = loaded("low", "high")
    with pytest.raises(Fault, match="before a wait"):
        counters.check(V1, LIVE, "here", "read")
    counters.wait({"load": 1}, LIVE)
    with pytest.raises(Fault, match="before a wait"):  # the later one, and it is not said which came
        counters.check(V1, LIVE, "here", "read")
    counters.wait({"load": 0}, LIVE)
    counters.check(V1, LIVE, "here", "read")


@pytest.mark.parametrize("halves", [("low", "low"), ("", "low"), ("high", ""), ("", "")])
def test_what_overlaps_may_not(halves: tuple[str, ...]) -> None:
    with pytest.raises(Fault, match="another access"):
        loaded(*halves)
