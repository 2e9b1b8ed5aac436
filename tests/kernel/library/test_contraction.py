"""Contractions, convolutions and reductions: proved for all sizes, and close to numpy on the CPU."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from layoutalg.device import Device
from layoutalg.kernel.library.contraction import contraction, contraction_task
from layoutalg.kernel.library.convolution import convolution, convolution_task, convolved
from layoutalg.kernel.library.einsum import Einsum, merged, parse_einsum
from layoutalg.kernel.library.epilogues import Epilogue, ProductD
from layoutalg.kernel.library.reduce import merged as merged_reduction
from layoutalg.kernel.library.reduce import reduce_tasks, reduction
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES
from layoutalg.target.elements import numbers
from tests.matrix import each, some

Launch, Random = Callable[..., Any], Callable[..., Any]
TOLERANCE = {"f32": 1e-5, "f16": 1e-2, "bf16": 1e-2}


def close(found: np.ndarray, wanted: np.ndarray, dtype: str, scale: float = 0.0) -> None:
    largest = max(float(np.abs(wanted).max()), scale) or 1.0
    assert found.shape == wanted.shape
    assert float(np.abs(numbers(found, DTYPES[dtype]) - wanted).max()) / largest <= TOLERANCE[dtype]


def wide(array: np.ndarray, dtype: str) -> np.ndarray:
    return numbers(array, DTYPES[dtype]).astype(np.float64)


EINSUMS = [
    ("ik,kj->ij", (70, 50), (50, 66)),
    ("ik,jk->ij", (65, 33), (64, 33)),
    ("ki,kj->ji", (17, 65), (17, 63)),
    ("ijk,kjmn->imn", (20, 5, 7), (7, 5, 6, 11)),
    ("bik,bkj->bij", (3, 65, 33), (3, 33, 70)),
    ("abcd,dcef->feab", (3, 5, 7, 4), (4, 7, 9, 2)),
    ("gabk,bkgc->gac", (3, 5, 7, 4), (7, 4, 3, 9)),
    ("ik,k->i", (65, 33), (33,)),
    ("k,k->", (77,), (77,)),
    ("i,j->ij", (77,), (7,)),
    ("bi,bi->b", (5, 40), (5, 40)),
    ("ia,ia->ia", (3, 40), (3, 40)),
]


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
@pytest.mark.parametrize(("einsum", "a", "b"), some(EINSUMS, 3))
def test_any_einsum_of_two(einsum: str, a: Any, b: Any, dtype: str, launch: Launch, random: Random) -> None:
    x, y = random(dtype, *a), random(dtype, *b)
    found = launch(contraction_task(einsum, a, b, dtype), x, y)
    close(found, np.einsum(einsum, wide(x, dtype), wide(y, dtype)), dtype)


@pytest.mark.parametrize("n", some([1, 2, 15, 16, 17, 63, 64, 65, 127], 3))
def test_awkward_sizes(n: int, launch: Launch, random: Random) -> None:
    for shape in ((n, n, n), (1, n, 2), (n, 1, 3), (2, 3, n)):
        a, b = random("f32", shape[0], shape[2]), random("f32", shape[2], shape[1])
        task = contraction_task("ik,kj->ij", a.shape, b.shape, "f32")
        close(launch(task, a, b), wide(a, "f32") @ wide(b, "f32"), "f32")


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
def test_gemm_with_bias_and_relu(dtype: str, launch: Launch, random: Random) -> None:
    a, b, bias = random(dtype, 66, 40), random(dtype, 40, 72), random("f32", 72)
    task = contraction_task(
        "mk,kn->mn",
        a.shape,
        b.shape,
        dtype,
        epilogue=Epilogue("AddRelu", (ProductD(("n",), "f32", "bias"),)),
        name="gemm_bias_relu",
    )
    wanted = np.maximum(wide(a, dtype) @ wide(b, dtype) + bias, 0)
    close(launch(task, a, b, bias), wanted, dtype)
    assert task.program.name.startswith("gemm_bias_relu")


def test_half_inputs_with_f32_results_are_exact_to_f32(launch: Launch, random: Random) -> None:
    a, b = random("f16", 40, 24), random("f16", 24, 40)
    found = launch(contraction_task("ik,kj->ij", a.shape, b.shape, "f16", result="f32"), a, b)
    close(found, wide(a, "f16") @ wide(b, "f16"), "f32")


def test_256_cubed_on_the_cpu_is_close(launch: Launch, random: Random) -> None:
    a, b = random("f32", 256, 256), random("f32", 256, 256)
    close(launch(contraction_task("ik,kj->ij", a.shape, b.shape, "f32"), a, b), wide(a, "f32") @ wide(b, "f32"), "f32")


@pytest.mark.parametrize("bits", each([32, 64], 64))
@pytest.mark.parametrize("einsum", ["ik,kj->ij", "ijk,kjmn->imn", "gabk,bkgc->gac"])
def test_contractions_are_proved_for_all_sizes(einsum: str, bits: int) -> None:
    for widths in ((1, 1, 1), (4, 4, 4)):
        assert verify(contraction(parse_einsum(einsum), widths=widths, index_bits=bits)).failures == ()


def test_letters_that_stay_neighbours_are_one() -> None:
    assert merged(parse_einsum("abij,abjk->abik")) == Einsum(("ab", "i", "j"), ("ab", "j", "k"), ("ab", "i", "k"))
    assert merged(parse_einsum("ijk,kjmn->imn")).a == ("i", "j", "k")


CONVOLUTIONS = [
    ((2, 9, 10, 5), (7, 3, 3, 5), {}),
    ((2, 9, 10, 5), (7, 3, 3, 5), {"stride": (2,), "pad": (1,)}),
    ((1, 9, 12, 16), (8, 3, 3, 8), {"stride": (2, 1), "pad": (1, 2), "dilation": (1, 2), "groups": 2}),
    ((2, 8, 8, 16), (24, 1, 1, 16), {}),
    ((3, 30, 5), (7, 5, 5), {"stride": (2,), "pad": (2,)}),
    ((1, 5, 6, 7, 3), (4, 3, 3, 3, 3), {"pad": (1,)}),
    ((1, 3, 3, 1), (1, 3, 3, 1), {}),
]


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "bf16"))
@pytest.mark.parametrize(("image", "filter_", "options"), some(CONVOLUTIONS, 2))
def test_convolutions(image: Any, filter_: Any, options: Any, dtype: str, launch: Launch, random: Random) -> None:
    given: Any = {"stride": (1,), "pad": (0,), "dilation": (1,), "groups": 1, **options}
    x, w = random(dtype, *image), random(dtype, *filter_)
    found = launch(convolution_task(image, filter_, dtype, **given), x, w)
    close(found, convolved(wide(x, dtype), wide(w, dtype), **given), dtype)


def test_convolutions_are_proved_for_all_images() -> None:
    for windows in (
        Windows((3, 3), (1, 1), (1, 1), (1, 1)),
        Windows((7, 7), (2, 2), (1, 1), (3, 3)),
        Windows((3, 1, 2), (1, 2, 3), (2, 1, 1), (0, 1, 2), 4),
    ):
        assert verify(convolution(windows)).failures == ()


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
@pytest.mark.parametrize("how", ["sum", "max"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    some([((70, 33), (1,)), ((70, 33), (0,)), ((5, 6, 7, 8), (1, 3)), ((300,), (0,)), ((3, 4, 5), (0, 1, 2)),
          ((257, 1), (1,)), ((2, 4096), (1,)), ((1, 1), (0,))], 2),
)  # fmt: skip
def test_reductions(shape: Any, axes: Any, how: Any, dtype: str, launch: Launch, random: Random) -> None:
    x = random(dtype, *shape)
    found = launch(reduce_tasks(shape, axes, how, dtype), x)
    values = wide(x, dtype)
    if how == "max":
        assert np.array_equal(wide(found, dtype), values.max(axis=axes))
    else:
        close(found, values.sum(axis=axes), dtype, float(np.abs(values).sum(axis=axes).max()))


def test_a_nan_is_the_greatest(launch: Launch) -> None:
    x = np.zeros((3, 40), np.float32)
    x[1, 7] = np.nan
    x[2] = -np.inf
    found = launch(reduce_tasks(x.shape, (1,), "max", "f32"), x)
    assert found[0] == 0
    assert np.isnan(found[1])
    assert found[2] == -np.inf


def test_reductions_merge_what_they_can() -> None:
    assert merged_reduction((2, 3, 4, 5), (2, 3)) == ((6, 20), "kr")
    assert verify(reduction("krkrk")).failures == ()


@pytest.mark.parametrize(
    ("einsum", "message"),
    [
        ("ij", "two operands and a result"),
        ("ij,jk", "two operands and a result"),
        ("i j,jk->ik", "two operands and a result"),
        ("ii,ij->j", "'i' occurs twice in 'ii'"),
        ("ij,jk->iz", "'z' of the result is in neither"),
        ("ijx,jk->ik", "'x' is summed over in the first operand alone"),
        ("ij,jkx->ik", "'x' is summed over in the second operand alone"),
        ("ij,jk->iik", "'i' occurs twice"),
    ],
)
def test_a_malformed_einsum_is_refused(einsum: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        parse_einsum(einsum)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: contraction_task("ik,kj->ij", (2, 3), (4, 5), "f32"), "'k' is 3 in the first operand and 4"),
        (lambda: contraction_task("ik,kj->ij", (2, 3, 4), (4, 5), "f32"), "3 dimensions, not 2"),
        (lambda: contraction_task("ik,kj->ij", (2, 0), (0, 5), "f32"), "'k' has size 0"),
        (lambda: contraction_task("ik,kj->ij", (2, 3), (3, 5), "f64"), "no kernel for f64"),
        (lambda: reduce_tasks((2, 3), (2,), "sum", "f32"), "give each once"),
        (lambda: reduce_tasks((2, 3), (), "sum", "f32"), "give each once"),
        (lambda: reduce_tasks((2, 0), (1,), "sum", "f32"), "no elements"),
        (lambda: reduction("kk"), "one r at least"),
        (
            lambda: convolution_task((1, 2, 2, 1), (1, 3, 3, 1), "f32", stride=(1,), pad=(0,), dilation=(1,)),
            "a window spans 3, the padded image 2",
        ),
        (
            lambda: convolution_task((1, 9, 9, 4), (6, 3, 3, 4), "f32", stride=(1,), pad=(0,), dilation=(1,), groups=2),
            "want a filter of 2 channels; it has 4",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        make()


def test_a_device_runs_only_what_was_proved(cpu: Device, random: Random) -> None:
    from layoutalg.device import LaunchError
    from layoutalg.device.kernels import run

    task = contraction_task("ik,kj->ij", (8, 8), (8, 8), "f32")
    a = random("f32", 8, 8)
    with pytest.raises(LaunchError, match="1 arrays given; it reads 2"):
        run(verify(task.program), cpu, a, (8, 8), **task.sizes)
    with pytest.raises(LaunchError, match="a multiple of 4; not for 6"):
        run(verify(task.program), cpu, a, (8, 8), a, **{**task.sizes, "N_i": 8, "N_k": 6, "N_j": 8})


def test_relu_of_a_nan_is_nan(launch: Launch) -> None:
    """As numpy's maximum and torch's relu have it; −0 and negative numbers give 0."""
    task = contraction_task("mk,kn->mn", (2, 3), (3, 4), "f32", epilogue=Epilogue("Relu"))
    a, b = np.ones((2, 3), np.float32), np.zeros((3, 4), np.float32)
    b[0], a[1, 0] = (1, -1, np.inf, -np.inf), np.nan
    with np.errstate(invalid="ignore"):
        wanted = np.maximum(a @ b, 0)
    assert np.array_equal(launch(task, a, b), wanted, equal_nan=True)
    assert np.isnan(wanted[1]).all()
