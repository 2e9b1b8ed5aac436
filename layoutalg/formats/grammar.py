"""The spec file as a table of shapes: the reader checks by it, and the published JSON Schema is printed from it.

    symbols = { M = { min = 1, max = 4096, multiple_of = 8 } }     # sizes that are not fixed; then "M * 8" is a size

    [[descriptor]]
    name  = "a_lds"
    dtype = "f16"
    base  = { kind = "naive", lengths = [8, 64, 8], strides = [520, 8, 1] }
    steps = [[                                                     # one list a call of transform_tensor_descriptor
      { transform = "pass_through", length = 64,      lower = [1],    upper = [0] },
      { transform = "merge",        lengths = [8, 8], lower = [0, 2], upper = [1] },
    ]]
    claims = ["in_bounds", "injective", "fits_index", { claim = "contiguous(16)", expect = "refuted" }]
    examples = [{ index = [1, 8], offset = 528 }]

| table          | says                                                                                       |
|----------------|--------------------------------------------------------------------------------------------|
| `descriptor`   | a tensor: base, steps, claims, examples                                                    |
| `transform`    | one transform alone, for theorems about it                                                 |
| `adaptor`      | steps over dimensions that no memory lies under                                            |
| `distribution` | a tile_distribution_encoding                                                               |
| `access`       | which lane reads or writes which index of a descriptor, how wide, with which instruction   |
| `box`          | what the Tensor Data Mover copies between a tensor and LDS (`formats.boxes`)               |
| `lemma`        | a formula over variables: `given` ⇒ `goal`                                                 |
| `agree`        | two descriptors that address the same word for each index                                  |
| `cpp`          | one table: headers, prelude and target of C++ expressions (`formats.cpp`)                  |
| `launch`       | one table: how a kernel is launched on the file's tensors (`formats.launch`)               |

A base is one of CK's (`layoutalg.formats.bases`), another descriptor (`{ kind = "descriptor", name = "a_lds" }`), or in
a neighbour's notation (`layoutalg.formats.notations`).  `{ equals = "other" }` among the claims says that another
descriptor or distribution of the file, in whichever notation, is the same map: shape, padding and every offset, or
which element each thread holds in each register.

`storage` of a descriptor is the number of elements of the memory that it views, where that is not the base's own: a
view `x[::2]` of 50 elements, `base = { kind = "naive", lengths = [25], strides = [2] }`, `storage = 50`.

`$schema` names the schema to an editor, and says nothing else.

In a `descriptor`, `adaptor` or `distribution`, `cpp = "…"`, a constant expression, may stand for what makes it: `base`,
the first `steps`, the encoding.

A symbol may have any name but an operator's (and, or, not, if, else).  Expressions name symbols, and these indices:

| in                                   | index variables                                                 |
|--------------------------------------|-----------------------------------------------------------------|
| `access`: `index` and `given`        | `lane`, and the access's own `variables`                        |
| `access` by a distribution: `given`  | `lane`, its p0, p1 … and y0, y1 …; `v` counts vectors of last Y |
| `lemma`, `agree`, `box`              | their own `variables`                                           |
| `agree` by a distribution            | those, p0, p1 … and `element` of a lane; that side's tile: x0 … |
| `functor`: `function`                | its `variable`                                                  |

An expression that sees a symbol and an index of one name is refused; nothing else is: indices that no expression can
name are called otherwise, i0_ beside a symbol i0.

`given` limits sizes and variables; in an access, what it says of `lane` is a mask: which lanes take part.  What it says
of one size alone (`1 <= M`, `M % 8 == 0`) is as if the symbol had that limit, in this item and nowhere else.  At the
top of a file it speaks of symbols, and holds in every item and in the launch: `given = ["M <= N"]`.
`expect` is `proved` (unless stated), `refuted` (every claim must fail) or `refused` (it must not be built), and
`because` a part of the reason that must be given for the last two: `because = "offset 82"`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from layoutalg.formats.bases import BASES
from layoutalg.formats.notations import LANES, NOTATIONS, Notation
from layoutalg.formats.shape import (
    Choice,
    Either,
    Flag,
    Instead,
    Integer,
    Keyed,
    Many,
    Marked,
    Named,
    Real,
    Shape,
    Size,
    Table,
    Tagged,
    Text,
    name,
)
from layoutalg.layout import TRANSFORMS, Transform
from layoutalg.layout.transform import TransformParameter
from layoutalg.target.dtypes import NAMES

Transforms = Mapping[str, type[Transform]]

EXPECT = ("proved", "refuted", "refused")
OPERANDS = ("a", "b", "c")
MOST_ITEMS = 1000
MOST_ENTRIES = 1 << 16

_size, _name = Named("size", Size()), Named("name", name())
_sizes, _dims = Named("sizes", Many(_size, 1)), Named("dimensions", Many(Integer(0, 63)))


def _notations(of: Mapping[str, Notation[Any]]) -> dict[str, Table]:
    """The bases in neighbours' notations."""
    return {
        kind: Table(
            {**dict.fromkeys(n.lists, _sizes), **dict.fromkeys(n.numbers, _size), **dict.fromkeys(n.texts, Text())}
        )
        for kind, n in of.items()
    }


