"""One interface to whatever can run a kernel: an AMD GPU, an NVIDIA GPU, or this machine's processor.

    device.load(code).launch("transpose", grid, block, (a, b, 4096, 4096))

| | `amd` | `nvidia` | `cpu` |
|---|---|---|---|
| runs | ELF, by the HIP runtime | PTX, by the CUDA driver | a shared library, a fiber a thread |
| needs | hip-python and a HIP runtime | cuda-python and a driver | nothing |
| no copy in | CUDA Array Interface | CUDA Array Interface | `__array_interface__`, DLPack |
| no copy out | the same, DLPack | the same, DLPack | the same |
| launch returns | at once | at once | when done |

A launch is checked before anything runs: the kernel's name, grid, block, and each argument against the parameter
that the code object states. It cannot check what the kernel does with a pointer: that is what proofs are for.
"""

import ctypes
import math
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from layoutalg.device.codeobject import CodeObject, KernelResources, Parameter
from layoutalg.device.targets import runs
from layoutalg.errors import LaunchError
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

Size = int | Sequence[int]
Triple = tuple[int, int, int]

# Which numpy kinds fit an element's letter; numpy has no bfloat16, so its bits come as integers.
_ELEMENTS = {"f": "f", "i": "i", "u": "ub", "b": "uV"}
_INTEGERS = {1: "b", 2: "h", 4: "i", 8: "q"}
_FLOATS = {2: "e", 4: "f", 8: "d"}


@dataclass(frozen=True)
class Absent:
    """A kind of device that was not found, and why.

    >>> Found.of([Absent("amd", "hip-python is not installed")]).absent[0].reason
    'hip-python is not installed'
    """

    kind: str
    reason: str


@dataclass(frozen=True)
class Found:
    """What `devices()` found on this machine, and what it did not.

    >>> from layoutalg.device import choose_device
    >>> found = Found.of([choose_device("cpu"), Absent("amd", "no driver")])
    >>> [device.kind for device in found.devices], [one.kind for one in found.absent]
    (['cpu'], ['amd'])
    """

    devices: tuple["Device", ...]
    absent: tuple[Absent, ...]

    @classmethod
    def of(cls, results: "Iterable[Device | Absent]") -> Self:
        """Devices and absent ones apart."""
        found = tuple(results)
        absent = tuple(one for one in found if isinstance(one, Absent))
        return cls(tuple(one for one in found if not isinstance(one, Absent)), absent)


@dataclass(frozen=True)
class CheckedLaunch:
    """A launch that has been checked."""

    kernel: KernelResources
    grid: Triple
    block: Triple
    arguments: tuple[Any, ...]  # as they were given
    addresses: "ctypes.Array[ctypes.c_void_p]"  # where the arguments' bytes lie


@dataclass(frozen=True)
class BoxOf:
    """An argument that tells the hardware how to walk an array of 16-bit elements by boxes, fastest dimension first.

    `strides` are bytes from one index to the next, of all but the fastest; `extents` are a box's elements.  Of an image
    that is walked by windows: their first and last places along W and H (`lower`, `upper`) and their strides (`steps`).

    >>> from layoutalg.device import choose_device
    >>> BoxOf(choose_device("cpu").empty((64, 64), "f2"), (64, 64, 1), (128, 16), (64, 64, 1)).extents
    (64, 64, 1)
    """

    array: Any
    lengths: tuple[int, ...]
    strides: tuple[int, ...]
    extents: tuple[int, ...]
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()


