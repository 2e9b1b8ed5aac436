"""Triton's register layouts as linear layouts: which element each register of each lane of each warp holds.

A layout says a tile: what one block holds when each lane holds its least.  A tensor that is larger is the tile repeated
in registers; where it is smaller, the bits that would leave it lead nowhere, and the element is held several times:

    #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>, 32 × 64

| place    | bases                             |                                                  |
|----------|-----------------------------------|--------------------------------------------------|
| register | [0, 1] [0, 2], [0, 32]            | sizePerThread along dim1, then the tile repeated |
| lane     | [0, 4] [0, 8] [0, 16], [1, 0] …   | threadsPerWarp, the dimension `order[0]` first   |
| warp     | [8, 0] [16, 0]                    | warpsPerCTA                                      |

The meaning is that of Triton 3.9 (`TritonGPUAttrDefs.td`, `LinearLayoutConversions.h`), and what it makes of each kind
is recorded (`tests/interop/triton`).  What it cannot represent: `#ttg.auto` and `coalesced`, which say nothing yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from layoutalg.interop.triton.attribute import Attribute
from layoutalg.interop.triton.linear import LinearLayout, product
from layoutalg.interop.triton.matrix import dot_operand, result
from layoutalg.interop.triton.places import BLOCK, LANE, REGISTER, WARP, bits_of, dims

Shape = Sequence[int]


def registers(layout: Attribute, shape: Shape) -> LinearLayout:
    """The linear layout of a register layout on a tensor of that shape; TritonTextError where it is none.

    >>> from layoutalg.interop.triton.attribute import parse
    >>> text = "#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[8,8], warpsPerCTA=[4,1], order=[1,0]}>"
    >>> print(registers(parse(text), (32, 32)))
    register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], \
