"""CK's and CK Tile's own spellings: the functions that kernel authors call, with their arguments in their order.

The two libraries share most names.  One name means two things, so each library has a table of its own:

| function                          | `CK_TILE` (namespace ck_tile)  | `CK` (namespace ck)            |
|-----------------------------------|--------------------------------|--------------------------------|
| `make_xor_transform`              | u₁ ^ (u₀ mod L₁)               | u₁ ^ u₀, **no modulo**         |
| `make_xor_with_modulo_transform`  | (none)                         | u₁ ^ (u₀ mod L₁)               |
| `make_merge_transform`            | magic division                 | magic division or carry check  |
| `make_merge_transform_v4_no_carry` | (none)                        | as v3, moved without carrying  |
| `make_vectorize_transform`        | (none)                         | size·u                         |
| `make_conv_bwd_data_out_transform` | (none)                        | `ConvBwdDataOut`               |

The functions of this module are CK Tile's; CK's own differing ones are in its table only.  `make_merge_transform` gives
`Merge`, whose digits are those of every variant on valid indices; ask for a variant by name to have its computation.
What is not taken: `SkipIsValidCheck`, by which CK reads padding as if it were data.

>>> make_xor_transform((4, 8)), CK["make_xor_transform"]((4, 8))
(xor((4, 8)), xor_no_modulo((4, 8)))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from layoutalg.index import Term
from layoutalg.layout.adaptor import attach as transform_tensor_adaptor
from layoutalg.layout.adaptor import chain_tensor_adaptors, make_single_stage_tensor_adaptor
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
from layoutalg.layout.transforms import TRANSFORMS

TRANSFORMS_OF: Mapping[str, Mapping[str, type[Transform]]] = {
    "ck_tile": {kind.ck.ck_tile: kind for kind in TRANSFORMS.values() if kind.ck.ck_tile},
    "ck": {kind.ck.ck: kind for kind in TRANSFORMS.values() if kind.ck.ck},
}
"""Of each library, the transforms by their functions' names."""


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


def _index(terms: Sequence[Term]) -> Index:
    return tuple(map(parameter, terms))


_TILE: Mapping[str, Callable[..., Transform]] = {n: kind.from_ck for n, kind in TRANSFORMS_OF["ck_tile"].items()}
_OLD: Mapping[str, Callable[..., Transform]] = {n: kind.from_ck for n, kind in TRANSFORMS_OF["ck"].items()}
_SHARED: Mapping[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        make_naive_tensor_descriptor, make_naive_tensor_descriptor_aligned, make_naive_tensor_descriptor_packed,
        transform_tensor_descriptor, chain_tensor_adaptors, make_single_stage_tensor_adaptor,
    )
}  # fmt: skip

CK_TILE: Mapping[str, Callable[..., Any]] = {
    **_TILE,
    **_SHARED,
    "make_naive_tensor_descriptor_with_offset": make_naive_tensor_descriptor_with_offset,
    "transform_tensor_adaptor": transform_tensor_adaptor,
    "tile_distribution_encoding": tile_distribution_encoding,
    "make_embed_tile_distribution_encoding": make_embed_tile_distribution_encoding,
    "make_reduce_tile_distribution_encoding": make_reduce_tile_distribution_encoding,
    "make_static_tile_distribution": make_static_tile_distribution,
}
"""The functions of namespace ck_tile, by name."""

CK: Mapping[str, Callable[..., Any]] = {**_OLD, **_SHARED}
"""The functions of namespace ck, by name."""

make_pass_through_transform = _TILE["make_pass_through_transform"]
make_pad_transform = _TILE["make_pad_transform"]
make_left_pad_transform = _TILE["make_left_pad_transform"]
make_right_pad_transform = _TILE["make_right_pad_transform"]
make_embed_transform = _TILE["make_embed_transform"]
make_merge_transform = _TILE["make_merge_transform"]
make_merge_transform_v1_carry_check = _OLD["make_merge_transform_v1_carry_check"]
make_merge_transform_v2_magic_division = _TILE["make_merge_transform_v2_magic_division"]
make_merge_transform_v3_division_mod = _TILE["make_merge_transform_v3_division_mod"]
make_merge_transform_v4_no_carry = _OLD["make_merge_transform_v4_no_carry"]
make_unmerge_transform = _TILE["make_unmerge_transform"]
make_freeze_transform = _TILE["make_freeze_transform"]
make_insert_transform = _TILE["make_insert_transform"]
make_replicate_transform = _TILE["make_replicate_transform"]
make_slice_transform = _TILE["make_slice_transform"]
make_modulo_transform = _TILE["make_modulo_transform"]
make_xor_transform = _TILE["make_xor_transform"]
make_xor_with_modulo_transform = _OLD["make_xor_with_modulo_transform"]
make_offset_transform = _TILE["make_offset_transform"]
make_cyclic_shift_transform = _TILE["make_cyclic_shift_transform"]
make_inverse_cyclic_shift_transform = _TILE["make_inverse_cyclic_shift_transform"]
make_indexing_transform = _TILE["make_indexing_transform"]
make_functor_transform = _TILE["make_functor_transform"]
make_conv_bwd_data_out_transform = _OLD["make_conv_bwd_data_out_transform"]
