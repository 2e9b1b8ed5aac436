"""From HIP source to a result: find a compiler, build a code object, load it, launch it.

The smallest whole: compile a source, look at what it needs, run it on the processor.

>>> import numpy as np
>>> source = '''
... #if defined(LAYOUTALG_DEVICE)
... #include "layoutalg_device.h"
... #else
... #include <hip/hip_runtime.h>
... #endif
... extern "C" __global__ void __launch_bounds__(64)
... twice(const float* __restrict__ in, float* __restrict__ out, int n) {
...     const int i = blockIdx.x * 64 + threadIdx.x;
...     if (i < n) out[i] = 2 * in[i];
... }
... '''
>>> compile_source(source, "gfx942").kernels["twice"].spills
0
>>> device = choose_device("cpu")
>>> out = device.empty(100, "f4")
>>> device.load(compile_source(source, device.target)).launch("twice", 2, 64, (np.arange(100, dtype="f4"), out, 100))
>>> out.numpy()[-1]
np.float32(198.0)

| what | name |
|---|---|
| build | `compile_source(source, target)`, `compile_file(path, target)` → `CodeObject`; `find_compilers()` |
| read | `CodeObject.read(bytes)`, `.target`, `.payload`, `.kernels[name]` → `KernelResources`, `.save(path)` |
| find | `devices()` → `Found(devices, absent)`, `choose_device("auto")` |
| run | `device.load(code)` → `Module`, `module.launch(name, grid, block, arguments)`, `device.synchronize()` |
| data | `device.array(host)`, `device.empty(shape, dtype)`, `device.view(array)`; `DeviceArray.numpy()` |
| time | `device.event()`, `later.milliseconds_since(earlier)` |
| errors | `DeviceError` and its kinds (see `layoutalg.errors`) |

It cannot say whether a kernel is right: that is proved before it comes here. Nothing heavy is imported before it
is used.
"""

from layoutalg.device.codeobject import CodeObject, KernelResources, Parameter
from layoutalg.device.compile import compile_file, compile_source, compile_to_assembly
from layoutalg.device.compilers import Compiler, choose_compiler, choose_with_ocml, find_compilers
from layoutalg.device.found import choose_device, devices
from layoutalg.device.runtime import Absent, Device, DeviceArray, Event, Found, Module
from layoutalg.device.targets import family, targets
from layoutalg.errors import (
    CodeObjectError,
    CompileError,
    DeviceError,
    LaunchError,
    NoCompilerError,
    NoDeviceError,
)
from layoutalg.target import UnknownTargetError

__all__ = [
    "Absent", "CodeObject", "CodeObjectError", "CompileError", "Compiler", "Device", "DeviceArray",
    "DeviceError", "Event", "Found", "KernelResources", "LaunchError", "Module", "NoCompilerError", "NoDeviceError",
    "Parameter", "UnknownTargetError", "choose_compiler", "choose_device", "choose_with_ocml", "compile_file",
    "compile_source", "compile_to_assembly", "devices", "family", "find_compilers", "targets",
]  # fmt: skip
