"""Where a store goes: the index of the element at an offset.

An offset Σ stride·index is taken apart by its strides, the largest first; each way gives an index, which is right where
it is one of the tensor's and has that offset. Two ways are tried:

| way | of `N·(16·b + t) + j`, stride N | is right where |
|---|---|---|
| what the stride divides | 16·b + t | the rest is an index of the next dimension |
| quotient and remainder | (N·(16·b + t) + j) div N | always, where the offset is one of an element |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from layoutalg.formats.model import DescriptorItem
from layoutalg.index import ONE, TRUE, ZERO, Expr, all_of, eq, simplify, substitute
from layoutalg.index.radix import affine, digits_by, injective, largest_first, multiples_of
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

Decide = Callable[[Expr, Expr], bool]
"""Whether what is given implies a goal."""


@dataclass(frozen=True)
class WantedPlace:
    """A tensor as an equation indexes it: the offset of an element in bytes from the first, and which there are."""

    name: str
    element: int  # bytes
    index: tuple[Expr, ...]
    lengths: tuple[Expr, ...]
    offset: Expr  # bytes, of `index`
    valid: Expr

    @property
    def unit(self) -> int:
        """Bytes of the parts in which elements are moved."""
        return min(self.element, 4)

    def at(self, index: tuple[Expr, ...]) -> Expr:
        """The offset of an element in bytes."""
        return simplify(substitute(self.offset, dict(zip(self.index, index, strict=True))))

    def has(self, index: tuple[Expr, ...]) -> Expr:
        """Whether there is an element at an index."""
        inside = [all_of(one >= 0, one < length) for one, length in zip(index, self.lengths, strict=True)]
        return all_of(*inside, substitute(self.valid, dict(zip(self.index, index, strict=True))))


def place_of(item: DescriptorItem, sizes: Callable[[Expr], Expr]) -> WantedPlace:
    """A tensor as equations index it; `sizes` writes an item's expression in the launch's symbols."""
    described, element = item.descriptor, int(DTYPES[item.dtype or ""].bytes)
    if described.is_empty:
        return WantedPlace(item.name, element, (), (), ZERO, TRUE)
    index = tuple(described.index)
    offset = described.offset(index)
    first = substitute(offset, dict.fromkeys(index, ZERO))
    lengths = tuple(sizes(one) for one in described.lengths)
    return WantedPlace(
        item.name, element, index, lengths, sizes((offset - first) * element), sizes(described.valid(index))
    )


def index_at(place: WantedPlace, offset: Expr, given: Expr, decide: Decide) -> tuple[Expr, ...] | None:
    """The index of the element of which an offset in bytes is the first; None where it is not found."""
    for index in candidates(place, offset):
        exact = eq(place.at(index), offset)
        goal = all_of(place.has(index), exact)
        if goal is TRUE or decide(goal, given):
            return index
    return None


def apart(place: WantedPlace) -> Expr:
    """What holds where no two elements share a place: each stride is more than all smaller ones reach.

    Of an offset that is no sum of strides nothing is said; `candidates` has no index of it.
    """
    form = affine(place.offset, place.index)
    lengths = dict(zip(place.index, place.lengths, strict=True))
    return injective({v: s for v, s in form.strides.items() if lengths[v] is not ONE}, lengths) if form else TRUE


def candidates(place: WantedPlace, offset: Expr) -> Iterator[tuple[Expr, ...]]:
    """Indices that may have an offset in bytes."""
    form = affine(place.offset, place.index)
    if form is None:
        return
    moving = {v: form.strides[v] for v, n in zip(place.index, place.lengths, strict=True) if n is not ONE}
    order = largest_first({v: stride for v, stride in moving.items() if stride is not ZERO})
    strides = [moving[v] for v in order]
    for way in (multiples_of, digits_by) if all(stride.lo >= 1 for stride in strides) else (multiples_of,):
        digits, _ = way(offset, strides)
        found = dict(zip(order, map(simplify, digits), strict=True))
        yield tuple(found.get(v, ZERO) for v in place.index)