_bases = {
    **{b.kind: Table({**dict.fromkeys(b.lists, _sizes), **dict.fromkeys(b.numbers, _size)}) for b in BASES.values()},
    **_notations(NOTATIONS),
    "descriptor": Table({"name": _name}),  # builds on another descriptor of the file
}
_symbol = Table({}, {"min": Integer(), "max": Integer(), "multiple_of": Integer(1), "power_of_two": Flag()})
_expect: dict[str, Shape] = {"expect": Choice(EXPECT[:2]), "because": Text()}
_claim = Named(
    "claim",
    Either((Text(), Instead("equals", Table({"equals": _name}, _expect), Table({"claim": Text()}, _expect)))),
)
_formula = Either((Text(), Flag()))
_about: dict[str, Shape] = {
    "note": Text(),
    "source": Text(),
    "given": Many(_formula),
    "claims": Many(_claim, 1),
    "expect": Choice(EXPECT),
    "because": Text(),
}
_example = Table(
    {"index": Many(_size, 0)},
    {"offset": _size, "valid": Flag(), "hidden": _sizes, **_expect},
)
_reach = Table({"index": Many(_size, 0), "lower": Many(_size, 0)}, {"valid": Flag(), **_expect})
_majors = Many(Integer(0, 64))
_variables: dict[str, Shape] = {"variables": Keyed(_size)}
_expression = Text(wanted="a constant expression of C++")
_cpp = Table(
    {"headers": Many(Text(r'[^"\n]+', "a header such as ck_tile/core.hpp"), 1), "target": Text()},
    {"include": Many(Text()), "prelude": Text(longest=MOST_ENTRIES)},
)


def transform_keys(kind: type[Transform]) -> Mapping[str, Shape]:
    """The shape of each parameter of a kind of transform, by its key.

    >>> list(transform_keys(TRANSFORMS["pad"]))
    ['length', 'left', 'right']
    """
    return {key.name: _shape(key) for key in kind.parameters()}


def _shape(key: TransformParameter) -> Shape:
    if key.entries is None:
        return _name if key.is_variable else _size
    return _sizes if key.entries == (1, 64) else Many(_size, *key.entries)


_attached: dict[str, Shape] = {"lower": _dims, "upper": _dims}


def _step(transforms: Transforms) -> Named:
    tables = {name: Table({**transform_keys(kind), **_attached}) for name, kind in transforms.items()}
    return Named("step", Tagged("transform", tables))


