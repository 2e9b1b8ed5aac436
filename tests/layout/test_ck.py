"""CK's and CK Tile's spellings give the transforms they name; where the two libraries differ, each has its own."""

import pytest

from layoutalg.layout import TRANSFORMS, LayoutError
from layoutalg.layout.ck import (
    CK,
    CK_TILE,
    make_functor_transform,
    make_indexing_transform,
    make_pad_transform,
    make_unmerge_transform,
)
from layoutalg.layout.transform import CkFunction

CALLS = {
    "make_pass_through_transform": ((4,), "pass_through(4)"),
    "make_pad_transform": ((4, 1, 2), "pad(4, 1, 2)"),
    "make_left_pad_transform": ((4, 1), "left_pad(4, 1)"),
    "make_right_pad_transform": ((4, 2), "right_pad(4, 2)"),
    "make_embed_transform": (((2, 3), (3, 1)), "embed((2, 3), (3, 1))"),
    "make_merge_transform": (((2, 3),), "merge((2, 3))"),
    "make_merge_transform_v1_carry_check": (((2, 3),), "merge_v1_carry_check((2, 3))"),
    "make_merge_transform_v2_magic_division": (((2, 3),), "merge_v2_magic_division((2, 3))"),
    "make_merge_transform_v3_division_mod": (((2, 3),), "merge_v3_division_mod((2, 3))"),
    "make_merge_transform_v4_no_carry": (((2, 3),), "merge_v4_no_carry((2, 3))"),
    "make_unmerge_transform": (((2, 3),), "unmerge((2, 3))"),
    "make_freeze_transform": ((3,), "freeze(3)"),
    "make_insert_transform": ((3,), "insert(3)"),
    "make_replicate_transform": (((2, 3),), "replicate((2, 3))"),
    "make_slice_transform": ((9, 1, 5), "slice(9, 1, 5)"),
    "make_modulo_transform": ((4, 16), "modulo(4, 16)"),
    "make_xor_with_modulo_transform": (((4, 8),), "xor((4, 8))"),
    "make_offset_transform": ((48, 16), "offset(48, 16)"),
    "make_cyclic_shift_transform": (((4, 8),), "cyclic_shift((4, 8))"),
    "make_inverse_cyclic_shift_transform": (((4, 8),), "cyclic_shift_inverse((4, 8))"),
    "make_indexing_transform": ((3, (4, 0, 2)), "indexing((4, 0, 2))"),
    "make_vectorize_transform": ((4, 5), "vectorize(4, 5)"),
    "make_conv_bwd_data_out_transform": (
        (2, 5, 5, 8, 2, 2, 2, 2, 1, 1, 3, 3, 2, 2, 0, 0, 2, 2, 4, 8, 16, 32),
        "conv_bwd_data_out((2, 5, 5, 8), 9, 3, (0, 0), (0, 0), 16, (4, 32, 8), (14, 0))",
    ),
}

IN_NEITHER: tuple[str, ...] = ("merge_v2r2_magic_division",)
"""Transforms that neither library has a function for."""


@pytest.mark.parametrize("library", [CK, CK_TILE], ids=["ck", "ck_tile"])
def test_each_function_makes_the_transform_it_names(library):
    for name in library.keys() & CALLS.keys():
        arguments, shown = CALLS[name]
        assert repr(library[name](*arguments)) == shown


def test_every_transform_can_be_spelled():
    made = {shown.split("(")[0] for _, shown in CALLS.values()}
    made |= {CK["make_xor_transform"]((4, 8)).name, make_functor_transform(lambda u: u ^ 1, 4).name}
    assert made == {name for name, kind in TRANSFORMS.items() if kind.ck != CkFunction()}
    assert set(TRANSFORMS) - made == set(IN_NEITHER)


def test_xor_has_a_modulo_in_ck_tile_only():
    assert int(CK_TILE["make_xor_transform"]((8, 4)).lower((5, 1))[1]) == 0
    assert int(CK["make_xor_transform"]((8, 4)).lower((5, 1))[1]) == 4
    assert CK["make_xor_with_modulo_transform"]((8, 4)) == CK_TILE["make_xor_transform"]((8, 4))


def test_24_bit_unmerge_is_ck_s_own():
    assert make_unmerge_transform((3, 5), True).name == "unmerge_24bit"


def test_what_is_not_taken_is_refused():
    with pytest.raises(LayoutError, match="SkipIsValidCheck reads the padding as data"):
        make_pad_transform(4, 1, 1, True)
    with pytest.raises(LayoutError, match="2 entries for a length of 3"):
        make_indexing_transform(3, (0, 1))
