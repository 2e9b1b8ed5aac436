"""The explorer of a layout that is typed: one HTML file that needs no install, for CK's, CuTe's and Triton's notations.

The page reads the text itself (`assets/notation.js`); what it computes with is the library's:

| in the page           | comes from                                                                            |
|-----------------------|---------------------------------------------------------------------------------------|
| `TRANSFORMS`          | each transform of CK with parameters that are symbols: its maps, written in JavaScript |
| `PATTERNS`            | the usual accesses, of a tile of symbolic lengths                                      |
| `TARGETS`, the price  | the targets' data and the explorer's model (`page`)                                    |
| `EXAMPLES`            | layouts with offsets that the library computed: the page compares its own with them   |

What it cannot represent: sizes without a value, and the transforms of `NOT_TYPED`: a file and `layoutalg draw` do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from layoutalg.draw.maps import function, listed_code, object_code, script, unpacked, usual
from layoutalg.draw.page import assembled, asset
from layoutalg.index import TRUE, Expr, all_of, symbol, var
from layoutalg.index.evaluate import grids
from layoutalg.index.javascript import javascript
from layoutalg.interop import cute, triton
from layoutalg.layout import (
    CyclicShift,
    CyclicShiftInverse,
    Embed,
    Freeze,
    Insert,
    LeftPad,
    Merge,
    MergeDivisionMod,
    MergeMagicDivision,
    Modulo,
    Offset,
    Pad,
    PassThrough,
    Replicate,
    RightPad,
    Slice,
    TensorDescriptor,
    Transform,
    Unmerge,
    Xor,
    XorNoModulo,
    ck,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.records import dataclass
from layoutalg.target import DEFAULT, DEFAULT_READ, target, target_names
from layoutalg.target.dtypes import DTYPES

TYPED: tuple[type[Transform], ...] = (
    PassThrough, Pad, LeftPad, RightPad, Slice, Offset, Embed, Merge, Unmerge, Freeze, Insert, Replicate, Modulo, Xor,
    XorNoModulo, CyclicShift, CyclicShiftInverse,
)  # fmt: skip
"""The transforms that the page reads."""

ALIKE: Mapping[type[Transform], tuple[type[Transform], ...]] = {Merge: (MergeMagicDivision, MergeDivisionMod)}
"""Variants that give the same lower index on every valid upper one: they are read as the first."""

MOST_ENTRIES, MOST_RANK = 6, 6
"""The longest list of a transform, and the most dimensions of a tile, that maps are written for."""

WIDEST = 25
"""Parameters are below 2 to this; less where products of many would not be exact."""

REACH = 1 << 24
"""Indices between transforms are below this in magnitude: `REACH` of the page."""

SIZES = ("length", "lengths", "modulus")
AMOUNTS = ("left", "right")
"""Parameters that are at least 1 (or the least length), and at least 0."""

CONDITIONS: Mapping[type[Transform], Callable[[Any], Expr]] = {
    Slice: lambda one: all_of(one.begin >= 0, one.begin < one.end, one.end <= one.length),
}
"""What a transform refuses of numbers and cannot know of symbols."""

LANE = var("lane", 64)

TITLE, SCRIPTS = "Try a layout", ("model", "view", "main", "notation", "typed", "controls")


@dataclass(frozen=True)
class Typed:
    """What the page offers to begin with: a text, Triton's shape, and what the library reads there."""

    name: str
    text: str
    descriptor: TensorDescriptor
    shape: tuple[int, ...] = ()


ROWS = "make_naive_tensor_descriptor((64, 64), (64, 1))"
PADDED = "pad = 8\nmake_naive_tensor_descriptor((64, 64), (64 + pad, 1))"
SWIZZLED = """rows = make_naive_tensor_descriptor((64, 8, 8), (64, 8, 1))
swizzled = transform_tensor_descriptor(
    rows,
    [make_xor_transform((64, 8)), make_pass_through_transform(8)],
    [[0, 1], [2]],
    [[0, 1], [2]])
tile = transform_tensor_descriptor(
    swizzled,
    [make_pass_through_transform(64), make_merge_transform((8, 8))],
    [[0], [1, 2]],
    [[0], [1]])"""
