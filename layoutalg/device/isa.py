"""A device that is no card: AMD machine code, carried out instruction by instruction in numpy, on this processor.

It runs the code object that a card would load, and stops with a fault at what no correct kernel does (an access outside
the buffers, a read of what nothing wrote, data used before their wait, a race in LDS).  `gfx942-isa` is the machine of
gfx942, and so on for each target whose machine code is decoded.

>>> device = IsaDevice("gfx942")
>>> device.target, device.kind
('gfx942', 'gfx942-isa')

It says nothing of time.
"""

from __future__ import annotations

import numpy as np

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.host import HostDevice
from layoutalg.device.runtime import CheckedLaunch, DeviceArray, Module, require_target
from layoutalg.errors import NoDeviceError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.cycles import InstructionCycles
from layoutalg.isa.run.launch import execute
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
    """The machine of one AMD target, executed in numpy."""

    def __init__(self, target: str):
        self.target = target
        self.kind = f"{target}{SUFFIX}"
        self.name = f"{target} machine code, executed on this processor"
        self.properties = {}
        self.lds: tuple[InstructionCycles, ...] = ()  # what each LDS instruction of the last launch cost

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
        found = execute(program, launch.grid, launch.block, given)
        self.device.lds = found.lds
        for array, result in zip((a for a in given if isinstance(a, np.ndarray)), found.outputs, strict=True):
            if array.flags.writeable:
                array[...] = result
