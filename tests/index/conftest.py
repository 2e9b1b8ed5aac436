"""How much the seeded fuzzers do, and where they say their seed."""

from __future__ import annotations

import pytest

from tests.fuzzing import FIRST, count


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> range:
    """The seeds of a test's cases: `@pytest.mark.fuzz(n)` says how many usually.  Printed when the test fails."""
    marker = request.node.get_closest_marker("fuzz")
    many = count(marker.args[0])
    print(f"cases {FIRST}…{FIRST + many - 1}; again with LAYOUTALG_SEED={FIRST} LAYOUTALG_FUZZ={many}")
    return range(FIRST, FIRST + many)
