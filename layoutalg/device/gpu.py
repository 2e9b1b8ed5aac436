"""What AMD's and NVIDIA's runtimes have in common: memory, modules, launches and events, over a small `Driver`.

HIP's module interface mirrors CUDA's driver interface call by call, so a GPU is one class and two tables of calls:

| `Driver` | HIP | CUDA |
|---|---|---|
| `load`, `function` | hipModuleLoadData, hipModuleGetFunction | cuModuleLoadData, cuModuleGetFunction |
| `launch` | hipModuleLaunchKernel | cuLaunchKernel |
| `allocate`, `release` | hipMalloc, hipFree | cuMemAlloc, cuMemFree |
| `upload`, `download` | hipMemcpy | cuMemcpyHtoD, cuMemcpyDtoH |
| `record`, `elapsed` | hipEventRecord, hipEventElapsedTime | cuEventRecord, cuEventElapsedTime |

Launches and events go to `device.stream`, the default stream unless it is set (to torch's current one, say: its
`cuda_stream` is the number). Arrays of torch and CuPy are used in place, and take ours so.
"""

import ctypes
import math
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.dlpack import DEVICE_TYPES, to_capsule
from layoutalg.device.runtime import (
    BoxOf,
    CheckedLaunch,
    Device,
    DeviceArray,
    Event,
    Module,
    Size,
    Triple,
    require_target,
    shape_of,
)
from layoutalg.errors import LaunchError


class Driver(ABC):
    """A GPU runtime library, for one device. Every call raises `LaunchError` when it fails."""

    @abstractmethod
    def use(self) -> None:
        """Makes the device the current one of this host thread."""

    @abstractmethod
    def allocate(self, size: int) -> int:
        """The address of new device memory."""

    @abstractmethod
    def release(self, pointer: int) -> None:
        """Gives device memory back."""

    @abstractmethod
    def upload(self, pointer: int, host: int, size: int) -> None:
        """Copies from the host to the device."""

    @abstractmethod
    def download(self, host: int, pointer: int, size: int) -> None:
        """Copies from the device to the host, after what was launched before."""

    @abstractmethod
    def load(self, payload: bytes) -> Any:
        """A module from a code object's bytes."""

    @abstractmethod
    def function(self, module: Any, name: str) -> Any:
        """A kernel of a module."""

    def allow_lds(self, function: Any, lds_bytes: int) -> None:
        """Lets a kernel's launches ask for LDS beyond what it declares; only NVIDIA's need to."""
        raise LaunchError(f"this runtime's kernels declare all of their LDS; {lds_bytes} bytes more are asked for")

    def box(self, pointer: int, of: BoxOf) -> bytes:
        """What a kernel is told of an array that it copies by boxes; only NVIDIA's are."""
        raise LaunchError("this runtime's kernels copy no boxes of tensors")

    @abstractmethod
    def launch(
        self, function: Any, grid: Triple, block: Triple, stream: int, addresses: int,
        lds_bytes: int = 0,
    ) -> None:  # fmt: skip
        """Starts a kernel; `addresses` is where the arguments' addresses lie; `lds_bytes` as allowed by `allow_lds`."""

    @abstractmethod
    def synchronize(self) -> None:
        """Waits for all work of the device."""

    @abstractmethod
    def record(self, stream: int) -> Any:
        """A new event, put into the stream."""

    @abstractmethod
    def forget(self, event: Any) -> None:
        """Gives an event back."""

    @abstractmethod
    def elapsed(self, start: Any, end: Any) -> float:
        """Milliseconds between two events; waits for the later one."""


