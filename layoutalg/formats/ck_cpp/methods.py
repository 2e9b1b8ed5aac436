"""Members of values: what `x.name` and `X::name` mean for tuples, integers, descriptors and distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from layoutalg.formats.ck_cpp.convert import constant, kind_of, numbers
from layoutalg.formats.ck_cpp.scope import Struct
from layoutalg.formats.ck_cpp.values import Method, Unreadable, Value
from layoutalg.index import Expr, as_expr
from layoutalg.layout import TensorAdaptor, TensorDescriptor, TileDistribution, TileDistributionEncoding

Args = tuple[Value, ...]


def at(listed: tuple[Value, ...], args: Args) -> Value:
    """An entry of a tuple."""
    if len(args) != 1:
        raise Unreadable(f"at() with {len(args)} arguments")
    n = constant(args[0])
    if not 0 <= n < len(listed):
        raise Unreadable(f"entry {n} of a tuple of {len(listed)}")
    return listed[n]


def _offset(descriptor: TensorDescriptor, args: Args) -> Value:
    index = numbers(args[0]) if len(args) == 1 else ()
    if len(index) != descriptor.rank:
        raise Unreadable(f"{len(index)} coordinates for {descriptor.rank} dimensions")
    return descriptor.offset(index)


_Members = Mapping[str, Callable[[Value, Args], Value]]

TUPLE: _Members = {
    "at": lambda t, args: at(t, args),
    "At": lambda t, args: at(t, args),
    "get": lambda t, args: at(t, args),
    "size": lambda t, args: as_expr(len(t)),
    "Size": lambda t, args: as_expr(len(t)),
    "front": lambda t, args: at(t, (as_expr(0),)),
    "back": lambda t, args: at(t, (as_expr(len(t) - 1),)),
}

DESCRIPTOR: _Members = {
    "get_length": lambda d, args: at(d.lengths, args),
    "GetLength": lambda d, args: at(d.lengths, args),
    "get_lengths": lambda d, args: tuple(d.lengths),
    "GetLengths": lambda d, args: tuple(d.lengths),
    "get_element_space_size": lambda d, args: d.element_space_size,
    "GetElementSpaceSize": lambda d, args: d.element_space_size,
    "get_element_size": lambda d, args: d.element_count,
    "get_num_of_dimension": lambda d, args: as_expr(d.rank),
    "GetNumOfDimension": lambda d, args: as_expr(d.rank),
    "calculate_offset": _offset,
    "CalculateOffset": _offset,
    "get_tensor_descriptor": lambda d, args: d,
    "get_transforms": lambda d, args: tuple(d.adaptor.transforms),
}

DISTRIBUTION: _Members = {
    "get_lengths": lambda t, args: tuple(t.lengths),
    "get_static_tile_distribution_encoding": lambda t, args: t.encoding,
    "get_num_of_dimension_x": lambda t, args: as_expr(len(t.lengths)),
    "get_num_of_dimension_y": lambda t, args: as_expr(len(t.ys)),
    "get_num_of_dimension_p": lambda t, args: as_expr(len(t.ps)),
}

TYPES: tuple[tuple[type, _Members], ...] = (
    (tuple, TUPLE),
    (TensorDescriptor, DESCRIPTOR),
    (TileDistribution, DISTRIBUTION),
)

FIELDS: Mapping[str, Callable[[TileDistributionEncoding], Value]] = {
    "rs_lengths_": lambda e: e.rs,
    "hs_lengthss_": lambda e: e.hs,
    "NDimX": lambda e: as_expr(len(e.hs)),
    "NDimP": lambda e: as_expr(len(e.ps_major)),
    "NDimY": lambda e: as_expr(len(e.ys_major)),
    "NDimR": lambda e: as_expr(len(e.rs)),
}
"""The static members of an encoding."""


def member(value: Value, name: str) -> Value:
    """A member of a value that is no struct of the file; Unreadable where there is none."""
    if name in ("value", "type") and isinstance(value, Expr | tuple | TileDistributionEncoding):
        return value
    for kind, members in TYPES:
        if isinstance(value, kind) and name in members:
            return Method(name, partial(members[name], value))
    if isinstance(value, TileDistributionEncoding) and name in FIELDS:
        return FIELDS[name](value)
    if isinstance(value, TileDistribution) and name in ("DstrEncode", "encoding"):
        return value.encoding
    of = value.name if isinstance(value, Struct) else "an adaptor" if isinstance(value, TensorAdaptor) else None
    raise Unreadable(f"the member {name} of {of or kind_of(value)} is not part of what is read")
