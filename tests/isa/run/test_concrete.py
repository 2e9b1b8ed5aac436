"""Waves that skip vector instructions, beside others that do not."""

import numpy as np
import pytest

from layoutalg.errors import Fault
from layoutalg.isa.decode.instructions import Operand
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.spaces import GlobalMemory
from tests.isa.decode.test_allowed import decoded

SKIP, ISSUE = "048310bf", "808010bf"  # s_setvskip s4, 3; s_setvskip 0, 0
ONE, TWO, THREE = "8102047e", "8202067e", "830085be"  # v_mov_b32 v2, 1; v_mov_b32 v3, 2; s_mov_b32 s5, 3


def machine_of(code):
    program = decoded("gfx942", bytes.fromhex(code), vector_registers=64)
    machine = ConcreteMachine(
        program.kernel, np.zeros((1, 3), np.int64), 2, 128, GlobalMemory([]), 1, LdsMeter("gfx942"), strict=False
    )
    for operand in (Operand("v", 2), Operand("v", 3)):
        machine.registers.write_register(operand, 32, np.zeros((1, 1, 2, 64), np.uint32))
    machine.registers.write_scalar(Operand("s", 4), 32, np.uint32([[[[0b10111], [0b01000]]]]))  # bit 3: of wave 1
    for instruction in program.instructions:
        machine.step(instruction)
    return machine.registers


def of_waves(registers, operand):
    return [int(one) for one in registers.by_wave(registers.read_register(operand, 32))[0, :, 0]]


def test_a_wave_in_vskip_mode_issues_no_vector_instruction():
    registers = machine_of(SKIP + ONE + THREE + ISSUE + TWO)
    assert of_waves(registers, Operand("v", 2)) == [1, 0]
    assert of_waves(registers, Operand("v", 3)) == [2, 2]
    assert set(registers.read_scalar(Operand("s", 5), 32).ravel().tolist()) == {3}


def test_where_all_waves_skip_nothing_is_done():
    """s_setvskip -1, 0"""
    assert of_waves(machine_of("c18010bf" + ONE), Operand("v", 2)) == [0, 0]


def test_whether_it_is_skipped_is_defined():
    with pytest.raises(Fault, match="whether vector instructions are skipped depends on an undefined value"):
        machine_of("0c8310bf" + ONE)  # s_setvskip s12, 3
