"""What bytes are decoded to, where assemblers and targets differ in how they write it."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.decode.instructions import decode
from tests.matrix import each


def decoded(code, architecture, target=""):
    """The text of each instruction of bytes in hexadecimal."""
    return [str(one) for one in decode(bytes.fromhex(code), 0, ARCHITECTURES[architecture], target)]


def word(code, low, high, value):
    """The bytes with one field replaced."""
    number, mask = int.from_bytes(bytes.fromhex(code), "little"), ((1 << high - low + 1) - 1) << low
    return (number & ~mask | value << low).to_bytes(len(code) // 2, "little").hex()


SRC1, SRC2 = (41, 49), (50, 58)


@pytest.mark.parametrize("architecture", ["rdna3", "rdna4"])
@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("020a00d707130200", [SRC2]),  # v_add_co_u32 v2, s10, v7, v9
        ("0a0044d407130200", [SRC2]),  # v_cmp_gt_i32_e64 s10, v7, v9
        ("0a0060d707070100", [SRC2]),  # v_readlane_b32 s10, v7, 3
        ("02001cd707130200", [SRC2]),  # v_ldexp_f32 v2, v7, v9
        ("02009cd507010000", [SRC1, SRC2]),  # v_mov_b16_e64 v2.l, v7.l
    ],
)
def test_a_source_that_is_not_there_is_the_register_0_or_the_constant_0(architecture, code, fields):
    honest = decoded(code, architecture)
    for field in fields:
        assert decoded(word(code, *field, 128), architecture) == honest
        for other in (129, 257, 255):
            with pytest.raises(UnsupportedInstructionError, match=r"the register field src\d, which it does not use"):
                decoded(word(code, *field, other), architecture)


def test_on_cdna_it_is_the_register_0():
    code = "020088d207130200"  # v_ldexp_f32 v2, v7, v9
    assert decoded(code, "cdna") == ["v_ldexp_f32 d=v2, a=v7, b=v9"]
    with pytest.raises(UnsupportedInstructionError, match="the register field src2, which it does not use"):
        decoded(word(code, *SRC2, 128), "cdna")


@pytest.mark.parametrize(
    ("code", "gfx90a", "gfx950"),
    [
        ("0080e6d302090204", "v_mfma_f32_32x32x8_bf16 d=a0, a=v2, b=v4, c=a0", "v_smfmac_f32_16x16x32_bf16"),
        ("0080e3d302090204", "v_mfma_f32_32x32x4_2b_bf16 d=a0, a=v2, b=v4, c=a0", None),
        ("0000edd308130204", "v_mfma_f32_16x16x8bf16 d=v0, a=v8, b=v9, c=v0", None),
        ("0000d5d308130204", "v_mfma_i32_16x16x16i8 d=v0, a=v8, b=v9, c=v0", "v_mfma_f32_32x32x16_f16"),
    ],
)
def test_an_opcode_of_a_matrix_product_is_that_of_its_target(code, gfx90a, gfx950):
    assert decoded(code, "cdna", "gfx90a") == [gfx90a]
    if gfx950 is None:
        with pytest.raises(UnsupportedInstructionError):
            decoded(code, "cdna", "gfx950")
    else:
        assert decoded(code, "cdna", "gfx950")[0].split()[0] == gfx950


@pytest.mark.parametrize(
    ("code", "gfx90a", "gfx942"),
    [
        ("0100c1d1080b0624", "v_mad_f32 d=v1, a=v8, b=v5, c=v1 neg:0x1", None),
        ("0100c0d102071204", "v_mad_legacy_f32 d=v1, a=v2, b=v3, c=v4", None),
        ("2001002c", "v_mac_f32 d=v0, a=v32, b=v0", "v_dot2c_f32_bf16 d=v0, a=v32, b=v0"),
        ("000016d120010220", "v_mac_f32 d=v0, a=v32, b=v0 neg:0x1", "v_dot2c_f32_bf16 d=v0, a=v32, b=v0 neg:0x1"),
    ],
)
def test_gfx90a_has_sums_of_products_that_are_rounded_twice(code, gfx90a, gfx942):
    assert decoded(code, "cdna", "gfx90a") == [gfx90a]
    if gfx942 is None:
        with pytest.raises(UnsupportedInstructionError):
            decoded(code, "cdna", "gfx942")
    else:
        assert decoded(code, "cdna", "gfx942") == [gfx942]


@pytest.mark.parametrize(
    ("architecture", "code", "text"),
    [
        ("cdna", "0840822e80814008", "v_fmamk_f32 d=v65, a=s8, b=v32, c=0x8408180"),
        ("cdna", "0800423060012040", "v_fmaak_f32 d=v33, a=s8, b=v0, c=0x40200160"),
        ("cdna", "20208a4804000080", "v_madmk_f16 d=v69, a=s32, b=v16, c=0x80000004"),
        ("rdna3", "0401485a0404d822", "v_fmaak_f32 d=v36, a=v4, b=v0, c=0x22d80404"),
        ("rdna3", "008044c880800c0202d01000", "v_fmaak_f32 d=v2, a=s0, b=v64, c=0x10d002 :: "
                                              "v_fmamk_f32 d=v13, a=0, b=v64, c=0x10d002"),
        ("rdna4", "100200a378563412", "s_fmamk_f32 d=s0, a=s16, b=s2, c=0x12345678"),
    ],
)  # fmt: skip
def test_a_constant_of_an_operation_is_its_third_source(architecture, code, text):
    assert decoded(code, architecture) == [text]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("410002c010000000", "s_load_dword soffset=null, d=s1, base=s2 offset:0x10"),
        ("410000c006000000", "s_load_dword soffset=s6, d=s1, base=s2"),
        ("410000c07c000000", "s_load_dword soffset=m0, d=s1, base=s2"),
        ("414000c00000000c", "s_load_dword soffset=s6, d=s1, base=s2"),
        ("414002c01000000c", "s_load_dword soffset=s6, d=s1, base=s2 offset:0x10"),
    ],
)
def test_an_offset_of_a_scalar_access_is_a_number_a_register_or_both(code, text):
    assert decoded(code, "cdna", "gfx90a") == [text]


@pytest.mark.parametrize("code", ["410000c080000000", "410002c01000000c", "414000c01000000c"])
def test_bits_of_an_offset_that_is_not_said_are_refused(code):
    with pytest.raises(UnsupportedInstructionError, match="which it does not use"):
        decoded(code, "cdna", "gfx90a")


@pytest.mark.parametrize(
    ("architecture", "code", "text"),
    [
        ("cdna", "070fb47d", "v_cmpx_eq_u32 a=v7, b=v7, m=exec, m2=vcc"),
        ("cdna", "0a00dad007130200", "v_cmpx_eq_u32 m=exec, a=v7, b=v9, m2=s10"),
        ("rdna3", "0713947d", "v_cmpx_eq_u32 a=v7, b=v9, m=exec"),
    ],
)
def test_cdnas_comparison_that_writes_exec_writes_another_mask_too(architecture, code, text):
    assert decoded(code, architecture) == [text]


def test_what_says_where_a_sparse_matrix_has_elements_is_no_accumulation_register():
    (text,) = decoded("0080e8d302090a04", "cdna", "gfx942")
    assert text == "v_smfmac_f32_32x32x16_bf16 d=a0, a=v2, b=v4, c=v2"


@pytest.mark.parametrize(
    ("architecture", "code", "text"),
    [
        ("rdna3", "9a6ff476", "v_ldexp_f16 d=v122, a=v26.h, b=v55"),
        ("rdna3", "24086d7c", "v_cmp_ge_i16 a=s36, b=v4.h, m=vcc"),
        ("rdna3", "0e04016e14000188", "v_fmamk_f16 d=v0, a=s14, b=v2.h, c=0x88010014"),
        ("rdna4", "01208061", "v_min_num_f16 d=v64.h, a=s1, b=v16"),
        ("rdna4", "61b5167f", "v_frexp_exp_i16_f16 d=v11.h, a=v97"),
        ("rdna4", "294848d65f05fe04", "v_fma_f16 d=v41.h, a=v95.h, b=v2, c=v63"),
    ],
)
def test_halves_are_picked_whether_or_not_an_operation_is_described(architecture, code, text):
    assert decoded(code, architecture) == [text]


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx950"], "gfx942"))
def test_a_mixed_sum_has_the_name_of_one_that_rounds_once(target):
    code = "0000a0d301050e04"  # v_fma_mix_f32 v0, v1, v2, v3, as llvm-mc assembles it
    assert decoded(code, "cdna", target) == ["v_fma_mix_f32 d=v0, a=v1, b=v2, c=v3 opsel_hi:0x0 opsel_hi2:0x0"]


def test_factors_of_a_product_that_only_gfx942_has_may_be_accumulation_registers():
    (text,) = decoded("6a80bfd398ad221f", "cdna", "gfx942")
    assert text == "v_mfma_f32_32x32x4_xf32 d=a106, a=a152, b=a86, c=a200"


def test_gfx90a_has_cache_controls_of_its_own():
    assert decoded("0000fce000000000", "cdna", "gfx90a") == ["buffer_wbinvl1_vol"]
    assert decoded("0000a4e000000000", "cdna", "gfx90a") == ["buffer_invl2"]
    assert decoded("0000a4e000000000", "cdna", "gfx942") == ["buffer_inv"]