IN_CPP = """constexpr index_t kM = 64, kK = 64, kPack = 8;  // as in CK Tile's GEMM pipelines
constexpr auto desc_0 = make_naive_tensor_descriptor(
    make_tuple(number<kK / kPack>{}, number<kM>{}, number<kPack>{}),
    make_tuple(number<(kM + 1) * kPack>{}, number<kPack>{}, number<1>{}),
    number<kPack>{}, number<1>{});
constexpr auto desc = transform_tensor_descriptor(
    desc_0,
    make_tuple(make_pass_through_transform(number<kM>{}),
               make_merge_transform(make_tuple(number<kK / kPack>{}, number<kPack>{}))),
    make_tuple(sequence<1>{}, sequence<0, 2>{}),
    make_tuple(sequence<0>{}, sequence<1>{}));"""
CUTE = ("Sw<3,3,3> o 0 o (64,64):(64,1)", "((8,8),(8,8)):((8,512),(1,64))")
TRITON = (
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>",
)


@cache
def examples() -> tuple[Typed, ...]:
    """The examples, the first of which is shown first.

    >>> [(one.name, one.descriptor.offset((3, 20))) for one in examples()[:2]]
    [('64 × 64, row by row', 212), ('the same, rows padded by 8', 236)]
    """
    padded = make_naive_tensor_descriptor((8, 64, 8), (520, 8, 1))
    return (
        Typed("64 × 64, row by row", ROWS, make_naive_tensor_descriptor((64, 64), (64, 1))),
        Typed("the same, rows padded by 8", PADDED, make_naive_tensor_descriptor((64, 64), (72, 1))),
        Typed("CK in Python: xor of the row", SWIZZLED, _swizzled()),
        Typed(
            "CK in C++: K first, padded",
            IN_CPP,
            transform_tensor_descriptor(
                padded, [ck.make_pass_through_transform(64), ck.make_merge_transform((8, 8))], [[1], [0, 2]], [[0], [1]]
            ),
        ),
        Typed("CuTe: a swizzle", CUTE[0], cute.descriptor(cute.parse(CUTE[0]))),
        Typed("CuTe: nested modes", CUTE[1], cute.descriptor(cute.parse(CUTE[1]))),
        Typed("Triton: swizzled_shared", TRITON[0], _triton(TRITON[0]), (64, 64)),
        Typed("Triton: padded_shared", TRITON[1], _triton(TRITON[1]), (64, 64)),
    )


def _swizzled() -> TensorDescriptor:
    passed, merged = ck.make_pass_through_transform, ck.make_merge_transform((8, 8))
    made = make_naive_tensor_descriptor((64, 8, 8), (64, 8, 1))
    both = [ck.make_xor_transform((64, 8)), passed(8)]
    made = transform_tensor_descriptor(made, both, [[0, 1], [2]], [[0, 1], [2]])
    return transform_tensor_descriptor(made, [passed(64), merged], [[0], [1, 2]], [[0], [1]])


def _triton(text: str) -> TensorDescriptor:
    found = triton.from_triton(text, (64, 64))
    assert isinstance(found, TensorDescriptor)
    return found


def typed_page() -> str:
    """The page, as the text of an HTML file.

    >>> "readLayout" in typed_page()
    True
    """
    more = [
        f"const TRANSFORMS = [{','.join(map(_transform, TYPED))}];",
        f"const NOT_TYPED = {script(_not_typed())};",
        f"const PATTERNS = [{','.join(_patterns(rank) for rank in range(MOST_RANK + 1))}];",
        f"const TYPES = {script({name: kind.bits for name, kind in DTYPES.items()})};",
        f"const EXAMPLES = {script([_example(one) for one in examples()])};",
        "const LAYOUTS = [];",
    ]
    begin = {"layout": 0, "access": 2, "target": DEFAULT, "instruction": DEFAULT_READ}
    return assembled(TITLE, map(target, target_names()), begin, more, SCRIPTS, entry=asset("typed.html"))


