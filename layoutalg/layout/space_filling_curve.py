"""Space-filling curves: in which order the accesses of a tile are made, each a neighbour of the one before.

A tile of lengths L is covered by accesses of `scalars` elements along each dimension.  Access n stands at the digits of
n in the mixed radix L / scalars, in the access order given, the last fastest; on a snake, a dimension runs backwards
each time that the number before it is odd, so that one step changes one digit by one.

| 4 × 8 by 1 × 4 | access 0 | 1      | 2      | 3      | 4      | 5      | 6      | 7      |
|----------------|----------|--------|--------|--------|--------|--------|--------|--------|
| plain          | (0, 0)   | (0, 4) | (1, 0) | (1, 4) | (2, 0) | (2, 4) | (3, 0) | (3, 4) |
| snake          | (0, 0)   | (0, 4) | (1, 4) | (1, 0) | (2, 0) | (2, 4) | (3, 4) | (3, 0) |

As CK Tile's `space_filling_curve`.  Lengths that the scalars do not divide are refused (CK asserts the same).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from layoutalg.errors import LayoutError
from layoutalg.index import ZERO, Expr, Term, as_expr, eq, mod, prod, select, var
from layoutalg.index.evaluate import grids
from layoutalg.index.integers import integer
from layoutalg.layout.adaptor import same_length
from layoutalg.layout.mixed_radix import digits, horner
from layoutalg.layout.transform import Index, parameter


@dataclass(frozen=True)
class SpaceFillingCurve:
    """The accesses of a tile in order; LayoutError where the scalars do not divide the lengths.

    >>> curve = SpaceFillingCurve((4, 8), (0, 1), (1, 4))
    >>> curve.count, curve.index_of(2), curve.forward_step(1)
    (8, (1, 4), (1, 0))
    """

    lengths: Index
    order: tuple[int, ...]
    scalars: Index
    snake: bool = True

    def __post_init__(self) -> None:
        for name in ("lengths", "scalars"):
            object.__setattr__(self, name, tuple(map(parameter, getattr(self, name))))
        object.__setattr__(self, "order", tuple(map(integer, self.order)))
        if sorted(self.order) != list(range(len(self.lengths))) or not self.lengths:
            raise LayoutError(f"order {self.order} is no permutation of the {len(self.lengths)} dimensions")
        if len(self.scalars) != len(self.lengths):
            raise LayoutError(f"{len(self.scalars)} scalars per access for {len(self.lengths)} dimensions")
        for n, (length, each) in enumerate(zip(self.lengths, self.scalars, strict=True)):
            if each.lo < 1 or length.hi < 1:
                raise LayoutError(f"dimension {n}: length {length} by {each}; both are at least 1")
            if not same_length(mod(length, each), ZERO):
                raise LayoutError(f"dimension {n}: length {length} is not a multiple of the {each} scalars per access")

    @property
    def ordered_access_lengths(self) -> Index:
        """The number of accesses along each dimension, the slowest first."""
        return tuple(self.lengths[d] // self.scalars[d] for d in self.order)

    @property
    def count(self) -> Expr:
        """The number of accesses."""
        return prod(self.ordered_access_lengths)

    @cached_property
    def access(self) -> Expr:
        """The variable that runs over the accesses."""
        return var("access", self.count)

    def index_of(self, access: Term) -> Index:
        """The first element of an access (CK's `get_index`)."""
        lengths = self.ordered_access_lengths
        found = list(digits(access, lengths))
        turned = [found[0]]
        for n in range(1, len(lengths)):
            forward = eq(mod(horner(found[:n], lengths[:n]), 2), 0)
            turned.append(select(forward, found[n], lengths[n] - 1 - found[n]) if self.snake else found[n])
        place = dict(zip(self.order, turned, strict=True))
        return tuple(place[d] * self.scalars[d] for d in range(len(lengths)))

    def step_between(self, head: Term, tail: Term) -> Index:
        """By how much the index moves from one access to another."""
        return tuple(b - a for a, b in zip(self.index_of(head), self.index_of(tail), strict=True))

    def forward_step(self, access: Term) -> Index:
        """The step to the next access."""
        return self.step_between(access, as_expr(access) + 1)

    def backward_step(self, access: Term) -> Index:
        """The step to the access before."""
        return self.step_between(access, as_expr(access) - 1)

    def indices(self) -> npt.NDArray[np.int64]:
        """All accesses in order: an array of shape (count, dimensions), for lengths that are numbers.

        >>> SpaceFillingCurve((2, 3), (0, 1), (1, 1)).indices().tolist()
        [[0, 0], [0, 1], [0, 2], [1, 2], [1, 1], [1, 0]]
        """
        return np.stack(grids(self.index_of(self.access), [self.access]), axis=-1)
