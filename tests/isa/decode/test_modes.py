"""The float mode at each instruction: of a code, whatever way control comes there."""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.modes import NO_MODE, OVERFLOW
from tests.isa.decode.test_allowed import decoded
from tests.isa.machines import after, machine_of

HOLD = "c10500ba01000000"  # s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1
FREE = "c10500ba00000000"
NOP, END, LEAVE = "000080bf", "000081bf", "{:02x}0084bf"  # s_nop, s_endpgm, s_cbranch_scc0 over so many dwords


def modes(*code):
    return [one.mode for one in decoded("gfx942", bytes.fromhex("".join(code))).instructions]


def test_a_code_that_sets_no_mode_has_that_of_the_descriptor():
    assert modes(NOP, END) == [None, None]


def test_a_mode_holds_behind_what_sets_it():
    assert modes(NOP, HOLD, NOP, FREE, END) == [0xF0, 0xF0, 0xF0 | OVERFLOW, 0xF0 | OVERFLOW, 0xF0]


def test_where_ways_differ_there_is_no_mode_until_one_is_set():
    either = modes(LEAVE.format(2), HOLD, NOP, NOP, END)
    assert either == [0xF0, 0xF0, NO_MODE, NO_MODE, NO_MODE]
    assert modes(HOLD, LEAVE.format(2), HOLD, NOP, END)[-1] == 0xF0 | OVERFLOW


def test_a_loop_comes_back_in_the_mode_of_its_end():
    """s_nop; set; s_cbranch_scc0 to the s_nop."""
    assert modes(NOP, HOLD, "fcff84bf", END)[0] == NO_MODE


def test_code_that_nothing_reaches_has_none():
    assert modes(HOLD, END, NOP, END) == [0xF0, 0xF0 | OVERFLOW, None, None]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("010500ba01000000", "bits of the mode"),  # hwreg(HW_REG_MODE, 20, 1), what traps see
        ("c20500ba01000000", "the register 2 of the machine"),  # hwreg(HW_REG_STATUS, 23, 1)
        ("c10500ba02000000", "bits of the mode"),  # a number of more bits
    ],
)
def test_what_is_not_modelled_is_refused(code, why):
    assert modes(code, NOP, END) == [0xF0, NO_MODE, NO_MODE]
    with pytest.raises(UnsupportedInstructionError, match=why):
        after(*machine_of("gfx942", code, [True] * 64))


def test_no_function_is_called_where_the_mode_is_set():
    with pytest.raises(UnsupportedInstructionError, match="where the code sets the float mode"):
        modes(HOLD, "061e84be", END)  # s_swappc_b64 s[4:5], s[6:7]


CONVERT = "0200a2d2070f0200"  # v_cvt_pk_fp8_f32 v2, v7, v7


def test_an_operation_is_done_in_the_mode_there():
    """300 is more than 240, the greatest number of fp8 on gfx942; infinity, no number there, is held to it too."""
    for before, wanted in (("", 0x8080), (HOLD, 0x7F7F), (HOLD + FREE, 0x8080)):
        machine, instructions = machine_of("gfx942", before + CONVERT, [True] * 64)
        registers = machine.registers
        numbers = np.where(np.arange(64) % 2, np.float32(300), np.float32(np.inf)).view(np.uint32)
        registers.vectors["v", 7] = registers.w.const(0, 32) | numbers
        _, found = after(machine, instructions)
        assert (found[2][1] & 0xFFFF, found[2][0] & 0xFFFF) == (wanted, wanted)


def test_an_operation_without_a_mode_is_refused():
    machine, instructions = machine_of("gfx942", LEAVE.format(2) + HOLD + CONVERT, [True] * 64)
    with pytest.raises(UnsupportedInstructionError, match="depends on the way"):
        after(machine, instructions[-1:])