def _example(one: Typed) -> dict[str, Any]:
    made = one.descriptor
    offset, valid = grids([made.offset(made.index), made.valid(made.index)], made.index, {})
    flat, step = offset.ravel(), max(1, offset.size // 29)
    checks = [[n, int(flat[n]), bool(valid.ravel()[n])] for n in range(0, offset.size, step)]
    return {
        "name": one.name,
        "text": one.text,
        "shape": one.shape,
        "space": int(made.element_space_size),
        "checks": checks,
    }


def _not_typed() -> list[str]:
    read = {kind for one in TYPED for kind in (one, *ALIKE.get(one, ()))}
    every = {**ck.TRANSFORMS_OF["ck"], **ck.TRANSFORMS_OF["ck_tile"]}
    return sorted({*(n for n, kind in every.items() if kind not in read)} - {n for one in TYPED for n in _names(one)})


def _names(kind: type[Transform]) -> list[str]:
    """What a transform is called in CK Tile, where CK gives the name to another transform, and here."""
    found: list[str] = []
    for one in (kind, *ALIKE.get(kind, ())):
        other = ck.TRANSFORMS_OF["ck_tile"].get(one.ck.ck)
        found += [one.ck.ck_tile, one.ck.ck if other in (None, one) else "", one.__name__]
    return list(dict.fromkeys(filter(None, found)))


def _transform(kind: type[Transform]) -> str:
    """A transform's maps, for each number of entries that its lists may have."""
    keys = kind.parameters()
    ranges = [key.entries for key in keys if key.entries is not None]
    counts = range(ranges[0][0], min(ranges[0][1], MOST_ENTRIES) + 1) if ranges else range(1)
    parameters = [{"name": key.name, "list": key.entries is not None, "least": _least(kind, key.name)} for key in keys]
    return object_code(
        {
            "name": script(kind.name),
            "names": script(_names(kind)),
            "parameters": script(parameters),
            "flags": str(kind.ck.flags),
            "of": object_code({str(n): _maps(kind, n) for n in counts}),
        }
    )


def _least(kind: type[Transform], name: str) -> int:
    return kind.least_length if name in SIZES else 0 if name in AMOUNTS else -(1 << WIDEST)


def _maps(kind: type[Transform], count: int) -> str:
    """The maps of a transform whose lists have so many entries, over parameters as great as keep them exact."""
    for width in range(WIDEST, 4, -1):
        try:
            return _maps_below(kind, count, 1 << width)
        except ValueError:  # a product that may not be exact: less is read
            continue
    raise AssertionError(f"no maps of {kind.name} are exact")


def _maps_below(kind: type[Transform], count: int, most: int) -> str:
    flat: list[Expr] = []

    def named(name: str) -> Expr:
        flat.append(symbol(f"p{len(flat)}", min=max(_least(kind, name), -most), max=most))
        return flat[-1]

    keys = kind.parameters()
    given = [named(k.name) if k.entries is None else tuple(named(k.name) for _ in range(count)) for k in keys]
    one = kind(*given)
    upper = [symbol(f"u{n}", min=-REACH, max=REACH) for n in range(len(one.upper_lengths))]
    p, u = unpacked("p", len(flat)), unpacked("u", len(upper))
    condition = all_of(*one.conditions, CONDITIONS.get(kind, lambda _: TRUE)(one))
    lower_lengths = ("null" if n is None else javascript(n) for n in one.lower_lengths)
    return object_code(
        {
            "most": str(most),
            "lower": function("p, u", p + u, listed_code(map(javascript, one.lower(upper)))),
            "valid": function("p, u", p + u, javascript(one.valid(upper))),
            "upperLengths": function("p", p, listed_code(map(javascript, one.upper_lengths))),
            "lowerLengths": function("p", p, listed_code(lower_lengths)),
            "constants": function("p", p, listed_code(map(javascript, one.constants))),
            "condition": function("p", p, javascript(condition)),
        }
    )


def _patterns(rank: int) -> str:
    """The usual accesses of a tile of so many dimensions, over its lengths."""
    if rank == 0:
        return "[]"
    most = 1 << min(18, 50 // rank)
    lengths = [symbol(f"L{d}", max=most) for d in range(rank)]
    vector = symbol("vector", max=128)
    tile = make_naive_tensor_descriptor_packed(lengths)
    before = unpacked("L", rank)
    return listed_code(
        object_code(
            {"name": script(name), "index": function("lane, vector, L", before, _index(family(vector)(LANE, tile)))}
        )
        for name, family in usual(tile).items()
    )


def _index(index: Sequence[Any]) -> str:
    return listed_code(javascript(i) if isinstance(i, Expr) else str(i) for i in index)
