"""Every offset of a descriptor as one JSON document: what `layoutalg offsets` prints.

    {"lengths": [3, 4], "element_space_size": 20, "offsets": [0, 1, 2, 3, 8, …]}

Offsets stand row-major over the top index, null where the index reaches no data.  It cannot be said of a descriptor
with symbols until they have values, and not of more indices than MOST_INDICES.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from layoutalg.index import Expr, variables
from layoutalg.index.evaluate import grids, limits
from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.layout.bind import bind
from layoutalg.lazy import lazy_imports
from layoutalg.prove.obligation import in_domain

with lazy_imports():
    import numpy as np

MOST_INDICES = 1 << 24


def offsets(descriptor: TensorDescriptor, sizes: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Lengths, element space size and offsets; `sizes` gives each symbol a value.

    LayoutError where a symbol has none, or one that it cannot have or that makes a length less than 1, and where there
    are more than MOST_INDICES indices.

    >>> from layoutalg.layout import RightPad, make_naive_tensor_descriptor, transform_tensor_descriptor
    >>> d = make_naive_tensor_descriptor((3,), (2,))
    >>> offsets(transform_tensor_descriptor(d, [RightPad(3, 1)], [[0]], [[0]]))
    {'lengths': [4], 'element_space_size': 5, 'offsets': [0, 2, 4, None]}
    """
    descriptor = bind(descriptor, _values(descriptor, sizes or {}))
    lengths = [int(n) for n in descriptor.lengths]
    if prod(lengths) > MOST_INDICES:
        raise LayoutError(f"{prod(lengths)} indices are too many to list; at most {MOST_INDICES} are")
    listed: list[int | None] = []
    if not descriptor.is_empty:
        index = descriptor.index
        found, valid = grids([descriptor.offset(index), descriptor.valid(index)], index)
        listed = [*found.ravel().tolist()]
        for n in np.flatnonzero(valid.ravel() == 0).tolist():
            listed[n] = None
    return {"lengths": lengths, "element_space_size": int(descriptor.element_space_size), "offsets": listed}


def _values(descriptor: TensorDescriptor, sizes: Mapping[str, int]) -> dict[Expr, int]:
    """The value of each symbol below the descriptor."""
    index = () if descriptor.is_empty else descriptor.index
    reached = (descriptor.offset(index), descriptor.valid(index)) if index else ()
    parts = (*reached, descriptor.element_space_size, *descriptor.lengths)
    symbols = [v for v in variables(*parts) if v not in index]
    missing = [v.value.name for v in symbols if v.value.name not in sizes]
    if missing:
        raise LayoutError(f"the sizes {', '.join(missing)} have no value; give one for each")
    at = {v: sizes[v.value.name] for v in symbols}
    for v, given in at.items():
        if not in_domain(at, (v,)):
            raise LayoutError(f"{v} = {given} breaks {limits(v)}")
    return at
