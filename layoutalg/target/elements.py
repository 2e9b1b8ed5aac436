"""Arrays of elements in numpy, which has no bfloat16 and no floats of 8 bits: those are arrays of their bits.

>>> to_bits(np.float32([1.0, 3.140625]))
array([16256, 16457], dtype=uint16)

Which numbers the bits of an f8 are, is said by the formats of its target (`known.formats_of`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import DType
from layoutalg.target.eights import decoded, encoded

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


NO_FORMATS: Mapping[str, str] = {}
"""The formats of what has none, as a CPU."""


def numbers(array: npt.NDArray[Any], dtype: DType, formats: Mapping[str, str] = NO_FORMATS) -> npt.NDArray[Any]:
    """An array of a kernel's elements as numbers that numpy computes with: float32, for bf16 and f8; else the array.

    LayoutError where the elements are of a type whose format is not among `formats`.

    >>> from layoutalg.target.dtypes import DTYPES
    >>> [float(numbers(np.uint8([0x38]), DTYPES["f8"], {"f8": form})[0]) for form in DTYPES["f8"].formats]
    [1.0, 0.5]
    """
    if dtype.name == "e8m0":
        return powers(array)
    if dtype.formats:
        return decoded(array, *_eight(dtype, formats)).astype(np.float32)
    return from_bits(array) if dtype.name == "bf16" else array


def powers(codes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The powers of two that scales are, 2**(code - 127), of 255 no number (OCP Microscaling Formats, 5.4.1).

    >>> powers(np.uint8([0, 127, 128, 255])).tolist()
    [5.877471754111438e-39, 1.0, 2.0, nan]
    """
    return np.where(codes == 0xFF, np.nan, np.ldexp(1.0, codes.astype(np.int64) - 127))


def stored(values: npt.NDArray[Any], dtype: DType, formats: Mapping[str, str] = NO_FORMATS) -> npt.NDArray[Any]:
    """Numbers as an array of a kernel's elements; LayoutError as `numbers` raises it."""
    if dtype.name == "e8m0":
        return np.where(np.isnan(values), 0xFF, np.log2(values) + 127).astype(np.uint8)
    if dtype.formats:
        return encoded(values, *_eight(dtype, formats)).astype(np.uint8)
    return to_bits(values.astype(np.float32)) if dtype.name == "bf16" else values.astype(dtype.numpy)


def _eight(dtype: DType, formats: Mapping[str, str]) -> tuple[str, bool]:
    """What `eights` calls a type of 8 bits, and whether its format is an FNUZ."""
    form = formats.get(dtype.name, "")
    if dtype.name not in ("f8", "bf8") or form not in dtype.formats:
        raise LayoutError(f"the numbers of {dtype.name} are not known: no target's format of it is given")
    return "fp8" if dtype.name == "f8" else "bf8", form.endswith("fnuz")
