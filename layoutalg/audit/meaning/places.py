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

from layoutalg.audit.meaning.wanted import WantedPlace
from layoutalg.formats.model import DescriptorItem
from layoutalg.index import ONE, TRUE, ZERO, Expr, InexpressibleError, all_of, div, eq, simplify, substitute
from layoutalg.index.normal import normal
from layoutalg.launch.strides import magnitude, strides_of
from layoutalg.target.dtypes import DTYPES

Decide = Callable[[Expr, Expr], bool]


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
    found = strides_of(place.offset, place.index)
    axes = zip(found[1], place.lengths, strict=True) if found else ()
    ordered = sorted((axis for axis in axes if axis[1] is not ONE), key=lambda axis: -abs(magnitude(axis[0])))
    reach, goals = ZERO, []
    for stride, length in reversed(ordered):
        size = -stride if stride.hi < 0 else stride
        goals.append(size > reach)
        reach += size * (length - 1)
    return all_of(*goals)


def candidates(place: WantedPlace, offset: Expr) -> Iterator[tuple[Expr, ...]]:
    """Indices that may have an offset in bytes."""
    found = strides_of(place.offset, place.index)
    if found is None:
        return
    strides = found[1]
    order = sorted(range(len(strides)), key=lambda k: -magnitude(strides[k]))
    for quotient in (_divided, _quotient):
        rest, index = offset, [ZERO] * len(strides)
        try:
            for k in order:
                if place.lengths[k] is not ONE and strides[k] is not ZERO:
                    index[k] = simplify(quotient(rest, strides[k]))
                rest = simplify(rest - index[k] * strides[k])
        except (ValueError, InexpressibleError):
            continue  # a stride that may be 0
        yield tuple(index)


def _divided(offset: Expr, stride: Expr) -> Expr:
    quotient, _ = normal(offset).split(normal(stride))
    return quotient.expr()


def _quotient(offset: Expr, stride: Expr) -> Expr:
    return div(offset, stride)