class DeviceArray:
    """An array in a device's memory, row-major. `owner` keeps the memory alive.

    >>> from layoutalg.device import choose_device
    >>> choose_device("cpu").empty((3, 4), "f4").nbytes
    48
    """

    def __init__(self, device: "Device", shape: tuple[int, ...], dtype: "np.dtype[Any]", pointer: int, owner: object):
        self.device = device
        self.shape = shape
        self.dtype = dtype
        self.pointer = pointer
        self.owner = owner

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array."""
        return math.prod(self.shape) * self.dtype.itemsize

    def numpy(self) -> "npt.NDArray[Any]":
        """The array on the host: a copy from a GPU, the array itself on the CPU. Waits for what was launched."""
        return self.device.to_numpy(self)

    def __repr__(self) -> str:
        return f"DeviceArray({self.device.name!r}, shape={self.shape}, dtype={self.dtype})"


class Event(ABC):
    """A moment in a device's work.

    >>> from layoutalg.device import choose_device
    >>> cpu = choose_device("cpu")
    >>> start, end = cpu.event(), cpu.event()
    >>> end.milliseconds_since(start) >= 0
    True
    """

    @abstractmethod
    def milliseconds_since(self, start: "Event") -> float:
        """Milliseconds from an earlier event to this one; waits until this one has come."""


class Module(ABC):
    r"""A code object that a device has loaded.

    >>> from layoutalg.device import choose_device, compile_source
    >>> source = '#include "layoutalg_device.h"\nextern "C" __global__ void five(int* out) { out[threadIdx.x] = 5; }\n'
    >>> cpu = choose_device("cpu")
    >>> module, out = cpu.load(compile_source(source, "cpu")), cpu.empty(3, "i4")
    >>> module.launch("five", 1, 3, (out,))
    >>> out.numpy().tolist()
    [5, 5, 5]
    """

    def __init__(self, device: "Device", code: CodeObject):
        self.device = device
        self.code = code

    def launch(self, kernel: str, grid: Size, block: Size, arguments: Sequence[Any]) -> None:
        """Starts a kernel with `grid` blocks of `block` threads (each an integer or up to three, x first).

        An argument is a `DeviceArray`, an array that the device can use in place, or a number.
        Raises `LaunchError` when the name, a size or an argument does not fit.
        """
        if kernel not in self.code.kernels:
            known = ", ".join(self.code.kernels) or "none"
            raise LaunchError(f"no kernel {kernel!r} in this code object: give one of {known}")
        resources = self.code.kernels[kernel]
        blocks, threads = _triple(grid, "grid"), _triple(block, "block")
        limit = min(resources.max_threads or self.device.max_threads, self.device.max_threads)
        if math.prod(threads) > limit:
            raise LaunchError(f"{kernel}: a block of {math.prod(threads)} threads, and at most {limit} are allowed")
        if len(arguments) != len(resources.parameters):
            raise LaunchError(f"{kernel}: {len(arguments)} arguments for {len(resources.parameters)} parameters")
        values = [
            self._value(f"{kernel}: argument {number}", parameter, argument)
            for number, (parameter, argument) in enumerate(zip(resources.parameters, arguments, strict=True))
        ]
        buffers = [ctypes.create_string_buffer(value, len(value)) for value in values]
        addresses = (ctypes.c_void_p * max(1, len(buffers)))(*(ctypes.addressof(buffer) for buffer in buffers))
        self._start(CheckedLaunch(resources, blocks, threads, tuple(arguments), addresses))

    @abstractmethod
    def _start(self, launch: CheckedLaunch) -> None:
        """Starts a checked launch."""

    def _value(self, what: str, parameter: Parameter, argument: Any) -> bytes:
        if isinstance(argument, BoxOf):
            told = self.device.box(self._there(what, argument.array), argument)
            if (parameter.kind, parameter.size) != ("value", len(told)):
                raise LaunchError(f"{what} tells of a box in {len(told)} bytes, and the parameter is no such thing")
            return told
        if parameter.kind == "value":
            return pack_number(what, parameter, argument)
        array = self._there(what, argument)
        self.check_pointer(what, parameter, array)
        return struct.pack("Q", array.pointer)

    def _there(self, what: str, argument: Any) -> DeviceArray:
        """An argument as an array of this device."""
        array = argument if isinstance(argument, DeviceArray) else self.device.view(argument)
        if (array.device.kind, array.device.index) != (self.device.kind, self.device.index):
            raise LaunchError(f"{what} lies on {array.device.name}, and the kernel runs on {self.device.name}: copy it")
        return array

    def check_pointer(self, what: str, parameter: Parameter, array: DeviceArray) -> None:
        """Raises `LaunchError` when the array does not fit what the parameter is known to point to.

        A vector (`f16`: sixteen bytes of floats) fits an array of its elements.
        """
        kinds = _ELEMENTS.get(parameter.element[:1])
        if kinds is None:
            return
        if array.dtype.kind not in kinds or int(parameter.element[1:]) % max(1, array.dtype.itemsize):
            raise LaunchError(f"{what} has elements of {array.dtype}, and the kernel expects {parameter.element}")


class Device(ABC):
    """Something that runs kernels.

    >>> import numpy as np
    >>> from layoutalg.device import choose_device
    >>> cpu = choose_device("cpu")
    >>> cpu.array(np.arange(3)).numpy().tolist()
    [0, 1, 2]
    """

    name: str
    kind: str  # amd, nvidia or cpu
    index: int = 0  # among those of its kind
    target: str  # what to compile for
    max_threads: int  # of a block
    properties: Mapping[str, int | str]

    @abstractmethod
    def load(self, code: CodeObject) -> Module:
        """Loads a code object. Raises `LaunchError` when it was compiled for another target."""

    @abstractmethod
    def empty(self, shape: Size, dtype: "npt.DTypeLike") -> DeviceArray:
        """An array whose values are not set."""

    @abstractmethod
    def array(self, values: "npt.NDArray[Any]") -> DeviceArray:
        """A copy of a host array on the device."""

    @abstractmethod
    def view(self, values: Any) -> DeviceArray:
        """An array of another library, used in place. Raises `LaunchError` when it would have to be copied."""

    def box(self, array: DeviceArray, of: BoxOf) -> bytes:
        """What a kernel is told of an array that it copies by boxes. Raises `LaunchError` where there are none."""
        raise LaunchError(f"{self.name} copies no boxes of tensors")

    @abstractmethod
    def to_numpy(self, array: DeviceArray) -> "npt.NDArray[Any]":
        """An array's values on the host."""

    @abstractmethod
    def synchronize(self) -> None:
        """Waits until all that was launched has ended. Raises `LaunchError` when some of it failed."""

    @abstractmethod
    def event(self) -> Event:
        """Marks this moment in the device's work."""

    def __repr__(self) -> str:
        return f"<{self.kind} device {self.name!r}, target {self.target}>"


