"""The worked examples of CK Tile's documentation, each with the right answer, also where the documentation is wrong.

A test named `…_not_…` states a number that the documentation gives and that is wrong.
"""

import numpy as np
import pytest

from layoutalg.index.evaluate import grid, grids
from layoutalg.layout import (
    Embed,
    Freeze,
    LayoutError,
    Merge,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    TensorDescriptor,
    Unmerge,
    Xor,
    XorNoModulo,
    chain_tensor_adaptors,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    make_single_stage_tensor_adaptor,
    transform_tensor_descriptor,
)


def ints(index) -> tuple[int, ...]:
    """An index of constants as integers."""
    return tuple(map(int, index))


def offsets(d: TensorDescriptor) -> np.ndarray:
    """The offsets of all top indices."""
    return grid(d.offset(d.index), d.index)


def valid(d: TensorDescriptor) -> np.ndarray:
    """Whether each top index is data."""
    return grid(d.valid(d.index), d.index) != 0


def transposed(d: TensorDescriptor) -> TensorDescriptor:
    """The two dimensions swapped."""
    rows, columns = d.lengths
    return transform_tensor_descriptor(d, [PassThrough(rows), PassThrough(columns)], [[0], [1]], [[1], [0]])


# --- transforms -------------------------------------------------------------------------------------------------------

BOTH_WAYS = [
    (Merge((4, 5)), (13,), (2, 3)),
    (Unmerge((3, 4, 2)), (1, 3, 0), (14,)),
    (Embed((2, 3), (12, 1)), (1, 2), (14,)),
    (Offset(48, 16), (5,), (21,)),
    (PassThrough(60), (25,), (25,)),
    (Slice(20, 5, 15), (0,), (5,)),
    (Merge((2, 3)), (5,), (1, 2)),
]


@pytest.mark.parametrize(("transform", "upper", "lower"), BOTH_WAYS)
def test_lower_and_upper(transform, upper, lower):
    assert ints(transform.lower(upper)) == lower
    assert ints(transform.upper(lower)) == upper


def test_replicate_reaches_nothing():
    assert {ints(Replicate((3, 4)).lower((i, j))) for i in range(3) for j in range(4)} == {()}


def test_offset_moves_each():
    assert [ints(Offset(48, 16).lower((i,)))[0] for i in (0, 10, 20, 47)] == [16, 26, 36, 63]


def test_pad_marks_both_ends_invalid():
    pad = Pad(3, 1, 1)
    assert [ints(pad.lower((i,)))[0] for i in range(5)] == [-1, 0, 1, 2, 3]
    assert [bool(pad.valid((i,))) for i in range(5)] == [False, True, True, True, False]


def test_xor_of_4_by_8():
    rows = ["".join(str(int(Xor((4, 8)).lower((i, j))[1])) for j in range(8)) for i in range(4)]
    assert rows == ["01234567", "10325476", "23016745", "32107654"]


def test_xor_with_6_columns_leaves_its_range():
    assert [int(Xor((6, 6)).lower((2, j))[1]) for j in range(6)] == [2, 3, 0, 1, 6, 7]
    outside = [(i, j) for i in range(8) for j in range(6) if int(Xor((8, 6)).lower((i, j))[1]) >= 6]
    assert len(outside) == 8
    assert (2, 4) in outside
    assert int(Xor((8, 6)).lower((2, 4))[1]) == 6


def test_xor_without_modulo_leaves_the_range_below_a_short_row():
    assert int(XorNoModulo((8, 4)).lower((5, 1))[1]) == 4
    assert int(Xor((8, 4)).lower((5, 1))[1]) == 0


def test_slice_0_to_9_gives_0_to_4_of_the_upper():
    assert [int(Slice(10, 0, 5).lower((i,))[0]) for i in range(5)] == [0, 1, 2, 3, 4]


def test_modulo_4_of_16():
    assert [int(Modulo(4, 16).lower((i,))[0]) for i in range(16)] == [0, 1, 2, 3] * 4


# --- descriptors ------------------------------------------------------------------------------------------------------


def test_strided_3_by_4_has_20_elements_not_24():
    d = make_naive_tensor_descriptor((3, 4), (8, 1))
    assert int(d.offset((1, 2))) == 10
    assert int(d.element_space_size) == 20


def test_packed_3_by_4():
    d = make_naive_tensor_descriptor_packed((3, 4))
    assert (int(d.offset((1, 2))), int(d.element_space_size)) == (6, 12)


