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

import ctypes
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutalg.device.codeobject import CodeObject, KernelResources
from layoutalg.device.runtime import Device, DeviceArray, Event, Module, Size, require_target, shape_of
from layoutalg.errors import LaunchError, NoDeviceError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.target.known import decoded

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from layoutalg.isa.run.cycles import InstructionCycles

SUFFIX = "-isa"


def find(kind: str) -> IsaDevice:
    """The device of a kind such as `gfx942-isa`; NoDeviceError lists those that there are."""
    kinds = [f"{target}{SUFFIX}" for target in decoded()]
    if kind not in kinds:
        raise NoDeviceError(f"unknown device {kind!r}: give one of {', '.join(kinds)}")
    return IsaDevice(kind.removesuffix(SUFFIX))


class IsaEvent(Event):
    """A moment on this processor's clock."""

    def __init__(self) -> None:
        self.seconds = time.perf_counter()

    def milliseconds_since(self, start: Event) -> float:
        assert isinstance(start, IsaEvent)
        return (self.seconds - start.seconds) * 1e3


class IsaDevice(Device):
    """The machine of one AMD target, executed in numpy."""

    max_threads = 1024

    def __init__(self, target: str):
        self.target = target
        self.kind = f"{target}{SUFFIX}"
        self.name = f"{target} machine code, executed on this processor"
        self.properties = {}
        self.lds: tuple[InstructionCycles, ...] = ()  # what each LDS instruction of the last launch cost

    def load(self, code: CodeObject) -> IsaModule:
        require_target(self, code)
        return IsaModule(self, code)

    def empty(self, shape: Size, dtype: DTypeLike) -> DeviceArray:
        return self.view(np.empty(shape_of(shape), dtype))

    def array(self, values: NDArray[Any]) -> DeviceArray:
        return self.view(np.ascontiguousarray(values).copy())

    def view(self, values: Any) -> DeviceArray:
        host = np.asarray(values)
        if not host.flags.c_contiguous:
            raise LaunchError("an array must be contiguous and row-major: copy it with device.array(…)")
        return DeviceArray(self, host.shape, host.dtype, host.ctypes.data, host)

    def to_numpy(self, array: DeviceArray) -> NDArray[Any]:
        return np.asarray(array.owner)

    def synchronize(self) -> None:
        """Returns at once: a launch ends before it returns."""

    def event(self) -> IsaEvent:
        return IsaEvent()


class IsaModule(Module):
    """A code object, decoded when it is launched."""

    device: IsaDevice

    def launch(self, kernel: str, grid: Size, block: Size, arguments: Sequence[Any]) -> None:
        """As every module's; the arrays are updated in place. `Fault` names the instruction that no kernel may do."""
        self._arguments = arguments
        super().launch(kernel, grid, block, arguments)

    def _start(
        self,
        kernel: KernelResources,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        addresses: ctypes.Array[ctypes.c_void_p],
    ) -> None:
        program = decode_kernel(read_kernels(self.code.payload)[kernel.name])
        given = [np.asarray(a.owner) if isinstance(a, DeviceArray) else a for a in self._arguments]
        found = execute(program, grid, block, given)
        self.device.lds = found.lds
        for array, result in zip((a for a in given if isinstance(a, np.ndarray)), found.outputs, strict=True):
            if array.flags.writeable:
                array[...] = result
