"""A DLPack capsule of ours is taken by numpy in place, and keeps its array alive as long as it is used."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from layoutalg.device import DeviceArray
from layoutalg.device.cpu import CpuDevice
from layoutalg.device.dlpack import to_capsule
from tests.matrix import each


class Exported:
    """What `np.from_dlpack` asks, answered by our capsule."""

    def __init__(self, array: DeviceArray):
        self.array = array

    def __dlpack__(self, **_: Any) -> Any:
        return to_capsule(self.array)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


@pytest.mark.parametrize("dtype", each(["f2", "f4", "f8", "i1", "i4", "u8", "c8", "?"], "u8"))
@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4), (0, 3)])
def test_values_shape_and_type_arrive_in_place(dtype: str, shape: tuple[int, ...]) -> None:
    device = CpuDevice()
    array = device.array(np.random.default_rng(1).integers(0, 2, shape).astype(dtype))
    taken = np.from_dlpack(Exported(array))
    assert taken.dtype == np.dtype(dtype)
    assert taken.ctypes.data == array.pointer or taken.size == 0
    np.testing.assert_array_equal(taken, array.numpy())


@pytest.fixture
def only_new_objects() -> Iterator[None]:
    """A collection looks at what the test made, not at all that the process has."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("only_new_objects")
def test_the_array_lives_as_long_as_what_took_it() -> None:
    array: DeviceArray | None = CpuDevice().array(np.arange(6))
    alive = weakref.ref(array)
    taken: np.ndarray[Any, Any] | None = np.from_dlpack(Exported(array))  # type: ignore[arg-type]
    array = None
    gc.collect()
    assert alive() is not None
    assert taken is not None
    np.testing.assert_array_equal(taken, np.arange(6))
    taken = None
    gc.collect()
    assert alive() is None


@pytest.mark.usefixtures("only_new_objects")
def test_a_capsule_that_nobody_takes_lets_the_array_go() -> None:
    array: DeviceArray | None = CpuDevice().array(np.arange(6))
    alive = weakref.ref(array)
    capsule = to_capsule(array)  # type: ignore[arg-type]
    array = None
    gc.collect()
    assert alive() is not None
    del capsule
    gc.collect()
    assert alive() is None


def test_a_type_that_dlpack_lacks_is_refused() -> None:
    with pytest.raises(BufferError, match="DLPack has no type for datetime64"):
        to_capsule(CpuDevice().array(np.zeros(2, "datetime64[s]")))
