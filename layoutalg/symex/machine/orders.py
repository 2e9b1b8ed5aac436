"""Blocks in another order: what a kernel makes of its block's number, one to one, stands for the block from then on.

    t = 8 turns of b          (m, n) = a tile of t, by groups of 4 rows       c[m, n] = …

Of each scalar that is made of the block's number and sizes alone it is looked, at a few small sizes, whether it takes
all values below the number of blocks, or with another one all tiles of a grid of as many.  Where that is shown for all
sizes (`prove.permutations`), following begins anew with indices of their own for them: where nothing else is left of
the block's number, a launch of M0·N0 blocks in any such order is one of M0 × N0 blocks.

What it cannot represent: orders of a grid of several axes together, of three factors and more, by vector instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import Any

import numpy as np

from layoutalg.index import (
    TRUE,
    Expr,
    array,
    extent_of,
    names,
    postorder,
    simplify,
    substitute,
    unused,
    value,
    var,
    variables,
)
from layoutalg.index.normal import normal
from layoutalg.prove.permutations import renumbers
from layoutalg.records import dataclass
from layoutalg.symex.values.ranges import Decide

#: Sizes that are looked at: so many steps above the least of each; of how many blocks; of how many sizes; how often.
STEPS = (0, 1, 2, 3, 5, 9, 64, 65, 129, 200, 257, 330, 449, 1290, 1700, 2600, 3500)
LEAST_BLOCKS, MOST_BLOCKS, MOST_SIZES, LOOKS = 9, 300, 3, 4

#: Renumberings of one kernel at most.
MOST_ORDERS = 6


@dataclass(frozen=True)
class Renumbered:
    """Indices, what they are of indices before, one to one and onto, and what values of the kernel are of them."""

    index: tuple[Expr, ...]
    values: tuple[Expr, ...]
    names: Mapping[Expr, Expr]

    @classmethod
    def of(cls, index: tuple[Expr, ...], values: tuple[Expr, ...]) -> Renumbered:
        """Values of a kernel that are indices of their own; one may be made of another, which is an index then."""
        names = dict(zip(values, index, strict=True))
        made = {simplify(substitute(e, {w: u for w, u in names.items() if w is not e})): v for e, v in names.items()}
        return cls(index, values, {**made, **names})

    def in_digits(self, digits: Renumbered) -> Renumbered | None:
        """With the quotient and the remainder of its one index in its place, where others are these; else None."""
        if len(self.index) != 1:
            return None
        (v,), (whole,) = self.index, self.values
        for high, low in (digits.index, digits.index[::-1]):
            length = extent_of(low)
            found = {high: simplify(v // length), low: simplify(v % length)}
            if all(found[i] is e for i, e in zip(digits.index, digits.values, strict=True)):
                values = tuple(substitute(e, {v: whole}) for e in digits.values)
                return Renumbered(digits.index, values, {whole: high * length + low})
        return None


@dataclass(frozen=True)
class AxisOrder:
    """An axis of a grid, renumbered so and so often."""

    axis: Expr
    steps: tuple[Renumbered, ...] = ()

    @property
    def index(self) -> tuple[Expr, ...]:
        """What tells a block along the axis from the others."""
        return self.steps[-1].index if self.steps else (self.axis,)

    @property
    def indices(self) -> tuple[Expr, ...]:
        """All that there were."""
        return (self.axis, *(v for step in self.steps for v in step.index))

    @property
    def names(self) -> Mapping[Expr, Expr]:
        """What values of the kernel are of indices."""
        return {e: v for step in self.steps for e, v in step.names.items()}

    def then(self, step: Renumbered) -> AxisOrder:
        """Renumbered once more."""
        digits = self.steps[-1].in_digits(step) if self.steps else None
        return replace(self, steps=(*self.steps, step) if digits is None else (*self.steps[:-1], digits))

    def block(self, at: Mapping[Expr, int]) -> int | None:
        """The block along the axis that has these indices, at sizes; None where there are too many to look at."""
        if not self.steps:
            return at.get(self.axis, 0)
        sizes = {v: n for v, n in at.items() if v not in self.indices}
        count = value(extent_of(self.axis), sizes)
        if count > MOST_BLOCKS**2:
            return None
        found = self.over(sizes, count)
        (there,) = np.nonzero(np.all([found[v] == at.get(v, 0) for v in self.index], axis=0))
        return int(there[0]) if there.size else 0

    def over(self, sizes: Mapping[Expr, int], count: int) -> dict[Expr, Any]:
        """All indices of each block along the axis."""
        found: dict[Expr, Any] = {**sizes, self.axis: np.arange(count)}
        for step in self.steps:
            found |= zip(step.index, (np.broadcast_to(a, count) for a in array(step.values, found)), strict=True)
        return found


@dataclass(frozen=True)
class BlockOrder:
    """The order of a grid's blocks."""

    axes: tuple[AxisOrder, ...] = ()

    @classmethod
    def of(cls, blocks: Sequence[Expr]) -> BlockOrder:
        """By their numbers."""
        return cls(tuple(map(AxisOrder, blocks)))

    @property
    def index(self) -> tuple[Expr, ...]:
        """What tells a block from the others."""
        return tuple(v for one in self.axes for v in one.index)

    @property
    def stale(self) -> frozenset[Expr]:
        """Indices that others came after."""
        return frozenset(v for one in self.axes for v in one.indices).difference(self.index)

    def having(self, order: AxisOrder) -> BlockOrder:
        """The same, but for one axis."""
        return BlockOrder(tuple(order if one.axis is order.axis else one for one in self.axes))

    def block(self, at: Mapping[Expr, int]) -> tuple[int, ...] | None:
        """The block that has these indices, at sizes; None where there are too many to look at."""
        found = [one.block(at) for one in self.axes]
        return None if None in found else tuple(n for n in found if n is not None)


