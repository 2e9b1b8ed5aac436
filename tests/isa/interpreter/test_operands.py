"""Operands that one instruction reads, carried out; the bytes are LLVM's assembler's."""

from dataclasses import replace

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Operand
from tests.isa.decode.test_allowed import encoded
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


def test_a_half_that_is_not_selected_is_not_read():
    """v_pk_mul_f32 v[2:3], v[8:9], s[10:11] op_sel_hi:[1,0]: s10 twice; of s11 a load is under way."""
    machine, instructions = machine_of("gfx942", "0240b1d308150008", ALL)
    registers = machine.registers
    registers.scalars["s", 10] = registers.w.const(int(np.float32(0.25).view(np.uint32)), 32)
    registers.track.issue(("lgkm",), registers.live, True)
    registers.track.load([("s", 11)], ("lgkm",), registers.live, False, "here")
    with np.errstate(all="ignore"):
        before, found = after(machine, instructions)
        for k in (0, 1):
            np.testing.assert_array_equal(floats(found, 2 + k), floats(before, 8 + k) * np.float32(0.25))


def test_a_move_of_pairs_takes_a_half_of_each():
    """v_pk_mov_b32 v[2:3], -1, v[8:9] op_sel:[0,1], and v[2:3], -1, -1."""
    before, found = after(*machine_of("gfx942", "0250b3d3c1100218", ALL))
    assert (found[2][5], found[3]) == (0xFFFFFFFF, before[9])
    _, found = after(*machine_of("gfx90a", "0240b3d3c1820118", ALL))
    assert (found[2][5], found[3][5]) == (0xFFFFFFFF, 0xFFFFFFFF)


def test_an_inline_constant_as_f16_of_a_mixed_sum_is_its_lower_half():
    """v_fma_mix_f32 v2, -v8, 1.0, v9 op_sel_hi:[0,1,1]: as LLVM writes v9 - v8 of a half and an f32."""
    machine, instructions = machine_of("gfx942", "0240a0d308e52534", ALL)
    with np.errstate(all="ignore"):
        before, found = after(machine, instructions)
        halves = np.array(before[9], np.uint32).astype(np.uint16).view(np.float16).astype(np.float64)
        wanted = (halves - floats(before, 8).astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(floats(found, 2), wanted)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("ff828490f0ffffff", (1 << 64) - 4),  # s_ashr_i64 s[4:5], 0xfffffff0, 2: extended by its sign
        ("ff82848ff0ffffff", 0xFFFFFFF0 >> 2),  # s_lshr_b64 s[4:5], 0xfffffff0, 2: by zeros
        ("c1ff8486ffffffff", 0xFFFFFFFF),  # s_and_b64 s[4:5], -1, 0xffffffff
        ("ff040494ffffefff", (1 << 64) - 0x100001),  # s_bfe_i64 s[4:5], 0xffefffff, s4, which says all bits
    ],
)
def test_a_literal_of_64_bits_is_extended_by_its_type(code, wanted):
    """LLVM's AMDGPUOperandSyntax, "Conversion of Integer Values", has the last one for an example."""
    machine, instructions = machine_of("gfx942", code, ALL)
    machine.registers.scalars["s", 4] = machine.registers.w.const(64 << 16, 32)
    after(machine, instructions)
    assert machine.registers.read_scalar(Operand("s", 4), 64).item() == wanted


@pytest.mark.parametrize(
    ("target", "code"),
    [("gfx942", "02800bd103090200"), ("gfx1100", "028010d503090200")],  # v_max_f32_e64 v2, v3, v4 clamp
)
def test_a_number_is_clamped_between_nothing_and_one(target, code):
    """And what is none is 0, as the descriptor says of it."""
    machine, instructions = machine_of(target, code, [True] * (64 if target == "gfx942" else 32))
    lanes = machine.registers.kernel.wave_size
    numbers = np.resize(np.float32([-np.inf, -3, -0.0, 0.0, 1e-40, 0.25, 1, 1.5, np.inf, np.nan]), lanes)
    for k in (3, 4):
        machine.registers.vectors["v", k] = machine.registers.w.const(0, 32) | numbers.view(np.uint32)
    with np.errstate(all="ignore"):
        _, found = after(machine, instructions)
    wanted = np.where(np.isnan(numbers), 0, np.clip(numbers, 0, 1)) + np.float32(0)
    np.testing.assert_array_equal(np.array(found[2], np.uint32), wanted.astype(np.float32).view(np.uint32))
    kernel = replace(machine.registers.kernel, clamps_nan=False)
    machine.interpreter.arithmetic.kernel = kernel
    with pytest.raises(UnsupportedInstructionError, match="clmp"):
        machine.step(replace(instructions[0], address=64))


@pytest.mark.parametrize("lower", [0, 1])
@pytest.mark.parametrize("upper", [0, 1])
def test_each_result_of_a_pair_has_the_half_that_is_selected_for_it(lower, upper):
    """v_pk_mul_f32 v[2:3], v[8:9], s[10:11], bits 12 and 60 of which pick the halves of the second source."""
    word = (
        int.from_bytes(bytes.fromhex("0240b1d308150008"), "little") & ~(1 << 12 | 1 << 60) | lower << 12 | upper << 60
    )
    machine, instructions = machine_of("gfx942", word.to_bytes(8, "little").hex(), ALL)
    factors = np.float32([0.25, -3])
    for k, factor in enumerate(factors):
        machine.registers.scalars["s", 10 + k] = machine.registers.w.const(int(factor.view(np.uint32)), 32)
    with np.errstate(all="ignore"):
        before, found = after(machine, instructions)
        for k, half in enumerate((lower, upper)):
            np.testing.assert_array_equal(floats(found, 2 + k), floats(before, 8 + k) * factors[half])


