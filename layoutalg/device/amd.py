"""Runs a kernel on an AMD GPU through the HIP runtime and hip-python. Written to the documentation; see the warning.

Warning: this module has not run on AMD hardware yet. Its calls are checked against a stand-in for the runtime library
that records what arrives (tests/device/test_amd.py), and the code objects are those that a real runtime loads.

| step | call |
|---|---|
| find | hipGetDeviceCount (error 100, hipErrorNoDevice, means none), hipGetDeviceProperties: gcnArchName |
| load | hipModuleLoadData, hipModuleGetFunction |
| run | hipModuleLaunchKernel with kernelParams: an address for each argument, as in CUDA |

hip-python imports without ROCm; the runtime library is looked for at its first call: by version 10 in the `rocm-sdk`
wheels, then `ROCM_PATH`, then by the loader (`LD_LIBRARY_PATH`, its cache); by earlier versions by the loader alone.
A hip-python is made for one version of ROCm; take the one that your ROCm names.
"""

import ctypes
from collections.abc import Callable
from types import ModuleType
from typing import Any

from layoutalg.device.gpu import Driver, GpuDevice
from layoutalg.device.runtime import Absent, Found, Triple
from layoutalg.device.targets import targets_of
from layoutalg.errors import LaunchError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import hip

# Our names for what the runtime knows about a card, and its own (hipDeviceProp_t).
_PROPERTIES = {
    "processors": "multiProcessorCount",
    "wave_size": "warpSize",
    "lds_bytes": "sharedMemPerBlock",
    "l2_bytes": "l2CacheSize",
    "clock_khz": "clockRate",
    "memory_clock_khz": "memoryClockRate",
    "memory_bus_bits": "memoryBusWidth",
    "memory_bytes": "totalGlobalMem",
}
_NO_DEVICE = 100


class HipDriver(Driver):
    """The HIP runtime, for one device."""

    def __init__(self, hip: ModuleType, index: int):
        self.hip = hip
        self.index = index

    def call(self, function: Callable[..., tuple[Any, ...]], *arguments: Any) -> Any:
        """Calls the runtime and returns its result. Raises `LaunchError`."""
        return check(function, *arguments)

    def use(self) -> None:
        self.call(self.hip.hipSetDevice, self.index)

    def allocate(self, size: int) -> int:
        memory = self.call(self.hip.hipMalloc, size)
        return int(memory.as_c_void_p().value)

    def release(self, pointer: int) -> None:
        self.use()
        self.call(self.hip.hipFree, pointer)

    def upload(self, pointer: int, host: int, size: int) -> None:
        self.call(self.hip.hipMemcpy, pointer, host, size, self.hip.hipMemcpyKind.hipMemcpyHostToDevice)

    def download(self, host: int, pointer: int, size: int) -> None:
        self.call(self.hip.hipMemcpy, host, pointer, size, self.hip.hipMemcpyKind.hipMemcpyDeviceToHost)

    def load(self, payload: bytes) -> Any:
        return self.call(self.hip.hipModuleLoadData, payload)

    def function(self, module: Any, name: str) -> Any:
        return self.call(self.hip.hipModuleGetFunction, module, name.encode())

    def launch(
        self, function: Any, grid: Triple, block: Triple, stream: int, addresses: int,
        lds_bytes: int = 0,
    ) -> None:  # fmt: skip
        stream_pointer = ctypes.c_void_p(stream)
        parameters = ctypes.c_void_p(addresses)
        self.call(self.hip.hipModuleLaunchKernel, function, *grid, *block, lds_bytes, stream_pointer, parameters, None)

    def synchronize(self) -> None:
        self.call(self.hip.hipDeviceSynchronize)

    def record(self, stream: int) -> Any:
        event = self.call(self.hip.hipEventCreate)
        self.call(self.hip.hipEventRecord, event, ctypes.c_void_p(stream))
        return event

    def forget(self, event: Any) -> None:
        self.use()
        self.call(self.hip.hipEventDestroy, event)

    def elapsed(self, start: Any, end: Any) -> float:
        self.call(self.hip.hipEventSynchronize, end)
        return float(self.call(self.hip.hipEventElapsedTime, start, end))


def find() -> Found:
    """The AMD GPUs of this machine, or why there are none.

    >>> found = find()
    >>> bool(found.devices) or bool(found.absent[0].reason)
    True
    """
    try:
        runtime: ModuleType = hip.hip
        error, count = runtime.hipGetDeviceCount()
    except ImportError:
        return _absent("hip-python is not installed: pip install hip-python (AMD's own), in your ROCm's version")
    except RuntimeError as failure:  # how hip-python says that libamdhip64.so cannot be loaded
        return _absent(f"the HIP runtime is not found ({failure}): install ROCm, or set ROCM_PATH or LD_LIBRARY_PATH")
    if int(error) == _NO_DEVICE or (int(error) == 0 and count == 0):
        return _absent("the HIP runtime finds no GPU: see rocminfo, and that you may open /dev/kfd")
    if int(error) != 0:
        return _absent(f"the HIP runtime does not start (hipGetDeviceCount: {error.name})")
    return Found.of(_device(runtime, index) for index in range(count))


def check(function: Callable[..., tuple[Any, ...]], *arguments: Any) -> Any:
    """Calls the runtime and returns its result. Raises `LaunchError` with the runtime's name for the error."""
    error, *results = function(*arguments)
    if int(error) != 0:
        raise LaunchError(f"{function.__name__} failed: {error.name}")
    return results[0] if results else None


def _device(hip: ModuleType, index: int) -> GpuDevice | Absent:
    properties = _properties(hip, index)
    name, target = (_text(value) for value in (properties.name, properties.gcnArchName))
    target = target.partition(":")[0]  # gfx90a:sramecc+:xnack-
    known = targets_of("amd")
    if target not in known:
        return Absent("amd", f"{name} is a {target}, and kernels are compiled for {', '.join(known)}")
    values: dict[str, int | str] = {ours: int(getattr(properties, theirs)) for ours, theirs in _PROPERTIES.items()}
    return GpuDevice(HipDriver(hip, index), "amd", index, name, target, int(properties.maxThreadsPerBlock), values)


def _properties(hip: ModuleType, index: int) -> Any:
    try:
        return check(hip.hipGetDeviceProperties, index)
    except TypeError:  # before version 10 the caller brings the structure
        properties = hip.hipDeviceProp_t()
        check(hip.hipGetDeviceProperties, properties, index)
        return properties


def _text(value: bytes | str) -> str:
    return value.split(b"\0")[0].decode() if isinstance(value, bytes) else value


def _absent(reason: str) -> Found:
    return Found.of([Absent("amd", reason)])
