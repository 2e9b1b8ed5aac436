"""Runs a kernel on this machine's processor: a fiber for each thread of a block, blocks in parallel on host threads.

The compiled library holds, for each kernel, a function that takes blocks until none is left (see
`include/layoutalg_cpu.h`). Every host thread calls it once; a call through ctypes lets the others run meanwhile.
A fiber switch costs a few nanoseconds, so a barrier costs some microseconds for a block.

What runs right here and not on a GPU: a kernel that needs no barrier because fibers run one after another up to the
barrier. A race is found by proof, not by this; running the threads of a block in reverse order shows some.
An access out of bounds ends the process, as in any C program.
"""

import ctypes
import math
import mmap
import os
import platform
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutalg.device.codeobject import CodeObject, Parameter
from layoutalg.device.host import HostArray, HostDevice
from layoutalg.device.runtime import CheckedLaunch, DeviceArray, Found, Module, Size, require_target, shape_of
from layoutalg.errors import LaunchError

_STACK_BYTES = 256 * 1024
_GUARD_BYTES = 64 * 1024
_SLOT_BYTES = _STACK_BYTES + _GUARD_BYTES
_ALIGNMENT = 64
_VECTOR_BYTES = 16  # the widest access that emitted kernels make
_DIVERGENT = 1
# Each guard splits the process's memory map twice, and Linux allows 65530 pieces (vm.max_map_count).
_MOST_GUARDS = 16384


class _CpuLaunch(ctypes.Structure):
    """`layoutalg::Launch` of layoutalg_cpu.h."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("reversed", ctypes.c_uint),
        ("chunk", ctypes.c_uint),
        ("next", ctypes.c_ulonglong),
        ("failed_block", ctypes.c_ulonglong),
        ("waiting", ctypes.c_uint),
        ("finished", ctypes.c_uint),
        ("slot_bytes", ctypes.c_ulonglong),
        ("arguments", ctypes.c_void_p),
    )


def _usable_cores() -> int:
    """The cores that this process may use; macOS and Windows say only how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class CpuDevice(HostDevice):
    """The processor. `workers` host threads share the blocks; all usable cores unless said otherwise."""

    kind = "cpu"
    target = "cpu"

    def __init__(self, workers: int | None = None, reverse_threads: bool = False):
        self.workers = workers or _usable_cores()
        self.reverse_threads = reverse_threads
        self.name = _processor_name()
        self.properties = {
            "cores": self.workers,
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        }
        self.pool = ThreadPoolExecutor(self.workers, thread_name_prefix="layoutalg")
        self._local = threading.local()

    def load(self, code: CodeObject) -> "CpuModule":
        require_target(self, code)
        return CpuModule(self, code)

    def empty(self, shape: Size, dtype: npt.DTypeLike) -> HostArray:
        sizes, kind = shape_of(shape), np.dtype(dtype)
        count = math.prod(sizes) * kind.itemsize
        memory = np.empty(count + _ALIGNMENT, np.uint8)
        start = -memory.ctypes.data % _ALIGNMENT
        return self.view(memory[start : start + count].view(kind).reshape(sizes))

    def view(self, values: Any) -> HostArray:
        array = super().view(values)
        if array.pointer % _VECTOR_BYTES and array.nbytes:
            raise LaunchError(
                f"an array must start at a multiple of {_VECTOR_BYTES} bytes: copy it with device.array(…)"
            )
        return array

    def stacks(self, threads: int) -> int:
        """The address of stacks for a block of this many threads; each host thread keeps its own."""
        kept: _Stacks | None = getattr(self._local, "stacks", None)
        if kept is None or kept.threads != threads:
            kept = self._local.stacks = _Stacks(threads)
        return kept.address


class CpuModule(Module):
    """A shared library, loaded."""

    device: CpuDevice

    def __init__(self, device: CpuDevice, code: CodeObject):
        super().__init__(device, code)
        with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
            path = Path(folder) / "kernel.so"
            path.write_bytes(code.payload)
            try:
                self._library = ctypes.CDLL(str(path))
            except OSError as error:
                raise LaunchError(
                    f"the code object cannot be loaded ({error}): compile the source again here"
                ) from error

    def check_pointer(self, what: str, parameter: Parameter, array: DeviceArray) -> None:
        super().check_pointer(what, parameter, array)
        if parameter.written and not np.asarray(array.owner).flags.writeable:
            raise LaunchError(f"{what} is read-only, and the kernel may write to it: copy it with device.array(…)")

    def _start(self, launch: CheckedLaunch) -> None:
        run = self._library[f"layoutalg_run_{launch.kernel.name}"]
        run.argtypes = (ctypes.POINTER(_CpuLaunch), ctypes.c_void_p)
        blocks, threads = math.prod(launch.grid), math.prod(launch.block)
        workers = min(self.device.workers, blocks, max(1, _MOST_GUARDS // threads))
        state = _CpuLaunch(
            grid=launch.grid,
            block=launch.block,
            reversed=self.device.reverse_threads,
            chunk=max(1, min(64, blocks // (workers * 8))),
            slot_bytes=_SLOT_BYTES,
            arguments=ctypes.addressof(launch.addresses),
        )

        def work() -> int:
            status: int = run(ctypes.byref(state), self.device.stacks(threads))
            return status

        futures = [self.device.pool.submit(work) for _ in range(workers)]
        try:
            divergent = _DIVERGENT in [future.result() for future in futures]
        finally:  # an interrupted launch takes no further block, and ends before its arguments go
            state.next = blocks
            wait(futures)
        if divergent:
            raise LaunchError(
                f"{launch.kernel.name}: in block {state.failed_block}, {state.finished} threads ended while "
                f"{state.waiting} wait at a barrier: every thread of a block must reach each __syncthreads()"
            )


class _Stacks:
    """Memory for a block's fibers: for each a guard that may not be touched and a stack; then a word for each."""

    def __init__(self, threads: int):
        self.threads = threads
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            self._memory = mmap.mmap(-1, threads * (_SLOT_BYTES + 8), flags=flags)
        except OSError as error:
            raise LaunchError(f"no memory for {threads} stacks ({error.strerror}): use fewer threads") from error
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        for slot in range(threads):
            if protect(ctypes.c_void_p(self.address + slot * _SLOT_BYTES), ctypes.c_size_t(_GUARD_BYTES), 0) != 0:
                raise LaunchError(
                    f"no memory for {threads} stacks ({os.strerror(ctypes.get_errno())}): use fewer threads"
                )


def find() -> Found:
    """The processor, always."""
    return Found((CpuDevice(),), ())


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