@pytest.mark.parametrize("source", ["5", "-1", "1.0"])
def test_a_shift_beyond_what_the_machine_shifts_by_is_in_doubt(source):
    """V_LSHL_ADD_U64 shifts by 0 to 4."""
    taken = machine_of("gfx942", encoded("gfx942", "v_lshl_add_u64 v[2:3], v[4:5], 4, v[6:7]").hex(), ALL)
    after(*taken)
    line = f"v_lshl_add_u64 v[2:3], v[4:5], {source}, v[6:7]"
    with pytest.raises(UnsupportedInstructionError, match="described for 0 to 4"):
        after(*machine_of("gfx942", encoded("gfx942", line).hex(), ALL))


def counts_of_shifts(most):
    """v_lshl_add_u64 v[2:3], v[4:5], v6, v[8:9] where v6 is the lane's number, at most so much: what it leaves."""
    machine, instructions = machine_of("gfx950", "020008d2040d2204", ALL)
    machine.registers.vectors["v", 6] = machine.registers.w.const(0, 32) | np.arange(64, dtype=np.uint32) % (most + 1)
    before, _ = after(machine, instructions)
    return before, [machine.registers.vectors["v", k] for k in (2, 3)]


def test_a_shift_that_a_register_says_gives_anything_beyond_what_the_machine_shifts_by():
    """AMD's pseudocode shifts by three bits of it, and its text says by nothing: the copies of a run differ there."""
    before, found = counts_of_shifts(4)
    for n in range(64):
        first, second = (before[k][n] | before[k + 1][n] << 32 for k in (4, 8))
        total = (first << n % 5) + second & (1 << 64) - 1
        assert [int(word[..., n].max()) for word in found] == [total & 0xFFFFFFFF, total >> 32]
    _, found = counts_of_shifts(7)
    assert [len(word) for word in found] == [2, 2]
    alike = [n for n in range(64) if all(word[0, 0, 0, n] == word[1, 0, 0, n] for word in found)]
    assert alike == [n for n in range(64) if n % 8 <= 4]


@pytest.mark.parametrize(
    ("code", "other"),
    [
        ("020006d203091604", "kept"),  # v_fma_f16 v2, v3, v4, v5
        ("020007d203091604", "kept"),  # v_div_fixup_f16
        ("020004d203091604", "kept"),  # v_mad_u16
        ("0200ebd103091604", "cleared"),  # v_mad_legacy_u16
        ("0309043e", "cleared"),  # v_add_f16 v2, v3, v4
        ("0200fad103091604", "anything"),  # v_med3_f16
        ("0200f8d103091604", "anything"),  # v_max3_i16
        ("020533d20309161c", "anything"),  # v_bitop3_b16 … bitop3:0xe8
    ],
)
def test_the_upper_half_beside_a_result_of_16_bits(code, other):
    """CDNA 4 ISA, notes of each; what sources differ in is no value that both copies of a run have."""
    machine, instructions = machine_of("gfx950", code, ALL)
    with np.errstate(all="ignore"):
        before, _ = after(machine, instructions)
    upper = machine.registers.vectors["v", 2] >> np.uint32(16)
    wanted = np.array(before[2], np.uint32) >> np.uint32(16) if other == "kept" else np.zeros(64, np.uint32)
    if other == "anything":
        assert (upper[0] != upper[1]).sum() > 60
    else:
        np.testing.assert_array_equal(upper.reshape(-1, 64)[-1], wanted)


def test_the_addend_of_a_constant_product_is_indexed_as_a_third_source():
    """s_set_gpr_idx_on s4, gpr_idx(SRC1) and gpr_idx(SRC2), v_fmamk_f32 v2, v3, 0x42000000, v4: CDNA 4 ISA, 6.6.2."""
    for mode, addend in ((2, 4), (4, 6)):
        machine, instructions = machine_of("gfx950", f"04{mode:02x}11bf" + "0309042e00000042", ALL)
        machine.registers.scalars["s", 4] = machine.registers.w.const(2, 32)
        with np.errstate(all="ignore"):
            before, found = after(machine, instructions)
            wanted = (floats(before, 3).astype(float) * 32 + floats(before, addend)).astype("f4")
        np.testing.assert_array_equal(floats(found, 2), wanted)


def test_a_move_between_lanes_of_indexed_registers_is_refused():
    """s_set_gpr_idx_on s4, gpr_idx(SRC0), v_readfirstlane_b32 s6, v3."""
    machine, instructions = machine_of("gfx950", "040111bf" + "03050c7e", ALL)
    machine.registers.scalars["s", 4] = machine.registers.w.const(2, 32)
    with pytest.raises(UnsupportedInstructionError, match="with indexed registers"):
        after(machine, instructions)
