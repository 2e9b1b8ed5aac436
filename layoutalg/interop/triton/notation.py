"""Triton's layouts in and out: from text or an object of Gluon's to a distribution or descriptor, and back.

| Triton's                                            | here                                                       |
|-----------------------------------------------------|------------------------------------------------------------|
| a register layout (blocked, slice, dot_op, mfma, …) | a tile distribution: P = (warp, lane), Y = bits of register |
| a shared layout (swizzled, padded, rotating, …)     | a tensor descriptor over one block's shared memory          |

A distribution says who holds what: registers that repeat what another of the same lane holds are left out of it (the
linear layout, `linear_layout`, has them).  What it cannot represent: bases of registers and lanes that lead along two
dimensions at once, which no distribution has: LayoutError says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.index import TRUE, ZERO, Expr
from layoutalg.index.f2 import LinearMaps, NotLinearError
from layoutalg.interop.triton.attribute import Attribute, parse
from layoutalg.interop.triton.linear import LinearLayout, descriptor, distribution
from layoutalg.interop.triton.objects import attribute_of, linear_of
from layoutalg.interop.triton.places import BLOCK, LANE, OFFSET, PARTITION, REGISTER, WARP, bits_of, dims
from layoutalg.interop.triton.registers import registers
from layoutalg.interop.triton.shared import SharedLayout, shared
from layoutalg.layout import TensorDescriptor, TileDistribution
from layoutalg.layout.index_map import HasIndexMap, index_map
from layoutalg.prove import Agree, prove

Shape = Sequence[int]


def layout_of(layout: Any) -> Attribute:
    """The attribute of a text, or of a layout object of Triton's Gluon."""
    if isinstance(layout, Attribute):
        return layout
    return parse(layout) if isinstance(layout, str) else attribute_of(layout)


def tensor_shape(shape: Shape) -> list[int]:
    """A tensor's shape; LayoutError where it is no list of whole numbers."""
    try:
        return [index(n) for n in shape]
    except TypeError as error:
        raise LayoutError(f"a shape of {shape!r}: one whole number for each dimension is wanted ({error})") from None


def linear_layout(layout: Any, shape: Shape) -> LinearLayout:
    """The linear layout of a layout without padding: a text, an object of Gluon's, or Triton's own LinearLayout.

    >>> linear_layout("#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 8], "
    ...               "warpsPerCTA = [1, 1], order = [1, 0]}>}>", [16]).of_place("lane")
    ((2,), (4,), (8,), (0,), (0,), (0,))
    """
    if (given := linear_of(layout)) is not None:
        return given
    attribute, shape = layout_of(layout), tensor_shape(shape)
    if "shared" not in attribute.name:
        return registers(attribute, shape)
    found = shared(attribute, shape)
    if found.pads:
        attribute.refuse("padding is no part of a linear layout; take from_triton's descriptor")
    return found.linear


def from_triton(layout: Any, shape: Shape) -> TensorDescriptor | TileDistribution:
    """A shared layout's descriptor, or a register layout's distribution, on a tensor of that shape.

    `layout`: a text, an object of Triton's Gluon, or a LinearLayout.  TritonTextError (a LayoutError) with the
    character where a text is none; LayoutError where it is one that this cannot represent.

    >>> tile = from_triton("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", (64, 64))
    >>> tile.offset((3, 20))
    204
    >>> from_triton("#ttg.linear<{register = [[1]], lane = [[2], [4]], warp = [], block = []}>", [8]).encoding.hs
    ((4, 2),)
    """
    given = linear_of(layout)
    if given is None:
        attribute, shape = layout_of(layout), tensor_shape(shape)
        if "shared" in attribute.name:
            return shared(attribute, shape).descriptor
    linear = given or registers(attribute, shape)
    return descriptor(linear) if OFFSET in linear.places else distribution(linear)


# --- and back ---------------------------------------------------------------------------------------------------------


def to_linear(layout: TensorDescriptor | TileDistribution | HasIndexMap) -> LinearLayout:
    """The linear layout of a distribution (register, lane, warp, block) or of a descriptor (offset).

    LayoutError where there is none: a length that is no power of two, a carry, padding, an element without a place.

    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> print(to_linear(make_naive_tensor_descriptor_packed((2, 4))))
    offset = [[0, 1], [0, 2], [1, 0]] → dim0 2 × dim1 4
    """
    layout = _map_of(layout)
    if isinstance(layout, TileDistribution):
        return _of_distribution(layout)
    _powers("dimension", layout.lengths)
    if layout.adaptor.valid(layout.index) is not TRUE:
        raise LayoutError("an index is padding, which reaches no data; a linear layout reaches an element from each")
    top = [v if int(n) > 1 else ZERO for v, n in zip(layout.index, layout.lengths, strict=True)]
    offset = layout.offset(top)
    try:
        maps = LinearMaps([offset], over=[v for v in top if v.op == "var"])
    except NotLinearError as error:
        raise LayoutError(
            f"the offset is no xor of its index's bits ({error}); to_triton tries padded_shared"
        ) from None
    if maps.constants[offset]:
        raise LayoutError(f"the first element lies at {maps.constants[offset]}; a linear layout begins at 0")
    columns = [maps.columns_by(offset, v) if v.op == "var" else () for v in top]
    size = 1 << max((c.bit_length() for each in columns for c in each), default=0)
    bases = {f"dim{d}": [[c] for c in each] for d, each in enumerate(columns)}
    there = LinearLayout.of(bases, {OFFSET: size})
    if not there.is_injective:
        raise LayoutError("two elements share an offset: no linear layout leads from there to both")
    return there.inverse()


