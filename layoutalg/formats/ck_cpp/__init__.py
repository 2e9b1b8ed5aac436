"""CK Tile C++ where no checkout of CK is at hand: read without compiling; and written, so that it reads back.

The reader's job is what no compiler takes: a header by itself, without those that it includes; blocks of C++ in a page
of documentation; a template whose parameters stay open, as symbols or with what `-D` gives.  CK's own headers, and what
is built on them, are the compiler's (`layoutalg.formats.cpp`): of AMD's policies it reads 203 of 211 functions
(benchmarks/ck/RESULTS.md), with real matrix instructions.  Of these headers a slow test holds the two together:
whatever both read is equal.

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
