"""Encodings of two parts: a matrix product with its scales, and what only looks like one."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.decode.instructions import Operand, decode
from tests.isa.semantics.test_table_every_bit import assembled_line

PLAIN = "v_mfma_f32_16x16x128_f8f6f4 v[48:51], a[80:87], a[0:7], 0"
SCALED = "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[8:11], v[12:15], a[0:3], v4, v5 op_sel:[1,0,0] op_sel_hi:[0,1,0]"


def read(code):
    return list(decode(code, 0, ARCHITECTURES["cdna"], "gfx950"))


def test_a_product_has_its_scales_and_its_formats():
    (one,) = read(assembled_line("gfx950", f"{SCALED} cbsz:4 blgp:4"))
    assert (one.name, one.size) == ("V_MFMA_SCALE_F32_16X16X128_F8F6F4.FP4.FP4", 16)
    assert [str(one.operands[role]) for role in ("d", "a", "b", "c", "scale_a", "scale_b")] == [
        "a0", "v8", "v12", "a0", "v4", "v5",
    ]  # fmt: skip
    assert dict(one.fields) == {"byte_a": 1, "byte_b": 2}


@pytest.mark.parametrize("bit", [13, 14])
def test_bits_of_a_third_source_say_nothing(bit):
    code = assembled_line("gfx950", f"{SCALED} cbsz:4 blgp:4")
    turned = (int.from_bytes(code, "little") ^ 1 << bit).to_bytes(16, "little")
    assert read(turned) == read(code)


def test_an_instruction_before_a_product_is_no_scale():
    """The decoder's table looks at the product alone."""
    first = assembled_line("gfx950", "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]")
    both = read(first + assembled_line("gfx950", PLAIN))
    assert [one.name for one in both] == ["V_PK_FMA_F32", "V_MFMA_F32_16X16X128_F8F6F4.FP8.FP8"]
    assert both[0].operands["c"] == Operand("v", 6)


def test_scales_alone_and_scales_that_do_not_count_are_refused():
    code = assembled_line("gfx950", f"{SCALED} cbsz:4 blgp:4")
    with pytest.raises(UnsupportedInstructionError, match="without a matrix product behind it"):
        read(code[:8])
    silent = (int.from_bytes(code, "little") & ~(1 << 64 + 11)).to_bytes(16, "little")
    with pytest.raises(UnsupportedInstructionError, match="with scales that do not count"):
        read(silent)


def test_a_format_that_is_none_is_refused():
    code = assembled_line("gfx950", PLAIN)
    with pytest.raises(UnsupportedInstructionError, match="of the formats 5 and 0"):
        read((int.from_bytes(code, "little") | 5 << 8).to_bytes(8, "little"))
