"""DLPack, out: an array in a GPU's memory for any library that speaks it (torch, JAX, CuPy), without a copy.

An array becomes a capsule around a `DLManagedTensor` (DLPack's `dlpack.h`, the form before version 1.0, which every
consumer takes). The consumer calls its `deleter` when it is done; until then the array is kept alive.

| our kind | device type | | numpy kind | type code |
|---|---|---|---|---|
| cpu | 1, kDLCPU | | i, u | 0, 1 |
| nvidia | 2, kDLCUDA | | f | 2 |
| amd | 10, kDLROCM | | c, b | 5, 6 |

Arrays of other libraries come in by the CUDA Array Interface instead, which all of these have too.
"""

import ctypes
from typing import Any

from layoutalg.device.runtime import DeviceArray
from layoutalg.interop.dlpack import NAME, DLManagedTensor, DLTensor, capsule_is_valid, capsule_pointer

DEVICE_TYPES = {"cpu": 1, "nvidia": 2, "amd": 10}

_TYPE_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}

_increment = ctypes.pythonapi.Py_IncRef
_increment.argtypes = (ctypes.py_object,)
_increment.restype = None
_decrement = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("Py_DecRef", ctypes.pythonapi))
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new_capsule.restype = ctypes.py_object


def _delete(address: int) -> None:
    _decrement(DLManagedTensor.from_address(address).context)


def _destroy(capsule: int) -> None:
    """Ends a capsule that nobody consumed; a consumer renames the one that it takes."""
    if capsule_is_valid(capsule, NAME):
        _delete(capsule_pointer(capsule, NAME))


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_delete)
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy)


def to_capsule(array: DeviceArray) -> Any:
    """A DLPack capsule of an array. Raises `BufferError` for a type that DLPack does not have."""
    if array.dtype.kind not in _TYPE_CODES or not array.dtype.isnative:
        raise BufferError(f"DLPack has no type for {array.dtype}")
    shape = (ctypes.c_int64 * max(1, len(array.shape)))(*array.shape)
    managed = DLManagedTensor()
    managed.tensor = DLTensor(
        data=array.pointer,
        device_type=DEVICE_TYPES[array.device.kind],
        device_id=array.device.index,
        ndim=len(array.shape),
        type_code=_TYPE_CODES[array.dtype.kind],
        type_bits=8 * array.dtype.itemsize,
        type_lanes=1,
        shape=ctypes.addressof(shape),
    )
    kept = (array, shape, managed)
    managed.context = id(kept)
    managed.deleter = ctypes.cast(_DELETER, ctypes.c_void_p).value
    _increment(kept)
    return _new_capsule(ctypes.addressof(managed), NAME, ctypes.cast(_DESTRUCTOR, ctypes.c_void_p))
