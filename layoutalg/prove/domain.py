"""What a claim quantifies over: an adaptor's coordinates as free variables, by index or by digit.

A merge's upper index runs over all mixed-radix numbers, and so its digits run over their own lengths, freely.  Writing
the index as Horner's sum of digit variables removes the divisions from everything below (the lemma: merge is a
bijection of digits).  (i0 // 8, i0 % 8) with i0 < 512 becomes (d0, d1) with d0 < 64, d1 < 8, and i0 = d0·8 + d1.

Variables made here never take a size's name: a size called `i0` makes the first index `i0_`.  Sizes that make a length
less than 1 make no layout, and nothing is claimed of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from layoutalg.index import Expr, InexpressibleError, Term, all_of, as_expr, fresh, mod, names
from layoutalg.index.radix import horner
from layoutalg.layout import LayoutError, Merge, TensorAdaptor, TensorDescriptor, Transform
from layoutalg.layout.transform import Index
from layoutalg.records import dataclass

Layout = TensorDescriptor | TensorAdaptor
"""What most claims speak of: a descriptor (one bottom dimension, a memory) or an adaptor."""


@dataclass(frozen=True)
class Domain:
    """Free variables, and what they make of an adaptor: its top index, every hidden index, and validity."""

    variables: tuple[Expr, ...]
    top: tuple[Expr, ...]
    hidden: Mapping[int, Expr]
    bottom: tuple[Expr, ...]
    valid: Expr


def adaptor_of(layout: Layout) -> TensorAdaptor:
    """The adaptor that a layout is or has."""
    return layout.adaptor if isinstance(layout, TensorDescriptor) else layout


def bottom_limits(layout: Layout) -> tuple[Expr | None, ...]:
    """How far each bottom dimension reaches: the element space, or the adaptor's lengths (None: nothing says)."""
    return (layout.element_space_size,) if isinstance(layout, TensorDescriptor) else layout.bottom_lengths


@lru_cache(maxsize=4096)
def limits(layout: Layout) -> Mapping[int, Expr]:
    """The length of each hidden dimension, that of the bottom included where something prescribes it."""
    adaptor = adaptor_of(layout)
    bottom = {i: n for i, n in zip(adaptor.bottom_ids, bottom_limits(layout), strict=True) if n is not None}
    return {**adaptor.hidden_lengths, **bottom}


@lru_cache(maxsize=1 << 14)
def taken(transform: Transform) -> frozenset[str]:
    """The names of the sizes in a transform's parameters."""
    return frozenset(names(*parameters(transform)))


def parameters(one: Layout | Transform) -> list[Expr]:
    """The lengths, strides and other parameters of a transform, or of all of a layout's."""
    if not isinstance(one, Transform):
        return [e for transform in adaptor_of(one).transforms for e in parameters(transform)]
    found: list[Expr] = []
    for key in one.parameters():
        value = getattr(one, key.field)
        found += value if isinstance(value, tuple) else [value]
    return found


def names_in(layout: Layout) -> frozenset[str]:
    """The names of a layout's sizes."""
    space = [n for n in bottom_limits(layout) if n is not None]
    return frozenset(names(*space)).union(*map(taken, adaptor_of(layout).transforms))


def lower_index(transform: Transform, upper: Sequence[Expr]) -> Index:
    """The transform's map, total: a table that an index might leave is read at the index modulo its length.

    Where InBounds holds, no valid index leaves one.
    """
    try:
        return transform.lower(upper)
    except ValueError:
        pass
    try:
        return transform.lower([mod(u, n) for u, n in zip(upper, transform.upper_lengths, strict=True)])
    except ValueError as error:
        raise InexpressibleError(f"{transform}: {error}") from error


def upper_index(adaptor: TensorAdaptor, bottom: Sequence[Expr]) -> Index:
    """The adaptor's inverse; NoInverseError where it has none, InexpressibleError where some sizes leave it none."""
    try:
        return adaptor.upper(bottom)
    except LayoutError:
        raise
    except ValueError as error:
        raise InexpressibleError(f"the inverse of {adaptor}: {error}") from error


def hidden_values(adaptor: TensorAdaptor, known: Mapping[int, Expr]) -> tuple[Mapping[int, Expr], Expr]:
    """Every hidden index from those at the top (and any others known), and validity."""
    hidden = dict(known)
    conditions = []
    for transform, lower, upper in reversed(adaptor.linked):
        above = [hidden[i] for i in upper]
        conditions.append(transform.valid(above))
        if not all(i in hidden for i in lower):
            hidden |= zip(lower, lower_index(transform, above), strict=True)
    return hidden, all_of(*conditions)


def at(layout: Layout, top: Sequence[Term]) -> Domain:
    """A layout at a given top index."""
    adaptor = adaptor_of(layout)
    index = tuple(map(as_expr, top))
    hidden, valid = hidden_values(adaptor, dict(zip(adaptor.top_ids, index, strict=True)))
    return Domain((), index, hidden, tuple(hidden[i] for i in adaptor.bottom_ids), valid)


@lru_cache(maxsize=4096)
def index_form(layout: Layout) -> Domain:
    """The layout over its top index: one variable for each dimension."""
    avoid = names_in(layout)
    index = tuple(fresh(f"i{n}", length, avoid) for n, length in enumerate(adaptor_of(layout).lengths))
    form = at(layout, index)
    return Domain(index, form.top, form.hidden, form.bottom, form.valid)


@lru_cache(maxsize=4096)
def digit_form(layout: Layout) -> Domain:
    """The layout over digit variables: a one-to-one change of variables, nothing assumed."""
    adaptor = adaptor_of(layout)
    avoid = names_in(layout)
    known: dict[int, Expr] = {}
    free: list[Expr] = []
    makers = {i: k for k, ids in enumerate(adaptor.upper_ids) for i in ids}

    def free_index(i: int, name: str) -> Expr:
        maker = makers.get(i)
        transform = adaptor.transforms[maker] if maker is not None else None
        if maker is not None and isinstance(transform, Merge) and _gives_digits(transform):
            lower = adaptor.lower_ids[maker]
            parts = [free_index(child, f"{name}_{n}") for n, child in enumerate(lower)]
            known[i] = horner(parts, transform.lengths)
        else:
            free.append(fresh(name, adaptor.hidden_lengths[i], avoid))
            known[i] = free[-1]
        return known[i]

    for n, i in enumerate(adaptor.top_ids):
        free_index(i, f"i{n}")
    assert len(set(free)) == len(free)
    hidden, valid = hidden_values(adaptor, known)
    top = tuple(hidden[i] for i in adaptor.top_ids)
    return Domain(tuple(free), top, hidden, tuple(hidden[i] for i in adaptor.bottom_ids), valid)


def _gives_digits(merge: Merge) -> bool:
    """Whether the merge's lower index is the digits of its upper one: magic division's is only below 2³¹."""
    exact = merge.digits_below is None or merge.upper_lengths[0].hi <= merge.digits_below
    return exact and len(merge.lengths) > 1
