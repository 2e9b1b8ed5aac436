"""One instruction on a machine whose registers are given: a wave of which some lanes are active."""

from dataclasses import replace

import numpy as np

from layoutalg.isa.decode.instructions import EXEC, Operand
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.spaces import GlobalMemory, Region
from tests.isa.decode.test_allowed import decoded


def machine_of(target, code, active, **given):
    """The machine, the decoded instructions, and random vector registers; `active` is a truth for each lane."""
    program = decoded(target, bytes.fromhex(code), vector_registers=64, **given)
    kernel = replace(program.kernel, lds_bytes=1024)
    memory = GlobalMemory([Region("room", np.zeros(64, np.uint8))])
    machine = ConcreteMachine(
        kernel, np.zeros((1, 3), np.int64), 1, kernel.wave_size, memory, 1, LdsMeter(target), strict=False
    )
    mask = sum(1 << n for n, is_active in enumerate(active) if is_active)
    machine.registers.write_scalar(Operand("s", EXEC), 64, machine.registers.w.const(mask, 64))
    rng = np.random.default_rng(9)
    for k in range(64):
        word = rng.integers(0, 1 << 32, kernel.wave_size, np.uint32)
        machine.registers.vectors["v", k] = machine.registers.w.const(0, 32) | word
    return machine, program.instructions


def after(machine, instructions):
    """The vector registers before and after, of the one wave."""
    before = {k: word.ravel().tolist() for (kind, k), word in machine.registers.vectors.items() if kind == "v"}
    for instruction in instructions:
        machine.registers.where = instruction.place
        machine.step(instruction)
    return before, {k: word.ravel().tolist() for (kind, k), word in machine.registers.vectors.items() if kind == "v"}
