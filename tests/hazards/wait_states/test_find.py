"""Each rule on both sides: one wait state too few is found, the right count is not."""

import pytest

from layoutalg.hazards.wait_states.find import find
from tests.hazards.assembly import flow

LOAD = "global_load_dword v1, v0, s[0:1]\n"

#: First instruction, second instruction → wait states asked, by target.
PAIRS = {
    ("v_readfirstlane_b32 s4, v1", "buffer_load_dword v0, v1, s[4:7], 0 offen"): (5, 5, 5),
    ("v_cmp_eq_u32 s[8:9], v0, v1", "global_load_dword v0, v1, s[8:9]"): (5, 5, 5),
    ("v_readfirstlane_b32 s4, v1", "v_readlane_b32 s5, v2, s4"): (4, 4, 4),
    ("v_readfirstlane_b32 s4, v1", "v_writelane_b32 v2, 1, s4"): (4, 4, 4),
    ("v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f32 v2, v3, v4, v5"): (4, 4, 4),
    ("v_readfirstlane_b32 s4, v1", "v_add_u32 v2, s4, v3"): (0, 2, 2),
    ("v_cmp_eq_u32 vcc, v0, v1", "v_cndmask_b32 v2, v3, v4, vcc"): (0, 0, 0),  # a mask is forwarded
    ("v_cmpx_eq_u32 s[8:9], v0, v1", "v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf"): (5, 5, 5),
    ("v_cmpx_eq_u32 s[8:9], v0, v1", "v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], v[0:3]"): (4, 4, 4),
    ("v_cmpx_eq_u32 s[8:9], v0, v1", "v_readlane_b32 s4, v2, 3"): (0, 4, 4),
    ("v_mov_b32 v3, v1", "v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf"): (2, 2, 2),
    ("v_mov_b32 v3, v1", "v_add_f32_dpp v2, v1, v3 row_shr:1 row_mask:0xf bank_mask:0xf"): (0, 0, 0),  # no lane's of v3
    ("v_mov_b32 v4, v1", "v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], v[0:3]"): (2, 2, 2),
    ("v_accvgpr_write_b32 a1, v1", "v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[6:7], a[0:3]"): (2, 2, 2),
    ("v_mov_b32 v4, v1", "v_readlane_b32 s4, v4, 3"): (0, 1, 1),
    ("v_exp_f32 v4, v1", "v_add_f32 v5, v4, v1"): (0, 1, 1),
    ("v_exp_f32 v4, v1", "v_log_f32 v5, v4"): (0, 0, 0),
    ("v_add_f16_sdwa v4, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD", "v_add_f32 v5, v4, v1"): (0, 1, 1),
    ("v_add_f16_sdwa v4, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD", "v_add_f32 v5, v4, v1"): (0, 0, 0),
    ("v_fma_f16 v4, v1, v2, v3 op_sel:[0,0,0,1]", "v_add_f32 v5, v4, v1"): (0, 1, 1),
    ("v_dot2_f32_f16 v4, v1, v2, v4", "v_add_f32 v5, v4, v1"): (3, 3, 3),
    ("v_dot2_f32_f16 v4, v1, v2, v4", "v_dot2_f32_f16 v4, v1, v2, v4"): (0, 0, 0),
    ("v_dot2_f32_f16 v4, v1, v2, v4", "v_dot2_f32_f16 v5, v4, v2, v5"): (3, 3, 3),
    ("s_mov_b32 m0, s4", "global_load_lds_dword v[0:1], off"): (None, 1, 1),
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0"): (2, 2, 2),
    ("global_store_dwordx4 v[0:1], v[4:7], off", "v_mov_b32 v6, v1"): (1, 2, 2),
    ("global_store_dwordx2 v[0:1], v[4:5], off", "v_mov_b32 v5, v1"): (0, 0, 0),
    ("buffer_store_dwordx4 v[4:7], v0, s[4:7], s8 offen", "v_mov_b32 v6, v1"): (0, 0, 0),  # with a scalar offset
    ("buffer_store_dwordx4 v[4:7], v0, s[4:7], 0 offen", "v_mov_b32 v6, v1"): (1, 2, 2),
}

