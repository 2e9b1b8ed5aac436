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

from layoutalg.index import Expr, Term, substitute, var, variables

T = TypeVar("T")


def bind(layout: T, sizes: Mapping[Expr, Term]) -> T:
    """The layout with each size replaced; LayoutError where the values do not fit it."""
    indices = {v for e in expressions(layout) for v in variables(e) if v.value.extent is not None}
    moved = {v: var(v.value.name, substitute(v.value.extent, sizes)) for v in indices}
    result: T = _bound(layout, {**sizes, **moved})
    return result


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
