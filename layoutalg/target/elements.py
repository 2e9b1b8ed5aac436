"""Arrays of elements in numpy, which has no bfloat16: those are arrays of its bits, as uint16.

>>> to_bits(np.float32([1.0, 3.140625]))
array([16256, 16457], dtype=uint16)
"""

from __future__ import annotations

from typing import Any

from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import DType

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


def from_bits(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """bfloat16 numbers, given as their bits, as float32 (exact)."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bits(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    """The bits of float32 numbers rounded to bfloat16, ties to even; a NaN stays one."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def numbers(array: npt.NDArray[Any], dtype: DType) -> npt.NDArray[Any]:
    """An array of a kernel's elements as numbers that numpy computes with: float32, for bf16; else the array."""
    return from_bits(array) if dtype.name == "bf16" else array


def stored(values: npt.NDArray[Any], dtype: DType) -> npt.NDArray[Any]:
    """Numbers as an array of a kernel's elements."""
    return to_bits(values.astype(np.float32)) if dtype.name == "bf16" else values.astype(dtype.numpy)
