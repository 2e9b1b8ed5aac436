"""Accesses that a wave may skip (S_SETVSKIP): they are under way or not, and count or not."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.hazards import lds_order, waits
from tests.hazards.assembly import flow

LOAD, ADD = "global_load_dword v1, v0, s[0:1]\n", "global_atomic_add v0, v2, s[0:1]\n"
SKIP, ISSUE = "s_setvskip s2, 3\n", "s_setvskip 0, 0\n"
USE, STORE = "v_mov_b32 v3, v1\n", "global_store_dword v0, v1, s[0:1]\n"


@pytest.mark.parametrize(
    ("body", "conditions"),
    [
        (LOAD + ADD + ADD + "s_waitcnt vmcnt(2)\n" + USE, []),
        (LOAD + SKIP + ADD + ADD + ISSUE + "s_waitcnt vmcnt(2)\n" + USE, ["0x150c is skipped, 0x1514 is skipped"]),
        (LOAD + SKIP + ADD + ADD + ISSUE + "s_waitcnt vmcnt(0)\n" + USE, []),
        (SKIP + LOAD + ISSUE + USE, [""]),
        (LOAD + SKIP + STORE + ISSUE, ["always, where control comes there; it is not skipped"]),
        (LOAD + SKIP + STORE + ISSUE + USE, ["it is not skipped", ""]),
        (LOAD + "s_mov_b32 s2, 8\n" + SKIP + STORE + ISSUE, ["a way that no run was seen to take; it is not skipped"]),
        (LOAD + "s_mov_b32 s2, 7\n" + SKIP + STORE + ISSUE, ["always, where control comes there; it is not skipped"]),
        (LOAD + SKIP + "s_waitcnt vmcnt(0)\n" + STORE + ISSUE, []),
    ],
)
def test_what_may_be_skipped(body: str, conditions: list[str]) -> None:
    assert [one.condition for one in waits.find(flow(body))] == conditions


def test_a_wave_that_skipped_its_load_to_lds_waits_for_none() -> None:
    address = "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, 0\ns_nop 0\n"
    load, read = "buffer_load_dword v1, s[4:7], 0 offen lds\n", "ds_read_b32 v2, v1"
    assert [one.is_certain for one in lds_order.find(flow(address + load + read))] == [True]
    assert [one.is_certain for one in lds_order.find(flow(address + SKIP + load + ISSUE + read))] == [False]


def test_vector_arithmetic_that_may_be_skipped_is_refused() -> None:
    graph = flow(SKIP + USE + ISSUE)
    with pytest.raises(UnsupportedInstructionError, match="vector arithmetic that may be skipped"):
        list(waits.find(graph))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("s_load_dword s4, s[0:1], 0x0\ns_store_dword s4, s[0:1], 0x0", 1),
        ("s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_store_dword s4, s[0:1], 0x0\ns_mov_b32 s4, 0", 0),
        ("s_atomic_inc s4, s[0:1], 0x0 glc\ns_mov_b32 s5, s4", 1),
        ("s_atomic_inc s4, s[0:1], 0x0\ns_mov_b32 s5, s4", 0),
        ("s_atomic_inc s4, s[0:1], 0x0 glc\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s5, s4", 0),
        ("s_load_dword s4, s[0:1], 0x0\ns_store_dword s6, s[0:1], 0x0\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s5, s4", 1),
    ],
)
def test_scalar_stores_and_atomic_operations(body: str, count: int) -> None:
    assert len([*waits.find(flow(body))]) == count