def test_aligned_4_by_5_has_29_elements_not_32():
    d = make_naive_tensor_descriptor_aligned((4, 5), 8)
    assert ints(d.adaptor.transforms[0].strides) == (8, 1)
    assert int(d.element_space_size) == 29


def test_with_offset_counts_the_offset():
    d = make_naive_tensor_descriptor_with_offset((2, 3), (3, 1), 100)
    assert offsets(d).ravel().tolist() == [100, 101, 102, 103, 104, 105]
    assert int(d.element_space_size) == 106


def test_two_dimensions_become_three():
    d = make_naive_tensor_descriptor_packed((2, 6))
    d = transform_tensor_descriptor(d, [PassThrough(2), Unmerge((2, 3))], [[0], [1]], [[0], [1, 2]])
    assert ints(d.lengths) == (2, 2, 3)
    assert d.adaptor.bottom_ids == (0,)
    assert d.adaptor.upper_ids == ((1, 2), (3,), (4, 5))
    assert d.adaptor.lower_ids == ((0,), (1,), (2,))
    assert np.array_equal(offsets(d).ravel(), np.arange(12))


def test_five_dimensions_become_three():
    d = make_naive_tensor_descriptor_packed((64, 4, 2, 64, 4))
    d = transform_tensor_descriptor(
        d, [PassThrough(64), Merge((4, 2)), Merge((64, 4))], [[0], [1, 2], [3, 4]], [[0], [1], [2]]
    )
    assert ints(d.lengths) == (64, 8, 256)
    assert np.array_equal(offsets(d).ravel(), np.arange(64 * 8 * 256))


def test_the_guides_descriptor():
    d = make_naive_tensor_descriptor((256, 128), (128, 1))
    assert int(Unmerge((4, 64)).lower((1, 3))[0]) == 67
    d = transform_tensor_descriptor(d, [Unmerge((4, 64)), PassThrough(128)], [[0], [1]], [[0, 1], [2]])
    assert ints(d.lengths) == (4, 64, 128)
    hidden = d.hidden_index((1, 3, 2))
    assert [int(hidden[i]) for i in range(6)] == [8578, 67, 2, 1, 3, 2]
    assert [t.name for t in d.adaptor.transforms] == ["embed", "unmerge", "pass_through"]
    assert d.adaptor.lower_ids == ((0,), (1,), (2,))
    assert d.adaptor.upper_ids == ((1, 2), (3, 4), (5,))
    assert d.adaptor.top_ids == (3, 4, 5)
    d = transform_tensor_descriptor(d, [PassThrough(4), Merge((64, 128))], [[0], [1, 2]], [[0], [1]])
    assert ints(d.lengths) == (4, 8192)
    assert int(d.offset((1, 3 * 128 + 2))) == 8578


# --- adaptors ---------------------------------------------------------------------------------------------------------


def test_merge_after_unmerge_is_the_identity():
    both = chain_tensor_adaptors(
        make_single_stage_tensor_adaptor([Unmerge((2, 3))], [[0]], [[0, 1]]),
        make_single_stage_tensor_adaptor([Merge((2, 3))], [[0, 1]], [[0]]),
    )
    assert [int(both.lower((u,))[0]) for u in range(6)] == list(range(6))


def test_padded_index_reaches_the_packed_tensor():
    d = make_naive_tensor_descriptor_packed((3, 4))
    d = transform_tensor_descriptor(d, [Pad(3, 1, 1), PassThrough(4)], [[0], [1]], [[0], [1]])
    assert int(d.offset((2, 2))) == 6
    d2 = make_naive_tensor_descriptor_packed((2, 3))
    d2 = transform_tensor_descriptor(d2, [Pad(2, 1, 1), PassThrough(3)], [[0], [1]], [[0], [1]])
    assert ints(d2.hidden_index((1, 2))[i] for i in (1, 2)) == (0, 2)


def test_the_permutation_call_reads_base_1_2_0_not_2_0_1():
    turn = make_single_stage_tensor_adaptor(
        [PassThrough(2), PassThrough(3), PassThrough(4)], [[0], [1], [2]], [[2], [0], [1]]
    )
    assert ints(turn.lower((2, 0, 1))) == (1, 2, 0)
    assert ints(turn.lower((0, 1, 2))) == (2, 0, 1)
    assert ints(turn.lengths) == (3, 4, 2)


def test_64_by_64_as_four_eights():
    cut = make_single_stage_tensor_adaptor([Unmerge((8, 8)), Unmerge((8, 8))], [[0], [1]], [[0, 2], [1, 3]])
    assert ints(cut.lengths) == (8, 8, 8, 8)
    assert ints(cut.lower((1, 2, 3, 4))) == (11, 20)


