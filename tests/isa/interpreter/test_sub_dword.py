"""Sub-dword encodings carried out, against the manual's table on plain numbers; the bytes are LLVM's assembler's."""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.target.eights import decoded
from tests.isa.machines import after, machine_of

SOME = [n % 5 != 2 for n in range(64)]
PARTS = {
    "BYTE_0": (0, 8),
    "BYTE_1": (8, 8),
    "BYTE_2": (16, 8),
    "BYTE_3": (24, 8),
    "WORD_0": (0, 16),
    "WORD_1": (16, 16),
}


def part(word, select, signed=False):
    """CDNA 3 ISA, SDWA: the part of a source, extended to 32 bits."""
    start, bits = PARTS.get(select, (0, 32))
    value = word >> start & (1 << bits) - 1
    return value - (1 << bits) if signed and value >> bits - 1 else value


def placed(result, old, select, unused):
    """The same: the register with a part replaced."""
    start, bits = PARTS.get(select, (0, 32))
    mask = (1 << bits) - 1
    if unused == "PRESERVE":
        return old & ~(mask << start) | (result & mask) << start
    signed = part(result, f"{'BYTE' if bits == 8 else 'WORD'}_0", unused == "SEXT")
    return signed << start & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("code", "first", "second", "signed", "select", "unused"),
    [
        # v_add_u32_sdwa v2, v7, v9 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:WORD_1 src1_sel:BYTE_1
        ("f912046807090501", "WORD_1", "BYTE_1", False, "BYTE_1", "SEXT"),
        # … dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:BYTE_3
        ("f912046807150603", "DWORD", "BYTE_3", False, "WORD_1", "PRESERVE"),
        # v_add_u32_sdwa v2, sext(v7), sext(v9) dst_sel:BYTE_3 dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_0
        ("f912046807030a0c", "BYTE_2", "WORD_0", True, "BYTE_3", "PAD"),
    ],
)
def test_a_sum_of_parts_goes_where_the_manual_says(code, first, second, signed, select, unused):
    before, found = after(*machine_of("gfx942", code, SOME))
    for n in range(64):
        total = part(before[7][n], first, signed) + part(before[9][n], second, signed)
        assert found[2][n] == (placed(total, before[2][n], select, unused) if SOME[n] else before[2][n])


def test_a_minimum_of_signed_parts():
    """v_min_i16_sdwa v2, sext(v7), sext(v9) dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_1."""
    before, found = after(*machine_of("gfx942", "f912046407050a0d", [True] * 64))
    for n in range(64):
        least = min(part(before[7][n], "BYTE_2", True), part(before[9][n], "WORD_1", True))
        assert found[2][n] == (least & 0xFFFF) << 16


def test_a_comparison_of_signed_parts():
    """v_cmp_lt_i16_sdwa s[10:11], sext(v7), v9 src0_sel:BYTE_1 src1_sel:WORD_1."""
    machine, instructions = machine_of("gfx942", "f912427d078a0905", [True] * 64)
    before, _ = after(machine, instructions)
    less = [part(before[7][n], "BYTE_1", True) < part(before[9][n], "WORD_1", True) for n in range(64)]
    assert int(machine.registers.scalars["s", 10].item()) == sum(1 << n for n in range(32) if less[n])


def test_signs_of_halves():
    """v_add_f16_sdwa v2, -v7, |v9| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0."""
    machine, instructions = machine_of("gfx942", "f912043e07151524", [True] * 64)
    numbers = np.random.default_rng(3).normal(size=(2, 64)).astype(np.float16)
    words = numbers.view(np.uint16).astype(np.uint32)
    zero = machine.registers.w.const(0, 32)
    machine.registers.vectors["v", 7] = zero | words[0] << np.uint32(16)
    machine.registers.vectors["v", 9] = zero | words[1]
    before, found = after(machine, instructions)
    total = (np.abs(numbers[1]) - numbers[0]).view(np.uint16).astype(np.uint32)
    assert found[2] == [old & 0xFFFF | int(bits) << 16 for old, bits in zip(before[2], total, strict=True)]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("f912043e07061104", "a part that is not described"),  # v_add_f16_sdwa v2, -v7, v9 … src0_sel:BYTE_1
        ("f912046807170601", "a result whose part"),  # dst_sel 7
        ("f912046807190601", "a result whose part"),  # dst_unused 3
        ("f9120468070e0601", "a result whose part"),  # all of the register, and a rest with a sign
    ],
)
def test_what_is_not_described_is_refused(code, why):
    with pytest.raises(UnsupportedInstructionError, match=why):
        after(*machine_of("gfx942", code, SOME))


@pytest.mark.parametrize("bits", [8, 16])
def test_numbers_of_eight_bits_are_picked_and_no_more(bits):
    """v_cvt_f32_fp8_sdwa v2, v7 src0_sel:BYTE_2 and v_cvt_pk_f32_fp8_sdwa v[2:3], v7 src0_sel:WORD_1."""
    code, select = ("f9a8047e0706{:02x}00", 2) if bits == 8 else ("f9ac047e0706{:02x}00", 5)
    before, found = after(*machine_of("gfx950", code.format(select), [True] * 64))
    for k in range(bits // 8):
        numbers = decoded(np.array(before[7], np.uint32) >> np.uint32(16 + 8 * k) & np.uint32(0xFF), "fp8", fnuz=False)
        np.testing.assert_array_equal(np.array(found[2 + k], np.uint32).view(np.float32), numbers.astype(np.float32))
    for other in (6, 4 if bits == 8 else 0, select | 8):  # all of it, a part of another size, a sign
        with pytest.raises(UnsupportedInstructionError, match="a part that is not described"):
            after(*machine_of("gfx950", code.format(other), [True] * 64))
    with pytest.raises(UnsupportedInstructionError, match="a part that is not described"):  # dst_sel 0
        after(*machine_of("gfx950", code.replace("0706", "0700").format(select), [True] * 64))
