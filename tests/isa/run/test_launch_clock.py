"""Clocks and traps of a run: the time comes after a wait and goes on; a trap is a fault, where a wave comes to it."""

import pytest

from layoutalg.errors import Fault
from layoutalg.isa.decode.instructions import Operand
from tests.isa.machines import after, machine_of

TIME, WAIT = "000190c000000000", "7fc08cbf"  # s_memtime s[4:5]; s_waitcnt lgkmcnt(0)


def test_the_time_goes_on_and_is_there_after_a_wait():
    machine, instructions = machine_of("gfx942", TIME + WAIT, [True] * 64)
    times = []
    for _ in range(2):
        after(machine, instructions)
        times.append(machine.registers.read_scalar(Operand("s", 4), 64).item())
    assert 0 < times[0] < times[1]


def test_the_time_is_not_there_before():
    machine, instructions = machine_of("gfx942", TIME, [True] * 64)
    after(machine, instructions)
    with pytest.raises(Fault, match="s4 is read before a wait"):
        machine.registers.read_scalar(Operand("s", 4), 64)