def item_shapes(transforms: Transforms) -> Mapping[str, Shape]:
    """Each kind of item, by its table's name."""
    keys = {name: transform_keys(kind) for name, kind in transforms.items()}
    steps = Many(Many(_step(transforms), 1))
    descriptor: dict[str, Shape] = {
        "dtype": Choice(tuple(NAMES)), "storage": _size, "steps": steps, "examples": Many(_example, 0, MOST_ITEMS),
        **_about,
    }  # fmt: skip
    reached: dict[str, Shape] = {"examples": Many(_reach, 0, MOST_ITEMS), **_about}
    distribution: dict[str, Shape] = {
        "wave_size": Integer(1, 1024), "warps": Integer(1, 1024),
        "window": Either((_sizes, Table({"cpp": _expression}))), **reached,
    }  # fmt: skip
    by_cpp: dict[str, Shape] = {"name": _name, "cpp": _expression}
    return {
        "descriptor": Instead(
            "cpp",
            Table(by_cpp, descriptor),
            Table({"name": _name, "base": Tagged("kind", _bases)}, descriptor),
        ),
        "transform": Tagged("transform", {key: Table({"name": _name, **own}, reached) for key, own in keys.items()}),
        "adaptor": Instead(
            "cpp", Table(by_cpp, {"steps": steps, **reached}), Table({"name": _name, "steps": steps}, reached)
        ),
        "distribution": Instead(
            "cpp",
            Table(by_cpp, {"operand": Choice(OPERANDS), **distribution}),
            Instead(
                "base",
                Table({"name": _name, "base": Tagged("kind", _notations(LANES))}, distribution),
                Table(
                    {
                        "name": _name, "hs": Many(_sizes, 1), "ps_major": Many(_majors), "ps_minor": Many(_majors),
                        "ys_major": _majors, "ys_minor": _majors,
                    },
                    {"rs": Many(_size), **distribution},
                ),
            ),
        ),
        "access": Table(
            {"name": _name, "descriptor": _name},
            {
                "distribution": _name, "lanes": Integer(1, 1024), "index": _sizes, **_variables,
                "width": Integer(1, 64), "instruction": _name, "targets": Many(_name, 1), **_about,
            },
        ),
        "box": Table(
            {"name": _name, "tensor": _name, "at": _sizes, "lengths": _sizes},
            {
                **_variables, "extents": _sizes, "strides": Many(_size), "lds": _name,
                "lds_at": _sizes, "padding": Many(Integer(1, 1 << 16), 2, 2), "stores": Flag(), **_about,
            },
        ),
        "lemma": Table({"name": _name, "goal": _formula}, {**_variables, **_about}),
        "agree": Table(
            {"name": _name, "left": _name, "right": _name},
            {
                **_variables, "left_index": _sizes, "right_index": _sizes,
                "left_distribution": _name, "right_distribution": _name, **_about,
            },
        ),
    }  # fmt: skip


#: How many values an argument may have beside its kind: so many bytes, or an element type.
_sort: dict[str, Shape] = {"bytes": Integer(1, 4096), "dtype": Choice(tuple(n for n, d in NAMES.items() if d.bytes))}
_single: dict[str, Table] = {
    "unused": Table({"unused": Flag()}, {"bytes": _sort["bytes"]}),
    "value": Table({"value": Either((Text(), Real()))}, _sort),
    "name": Table({"name": _name}, _sort),
    "bytes": Table({"bytes": _sort["bytes"]}),
    "dtype": Table({"dtype": _sort["dtype"]}),
}
_field = Named("field", Either((_size, Marked(_single))))

#: Arguments of a kernel, and sizes of a file: each argument may be one, and hand-written kernels have 110 (paddings).
MOST_ARGUMENTS = 256
_struct = Table({"fields": Many(_field, 1, MOST_ARGUMENTS)})
_launch = Table(
    {"grid": Many(_size, 1, 3), "block": Many(_size, 1, 3),
     "arguments": Many(Either((_size, Marked({"fields": _struct, **_single}))), 0, MOST_ARGUMENTS)},
    {
        "kernel": Text(), "guessed": Flag(), "lds": _size, "each": Many(_name), "writes": Many(_name),
        "claims": Many(Text()),
        "computes": Many(Text()), "tried": Many(Text()),
        "assume": Many(Text()), "initially": Many(Text()), "points": Keyed(_name),
    },
)  # fmt: skip


def file_shape(transforms: Transforms = TRANSFORMS) -> Table:
    """The whole file, of these transforms."""
    return Table(
        {},
        {
            "$schema": Text(), "title": Text(), "note": Text(), "symbols": Keyed(_symbol, MOST_ARGUMENTS),
            "cpp": _cpp, "given": Many(_formula),
            **{kind: Many(shape, 1, MOST_ITEMS) for kind, shape in item_shapes(transforms).items()},
            "launch": _launch,
        },
    )  # fmt: skip


FILE = file_shape()
"""The whole file."""


def json_schema() -> dict[str, Any]:
    """The published JSON Schema, `spec.schema.json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "layoutalg spec file",
        "description": "Tensor layouts of Composable Kernel and what is claimed of them",
        **FILE.schema(),
        "$defs": {
            shape.name: shape.of.schema() for shape in (_size, _name, _sizes, _dims, _step(TRANSFORMS), _claim, _field)
        },
    }


def schema_text() -> str:
    """What `spec.schema.json` holds; a test compares it, so write it anew after a change here."""
    return json.dumps(json_schema(), indent=1) + "\n"
