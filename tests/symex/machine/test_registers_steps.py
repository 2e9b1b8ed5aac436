"""Steps of a register in a loop, written by hand: the same in each iteration, or another in each.

What the loop adds to a register is the result of a function, which is an unknown of its own.  Where it is a function of
the iteration's number t, the register is no init + step * t, though nothing of t is seen in the step.
"""

import re

import pytest

from layoutalg.errors import Fault
from layoutalg.kernel.library.reduce import reduction
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case
from tests.isa.assembly import assembled
from tests.matrix import each

PROGRAM = reduction("kr")
BEFORE = "\tv_mov_b32 v60, 0\n\tv_mov_b32 v62, 0\n\ts_mov_b32 s20, 0\n"
STEP = "\tv_cvt_f32_u32 v61, {0}\n\tv_cvt_u32_f32 v61, v61\n"

#: v60 goes by a step, and v63 is what it is beside step * t.
IN_LOOP = (
    STEP
    + """\
\tv_mul_lo_u32 v62, v61, s20
\tv_sub_u32 v63, v60, v62
\tv_add_u32 v60, v60, v61
\ts_add_i32 s20, s20, 1
"""
)
ADDRESS = "\tv_add3_u32 v2, v6, v7, s13\n"


def stepping(by):
    """The binary with v63 added to an index; it is 0 where the step is the same in all iterations."""

    def edit(text):
        for name, number in (("next_free_vgpr", 64), ("next_free_sgpr", 40), ("accum_offset", 64)):
            text = re.sub(rf"\.amdhsa_{name} \d+", f".amdhsa_{name} {number}", text)
        assert ADDRESS in text
        text = text.replace(ADDRESS, f"{ADDRESS}\tv_add_u32 v2, v2, v63\n", 1)
        text = text.replace("\ts_branch .LBB0_3\n", f"{BEFORE}\ts_branch .LBB0_3\n", 1)
        return re.sub(r"\.LBB0_3:[^\n]*\n", lambda head: head[0] + IN_LOOP.format(by), text, count=1)

    return assembled(PROGRAM, "gfx942", edit)


def exact(binary):
    try:
        return attempt(binary, PROGRAM, make_case(PROGRAM, dict(zip(PROGRAM.sizes, (9, 500), strict=True)))).exact
    except Fault:
        return False


def test_a_step_that_is_the_same_in_all_iterations_is_proved():
    binary = stepping("s6")
    assert exact(binary)
    verdict = prove_binary(binary, PROGRAM)
    assert verdict.proved, verdict.failures[:2]


@pytest.mark.parametrize("by", each(["s20", "v7"], "v7"))
def test_a_step_that_is_another_in_each_iteration_is_not_proved(by):
    binary = stepping(by)
    assert not exact(binary)
    assert prove_binary(binary, PROGRAM).name != "proved"
