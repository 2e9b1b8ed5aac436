"""CK Tile C++ as input and output: read without compiling, written so that it reads back.

What was read of ROCm/composable_kernel at commit 8e22e1ae (October 2024): of the functions that build a layout in the
23 policy headers of `include/ck_tile/ops/`, with the values of one fp16 kernel for what the policies leave open
(`python benchmarks/ck_checkout.py composable_kernel/include` does it again on any checkout):

| functions | outcome                                                                                            |
|-----------|----------------------------------------------------------------------------------------------------|
| 70        | read; all their 164 claims are proved                                                              |
| 1         | calls `make_xor_transform` with two arguments, which that version of CK no longer has              |

Of a fork of July 2026 (tracybj/composable_kernel-dev at f069a70d, 51 policy headers), at the same values: 152 read and
all their 380 claims proved; 96 refused, because those values fail a `static_assert` there or divide by zero (most are
for other matrix instructions); the same 1 unread.

Documentation is read block by block.  Blocks that speak of a tensor which the text only mentions are read once `-D`
says what it is (`-D original_matrix='make_naive_tensor_descriptor_packed(make_tuple(4, 6))'`); pseudo-code that no
version of CK compiles (`transform_tensor_descriptor` with bare sequences for its dimensions) is left out with that
reason.

Of the 18 blocks of two of its pages, docs/conceptual/ck_tile/adaptors.rst (commit 4028ae49) and descriptors.rst
(1c735331), 17 are read whole, 10 of them as they stand; all their claims are proved.  The other one broadcasts a tensor
whose only dimension no transform uses, and is refused for that.
"""

from layoutalg.formats.ck_cpp.reader import load, loads
from layoutalg.formats.ck_cpp.write import to_ck

__all__ = ["load", "loads", "to_ck"]
