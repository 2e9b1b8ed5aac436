"""Operands that one instruction reads, carried out; the bytes are LLVM's assembler's."""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from tests.isa.machines import after, machine_of

ALL = [True] * 64


def floats(registers, number):
    return np.array(registers[number], np.uint32).view(np.float32)


def test_a_constant_beside_pairs_is_taken_twice_from_its_lower_half():
    with np.errstate(all="ignore"):
        # v_pk_mul_f32 v[2:3], v[8:9], 0.5 op_sel_hi:[1,0]
        before, found = after(*machine_of("gfx942", "0240b1d308e10108", ALL))
        for k in (0, 1):
            np.testing.assert_array_equal(floats(found, 2 + k), floats(before, 8 + k) * np.float32(0.5))
        # v_pk_fma_f32 v[2:3], v[8:9], -2.0, 1.0 op_sel_hi:[1,0,0]
        before, found = after(*machine_of("gfx942", "0200b0d308ebc90b", ALL))
        for k in (0, 1):
            np.testing.assert_array_equal(
                floats(found, 2 + k), (floats(before, 8 + k).astype(float) * -2 + 1).astype("f4")
            )


def test_the_upper_half_of_a_constant_is_in_no_manual():
    """v_pk_mul_f32 v[2:3], v[8:9], 0.5: of the upper result too the upper half."""
    with pytest.raises(UnsupportedInstructionError, match="a packed constant"):
        after(*machine_of("gfx942", "0240b1d308e10118", ALL))
