"""Where the code of a kernel ends whose file does not say it."""

from dataclasses import replace

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.code import own_code
from tests.isa.decode.test_allowed import decoded, kernel

NOP, END, LEAP, SKIP, BACK = "000080bf", "000081bf", "010082bf", "010084bf", "feff82bf"
TO_A_REGISTER = "001d80be"  # s_setpc_b64 s[0:1]
NONE = "ffffffff"


@pytest.mark.parametrize(
    ("code", "own"),
    [
        ((NOP, END, NOP, NOP), 2),
        ((NOP, END, NONE), 2),
        ((NOP, BACK, NOP), 2),  # s_branch to itself but one
        ((SKIP, END, NOP, END, NOP), 4),  # s_cbranch_scc0 over the first end
        ((LEAP, NOP, END, NOP), 3),  # s_branch over what only comes from elsewhere
        ((TO_A_REGISTER, NOP, END, NOP), 4),
        ((NOP, NOP), 2),
        ((NOP, NONE, END), 3),
    ],
)
def test_code_ends_where_control_cannot_go_on(code, own):
    whole = bytes.fromhex("".join(code))
    sized = replace(kernel("gfx942"), code=whole)
    assert own_code(sized) == whole
    assert own_code(replace(sized, sized=False)) == whole[: 4 * own]


MOVE, READ = "0703b07e", "0c40d8d304010018"  # v_mov_b32 v88, v7; v_accvgpr_read_b32 v12, a4


def test_registers_of_the_whole_file_are_vector_registers_of_a_kernel_that_names_no_other():
    registers = {"vector_registers": 64, "accumulators": 64}
    program = decoded("gfx942", bytes.fromhex(MOVE + END), **registers)
    assert (program.kernel.vector_registers, program.kernel.accumulators) == (128, 0)
    small = decoded("gfx942", bytes.fromhex(READ + END), **registers)
    assert (small.kernel.vector_registers, small.kernel.accumulators) == (64, 64)
    for code, given in ((MOVE + READ + END, registers), (MOVE + END, {"vector_registers": 64, "accumulators": 16})):
        with pytest.raises(UnsupportedInstructionError, match=r"the kernel asks for (64|80) registers v"):
            decoded("gfx942", bytes.fromhex(code), **given)
