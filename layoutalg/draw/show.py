"""One function for every picture: what is given decides what is drawn.

| given                               | drawn                                                                  |
|-------------------------------------|------------------------------------------------------------------------|
| a descriptor, a distribution        | its transform graph; with `by=`, its index grid                        |
| an adaptor                          | its transform graph                                                    |
| a layout of CuTe's, strided memory  | as the descriptor that it is                                           |
| a `LaneAccess`                      | lanes × banks, phase by phase; with `by=`, the index grid              |
| two accesses                        | before and after (`layoutalg.draw.swizzle`)                            |
| a descriptor and a refuted verdict  | the coordinates at which it fails                                      |
| an access of `layoutalg.memory`  | as a `LaneAccess`; with a refuted verdict on it, where the witness is  |
| a kernel's program                  | its data flow through the memories                                     |

In a notebook a `Picture` shows itself, and so does each kind of thing that is drawn here (`layoutalg.draw.notebook`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from layoutalg.draw.access import LaneAccess
from layoutalg.draw.collision import refutation
from layoutalg.draw.conflicts import conflicts
from layoutalg.draw.dataflow import dataflow
from layoutalg.draw.graph import graph
from layoutalg.draw.grid import grid
from layoutalg.draw.svg import Picture
from layoutalg.draw.swizzle import compare
from layoutalg.errors import DrawError
from layoutalg.interop import cute, triton
from layoutalg.interop.strided import Strided
from layoutalg.kernel.program import Program
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution
from layoutalg.layout.index_map import HasIndexMap
from layoutalg.memory import Access
from layoutalg.prove import Refuted


def _layout(given: Any, by: str, **options: Any) -> Picture:
    return grid(given, by, **options) if by else graph(given, **options)


def _access(given: LaneAccess, by: str, **options: Any) -> Picture:
    return grid(given.descriptor, by, access=given, at=given.at, **options) if by else conflicts(given, **options)


def _proved(given: Access, by: str, *, at: Mapping[str, int] | None = None, **options: Any) -> Picture:
    return _access(LaneAccess.from_proof(given, at), by, **options)


def _adaptor(given: TensorAdaptor, by: str, **options: Any) -> Picture:
    if by:
        raise DrawError(f"an adaptor has no memory to colour by {by!r}; draw a descriptor, or leave `by` out")
    return graph(given, **options)


def _program(given: Program, by: str, **options: Any) -> Picture:
    if by:
        raise DrawError(f"a program is not coloured by {by!r}; leave `by` out")
    return dataflow(given, **options)


OF_OTHERS = (Strided, cute.Layout, cute.ComposedLayout, triton.LinearLayout)
"""Layouts in the neighbours' notations, each drawn as the index map that it is here."""


def _of_others(given: HasIndexMap, by: str, **options: Any) -> Picture:
    return _layout(given.index_map, by, **options)


DRAWN: Mapping[type, Callable[..., Picture]] = {
    TensorDescriptor: _layout, TileDistribution: _layout, TensorAdaptor: _adaptor, LaneAccess: _access,
    Program: _program,
    Access: _proved,
    **dict.fromkeys(OF_OTHERS, _of_others),
}  # fmt: skip
"""What is drawn of each kind of thing."""


def show(given: Any, other: Any = None, *, by: str = "", **options: Any) -> Picture:
    """The picture of a thing, or of two; options go on to the function that draws it. DrawError lists what is drawn.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> tile = make_naive_tensor_descriptor((8, 8), (8, 1))
    >>> show(tile).title, show(tile, by="bank").title
    ('Transform graph: embed((8, 8), (8, 1))', 'bank of each of 8 × 8 elements')
    """
    if isinstance(given, LaneAccess) and isinstance(other, LaneAccess):
        return compare(given, other, **options)
    if isinstance(given, TensorDescriptor) and isinstance(other, Refuted):
        return refutation(given, other)
    if isinstance(given, Access) and isinstance(other, Refuted) and other.witness.points:
        return _proved(given, by, at=other.witness.points[0], **options)
    if other is None and type(given) in DRAWN:
        return DRAWN[type(given)](given, by, **options)
    things = " and ".join(type(one).__name__ for one in (given, other) if one is not None)
    raise DrawError(f"nothing is drawn of {things}; of {', '.join(kind.__name__ for kind in DRAWN)}, two accesses, "
                    "or a descriptor and a refuted verdict")  # fmt: skip


def svg(given: Any, other: Any = None, *, by: str = "", **options: Any) -> str:
    """`show`, as the text of an SVG file.

    >>> from layoutalg.layout import make_naive_tensor_descriptor as naive
    >>> svg(naive((8, 8), (8, 1)))[:4]
    '<svg'
    """
    return str(show(given, other, by=by, **options))
