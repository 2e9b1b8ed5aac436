"""A spec file as TOML text that, read back, is the same file.

Layouts are taken apart again (`layers`), expressions are printed as they read, and what a file left unstated stays so.
What it cannot print: a descriptor whose first transform is none of CK's bases (embed, unmerge, offset below embed).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.formats.bases import base_of
from layoutalg.formats.layers import Layer, layers
from layoutalg.formats.model import (
    AccessItem,
    AdaptorItem,
    AgreeItem,
    BoxItem,
    DescriptorItem,
    DistributionItem,
    Example,
    Item,
    LemmaItem,
    Refusal,
    SpecFile,
    StatedClaim,
)
from layoutalg.index import TRUE, Expr, conjuncts
from layoutalg.layout import TensorDescriptor, TileDistributionEncoding, Transform
from layoutalg.layout.adaptor import same_length
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg.formats import launch as launches

Data = dict[str, Any]


def dump(file: SpecFile) -> str:
    """The file as TOML.

    >>> from layoutalg.formats.spec import loads
    >>> text = '[[descriptor]]\\nname = "d"\\nbase = { kind = "packed", lengths = [3, 4] }\\n'
    >>> loads(dump(loads(text))).descriptor("d").descriptor == loads(text).descriptor("d").descriptor
    True
    """
    head: Data = {"title": file.title} if file.title else {}
    if file.symbols:
        head["symbols"] = {name: _symbol(s) for name, s in file.symbols.items()}
    parts = ["".join(_lines(head))]
    for item in file.items:
        kind, data = item_data(item)
        parts.append(f"[[{kind}]]\n{''.join(_lines(data))}")
    if file.launch:
        parts.append(f"[launch]\n{''.join(_lines(launch_data(file.launch)))}")
    return "\n".join(part for part in parts if part)


def item_data(item: Item) -> tuple[str, Data]:
    """The kind of an item and its table, as a JSON document has it."""
    if isinstance(item, Refusal):
        return item.of, dict(item.data)
    return item.kind, {"name": item.name, **_WRITTEN[item.kind](item), **_about(item)}


def launch_data(launch: launches.Launch) -> Data:
    """A launch as its table."""
    made: Data = {"kernel": launch.kernel} if launch.kernel else {}
    made |= {"grid": written(launch.grid), "block": written(launch.block), "lds": written(launch.lds)}
    made["arguments"] = [_argument(one, str(place)) for place, one in enumerate(launch.arguments)]
    made |= {key: list(found) for key in ("each", "writes", "claims") if (found := getattr(launch, key))}
    made |= {
        key: [one.text for one in found]
        for key in ("assume", "initially", "computes", "tried")
        if (found := getattr(launch, key))
    }
    return made | ({"points": dict(launch.points)} if launch.points else {})


def _argument(one: launches.Argument, place: str = "") -> Any:
    if isinstance(one, launches.Pointer):
        return one.descriptor
    if isinstance(one, launches.Struct):
        return {"fields": [_argument(each) for each in one.fields]}
    size = {key: value for key in ("bytes", "dtype") if (value := getattr(one, key, None)) is not None}
    if isinstance(one, launches.Number):
        value = one.value if isinstance(one.value, float) else written(one.value)
        return value if not (size or isinstance(value, float)) else {"value": value, **size}
    if isinstance(one, launches.Unused):
        return {"unused": True, **size}
    return size if one.name == place else {"name": one.name, **size}


def descriptor_data(descriptor: TensorDescriptor) -> Data:
    """Base and steps of a descriptor; LayoutError where no base of CK's makes its first layer."""
    base, given, rest = base_of(layers(descriptor.adaptor))
    keys = {key: written(value) for key, value in zip((*base.lists, *base.numbers), given, strict=True)}
    space = descriptor.element_space_size
    same = same_length(space, base.make(*given).element_space_size)
    storage = {} if same else {"storage": written(space)}
    return {"base": {"kind": base.kind, **keys}, **storage, **({"steps": _steps(rest)} if rest else {})}


def transform_data(transform: Transform) -> Data:
    """A transform's name and parameters, as a spec file has them."""
    given = {key.name: written(getattr(transform, key.field)) for key in transform.parameters()}
    return {"transform": transform.name, **given}


def written(value: Any) -> Any:
    """A parameter: integers as they are, other expressions as text, tuples as lists."""
    if isinstance(value, tuple):
        return [written(v) for v in value]
    if isinstance(value, Expr):
        return int(value) if value.op == "const" else repr(value)
    return value


def _encoding(encoding: TileDistributionEncoding) -> Data:
    """The six parts of a tile_distribution_encoding, by their names in files."""
    return {f.name: written(getattr(encoding, f.name)) for f in fields(encoding)}


def _steps(found: Sequence[Layer]) -> list[list[Data]]:
    return [
        [
            {**transform_data(t), "lower": list(lower), "upper": list(upper)}
            for t, lower, upper in zip(layer.transforms, layer.lower, layer.upper, strict=True)
        ]
        for layer in found
    ]


def _formula(e: Expr) -> bool | str:
    return bool(e) if e.op == "const" else repr(e)


