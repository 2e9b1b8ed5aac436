"""Words that lanes of a wave give each other: a tile in registers with another owner of its elements.

Of L lanes side by side, lane q has words j = 0 … L − 1 beforehand, and afterwards word q of lane j in place j:

    lane            0    1    2    3                0    1    2    3
    word 0          00   01   02   03               00   10   20   30
    word 1          10   11   12   13       →       01   11   21   31         (word, lane)
    word 2          20   21   22   23               02   12   22   32
    word 3          30   31   32   33               03   13   23   33
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import Expr
from layoutalg.kernel.program.statement import Statement, Uses
from layoutalg.kernel.program.tiles import Registers
from layoutalg.records import dataclass

WORD = 4
"""Bytes of what lanes give each other at a time."""
MOST = 32
"""Lanes that every target's waves have side by side, at a multiple of so many."""


@dataclass(frozen=True)
class Exchange(Statement):
    """registers[x] ← source[x], of lanes side by side, each of which has a word of every other's afterwards.

    The source's Y number `y`, of n, is two Ys of the registers, n / lanes and `lanes`; all others are the same.  A word
    is an element of 32 bits, or the two of 16 bits that the last Y has.

    >>> from layoutalg.kernel.library.contraction import contraction
    >>> from layoutalg.kernel.library.einsum import parse_einsum
    >>> from layoutalg.kernel.library.plans import WGMMA, Cut, copied, plan_for
    >>> cut = Cut((1, 1), (2, 1), 64, 4, instruction=WGMMA.format(256), boxes=True, exchanged=True)
    >>> plan = copied(plan_for("sm_90", "f16"), cut)
    >>> (one,) = contraction(parse_einsum("ik,jk->ij"), "f16", plan=plan, widths=(8, 8, 8)).of(Exchange)
    >>> one.source.distribution.ys, one.y, one.lanes, one.registers.distribution.ys
    ((1, 1, 2, 16, 2, 2), 3, 4, (1, 1, 2, 4, 4, 2, 2))
    """

    registers: Registers
    source: Registers
    y: int
    lanes: int

    uses = Uses(reads=("source",), fills=("registers",))
    words = "exchange", "of {0.lanes} lanes"

    @property
    def each(self) -> int:
        """Elements of a word."""
        return WORD // self.registers.dtype.bytes

    def taken_from(self, lane: Expr) -> tuple[Expr, tuple[Expr, ...]]:
        """The lane, and the Ys of the source's register there, of what a lane's register has afterwards."""
        ys = self.registers.distribution.y_index
        own = lane % self.lanes
        return lane - own + ys[self.y + 1], (*ys[: self.y], ys[self.y] * self.lanes + own, *ys[self.y + 2 :])

    def wrong(self) -> Iterator[str]:
        name, before, after = self.registers.name, self.source.distribution.ys, self.registers.distribution.ys
        if self.lanes < 2 or self.lanes > MOST or self.lanes & (self.lanes - 1):
            yield f"{name} is exchanged by {self.lanes} lanes; a power of two from 2 to {MOST}"
            return
        if self.each not in (1, 2) or (self.each == 2 and [int(n) for n in before[-1:]] != [2]):
            yield f"{name} is exchanged in words of {WORD} bytes; the last Y, of {before}, is none"
        if not 0 <= self.y <= len(before) - self.each:
            yield f"Y {self.y} of {self.source.name} is exchanged; it has {before}, and words at the end"
            return
        parts = int(before[self.y]) // self.lanes
        if tuple(map(int, after)) != (*map(int, before[: self.y]), parts, self.lanes, *map(int, before[self.y + 1 :])):
            yield f"Ys {after} of {name} are not those of {self.source.name}, {before}, of which {self.y} is two"


__all__ = ["MOST", "WORD", "Exchange"]
