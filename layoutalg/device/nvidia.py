"""Runs a kernel on an NVIDIA GPU, HIP's second platform, through the driver and cuda-python. No CUDA toolkit is needed.

The kernel comes as PTX, which the driver compiles for its card; PTX for an older card runs on every newer one.
The context is the device's primary one, as torch and CuPy have it, so pointers are shared with them.
What the driver calls are, the CUDA Driver API reference says; cuda-python's wrappers return (error, result…).
"""

import ctypes
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from layoutalg.device.gpu import Driver, GpuDevice
from layoutalg.device.runtime import Absent, BoxOf, Found, Triple
from layoutalg.device.targets import processor, targets_of
from layoutalg.errors import LaunchError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import cuda.bindings.driver as cuda

# Our names for what the driver knows about a card, and its own (CUdevice_attribute).
_PROPERTIES = {
    "processors": "MULTIPROCESSOR_COUNT",
    "wave_size": "WARP_SIZE",
    "lds_bytes": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "l2_bytes": "L2_CACHE_SIZE",
    "clock_khz": "CLOCK_RATE",
    "memory_clock_khz": "MEMORY_CLOCK_RATE",
    "memory_bus_bits": "GLOBAL_MEMORY_BUS_WIDTH",
}


class CudaDriver(Driver):
    """The CUDA driver, for one device."""

    def __init__(self, cuda: ModuleType, index: int):
        self.cuda = cuda
        self.device = check(cuda, cuda.cuDeviceGet, index)
        self.context = check(cuda, cuda.cuDevicePrimaryCtxRetain, self.device)

    def call(self, function: Callable[..., tuple[Any, ...]], *arguments: Any) -> Any:
        """Calls the driver and returns its result. Raises `LaunchError`."""
        return check(self.cuda, function, *arguments)

    def attribute(self, name: str) -> int:
        """An attribute of the device."""
        key = getattr(self.cuda.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self.call(self.cuda.cuDeviceGetAttribute, key, self.device))

    def use(self) -> None:
        self.call(self.cuda.cuCtxSetCurrent, self.context)

    def allocate(self, size: int) -> int:
        return int(self.call(self.cuda.cuMemAlloc, size))

    def release(self, pointer: int) -> None:
        self.use()
        self.call(self.cuda.cuMemFree, pointer)

    def upload(self, pointer: int, host: int, size: int) -> None:
        self.call(self.cuda.cuMemcpyHtoD, pointer, host, size)

    def download(self, host: int, pointer: int, size: int) -> None:
        self.call(self.cuda.cuMemcpyDtoH, host, pointer, size)

    def load(self, payload: bytes) -> Any:
        text = ctypes.create_string_buffer(payload)  # the driver wants a null at the end
        return self.call(self.cuda.cuModuleLoadData, ctypes.addressof(text))

    def function(self, module: Any, name: str) -> Any:
        return self.call(self.cuda.cuModuleGetFunction, module, name.encode())

    def allow_lds(self, function: Any, lds_bytes: int) -> None:
        key = self.cuda.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        self.call(self.cuda.cuFuncSetAttribute, function, key, lds_bytes)

    def box(self, pointer: int, of: BoxOf) -> bytes:
        """A tensor map: rows of 128 bytes, swizzled, 0 where a box leaves the tensor."""
        cuda = self.cuda
        long, short = cuda.cuuint64_t, cuda.cuuint32_t
        tensor = (cuda.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_UINT16, len(of.lengths), pointer,
                  [*map(long, of.lengths)], [*map(long, of.strides)])  # fmt: skip
        steps = [*map(short, of.steps or (1,) * len(of.lengths))]
        how = (
            cuda.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
            cuda.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
            cuda.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
            cuda.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
        if of.steps:
            walk = ([*of.lower], [*of.upper], *of.extents, steps)
            told = self.call(cuda.cuTensorMapEncodeIm2col, *tensor, *walk, *how)
        else:
            told = self.call(cuda.cuTensorMapEncodeTiled, *tensor, [*map(short, of.extents)], steps, *how)
        return ctypes.string_at(told.getPtr(), 128)

    def launch(
        self, function: Any, grid: Triple, block: Triple, stream: int, addresses: int,
        lds_bytes: int = 0,
    ) -> None:  # fmt: skip
        self.call(self.cuda.cuLaunchKernel, function, *grid, *block, lds_bytes, stream, addresses, 0)

    def synchronize(self) -> None:
        self.call(self.cuda.cuCtxSynchronize)

    def record(self, stream: int) -> Any:
        event = self.call(self.cuda.cuEventCreate, 0)
        self.call(self.cuda.cuEventRecord, event, stream)
        return event

    def forget(self, event: Any) -> None:
        self.use()
        self.call(self.cuda.cuEventDestroy, event)

    def elapsed(self, start: Any, end: Any) -> float:
        self.call(self.cuda.cuEventSynchronize, end)
        return float(self.call(self.cuda.cuEventElapsedTime, start, end))


def find() -> Found:
    """The NVIDIA GPUs of this machine, or why there are none.

    >>> found = find()
    >>> bool(found.devices) or bool(found.absent[0].reason)
    True
    """
    try:
        check(cuda, cuda.cuInit, 0)
        count = check(cuda, cuda.cuDeviceGetCount)
    except ImportError:
        return _absent("cuda-python is not installed: pip install cuda-bindings")
    except (LaunchError, RuntimeError, OSError) as error:  # cuda-python's own errors for an absent driver are these
        return _absent(f"the CUDA driver does not start ({str(error).splitlines()[0]}): install NVIDIA's driver")
    if count == 0:
        return _absent("the CUDA driver finds no GPU")
    return Found.of(_device(cuda, index) for index in range(count))


def check(cuda: ModuleType, function: Callable[..., tuple[Any, ...]], *arguments: Any) -> Any:
    """Calls the driver and returns its result. Raises `LaunchError` with the driver's name for the error."""
    error, *results = function(*arguments)
    if error != cuda.CUresult.CUDA_SUCCESS:
        _, text = cuda.cuGetErrorString(error)
        reason = f"{error.name}, {text.decode()}" if text else error.name
        raise LaunchError(f"{function.__name__} failed: {reason}")
    return results[0] if results else None


def _device(cuda: ModuleType, index: int) -> GpuDevice | Absent:
    driver = CudaDriver(cuda, index)
    name = check(cuda, cuda.cuDeviceGetName, 128, driver.device).split(b"\0")[0].decode()
    capability = 10 * driver.attribute("COMPUTE_CAPABILITY_MAJOR") + driver.attribute("COMPUTE_CAPABILITY_MINOR")
    target = _newest_target(capability)
    if target is None:
        return Absent("nvidia", f"{name} has compute capability {capability / 10}, and at least 8.0 is needed")
    properties: dict[str, int | str] = {ours: driver.attribute(theirs) for ours, theirs in _PROPERTIES.items()}
    properties["memory_bytes"] = int(check(cuda, cuda.cuDeviceTotalMem, driver.device))
    properties["driver"] = int(check(cuda, cuda.cuDriverGetVersion))
    return GpuDevice(driver, "nvidia", index, name, target, driver.attribute("MAX_THREADS_PER_BLOCK"), properties)


def _newest_target(capability: int) -> str | None:
    """The newest target that a card runs; of a processor called `…a`, only cards of its own capability run the code.

    >>> _newest_target(89), _newest_target(90), _newest_target(120), _newest_target(75)
    ('sm_80', 'sm_90', 'sm_80', None)
    """
    known = {int(found[1]): target for target in targets_of("nvidia") if (found := re.fullmatch(r"sm_(\d+)", target))}
    able = (number for number, target in known.items()
            if number == capability or (number < capability and not processor(target).endswith("a")))  # fmt: skip
    return known.get(max(able, default=0))


def _absent(reason: str) -> Found:
    return Found.of([Absent("nvidia", reason)])
