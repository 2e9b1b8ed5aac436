"""Coordinate transforms, adaptors and descriptors, with Composable Kernel's names and numbers.

| to                                                    | look in                                                      |
|-------------------------------------------------------|--------------------------------------------------------------|
| write a transform                                     | `transforms` (its kinds: `linear`, `merge`, `nonlinear`)     |
| spell it as CK does                                   | `ck`                                                         |
| stack transforms over memory                          | `adaptor`, `descriptor`                                      |
| move an index by steps                                | `coordinate`, `increments`                                   |
| say which lane holds what                             | `distribution`, `encodings`                                  |
| read and write real memory                            | `buffer_view`, `tensor_view`, `tile_window`                  |
| hold a tile in registers                              | `distributed_tensor`                                         |
| know how wide memory may be accessed                  | `vectors`                                                    |
| give sizes their values                               | `bind`                                                       |
| see CK's known faults                                 | `transforms.DEFECTS`, `c_arithmetic`                         |

Here are the names that need no numpy; the modules that touch memory are imported by themselves.
"""

from layoutalg.errors import LayoutError
from layoutalg.layout.adaptor import TensorAdaptor, attach, chain_tensor_adaptors, make_single_stage_tensor_adaptor
from layoutalg.layout.coordinate import (
    TensorAdaptorCoordinate,
    TensorCoordinate,
    coordinate_has_valid_offset,
    coordinate_has_valid_offset_assuming_top_index_is_valid,
    make_tensor_adaptor_coordinate,
    make_tensor_coordinate,
    move_tensor_adaptor_coordinate,
    move_tensor_coordinate,
)
from layoutalg.layout.descriptor import (
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)
from layoutalg.layout.distribution import SwizzledDistribution, TileDistribution, TileDistributionEncoding
from layoutalg.layout.increments import Increment, increment_of
from layoutalg.layout.linear import Embed, Freeze, Insert, Linear, Replicate, Vectorize
from layoutalg.layout.merge import (
    Merge,
    MergeCarryCheck,
    MergeDivisionMod,
    MergeMagicDivision,
    MergeNoCarry,
    MergeScannedMagicDivision,
    Unmerge,
)
from layoutalg.layout.nonlinear import (
    ConvBwdDataOut,
    CyclicShift,
    CyclicShiftInverse,
    Functor,
    Indexing,
    Modulo,
    Xor,
    XorNoModulo,
)
from layoutalg.layout.shifts import LeftPad, Offset, Pad, PassThrough, RightPad, Slice
from layoutalg.layout.transform import NoInverseError, Transform
from layoutalg.layout.transforms import TRANSFORMS

__all__ = [
    "TRANSFORMS", "ConvBwdDataOut", "CyclicShift", "CyclicShiftInverse", "Embed", "Freeze", "Functor", "Increment",
    "Indexing", "Insert", "LayoutError", "LeftPad", "Linear", "Merge", "MergeCarryCheck", "MergeDivisionMod",
    "MergeMagicDivision", "MergeNoCarry", "MergeScannedMagicDivision", "Modulo", "NoInverseError", "Offset", "Pad",
    "PassThrough", "Replicate", "RightPad", "Slice", "SwizzledDistribution", "TensorAdaptor", "TensorAdaptorCoordinate",
    "TensorCoordinate", "TensorDescriptor", "TileDistribution", "TileDistributionEncoding", "Transform", "Unmerge",
    "Vectorize", "Xor", "XorNoModulo", "attach", "chain_tensor_adaptors", "coordinate_has_valid_offset",
    "coordinate_has_valid_offset_assuming_top_index_is_valid", "increment_of", "make_naive_tensor_descriptor",
    "make_naive_tensor_descriptor_aligned", "make_naive_tensor_descriptor_packed",
    "make_naive_tensor_descriptor_with_offset", "make_single_stage_tensor_adaptor", "make_tensor_adaptor_coordinate",
    "make_tensor_coordinate", "move_tensor_adaptor_coordinate", "move_tensor_coordinate", "transform_tensor_descriptor",
]  # fmt: skip
