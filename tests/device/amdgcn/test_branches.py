"""Branches on EXEC, written by hand: lanes that are active do what stands behind."""

import re

import pytest

from layoutalg.device.amdgcn.against import prove_binary
from layoutalg.device.amdgcn.errors import Fault
from layoutalg.device.amdgcn.trial import attempt, make_case, small_sizes
from layoutalg.kernel.library.views import cast
from tests.device.amdgcn.assembly import assembled

PROGRAM = cast("f32", "bf16", 4)
GUARD = "\ts_and_saveexec_b32 s3, vcc_lo\n"

#: Zeros for a part of the input, by lanes that are active whichever way the branch goes.
STORE = """\
\ts_cbranch_exec{0} .Lnext
.Lnext:
\tv_lshlrev_b64 v[4:5], 2, v[0:1]
\tv_add_co_u32 v4, s2, s6, v4
\tv_add_co_ci_u32_e64 v5, null, s7, v5, s2
\tv_mov_b32_e32 v6, 0
\tglobal_store_b32 v[4:5], v6, off
\ts_waitcnt_vscnt null, 0x0
\ts_mov_b32 exec_lo, s3
"""


def test_a_branch_to_the_next_instruction_hides_nothing():
    for kind in ("z", "nz"):
        binary = assembled(
            PROGRAM, "gfx1100", lambda text, k=kind: text.replace(GUARD, GUARD + STORE.format(k) + GUARD)
        )
        assert prove_binary(binary, PROGRAM, seconds=10).name == "refuted", kind
        assert not attempt(binary, PROGRAM, make_case(PROGRAM, small_sizes(PROGRAM))).exact


#: A register that is set on all ways through one side of a branch, and on the other side where `{0}` sets it.
ONE_SIDE = """\
\ts_cmp_gt_u32 ttmp9, 2
{0}\ts_cbranch_scc0 .Lbehind
\ts_cmp_gt_u32 ttmp9, 5
\ts_cbranch_scc1 .Leither
\ts_cmp_gt_u32 ttmp9, 3
\ts_cbranch_scc1 .Leither
\tv_mov_b32 v60, 0
\ts_branch .Lmet
.Leither:
\tv_mov_b32 v60, 0
.Lmet:
\ts_nop 0
.Lbehind:
\tv_add_nc_u32 v0, v60, v0
"""


def set_on_one_side(before):
    def edit(text):
        text = re.sub(r"\.amdhsa_next_free_vgpr \d+", ".amdhsa_next_free_vgpr 64", text)
        return re.sub(r"^; %bb\.0:.*\n", lambda start: start[0] + ONE_SIDE.format(before), text, count=1, flags=re.M)

    return assembled(PROGRAM, "gfx1201", edit)


def test_a_register_that_one_side_of_a_branch_sets_is_undefined_behind_the_other():
    honest = set_on_one_side("\tv_mov_b32 v60, 0\n")
    assert prove_binary(honest, PROGRAM, seconds=10).proved
    binary = set_on_one_side("")
    with pytest.raises(Fault, match="depends on an undefined value"):
        attempt(binary, PROGRAM, make_case(PROGRAM, small_sizes(PROGRAM)))
    assert prove_binary(binary, PROGRAM, seconds=5).name != "proved"