def require_target(device: Device, code: CodeObject) -> None:
    """Raises `LaunchError` unless the device runs what the code object was compiled for."""
    if not runs(code.target, device.target):
        raise LaunchError(
            f"the code object is for {code.target}, and {device.name} runs {device.target}: compile it so"
        )


def pack_number(what: str, parameter: Parameter, number: Any) -> bytes:
    """A number as the bytes of a parameter: Python's take the parameter's size, numpy's must have it.

    >>> pack_number("n", Parameter("value", 4, 0), -2).hex()
    'feffffff'
    """
    size, kind = parameter.size, parameter.element[:1]
    if isinstance(number, DeviceArray) or not (hasattr(number, "__index__") or hasattr(number, "__float__")):
        raise LaunchError(f"{what} must be a number, not {type(number).__name__}")
    if getattr(number, "itemsize", size) != size:
        raise LaunchError(f"{what} has {number.itemsize} bytes, and the parameter {size}: convert it")
    is_integer = hasattr(number, "__index__")
    if (is_integer and kind == "f") or (not is_integer and kind in ("i", "u")):
        raise LaunchError(f"{what} is {number!r}, and the parameter is {'a float' if kind == 'f' else 'an integer'}")
    letters = _INTEGERS if is_integer else _FLOATS
    if size not in letters:
        raise LaunchError(f"{what} is {number!r}, and the parameter has {size} bytes: no such number")
    try:
        return struct.pack(letters[size], number)
    except (struct.error, OverflowError):
        return _pack_unsigned(what, letters[size], number)


def _pack_unsigned(what: str, letter: str, number: Any) -> bytes:
    """What no signed number of the size holds, an unsigned one may."""
    try:
        return struct.pack(letter.upper(), number)
    except (struct.error, OverflowError) as error:
        raise LaunchError(f"{what} is {number!r}, which does not fit into the parameter") from error


def shape_of(size: Size) -> tuple[int, ...]:
    """A shape as a tuple."""
    return (size,) if isinstance(size, int) else tuple(size)


def _triple(size: Size, what: str) -> Triple:
    sizes = shape_of(size)
    if not 1 <= len(sizes) <= 3 or not all(isinstance(n, int) and 1 <= n < 2**31 for n in sizes):
        raise LaunchError(f"{what} {size!r}: give one to three integers, each at least 1")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z
