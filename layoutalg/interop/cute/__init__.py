"""CuTe's layouts, pycute's and FlyDSL's: read, written, and their algebra, right or refused with a coordinate.

| to                             | call                                                                       |
|--------------------------------|----------------------------------------------------------------------------|
| read one, write one            | `parse("((4,2),8):((2,1),16)")`, `Layout(shape, stride)`; `str(layout)`     |
| use it here, and back          | `descriptor(layout)`, `layout_of(descriptor)`                              |
| compose                        | `composition`, `coalesce`, `complement`, `right_inverse`, `left_inverse`   |
| cut into tiles, repeat         | `logical_divide`, `zipped_divide` …, `logical_product`, `blocked_product` … |
| say who holds what             | `make_tiled_mma`, `make_tiled_copy`, `distribution`, `thread_value`        |
| a tile, a thread's part, a slice| `local_tile`, `local_partition`, `slice_and_offset`                         |
| other elements, a whole shape  | `recast`, `upcast`, `downcast`, `tile_to_shape`                            |
| take apart, put together       | `select`, `filter`, `make_layout`, `size`, `cosize`, `rank`                |

Shapes and strides are integers, or index expressions over sizes: then each result is proved for all of them, or
refused with the condition that would do.  What no layout is, `descriptor(outer, inner)` still is.

>>> from layoutalg.prove import Agree, prove
>>> tile = parse("Sw<3,3,3> o 0 o (64,64):(64,1)")
>>> prove(Agree(descriptor(tile), descriptor(tile))).name
'proved'
"""

from layoutalg.interop.cute.algebra import (
    complement,
    cosize,
    filter,
    left_inverse,
    make_layout,
    rank,
    right_inverse,
    select,
    size,
)
from layoutalg.interop.cute.atoms import MmaAtom, mma_atom
from layoutalg.interop.cute.compose import coalesce, composition
from layoutalg.interop.cute.copies import (
    CopyAtom,
    TiledCopy,
    copy_atom,
    make_tiled_copy,
    make_tiled_copy_a,
    make_tiled_copy_b,
    make_tiled_copy_c,
)
from layoutalg.interop.cute.layout import ComposedLayout, Layout, NoLayoutError, descriptor
from layoutalg.interop.cute.mma import TiledMma, make_tiled_mma
from layoutalg.interop.cute.products import (
    blocked_product,
    flat_divide,
    logical_divide,
    logical_product,
    raked_product,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)
from layoutalg.interop.cute.recognize import layout_of
from layoutalg.interop.cute.swizzle import BitSwizzle
from layoutalg.interop.cute.text import flydsl, parse
from layoutalg.interop.cute.threads import distribution, thread_value
from layoutalg.interop.cute.tiles import (
    downcast,
    local_partition,
    local_tile,
    recast,
    slice_and_offset,
    tile_to_shape,
    upcast,
)

__all__ = [
    "BitSwizzle",
    "ComposedLayout",
    "CopyAtom",
    "Layout",
    "MmaAtom",
    "NoLayoutError",
    "TiledCopy",
    "TiledMma",
    "blocked_product",
    "coalesce",
    "complement",
    "composition",
    "copy_atom",
    "cosize",
    "descriptor",
    "distribution",
    "downcast",
    "filter",
    "flat_divide",
    "flydsl",
    "layout_of",
    "left_inverse",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "make_layout",
    "make_tiled_copy",
    "make_tiled_copy_a",
    "make_tiled_copy_b",
    "make_tiled_copy_c",
    "make_tiled_mma",
    "mma_atom",
    "parse",
    "raked_product",
    "rank",
    "recast",
    "right_inverse",
    "select",
    "size",
    "slice_and_offset",
    "thread_value",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "upcast",
    "zipped_divide",
    "zipped_product",
]  # fmt: skip
