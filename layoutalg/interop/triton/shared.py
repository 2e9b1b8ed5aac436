"""Triton's shared layouts: at which offset of shared memory each element of a tensor lies.

A linear part from offset to element, and padding on top of it: after every `interval` elements, `padding` more.

| layout              | row r, column c of a tensor of C columns, order = [1, 0], lies at                   |
|---------------------|-------------------------------------------------------------------------------------|
| swizzled_shared     | r·C + (c ⊕ vec·((r / perPhase) mod maxPhase) mod C)                                 |
| amd_rotating_shared | the same, with (r / perPhase mod maxPhase) ⊕ (r / (perPhase·maxPhase) mod maxPhase) |
| padded_shared       | n + Σ (n / interval)·padding, n by its bases or row by row                          |
| shared_linear       | where its bases lead                                                                |
| nvmma_shared        | tiles of 8 rows and `swizzlingByteWidth` bytes (`nvmma`)                            |
| partitioned_shared  | every numPartitions-th piece along partitionDim in one buffer, by its own layout    |

(Triton 3.9, `TritonGPUAttrDefs.td`.)  The buffers of a partitioned layout lie where the allocator puts them: its linear
layout says in which one (`partition`) and where; the descriptor has them one after another, which is no address but
tells who meets whom in one of them.  What it cannot represent: the padding, or the partitions, of a layout that is
spread over the blocks of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from layoutalg.interop.triton.attribute import Attribute
from layoutalg.interop.triton.descriptors import padded
from layoutalg.interop.triton.linear import LinearLayout, descriptor
from layoutalg.interop.triton.nvmma import nvmma
from layoutalg.interop.triton.places import BLOCK, OFFSET, PARTITION, bits_of, dims
from layoutalg.interop.triton.registers import CGA_FIELDS, parted, spanning
from layoutalg.layout import TensorDescriptor
from layoutalg.records import dataclass

Shape = Sequence[int]


@dataclass(frozen=True)
class SharedLayout:
    """From offset (in elements) to element; on top of it (interval, padding) pairs, the least interval first."""

    linear: LinearLayout
    pads: tuple[tuple[int, int], ...] = ()

    @cached_property
    def joined(self) -> SharedLayout:
        """The same with the buffers of its partitions one after another: `partition` is the offset's highest bits."""
        if not self.linear.of_place(PARTITION):
            return self
        own = self.linear.of_place(OFFSET)
        bases = {OFFSET: own + self.linear.of_place(PARTITION), BLOCK: self.linear.of_place(BLOCK)}
        pads = tuple(one for one in self.pads if one[0] < 1 << len(own))
        return SharedLayout(LinearLayout.of(bases, self.linear.shape), pads)

    @cached_property
    def descriptor(self) -> TensorDescriptor:
        """From an element's coordinates to its offset, padding included; LayoutError where that is no function.

        >>> from layoutalg.interop.triton.attribute import parse
        >>> rows = shared(parse("#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [8, 64]}>"), (8, 64))
        >>> rows.descriptor.offset((2, 5)), rows.descriptor.element_space_size
        (149, 568)
        """
        return descriptor(self.joined.linear, self.joined.pads)

    def padded(self, offset: int) -> int:
        """Where an offset of the linear part lies."""
        return padded(offset, self.pads)


def shared(layout: Attribute, shape: Shape) -> SharedLayout:
    """A shared layout on a tensor of that shape; TritonTextError where it is none.

    >>> from layoutalg.interop.triton.attribute import parse
    >>> text = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>"
    >>> print(shared(parse(text), (4, 4)).linear)
    offset = [[0, 1], [0, 2], [1, 1], [2, 2]], block = [] → dim0 4 × dim1 4
    """
    if layout.name not in SHARED:
        layout.refuse(f"no shared layout of that name is known; there are {', '.join(SHARED)}")
    for n, size in enumerate(shape):
        if size < 1 or size & (size - 1):
            layout.refuse(f"dimension {n} has length {size}; Triton's tensors have powers of two")
    return SHARED[layout.name](layout, shape)


