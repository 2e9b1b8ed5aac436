"""CK Tile C++ as input and output: read without compiling, written so that it reads back.

What was read of ROCm/composable_kernel at commit 8e22e1ae (October 2024), every value that a policy leaves open being
given by `-D`, of the functions that build a layout in the 23 policy headers of `include/ck_tile/ops/`:

| functions | outcome                                                                                            |
|-----------|----------------------------------------------------------------------------------------------------|
| 64        | read (14 of them refused at the values that were tried: a length came out as 0)                    |
| 3         | need an encoding of another file: `-D WarpGemm::AWarpDstrEncoding='tile_distribution_encoding<…>{}'` |
| 1         | calls `make_xor_transform` with two arguments, which that version of CK no longer has              |

Documentation is read block by block.  Blocks that speak of a tensor which the text only mentions are read once `-D`
says what it is (`-D original_matrix='make_naive_tensor_descriptor_packed(make_tuple(4, 6))'`); pseudo-code that no
version of CK compiles (`transform_tensor_descriptor` with bare sequences for its dimensions) is left out with that
reason.
"""

from layoutalg.formats.ck_cpp.reader import load, loads
from layoutalg.formats.ck_cpp.write import to_ck

__all__ = ["load", "loads", "to_ck"]
