"""What kinds of instructions the rules know, and how long matrix products take."""

import pytest

from layoutalg.hazards.wait_states.classes import matrix_of
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.matrix import matrix_instruction_of
from layoutalg.target import target as gpu
from tests.isa.decode.test_allowed_processors import names


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_passes_are_the_cycles_that_the_targets_file_has(target: str) -> None:
    held = 0
    for name in sorted(names("cdna")):
        found, cycles = matrix_instruction_of(name, target), gpu(target).matrix
        passes = matrix_of(Instruction(0, 8, name, "VOP3P_MFMA"), target)
        if found is not None and cycles is not None and found.name in cycles.cycles:
            held += 1
            assert passes is not None
            assert 4 * passes.passes == cycles.cycles[found.name], name
    assert held > 15


@pytest.mark.parametrize(
    ("formats", "passes"), [("FP4.FP4", 4), ("FP6.BF6", 4), ("FP8.FP4", 8), ("FP4.BF8", 8), ("BF8.FP8", 8)]
)
@pytest.mark.parametrize("name", ["V_MFMA_F32_16X16X128_F8F6F4", "V_MFMA_SCALE_F32_16X16X128_F8F6F4"])
def test_products_of_eight_bits_on_either_side_take_twice_as_long(name: str, formats: str, passes: int) -> None:
    found = matrix_of(Instruction(0, 8, f"{name}.{formats}", "VOP3P_MFMA"), "gfx950")
    assert found is not None
    assert found.passes == passes
