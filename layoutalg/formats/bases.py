"""CK's bases of a descriptor: the keys of each in files, CK's function for it, and how it is known again.

| base                | CK's `make_naive_tensor_descriptor…` | its layers, from the bottom |
|---------------------|--------------------------------------|-----------------------------|
| `naive`             |                                      | embed                       |
| `packed`            | `_packed`                            | unmerge                     |
| `aligned`           | `_aligned`                           | embed                       |
| `naive_with_offset` | `_with_offset`                       | offset, embed               |

Where one is known again by its layers, an `aligned` is the `naive` of its strides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from layoutalg.formats.layers import Layer
from layoutalg.index import Expr
from layoutalg.layout import (
    Embed,
    LayoutError,
    Offset,
    TensorDescriptor,
    Unmerge,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_aligned,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
)
from layoutalg.layout.transform import Index
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Base:
    """A base: how it is made, of which lists and then which numbers; `hints`: what CK's function may take besides."""

    kind: str
    make: Callable[..., TensorDescriptor]
    lists: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    hints: int = 0


BASES: Mapping[str, Base] = {
    base.kind: base
    for base in (
        Base("naive", make_naive_tensor_descriptor, ("lengths", "strides"), hints=2),
        Base("packed", make_naive_tensor_descriptor_packed, ("lengths",), hints=1),
        Base("aligned", make_naive_tensor_descriptor_aligned, ("lengths",), ("align",)),
        Base(
            "naive_with_offset", make_naive_tensor_descriptor_with_offset, ("lengths", "strides"), ("offset",), hints=2
        ),
    )
}


def base_of(found: Sequence[Layer]) -> tuple[Base, tuple[Index | Expr, ...], Sequence[Layer]]:
    """The base that makes the first layers, its parameters, and the layers above it; LayoutError where none does."""
    first = found[0].transforms[0]
    above = found[1].transforms[0] if len(found) > 1 else None
    if isinstance(first, Embed):
        return BASES["naive"], (first.lengths, first.strides), found[1:]
    if type(first) is Unmerge:
        return BASES["packed"], (first.lengths,), found[1:]
    if isinstance(first, Offset) and isinstance(above, Embed):
        return BASES["naive_with_offset"], (above.lengths, above.strides, first.offset), found[2:]
    raise LayoutError(f"{first} is no base of a descriptor: those are embed and unmerge, with or without an offset")
