"""What sources differ in is no value that a proof stands on: the thread's number by way of it, and past it."""

import re

import pytest

from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.refine.refinement import prove_binary
from tests.isa.assembly import assembled

KERNEL = lds_transpose("f32", "xor", 4)
SHIFT = """\tv_mov_b32 v60, v0
\tv_mov_b32 v61, 0
\tv_mov_b32 v62, {0}
\tv_mov_b32 v64, 0
\tv_mov_b32 v65, 0
\tv_lshl_add_u64 v[60:61], v[60:61], v62, v[64:65]
\tv_lshrrev_b32 v0, {0}, v60
"""
OTHER_HALF = "\tv_mov_b32 v60, v0\n\tv_max3_i16 v60, v0, v0, v0\n"
WAYS = {
    "a shift by 4": (SHIFT.format(4), True),
    "a shift by 5": (SHIFT.format(5), False),
    "the half that is written": (OTHER_HALF + "\tv_and_b32 v0, 0xffff, v60\n", True),
    "the other half with it": (OTHER_HALF + "\tv_mov_b32 v0, v60\n", False),
}


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=() if way == "the half that is written" else pytest.mark.slow) for way in WAYS]
)
def test_it_is_proved_past_it_alone(way):
    lines, proved = WAYS[way]

    def edit(text):
        for name, number in (("next_free_vgpr", 68), ("accum_offset", 68)):
            text = re.sub(rf"\.amdhsa_{name} \d+", f".amdhsa_{name} {number}", text)
        return text.replace("; %bb.0:\n", f"; %bb.0:\n{lines}", 1)

    verdict = prove_binary(assembled(KERNEL, "gfx942", edit), KERNEL, seconds=2)
    assert (verdict.name == "proved") is proved
