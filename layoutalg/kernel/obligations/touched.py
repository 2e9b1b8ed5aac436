"""Which tiles, in registers and LDS, a body reads, adds to and fills; a tensor is no tile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from layoutalg.kernel.program import Statement, Tensor, Tile, walk

Use = Literal["reads", "adds_to", "fills"]
USES: tuple[Use, ...] = ("reads", "adds_to", "fills")


def uses_in(body: Sequence[Statement]) -> Iterator[tuple[Tile, Use]]:
    """The uses of tiles, in order."""
    for s in walk(body):
        for use in USES:
            yield from ((tile, use) for tile in getattr(s, use) if not isinstance(tile, Tensor))


def touched_in(body: Sequence[Statement], wanted: Use) -> set[Tile]:
    """The tiles that a body uses so."""
    return {tile for tile, use in uses_in(body) if use == wanted}


def first_uses(body: Sequence[Statement]) -> dict[Tile, Use]:
    """What a body does to each tile first."""
    found: dict[Tile, Use] = {}
    for tile, use in uses_in(body):
        found.setdefault(tile, use)
    return found


__all__ = ["first_uses", "touched_in"]
