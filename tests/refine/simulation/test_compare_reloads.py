"""A register that is reloaded before EXEC is restored: lanes that come back have not its value, but have it mended."""

from benchmarks.binary.reloads import mended
from layoutalg.kernel.library.views import cast
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case
from tests.isa.assembly import assembled, with_scratch

PROGRAM = cast("f32", "bf16", 4)
CASE = make_case(PROGRAM, {PROGRAM.sizes[0]: 4100})

#: The thread's number is kept in scratch, lost, and comes back behind a branch that some lanes take.
SPILL = """\
\tscratch_store_b32 off, v0, off
\ts_waitcnt_vscnt null, 0x0
\tv_cmp_gt_u32_e32 vcc_lo, 16, v0
\tv_mov_b32_e32 v0, 0
\ts_and_saveexec_b32 s20, vcc_lo
\ts_cbranch_execz .Lback
.Lback:
\tscratch_load_b32 v0, off, off
\ts_or_b32 exec_lo, exec_lo, s20
\ts_waitcnt vmcnt(0)
"""


def spilled(text):
    text = text.replace("; %bb.0:\n", "; %bb.0:\n" + SPILL, 1)
    text = with_scratch(text, 16)
    assert ".amdhsa_enable_private_segment 0" in text
    return text.replace(".amdhsa_enable_private_segment 0", ".amdhsa_enable_private_segment 1")


def test_a_reload_before_exec_is_restored_is_wrong_and_behind_it_right():
    binary = assembled(PROGRAM, "gfx1100", spilled)
    assert not attempt(binary, PROGRAM, CASE).exact
    assert prove_binary(binary, PROGRAM).name != "proved"
    after, blocks = mended(binary)
    assert blocks == 1
    assert [i.size for i in after.instructions] != [i.size for i in binary.instructions]
    assert attempt(after, PROGRAM, CASE).exact
    assert prove_binary(after, PROGRAM).proved


def test_a_binary_that_restores_exec_first_stays_as_it_is():
    binary = assembled(PROGRAM, "gfx1100", lambda text: text)
    after, blocks = mended(binary)
    assert (after.kernel, after.instructions, blocks) == (binary.kernel, binary.instructions, 0)
