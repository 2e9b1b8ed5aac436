"""A device that is no card: AMD machine code, carried out instruction by instruction in numpy, on this processor.

It runs the code object that a card would load, and stops with a fault at what no correct kernel does (an access outside
the buffers, a read of what nothing wrote, data used before their wait, a race in LDS).  `gfx942-isa` is the machine of
gfx942, and so on for each target whose machine code is decoded.

>>> device = IsaDevice("gfx942")
>>> device.target, device.kind
('gfx942', 'gfx942-isa')

Without checks a kernel is compiled for this processor (`plain`), which is much faster; bad addresses and
barriers alone are faults; what has no compiled text is carried out in numpy, and `refused` says what it was.

It says nothing of time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.host import HostDevice
from layoutalg.device.plain import execute_plainly
from layoutalg.device.runtime import CheckedLaunch, DeviceArray, Module, require_target
from layoutalg.errors import NoDeviceError, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.cycles import InstructionCycles
from layoutalg.isa.run.launch import Execution, execute
from layoutalg.target.known import decoded

SUFFIX = "-isa"


def find(kind: str) -> IsaDevice:
    """The device of a kind such as `gfx942-isa`; NoDeviceError lists those that there are."""
    kinds = [f"{target}{SUFFIX}" for target in decoded()]
    if kind not in kinds:
        raise NoDeviceError(f"unknown device {kind!r}: give one of {', '.join(kinds)}")
    return IsaDevice(kind.removesuffix(SUFFIX))


def machine_code(code: CodeObject, kernel: str) -> MachineCode:
    """The machine code of one kernel of a code object, decoded; `DeviceError` names what is not supported."""
    return decode_kernel(read_kernels(code.payload)[kernel])


class IsaDevice(HostDevice):
    """The machine of one AMD target, executed in numpy; without `checks` compiled, where it can be."""

    def __init__(self, target: str, checks: bool = True):
        self.target, self.checks = target, checks
        self.kind = f"{target}{SUFFIX}"
        self.name = f"{target} machine code, executed on this processor"
        self.properties = {}
        self.lds: tuple[InstructionCycles, ...] = ()  # what each LDS instruction of the last launch cost, with checks
        self.refused = ""  # why the last launch was carried out in numpy, though no checks were wanted

    def load(self, code: CodeObject) -> IsaModule:
        require_target(self, code)
        return IsaModule(self, code)


class IsaModule(Module):
    """A code object, decoded when it is launched."""

    device: IsaDevice

    def _start(self, launch: CheckedLaunch) -> None:
        """The arrays are updated in place. `Fault` names the instruction that no kernel may do."""
        program = machine_code(self.code, launch.kernel.name)
        given = [np.asarray(a.owner) if isinstance(a, DeviceArray) else a for a in launch.arguments]
        found = self._executed(program, launch, given)
        self.device.lds = found.lds
        for array, result in zip((a for a in given if isinstance(a, np.ndarray)), found.outputs, strict=True):
            if array.flags.writeable:
                array[...] = result

    def _executed(self, program: MachineCode, launch: CheckedLaunch, given: list[Any]) -> Execution:
        self.device.refused = ""
        if not self.device.checks:
            try:
                return execute_plainly(program, launch.grid, launch.block, given)
            except UnsupportedInstructionError as error:
                self.device.refused = str(error)
        return execute(program, launch.grid, launch.block, given)
