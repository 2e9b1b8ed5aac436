"""Every kernel, element type and awkward length against numpy: 1, primes, one less and one more than a tile."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from layoutalg.kernel.library.contraction import contraction_task
from layoutalg.kernel.library.convolution import convolution_task, convolved
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.library.im2col import im2col_task, windows_of
from layoutalg.kernel.library.permute import permute_task
from layoutalg.kernel.library.reduce import reduce_tasks
from layoutalg.kernel.library.transpose import transpose_for
from layoutalg.kernel.library.views import cast_task, copy, pad_task, slice_task
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES
from layoutalg.target.elements import numbers, stored
from tests.matrix import each, some

Launch, Random = Callable[..., Any], Callable[..., Any]
LENGTHS = (1, 7, 63, 64, 65, 257)
"""Tiles are 16, 32, 64 and 128 long."""
TOLERANCE = {"f32": 1e-5, "f16": 1e-2, "bf16": 1e-2}

each_type = pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
each_length = pytest.mark.parametrize("n", some(LENGTHS, 2))


def close(found: np.ndarray, wanted: np.ndarray, dtype: str) -> bool:
    difference = np.abs(numbers(found, DTYPES[dtype]) - wanted)
    return found.shape == wanted.shape and float(difference.max()) <= TOLERANCE[dtype] * float(np.abs(wanted).max())


@each_type
@each_length
def test_copies_are_exact(n: int, dtype: str, launch: Launch, random: Random) -> None:
    matrix, cube = random(dtype, n, 66), random(dtype, 3, n, 5)
    rows, columns = matrix.shape
    program = transpose_for(rows, columns, dtype)
    assert np.array_equal(launch(Task(program, {"M": rows, "N": columns}, (columns, rows)), matrix), matrix.T)
    for axes in ((0, 2, 1), (2, 1, 0), (1, 0, 2)):
        assert np.array_equal(launch(permute_task(cube.shape, axes, dtype), cube), cube.transpose(axes))
    assert np.array_equal(
        launch(pad_task(matrix.shape, (0, 1), (1, 0), dtype), matrix), np.pad(matrix, ((0, 1), (1, 0)))
    )
    assert np.array_equal(launch(slice_task(cube.shape, (1, 0, 2), (3, n, 5), dtype), cube), cube[1:, :, 2:])
    other = "f16" if dtype == "f32" else "f32"
    wanted = stored(numbers(matrix, DTYPES[dtype]), DTYPES[other])
    assert np.array_equal(launch(cast_task(matrix.shape, dtype, other), matrix), wanted)


@each_type
@pytest.mark.parametrize("n", [1, 7, 64])
def test_copies_between_descriptors_are_exact(n: int, dtype: str, launch: Launch, random: Random) -> None:
    """Row-major to column-major with a gap after each column; what lies in gaps stays 0."""
    rows, columns = make_naive_tensor_descriptor((n, 12), (12, 1)), make_naive_tensor_descriptor((n, 12), (1, n + 4))
    source = random(dtype, n, 12)
    found = launch(Task(copy(rows, columns, (dtype, dtype)), {}, (11 * (n + 4) + n,)), source.ravel())
    wanted = np.zeros((12, n + 4), source.dtype)
    wanted[:, :n] = source.T
    assert np.array_equal(found, wanted.ravel()[: found.size])


@each_type
@each_length
def test_windows_are_exact(n: int, dtype: str, launch: Launch, random: Random) -> None:
    image = random(dtype, 1, n, 6, 3)
    around = {"stride": (1, 2), "pad": (1, 1), "dilation": (1, 1)}
    assert np.array_equal(launch(im2col_task(image.shape, (3, 3), dtype, **around), image),
                          windows_of(image, (3, 3), **around))  # fmt: skip


@each_type
@each_length
def test_products_are_close(n: int, dtype: str, launch: Launch, random: Random) -> None:
    for einsum, a, b in (("ik,kj->ij", (n, 33), (33, 65)), ("bik,bjk->bij", (2, 17, n), (2, n % 50 + 1, n))):
        x, y = random(dtype, *a), random(dtype, *b)
        wanted = np.einsum(einsum, *(numbers(o, DTYPES[dtype]).astype(np.float64) for o in (x, y)))
        assert close(launch(contraction_task(einsum, a, b, dtype), x, y), wanted, dtype)


@each_type
@each_length
def test_convolutions_are_close(n: int, dtype: str, launch: Launch, random: Random) -> None:
    image, filter = random(dtype, 1, 6, 5, n), random(dtype, 5, 3, 3, n)
    around = {"stride": (1, 1), "pad": (1, 1), "dilation": (1, 1)}
    task = convolution_task(image.shape, filter.shape, dtype, **around)
    wide = (numbers(o, DTYPES[dtype]) for o in (image, filter))
    assert close(launch(task, image, filter), convolved(*wide, groups=1, **around), dtype)


@each_type
@each_length
@pytest.mark.parametrize("how", ["sum", "max"])
def test_reductions_are_close(how: str, n: int, dtype: str, launch: Launch, random: Random) -> None:
    shapes = (((n, 129), (1,)), ((129, n), (0,)), *([((3, n, 31), (1,))] if how == "sum" else []))
    for shape, axes in shapes:
        source = random(dtype, *shape)
        wide = np.abs(source) if how == "sum" and dtype != "bf16" else source
        values = numbers(wide, DTYPES[dtype]).astype(np.float64)
        wanted = values.sum(axes) if how == "sum" else values.max(axes)
        found = numbers(launch(reduce_tasks(shape, axes, how, dtype, "f32"), wide), DTYPES["f32"])
        scale = np.abs(values).sum(axes).max()
        assert found.shape == wanted.shape
        assert np.abs(found - wanted).max() <= 1e-6 * scale
