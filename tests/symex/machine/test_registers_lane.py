"""A lane's number, which V_MBCNT counts, is that of its thread in the block modulo the wave."""

import re

import pytest

from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case, small_sizes
from tests.isa.assembly import assembled

KERNEL = lds_transpose("f32", "xor", 4)
COUNT = """; %bb.0:
\tv_mbcnt_lo_u32_b32 v60, -1, 0
\tv_mbcnt_hi_u32_b32 v60, -1, v60
\tv_and_b32 v61, {mask}, v0
\tv_sub_{type} v61, v60, v61
\tv_add_{type} v0, v0, v61
"""


def counted(target, mask):
    """The thread's number with its last bits taken away, and the lane's put in their place."""
    lines = COUNT.format(mask=mask, type="u32" if target.startswith("gfx9") else "nc_u32")

    def edit(text):
        for name, number in (("next_free_vgpr", 64), ("accum_offset", 64)):
            text = re.sub(rf"\.amdhsa_{name} \d+", f".amdhsa_{name} {number}", text)
        return text.replace("; %bb.0:\n", lines, 1)

    return assembled(KERNEL, target, edit)


@pytest.mark.parametrize(("target", "mask"), [("gfx942", 63), pytest.param("gfx1201", 31, marks=pytest.mark.slow)])
def test_a_thread_finds_itself_by_its_lane(target, mask):
    binary = counted(target, mask)
    assert attempt(binary, KERNEL, make_case(KERNEL, small_sizes(KERNEL, most=8))).exact
    assert prove_binary(binary, KERNEL).name == "proved"


@pytest.mark.slow
def test_another_number_of_lanes_is_not_proved():
    assert prove_binary(counted("gfx942", 31), KERNEL).name != "proved"
