"""Element types of kernels: how each is called in HIP and in numpy, and its size in bytes.

| name | HIP        | numpy                                                        |
|------|------------|--------------------------------------------------------------|
| f32  | `float`    | float32                                                      |
| f16  | `_Float16` | float16                                                      |
| bf16 | `__bf16`   | uint16, its bits: numpy has no such type (`from_bits` reads) |

>>> to_bits(np.float32([1.0, 3.140625]))
array([16256, 16457], dtype=uint16)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class DType:
    """One element type; `numpy` is the name that numpy reads it by."""

    name: str
    c: str
    numpy: str
    bytes: int


DTYPES: Mapping[str, DType] = {
    d.name: d
    for d in (
        DType("f32", "float", "float32", 4),
        DType("f16", "_Float16", "float16", 2),
        DType("bf16", "__bf16", "uint16", 2),
    )
}
"""Every type that a kernel may have, by its name in specs and on the command line."""


def from_bits(bits: NDArray[np.uint16]) -> NDArray[np.float32]:
    """bfloat16 numbers, given as their bits, as float32 (exact)."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bits(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The bits of float32 numbers rounded to bfloat16, ties to even; a NaN stays one."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def numbers(array: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """An array of a kernel's elements as numbers that numpy computes with: float32, for bf16; else the array."""
    return from_bits(array) if dtype.name == "bf16" else array


def stored(values: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """Numbers as an array of a kernel's elements."""
    return to_bits(values.astype(np.float32)) if dtype.name == "bf16" else values.astype(dtype.numpy)
