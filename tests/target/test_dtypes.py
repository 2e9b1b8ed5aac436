"""One table of element types: its sizes agree with numpy, and no name means two of them."""

from __future__ import annotations

import numpy as np

from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES, dtype_of
from layoutalg.target.matrix import matrix_table


def test_sizes_are_numpys() -> None:
    for dtype in DTYPES.values():
        assert not dtype.numpy or np.dtype(dtype.numpy).itemsize == dtype.bytes


def test_a_name_means_one_type() -> None:
    every = DTYPES.values()
    for names in ([name for d in every for name in d.ck], [name for d in every for name in (d.name, *d.matrix)]):
        assert len(names) == len(set(names))


def test_every_matrix_instruction_multiplies_known_types() -> None:
    for one in matrix_table().values():
        assert all(dtype_of(name).bits for name in (one.a_dtype, one.b_dtype, one.accumulator))


def test_kernels_have_three_types() -> None:
    assert list(KERNEL_DTYPES) == ["f32", "f16", "bf16"]
