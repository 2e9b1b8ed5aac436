"""The order of blocks on a GPU of several chiplets, each with a cache of its own.

Blocks are dealt to the chiplets in turns, so that neighbours of the launch lie on different ones.  Numbered anew, the
blocks of one chiplet are neighbours in the grid, and share what its cache holds; of 11 blocks on 4 chiplets:

    launched            0  1  2  3  4  5  6  7  8  9 10
    chiplet             0  1  2  3  0  1  2  3  0  1  2
    block of the grid   0  3  6  9  1  4  7 10  2  5  8

Each number of blocks has such an order, one to one, whether chiplets divide it or not (`obligations.blocks` proves it).
That a GPU deals blocks so is a fact of its own, on which no result rests: without it there are only more bytes to load.
"""

from __future__ import annotations

from layoutalg.index import Expr, minimum


def chiplet_order(launched: Expr, blocks: Expr, chiplets: int) -> Expr:
    """The block of the grid that is launched as this one of so many.

    >>> from layoutalg.index import as_expr
    >>> [int(chiplet_order(as_expr(b), as_expr(11), 4).lo) for b in range(11)]
    [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8]
    """
    chiplet, turn = launched % chiplets, launched // chiplets
    return chiplet * (blocks // chiplets) + minimum(chiplet, blocks % chiplets) + turn


__all__ = ["chiplet_order"]
