"""Layouts in other notations, each of which says what index map it is here: strided memory, CuTe's, Triton's.

    from_numpy(array).index_map           a descriptor over the array's memory
    cute.parse("(4,8):(8,1)").index_map   a descriptor, one dimension for each mode

Who takes layouts (claims, pictures) asks for `index_map`, and knows no notation by name.
"""

from __future__ import annotations

from typing import Protocol

from layoutalg.layout.descriptor import TensorDescriptor
from layoutalg.layout.distribution import TileDistribution


class HasIndexMap(Protocol):
    """What has an index map; LayoutError where it is one that no descriptor and no distribution is.

    >>> from layoutalg.interop import cute
    >>> given: HasIndexMap = cute.parse("(4,8):(8,1)")
    >>> given.index_map.lengths
    (4, 8)
    """

    @property
    def index_map(self) -> TensorDescriptor | TileDistribution:
        """The same map as a descriptor, or where it says who holds what, as a distribution."""
        ...


def index_map(given: object) -> object:
    """The index map of what has one; of anything else itself.

    >>> index_map("(4,8):(8,1)")
    '(4,8):(8,1)'
    """
    return given.index_map if hasattr(type(given), "index_map") else given  # type: ignore[attr-defined]