def _symbol(s: Expr) -> Data:
    known = s.value
    made: Data = {"min": int(known.lo)}
    if known.hi < float("inf"):
        made["max"] = int(known.hi)
    if known.multiple_of > 1:
        made["multiple_of"] = known.multiple_of
    return {**made, "power_of_two": True} if known.power_of_two else made


def size_text(s: Expr) -> str:
    """The limits of a size, as a file's table of symbols and -D have them.

    >>> from layoutalg.index import symbol
    >>> size_text(symbol("M", max=64, multiple_of=8))
    '{ min = 8, max = 64, multiple_of = 8 }'
    """
    return _toml(_symbol(s))


def _variables(over: Sequence[Expr]) -> Data:
    known = [v.value for v in over]
    return {"variables": {s.name: int(s.hi) + 1 if s.extent is None else written(s.extent) for s in known}}


def _about(item: Item) -> Data:
    made: Data = {key: value for key in ("note", "source") if (value := getattr(item, key))}
    if given := [_formula(e) for part in (item.limits, item.given) if part is not TRUE for e in conjuncts(part)]:
        made["given"] = given
    if item.stated:
        made["claims"] = [_claim(c) for c in item.claims]
    elif any(c.expect == "refuted" for c in item.claims):
        made |= _expect(item.claims[0])
    return made


def _claim(claim: StatedClaim) -> str | Data:
    if claim.other is not None:
        return {claim.name: claim.other[0], **_expect(claim)}
    return str(claim) if claim.expect == "proved" else {"claim": str(claim), **_expect(claim)}


def _expect(item: StatedClaim | LemmaItem | AgreeItem) -> Data:
    because = {"because": item.because} if item.because else {}
    return {"expect": item.expect, **because} if item.expect == "refuted" else {}


def _examples(found: Sequence[Example], *, of_descriptor: bool = False) -> Data:
    made = []
    for example in found:
        entry: Data = {"index": written(example.index)}
        if example.lower is not None:
            lower = written(example.lower)
            entry |= {"offset": lower[0]} if of_descriptor else {"lower": lower}
        if example.hidden is not None:
            entry["hidden"] = written(example.hidden)
        if example.valid is not None:
            entry["valid"] = example.valid
        made.append({**entry, **_expect(example)})
    return {"examples": made} if made else {}


def _descriptor(item: DescriptorItem) -> Data:
    dtype = {"dtype": item.dtype} if item.dtype else {}
    return {**dtype, **descriptor_data(item.descriptor), **_examples(item.examples, of_descriptor=True)}


def _adaptor(item: AdaptorItem) -> Data:
    return {"steps": _steps(layers(item.adaptor)), **_examples(item.examples)}


def _distribution(item: DistributionItem) -> Data:
    stated = {key: value for key in ("wave_size", "warps") if (value := getattr(item, key)) is not None}
    window = {} if item.window is None else {"window": written(item.window)}
    return {**_encoding(item.distribution.sole_encoding), **stated, **window, **_examples(item.examples)}


def _access(item: AccessItem) -> Data:
    if item.element is not None:
        raise LayoutError(f"{item.name}: a spec file's vectors run along the last dimension; this one's may not")
    made: Data = {"descriptor": item.descriptor.name, "width": item.width}
    if item.distribution is not None:
        made["distribution"] = item.distribution
    else:
        made |= {"lanes": int(item.lane.hi) + 1, "index": written(item.index), **_variables(item.variables)}
    if item.instruction is not None:
        made["instruction"] = item.instruction
    return {**made, "targets": list(item.targets)} if item.targets else made


def _box(item: BoxItem) -> Data:
    made: Data = {"tensor": item.tensor.name}
    made |= {"lds": item.lds.name, "lds_at": written(item.lds_at)} if item.lds else {}
    made |= {key: written(getattr(item, key)) for key in ("at", "lengths", "extents", "strides")}
    made |= {"padding": list(item.padding)} if item.padding else {}
    return {**made, **({"stores": True} if item.stores else {}), **_variables(item.variables)}


def _lemma(item: LemmaItem) -> Data:
    return {"goal": _formula(item.goal), **_variables(item.variables), **_expect(item)}


def _agree(item: AgreeItem) -> Data:
    made: Data = {"left": item.left.name, "right": item.right.name}
    if item.variables != item.left.descriptor.index or item.left_index != item.variables:
        made |= {**_variables(item.variables), "left_index": written(item.left_index)}
        made["right_index"] = written(item.right_index)
    return {**made, **_expect(item)}


_WRITTEN: Mapping[str, Callable[[Any], Data]] = {
    "descriptor": _descriptor,
    "transform": lambda item: {**transform_data(item.transform), **_examples(item.examples)},
    "adaptor": _adaptor,
    "distribution": _distribution,
    "access": _access,
    "box": _box,
    "lemma": _lemma,
    "agree": _agree,
}


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        if key == "steps":
            yield "steps = [" + ", ".join("[\n" + "".join(f"  {_toml(t)},\n" for t in step) + "]" for step in value)
            yield "]\n"
        else:
            yield f"{key} = {_toml(value)}\n"


def _toml(value: Any) -> str:
    """A value as TOML; its strings are JSON's, with what only TOML forbids escaped."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
