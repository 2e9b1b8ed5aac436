"""Giving sizes their values: a layout over symbols becomes one over numbers, and is checked again.

>>> from layoutalg.index import symbol
>>> from layoutalg.layout.descriptor import make_naive_tensor_descriptor_packed
>>> m = symbol("M", max=64)
>>> bind(make_naive_tensor_descriptor_packed((m, 8)), {m: 4})
TensorDescriptor (4, 8) over 32 elements
  unmerge((4, 8)): [0] <- [1, 2]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, Term, as_expr, eq, holds, mod, substitute
from layoutalg.index.evaluate import admits, limits

T = TypeVar("T")


def bind(layout: T, sizes: Mapping[Expr, Term]) -> T:
    """The layout with each size replaced; LayoutError where the values do not fit it, or are none of the size's.

    >>> from layoutalg.index import symbol
    >>> from layoutalg.layout.descriptor import make_naive_tensor_descriptor_packed
    >>> m = symbol("M", max=64)
    >>> bind(make_naive_tensor_descriptor_packed((m, 8)), {m: 65})
    Traceback (most recent call last):
        ...
    layoutalg.errors.LayoutError: M = 65 breaks 1 <= M <= 64
    """
    for size, term in sizes.items():
        _refuse_outside(size, as_expr(term))
    result: T = _bound(layout, sizes)
    return result


def _refuse_outside(size: Expr, term: Expr) -> None:
    """A layout's expressions are simplified by what its sizes can be, and mean nothing for other values."""
    known = size.value
    if term.op == "const":
        if not admits(size, {size: term.value}):
            raise LayoutError(f"{size} = {term} breaks {limits(size)}")
        return
    within = known.lo <= term.lo and term.hi <= known.hi and holds(eq(mod(term, known.multiple_of), 0))
    if not within or (known.power_of_two and not (term.op == "var" and term.value.power_of_two)):
        raise LayoutError(f"{size} = {term} need not keep {limits(size)}")


def expressions(value: Any) -> Iterator[Expr]:
    """Every expression within a layout's parts."""
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from expressions(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from expressions(getattr(value, field.name))


def _bound(value: Any, values: Mapping[Expr, Term]) -> Any:
    if isinstance(value, Expr):
        return substitute(value, values)
    if isinstance(value, tuple):
        return tuple(_bound(part, values) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(**{f.name: _bound(getattr(value, f.name), values) for f in fields(value)})
    return value
