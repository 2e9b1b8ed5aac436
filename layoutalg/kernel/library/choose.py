"""Which transposition fits a matrix: the widest vectors that divide it, the narrowest index type that holds it."""

from __future__ import annotations

from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.program import Program
from layoutalg.layout import LayoutError

KERNELS = ("lds", "register")


def transpose_for(rows: int, columns: int, dtype: str, kernel: str = "lds") -> Program:
    """The program that transposes a rows × columns matrix.

    >>> transpose_for(517, 301, "f32").name, transpose_for(512, 256, "f16").name
    ('transpose_lds_xor_f32', 'transpose_lds_xor_f16_v8')
    """
    if kernel not in KERNELS:
        raise LayoutError(f"no transposition kernel {kernel!r}; there are {', '.join(KERNELS)}")
    if kernel == "register":
        return register_transpose(rows, columns, dtype)
    widest = 16 // {"f32": 4}.get(dtype, 2)
    vector = next(v for v in (8, 4, 2, 1) if v <= widest and rows % v == 0 and columns % v == 0)
    return lds_transpose(dtype, "xor", vector, 32 if rows * columns < 1 << 31 else 64)
