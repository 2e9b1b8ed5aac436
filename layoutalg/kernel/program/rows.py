"""What is done with rows: a softmax whose keys come tile by tile, its sums relative to the greatest score so far.

| statement                   | does                                                                                |
|-----------------------------|-------------------------------------------------------------------------------------|
| `Move(r, a, order)`         | r[x] ← a[x, its coordinates in that order], both in the same thread                 |
| `MaskScores(r, o, x, keep)` | r[x] ← −∞ where `keep` is not so at o + x                                           |
| `Rescale(m, t, c, totals)`  | g ← max(m, t); totals[x] ← totals[x]·2^(c·(m − g)) of their rows; m ← g             |
| `Exponentiate(r, s, m, c)`  | r[x] ← 2^(c·(s[x] − m[its row]))                                                    |
| `Divide(r, l)`              | r[x] ← r[x] / l[its row]                                                            |

A softmax over keys is Σₖ 2^(c·sₖ)·vₖ / Σₖ 2^(c·sₖ).  Sums of such powers are kept as 2^(c·m) times what a tile holds,
m a tile of rows; `Rescale` raises m and leaves the sums what they are (Milakov and Gimelshein, arXiv 1805.02867;
Dao and others, arXiv 2205.14135).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from struct import pack, unpack

from layoutalg.index import TRUE, Expr
from layoutalg.kernel.program.statement import Statement, Uses
from layoutalg.kernel.program.tiles import Registers
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Rows:
    """A tile beside a tile of its rows: which of the tile's Ys, and which of its coordinates, are the rows'.

    >>> from layoutalg.kernel.library.attention import attention
    >>> from layoutalg.kernel.program import Rescale
    >>> (rescale,) = attention("gfx942").of(Rescale)
    >>> [(rows.registers.name, rows.ys, rows.axes) for rows in rescale.totals]
    [('weight', (0,), (0, 1)), ('sums', (1,), (0, 2))]
    """

    registers: Registers
    ys: tuple[int, ...]
    axes: tuple[int, ...] = (0, 1)

    def wrong(self, rows: Registers) -> Iterator[str]:
        """What of it cannot be, in a sentence each."""
        tile, held = self.registers.distribution, rows.distribution
        if not set(self.ys) <= set(range(len(tile.ys))) or len(self.ys) != len(held.ys):
            yield f"Ys {self.ys} of {self.registers.name} are not those of {rows.name}"
        if not set(self.axes) <= set(range(len(tile.lengths))) or len(self.axes) != len(held.lengths):
            yield f"coordinates {self.axes} of {self.registers.name} are not those of {rows.name}"


@dataclass(frozen=True)
class Move(Statement):
    """registers[x] ← source[x₀, x₁ …, in that order], each thread its own: a new order, type or owner of registers.

    >>> from layoutalg.kernel.library.attention import attention
    >>> [(move.registers.name, move.source.name, move.order) for move in attention("gfx942").of(Move)]
    [('scores', 'products', (0, 2, 1)), ('held', 'powers', (0, 1, 2)), ('results', 'sums', (0, 2, 1))]
    """

    registers: Registers
    source: Registers
    order: tuple[int, ...]

    uses = Uses(reads=("source",), fills=("registers",))
    words = "move", "in a thread"

    def wrong(self) -> Iterator[str]:
        ranks = {len(r.distribution.lengths) for r in (self.registers, self.source)}
        if ranks != {len(self.order)} or sorted(self.order) != list(range(len(self.order))):
            yield f"{self.registers.name} has no coordinates in the order {self.order} of {self.source.name}"


@dataclass(frozen=True)
class MaskScores(Statement):
    """registers[x] ← −∞ where `keep`, a condition in `coordinates`, is not so at origin + x.

    `only`: it is done where this holds, the same for all threads: elsewhere all is kept.

    >>> from layoutalg.kernel.library.attention import attention
    >>> (mask,) = attention("gfx942", causal=True).of(MaskScores)
    >>> mask.coordinates, mask.keep
    ((batch, row, key), key <= row)
    """

    registers: Registers
    origin: tuple[Expr, ...]
    coordinates: tuple[Expr, ...]
    keep: Expr
    only: Expr = TRUE

    uses = Uses(reads=("registers",), fills=("registers",))
    words = "mask", "{0.keep}"

    def places(self) -> Iterator[tuple[str, tuple[Expr, ...]]]:
        yield "where a mask begins", self.origin
        yield "where it is masked", (self.only,)

    def wrong(self) -> Iterator[str]:
        rank = len(self.registers.distribution.lengths)
        if len(self.origin) != rank or len(self.coordinates) != rank:
            yield f"a mask of {len(self.coordinates)} coordinates; {self.registers.name} has {rank}"
        if len({c.value.name for c in self.coordinates if c.op == "var"}) != len(self.coordinates):
            yield f"a mask in {self.coordinates}; they are variables, each of its own name"


@dataclass(frozen=True)
class Rescale(Statement):
    """shift ← g, the greater of it and `greatest`; each total takes 2^(factor·(shift − g)), of its row.

    >>> from layoutalg.kernel.library.attention import attention
    >>> (rescale,) = attention("gfx942").of(Rescale)
    >>> rescale.shift.name, rescale.greatest.name, [one.name for one in rescale.accumulators]
    ('top', 'greatest', ['weight', 'sums'])
    """

    shift: Registers
    greatest: Registers
    factor: float
    totals: tuple[Rows, ...]

    uses = Uses(reads=("greatest",), adds_to=("shift", "accumulators"))
    words = "rescale", "to the greatest"

    @property
    def accumulators(self) -> tuple[Registers, ...]:
        """What is rescaled."""
        return tuple(rows.registers for rows in self.totals)

    def wrong(self) -> Iterator[str]:
        if not _positive(self.factor):
            yield f"powers of 2 by a factor of {self.factor}; it is a positive number of f32"
        for rows in self.totals:
            yield from rows.wrong(self.shift)


@dataclass(frozen=True)
class Exponentiate(Statement):
    """registers[x] ← 2^(factor·(scores[x] − shift[its row])); one distribution, whose first Ys are the rows'.

    >>> from layoutalg.kernel.library.attention import attention
    >>> (power,) = attention("gfx942").of(Exponentiate)
    >>> power.registers.name, power.scores.name, power.shift.name
    ('powers', 'scores', 'top')
    """

    registers: Registers
    scores: Registers
    shift: Registers
    factor: float

    uses = Uses(reads=("scores", "shift"), fills=("registers",))
    words = "powers of 2", "{0.factor:.4f} (score - greatest)"

    @property
    def rows(self) -> Rows:
        """The scores beside their rows."""
        return first_rows(self.scores, self.shift)

    def wrong(self) -> Iterator[str]:
        if not _positive(self.factor):
            yield f"powers of 2 by a factor of {self.factor}; it is a positive number of f32"
        yield from self.rows.wrong(self.shift)


@dataclass(frozen=True)
class Divide(Statement):
    """registers[x] ← registers[x] / by[its row]; the first Ys are the rows'.

    >>> from layoutalg.kernel.library.attention import attention
    >>> [(one.registers.name, one.by.name) for one in attention("gfx942").of(Divide)]
    [('results', 'weights')]
    """

    registers: Registers
    by: Registers

    uses = Uses(reads=("registers", "by"), fills=("registers",))
    words = "divide", "by the row's"

    @property
    def rows(self) -> Rows:
        """What is divided beside its rows."""
        return first_rows(self.registers, self.by)

    def wrong(self) -> Iterator[str]:
        yield from self.rows.wrong(self.by)


def _positive(factor: float) -> bool:
    """Whether a factor is a positive number of f32, as the text has it."""
    try:
        (held,) = unpack("f", pack("f", factor))
    except OverflowError:
        return False
    return bool(held == factor and 0 < factor < inf)


def first_rows(tile: Registers, rows: Registers) -> Rows:
    """A tile whose first Ys and coordinates are its rows'."""
    held = rows.distribution
    return Rows(tile, tuple(range(len(held.ys))), tuple(range(len(held.lengths))))


__all__ = ["Divide", "Exponentiate", "MaskScores", "Move", "Rescale", "Rows"]
