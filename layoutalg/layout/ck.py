"""CK's and CK Tile's own spellings: the functions that kernel authors call, with their arguments in their order.

The two libraries share most names.  One name means two things, so each library has a table of its own:

| function                          | `CK_TILE` (namespace ck_tile)  | `CK` (namespace ck)            |
|-----------------------------------|--------------------------------|--------------------------------|
| `make_xor_transform`              | u₁ ^ (u₀ mod L₁)               | u₁ ^ u₀, **no modulo**         |
| `make_xor_with_modulo_transform`  | (none)                         | u₁ ^ (u₀ mod L₁)               |
| `make_merge_transform`            | magic division                 | magic division or carry check  |
| `make_vectorize_transform`        | (none)                         | size·u                         |

The functions of this module are CK Tile's; CK's own differing ones are in its table only.  `make_merge_transform` gives
`Merge`, whose digits are those of every variant on valid indices; ask for a variant by name to have its computation.
What is not taken: `SkipIsValidCheck`, by which CK reads padding as if it were data.

>>> make_xor_transform((4, 8)), CK["make_xor_transform"]((4, 8))
(xor((4, 8)), xor_no_modulo((4, 8)))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, Term
from layoutalg.layout.adaptor import attach as transform_tensor_adaptor
from layoutalg.layout.adaptor import chain_tensor_adaptors, make_single_stage_tensor_adaptor
from layoutalg.layout.defects import Unmerge24Bit
from layoutalg.layout.descriptor import (
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)
from layoutalg.layout.distribution import TileDistribution, TileDistributionEncoding
from layoutalg.layout.encodings import make_embed_tile_distribution_encoding, make_reduce_tile_distribution_encoding
from layoutalg.layout.transform import Index, Transform, parameter
from layoutalg.layout.transforms import (
    CyclicShift,
    CyclicShiftInverse,
    Embed,
    Freeze,
    Functor,
    Indexing,
    Insert,
    LeftPad,
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    Unmerge,
    Vectorize,
    Xor,
    XorNoModulo,
)


def make_pass_through_transform(low_length: Term) -> Transform:
    """lower = upper."""
    return PassThrough(parameter(low_length))


def make_pad_transform(
    low_length: Term, left_pad: Term, right_pad: Term, skip_is_valid_check: bool = False
) -> Transform:
    """Padding on both sides."""
    _refuse_skip(skip_is_valid_check)
    return Pad(parameter(low_length), parameter(left_pad), parameter(right_pad))


def make_left_pad_transform(low_length: Term, left_pad: Term, skip_is_valid_check: bool = False) -> Transform:
    """Padding before the data."""
    _refuse_skip(skip_is_valid_check)
    return LeftPad(parameter(low_length), parameter(left_pad))


def make_right_pad_transform(low_length: Term, right_pad: Term, skip_is_valid_check: bool = False) -> Transform:
    """Padding after the data."""
    _refuse_skip(skip_is_valid_check)
    return RightPad(parameter(low_length), parameter(right_pad))


def make_embed_transform(up_lengths: Sequence[Term], coefficients: Sequence[Term]) -> Transform:
    """lower = Σ upperᵢ·coefficientᵢ."""
    return Embed(_index(up_lengths), _index(coefficients))


def make_merge_transform(low_lengths: Sequence[Term]) -> Transform:
    """The digits of one index."""
    return Merge(_index(low_lengths))


def make_merge_transform_v1_carry_check(low_lengths: Sequence[Term]) -> Transform:
    """Merge by C's division, moved by carry and borrow (old CK)."""
    return MergeCarryCheck(_index(low_lengths))


def make_merge_transform_v2_magic_division(low_lengths: Sequence[Term]) -> Transform:
    """Merge by magic division."""
    return MergeMagicDivision(_index(low_lengths))


def make_merge_transform_v3_division_mod(low_lengths: Sequence[Term]) -> Transform:
    """Merge by C's division and remainder."""
    return MergeDivisionMod(_index(low_lengths))


def make_unmerge_transform(up_lengths: Sequence[Term], use_24bit_integer_calculation: bool = False) -> Transform:
    """One index from its digits; with 24-bit multiplication, CK's own computation and its fault.

    >>> make_unmerge_transform((3, 5)).lower((2, 3))
    (13,)
    """
    return (Unmerge24Bit if use_24bit_integer_calculation else Unmerge)(_index(up_lengths))


def make_freeze_transform(low_idx: Term) -> Transform:
    """A lower dimension held at one index."""
    return Freeze(parameter(low_idx))


def make_insert_transform(up_length: Term) -> Transform:
    """An upper dimension that reaches nothing."""
    return Insert(parameter(up_length))


def make_replicate_transform(up_lengths: Sequence[Term]) -> Transform:
    """Upper dimensions that reach nothing: copies."""
    return Replicate(_index(up_lengths))


def make_slice_transform(low_length: Term, slice_begin: Term, slice_end: Term) -> Transform:
    """The part begin … end − 1 of a dimension."""
    return Slice(parameter(low_length), parameter(slice_begin), parameter(slice_end))


def make_modulo_transform(modulus: Term, up_length: Term) -> Transform:
    """lower = upper mod modulus."""
    return Modulo(parameter(modulus), parameter(up_length))


def make_xor_transform(low_lengths: Sequence[Term]) -> Transform:
    """CK Tile's xor, with modulo."""
    return Xor(_index(low_lengths))


