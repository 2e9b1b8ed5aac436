"""Which tiles, in registers and LDS, a statement reads, adds to and fills."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.kernel.obligations.held import Tile
from layoutalg.kernel.program import (
    Await,
    Clear,
    Elementwise,
    Fold,
    Load,
    LoadShared,
    Multiply,
    Statement,
    Store,
    StoreShared,
    walk,
)


def touched(s: Statement) -> tuple[tuple[Tile, ...], tuple[Tile, ...], tuple[Tile, ...]]:
    """The tiles that a statement reads, adds to, and fills."""
    match s:
        case Load(registers) | Clear(registers):
            return (), (), (registers,)
        case Await(_, buffers):
            return (), (), buffers
        case StoreShared(shared, _, registers):
            return (registers,), (), (shared,)
        case LoadShared(registers, shared):
            return (shared,), (), (registers,)
        case Multiply(c, a, b):
            return (a, b), (c,), ()
        case Fold(c, a):
            return (a,), (c,), ()
        case Elementwise(registers, _, operands):
            return operands, (), (registers,)
        case Store():
            return (s.registers,), (), ()
    return (), (), ()


def first_uses(body: Sequence[Statement]) -> dict[Tile, str]:
    """What a body does to each tile first: read, added to, or filled."""
    found: dict[Tile, str] = {}
    for s in walk(body):
        for use, tiles in zip(("read", "added to", "filled"), touched(s), strict=True):
            for tile in tiles:
                found.setdefault(tile, use)
    return found


def touched_in(body: Sequence[Statement], how: int) -> set[Tile]:
    """The tiles that a body adds to (how = 1) or fills (2)."""
    return {tile for s in walk(body) for tile in touched(s)[how]}


__all__ = ["first_uses", "touched", "touched_in"]
