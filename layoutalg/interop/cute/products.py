"""Divisions and products of layouts: tiles of a layout, and copies of one.

| operation                | modes of the result, for tilers (T₀, T₁) of a layout (A₀, A₁, …)                      |
|--------------------------|--------------------------------------------------------------------------------------|
| `logical_divide(A, T)`   | ((tile₀, rest₀), (tile₁, rest₁), …), each Aᵢ o (Tᵢ, complement of Tᵢ)                 |
| `zipped_divide`          | ((tile₀, tile₁), (rest₀, rest₁, …))                                                  |
| `tiled_divide`           | ((tile₀, tile₁), rest₀, rest₁, …)                                                    |
| `flat_divide`            | (tile₀, tile₁, rest₀, rest₁, …)                                                      |
| `logical_product(A, B)`  | (A, complement of A o B): A repeated as B says                                       |
| `blocked_product(A, B)`  | ((A₀, B₀), (A₁, B₁)): blocks of A, as a matrix of matrices                            |
| `raked_product(A, B)`    | ((B₀, A₀), (B₁, A₁)): A's elements spread, as cyclic distributions are                |

Where a tile does not divide its mode, the last tile goes on beyond the layout's size, as in CuTe.  A tiler that leaves
elements out of every tile is refused.
"""

from __future__ import annotations

from collections.abc import Callable

from layoutalg.interop.cute.algebra import complement, complement_and_whether_it_fills, cosize, make_layout, size
from layoutalg.interop.cute.compose import Tiler, by_mode, composition
from layoutalg.interop.cute.layout import A, ComposedLayout, Layout, NoLayoutError, mapped, plain
from layoutalg.interop.cute.sizes import times


def logical_divide(layout: A, tiler: Tiler) -> A:
    """The layout as (tile, rest), mode by mode where the tiler is a tuple.

    >>> logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2))
    ((2,2),(2,3)):((4,1),(2,8))
    """
    return mapped(layout, lambda one: _divided(one, tiler))


def zipped_divide(layout: A, tiler: Tiler) -> A:
    """((tiles), (rests)).

    >>> zipped_divide(Layout((8, 12)), (4, 3))
    ((4,3),(2,4)):((1,8),(4,24))
    """
    return mapped(layout, lambda one: _zipped(_divided, one, tiler))


def tiled_divide(layout: A, tiler: Tiler) -> A:
    """((tiles), rest, rest, …).

    >>> tiled_divide(Layout((8, 12)), (4, 3))
    ((4,3),2,4):((1,8),4,24)
    """
    return mapped(layout, lambda one: _opened(_zipped(_divided, one, tiler), 1))


def flat_divide(layout: A, tiler: Tiler) -> A:
    """(tile, tile, …, rest, rest, …).

    >>> flat_divide(Layout((8, 12)), (4, 3))
    (4,3,2,4):(1,8,4,24)
    """
    return mapped(layout, lambda one: _opened(_zipped(_divided, one, tiler), 0, 1))


def logical_product(block: Layout, tiler: Tiler) -> Layout:
    """(block, copies of it in the order of the tiler), mode by mode where the tiler is a tuple.

    >>> logical_product(Layout((2, 2), (4, 1)), Layout(6))
    ((2,2),(2,3)):((4,1),(2,8))
    """
    return _multiplied(plain(block, "product"), tiler)


def zipped_product(block: Layout, tiler: Tiler) -> Layout:
    """((blocks), (copies)).

    >>> zipped_product(Layout((2, 5), (1, 1)), (3, 4))
    ((2,5),(3,4)):((1,1),(2,5))
    """
    return _zipped(_multiplied, plain(block, "product"), tiler)


def tiled_product(block: Layout, tiler: Tiler) -> Layout:
    """((blocks), copies, copies, …).

    >>> tiled_product(Layout((2, 5), (1, 1)), (3, 4))
    ((2,5),3,4):((1,1),2,5)
    """
    return _opened(_zipped(_multiplied, plain(block, "product"), tiler), 1)


def blocked_product(block: Layout, tiler: Layout) -> Layout:
    """A matrix of blocks: each mode is (the block's, the tiler's).

    >>> blocked_product(Layout((2, 5), (5, 1)), Layout((3, 4)))
    ((2,3),(5,4)):((5,10),(1,30))
    """
    return _paired(block, tiler, lambda inner, outer: make_layout(inner, outer))


def raked_product(block: Layout, tiler: Layout) -> Layout:
    """A block spread over a matrix: each mode is (the tiler's, the block's).

    >>> raked_product(Layout((2, 5), (5, 1)), Layout((3, 4)))
    ((3,2),(4,5)):((10,5),(30,1))
    """
    return _paired(block, tiler, lambda inner, outer: make_layout(outer, inner))


def _tiler(tiler: Tiler) -> Layout:
    return plain(tiler, "complement") if isinstance(tiler, Layout | ComposedLayout) else Layout(tiler)


def _divided(layout: Layout, tiler: Tiler) -> Layout:
    if tiler is None:
        return layout
    if isinstance(tiler, tuple):
        return by_mode(_divided, layout, tiler)
    tile = _tiler(tiler)
    rest, fills = complement_and_whether_it_fills(tile, size(layout))
    if not fills:
        raise NoLayoutError(f"{layout} divided by {tile}: its tiles leave out elements, for a stride is no multiple of "
                            f"what is below it; a tiler of every element has strides that are")  # fmt: skip
    made = composition(layout, make_layout(tile, rest))
    assert isinstance(made, Layout)
    return made


def _multiplied(block: Layout, tiler: Tiler) -> Layout:
    if tiler is None:
        return block
    if isinstance(tiler, tuple):
        return by_mode(_multiplied, block, tiler)
    copies = _tiler(tiler)
    made = composition(complement(block, times(size(block), cosize(copies))), copies)
    assert isinstance(made, Layout)
    return make_layout(block, made)


def _zipped(splitter: Callable[[Layout, Tiler], Layout], layout: Layout, tiler: Tiler) -> Layout:
    """The parts of every mode gathered: all firsts, then all seconds; a mode without a tiler is all second."""
    if tiler is None:
        return make_layout(Layout(1, 0), layout)
    if not isinstance(tiler, tuple):
        return splitter(layout, tiler)
    if len(tiler) > len(layout):
        raise NoLayoutError(f"{len(tiler)} tilers for the {len(layout)} modes of {layout}")
    split = [_zipped(splitter, one, t) for one, t in zip(layout, tiler, strict=False)]
    left = list(layout)[len(tiler) :]
    return make_layout(make_layout(*(s[0] for s in split)), make_layout(*(s[1] for s in split), *left))


def _opened(layout: Layout, *modes: int) -> Layout:
    """The layout with some modes replaced by their own."""
    return make_layout(*(part for n, one in enumerate(layout) for part in (one if n in modes else (one,))))


def _paired(block: Layout, tiler: Layout, pair: Callable[[Layout, Layout], Layout]) -> Layout:
    block, tiler = (plain(one, "product") for one in (block, tiler))
    wide = max(len(block), len(tiler))
    block, tiler = (make_layout(*one, *[Layout(1, 0)] * (wide - len(one))) for one in (block, tiler))
    made = logical_product(block, tiler)
    return make_layout(*(pair(inner, outer) for inner, outer in zip(made[0], made[1], strict=True)))
