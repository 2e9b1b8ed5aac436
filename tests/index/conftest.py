"""How much the seeded fuzzers do, and where they say their seed."""

from __future__ import annotations

import pytest

from tests.fuzzing import FIRST, count


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cases(n): how many seeded cases `make test` runs (tests/fuzzing.py)")


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> range:
    """The seeds of a test's cases: `@pytest.mark.cases(n)` says how many usually.  Printed when the test fails."""
    marker = request.node.get_closest_marker("cases")
    many = count(marker.args[0])
    print(f"cases {FIRST}…{FIRST + many - 1}; again with LAYOUTALG_SEED={FIRST} LAYOUTALG_FUZZ={many}")
    return range(FIRST, FIRST + many)
