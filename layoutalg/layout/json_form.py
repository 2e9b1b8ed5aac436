"""Layouts as JSON and back: the same value, whatever symbols its lengths have.

Integers are JSON numbers, other expressions are text as `repr` shows them (read by `layoutalg.index.parse`: nothing is
executed), and the sizes that they speak of stand beside them with their limits:

    {"kind": "descriptor",
     "symbols": {"M": {"min": 1}},
     "transforms": [{"transform": "unmerge", "lengths": ["M", 8], "lower": [0], "upper": [1, 2]}],
     "top": [1, 2],
     "element_space_size": "M * 8"}

Ids are the hidden ids.  What is read is checked as anything built is: unknown transforms, ids that dangle, repeat or
form a cycle, and attachments that do not fit are refused.  Sizes must have different names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.index import Expr, symbol, unlimited, variables
from layoutalg.index.parse import parse
from layoutalg.layout.adaptor import TensorAdaptor
from layoutalg.layout.bind import expressions
from layoutalg.layout.descriptor import TensorDescriptor
from layoutalg.layout.distribution import TileDistribution, TileDistributionEncoding
from layoutalg.layout.transform import Transform
from layoutalg.layout.transforms import DEFECTS, TRANSFORMS

Data = Mapping[str, Any]
Layout = Transform | TensorAdaptor | TensorDescriptor | TileDistribution
KINDS: Mapping[str, type[Transform]] = {**TRANSFORMS, **DEFECTS}


def to_json(layout: Layout) -> dict[str, Any]:
    """The layout as what `json.dumps` takes.

    >>> from layoutalg.layout.merge import Merge
    >>> to_json(Merge((4, 5)))
    {'kind': 'transform', 'symbols': {}, 'transform': 'merge', 'lengths': [4, 5]}
    """
    for kind, (cls, written, _) in _FORMS.items():
        if isinstance(layout, cls):
            return {"kind": kind, "symbols": _symbols(layout), **written(layout)}
    raise LayoutError(
        f"a {type(layout).__name__} has no JSON form; transforms, adaptors, descriptors, distributions do"
    )


def from_json(data: Data) -> Layout:
    """The layout that `to_json` wrote; LayoutError says what is wrong with other data.

    >>> from_json({"kind": "transform", "symbols": {}, "transform": "merge", "lengths": [4, 5]})
    merge((4, 5))
    """
    kind = _get(data, "kind", str)
    if kind not in _FORMS:
        raise LayoutError(f"kind {kind!r} is none of {', '.join(_FORMS)}")
    sizes = {name: _symbol(name, limits) for name, limits in _get(data, "symbols", dict).items()}
    try:
        layout: Layout = _FORMS[kind][2](data, sizes)
    except LayoutError:
        raise
    except (ValueError, TypeError) as problem:
        raise LayoutError(str(problem)) from None
    return layout


# --- writing ----------------------------------------------------------------------------------------------------------


def written(value: Any) -> Any:
    """A parameter: integers as they are, other expressions as text, tuples as lists."""
    if isinstance(value, tuple):
        return [written(v) for v in value]
    if isinstance(value, Expr):
        return int(value) if value.op == "const" else repr(value)
    return value


def _transform_out(t: Transform) -> dict[str, Any]:
    return {"transform": t.name, **{f.name: written(getattr(t, f.name)) for f in fields(t)}}


def _adaptor_out(a: TensorAdaptor) -> dict[str, Any]:
    return {
        "transforms": [{**_transform_out(t), "lower": list(low), "upper": list(up)} for t, low, up in a.linked],
        "bottom": list(a.bottom_ids),
        "top": list(a.top_ids),
    }


def _descriptor_out(d: TensorDescriptor) -> dict[str, Any]:
    return {**_adaptor_out(d.adaptor), "element_space_size": written(d.element_space_size)}


def encoding_data(encoding: TileDistributionEncoding) -> dict[str, Any]:
    """The six parts of a tile_distribution_encoding, by their names in files."""
    return {f.name: written(getattr(encoding, f.name)) for f in fields(encoding)}


def _symbols(layout: Layout) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for size in (v for e in expressions(layout) for v in variables(e) if not v.value.index):
        known = size.value
        limits: dict[str, Any] = {"min": known.lo, "max": None if known.hi == float("inf") else known.hi}
        limits |= {"multiple_of": known.multiple_of, "power_of_two": known.power_of_two}
        if found.setdefault(known.name, limits) != limits:
            raise LayoutError(f"two different sizes are called {known.name}; give each a name of its own")
    return found


# --- reading ----------------------------------------------------------------------------------------------------------


def _get(data: Data, key: str, kind: type) -> Any:
    if not isinstance(data, Mapping):
        raise LayoutError(f"an object with {key!r} is wanted, not {data!r}")
    if key not in data:
        raise LayoutError(f"{key!r} is missing; there are {', '.join(map(str, data)) or 'no keys'}")
    if not isinstance(data[key], kind):
        raise LayoutError(f"{key!r} is {data[key]!r}, not a {kind.__name__}")
    return data[key]


def _symbol(name: str, limits: Any) -> Expr:
    kinds = {"min": (int,), "max": (int, type(None)), "multiple_of": (int,), "power_of_two": (bool,)}
    try:
        for key, kind in kinds.items():
            if type(limits[key]) not in kind:
                raise TypeError(f"{key} is {limits[key]!r}")
        return symbol(name, **{key: limits[key] for key in kinds})
    except (KeyError, TypeError, ValueError) as problem:
        raise LayoutError(f"size {name}: {problem}") from None


def _expr(value: Any, sizes: Mapping[str, Expr]) -> Any:
    if isinstance(value, list):
        return tuple(_expr(v, sizes) for v in value)
    return parse(value, sizes) if isinstance(value, str) else value


def _ids(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or any(type(i) is not int for i in value):
        raise LayoutError(f"a list of ids is wanted, not {value!r}")
    return tuple(value)


def _transform_in(data: Data, sizes: Mapping[str, Expr]) -> Transform:
    name = _get(data, "transform", str)
    if name not in KINDS:
        raise LayoutError(f"no transform {name!r}; there are {', '.join(KINDS)}")
    kind = KINDS[name]
    own = [_get(data, key.field, str) for key in kind.parameters() if key.is_variable]
    sizes = {**sizes, **{index: unlimited(index) for index in own}}
    return kind(*(_expr(_get(data, f.name, object), sizes) for f in fields(kind)))


def _adaptor_in(data: Data, sizes: Mapping[str, Expr]) -> TensorAdaptor:
    layers: Sequence[Data] = _get(data, "transforms", list)
    return TensorAdaptor(
        tuple(_transform_in(layer, sizes) for layer in layers),
        tuple(_ids(_get(layer, "lower", list)) for layer in layers),
        tuple(_ids(_get(layer, "upper", list)) for layer in layers),
        _ids(_get(data, "bottom", list)),
        _ids(_get(data, "top", list)),
    )


def _descriptor_in(data: Data, sizes: Mapping[str, Expr]) -> TensorDescriptor:
    size = _expr(_get(data, "element_space_size", object), sizes)
    return TensorDescriptor(_adaptor_in(data, sizes), size)


def _distribution_in(data: Data, sizes: Mapping[str, Expr]) -> TileDistribution:
    given = [_expr(_get(data, f.name, list), sizes) for f in fields(TileDistributionEncoding)]
    return TileDistribution(TileDistributionEncoding(*given))


_FORMS: Mapping[str, tuple[type, Callable[[Any], dict[str, Any]], Callable[[Data, Mapping[str, Expr]], Layout]]] = {
    "transform": (Transform, _transform_out, _transform_in),
    "adaptor": (TensorAdaptor, _adaptor_out, _adaptor_in),
    "descriptor": (TensorDescriptor, _descriptor_out, _descriptor_in),
    "distribution": (TileDistribution, lambda tile: encoding_data(tile.encoding), _distribution_in),
}
"""Of each kind: its class, how it is written, how it is read."""
