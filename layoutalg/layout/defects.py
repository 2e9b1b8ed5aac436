"""Two of CK's increments as CK computes them, where that is wrong: kept so that the fault can be shown and refuted.

| transform           | CK's increment                          | right                     | goes wrong when         |
|---------------------|-----------------------------------------|---------------------------|-------------------------|
| modulo              | (u_new + d) mod m                       | u_new mod m               | d mod m is not 0        |
| unmerge, 24-bit     | Σ (dᵢ & 0xffffff)·(scanᵢ & 0xffffff)    | Σ dᵢ·scanᵢ                | a step is negative      |

Source: `modulo::update_lower_index` and `unmerge` with `Use24BitIntegerCalculation` of CK Tile's
`core/algorithm/coordinate_transform.hpp`; the same in CK's `multi_index_transform.hpp`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from layoutalg.index import Expr, Term, as_expr, bitand, mod, prod
from layoutalg.layout.merge import Unmerge
from layoutalg.layout.nonlinear import Modulo
from layoutalg.layout.transform import Index, Transform

MASK24 = (1 << 24) - 1


@dataclass(frozen=True, repr=False)
class ModuloAddedTwice(Modulo):
    """Modulo whose increment adds the difference to an index that already has it."""

    name: ClassVar[str] = "modulo_added_twice"

    def update_lower_index(
        self, diff_upper: Sequence[Term], lower: Sequence[Term], upper: Sequence[Term]
    ) -> tuple[Index, Index]:
        new = mod(as_expr(upper[0]) + diff_upper[0], self.modulus)
        return (new - lower[0],), (new,)


@dataclass(frozen=True, repr=False)
class Unmerge24Bit(Unmerge):
    """Unmerge by 24-bit multiplication: right below 2²⁴, and for steps that are not negative."""

    name: ClassVar[str] = "unmerge_24bit"

    def lower(self, upper: Sequence[Term]) -> Index:
        if not upper:
            return super().lower(upper)
        total: Expr = as_expr(upper[-1])
        for n, u in enumerate(upper[:-1]):
            total = bitand(total, MASK24) + bitand(u, MASK24) * bitand(prod(self.lengths[n + 1 :]), MASK24)
        return (total,)

    def difference(self, diff_upper: Sequence[Term]) -> Index:
        return self.lower(diff_upper)


DEFECTS: Mapping[str, type[Transform]] = {kind.name: kind for kind in (ModuloAddedTwice, Unmerge24Bit)}
"""The faulty transforms by name."""