class OrderFoundError(Exception):
    """A kernel's blocks have another order along an axis: it is to be followed anew."""

    def __init__(self, order: AxisOrder) -> None:
        self.order = order


@dataclass(frozen=True)
class _Look:
    """The blocks along an axis at some sizes: how many, how many rows and columns of tiles, all of their indices."""

    count: int
    lengths: tuple[int, ...]
    at: Mapping[Expr, Any]

    def of(self, e: Expr) -> Any:
        """A value in each block."""
        return np.broadcast_to(array([e], self.at)[0], self.count)

    def same(self, found: Any, index: Expr) -> bool:
        """Whether numbers are an index's."""
        return np.array_equal(found, self.at[index])


@dataclass(frozen=True)
class _Part:
    """A value that takes all indices of rows (0) or columns (1) of tiles at each look, and no others."""

    value: Expr
    axis: int
    found: tuple[Any, ...]


class KnownOrder:
    """Names scalars as an order says, and looks for no other."""

    def __init__(self, order: BlockOrder) -> None:
        self._names = {simplify(e): v for one in order.axes for e, v in one.names.items()}
        self._stale = order.stale

    def named(self, e: Expr) -> Expr:
        """The index that a value is, or the value."""
        return e if self._stale.isdisjoint(variables(e)) else self._names.get(simplify(e), e)


class OrderWatch:
    """Looks at scalars; raises `OrderFoundError` where these renumber the blocks."""

    def __init__(self, order: BlockOrder, decide: Decide, always: Expr = TRUE) -> None:
        """`always` is given of sizes."""
        whose = (one for one in order.axes if one.axis.value.extent is not None and len(one.steps) < MOST_ORDERS)
        self._axes = [AxisWatch(one, decide, always) for one in whose]

    def named(self, e: Expr) -> Expr:
        """The index that a value is, or the value."""
        if e.op not in ("var", "const"):
            for one in self._axes:
                e = one.named(e)
        return e


