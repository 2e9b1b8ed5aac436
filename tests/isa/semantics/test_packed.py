"""Packed and mixed operations: which halves they take, and what they make of them."""

import numpy as np
import pytest

from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.table import ALU
from tests.isa.machines import after, machine_of

W = ArrayValues()


def pair(low, high, dtype=np.float32):
    """Two numbers as a word, the first one low."""
    half = np.array([low, high], dtype)
    return W.const(
        int(half.view(np.uint64 if dtype == np.float32 else np.uint32)[0]), 64 if dtype == np.float32 else 32
    )


def numbers(word, dtype):
    return np.array([int(word.item())], np.uint64 if dtype == np.float32 else np.uint32).view(dtype).tolist()


def single(number):
    return W.const(int(np.float32(number).view(np.uint32)), 32)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_packed_operation_picks_and_negates_halves(dtype):
    alu = ALU["V_PK_FMA_F32" if dtype == np.float32 else "V_PK_FMA_F16"]
    sources = (pair(2, 3, dtype), pair(5, 7, dtype), pair(11, 13, dtype))
    got = alu.effect(W, *sources, opsel=0b010, opsel_hi=0b00, opsel_hi2=1, neg=0b001, neg_hi=0b100)
    # low: -2 (low of a, negated) · 7 (high of b) + 11; high: 2 (low) · 5 (low) - 13 (high of c, negated)
    assert numbers(got, dtype) == [-3.0, -3.0]
    assert numbers(alu.effect(W, *sources), dtype) == [21.0, 34.0]


def test_a_mixed_sum_takes_singles_and_halves_and_rounds_once():
    alu, small = ALU["V_FMA_MIX_F32"], 2.0**-13
    halves = pair(9, -3, np.float16)
    # -|high of a| · b + c
    got = alu.effect(W, halves, single(5), single(1), opsel=1, opsel_hi=1, opsel_hi2=0, neg=1, neg_hi=1)
    assert numbers(got, np.float32)[0] == -14.0
    got = alu.effect(W, single(1 + small), single(1 - small), single(-1), opsel_hi=0, opsel_hi2=0)
    assert numbers(got, np.float32)[0] == -(2.0**-26)


@pytest.mark.parametrize(("half", "expected"), [("LO", [6.5, 4.0]), ("HI", [2.0, 6.5])])
def test_a_mixed_sum_in_one_half_keeps_the_other(half, expected):
    sources = single(1.5), single(3), single(2), pair(2, 4, np.float16)
    got = ALU[f"V_FMA_MIX{half}_F16"].effect(W, *sources, opsel_hi=0, opsel_hi2=0)
    assert numbers(got, np.float16) == expected


@pytest.mark.parametrize("name", ["V_DOT2_F32_F16", "V_DOT2C_F32_F16"])
def test_a_sum_of_two_products(name):
    got = ALU[name].effect(W, pair(2, 3, np.float16), pair(5, -7, np.float16), single(0.5))
    assert numbers(got, np.float32)[0] == 2 * 5 - 3 * 7 + 0.5


@pytest.mark.parametrize(("target", "kept"), [("gfx90a", False), ("gfx942", True)])
def test_subnormal_halves_of_a_sum_of_products_are_zeros_on_gfx90a(target, kept):
    """v_dot2_f32_f16 v2, v3, v4, v5 of two least halves: llvm-project, pull request 205101."""
    machine, instructions = machine_of(target, "0240a3d30309161c", [True] * 64)
    for register, word in ((3, 0x00010001), (4, 0x3C003C00), (5, 0)):
        machine.registers.vectors["v", register] = machine.registers.w.const(word, 32) | np.zeros(64, np.uint32)
    _, found = after(machine, instructions)
    assert np.uint32([found[2][0]]).view(np.float32)[0] == (2.0**-23 if kept else 0)


def test_multiplied_and_then_added_is_rounded_twice_and_has_no_denormals():
    """Vega ISA, V_MAD_F32; LLVM, FMAD_FTZ."""
    alu, small = ALU["V_MAD_F32"], 2.0**-13
    assert numbers(alu.effect(W, single(1 + small), single(1 - small), single(-1)), np.float32)[0] == 0.0
    assert numbers(alu.effect(W, single(1e-39), single(1), single(0)), np.float32)[0] == 0.0
    assert numbers(alu.effect(W, single(3), single(5), single(7)), np.float32)[0] == 22.0
