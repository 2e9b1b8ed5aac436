"""How much the seeded fuzzers do, and where they say their seed."""

from __future__ import annotations

import os

import pytest

CASES = int(os.environ.get("LAYOUTALG_FUZZ", "0"))
"""Cases of each fuzzer; 0 for the small number that CI runs (each test names its own)."""
SEED = int(os.environ.get("LAYOUTALG_SEED", "20260101"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cases(n): how many seeded cases CI runs; LAYOUTALG_FUZZ=n sets another number")


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> range:
    """The seeds of a test's cases; `@pytest.mark.cases(n)` says how many CI runs.  Printed when the test fails."""
    marker = request.node.get_closest_marker("cases")
    count = CASES or marker.args[0]
    print(f"cases {SEED}…{SEED + count - 1}; again with LAYOUTALG_SEED={SEED} LAYOUTALG_FUZZ={count}")
    return range(SEED, SEED + count)
