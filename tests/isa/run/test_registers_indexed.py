"""Registers that are named by number: waves at one instruction may have other numbers."""

import re

import pytest

from layoutalg.errors import Fault
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.refine.trial import attempt, make_case, small_sizes
from tests.isa.assembly import assembled
from tests.matrix import each

KERNEL = lds_transpose("f32", "xor", 4)

#: v40 becomes the wave's number by way of a register that it names; the thread's number stays where that is right.
INDEXED = """\
\tv_mov_b32_e32 v41, 0
\tv_mov_b32_e32 v42, 1
\tv_mov_b32_e32 v43, 2
\tv_mov_b32_e32 v44, 3
\tv_lshrrev_b32_e32 v45, {shift}, v0
\tv_readfirstlane_b32 s30, v45
\ts_and_b32 s30, s30, 3
\ts_add_i32 s31, s30, {more}
{move}
\tv_subrev_u32_e32 v40, s30, v40
\tv_add_u32_e32 v0, v0, v40
"""
MOVES = {
    "gfx942": (6, "\ts_set_gpr_idx_on s31, gpr_idx(SRC0)\n\tv_mov_b32_e32 v40, v41\n\ts_set_gpr_idx_off"),
    "gfx1100": (5, "\ts_mov_b32 m0, s31\n\tv_movrels_b32_e32 v40, v41"),
    "gfx1201": (5, "\ts_mov_b32 m0, s31\n\tv_movrels_b32_e32 v40, v41"),
}


def indexed(target, more=0):
    shift, move = MOVES[target]
    lines = INDEXED.format(shift=shift, move=move, more=more)
    if target != "gfx942":
        lines = lines.replace("v_subrev_u32", "v_subrev_nc_u32").replace("v_add_u32", "v_add_nc_u32")

    def edit(text):
        wide = re.sub(r"(\.amdhsa_(?:next_free_vgpr|accum_offset)) \d+", r"\1 64", text)
        wide = re.sub(r"(\.amdhsa_next_free_sgpr) \d+", r"\1 40", wide)
        return wide.replace("; %bb.0:\n", f"; %bb.0:\n\tv_and_b32_e32 v0, 0x3ff, v0\n{lines}", 1)

    return assembled(KERNEL, target, edit)


@pytest.mark.parametrize("target", each(MOVES, "gfx1201"))
@pytest.mark.parametrize("order", [None, 1])
def test_waves_index_registers_by_different_numbers_at_once(target, order):
    case = make_case(KERNEL, small_sizes(KERNEL, most=8))
    assert attempt(indexed(target), KERNEL, case, order=order).exact


@pytest.mark.parametrize("target", each(MOVES, "gfx1201"))
def test_a_register_beyond_the_kernels_is_a_fault(target):
    with pytest.raises(Fault, match=r"registers further on than v[0-9]+, of 64"):
        attempt(indexed(target, 30), KERNEL, make_case(KERNEL, small_sizes(KERNEL, most=8)))