# --- views ------------------------------------------------------------------------------------------------------------


def test_transposed_equals_row_major_but_column_major_does_not():
    row, column = make_naive_tensor_descriptor((3, 4), (4, 1)), make_naive_tensor_descriptor((3, 4), (1, 3))
    assert int(row.offset((1, 2))) == 6
    assert int(column.offset((2, 1))) == 5
    assert int(transposed(row).offset((2, 1))) == 6
    assert int(column.offset((0, 2))) == 6
    by_strides = make_naive_tensor_descriptor((4, 3), (1, 4))
    assert np.array_equal(offsets(transposed(row)), offsets(by_strides))


# --- local data share -------------------------------------------------------------------------------------------------


def test_the_sample_that_writes_layer_0_collides():
    shape, k0 = (8, 16), 4
    swapped = make_naive_tensor_descriptor_packed((shape[0] // 2, 2, k0, 4))
    always_0 = transform_tensor_descriptor(
        swapped,
        [PassThrough(4), Freeze(0), PassThrough(k0), PassThrough(4)],
        [[0], [1], [2], [3]],
        [[0], [], [1], [2]],
    )
    m, k = np.meshgrid(np.arange(8), np.arange(16), indexing="ij")
    reached = offsets(always_0)[m // 2, k // 4, k % 4]
    assert np.array_equal(reached[0], reached[1])


def test_k_64_kpack_8_swaps_by_row():
    swap = Xor((64, 8))
    for y in (0, 1, 7, 9):
        assert [int(swap.lower((y, x))[1]) for x in range(8)] == [(y % 8) ^ x for x in range(8)]


def test_morton_order_of_4_by_4():
    d = make_naive_tensor_descriptor_packed((2, 2, 2, 2))
    d = transform_tensor_descriptor(d, [Merge((2, 2)), Merge((2, 2))], [[0, 2], [1, 3]], [[0], [1]])
    assert offsets(d).tolist() == [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]


# --- convolution and contraction --------------------------------------------------------------------------------------


def test_6_by_6_image_as_tiles_and_windows():
    image = np.arange(36).reshape(6, 6)
    tiles = offsets(make_naive_tensor_descriptor((3, 3, 2, 2), (12, 2, 6, 1)))
    assert np.array_equal(tiles[1, 2], image[2:4, 4:6])
    windows = make_naive_tensor_descriptor((4, 4, 3, 3), (6, 1, 6, 1))
    assert np.array_equal(offsets(windows)[1, 2], image[1:4, 2:5])
    im2col = transform_tensor_descriptor(windows, [Merge((4, 4)), Merge((3, 3))], [[0, 1], [2, 3]], [[0], [1]])
    assert ints(im2col.lengths) == (16, 9)
    assert offsets(im2col)[6].tolist() == image[1:4, 2:5].ravel().tolist()


def test_windows_with_channels():
    w, c = 6, 2
    d = make_naive_tensor_descriptor((4, 4, 3, 3, 2), (w * c, c, w * c, c, 1))
    image = np.arange(72).reshape(6, 6, 2)
    assert np.array_equal(offsets(d)[1, 2], image[1:4, 2:5])


def test_im2col_with_padding():
    n, h, w, c, y, x = 1, 6, 6, 2, 3, 3
    d = make_naive_tensor_descriptor_packed((n, h, w, c))
    d = transform_tensor_descriptor(
        d, [PassThrough(n), Pad(h, 1, 1), Pad(w, 1, 1), PassThrough(c)], [[0], [1], [2], [3]], [[0], [1], [2], [3]]
    )
    d = transform_tensor_descriptor(
        d,
        [PassThrough(n), Embed((y, 6), (1, 1)), Embed((x, 6), (1, 1)), PassThrough(c)],
        [[0], [1], [2], [3]],
        [[0], [1, 2], [3, 4], [5]],
    )
    d = transform_tensor_descriptor(d, [Merge((n, 6, 6)), Merge((y, x, c))], [[0, 2, 4], [1, 3, 5]], [[0], [1]])
    shown = [f"{o}{'' if v else 'x'}" for o, v in zip(offsets(d)[0], valid(d)[0], strict=True)]
    assert " ".join(shown) == "-14x -13x -12x -11x -10x -9x -2x -1x 0 1 2 3 10x 11x 12 13 14 15"


def test_contraction_orders_must_be_made_the_same():
    i, j, k = 2, 3, 4
    m, n = 2, 5
    a = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((i, j, k)), [PassThrough(i), Merge((j, k))], [[0], [1, 2]], [[0], [1]]
    )
    b = make_naive_tensor_descriptor_packed((k, j, m, n))
    wrong = transform_tensor_descriptor(b, [Merge((k, j)), Merge((m, n))], [[0, 1], [2, 3]], [[0], [1]])
    right = transform_tensor_descriptor(b, [Merge((j, k)), Merge((m, n))], [[1, 0], [2, 3]], [[0], [1]])
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 9, (i, j, k)), rng.integers(0, 9, (k, j, m, n))
    wanted = np.einsum("ijk,kjmn->imn", x, y).reshape(i, m * n)
    assert np.array_equal(x.ravel()[offsets(a)] @ y.ravel()[offsets(right)], wanted)
    assert not np.array_equal(x.ravel()[offsets(a)] @ y.ravel()[offsets(wrong)], wanted)


# --- what CK accepts by mistake ---------------------------------------------------------------------------------------


def test_int32_offsets_of_70000_by_40000_wrap_in_ck():
    from layoutalg.layout.c_arithmetic import signed32

    last = make_naive_tensor_descriptor_packed((70000, 40000)).offset((69999, 39999))
    assert int(last) == 2_799_999_999
    assert int(signed32(last)) == -1_494_967_297


def test_attachment_that_ck_accepts_is_refused():
    d = make_naive_tensor_descriptor_packed((2, 6))
    with pytest.raises(LayoutError, match="attached to dimension 0: its lower length is 9, the dimension's is 2"):
        transform_tensor_descriptor(d, [PassThrough(9), Unmerge((7, 5))], [[0], [1]], [[0], [1, 2]])


def test_right_pad_lets_a_vector_of_8_straddle_the_edge():
    d = make_naive_tensor_descriptor_packed((12,))
    d = transform_tensor_descriptor(d, [RightPad(12, 4)], [[0]], [[0]])
    assert valid(d)[8:16].tolist() == [True] * 4 + [False] * 4


def test_universal_gemm_a_descriptor_with_k_not_a_power_of_two():
    def a_descriptor(m: int, k: int) -> TensorDescriptor:
        kpack, layers = 8, max(1, 32 * 4 // k // 2)
        k0 = k // kpack
        d = make_naive_tensor_descriptor((k0 * layers, m // layers, kpack), (kpack, k * layers, 1))
        d = transform_tensor_descriptor(
            d, [Xor((m // layers, k0 * layers)), PassThrough(kpack)], [[1, 0], [2]], [[1, 0], [2]]
        )
        d = transform_tensor_descriptor(
            d,
            [Unmerge((layers, k0)), PassThrough(m // layers), PassThrough(kpack)],
            [[0], [1], [2]],
            [[0, 2], [1], [3]],
        )
        return transform_tensor_descriptor(
            d, [Merge((m // layers, layers)), Merge((k0, kpack))], [[1, 0], [2, 3]], [[0], [1]]
        )

    good = a_descriptor(128, 64)
    assert offsets(good)[1, ::8].tolist() == [72, 64, 88, 80, 104, 96, 120, 112]
    assert len(np.unique(offsets(good))) == 128 * 64
    for k, colliding, greatest, space in ((96, 1280, 6143, 6144), (48, 656, 3087, 3072)):
        bad = a_descriptor(64, k)
        assert int(bad.element_space_size) == space
        assert 64 * k - len(np.unique(offsets(bad))) == colliding
        assert offsets(bad).max() == greatest


def test_in_lds_row_1_of_the_v1_a_descriptor():
    m, k, pack = 64, 32, 8
    d = make_naive_tensor_descriptor((k // pack, m, pack), ((m + 1) * pack, pack, 1))
    assert int(d.element_space_size) == 2072
    d = transform_tensor_descriptor(d, [PassThrough(m), Merge((k // pack, pack))], [[1], [0, 2]], [[0], [1]])
    assert offsets(d)[1, ::8].tolist() == [8, 528, 1048, 1568]
    assert len(np.unique(offsets(d))) == m * k


def test_grids_of_several_expressions_agree_with_single_values():
    swap = Xor((4, 8))
    d = make_single_stage_tensor_adaptor([swap], [[0, 1]], [[0, 1]])
    first, second = grids(d.lower(d.index), d.index)
    assert (first[3, 5], second[3, 5]) == ints(d.lower((3, 5)))
