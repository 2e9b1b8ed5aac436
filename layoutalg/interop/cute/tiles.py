"""Parts of layouts, and layouts of other elements: what CuTe's tensors are cut into, with where each part begins.

| operation                         | the result                                                                     |
|-----------------------------------|--------------------------------------------------------------------------------|
| `slice_and_offset(L, (None, 3))`  | L where mode 1 is 3; None stands for CuTe's `_`, what is kept                   |
| `local_tile(L, tiler, at)`        | the tile at a coordinate of tiles; the rest stays where that has None           |
| `local_partition(L, threads, n)`  | what thread n of a layout of threads has, each a place in every tile of them    |
| `upcast(L, n)`, `downcast(L, n)`  | the same memory in elements n times as great, in n parts of each                |
| `recast(L, old, new)`             | elements of `old` bits taken for such of `new` bits                             |
| `tile_to_shape(L, shape, order)`  | copies of L as many as make up the shape, in the order of its modes             |

Each part is a layout and the offset at which it begins, which a tensor adds to its pointer; below a swizzle the offset
is part of the layout, and 0 is left.  What CuTe rounds (an element that no whole number of the old ones make) is
refused.  (NVIDIA, CUTLASS, include/cute: layout.hpp, tensor_impl.hpp, swizzle_layout.hpp, pointer_flagged.hpp.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import gcd

from layoutalg.errors import LayoutError
from layoutalg.index import Term
from layoutalg.interop.cute.compose import Tiler
from layoutalg.interop.cute.layout import A, AnyLayout, ComposedLayout, Layout, NoLayoutError, made, mapped, plain
from layoutalg.interop.cute.products import blocked_product, zipped_divide
from layoutalg.interop.cute.sizes import exactly_over, plus, product, quotient, remainder, times
from layoutalg.interop.cute.swizzle import recast_swizzle
from layoutalg.interop.cute.trees import Tree, leaves, packed

Kept = Term | None | tuple["Kept", ...]
"""A coordinate, None where all of a mode is kept."""


def slice_and_offset(layout: AnyLayout, at: Kept) -> tuple[AnyLayout, Term]:
    """The layout of the modes that are kept, and where it begins.

    >>> slice_and_offset(Layout((4, 8), (8, 1)), (None, 3))
    ((4):(8), 3)
    """
    if isinstance(layout, ComposedLayout):
        part, offset = _slice(layout.layout, at)
        return replace(layout, offset=plus(layout.offset, offset), layout=part), 0
    return _slice(plain(layout, "slice"), at)


def _slice(layout: Layout, at: Kept) -> tuple[Layout, Term]:
    if at is None:
        return layout, 0
    kept: list[Layout] = []
    offset = _sliced(layout, at, kept)
    shape, stride = tuple(one.shape for one in kept), tuple(one.stride for one in kept)
    return made(shape, stride) if kept else made(1, 0), offset


def _sliced(layout: Layout, at: Kept, kept: list[Layout]) -> Term:
    """Where the coordinate leads; the modes that it keeps are added to `kept`."""
    if at is None:
        kept.append(layout)
        return 0
    if not isinstance(at, tuple):
        return layout(at)
    if not isinstance(layout.shape, tuple) or len(at) != len(layout):
        raise LayoutError(f"coordinate {at} for {layout}: one number, or one for each mode")
    total: Term = 0
    for mode, one in zip(layout, at, strict=True):
        total = plus(total, _sliced(mode, one, kept))
    return total


def local_tile(layout: AnyLayout, tiler: Tiler, at: Sequence[Kept]) -> tuple[AnyLayout, Term]:
    """One tile of a layout, and where it begins; of coordinates of tiles that are None, or left out, all are kept.

    >>> local_tile(Layout((8, 12)), (4, 3), (1, 2))
    ((4,3):(1,8), 52)
    """
    tiled = zipped_divide(layout, tiler)
    inside, among = (len(one) for one in tiled)
    return slice_and_offset(tiled, (_keeping((), inside), _keeping(at, among)))


def local_partition(layout: AnyLayout, threads: Layout, index: Term) -> tuple[AnyLayout, Term]:
    """What one thread has of a layout: its place in each tile of the shape of the threads, and where that begins.

    >>> local_partition(Layout((8, 12)), Layout((4, 3)), 5)
    ((2,4):(4,24), 9)
    """
    sizes = tuple(product(leaves(mode.shape)) for mode in threads)
    own = [number_at(mode, index) for mode in threads]
    tiled = zipped_divide(layout, sizes)
    inside, among = (len(one) for one in tiled)
    return slice_and_offset(tiled, (_keeping(own, inside), _keeping((), among)))


def _keeping(at: Sequence[Kept], count: int) -> tuple[Kept, ...]:
    if len(at) > count:
        raise LayoutError(f"{len(at)} coordinates for {count} modes")
    return (*at, *[None] * (count - len(at)))


def number_at(mode: Layout, index: Term) -> Term:
    """The coordinate in a mode of what stands at an index of the whole layout."""
    total: Term = 0
    for n, d, step in zip(*map(leaves, (mode.shape, mode.stride, packed(mode.shape))), strict=True):
        if d != 0:
            total = plus(total, times(remainder(quotient(index, d), n), step))
    return total


def upcast(layout: AnyLayout, count: int) -> AnyLayout:
    """The memory of a layout in elements of `count` of its own each.

    >>> upcast(Layout((8, 64), (64, 1)), 8)
    (8,8):(8,1)
    """
    if not isinstance(layout, ComposedLayout):
        layout = plain(layout, "upcast")
        return _by_leaves(layout, lambda n, d: _upcast(n, d, count))
    offset = exactly_over(layout.offset, count)
    if offset is None:
        raise NoLayoutError(f"upcast of {layout}: it begins within an element of {count}")
    below = _by_leaves(layout.layout, lambda n, d: _upcast(n, d, count))
    return ComposedLayout(recast_swizzle(layout.swizzle, 1, count), offset, below)


def _upcast(n: Term, d: Term, count: int) -> tuple[Term, Term]:
    if d == 0:
        return n, d
    if (whole := exactly_over(d, count)) is not None:
        return n, whole
    if type(d) is int and d > 0 and count % d == 0 and (fewer := exactly_over(n, count // d)) is not None:
        return fewer, 1
    raise NoLayoutError(f"upcast: {n}:{d} is no whole number of elements of {count}")


def downcast(layout: AnyLayout, count: int) -> AnyLayout:
    """The memory of a layout in elements of which `count` are one of its own: they lie along its mode of stride 1.

    >>> downcast(Layout((8, 8), (8, 1)), 8)
    (8,64):(64,1)
    """
    if isinstance(layout, ComposedLayout):
        swizzle = recast_swizzle(layout.swizzle, count, 1)
        return ComposedLayout(swizzle, times(layout.offset, count), _downcast(layout.layout, count))
    return _downcast(plain(layout, "downcast"), count)


def _downcast(layout: Layout, count: int) -> Layout:
    if sum(d == 1 for _, d in layout.modes) != 1:
        raise NoLayoutError(f"downcast of {layout}: one mode of stride 1 is wanted, along which the parts lie")
    return _by_leaves(layout, lambda n, d: (times(n, count), d) if d == 1 else (n, times(d, count)))


def _by_leaves(layout: Layout, operation: Callable[[Term, Term], tuple[Term, Term]]) -> Layout:
    """Each number of the shape, with its stride, by an operation."""
    if not isinstance(layout.shape, tuple):
        assert not isinstance(layout.stride, tuple)
        return made(*operation(layout.shape, layout.stride))
    parts = [_by_leaves(mode, operation) for mode in layout]
    return made(tuple(one.shape for one in parts), tuple(one.stride for one in parts))


def recast(layout: AnyLayout, old: int, new: int) -> AnyLayout:
    """The memory of elements of `old` bits as elements of `new` bits.

    >>> recast(Layout((8, 64), (64, 1)), 16, 128)
    (8,8):(8,1)
    """
    both = gcd(old, new)
    wide = layout if new == both else upcast(layout, new // both)
    return wide if old == both else downcast(wide, old // both)


def tile_to_shape(block: A, shape: Tree, order: Sequence[int] | None = None) -> A:
    """Copies of a block that make up a shape, mode by mode; `order` says which mode goes first (the first, if unsaid).

    >>> tile_to_shape(Layout((3, 4)), (9, 12))
    ((3,3),(4,3)):((1,12),(3,36))
    """
    return mapped(block, lambda one: _tiled(one, shape, order))


def _tiled(block: Layout, shape: Tree, order: Sequence[int] | None) -> Layout:
    wanted = [product(leaves(part)) for part in (shape if isinstance(shape, tuple) else (shape,))]
    own = [product(leaves(mode.shape)) for mode in block] + [1] * (len(wanted) - len(block))
    found = [exactly_over(whole, part) for whole, part in zip(wanted, own, strict=False)]
    counts = [count for count in found if count is not None]
    if not len(own) == len(wanted) == len(counts):
        raise NoLayoutError(f"tile_to_shape of {block}: its copies do not make up {shape}")
    places = list(order) if order is not None else list(range(len(wanted)))
    if len(places) != len(wanted) or len(set(places)) < len(places):
        raise LayoutError(f"an order of {len(wanted)} modes has a number for each, no two alike, not {order}")
    strides: dict[int, Term] = {}
    step: Term = 1
    for mode in sorted(range(len(places)), key=places.__getitem__):
        strides[mode], step = step, times(step, counts[mode])
    return blocked_product(block, made(tuple(counts), tuple(strides[n] for n in range(len(places)))))
