"""The names of matrix instructions."""

from layoutalg.isa.semantics.matrix import matrix_instruction_of


def test_names_of_the_machine_and_of_the_compiler_meet():
    assert matrix_instruction_of("V_MFMA_F32_16X16X16_F16", "gfx950").name == "mfma_f32_16x16x16f16"
    assert matrix_instruction_of("V_MFMA_F32_32X32X8_BF16", "gfx942").name == "mfma_f32_32x32x8bf16_1k"
    assert matrix_instruction_of("V_MFMA_F32_16X16X32_F16", "gfx950").k == 32
    assert matrix_instruction_of("V_WMMA_F32_16X16X16_BF16", "gfx1201").name.endswith("_w32_gfx12")
    assert matrix_instruction_of("V_MFMA_F32_16X16X32_F16", "gfx942") is None
    assert matrix_instruction_of("V_MFMA_F32_4X4X1_16B_F32", "gfx942") is None
