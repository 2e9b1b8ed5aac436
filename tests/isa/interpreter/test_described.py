"""What counts as described is what the interpreter takes: every name that AMD's encodings have is asked of both."""

from importlib import import_module

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.interpreter.described import is_described
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.spaces import GlobalMemory, Region
from layoutalg.isa.semantics.control import BARRIERS, BRANCHES, ENDS, JUMPS
from tests.matrix import each

NOTHING = '#include "layoutalg_device.h"\nextern "C" __global__ void nothing() {}\n'


def names(architecture):
    """Every opcode's name."""
    enums = vars(import_module(f"tinygrad.runtime.autogen.amd.{architecture}.enum")).values()
    found = {one.name for kind in enums if isinstance(kind, type) and hasattr(kind, "__members__") for one in kind}
    return sorted({name.removesuffix("_E32").removesuffix("_E64") for name in found if "_" in name})


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"], "gfx1201"))
def test_what_is_described_is_what_the_interpreter_takes(target):
    kernel = read_kernels(compile_source(NOTHING, target).payload)["nothing"]
    memory = GlobalMemory([Region("room", np.zeros(64, np.uint8))])
    machine = ConcreteMachine(kernel, np.zeros((1, 3), np.int64), 1, kernel.wave_size, memory, 1, LdsMeter(target))
    control = {*BARRIERS, *BRANCHES, *ENDS, *JUMPS}
    asked = [name for name in names(kernel.machine.decoder) if name not in control]
    wrong = []
    for name in asked:
        instruction = Instruction(0, 4, name, "SOP2")
        try:
            machine.step(instruction)
            taken = True
        except UnsupportedInstructionError as error:
            taken = "has no entry in the semantics" not in str(error)
        except Exception:  # it has no operands: what it is taken for does not matter
            taken = True
        if taken != is_described(instruction, kernel.architecture, target):
            wrong.append(name)
    assert not wrong
    assert len(asked) > 500
