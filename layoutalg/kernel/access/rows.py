"""Which registers and coordinates the statements on rows reach: the same expressions are proved, and written as code.

| of                  | expressions                                                             |
|---------------------|-------------------------------------------------------------------------|
| `source_index`      | of a `Move`: which register of the source a register is                 |
| `row_index`         | of a tile beside its rows: which register of the rows a register is of  |
| `masked_at`         | of a `MaskScores`: the coordinates that its condition is asked at       |
| `kept_at`           | of a `MaskScores`: its condition there                                  |

Registers of a tile of powers of two are numbered by bits, and a move sends bits to bits: the register of the source is
read off lane 0, one bit after the other, and is a guess that `obligations.rows` proves for all lanes and registers.
"""

from __future__ import annotations

from itertools import product

from layoutalg.index import ZERO, Expr, as_expr, substitute
from layoutalg.index.evaluate import value
from layoutalg.kernel.access.address import written
from layoutalg.kernel.program import MaskScores, Move, Program, Rows
from layoutalg.layout import LayoutError, TileDistribution

Numbers = tuple[int, ...]


def source_index(s: Move) -> tuple[Expr, ...]:
    """The Ys of the source's register, in the Ys of the one that is filled; LayoutError where lane 0 has none."""
    own, there = s.registers.distribution, s.source.distribution
    places = {x: y for y in _registers(there) if (x := _held(there, y)) is not None}

    def found(y: Numbers) -> Numbers:
        x = _held(own, y)
        wanted = [0] * len(x)
        for d, axis in enumerate(s.order):
            wanted[axis] = x[d]
        if tuple(wanted) not in places:
            raise LayoutError(f"{s.registers.name} is moved from {s.source.name}: its thread holds no {tuple(wanted)}")
        return places[tuple(wanted)]

    ys = tuple(int(n) for n in own.ys)
    first = found((0,) * len(ys))
    result = [as_expr(n) for n in first]
    for d, n in enumerate(ys):
        runs: list[tuple[int, int, int, int]] = []  # Y of the source, its weight, the first bit and how many
        for bit in range(n.bit_length() - 1):
            y = found(tuple(1 << bit if e == d else 0 for e in range(len(ys))))
            for e, weight in enumerate(a - b for a, b in zip(y, first, strict=True)):
                if weight and runs and runs[-1][0] == e and weight == runs[-1][1] << bit - runs[-1][2]:
                    runs[-1] = (*runs[-1][:3], runs[-1][3] + 1)
                elif weight:
                    runs.append((e, weight, bit, 1))
        for e, weight, bit, bits in runs:
            digit = own.y_index[d] // (1 << bit) % (1 << bits)
            result[e] = result[e] + digit * weight
    return tuple(result)


def _registers(tile: TileDistribution) -> list[Numbers]:
    return list(product(*(range(int(n)) for n in tile.ys)))


def _held(tile: TileDistribution, y: Numbers) -> Numbers:
    """What lane 0 holds in a register."""
    return tuple(value(x, {}) for x in tile.lower([ZERO] * len(tile.ps), [as_expr(n) for n in y]))


def row_index(rows: Rows) -> tuple[Expr, ...]:
    """The Ys of the row's register, in the tile's Ys."""
    return tuple(rows.registers.distribution.y_index[y] for y in rows.ys)


def masked_at(program: Program, s: MaskScores) -> tuple[Expr, ...]:
    """The coordinates of a register, as they are computed."""
    tile = s.registers.distribution
    inner = tile.lower(program.lanes, tile.y_index)
    return tuple(written(o + x) for o, x in zip(s.origin, inner, strict=True))


def kept_at(program: Program, s: MaskScores) -> Expr:
    """Whether a register is kept, as it is computed."""
    return substitute(s.keep, dict(zip(s.coordinates, masked_at(program, s), strict=True)))


__all__ = ["kept_at", "masked_at", "row_index", "source_index"]