class GpuArray(DeviceArray):
    """An array in a GPU's memory; torch, CuPy and JAX take it without a copy."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        data = (self.pointer, False)
        return {"shape": self.shape, "typestr": self.dtype.str, "data": data, "strides": None, "version": 3}

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        self.device.synchronize()
        return to_capsule(self)

    def __dlpack_device__(self) -> tuple[int, int]:
        return DEVICE_TYPES[self.device.kind], self.device.index


class GpuDevice(Device):
    """A GPU."""

    def __init__(
        self,
        driver: Driver,
        kind: str,
        index: int,
        name: str,
        target: str,
        max_threads: int,
        properties: Mapping[str, int | str],
    ):
        self.driver = driver
        self.kind = kind
        self.index = index
        self.name = name
        self.target = target
        self.max_threads = max_threads
        self.properties = properties
        self.stream = 0

    def load(self, code: CodeObject) -> "GpuModule":
        require_target(self, code)
        return GpuModule(self, code)

    def empty(self, shape: Size, dtype: npt.DTypeLike) -> GpuArray:
        self.driver.use()
        sizes, kind = shape_of(shape), np.dtype(dtype)
        pointer = self.driver.allocate(max(1, math.prod(sizes) * kind.itemsize))
        result = GpuArray(self, sizes, kind, pointer, None)
        weakref.finalize(result, self.driver.release, pointer).atexit = False
        return result

    def array(self, values: npt.NDArray[Any]) -> GpuArray:
        host = np.ascontiguousarray(values).reshape(values.shape)
        result = self.empty(host.shape, host.dtype)
        self.driver.upload(result.pointer, host.ctypes.data, host.nbytes)
        return result

    def view(self, values: Any) -> GpuArray:
        interface = getattr(values, "__cuda_array_interface__", None)
        if interface is None:
            raise LaunchError(f"a {type(values).__name__} is not on {self.name}: copy it with device.array(…)")
        shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
        if interface.get("strides") not in (None, _row_major(shape, dtype.itemsize)):
            raise LaunchError("an array must be contiguous and row-major: make it so first")
        return GpuArray(self, shape, dtype, interface["data"][0], values)

    def box(self, array: DeviceArray, of: BoxOf) -> bytes:
        self.driver.use()
        return self.driver.box(array.pointer, of)

    def to_numpy(self, array: DeviceArray) -> npt.NDArray[Any]:
        self.driver.use()
        host = np.empty(array.shape, array.dtype)
        self.driver.synchronize()
        self.driver.download(host.ctypes.data, array.pointer, host.nbytes)
        return host

    def synchronize(self) -> None:
        self.driver.use()
        self.driver.synchronize()

    def event(self) -> "GpuEvent":
        self.driver.use()
        return GpuEvent(self.driver, self.stream)


class GpuModule(Module):
    """A code object in a GPU's memory."""

    device: GpuDevice

    def __init__(self, device: GpuDevice, code: CodeObject):
        super().__init__(device, code)
        device.driver.use()
        self._module = device.driver.load(code.payload)
        self._functions = {name: device.driver.function(self._module, name) for name in code.kernels}
        for name, kernel in code.kernels.items():
            if kernel.asked_lds_bytes:
                device.driver.allow_lds(self._functions[name], kernel.asked_lds_bytes)

    def _start(self, launch: CheckedLaunch) -> None:
        self.device.driver.use()
        self.device.driver.launch(
            self._functions[launch.kernel.name], launch.grid, launch.block, self.device.stream,
            ctypes.addressof(launch.addresses), launch.kernel.asked_lds_bytes,
        )  # fmt: skip


class GpuEvent(Event):
    """An event in a GPU's stream."""

    def __init__(self, driver: Driver, stream: int):
        self._driver = driver
        self._handle = driver.record(stream)
        weakref.finalize(self, driver.forget, self._handle).atexit = False

    def milliseconds_since(self, start: Event) -> float:
        if not isinstance(start, GpuEvent) or start._driver is not self._driver:
            raise LaunchError("the two events are of different devices")
        self._driver.use()
        return self._driver.elapsed(start._handle, self._handle)


def _row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides = []
    for length in reversed(shape):
        strides.append(itemsize)
        itemsize *= length
    return tuple(reversed(strides))