warp = [[8, 0], [16, 0]], block = [] → dim0 32 × dim1 32
    """
    if layout.name not in _REGISTERS:
        layout.refuse(f"no register layout of that name is known; there are {', '.join(_REGISTERS)}")
    for n, size in enumerate(shape):
        if size < 1 or size & (size - 1):
            layout.refuse(f"dimension {n} has length {size}; Triton's tensors have powers of two")
    return _REGISTERS[layout.name](layout, shape)


def cga(layout: Attribute, rank: int) -> LinearLayout:
    """Which part of the tensor each block of a cluster holds."""
    bases = layout.vectors("CGALayout", rank, default=[])
    older = [layout.powers(key, [1] * rank) for key in ("CTAsPerCGA", "CTASplitNum")]
    layout.numbers("CTAOrder", [])
    if any(n != 1 for one in older for n in one):
        layout.refuse("several blocks are said by CGALayout = [[…]], in Triton 3.6 and later", "CTAsPerCGA")
    return spanning(layout, "CGALayout", {BLOCK: bases}, rank)


def parted(layout: Attribute, shape: Shape) -> tuple[LinearLayout, list[int]]:
    """The same with the shape of one block's part; refused where there are more blocks than parts."""
    blocks = cga(layout, len(shape))
    own = [size // blocks.shape[f"dim{n}"] for n, size in enumerate(shape)]
    if 0 in own:
        layout.refuse(f"CGALayout spreads more blocks than a tensor of {list(shape)} has parts", "CGALayout")
    return blocks, own


def spanning(layout: Attribute, key: str, bases: Mapping[str, Sequence[Sequence[int]]], rank: int) -> LinearLayout:
    """The linear layout of bases, on the least shape that holds them."""
    every = [basis for vectors in bases.values() for basis in vectors]
    sizes = [1 << max((basis[n] for basis in every), default=0).bit_length() for n in range(rank)]
    if sum(map(bits_of, sizes)) > 62:
        layout.refuse(f"its bases reach {sizes}: 2^62 elements or more are refused", key)
    return LinearLayout.of(bases, dict(zip(dims(rank), sizes, strict=True)))


def standard(place: str, sizes: Shape, order: Sequence[int]) -> LinearLayout:
    """Places numbered through a box of these sizes, the dimension order[0] fastest."""
    return product([LinearLayout.identity(sizes[d], place, f"dim{d}") for d in order])


def fitted(tile: LinearLayout, inner: int | None, blocks: LinearLayout, shape: Shape) -> LinearLayout:
    """A block's tile repeated over its part of the tensor in registers, or cut to it, at each block of the cluster.

    `inner`: the bits of registers after which they go through it dimension by dimension, through the first one of the
    whole tensor's.
    """
    sizes = dict(zip(dims(len(shape)), shape, strict=True))
    blocks = cut(blocks, sizes)
    own = {out: max(1, sizes[out] // blocks.shape.get(out, 1)) for out in sizes}
    first = next(iter(tile.shape))
    whole = repeated(tile, own if inner is None else {**own, first: sizes[first]})
    if inner is not None:
        held = whole.of_place(REGISTER)
        rest = sorted(held[inner:], key=lambda basis: next(n for n, at in enumerate(basis) if at))
        whole = LinearLayout.of({**dict(whole.bases), REGISTER: (*held[:inner], *rest)}, whole.shape)
    return (cut(whole, own) * blocks).ordered(list(sizes))


def repeated(tile: LinearLayout, sizes: Mapping[str, int]) -> LinearLayout:
    """The tile in further registers until it fills the sizes, its first dimension fastest."""
    for out, size in tile.sizes:
        if size < sizes[out]:
            tile = tile * LinearLayout.identity(sizes[out] // size, REGISTER, out)
    return tile


def cut(layout: LinearLayout, sizes: Mapping[str, int]) -> LinearLayout:
    """The layout on a smaller tensor: what leads out of it leads nowhere."""
    kept = {out: min(size, sizes[out]) for out, size in layout.sizes}
    bases = {
        name: [[at if at < kept[out] else 0 for out, at in zip(kept, basis, strict=True)] for basis in vectors]
        for name, vectors in layout.bases
    }
    return LinearLayout.of(bases, kept)


# --- each kind --------------------------------------------------------------------------------------------------------


def _ordered(layout: Attribute, rank: int) -> list[int]:
    order = layout.numbers("order")
    if sorted(order) != list(range(rank)):
        layout.refuse(f"order is {order}; each of 0…{rank - 1} once is wanted", "order")
    return order


def blocked(layout: Attribute, shape: Shape) -> LinearLayout:
    """#ttg.blocked: boxes of registers, lanes and warps within each other."""
    layout.only("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order", *CGA_FIELDS)
    rank, parts = len(shape), []
    order = _ordered(layout, rank)
    for place, key in ((REGISTER, "sizePerThread"), (LANE, "threadsPerWarp"), (WARP, "warpsPerCTA")):
        sizes = layout.powers(key)
        if len(sizes) != rank:
            layout.refuse(f"{key} has {len(sizes)} sizes for {rank} dimensions", key)
        parts.append(standard(place, sizes, order))
    return fitted(product(parts), None, cga(layout, rank), shape).without_copies(REGISTER)


def sliced(layout: Attribute, shape: Shape) -> LinearLayout:
    """#ttg.slice: its parent's layout without a dimension; registers that told it apart are gone."""
    layout.only("dim", "parent")
    dim = layout.number("dim")
    if dim > len(shape):
        layout.refuse(f"dim {dim} does not exist in a parent of {len(shape) + 1} dimensions", "dim")
    whole = [*shape[:dim], 1, *shape[dim:]]
    parent = registers(layout.layout("parent"), whole)
    kept = parent.ordered([f"dim{n}" for n in range(len(whole)) if n != dim])
    return LinearLayout(kept.bases, tuple(zip(dims(len(shape)), shape, strict=True))).without_copies(REGISTER)


def linear_bases(layout: Attribute, shape: Shape) -> LinearLayout:
    """#ttg.linear: the bases themselves, repeated or cut to the tensor."""
    layout.only(REGISTER, LANE, WARP, BLOCK)
    rank = len(shape)
    bases = {place: layout.vectors(place, rank) for place in (REGISTER, LANE, WARP, BLOCK)}
    tile = spanning(layout, REGISTER, bases, rank)
    first = [n for basis in bases[REGISTER] for n, at in enumerate(basis) if at]
    order = list(dict.fromkeys([*first, *reversed(range(rank))]))
    sizes = dict(zip(dims(rank), shape, strict=True))
    whole = repeated(tile.ordered([f"dim{n}" for n in order]), sizes)
    return cut(whole, sizes).ordered(list(sizes)).without_copies(REGISTER)


def _matrix(layout: Attribute, shape: Shape) -> LinearLayout:
    """What a matrix instruction gives: its tile, fitted."""
    rank = len(shape)
    if rank < 2:
        layout.refuse(f"a product of {rank} dimension; it has two or more")
    return fitted(*result(layout, rank), cga(layout, rank), shape)


def _dot(layout: Attribute, shape: Shape) -> LinearLayout:
    """#ttg.dot_op: an operand of the parent's instruction."""
    layout.only("opIdx", "parent", "kWidth")
    operand, parent, rank = layout.number("opIdx"), layout.layout("parent"), len(shape)
    if operand > 1:
        layout.refuse(f"opIdx is {operand}; a product has the operands 0 and 1", "opIdx")
    if rank < 2:
        layout.refuse(f"an operand of {rank} dimension; a product's has two or more")
    k = rank - 1 if operand == 0 else rank - 2
    blocks = cga(parent, rank)
    if parent.name != "amd_mfma":  # all blocks hold all of k; Triton spreads k over them for mfma alone
        bases = [[0 if n == k else at for n, at in enumerate(basis)] for basis in blocks.of_place(BLOCK)]
        blocks = spanning(parent, "CGALayout", {BLOCK: bases}, rank)
    if parent.name == "blocked":
        return _dot_of_blocked(parent, shape, k, blocks)
    return fitted(*dot_operand(layout, parent, operand, rank), blocks, shape)


def _dot_of_blocked(parent: Attribute, shape: Shape, k: int, blocks: LinearLayout) -> LinearLayout:
    """An operand of a product by scalar instructions: each lane holds all of k."""
    order = _ordered(parent, len(shape))
    sizes = {key: parent.powers(key) for key in ("sizePerThread", "threadsPerWarp", "warpsPerCTA")}
    each = list(sizes["sizePerThread"])
    each[k] = shape[k]
    parts = [standard(REGISTER, each, order)]
    for place, key in ((LANE, "threadsPerWarp"), (WARP, "warpsPerCTA")):
        for d in order:
            make = LinearLayout.zeros if d == k else LinearLayout.identity
            parts.append(make(sizes[key][d], place, f"dim{d}"))
    return fitted(product(parts), None, blocks, shape)


CGA_FIELDS = ("CGALayout", "CTAsPerCGA", "CTASplitNum", "CTAOrder")

_REGISTERS: Mapping[str, Callable[[Attribute, Shape], LinearLayout]] = {
    "blocked": blocked,
    "slice": sliced,
    "linear": linear_bases,
    "generic_linear": linear_bases,
    "amd_mfma": _matrix,
    "amd_wmma": _matrix,
    "nvidia_mma": _matrix,
    "dot_op": _dot,
}
"""Every register layout, by its mnemonic."""
