"""Registers that nothing has written: told where they decide something, and not where they are computed with alone."""

import pytest

from layoutalg.hazards import undefined
from tests.hazards.assembly import flow


def found(body, target="gfx942", **how):
    return [one.what for one in undefined.find(flow(body, target, **how))]


STORE = "global_store_dword v0, v1, s[0:1]"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (f"v_mov_b32 v1, 0\n{STORE}", []),
        (STORE, ["uses v1, which nothing has written"]),
        (f"v_add_f32 v1, v2, v0\n{STORE}", ["uses v1, which nothing has written"]),
        ("v_add_f32 v1, v2, v0", []),  # nobody looks at it
        (f"v_xor_b32 v1, v2, v2\n{STORE}", []),
        (f"v_cvt_pk_fp8_f32 v1, v0, v0\nv_cvt_pk_fp8_f32 v1, v0, v0 op_sel:[0,0,1]\n{STORE}", []),  # half by half
        (f"v_cvt_pk_fp8_f32 v1, v0, v2\n{STORE}", ["uses v1, which nothing has written"]),
        ("global_load_dword v1, v2, s[0:1]", ["uses v2, which nothing has written"]),
        ("global_load_dword v1, v0, s[8:9]", ["uses s[8:9], which nothing has written"]),
        ("global_store_dwordx2 v0, v[0:1], s[0:1]", []),  # padding beside what is stored
        ("s_cmp_lg_u32 s9, 0\ns_cbranch_scc1 .Lend_\ns_nop 0\n.Lend_:", ["uses scc, which nothing has written"]),
        ("s_mov_b64 exec, s[8:9]", ["uses s[8:9], which nothing has written"]),
        ("s_cmp_lg_u32 s2, 0\ns_cbranch_scc1 .Lend_\nv_mov_b32 v1, 0\n.Lend_:\n" + STORE, []),  # written on some way
    ],
)
def test_what_nothing_has_written_is_told_where_it_is_used(body, told):
    assert found(body) == told


def test_arguments_are_preloaded_by_some_firmware_alone():
    body = "s_load_dword s2, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n{old}s_branch .Lcode\n.p2align 8\n.Lcode:\n{code}"
    how = {"kernargs": 16, "directives": "  .amdhsa_user_sgpr_kernarg_preload_length 1"}
    use = "v_mov_b32 v1, s2\n" + STORE
    assert found(body.format(old="", code=use), **how) == []
    only_preloaded = "s_branch .Lcode\n.p2align 8\n.Lcode:\n" + use
    (told,) = found(only_preloaded, **how)
    entry = flow(only_preloaded, **how).kernel.entry
    assert told == f"uses v1, which nothing has written where a wave begins at {entry:#x}"
