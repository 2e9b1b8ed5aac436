"""Findings of one cause: behind one missing wait or barrier they are one, and none is lost."""

import pytest

from layoutalg.hazards import lds_order, waits
from layoutalg.hazards.causes import joined
from layoutalg.hazards.wait_states import find as wait_states
from tests.hazards.assembly import flow
from tests.hazards.test_lds_order import BARRIER, LDS, OTHERS, START, WRITE

LOADS = "ds_read_b64 v[2:3], v1\nds_read_b64 v[4:5], v1 offset:64\n"
FIRST, SECOND = "v_add_f32 v8, v2, v2\n", "v_add_f32 v9, v4, v5\n"
WAITED = "s_waitcnt lgkmcnt(0)\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (LOADS + FIRST + SECOND, [("s_waitcnt lgkmcnt(1)", ["s_waitcnt lgkmcnt(0)"])]),
        (LOADS + FIRST + "s_waitcnt vmcnt(0)\n" + SECOND, [("s_waitcnt lgkmcnt(1)", []), ("s_waitcnt lgkmcnt(0)", [])]),
        (LOADS + FIRST + WAITED + SECOND, [("s_waitcnt lgkmcnt(1)", [])]),
        (LOADS + WAITED + FIRST + SECOND, []),
    ],
)
def test_what_one_wait_would_mend_is_one_finding(body: str, told: list[object]) -> None:
    graph = flow("v_mov_b32 v1, 0\n" + body, "gfx942", lds=1024)
    found = [*waits.find(graph)]
    one = joined(graph, found)
    assert [(each.missing, [missing for _, missing in each.also]) for each in one] == told
    assert sum(1 + len(each.also) for each in one) == len(found)


@pytest.mark.parametrize(
    ("between", "told"),
    [("", [["s_nop 1", "s_nop 0"]]), ("s_nop 1\n", []), ("s_nop 0\n", [["s_nop 0"]])],
)
def test_what_the_wait_states_before_the_first_would_mend_is_one_finding(between: str, told: list[list[str]]) -> None:
    product = "v_mfma_f32_16x16x32_fp8_fp8 v[12:15], v[2:3], v[4:5], v[12:15]\n"
    graph = flow(product + "s_nop 4\n" + between + "v_add_f32 v20, v12, v12\nv_add_f32 v21, v13, v13")
    found = joined(graph, wait_states.find(graph))
    assert [[one.missing, *(missing for _, missing in one.also)] for one in found] == told


def test_wait_states_that_branches_part_are_apart() -> None:
    product = "v_mfma_f32_16x16x32_fp8_fp8 v[12:15], v[2:3], v[4:5], v[12:15]\n"
    graph = flow(product + "v_add_f32 v20, v12, v12\ns_cbranch_scc1 .Lnext\ns_nop 0\n.Lnext:\nv_add_f32 v21, v13, v13")
    assert [len(one.also) for one in joined(graph, wait_states.find(graph))] == [0, 0]


def test_what_one_barrier_would_mend_is_one_finding() -> None:
    """A wait between two of them may be what makes a barrier before the first too early for the second."""
    again = OTHERS.replace("v4", "v6")
    for between, count in (("", 1), (BARRIER, 1), (LDS, 2), (LDS + BARRIER + WRITE + LDS, 2)):
        graph = flow(START + WRITE + LDS + OTHERS + between + again, "gfx942")
        found = [*lds_order.find(graph)]
        one = joined(graph, found)
        assert sum(1 + len(each.also) for each in one) == len(found)
        assert len(one) == count, between
