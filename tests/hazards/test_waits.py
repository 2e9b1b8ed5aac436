"""Registers that are under way: twins of a few instructions, with and without their waits."""

import pytest

from layoutalg.hazards import waits
from tests.hazards.assembly import flow


def found(body, target="gfx942", **how):
    """Each finding: the consumer's name, what it does with which registers, and what is missing."""
    graph = flow(body, target, **how)
    return [
        (graph.steps[one.consumer].instruction.name, one.what.partition(",")[0], one.missing)
        for one in waits.find(graph)
    ]


LOAD = "global_load_dword v1, v0, s[0:1]\n"
SECOND = "global_load_dword v2, v0, s[0:1] offset:4\n"


@pytest.mark.parametrize(
    ("body", "hazards"),
    [
        (LOAD + "v_add_f32 v3, v1, v1", [("V_ADD_F32", "reads v1", "s_waitcnt vmcnt(0)")]),
        (LOAD + "s_waitcnt vmcnt(0)\nv_add_f32 v3, v1, v1", []),
        (LOAD + "s_waitcnt lgkmcnt(0)\nv_add_f32 v3, v1, v1", [("V_ADD_F32", "reads v1", "s_waitcnt vmcnt(0)")]),
        (LOAD + "v_mov_b32 v1, 0", [("V_MOV_B32", "overwrites v1", "s_waitcnt vmcnt(0)")]),
        (LOAD + SECOND + "s_waitcnt vmcnt(1)\nv_add_f32 v3, v1, v1", []),
        (LOAD + SECOND + "s_waitcnt vmcnt(1)\nv_add_f32 v3, v2, v2", [("V_ADD_F32", "reads v2", "s_waitcnt vmcnt(0)")]),
        (LOAD + SECOND + "v_add_f32 v3, v1, v1", [("V_ADD_F32", "reads v1", "s_waitcnt vmcnt(1)")]),
        (LOAD + LOAD + "s_waitcnt vmcnt(0)\nv_add_f32 v3, v1, v1", []),  # they come in their order
        (LOAD + "ds_read_b32 v1, v0\ns_waitcnt 0", [("DS_READ_B32", "overwrites v1", "s_waitcnt vmcnt(0)")]),
        (LOAD + "v_add_f32 v3, v1, v1\nv_add_f32 v4, v1, v1", [("V_ADD_F32", "reads v1", "s_waitcnt vmcnt(0)")]),
    ],
)
def test_loads_come_in_their_order(body, hazards):
    assert found(body) == hazards


@pytest.mark.parametrize(("banks", "hazards"), [
    ("0x40", []), ("0x01", [("V_MOV_B32", "overwrites v1", "s_wait_loadcnt 0")]),
    ("0x41", []), ("0x00", [("V_MOV_B32", "overwrites v1", "s_wait_loadcnt 0")]),
])  # fmt: skip
def test_a_register_of_another_bank_is_another(banks, hazards):
    load = "global_load_b32 v1, v0, s[0:1]\n"
    assert found(load + f"s_set_vgpr_msb {banks}\nv_mov_b32 v1, v2\n", "gfx1250", vgprs=512) == hazards


def test_scalar_loads_come_in_any_order():
    loads = "s_load_dword s2, s[0:1], 0x0\ns_load_dword s3, s[0:1], 0x4\n"
    assert found(loads + "s_waitcnt lgkmcnt(1)\ns_mov_b32 s4, s2") == [
        ("S_MOV_B32", "reads s2", "s_waitcnt lgkmcnt(0)")
    ]
    assert found(loads + "s_waitcnt lgkmcnt(0)\ns_mov_b32 s4, s2") == []
    mixed = "ds_read_b32 v1, v0\ns_load_dword s2, s[0:1], 0x0\n"
    assert found(mixed + "s_waitcnt lgkmcnt(1)\nv_mov_b32 v2, v1") == [
        ("V_MOV_B32", "reads v1", "s_waitcnt lgkmcnt(0)")
    ]


def test_the_waits_of_each_generation():
    loads = "global_load_b32 v1, v0, s[0:1]\nglobal_store_b32 v0, v2, s[0:1]\n"
    assert found(loads + "s_waitcnt vmcnt(0)\nv_mov_b32 v3, v1", "gfx1100") == []
    assert found(loads + "s_waitcnt_vscnt null, 0x0\nv_mov_b32 v3, v1", "gfx1100") == [
        ("V_MOV_B32", "reads v1", "s_waitcnt vmcnt(0)")
    ]
    assert found(loads + "s_wait_loadcnt 0x0\nv_mov_b32 v3, v1", "gfx1201") == []
    assert found("ds_load_b32 v1, v0\ns_wait_loadcnt 0x0\nv_mov_b32 v3, v1", "gfx1201") == [
        ("V_MOV_B32", "reads v1", "s_wait_dscnt 0")
    ]


def test_a_load_of_the_last_turn_is_under_way_in_the_next():
    body = """  s_mov_b32 s4, 8
.Lloop:
  {first}v_add_f32 v3, v3, v1
  global_load_dword v1, v0, s[0:1]
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .Lloop"""
    assert found(body.format(first="s_waitcnt vmcnt(0)\n  ")) == []
    assert found(body.format(first="")) == [("V_ADD_F32", "reads v1", "s_waitcnt vmcnt(0)")]


def test_halves_are_under_way_apart_where_loads_keep_the_other():
    body = "{load} v1, v0, s[0:1]\nv_mov_b16 v2.l, v1.{half}"
    assert found(body.format(load="global_load_d16_b16", half="h"), "gfx1100") == []
    assert len(found(body.format(load="global_load_d16_b16", half="l"), "gfx1100")) == 1
    assert len(found(body.format(load="global_load_d16_hi_b16", half="h"), "gfx1100")) == 1


def test_both_entries_are_followed():
    """Firmware that preloads arguments enters 256 bytes on, past the loads."""
    body = "s_load_dword s2, s[0:1], 0x0\n{wait}s_branch .Lcode\n.p2align 8\n.Lcode:\ns_mov_b32 s3, s2"
    how = {"kernargs": 16, "directives": "  .amdhsa_user_sgpr_kernarg_preload_length 1"}
    assert len(flow(body.format(wait=""), **how).entries) == 2
    assert found(body.format(wait="s_waitcnt lgkmcnt(0)\n"), **how) == []
    assert [name for name, *_ in found(body.format(wait=""), **how)] == ["S_MOV_B32"]


def test_what_else_is_under_way_makes_no_more_states():
    """A million ways to come to the use, each with other loads under way: the use is certain all the same."""
    arm = "s_cmp_lg_u32 s{0}, 0\ns_cbranch_scc1 .Lover{0}_{1}\nglobal_load_dword v{2}, v0, s[0:1]\n.Lover{0}_{1}:\n"
    arms = "".join(arm.format(2 + k % 8, k, 8 + k) for k in range(20))
    graph = flow(LOAD + arms + "v_add_f32 v3, v1, v1")
    assert [one.is_certain for one in waits.find(graph)] == [True]


@pytest.mark.parametrize(
    ("control", "counts"), [("buffer_inv sc1", True), ("buffer_wbl2 sc1", True), ("s_icache_inv", False)]
)
def test_cache_controls_are_counted_behind_the_load_before_them(control, counts):
    used = LOAD + control + "\ns_waitcnt vmcnt(1)\nv_add_f32 v3, v1, v1"
    assert (found(used) == []) is counts
