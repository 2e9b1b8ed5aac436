"""Triton's layouts: read, written, priced on real lane groups.

| to                                                    | call                                              |
|-------------------------------------------------------|---------------------------------------------------|
| take a layout, as text or as Gluon's object           | `from_triton`: a descriptor or a distribution     |
| write one                                             | `to_triton`: text; `to_linear`: its bases         |
| ask whether lanes meet in a bank                      | `conflict_free`: verdict, cycles, witness         |
| read what a kernel has in shared memory (.ttgir)      | `ttgir`; `formats.ttgir` checks it                |
| compute with bases                                    | `LinearLayout`, `linear_layout`                   |
"""

from layoutalg.interop.triton.accesses import conflict_free
from layoutalg.interop.triton.attribute import TritonTextError
from layoutalg.interop.triton.linear import LinearLayout
from layoutalg.interop.triton.notation import from_triton, linear_layout, to_linear, to_triton

__all__ = ["LinearLayout", "TritonTextError", "conflict_free", "from_triton", "linear_layout", "to_linear", "to_triton"]
