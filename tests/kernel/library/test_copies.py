"""Copies through descriptors: proved for all sizes, exact on the CPU to the last bit."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from layoutalg.device import Device
from layoutalg.device.kernels import run
from layoutalg.index import symbol
from layoutalg.kernel.library.im2col import im2col, im2col_task, windows_of
from layoutalg.kernel.library.permute import batched_transpose, merged, permute, permute_task
from layoutalg.kernel.library.permute import spans as wanted_spans
from layoutalg.kernel.library.views import cast_task, copy, pad, pad_task, slice_task, slices
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError, make_naive_tensor_descriptor
from layoutalg.prove import Refuted
from layoutalg.target.dtypes import DTYPES, KERNEL_DTYPES
from layoutalg.target.elements import from_bits, numbers, stored, to_bits
from tests.matrix import each, some

Launch, Random = Callable[..., Any], Callable[..., Any]

SHAPES = [
    ((1,), (0,)),
    ((3, 67, 66), (0, 2, 1)),
    ((65, 1, 63), (2, 1, 0)),
    ((4, 64, 8, 7), (0, 2, 3, 1)),
    ((5, 7, 3, 2), (3, 0, 2, 1)),
    ((2, 3, 2, 5, 2, 3, 2, 2), (7, 6, 5, 4, 3, 2, 1, 0)),
    ((128, 130), (0, 1)),
]


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "bf16"))
@pytest.mark.parametrize(("shape", "axes"), some(SHAPES, 2))
def test_any_permutation_is_exact(
    shape: tuple[int, ...], axes: tuple[int, ...], dtype: str, launch: Launch, random: Random
) -> None:
    source = random(dtype, *shape)
    assert np.array_equal(launch(permute_task(shape, axes, dtype), source), source.transpose(axes))


def test_merging_keeps_the_permutation() -> None:
    """Every order of five dimensions, some of length 1, by numpy alone."""
    shape = (2, 1, 3, 2, 4)
    source = np.arange(48).reshape(shape)
    for axes in permutations(range(5)):
        lengths, order = merged(shape, axes)
        assert np.array_equal(source.reshape(lengths).transpose(order).ravel(), source.transpose(axes).ravel())
        assert len(lengths) <= 4


ORDERS = (((0, 2, 1), 32), ((0, 2, 1), 64), ((2, 0, 1), 32), ((7, 6, 5, 4, 3, 2, 1, 0), 32))
DEAR = (((2, 0, 1), 64), ((7, 6, 5, 4, 3, 2, 1, 0), 64))


@pytest.mark.parametrize(("axes", "bits"), [*ORDERS, *(pytest.param(*one, marks=pytest.mark.slow) for one in DEAR)])
def test_permutations_are_proved_for_all_sizes(axes: tuple[int, ...], bits: int) -> None:
    for vectors in ((1, 1), (4, 4), (2, 1)):
        assert verify(permute(axes, "f32", vectors, bits)).failures == ()


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "sm_90"], "gfx950"))
def test_a_batched_transpose_has_no_lds_conflicts(target: str) -> None:
    from layoutalg.kernel.access.prices import priced

    for vectors in ((1, 1), (4, 4)):
        assert [p.cycles for p in priced(batched_transpose("f32", vectors), target)] == [1, 1]


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
@pytest.mark.parametrize(
    ("shape", "left", "right"),
    some([((7, 70), (1, 2), (0, 3)), ((64,), (1,), (0,)), ((1, 1, 1), (0, 63, 1), (2, 1, 0))], 2),
)
def test_padding_is_zeros_around(
    shape: tuple[int, ...], left: Sequence[int], right: Sequence[int], dtype: str, launch: Launch, random: Random
) -> None:
    source = random(dtype, *shape)
    wanted = np.pad(source, list(zip(left, right, strict=True)))
    assert np.array_equal(launch(pad_task(shape, left, right, dtype), source), wanted)


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f32"))
def test_a_slice_is_what_numpy_says(dtype: str, launch: Launch, random: Random) -> None:
    source = random(dtype, 7, 70, 3)
    found = launch(slice_task(source.shape, (2, 3, 0), (6, 63, 2), dtype), source)
    assert np.array_equal(found, source[2:6, 3:63, 0:2])


@pytest.mark.parametrize("source", KERNEL_DTYPES)
@pytest.mark.parametrize("target", each(KERNEL_DTYPES, "f32"))
def test_conversions_round_to_nearest_even(source: str, target: str, launch: Launch, random: Random) -> None:
    given = random(source, 33, 9)
    wanted = stored(numbers(given, DTYPES[source]), DTYPES[target])
    assert np.array_equal(launch(cast_task(given.shape, source, target), given), wanted)


def test_bfloat16_bits_and_back() -> None:
    every = np.arange(1 << 16, dtype=np.uint16)
    values = from_bits(every)
    finite = ~np.isnan(values)
    assert np.array_equal(to_bits(values)[finite], every[finite])
    assert to_bits(np.float32([1.00390625, 1.01171875])).tolist() == [0x3F80, 0x3F82]  # ties go to even


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "f16"))
@pytest.mark.parametrize(("stride", "pad_", "dilation"), some([(1, 1, 1), (2, 1, 1), (1, 2, 2), (3, 0, 1)], 2))
@pytest.mark.parametrize("channels", each([1, 5, 8], 5))
def test_im2col_is_the_windows_of_the_image(
    channels: int, stride: int, pad_: int, dilation: int, dtype: str, launch: Launch, random: Random
) -> None:
    image = random(dtype, 2, 9, 10, channels)
    around = {"stride": (stride,), "pad": (pad_,), "dilation": (dilation,)}
    found = launch(im2col_task(image.shape, (3, 2), dtype, **around), image)
    assert np.array_equal(found, windows_of(image, (3, 2), **around))


def test_im2col_of_the_guide() -> None:
    """6 × 6, two channels, 3 × 3, pad 1: row 0 begins at −14 and reaches data at 0 1 2 3 and 12 13 14 15."""
    from layoutalg.index.evaluate import grids

    program = im2col(Windows((3, 3), (1, 1), (1, 1), (1, 1)))
    d, at = program.source.descriptor, dict(zip(program.sizes, (1, 6, 6, 2), strict=True))
    offsets, valid = grids([d.offset(d.index), d.valid(d.index)], d.index, at)
    shown = [f"{o}" if v else f"{o}x" for o, v in zip(offsets[0], valid[0], strict=True)]
    assert " ".join(shown) == "-14x -13x -12x -11x -10x -9x -2x -1x 0 1 2 3 10x 11x 12 13 14 15"


def test_a_copy_between_descriptors_leaves_gaps_alone(cpu: Device, random: Random) -> None:
    m = symbol("M", min=1, max=10000)
    program = copy(make_naive_tensor_descriptor((m, 10), (10, 1)), make_naive_tensor_descriptor((m, 10), (1, m + 2)))
    source = random("f32", 70)
    found = run(verify(program), cpu, source, (9 * 9 + 7,), M=7).output
    wanted = np.zeros((10, 9), np.float32)
    wanted[:, :7] = source.reshape(7, 10).T
    assert np.array_equal(found, wanted.ravel()[:88])


def test_an_overlapping_target_is_refuted() -> None:
    program = copy(make_naive_tensor_descriptor((8, 8), (8, 1)), make_naive_tensor_descriptor((8, 8), (4, 1)))
    found = dict(verify(program).failures)
    verdict = found["target: no element has two coordinates"]
    assert isinstance(verdict, Refuted)
    assert "offset" in verdict.reason


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: permute_task((2, 3), (0, 0), "f32"), "axes 0,0 are no order of the dimensions 0,1"),
        (lambda: permute_task((2,) * 9, range(9), "f32"), "at most 8"),
        (lambda: permute_task((0, 3), (1, 0), "f32"), "no elements"),
        (lambda: permute((1, 0), "f8"), "no kernel for f8 elements"),
        (lambda: permute((1, 0), "f32", (8, 1)), "vectors of 8 f32"),
        (lambda: pad((1,), (1, 2)), "give one of each"),
        (lambda: pad_task((3,), (-1,), (0,), "f32"), "give one of each"),
        (lambda: slices((-1,)), "at least 0"),
        (lambda: slice_task((4,), (3,), (3,), "f32"), "dimension 0"),
        (lambda: copy(make_naive_tensor_descriptor((4,), (1,)), make_naive_tensor_descriptor((2, 2), (2, 1))), "rank"),
        (lambda: Windows((3,), (0,), (1,), (1,)), "at least 1"),
        (lambda: im2col(Windows((3,), (1,), (1,), (1,), 2)), "groups"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        make()


@pytest.mark.parametrize(
    ("shape", "axes", "spans"),
    some(
        [
            ((3, 7, 65), (2, 1, 0), (1, 2)),
            ((16, 24, 5, 40, 48), (4, 3, 2, 1, 0), (2, 2)),
            ((8, 20, 9, 10, 20), (3, 0, 4, 1, 2), (2, 1)),
            ((5, 7, 3, 2), (0, 3, 2, 1), (2, 1)),
        ],
        2,
    ),
)
def test_tiles_run_over_several_dimensions_where_the_fastest_are_short(
    shape: tuple[int, ...], axes: tuple[int, ...], spans: tuple[int, int], launch: Launch, random: Random
) -> None:
    lengths, order = merged(shape, axes)
    assert wanted_spans(lengths, order) == spans
    source = random("f32", *shape)
    assert np.array_equal(launch(permute_task(shape, axes, "f32"), source), source.transpose(axes))


def test_a_dimension_is_on_one_side_of_a_tile() -> None:
    with pytest.raises(LayoutError, match="dimension 1 on both sides"):
        permute((2, 1, 0), spans=(2, 2))


@pytest.mark.parametrize("dtype", each(KERNEL_DTYPES, "bf16"))
@pytest.mark.parametrize(
    ("shape", "axes", "tile"),
    some(
        [
            ((300, 16), (1, 0), (256, 16)),
            ((16, 24, 3, 40, 48), (3, 2, 1, 4, 0), (16, 256)),
            ((7, 301), (1, 0), (16, 256)),
            ((5, 24), (1, 0), (64, 64)),
        ],
        2,
    ),
)
def test_tiles_are_longer_along_one_side_where_the_other_is_short(
    shape: tuple[int, ...], axes: tuple[int, ...], tile: tuple[int, int], dtype: str, launch: Launch, random: Random
) -> None:
    task = permute_task(shape, axes, dtype)
    assert tuple(sorted(n for n in task.program.tile if n > 1)) == tuple(sorted(tile))
    source = random(dtype, *shape)
    assert np.array_equal(launch(task, source), source.transpose(axes))


def test_a_block_that_is_no_whole_waves_is_not_priced() -> None:
    """Lanes that are not there would be counted, and the second wave of 96 threads would not."""
    from layoutalg.kernel.access.prices import priced
    from layoutalg.kernel.library.transpose import lds_transpose

    program = lds_transpose(swizzle="pad", threads=96, tile=(32, 48))
    assert [(p.cycles, p.why.split(":")[0]) for p in priced(program, "gfx942")] == [
        (None, "96 threads are no whole waves of 64")
    ] * 2
    assert None not in [p.cycles for p in priced(program, "gfx1100")]