def _map_of(layout: TensorDescriptor | TileDistribution | HasIndexMap) -> TensorDescriptor | TileDistribution:
    """A layout of any notation as what it is here; LayoutError of what is none."""
    found = index_map(layout)
    if isinstance(found, TensorDescriptor | TileDistribution):
        return found
    raise LayoutError(f"a {type(layout).__name__}: a descriptor or a distribution is wanted, or what has an index_map")


def _of_distribution(layout: TileDistribution) -> LinearLayout:
    _powers("dimension", layout.lengths)
    _powers("P", layout.ps)
    if len(layout.ps) > 3:
        raise LayoutError(f"{len(layout.ps)} P dimensions; Triton has (block, warp, lane)")
    elements = layout.lower(layout.p_index, layout.y_index)
    try:
        maps = LinearMaps(elements, over=[v for v in (*layout.p_index, *layout.y_index) if v.op == "var"])
    except NotLinearError as error:
        raise LayoutError(f"an element is no xor of its places' bits ({error})") from None

    def leads(variable: Expr) -> list[list[int]]:
        if variable.op != "var":
            return []
        by = [maps.columns_by(e, variable) for e in elements]
        return [list(at) for at in zip(*by, strict=True)]

    held = [basis for y in reversed(layout.y_index) for basis in leads(y)]
    places = (BLOCK, WARP, LANE)[3 - len(layout.ps) :]
    owned = {place: leads(p) for place, p in zip(places, layout.p_index, strict=True)}
    bases = {REGISTER: held, **{place: owned.get(place, []) for place in (LANE, WARP, BLOCK)}}
    return LinearLayout.of(bases, dict(zip(dims(len(layout.lengths)), map(int, layout.lengths), strict=True)))


def _powers(what: str, lengths: Sequence[Expr]) -> None:
    for n, length in enumerate(lengths):
        if length.op != "const":
            raise LayoutError(f"{what} {n} has length {length}, which is not fixed; Triton's layouts are of numbers")
        size = int(length)
        if size < 1 or size & (size - 1):
            more = 1 << max(0, size - 1).bit_length()
            raise LayoutError(f"{what} {n} has length {size}, no power of two; padded to {more}, it may have a layout")


def to_triton(layout: TensorDescriptor | TileDistribution | HasIndexMap) -> str:
    """The layout in Triton's text: `#ttg.linear`, `#ttg.shared_linear`, or `#ttg.padded_shared` for padding.

    LayoutError with the reason where there is none, and what would do.  Padding is proved to be what the text says.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> to_triton(make_naive_tensor_descriptor((2, 4), (8, 1)))
    '#ttg.padded_shared<[4:+4] {offset = [[0, 1], [0, 2], [1, 0]], block = []}>'
    """
    try:
        linear = layout if isinstance(layout, LinearLayout) else to_linear(layout)
    except LayoutError:
        there = _map_of(layout)
        found = _padding(there) if isinstance(there, TensorDescriptor) else None
        if found is None:
            raise
        pads = ", ".join(f"{interval}:+{padding}" for interval, padding in found.pads)
        return f"#ttg.padded_shared<[{pads}] {{{_listed(found.linear, (OFFSET, BLOCK))}}}>"
    if linear.of_place(PARTITION):
        raise LayoutError("memory in several partitions: shared_linear is of one")
    if OFFSET in linear.places:
        return f"#ttg.shared_linear<{{{_listed(linear, (OFFSET, BLOCK))}}}, alignment = 16>"
    return f"#ttg.linear<{{{_listed(linear, (REGISTER, LANE, WARP, BLOCK))}}}>"


def _listed(layout: LinearLayout, places: Sequence[str]) -> str:
    return ", ".join(f"{place} = {[list(basis) for basis in layout.of_place(place)]}" for place in places)


def _padding(layout: TensorDescriptor) -> SharedLayout | None:
    """The padded layout that a descriptor is, proved; None where it is none."""
    try:
        _powers("dimension", layout.lengths)
    except LayoutError:
        return None
    reached: list[tuple[int, list[int]]] = []
    for d, length in enumerate(layout.lengths):
        for bit in range(bits_of(int(length))):
            at = [0] * layout.rank
            at[d] = 1 << bit
            offset = layout.offset(at)
            if offset.op != "const":
                return None
            reached.append((int(offset), at))
    pads: list[tuple[int, int]] = []
    for n, (lies, _) in enumerate(sorted(reached)):
        more = lies - (1 << n) - sum((1 << n) // interval * padding for interval, padding in pads)
        if more < 0 or more & (more - 1):
            return None
        pads += [(1 << n, more)] if more else []
    bases = {OFFSET: [at for _, at in sorted(reached)], BLOCK: list[list[int]]()}
    shape = dict(zip(dims(layout.rank), map(int, layout.lengths), strict=True))
    found = SharedLayout(LinearLayout.of(bases, shape), tuple(pads))
    begins = bool(pads) and layout.offset([ZERO] * layout.rank) is ZERO
    return found if begins and prove(Agree(layout, found.descriptor)) else None
