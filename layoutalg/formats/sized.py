"""Items of a file at given sizes: symbols of descriptors and accesses with values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from layoutalg.formats.model import AccessItem, DescriptorItem
from layoutalg.index import Expr, Term, substitute, var, variables
from layoutalg.index.evaluate import admits
from layoutalg.layout import LayoutError
from layoutalg.layout.bind import bind, expressions


def sized(item: DescriptorItem, sizes: Mapping[str, int], also: Sequence[AccessItem] = ()) -> DescriptorItem:
    """The descriptor with values for some of its symbols (its examples, which are about all sizes, left out).

    LayoutError for a value that a symbol cannot have, and for a name that neither the descriptor nor an access of
    `also` uses.

    >>> from layoutalg.index import symbol
    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> item = DescriptorItem(name="a", descriptor=make_naive_tensor_descriptor_packed((symbol("M"), 64)))
    >>> sized(item, {"M": 32}).descriptor.lengths
    (32, 64)
    """
    if not sizes:
        return item
    own = _symbols(expressions(item.descriptor))
    every = {**own, **{name: v for one in also for name, v in _symbols(_of(one)).items()}}
    for name in sizes:
        if name not in every:
            raise LayoutError(f"{item.name} has no size {name!r}; it has {', '.join(every) or 'none'}")
    at = _allowed(every, sizes)
    bound = bind(item.descriptor, {v: n for v, n in at.items() if v in own.values()})
    return replace(item, descriptor=bound, given=substitute(item.given, at), examples=())


def sized_access(item: AccessItem, sizes: Mapping[str, int]) -> AccessItem:
    """The access, and its descriptor, with values for some of their symbols; LayoutError for a wrong value.

    >>> from layoutalg.index import symbol
    >>> from layoutalg.layout import make_naive_tensor_descriptor_packed
    >>> rows, lane = symbol("M"), var("lane", 64)
    >>> item = DescriptorItem(name="a", descriptor=make_naive_tensor_descriptor_packed((rows, 64)))
    >>> read = AccessItem(name="read", descriptor=item, lane=lane, variables=(), index=(rows - 1, lane))
    >>> sized_access(read, {"M": 32}).index
    (31, lane)
    """
    own = _symbols(expressions(item.descriptor.descriptor))
    known = {**own, **_symbols(_of(item))}
    at: dict[Expr, Term] = {**_allowed(known, {name: n for name, n in sizes.items() if name in known})}
    for v in (v for v in item.variables if v.op == "var" and v not in at and v.value.extent is not None):
        extent = substitute(v.value.extent, at)
        if extent is not v.value.extent:
            at[v] = var(v.value.name, extent)
    return replace(
        item,
        descriptor=sized(item.descriptor, {name: n for name, n in sizes.items() if name in own}),
        variables=tuple(substitute(v, at) for v in item.variables),
        index=tuple(substitute(i, at) for i in item.index),
        given=substitute(item.given, at),
    )


def _of(item: AccessItem) -> tuple[Expr, ...]:
    """The expressions of an access, its variables' extents among them."""
    extents = (v.value.extent for v in item.variables if v.op == "var" and v.value.extent is not None)
    return (*item.index, item.given, *item.variables, *extents)


def _symbols(exprs: Iterable[Expr]) -> dict[str, Expr]:
    """The sizes that expressions use, by name."""
    return {v.value.name: v for e in exprs for v in variables(e) if not v.value.index}


def _allowed(symbols: Mapping[str, Expr], sizes: Mapping[str, int]) -> dict[Expr, int]:
    at = {symbols[name]: given for name, given in sizes.items()}
    for v, given in at.items():
        if not admits(v, at):
            raise LayoutError(f"{v} = {given}: the file does not allow this value")
    return at
