"""What devices on this machine's own memory share: numpy arrays used in place, and the host's clock."""

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutalg.device.runtime import Device, DeviceArray, Event, Size, shape_of
from layoutalg.errors import LaunchError
from layoutalg.records import dataclass


class HostArray(DeviceArray):
    """A numpy array as a device array; numpy takes it back without a copy."""

    owner: npt.NDArray[Any]

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.owner.__array_interface__

    def __dlpack__(self, **options: Any) -> Any:
        return self.owner.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.owner.__dlpack_device__()


@dataclass(frozen=True)
class HostEvent(Event):
    """A moment of the host's clock."""

    seconds: float

    def milliseconds_since(self, start: Event) -> float:
        if not isinstance(start, HostEvent):
            raise LaunchError("the two events are of different devices")
        return (self.seconds - start.seconds) * 1000


class HostDevice(Device):
    """A device whose memory is this machine's, and whose launches end before they return."""

    max_threads = 1024

    def empty(self, shape: Size, dtype: npt.DTypeLike) -> HostArray:
        return self.view(np.empty(shape_of(shape), dtype))

    def array(self, values: npt.NDArray[Any]) -> HostArray:
        result = self.empty(values.shape, values.dtype)
        result.owner[...] = values
        return result

    def view(self, values: Any) -> HostArray:
        host = _as_numpy(values)
        if not host.flags.c_contiguous:
            raise LaunchError("an array must be contiguous and row-major: copy it with device.array(…)")
        return HostArray(self, host.shape, host.dtype, host.ctypes.data, host)

    def to_numpy(self, array: DeviceArray) -> npt.NDArray[Any]:
        return np.asarray(array.owner)

    def synchronize(self) -> None:
        """Returns at once: a launch ends before it returns."""

    def event(self) -> HostEvent:
        return HostEvent(time.perf_counter())


def _as_numpy(values: Any) -> npt.NDArray[Any]:
    if hasattr(values, "__array_interface__"):
        return np.asarray(values)
    if hasattr(values, "__dlpack__"):
        try:
            return np.from_dlpack(values)
        except (BufferError, RuntimeError, TypeError) as error:
            raise LaunchError(f"a {type(values).__name__} cannot be used in place ({error}): copy it") from error
    raise LaunchError(f"a {type(values).__name__} is no array: give a numpy array or one with __dlpack__")