def make_xor_with_modulo_transform(low_lengths: Sequence[Term]) -> Transform:
    """Old CK's name for the xor with modulo."""
    return Xor(_index(low_lengths))


def make_offset_transform(low_length: Term, offset_length: Term) -> Transform:
    """lower = upper + offset."""
    return Offset(parameter(low_length), parameter(offset_length))


def make_cyclic_shift_transform(low_lengths: Sequence[Term]) -> Transform:
    """lower = (u₀, (u₁ + u₀) mod L₁)."""
    return CyclicShift(_index(low_lengths))


def make_inverse_cyclic_shift_transform(low_lengths: Sequence[Term]) -> Transform:
    """lower = (u₀, (u₁ − u₀) mod L₁)."""
    return CyclicShiftInverse(_index(low_lengths))


def make_indexing_transform(up_length: Term, indices: Sequence[Term]) -> Transform:
    """lower = indices[upper]; LayoutError unless there is one entry for each upper index."""
    length = parameter(up_length)
    if length != len(indices):
        raise LayoutError(f"indexing: {len(indices)} entries for a length of {length}; give one for each index")
    return Indexing(_index(indices))


def make_functor_transform(functor: Callable[[Expr], Term], low_length: Term) -> Transform:
    """lower = functor(upper), a Python function of expressions.

    >>> make_functor_transform(lambda warp: warp ^ 1, 4).lower((2,))
    (3,)
    """
    return Functor.of(functor, low_length)


def tile_distribution_encoding(
    rs_lengths: Sequence[Term],
    hs_lengthss: Sequence[Sequence[Term]],
    ps_to_rhss_major: Sequence[Sequence[int]],
    ps_to_rhss_minor: Sequence[Sequence[int]],
    ys_to_rhs_major: Sequence[int],
    ys_to_rhs_minor: Sequence[int],
) -> TileDistributionEncoding:
    """CK Tile's encoding, its template arguments in their order."""
    return TileDistributionEncoding(
        _index(rs_lengths),
        tuple(map(_index, hs_lengthss)),
        tuple(map(tuple, ps_to_rhss_major)),
        tuple(map(tuple, ps_to_rhss_minor)),
        tuple(ys_to_rhs_major),
        tuple(ys_to_rhs_minor),
    )


def make_static_tile_distribution(encoding: TileDistributionEncoding) -> TileDistribution:
    """The distribution of an encoding.

    >>> encoding = tile_distribution_encoding([], [[4, 2]], [[1]], [[0]], [1], [1])
    >>> make_static_tile_distribution(encoding).lower((3,), (1,))
    (7,)
    """
    return TileDistribution(encoding)


def _make_vectorize_transform(vector_size: Term, up_length: Term) -> Transform:
    """Old CK: lower = vector_size·upper."""
    return Vectorize(parameter(vector_size), parameter(up_length))


def _make_xor_transform_without_modulo(low_lengths: Sequence[Term]) -> Transform:
    """Old CK's `make_xor_transform`: no modulo."""
    return XorNoModulo(_index(low_lengths))


def _index(terms: Sequence[Term]) -> Index:
    return tuple(map(parameter, terms))


def _refuse_skip(skip_is_valid_check: bool) -> None:
    if skip_is_valid_check:
        raise LayoutError(
            "SkipIsValidCheck reads the padding as data; use the checked padding, which says what is data"
        )


_SHARED: Mapping[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        make_pass_through_transform, make_pad_transform, make_left_pad_transform, make_right_pad_transform,
        make_embed_transform, make_merge_transform, make_merge_transform_v2_magic_division,
        make_merge_transform_v3_division_mod, make_unmerge_transform, make_freeze_transform, make_insert_transform,
        make_slice_transform, make_modulo_transform, make_naive_tensor_descriptor,
        make_naive_tensor_descriptor_aligned, make_naive_tensor_descriptor_packed, transform_tensor_descriptor,
        chain_tensor_adaptors, make_single_stage_tensor_adaptor,
    )
}  # fmt: skip

CK_TILE: Mapping[str, Callable[..., Any]] = {
    **_SHARED,
    "make_xor_transform": make_xor_transform,
    "make_replicate_transform": make_replicate_transform,
    "make_offset_transform": make_offset_transform,
    "make_cyclic_shift_transform": make_cyclic_shift_transform,
    "make_inverse_cyclic_shift_transform": make_inverse_cyclic_shift_transform,
    "make_indexing_transform": make_indexing_transform,
    "make_functor_transform": make_functor_transform,
    "make_naive_tensor_descriptor_with_offset": make_naive_tensor_descriptor_with_offset,
    "transform_tensor_adaptor": transform_tensor_adaptor,
    "tile_distribution_encoding": tile_distribution_encoding,
    "make_embed_tile_distribution_encoding": make_embed_tile_distribution_encoding,
    "make_reduce_tile_distribution_encoding": make_reduce_tile_distribution_encoding,
    "make_static_tile_distribution": make_static_tile_distribution,
}
"""The functions of namespace ck_tile, by name."""

CK: Mapping[str, Callable[..., Any]] = {
    **_SHARED,
    "make_xor_transform": _make_xor_transform_without_modulo,
    "make_xor_with_modulo_transform": make_xor_with_modulo_transform,
    "make_merge_transform_v1_carry_check": make_merge_transform_v1_carry_check,
    "make_vectorize_transform": _make_vectorize_transform,
}
"""The functions of namespace ck, by name."""
