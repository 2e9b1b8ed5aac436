"""Operations of bf16: exact, and rounded once, against sums of fractions."""

from fractions import Fraction

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.table import ALU
from tests.isa.machines import after, machine_of

W = ArrayValues()
HALVES = [
    0x3F80,
    0x3F81,
    0xBF80,
    0x0001,
    0x8001,
    0x0080,
    0x007F,
    0x7F7F,
    0xFF7F,
    0x4049,
    0x3E80,
    0x2000,
    0x9FFF,
    0x1A80,
]


def value(bits: int) -> Fraction:
    return Fraction(float(np.array([bits << 16], np.uint32).view(np.float32)[0]))


def nearest(exact: Fraction) -> int:
    """The bf16 nearest to a number, ties to even, of a number that is not zero; infinite above the greatest."""
    size, sign = abs(exact), 0x8000 if exact < 0 else 0
    every = range(0x7F80)
    low, high = 0, 0x7F80
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(every[middle]) <= size else (low, middle)
    above = value(high) if high < 0x7F80 else Fraction(2) ** 128
    rest, gap = size - value(low), above - value(low)
    up = 2 * rest > gap or (2 * rest == gap and low % 2 == 1)
    return sign | low + up


@pytest.mark.parametrize("name", ["ADD", "MUL", "FMA"])
def test_packed_operations_are_rounded_once(name: str) -> None:
    rng = np.random.default_rng(4)
    taken = [[HALVES[k] if rng.random() < 0.5 else int(rng.integers(0x7F80)) for k in rng.integers(0, len(HALVES), 3)]
             for _ in range(400)]  # fmt: skip
    taken += [[0x3F81, 0x3F81, 0x2F80], [0x3F81, 0x3F81, 0xAF80], [0x0001, 0x3F00, 0x0001], [0x0001, 0x3F00, 0x0000]]
    for a, b, c in taken:
        exact = {"ADD": value(a) + value(b), "MUL": value(a) * value(b), "FMA": value(a) * value(b) + value(c)}[name]
        words = [W.const(one << 16 | one, 32) for one in (a, b, c)[: 3 if name == "FMA" else 2]]
        found = int(ALU[f"V_PK_{name}_BF16"].effect(W, *words).item())
        assert found >> 16 == found & 0xFFFF
        if exact:
            assert found >> 16 == nearest(exact), (hex(a), hex(b), hex(c))
        else:
            assert found >> 16 & 0x7FFF == 0


def test_a_mixed_sum_that_would_be_rounded_twice_is_rounded_once() -> None:
    """1 + 2⁻⁸ + 2⁻⁴⁰ lies above the middle of two bf16; as f32 it is that middle."""
    one, small = 0x3F800000, W.const(int(np.float32(2.0**-40).view(np.uint32)), 32)
    middle = W.const(int(np.float32(1 + 2.0**-8).view(np.uint32)), 32)
    words = (middle, W.const(one, 32), small, W.const(0xABCD1234, 32))
    low = ALU["V_FMA_MIXLO_BF16"].effect(W, *words, opsel_hi=0, opsel_hi2=0)
    assert int(low.item()) == 0xABCD3F81
    high = ALU["V_FMA_MIXHI_BF16"].effect(W, *words, opsel_hi=0, opsel_hi2=0)
    assert int(high.item()) == 0x3F811234


def test_a_constant_of_a_mixed_sum_is_the_upper_half_of_an_f32() -> None:
    """v_fma_mix_f32_bf16 v21, v18, 1.0, v19 op_sel:[0,1,0] op_sel_hi:[1,1,0], as LLVM writes it."""
    machine, instructions = machine_of("gfx1250", "15103dcc12e54d1c", [True] * 32)
    for register, number in ((18, 3.0), (19, 0.5)):
        bits = int(np.float32(number).view(np.uint32)) >> (16 if register == 18 else 0)
        machine.registers.vectors["v", register] = machine.registers.w.const(bits, 32) | np.zeros(32, np.uint32)
    _, found = after(machine, instructions)
    assert np.uint32([found[21][0]]).view(np.float32)[0] == 3.5


def test_of_a_scalar_a_packed_operation_takes_the_lower_half() -> None:
    """v_pk_mul_f32 v[4:5], 2.5, v[4:5] op_sel_hi:[0,1]; and s[2:3] with both halves, of which the upper is not read."""
    machine, instructions = machine_of("gfx1250", "044028ccff08021200002040", [True] * 32)
    for register, number in ((4, 3.0), (5, -2.0)):
        bits = int(np.float32(number).view(np.uint32))
        machine.registers.vectors["v", register] = machine.registers.w.const(bits, 32) | np.zeros(32, np.uint32)
    _, found = after(machine, instructions)
    assert [np.uint32([found[k][0]]).view(np.float32)[0] for k in (4, 5)] == [7.5, -5.0]
    machine, instructions = machine_of("gfx1250", "044028cc0208021a", [True] * 32)
    with pytest.raises(UnsupportedInstructionError, match="which is no vector"):
        after(machine, instructions)


def test_what_only_says_how_code_is_carried_out_changes_nothing() -> None:
    """global_prefetch_b8 v0, s[64:65] scope:SCOPE_SE; s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 2."""
    machine, instructions = machine_of("gfx1250", "404017ee00000400000000001a0880b902000000", [True] * 32)
    assert [one.size for one in instructions] == [12, 8]
    after(machine, instructions)
    machine, instructions = machine_of("gfx1201", "1a0880b902000000", [True] * 32)
    with pytest.raises(UnsupportedInstructionError, match="mode"):
        after(machine, instructions)
