"""C++ by the compiler where no checkout of CK is at hand: lone headers, pages of documentation, and what `-D` gives.

The compiler takes what no other reader does: a header without those that it includes, with a stub of CK's names of our
own in their place (`layoutalg/ck_stub.h`), whose functions record what they are called with; a template whose
parameters `-D` gives, as numbers or as sizes that stay open.  What is built on CK's own headers is asked of CK itself
(`layoutalg.formats.cpp`, `layoutalg.ck`); the two are the same compiler.

Documentation is read block by block.  Blocks that speak of a tensor which the text only mentions are read once `-D`
says what it is (`-D original_matrix='make_naive_tensor_descriptor_packed(make_tuple(4, 6))'`); pseudo-code that no
version of CK compiles is left out with the compiler's reason.
"""

from layoutalg.cpp.reader import load, loads, value_of

__all__ = ["load", "loads", "value_of"]
