"""Arrays in files: read with every failure named, written whole or not at all.

A .npy file's header says how large the array is and of what (numpy's NEP 1): what no kernel can take is refused by it,
before memory is touched.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any, BinaryIO

from layoutalg.cli.errors import InputError
from layoutalg.disk import write_whole
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import OPERAND_DTYPES

with lazy_imports():
    import numpy as np
    import numpy.typing as npt
    from numpy.lib import format as npy


LARGEST_ARRAY = 8 << 30
"""Bytes; an array that is larger is refused."""


def read_array(path: Path, rank: int | None = None, *, of_kernels: bool = True) -> npt.NDArray[Any]:
    """The array of a .npy file, of the given rank and (`of_kernels`) a type that a kernel has; InputError otherwise."""
    if not path.is_file():
        raise InputError(f"{path}: no such file; give a .npy file (numpy.save writes one)")
    try:
        with path.open("rb") as file:
            _refuse_header(file, path, rank, of_kernels)
        found: npt.NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        reason = " ".join(str(error).split()) or "there is no memory for it"
        raise InputError(f"{path}: not a whole .npy file of numbers ({reason})") from None
    return np.ascontiguousarray(found)


def read_elements(path: Path) -> npt.NDArray[Any]:
    """The array of a .npy file, of any numbers; InputError otherwise."""
    return read_array(path, of_kernels=False)


def _refuse_header(file: BinaryIO, path: Path, rank: int | None, of_kernels: bool) -> None:
    """InputError where the header says what cannot be read; ValueError where there is none."""
    if file.read(4) == b"PK\x03\x04":
        raise InputError(f"{path}: an archive of arrays; give a single array (.npy)")
    file.seek(0)
    version = npy.read_magic(file)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise InputError(f"{path}: version {version[0]}.{version[1]} of .npy, whose names need Unicode; save numbers")
    shape, _, dtype = readers[version](file)
    if of_kernels or not (dtype.kind in "iuf" and dtype.isnative):
        dtype_of(dtype, path)
    if rank is not None and len(shape) != rank:
        raise InputError(f"{path}: an array of {len(shape)} dimensions, shape {shape}; {rank} are needed")
    if min(shape, default=1) < 1:
        raise InputError(f"{path}: shape {shape} has no elements")
    needed, there = math.prod(shape) * dtype.itemsize, path.stat().st_size - file.tell()
    if needed > LARGEST_ARRAY:
        raise InputError(f"{path}: shape {shape} takes {needed} bytes; at most {LARGEST_ARRAY} are read")
    if there < needed:
        raise InputError(f"{path}: shape {shape} takes {needed} bytes, and the file has {there}: it is cut off")


def dtype_of(dtype: np.dtype[Any], path: Path) -> str:
    """The kernels' name of an element type; InputError where no kernel has it."""
    kinds: dict[str, str] = {}
    for known in OPERAND_DTYPES.values():
        kinds.setdefault(known.array, known.name)
    if dtype.isnative and dtype.name in kinds:
        return kinds[dtype.name]
    every = ", ".join(f"{array} ({name})" for array, name in kinds.items())
    said = "fields" if dtype.fields else "Python objects" if dtype.hasobject else f"type {dtype.str} ({dtype.name})"
    raise InputError(f"{path}: elements of {said}; kernels have {every}")


def write_array(path: Path, array: np.ndarray[Any, Any]) -> None:
    """Writes a .npy file that appears whole or not at all."""
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    write_whole(path, content.getvalue())