def _swizzled(layout: Attribute, shape: Shape) -> SharedLayout:
    return _by_phases(layout, shape, lambda row, per, most: row // per % most)


def _rotating(layout: Attribute, shape: Shape) -> SharedLayout:
    return _by_phases(layout, shape, lambda row, per, most: row // per % most ^ row // (per * most) % most)


def _by_phases(layout: Attribute, shape: Shape, phase: Callable[[int, int, int], int]) -> SharedLayout:
    """Columns xor-ed with a multiple of a row's phase."""
    layout.only("vec", "perPhase", "maxPhase", "order", *CGA_FIELDS)
    vec, per, most = (layout.power(key) for key in ("vec", "perPhase", "maxPhase"))
    rank, order = len(shape), layout.numbers("order")
    if sorted(order) != list(range(rank)):
        layout.refuse(f"order is {order}; each of 0…{rank - 1} once is wanted", "order")
    blocks, own = parted(layout, shape)
    bases = []
    for n, d in enumerate(order):
        for bit in range(bits_of(own[d])):
            basis = [0] * rank
            basis[d] = 1 << bit
            if n == 1:
                basis[order[0]] = vec * phase(1 << bit, per, most) % own[order[0]]
            bases.append(basis)
    tile = LinearLayout.of({OFFSET: bases}, dict(zip(dims(rank), own, strict=True)))
    return SharedLayout(tile * blocks)


def _padded(layout: Attribute, shape: Shape) -> SharedLayout:
    layout.only("pads", "order", "shape", OFFSET, BLOCK, *CGA_FIELDS)
    pads = layout.vectors("pads", 2)
    for interval, padding in pads:
        if not interval or interval & (interval - 1) or not padding or padding & (padding - 1):
            layout.refuse(f"{interval}:+{padding}: interval and padding are powers of two", "pads")
    if not pads or len({interval for interval, _ in pads}) < len(pads):
        layout.refuse("each interval once, and at least one, is wanted", "pads")
    rank = len(shape)
    if OFFSET in layout.fields:
        tile = _spelt(layout, shape)
    else:
        own, order = layout.powers("shape"), layout.numbers("order")
        if own != list(shape) or sorted(order) != list(range(rank)):
            layout.refuse(f"shape {own} and order {order} do not fit a tensor of {list(shape)}", "shape")
        if layout.vectors("CGALayout", rank, default=[]):
            layout.refuse("padding over the blocks of a cluster is not read", "CGALayout")
        bases = [[size if n == d else 0 for n in range(rank)] for d in order for size in _powers_below(own[d])]
        tile = LinearLayout.of({OFFSET: bases, BLOCK: []}, dict(zip(dims(rank), own, strict=True)))
    return SharedLayout(tile, tuple(sorted((interval, padding) for interval, padding in pads)))


def _powers_below(size: int) -> list[int]:
    return [1 << bit for bit in range(bits_of(size))]


def _linear(layout: Attribute, shape: Shape) -> SharedLayout:
    layout.only(OFFSET, BLOCK, "alignment")
    layout.power("alignment", 16)
    return SharedLayout(_spelt(layout, shape))


def _nvmma(layout: Attribute, shape: Shape) -> SharedLayout:
    return SharedLayout(*nvmma(layout, shape))


def _partitioned(layout: Attribute, shape: Shape) -> SharedLayout:
    """Pieces 0, n, 2n, … of the tensor in the first of n buffers, and so on, each by the inner layout."""
    layout.only("numPartitions", "numGroups", "partitionDim", "partitionLayout")
    partitions, groups, dim = layout.power("numPartitions"), layout.power("numGroups"), layout.number("partitionDim")
    if dim >= len(shape) or shape[dim] % (partitions * groups):
        layout.refuse(
            f"dimension {dim} of a tensor of {list(shape)} has no {partitions * groups} pieces", "partitionDim"
        )
    piece = [size // (partitions * groups) if d == dim else size for d, size in enumerate(shape)]
    inner = shared(layout.layout("partitionLayout"), piece)
    if inner.linear.of_place(BLOCK) or inner.linear.of_place(PARTITION):
        layout.refuse("partitions over blocks of a cluster, or of partitions, are not read", "partitionLayout")
    out = f"dim{dim}"
    among = LinearLayout.identity(partitions, PARTITION, out) * LinearLayout.identity(groups, OFFSET, out)
    return SharedLayout(inner.linear * among, inner.pads)


def _spelt(layout: Attribute, shape: Shape) -> LinearLayout:
    """The bases that a layout states, of a tensor of that shape."""
    rank = len(shape)
    bases = {OFFSET: layout.vectors(OFFSET, rank), BLOCK: layout.vectors(BLOCK, rank, default=[])}
    least = spanning(layout, OFFSET, bases, rank)
    if list(least.shape.values()) != list(shape):
        layout.refuse(f"its bases reach a tensor of {list(least.shape.values())}, not {list(shape)}", OFFSET)
    if not least.is_surjective:
        layout.refuse("its bases do not reach every element", OFFSET)
    return least


SHARED: Mapping[str, Callable[[Attribute, Shape], SharedLayout]] = {
    "swizzled_shared": _swizzled,
    "amd_rotating_shared": _rotating,
    "padded_shared": _padded,
    "shared_linear": _linear,
    "nvmma_shared": _nvmma,
    "partitioned_shared": _partitioned,
}
"""Every shared layout, by its mnemonic."""
