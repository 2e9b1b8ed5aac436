"""Which elements a thread's access reaches: the same expressions are proved, and written as code.

| of an access            | expressions                                                                       |
|-------------------------|-----------------------------------------------------------------------------------|
| `coordinates`           | of each element, at the register tile's Ys                                        |
| `vector_start`          | something at a vector's first element: its Ys are 0 there                         |
| `starts`, `tile_start`  | the first element's coordinates as they are computed: in a tensor, in an LDS tile |
| `bounds`                | which of a tensor's coordinates must be tested                                    |
| `word_of`               | the word in LDS                                                                   |
| `first_copy`            | which threads store a tile that several hold alike                                |

Several threads hold a tile alike where its distribution has factors R, that reach no coordinate; the first copy are
those threads whose R factors are 0 (`obligations.replicas` proves that it is the tile):

    Rs [8], Hs [32], P ((0, 0), (1, 0))        thread p holds x = p mod 32;  p div 32 = 0 stores
"""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.index import TRUE, Expr, all_of, eq, substitute
from layoutalg.index.normal import holds
from layoutalg.index.radix import digits
from layoutalg.kernel.access.address import offset_of, written
from layoutalg.kernel.access.matrix_loads import row_start
from layoutalg.kernel.program import GlobalAccess, LoadShared, MemoryAccess, Program, Registers, SharedAccess
from layoutalg.layout import TileDistribution


def coordinates(program: Program, access: GlobalAccess) -> tuple[Expr, ...]:
    """The tensor's coordinates that a thread accesses at each Y index."""
    inner = program.coordinates(access, access.registers.distribution.y_index)
    return tuple(o + c for o, c in zip(access.origin, inner, strict=True))


def vector_start(access: MemoryAccess, exprs: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Expressions at the first element of a vector."""
    first: dict[Expr, Expr | int] = {access.registers.distribution.y_index[y]: 0 for y in access.vector_ys}
    return tuple(substitute(e, first) for e in exprs) if first else exprs


def starts(program: Program, access: GlobalAccess) -> tuple[Expr, ...]:
    """The coordinates of an access's vectors, as they are computed."""
    return tuple(map(written, vector_start(access, coordinates(program, access))))


def bounds(access: GlobalAccess, x: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """For each coordinate whether it is in range; TRUE where the ranges say so, or it is not guarded."""
    guards = access.guarded if isinstance(access.guarded, tuple) else (access.guarded,) * len(x)
    tested = zip(x, access.tensor.descriptor.lengths, guards, strict=True)
    return tuple(i < n if guarded and not holds(i < n) else TRUE for i, n, guarded in tested)


def tile_start(program: Program, access: SharedAccess) -> tuple[Expr, ...]:
    """The tile coordinates of an access's vectors, as they are computed."""
    if isinstance(access, LoadShared) and access.by:
        return tuple(map(written, row_start(program, access)))
    return tuple(map(written, vector_start(access, program.coordinates(access, access.registers.distribution.y_index))))


def word_of(access: SharedAccess, x: tuple[Expr, ...]) -> Expr:
    """The word at tile coordinates, in elements from the buffer's first, as it is computed."""
    return offset_of(access.descriptor, x) + access.slot * access.shared.elements


def has_copies(registers: Registers) -> bool:
    """Whether several threads hold each element of the tile.

    >>> from layoutalg.target.dtypes import DTYPES
    >>> from layoutalg.kernel.program.fragments import encoded
    >>> has_copies(Registers("r", DTYPES["f32"], encoded([2], [[4]], [[(0, 0), (1, 0)]], [])))
    True
    """
    return any(n.hi > 1 for n in registers.distribution.encoding.rs)


def first_copy(program: Program, registers: Registers) -> Expr:
    """Whether a thread is of the first copy: a condition on the threads; TRUE where there is one copy alone."""
    return is_first_copy(registers.distribution, program.lanes) if has_copies(registers) else TRUE


def lane_factors(tile: TileDistribution) -> list[list[tuple[int, Expr]]]:
    """Of each P, its factors: major (0: a copy) and length."""
    return [[(major, tile.encoding.length((major, minor))) for major, minor in p] for p in tile.encoding.ps]


def is_first_copy(tile: TileDistribution, lanes: Sequence[Expr]) -> Expr:
    """Every digit of the lanes that numbers a copy is 0."""
    found = []
    for lane, parts in zip(lanes, lane_factors(tile), strict=True):
        numbers = digits(lane, [n for _, n in parts])
        found += [eq(i, 0) for (major, _), i in zip(parts, numbers, strict=True) if major == 0]
    return all_of(*found)
