"""Arrays in files: read with every failure named, written whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutalg.cli.errors import InputError
from layoutalg.disk import write_whole
from layoutalg.kernel.dtypes import DTYPES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def read_array(path: Path, rank: int | None = None) -> NDArray[Any]:
    """The array of a .npy file, of the given rank and a type that a kernel has; InputError otherwise."""
    import numpy as np

    if not path.is_file():
        raise InputError(f"{path}: no such file; give a .npy file (numpy.save writes one)")
    try:
        found: NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise InputError(f"{path}: not a whole .npy file of numbers ({error})") from None
    if not hasattr(found, "dtype") or not hasattr(found, "ndim"):
        raise InputError(f"{path}: an archive of arrays; give a single array (.npy)")
    dtype_of(found, path)
    if rank is not None and found.ndim != rank:
        raise InputError(f"{path}: an array of {found.ndim} dimensions, shape {found.shape}; {rank} are needed")
    if 0 in found.shape:
        raise InputError(f"{path}: shape {found.shape} has no elements")
    return np.ascontiguousarray(found)


def dtype_of(array: NDArray[Any], path: Path) -> str:
    """The kernels' name of an array's element type; InputError where no kernel has it."""
    for dtype in DTYPES.values():
        if array.dtype.name == dtype.numpy and array.dtype.isnative:
            return dtype.name
    known = ", ".join(f"{d.numpy} ({d.name})" for d in DTYPES.values())
    raise InputError(f"{path}: elements of type {array.dtype.str} ({array.dtype.name}); kernels have {known}")


def write_array(path: Path, array: np.ndarray[Any, Any]) -> None:
    """Writes a .npy file that appears whole or not at all."""
    import numpy as np

    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    write_whole(path, content.getvalue())