_HALF = "v_mfma_f32_16x16x16f16 v[0:3], v[20:21], v[22:23], v[0:3]"
_LARGE = "v_mfma_f32_32x32x8f16 a[0:15], v[20:21], v[22:23], a[0:15]"
_SINGLE = "v_mfma_f32_16x16x4f32 v[0:3], v20, v21, v[0:3]"
_DOUBLE = "v_mfma_f64_16x16x4f64 v[0:7], v[20:21], v[22:23], v[0:7]"

PAIRS |= {
    (_HALF, _HALF): (0, 0, 0),
    (_HALF, _HALF.replace("v[0:3]", "v[2:5]")): (8, 5, 6),
    (_HALF, _SINGLE.replace("v[0:3]", "v[2:5]")): (8, 5, 6),
    (_HALF, _DOUBLE.replace("v[0:7]", "v[2:9]")): (9, 5, 6),
    (_HALF, "v_mfma_f32_16x16x16f16 v[4:7], v[2:3], v[22:23], v[4:7]"): (11, 7, 8),
    (_HALF, "v_add_f32 v8, v3, v9"): (11, 7, 8),
    (_HALF, "v_mov_b32 v3, v9"): (11, 7, 8),
    (_HALF, "ds_write_b32 v9, v3"): (11, 7, 8),
    (_HALF, "global_load_dword v9, v[2:3], off"): (11, 7, 8),
    (_HALF, "v_add_f32 v8, v4, v9"): (0, 0, 0),
    (_LARGE, _LARGE): (0, 0, 0),
    (_LARGE, "v_accvgpr_read_b32 v2, a15"): (19, 11, 12),
    (_LARGE.replace("a[0:15]", "a[16:31]", 1), "v_accvgpr_write_b32 a15, v2"): (15, 7, 7),  # it reads C late
    (_SINGLE, "v_add_f32 v8, v3, v9"): (11, 10, 10),
    (_SINGLE, _HALF.replace("v[0:3]", "v[2:5]")): (8, 0, 0),
    (_SINGLE, _SINGLE.replace("v[0:3]", "v[2:5]")): (8, 8, 8),
    (_DOUBLE, _DOUBLE): (0, 0, 0),
    (_DOUBLE, _DOUBLE.replace("v[0:7]", "v[2:9]")): (9, 9, 17),
    (_DOUBLE, "v_add_f32 v8, v3, v9"): (11, 11, 19),
    (_DOUBLE, "ds_write_b32 v9, v3"): (18, 18, 18),
}

TARGETS = ("gfx90a", "gfx942", "gfx950")
CASES = [
    (target, first, second, counts[k])
    for (first, second), counts in PAIRS.items()
    for k, target in enumerate(TARGETS)
    if counts[k] is not None
]


def found(body, target="gfx942"):
    graph = flow(body, target, vgprs=128)
    name = {address: step.instruction.name for address, step in graph.steps.items()}
    return [(name[one.producer], name[one.consumer], one.missing, one.is_certain) for one in find(graph)]


def pause(count):
    """So many wait states."""
    return "".join(f"s_nop {min(count - k, 16) - 1}\n" for k in range(0, count, 16))


@pytest.mark.parametrize(("target", "first", "second", "count"), CASES)
def test_one_wait_state_too_few_is_found_and_the_right_count_is_not(target, first, second, count):
    assert found(f"{first}\n{pause(count)}{second}", target) == []
    if count:
        (only,) = found(f"{first}\n{pause(count - 1)}{second}", target)
        assert only[2:] == ("s_nop 0", True)


