"""Numbers in two words: the lower one is cut, and what is cut off is in the upper one."""

from __future__ import annotations

import pytest

from layoutalg.audit.audit import audit
from layoutalg.formats.spec import loads
from layoutalg.prove import Refuted
from tests.audit.test_audit_cases import asking


@pytest.mark.slow
def test_a_lower_word_whose_upper_one_is_divided_by_another_number_is_not_said_to_wrap() -> None:
    one = asking("product_of_prefetched_tiles", "one_tile_twice", "")
    launch = one.launch.replace("B = { min = 1, max = 1024 }", "B = { min = 1, max = 65535 }")
    assert launch != one.launch
    found = [verdict for claim, _, verdict in audit(one.code, loads(launch), 60).claims if claim == "no_overflow"]
    assert len(found) == 22
    assert not any(isinstance(verdict, Refuted) for verdict in found)
