"""What a claim speaks of, read from what it is given: a layout in any notation becomes the map that it is here.

| a field that is    | takes                                                           | keeps                      |
|--------------------|-----------------------------------------------------------------|----------------------------|
| `Layout`           | a descriptor, an adaptor, a distribution, a layout of others     | a descriptor or an adaptor |
| `TensorDescriptor` | a descriptor, a layout of others that lies in memory             | a descriptor               |
| `TileDistribution` | a distribution, a layout of others that says who holds what      | a distribution             |

A layout of others is what has an `index_map`.  Anything else is a TypeError that says what is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution
from layoutalg.layout.index_map import index_map

OTHERS = "from_numpy, from_torch, from_dlpack, cute.parse and triton.from_triton read those of others"
TAKEN: Mapping[str, tuple[tuple[type, ...], str]] = {
    "Layout": (
        (TensorDescriptor, TensorAdaptor),
        f"a layout is wanted: a descriptor, an adaptor or a distribution; {OTHERS}",
    ),
    "TensorDescriptor": ((TensorDescriptor,), f"a layout in memory is wanted: a descriptor; {OTHERS}"),
    "TileDistribution": (
        (TileDistribution,),
        "a TileDistribution is wanted; cute.distribution and triton.from_triton make those of others",
    ),
}
"""By a field's annotation: the classes that it keeps, and what is wanted where another thing is given."""


def read_layouts(claim: Any) -> None:
    """Keeps in each field of a claim that is a layout the map that was given; TypeError where that is none."""
    for field in fields(claim):
        if field.type in TAKEN:
            kinds, wanted = TAKEN[str(field.type)]
            given = getattr(claim, field.name)
            made = index_map(given)
            if isinstance(made, TileDistribution) and TensorAdaptor in kinds:
                made = made.adaptor  # from lane and register to element
            if not isinstance(made, kinds):
                raise TypeError(f"{type(claim).__name__} of a {type(given).__name__}: {wanted}")
            if made is not given:
                object.__setattr__(claim, field.name, made)
