"""What the compiler writes of CK's objects becomes the layouts that the same calls make here."""

import pytest

from layoutalg.errors import LayoutError
from layoutalg.formats.ck_structure import layout, number
from layoutalg.index import as_expr, symbol
from layoutalg.layout import (
    MergeMagicDivision,
    MergeScannedMagicDivision,
    RightPad,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)
from layoutalg.layout import ck as spelt


def descriptor(*transforms, lower, upper, top, space):
    return {
        "kind": "descriptor", "transforms": list(transforms), "lower": lower, "upper": upper, "top": top,
        "element_space_size": space,
    }  # fmt: skip


def test_a_descriptor_is_what_the_same_calls_make():
    made = layout(
        descriptor(
            ["embed", [8, 64, 8], [520, 8, 1]], ["pass_through", 64], ["merge_v2_magic_division", [8, 8]],
            lower=[[0], [2], [1, 3]], upper=[[1, 2, 3], [4], [5]], top=[4, 5], space=4152,
        )
    )  # fmt: skip
    base = make_naive_tensor_descriptor((8, 64, 8), (520, 8, 1))
    merged = [spelt.make_pass_through_transform(64), spelt.make_merge_transform((8, 8))]
    assert made == transform_tensor_descriptor(base, merged, [[1], [0, 2]], [[0], [1]])


@pytest.mark.parametrize(
    ("data", "made"),
    [
        (["pad", 12, 3, 1], spelt.make_pad_transform(8, 3, 1)),
        (["left_pad", 11, 3], spelt.make_left_pad_transform(8, 3)),
        (["right_pad", 8, 3], spelt.make_right_pad_transform(8, 3)),
        (["slice", 2, 5], spelt.make_slice_transform(8, 2, 5)),
        (["modulo", 4, 8], spelt.make_modulo_transform(4, 8)),
        (["unmerge", [2, 4]], spelt.make_unmerge_transform((2, 4))),
        (["freeze", 3], spelt.make_freeze_transform(3)),
        (["merge_v3_division_mod", [8]], spelt.make_merge_transform_v3_division_mod((8,))),
        (["merge_v1_carry_check", [8]], spelt.make_merge_transform_v1_carry_check((8,))),
        (["merge_v2r2_magic_division", [8]], MergeScannedMagicDivision((8,))),
        (["merge_v4_no_carry", [8]], spelt.make_merge_transform_v4_no_carry((8,))),
    ],
)
def test_each_transform_is_made_of_what_ck_keeps(data, made):
    ups = [[*range(2, 2 + len(made.upper_lengths))]]
    read = layout(descriptor(["embed", [8], [1]], data, lower=[[0], [1]], upper=[[1], *ups], top=ups[0], space=8))
    assert read.adaptor.transforms[1] == made


def test_a_merge_beyond_its_magic_numbers_is_not_taken_for_any_merge():
    """Below 2^31 the digits are those of every merge; a greater index is divided as CK divides it."""
    n = symbol("N", min=1, max=1 << 20)
    data = descriptor(
        ["embed", [{"size": ["s0"]}, 4096], [4096, 1]], ["merge_v2_magic_division", [{"size": ["s0"]}, 4096]],
        lower=[[0], [1, 2]], upper=[[1, 2], [3]], top=[3], space={"size": ["s0", 4096, "*"]},
    )  # fmt: skip
    assert isinstance(layout(data, [n]).adaptor.transforms[1], MergeMagicDivision)
    assert type(layout(data, [symbol("N", min=1, max=1 << 19)]).adaptor.transforms[1]).__name__ == "Merge"


def test_an_offset_before_the_data_counts():
    data = descriptor(["offset", 6, 100], ["embed", [2, 3], [3, 1]], lower=[[0], [1]], upper=[[1], [2, 3]], top=[2, 3],
                      space=6)  # fmt: skip
    assert layout(data) == make_naive_tensor_descriptor_with_offset((2, 3), (3, 1), 100)


def test_sizes_are_what_was_recorded():
    m = symbol("M", min=1, max=1000)
    pad = {"size": ["s0", 63, "+", 64, "/", 64, "*", "s0", "-"]}
    data = descriptor(["embed", [{"size": ["s0"]}], [1]], ["right_pad", {"size": ["s0"]}, pad], lower=[[0], [1]],
                      upper=[[1], [2]], top=[2], space={"size": ["s0"]})  # fmt: skip
    made = layout(data, [m])
    assert made.adaptor.transforms[1] == RightPad(m, (m + 63) // 64 * 64 - m)
    assert number({"size": ["s0", -7, "+", 4, "%"]}, [as_expr(3)]) == 0


@pytest.mark.parametrize("record", [["s0", 0, "/"], ["s0", "s0", 5, "-", "%"]])
def test_a_division_that_may_be_by_nothing_is_refused(record):
    with pytest.raises(LayoutError, match="which may be zero or negative"):
        number({"size": record}, [symbol("M", min=1)])


def test_an_attachment_that_ck_accepts_and_does_not_fit_is_refused():
    data = descriptor(["embed", [8], [1]], ["unmerge", [2, 3]], lower=[[0], [1]], upper=[[1], [2, 3]], top=[2, 3],
                      space=8)  # fmt: skip
    with pytest.raises(LayoutError, match="its lower length is 6, the dimension's is 8"):
        layout(data)


def test_lists_numbers_distributions_and_warp_gemms():
    lanes = {"kind": "distribution", "rs": [], "hs": [[32], [2, 8]], "ps_major": [[2, 1]], "ps_minor": [[0, 0]],
             "ys_major": [2], "ys_minor": [1]}  # fmt: skip
    made = layout({"kind": "warp_gemm", "m": 32, "n": 32, "k": 16, "a": lanes, "b": lanes, "c": lanes})
    assert made.a.encoding == TileDistributionEncoding((), ((32,), (2, 8)), ((2, 1),), ((0, 0),), (2,), (1,))
    assert (made.m, made.n, made.k) == (32, 32, 16)
    assert layout([1, True, [2, -3]]) == (1, 1, (2, -3))
    assert layout({"kind": "window", "lengths": [16, 64]}).lengths == (16, 64)


def test_a_name_that_means_something_else_in_some_version_of_ck_is_refused():
    """CK's own offset of two indices stands beside the transforms: an xor that also shifted would give another."""
    data = descriptor(["unmerge", [6, 8]], ["xor", [6, 8]], lower=[[0], [1, 2]], upper=[[1, 2], [3, 4]], top=[3, 4],
                      space=48)  # fmt: skip
    assert layout({**data, "samples": [[[5, 7], 42], [[4, 5], 33]]}).lengths == (6, 8)
    with pytest.raises(LayoutError, match=r"CK computes offset 45 of index \(5, 7\), .* 42"):
        layout({**data, "samples": [[[5, 7], 45]]})


def test_a_distribution_whose_map_is_not_that_of_its_encoding_is_refused():
    lanes = {"kind": "distribution", "rs": [1], "hs": [[4, 2]], "ps_major": [[1]], "ps_minor": [[0]], "ys_major": [1],
             "ys_minor": [1]}  # fmt: skip
    own = {"kind": "adaptor", "transforms": [["replicate", [1]], ["unmerge", [4, 2]], ["merge_v2_magic_division", [4]]],
           "lower": [[], [0], [2]], "upper": [[1], [2, 3], [4]], "top": [4, 3], "bottom": [0]}  # fmt: skip
    assert layout({**lanes, "adaptor": own}).lengths == (8,)
    with pytest.raises(LayoutError, match="another than that of its encoding"):
        layout({**lanes, "adaptor": {**own, "upper": [[1], [3, 2], [4]]}})
