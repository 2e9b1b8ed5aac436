"""Every function of CK's policies that builds a layout is asked for, and those that are right in CK are read."""

from __future__ import annotations

import pytest

from benchmarks.ck.policies import ARGUMENTS, ROOMS, expressions, functions, policies, read
from tests.composable_kernel import composable_kernel
from tests.matrix import turns

INCLUDE = composable_kernel() / "include"


@pytest.mark.slow
def test_no_function_is_passed_over() -> None:
    """Each header with such functions has a room, each function arguments, and each of the room's headers is there."""
    given = {stem: problems for room in ROOMS for stem, problems in room.problems.items()}
    found = [function for header in policies(INCLUDE, "") for function in functions(header)]
    assert {function.header.stem for function in found} == set(given)
    assert len(found) == len(set(found)) > 200
    for function in found:
        assert list(expressions(function, given[function.header.stem])), function
    assert all("P" in text or "O" not in text for text in ARGUMENTS.values())


@pytest.mark.slow
def test_what_a_header_switches_off_is_left_out() -> None:
    (header,) = (path for path in policies(INCLUDE, "block_gemm_areg_bgmem_creg_v1"))
    assert [function.name for function in functions(header)] == [
        "MakeBGmemTileDistribution",
        "MakeBSmemBlockDescriptor",
    ]
    assert header.read_text().count("MakeBSmemBlockDescriptor") == 2


@pytest.mark.parametrize("room", turns((room for room in ROOMS if room.prelude == "rows"), lambda room: room.target))
def test_layouts_of_operations_on_rows_are_read(room) -> None:
    told = list(read(INCLUDE, room))
    assert len(told) >= 4
    assert [each for each in told if each.why] == []
