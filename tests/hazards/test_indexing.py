"""Vector registers that M0 names: nothing is said of a register that may be another."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.hazards import undefined, waits
from tests.hazards.assembly import flow

LOAD, ON, OFF = "global_load_dword v1, v0, s[0:1]\n", "s_set_gpr_idx_on s2, gpr_idx({})\n", "s_set_gpr_idx_off\n"


def on(*operands: str) -> str:
    return ON.format(",".join(operands))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (LOAD + on("SRC0") + "v_mov_b32 v3, v1\n" + OFF, 0),
        (LOAD + on("SRC0") + "v_add_u32 v3, v0, v1\n" + OFF, 1),  # the second source is what it says
        (LOAD + on("DST") + "v_mov_b32 v3, v1\n" + OFF, 1),
        (LOAD + on("DST") + "v_mov_b32 v1, v0\n" + OFF, 0),
        (LOAD + on("SRC0") + OFF + "v_mov_b32 v3, v1\n", 1),
        (LOAD + on("SRC0") + "s_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32 v3, v1\n" + OFF, 1),
        (LOAD + on("SRC0") + "s_set_gpr_idx_idx s3\nv_mov_b32 v3, v1\n" + OFF, 0),
        (LOAD + on("DST") + "s_mov_b32 m0, s3\nv_mov_b32 v3, v1\n" + OFF, 0),  # M0 says which operands, too
        (LOAD + on("SRC0") + "global_store_dword v0, v1, s[0:1]\n" + OFF, 1),  # arithmetic alone is indexed
        (LOAD + "s_cbranch_scc1 .L\n" + on("SRC0") + ".L:\nv_mov_b32 v3, v1\n" + OFF, 0),
    ],
)
def test_an_operand_that_m0_names_is_no_use_of_the_register_written(body: str, count: int) -> None:
    assert len([*waits.find(flow(body))]) == count


@pytest.mark.parametrize(
    ("body", "used"),
    [
        ("global_load_dword v2, v5, s[0:1]\n", 1),
        (on("DST") + "v_mov_b32 v3, 0\n" + OFF + "global_load_dword v2, v5, s[0:1]\n", 0),
        (on("DST") + "v_mov_b32 v6, 0\n" + OFF + "global_load_dword v2, v5, s[0:1]\n", 1),  # further on, never before
    ],
)
def test_a_result_that_m0_names_may_be_any_register_further_on(body: str, used: int) -> None:
    assert len([*undefined.find(flow(body))]) == used


@pytest.mark.parametrize(("bits", "refused"), [("27, 1", "M0 names"), ("28, 1", "skips"), ("20, 8", "M0 names")])
def test_a_mode_that_is_set_by_its_number_is_refused_by_name(bits: str, refused: str) -> None:
    with pytest.raises(UnsupportedInstructionError, match=refused):
        flow(f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, {bits}), 1\n")


@pytest.mark.parametrize("register", ["HW_REG_MODE, 23, 4", "HW_REG_MODE, 29, 1", "HW_REG_TRAPSTS, 27, 1"])
def test_other_bits_of_machine_registers_name_no_register(register: str) -> None:
    assert not [*waits.find(flow(f"s_setreg_imm32_b32 hwreg({register}), 1\n"))]


def test_moves_by_number_are_followed_where_there_is_no_mode() -> None:
    load = "global_load_b32 v1, v0, s[0:1]\n"
    assert not [*waits.find(flow(load + "v_movrels_b32 v3, v1\n", "gfx1100"))]
    assert len([*waits.find(flow(load + "v_movreld_b32 v3, v1\n", "gfx1100"))]) == 1