@pytest.mark.parametrize(("target", "a"), [("gfx1100", "v[0:7]"), ("gfx1201", "v[0:3]")])
def test_products_of_rdna_want_a_vector_instruction_between(target, a):
    name, size = "v_wmma_f32_16x16x16_f16", 8 if target == "gfx1100" else 4
    first = f"{name} v[0:7], v[16:{15 + size}], v[24:{23 + size}], v[0:7]\n"
    second = f"{name} v[32:39], {a}, v[24:{23 + size}], v[32:39]"
    for between in ("", "s_nop 7\n"):
        assert found(first + between + second, target) == [(name.upper(), name.upper(), "v_nop", True)]
    assert found(first + "v_nop\n" + second, target) == []
    assert found(first + first, target) == []  # C may be the result


def test_other_instructions_count_as_one_each():
    between = "v_mov_b32 v40, v41\n"
    assert found(f"{_HALF}\n{between * 7}v_add_f32 v8, v3, v9") == []
    assert found(f"{_HALF}\n{between * 6}v_add_f32 v8, v3, v9") == [
        ("V_MFMA_F32_16X16X16_F16", "V_ADD_F32", "s_nop 0", True)
    ]


LOOP = """
.Lloop:
  {first}
  {pause}s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  {last}s_cbranch_scc1 .Lloop
"""


def test_the_way_round_a_loop_counts_too():
    """The loop's product is read by its first instruction of the next turn; how long the branch takes nobody says."""
    body = LOOP.format(first="v_add_f32 v8, v3, v9", pause=f"{_HALF}\n{pause(3)}", last="")
    assert found(body) == [("V_MFMA_F32_16X16X16_F16", "V_ADD_F32", "s_nop 0", False)]
    assert found(LOOP.format(first="v_add_f32 v8, v3, v9", pause=f"{_HALF}\n{pause(4)}", last="")) == []


def test_of_two_ways_the_shorter_counts():
    body = """
  v_readfirstlane_b32 s4, v1
  s_cbranch_scc1 .Lnear
  {far}
.Lnear:
  {near}buffer_load_dword v0, v1, s[4:7], 0 offen
"""
    assert found(body.format(far="s_nop 7", near=pause(4))) == []
    assert len(found(body.format(far="s_nop 7", near=pause(3)))) == 1


def test_what_takes_time_that_is_not_counted_makes_it_possible_alone():
    """A wait may take no time; a second product waits until the first one's passes are over."""
    other = "v_mfma_f32_16x16x16f16 v[12:15], v[24:25], v[26:27], v[12:15]\n"
    for between in ("s_waitcnt vmcnt(0)\n", "s_barrier\n", 3 * other, other):
        (only,) = found(f"{_HALF}\n{between}v_add_f32 v8, v3, v9")
        assert not only[3], between


def test_where_sources_differ_neither_is_taken_for_right():
    (one,) = find(flow("s_mov_b32 m0, s4\nbuffer_load_dword v0, s[4:7], 0 offen lds"))
    assert one.condition == "LLVM is right"
    assert find_none("s_mov_b32 m0, s4\ns_nop 0\nbuffer_load_dword v0, s[4:7], 0 offen lds")


def find_none(body):
    return not [*find(flow(body))]


def test_a_later_write_ends_what_was_done_before():
    write = "v_readfirstlane_b32 s4, v1\n"
    assert found(f"{write}s_mov_b32 s4, 0\nbuffer_load_dword v0, v1, s[4:7], 0 offen") == []


def test_a_product_that_reads_the_one_right_before_it_is_sure():
    """It waits for the first one's passes itself, which are fewer than what is asked."""
    second = "v_mfma_f32_16x16x16f16 v[4:7], v[2:3], v[22:23], v[4:7]"
    assert [certain for *_, certain in found(f"{_HALF}\n{second}")] == [True]


@pytest.mark.parametrize(("between", "missing"), [("", [1]), ("s_nop 0\n", []), (LOAD, [1])])
def test_an_access_that_may_be_skipped_is_a_wait_state_of_its_own_alone(between, missing):
    body = f"s_setvskip s2, 3\nglobal_store_dwordx4 v0, v[4:7], s[0:1]\n{between}s_setvskip 0, 0\nv_mov_b32 v4, 0\n"
    assert [one.states for one in find(flow(body))] == missing
