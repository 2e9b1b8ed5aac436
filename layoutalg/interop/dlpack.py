"""DLPack's structures, as `dlpack.h` has them before version 1.0, and what a capsule of another library says.

| field         | says                                                                  |
|---------------|-----------------------------------------------------------------------|
| `data`        | where the memory begins, on the device                                |
| `shape`       | the size of each dimension                                            |
| `strides`     | the stride of each dimension, in elements; null: row-major            |
| `byte_offset` | where the first element lies, counted from `data`                     |

What it cannot say: how large the memory is.  Nothing is read but these fields: the elements may be on any device.
"""

from __future__ import annotations

import ctypes
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.records import dataclass

NAME = b"dltensor"
"""What a capsule is called until a consumer takes what is in it."""


class DLTensor(ctypes.Structure):
    """`DLTensor`, its device and data type written out."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("type_code", ctypes.c_uint8),
        ("type_bits", ctypes.c_uint8),
        ("type_lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class DLManagedTensor(ctypes.Structure):
    """`DLManagedTensor`. Its context is a reference to what keeps array, shape and this structure alive."""

    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


capsule_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


@dataclass(frozen=True)
class Capsule:
    """What a capsule says of its tensor: strides in elements (None: row-major), the first element's byte offset."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None
    byte_offset: int
    element_bits: int


def read_capsule(x: Any) -> Capsule:
    """What an object with `__dlpack__` says of itself, without a copy; LayoutError where it has none, or gives none.

    The object keeps what it lends: the capsule is read, not consumed.

    >>> import numpy as np
    >>> read_capsule(np.zeros((3, 4), np.float32)[:, ::2])
    Capsule(sizes=(3, 2), strides=(4, 2), byte_offset=0, element_bits=32)
    """
    if not hasattr(x, "__dlpack__"):
        raise LayoutError(f"a {type(x).__name__} has no __dlpack__: DLPack is how arrays are lent")
    try:
        capsule = x.__dlpack__()
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise LayoutError(f"this {type(x).__name__} is not lent by DLPack: {error}") from error
    if not capsule_is_valid(id(capsule), NAME):
        raise LayoutError(f"__dlpack__ of {type(x).__name__} gave a {type(capsule).__name__}, and no fresh capsule")
    tensor = DLTensor.from_address(capsule_pointer(id(capsule), NAME))
    sizes, strides = (_numbers(where, tensor.ndim) for where in (tensor.shape, tensor.strides))
    return Capsule(sizes or (), strides, tensor.byte_offset, tensor.type_bits * tensor.type_lanes)


def _numbers(address: int | None, count: int) -> tuple[int, ...] | None:
    return tuple((ctypes.c_int64 * count).from_address(address)) if address else None
