"""Element types of kernels: how each is called in HIP and in numpy, and its size in bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DType:
    """One element type; `numpy` is the name that numpy reads it by."""

    name: str
    c: str
    numpy: str
    bytes: int


DTYPES: Mapping[str, DType] = {
    d.name: d for d in (DType("f32", "float", "float32", 4), DType("f16", "_Float16", "float16", 2))
}
"""Every type that a kernel may have, by its name in specs and on the command line."""
