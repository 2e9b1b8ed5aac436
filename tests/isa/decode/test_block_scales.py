"""Products of CDNA 5 with scales: what the two parts say, and that what says nothing is as assemblers write it."""

import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.decode.banks import in_banks
from layoutalg.isa.decode.instructions import decode
from tests.isa.semantics.test_table_every_bit import assembled_line

LINE = (
    "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:35], v[40:47], v50, v51 matrix_a_fmt:MATRIX_FMT_BF8"
    " matrix_b_fmt:MATRIX_FMT_FP6 matrix_a_scale:MATRIX_SCALE_ROW1 matrix_b_scale:MATRIX_SCALE_ROW1"
)


def read(code):
    return list(decode(code, 0, ARCHITECTURES["cdna5"], "gfx1250"))


def test_a_product_has_its_scales_and_its_formats():
    (one,) = read(assembled_line("gfx1250", LINE))
    assert (one.name, one.size) == ("V_WMMA_SCALE_F32_16X16X128_F8F6F4.BF8.FP6", 16)
    assert {role: str(operand) for role, operand in one.operands.items()} == {
        "d": "v0", "a": "v8", "b": "v24", "c": "v40", "scale_a": "v50", "scale_b": "v51",
    }  # fmt: skip
    assert dict(one.fields) == {"row_a": 1, "row_b": 1}


def test_scales_are_in_the_first_bank():
    """LLVM writes `v[194:209] /*v[962:977]*/, v[16:23], v4, v0`: the second source alone is of the last bank."""
    (one,) = read(assembled_line("gfx1250", LINE))
    moved = in_banks(one, 0b01_00_11_01)
    assert [str(moved.operands[role]) for role in ("d", "a", "b", "scale_a", "scale_b")] == [
        "v256", "v264", "v792", "v50", "v51",
    ]  # fmt: skip


def test_each_bit_of_the_first_part_says_something_or_is_refused():
    code = assembled_line("gfx1250", LINE)
    plain, silent = read(code), []
    for bit in range(64):
        turned = (int.from_bytes(code, "little") ^ 1 << bit).to_bytes(16, "little")
        try:
            if read(turned) == plain:
                silent.append(bit)
        except UnsupportedInstructionError:
            continue
    assert set(silent) <= {57, 58}  # from 0x80, the assembler's for the source that is not there, to 0 …


def test_scales_before_what_has_none_are_refused():
    first = assembled_line("gfx1250", LINE)[:8]
    other = assembled_line("gfx1250", "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], 0")
    with pytest.raises(UnsupportedInstructionError, match=r"before V_WMMA_F32_16X16X32_F16, which has no scales"):
        read(first + other)
    with pytest.raises(UnsupportedInstructionError):
        read(first)