class AxisWatch:
    """Looks at what is made of the blocks' numbers along one axis."""

    def __init__(self, order: AxisOrder, decide: Decide, always: Expr) -> None:
        """`always` is given of sizes."""
        self.order, self._decide, self._always = order, decide, always
        self._axis, self._names = order.axis, order.names
        self._seen, self._parts = set[Expr](), list[_Part]()
        self._indices = frozenset(order.indices)
        self._sizes = frozenset(variables(extent_of(order.axis)))

    def named(self, e: Expr) -> Expr:
        """The index that a value is, or the value."""
        made_of = variables(e)
        if self._indices.isdisjoint(made_of) or not self._sizes.union(self._indices).issuperset(made_of):
            return e
        e = simplify(e)
        if e not in self._names and e not in self._seen:
            self._seen.add(e)
            self._look(e)
        return self._names.get(e, e)

    def _look(self, e: Expr) -> None:
        """Whether a value alone, or with one before, takes all there are at small sizes; and is shown to, at all."""
        try:
            found = tuple(look.of(e) for look in self._looks)
        except (OverflowError, ArithmeticError, ValueError):
            return
        seen = [*zip(found, self._looks, strict=True)]
        same = self.order.steps or all(look.same(a, self._axis) for a, look in seen)
        if seen and not same and all(_all_below(a, look.count) for a, look in seen):
            self._show((e,), (extent_of(self._axis),))
        for n in range(len(self._tiles)):
            if seen and all({*a.tolist()} == {*range(look.lengths[n])} for a, look in seen):
                part = _Part(e, n, found)
                for other in [one for one in self._parts if one.axis != n]:
                    self._pair(*sorted((part, other), key=lambda one: one.axis))
                self._parts.append(part)

    def _pair(self, row: _Part, column: _Part) -> None:
        """Whether two values are a tile for each block, and more than a quotient and a remainder of the first index."""
        nodes, both = postorder(row.value, column.value), zip(row.found, column.found, self._looks, strict=True)
        turns = self.order.steps or any(
            e.op == "select" or (e.op == "div" and self._axis in variables(e.args[1])) for e in nodes
        )
        if turns and all(_all_below(m * look.lengths[1] + n, look.count) for m, n, look in both):
            self._show((row.value, column.value), self._tiles)

    def _show(self, values: tuple[Expr, ...], lengths: tuple[Expr, ...]) -> None:
        numberings = ((self._axis,), *(step.index for step in self.order.steps))
        if renumbers(values, numberings, lengths, self._always, self._decide):
            taken = names(*self._indices, *self._sizes)
            called = ("row", "column") if len(lengths) == 2 else ("turn",)
            index = tuple(var(unused(f"{self._axis.value.name} {name}", taken), length)
                          for name, length in zip(called, lengths, strict=True))  # fmt: skip
            raise OrderFoundError(self.order.then(Renumbered.of(index, values)))

    @cached_property
    def _tiles(self) -> tuple[Expr, ...]:
        """How many rows and columns of tiles there are, where the number of blocks is a product of two; else none."""
        terms = normal(extent_of(self._axis)).terms
        (factors, number), *more = terms.items()
        return tuple(factors) if len(factors) == 2 and number == 1 and not more else ()

    @cached_property
    def _looks(self) -> tuple[_Look, ...]:
        return tuple(islice(self._small(), LOOKS))

    def _small(self) -> Iterator[_Look]:
        """Small sizes, no two of as many rows or as many columns of tiles."""
        sizes, met = sorted(self._sizes, key=str), set[tuple[int, int]]()
        choices = [[n for k in STEPS if (n := int(v.lo) + k * v.value.multiple_of) <= v.hi] for v in sizes]
        for chosen in product(*choices) if len(sizes) <= MOST_SIZES else ():
            at = dict(zip(sizes, chosen, strict=True))
            count, *lengths = (value(e, at) for e in (extent_of(self._axis), *self._tiles))
            many = set(enumerate(lengths or [count]))
            square = len({*lengths}) < len(lengths) or 1 in lengths
            if LEAST_BLOCKS <= count <= MOST_BLOCKS and not square and met.isdisjoint(many):
                met |= many
                yield _Look(count, tuple(lengths), self.order.over(at, count))


def _all_below(found: Any, count: int) -> bool:
    """Whether numbers are all below one, each once, in any order."""
    return bool(np.array_equal(np.sort(found), np.arange(count)))
